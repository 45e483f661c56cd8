/* The mesh readers for solids on any bytes. The first byte picks the ending of the file's name: o OBJ, p PLY,
 * s STL. A mesh that is taken must hold indices and numbers that can be used, and must survive the check that
 * it is closed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "geom/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth) {
    if (!truth) abort();
}

static void try_file(const char *path) {
    tri_mesh m = {0};
    rheo_report report = {0};
    rheo_status status = mesh_read(&m, path, &report);
    require(status == RHEO_OK || report.message[0]);
    if (status != RHEO_OK) return;
    for (size_t t = 0; t < m.triangle_count; ++t)
        for (int c = 0; c < 3; ++c) require(m.triangle[t][c] < m.vertex_count);
    status = mesh_require_closed(&m, path, &report);
    require(status == RHEO_OK || report.message[0]);
    if (status == RHEO_OK) {
        require(isfinite(mesh_volume(&m)));
        mesh_tree *tree = mesh_tree_make(&m);
        if (tree) (void)mesh_tree_distance(tree, (const double[3]){0.1, 0.2, 0.3});
        mesh_tree_free(tree);
    }
    mesh_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const endings[] = {"obj", "ply", "stl"};
    if (size == 0) return 0;
    const char *place = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    const char *kind = data[0] == 'o' ? endings[0] : data[0] == 'p' ? endings[1] : endings[2];
    char path[128];
    snprintf(path, sizeof path, "%s/rheo-fuzz-%d.%s", place, (int)getpid(), kind);
    FILE *f = fopen(path, "wb");
    if (!f) return 0;
    size_t written = fwrite(data + 1, 1, size - 1, f);
    fclose(f);
    if (written == size - 1) try_file(path);
    unlink(path);
    return 0;
}
