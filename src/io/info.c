/* What a cache holds and whether it is whole: each listed file must be there with its size, and with `verify`
 * its checksum. Pictures are not listed in the manifest; those that are there are counted. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <rheo/cache.h>
#include "core/report.h"
#include "io/cache.h"

/* A probe's file grows: only its newest entry says what it must be now. */
static bool is_current(const cache_manifest *m, const cache_file *f) {
    return f->kind != CACHE_PROBE || f->frame == m->frame_count - 1;
}

/* "" or what is wrong with a file; counts its bytes. */
static void check_file(char problem[512], uint64_t *bytes, const char *cache, const cache_file *f,
                       bool verify) {
    char path[FILE_PATH_MAX];
    uint64_t sum = f->checksum;
    *bytes = 0;
    problem[0] = 0;
    if (snprintf(path, sizeof path, "%s/%s", cache, f->name) >= (int)sizeof path) return;
    if (file_measure(bytes, verify ? &sum : NULL, path, UINT64_MAX))
        snprintf(problem, 512, "%s: %s", f->name, errno == ENOENT ? "missing" : strerror(errno));
    else if (*bytes < f->bytes)
        snprintf(problem, 512, "%s: truncated, %llu of %llu bytes", f->name, (unsigned long long)*bytes,
                 (unsigned long long)f->bytes);
    else if (*bytes > f->bytes && f->kind != CACHE_PROBE)
        snprintf(problem, 512, "%s: longer than it was written", f->name);
    else if (sum != f->checksum && f->kind != CACHE_PROBE)
        snprintf(problem, 512, "%s: the checksum differs", f->name);
    else if (verify && f->kind == CACHE_PROBE) {
        /* a killed run may have added rows of a frame that is not complete */
        if (file_measure(bytes, &sum, path, f->bytes) || sum != f->checksum)
            snprintf(problem, 512, "%s: the checksum differs", f->name);
    }
}

static void count_pictures(rheo_cache_info *info, const char *cache) {
    char path[FILE_PATH_MAX];
    struct stat about;
    if (snprintf(path, sizeof path, "%s/%s", cache, cache_directory(CACHE_PICTURE)) >= (int)sizeof path)
        return;
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        int frame = -1, length = 0;
        if (sscanf(e->d_name, "frame.%6d.png%n", &frame, &length) != 1 || e->d_name[length]) continue;
        if (fstatat(dirfd(d), e->d_name, &about, 0) || about.st_size == 0) continue;
        ++info->pictures;
        info->bytes += (size_t)about.st_size;
    }
    closedir(d);
}

static void add_problem(rheo_cache_info *info, const char *problem) {
    const int n = info->problem_count++;
    if (n == 0) snprintf(info->problem, sizeof info->problem, "%s", problem);
    else if (n < RHEO_PROBLEMS_TOLD) snprintf(info->further[n - 1], sizeof info->further[0], "%s", problem);
}

static void count_files(rheo_cache_info *info, const char *cache, const cache_manifest *m, bool verify) {
    for (size_t i = 0; i < m->file_count; ++i) {
        const cache_file *f = &m->files[i];
        char problem[512];
        uint64_t bytes;
        if (!is_current(m, f)) continue;
        check_file(problem, &bytes, cache, f, verify);
        info->bytes += bytes;
        if (problem[0]) {
            add_problem(info, problem);
            continue;
        }
        info->meshes += f->kind == CACHE_MESH;
        info->particles += f->kind == CACHE_PARTICLES;
        info->volumes += f->kind == CACHE_VOLUME;
        info->checkpoints += f->kind == CACHE_STATE;
    }
}

rheo_status rheo_read_cache_info(rheo_cache_info *info, const char *cache, bool verify, rheo_report *report) {
    cache_manifest m;
    rheo_report mine;
    *info = (rheo_cache_info){.last_frame = -1};
    rheo_status status = cache_read_manifest(&m, cache, &mine);
    if (status != RHEO_OK) {
        add_problem(info, mine.message);
        if (report) *report = mine;
        return status;
    }
    snprintf(info->title, sizeof info->title, "%s", m.title);
    snprintf(info->scene_file, sizeof info->scene_file, "%s", m.scene_file);
    snprintf(info->version, sizeof info->version, "%s", m.version);
    snprintf(info->status, sizeof info->status, "%s", m.status);
    info->last_frame = m.frame_count - 1;
    info->fps = m.fps;
    info->dim = m.dim;
    memcpy(info->cells, m.cells, sizeof info->cells);
    info->dx = m.dx;
    count_files(info, cache, &m, verify);
    count_pictures(info, cache);
    cache_free_manifest(&m);
    if (!info->problem_count) return RHEO_OK;
    report_fail(report, RHEO_INVALID, "the files as rheo wrote them",
                info->problem_count == 1 ? "%s" : "%s; %d files are damaged", info->problem,
                info->problem_count);
    report_place(report, cache, 0, 0, NULL);
    return RHEO_INVALID;
}
