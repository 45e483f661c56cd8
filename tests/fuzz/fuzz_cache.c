/* The readers of cache files on any bytes. The first byte picks one: m mesh, p particles, j manifest, b
 * bodies. What is taken must hold what it promises. Checkpoints are not here: they are only opened after
 * their checksum was found right, because HDF5 itself does not withstand hostile files. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "io/cache.h"
#include "io/ply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth) {
    if (!truth) abort();
}

static void try_mesh(const uint8_t *data, size_t size) {
    rheo_mesh m;
    rheo_report report = {0};
    rheo_status status = ply_parse_mesh(&m, data, size, "fuzz.ply", &report);
    require(status == RHEO_OK || report.message[0]);
    if (status != RHEO_OK) return;
    for (size_t i = 0; i < 3 * m.triangle_count; ++i) require(m.triangle[i] < m.vertex_count);
    for (size_t i = 0; i < 3 * m.vertex_count; ++i)
        require(isfinite(m.position[i]) && isfinite(m.velocity[i]));
    rheo_free_mesh(&m);
}

static void try_particles(const uint8_t *data, size_t size) {
    ply_particles p;
    rheo_report report = {0};
    rheo_status status = ply_parse_particles(&p, data, size, "fuzz.ply", &report);
    require(status == RHEO_OK || report.message[0]);
    if (status != RHEO_OK) return;
    for (size_t i = 0; i < p.count; ++i) require(isfinite(p.position[i][0]) && isfinite(p.radius[i]));
    ply_free_particles(&p);
}

static void try_manifest(const char *text, size_t size) {
    cache_manifest m;
    rheo_report report = {0};
    rheo_status status = cache_parse_manifest(&m, text, size, "manifest.json", &report);
    require(status == RHEO_OK || report.message[0]);
    if (status != RHEO_OK) return;
    require(m.values && m.fps > 0 && m.cells[0] > 0);
    for (size_t i = 0; i < m.file_count; ++i)
        require(!strstr(m.files[i].name, "/.") && m.files[i].name[0] != '/');
    cache_free_manifest(&m);
}

static void try_bodies(const char *text, size_t size) {
    cache_body bodies[4];
    int count;
    rheo_report report = {0};
    rheo_status status = cache_parse_bodies(bodies, &count, 4, text, size, "bodies.json", &report);
    require(status == RHEO_OK || (report.message[0] && count == 0));
    require(count >= 0 && count <= 4);
    for (int i = 0; i < count; ++i) require(memchr(bodies[i].name, 0, sizeof bodies[i].name) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const char kind = (char)data[0];
    ++data;
    --size;
    if (kind == 'm') try_mesh(data, size);
    else if (kind == 'p') try_particles(data, size);
    else if (kind == 'j') try_manifest((const char *)data, size);
    else if (kind == 'b') try_bodies((const char *)data, size);
    return 0;
}
