/* Finds frame.NNNNNN.png, leaving all other names alone; the order is that of the numbers, not the
 * directory's. */
#include "render/picture_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/cache.h"

static bool frame_of(int *frame, const char *name) {
    char exact[CACHE_NAME_MAX];
    if (sscanf(name, "frame.%6d", frame) != 1 || *frame < 0) return false;
    cache_name(exact, CACHE_PICTURE, NULL, *frame);
    const char *slash = strrchr(exact, '/');
    return slash && !strcmp(slash + 1, name);
}

static bool append(picture_list *list, int *capacity, int frame) {
    if (list->count == *capacity) {
        int more = *capacity ? 2 * *capacity : 256;
        int *grown = mem_grow(list->frame, (size_t)*capacity * sizeof *grown, (size_t)more * sizeof *grown);
        if (!grown) return false;
        list->frame = grown;
        *capacity = more;
    }
    list->frame[list->count++] = frame;
    return true;
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

rheo_status picture_list_read(picture_list *list, const char *cache, rheo_report *report) {
    *list = (picture_list){0};
    char path[FILE_PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", cache, cache_directory(CACHE_PICTURE)) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the cache's path is too long");
    DIR *directory = opendir(path);
    if (!directory && errno != ENOENT) return file_fail(report, path, "read", errno);
    int capacity = 0, frame;
    bool good = true;
    for (struct dirent *e; directory && good && (e = readdir(directory));)
        if (frame_of(&frame, e->d_name)) good = append(list, &capacity, frame);
    if (directory) closedir(directory);
    rheo_status status = RHEO_OK;
    if (!good) status = report_no_memory(report, "the list of pictures");
    else if (!list->count) {
        status = report_fail(report, RHEO_INVALID, "draw them first with `rheo render`",
                             "the cache holds no pictures");
        report_place(report, cache, 0, 0, NULL);
    }
    if (status) picture_list_free(list);
    else qsort(list->frame, (size_t)list->count, sizeof *list->frame, by_number);
    return status;
}

void picture_list_free(picture_list *list) {
    mem_free(list->frame);
    *list = (picture_list){0};
}
