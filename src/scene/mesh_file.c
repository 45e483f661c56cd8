/* Looks a scene's mesh file up, and for the one that was meant where it is not there. */
#define _GNU_SOURCE
#include "scene/mesh_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/report.h"

static const char MESHES[] = "a mesh file: OBJ, PLY or STL";

static bool has_mesh_ending(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot && (!strcasecmp(dot, ".obj") || !strcasecmp(dot, ".ply") || !strcasecmp(dot, ".stl"));
}

/* The mesh beside a file that is not there whose name is nearest to it, or NULL. */
static const char *nearest_mesh(const char *file, arena *kept) {
    enum { FILES_MAX = 255 };
    const char *names[FILES_MAX + 1] = {NULL};
    const char *slash = strrchr(file, '/');
    char directory[PATH_MAX];
    int count = 0;
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    DIR *d = opendir(directory);
    if (!d) return NULL;
    for (struct dirent *e; count < FILES_MAX && (e = readdir(d));) {
        if (!has_mesh_ending(e->d_name)) continue;
        const char *name = arena_text(kept, e->d_name);
        if (name) names[count++] = name;
    }
    closedir(d);
    return report_nearest(slash ? slash + 1 : file, names);
}

static rheo_status fail_open(const char *file, int why, arena *kept, rheo_report *report) {
    const char *nearest = why == ENOENT ? nearest_mesh(file, kept) : NULL;
    report_fail(report, RHEO_INVALID, MESHES, "cannot open '%.200s': %s", file, strerror(why));
    if (report && nearest) snprintf(report->nearest, sizeof report->nearest, "%s", nearest);
    return RHEO_INVALID;
}

rheo_status mesh_file_find(const char **absolute, arena *kept, const char *directory, const char *name,
                           rheo_report *report) {
    char joined[PATH_MAX];
    struct stat info;
    const int length = name[0] == '/' ? snprintf(joined, sizeof joined, "%s", name)
                                      : snprintf(joined, sizeof joined, "%s/%s", directory, name);
    if (length >= (int)sizeof joined)
        return report_fail(report, RHEO_INVALID, "a shorter path", "the file name is too long");
    if (!name[0]) return report_fail(report, RHEO_INVALID, MESHES, "no file is named");
    if (stat(joined, &info) != 0) return fail_open(joined, errno, kept, report);
    if (!S_ISREG(info.st_mode))
        return report_fail(report, RHEO_INVALID, MESHES, "'%.200s' is not a file", joined);
    if (!has_mesh_ending(name))
        return report_fail(report, RHEO_INVALID, MESHES, "'%.200s' ends in none of .obj, .ply, .stl", name);
    char *path = realpath(joined, NULL);
    *absolute = path ? arena_text(kept, path) : NULL;
    free(path);
    return *absolute ? RHEO_OK : report_no_memory(report, "a file name");
}
