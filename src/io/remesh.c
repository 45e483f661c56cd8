/* The surfaces of a cache made again, without simulating.
 *
 * A frame with a checkpoint is brought back exactly; one with a particle file gets its particles back (float
 * metres, so positions are good to a millionth of the domain), its dynamic solids their places from the file
 * of bodies, and grid fields are made from them. Limits: a pressure surface needs the pressure, which only
 * checkpoints hold; frames with neither file keep the mesh they have, and so do those whose file of bodies is
 * lost, which is an error. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rheo/cache.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/ply.h"
#include "sim/state.h"

typedef struct remesh {
    const char *cache;
    cache_manifest m;
    rheo_scene *scene;
    const rheo_surface *surface; /* NULL: the scene's */
    int threads;
    rheo_report *report;
} remesh;

static const cache_file *find_checkpoint(const cache_manifest *m, int frame) {
    for (size_t i = 0; i < m->file_count; ++i)
        if (m->files[i].kind == CACHE_STATE && m->files[i].frame == frame && !m->files[i].partial)
            return &m->files[i];
    return NULL;
}

static bool can_mesh(const remesh *r, int frame) {
    if (find_checkpoint(&r->m, frame)) return true;
    return r->scene->surface != RHEO_SURFACE_PRESSURE && cache_find_file(&r->m, CACHE_PARTICLES, frame);
}

/* ---- bodies ---- */

static bool has_bodies(const rheo_scene *scene) {
    for (int i = 0; i < scene->solid_count; ++i)
        if (scene->solids[i].motion == RHEO_DYNAMIC) return true;
    return false;
}

/* Only the file of bodies knows where dynamic solids were; without it they would be drawn where they began.
 */
static bool knows_bodies(const remesh *r, int frame) {
    char path[FILE_PATH_MAX];
    if (find_checkpoint(&r->m, frame) || !has_bodies(r->scene)) return true;
    return cache_find_file(&r->m, CACHE_BODIES, frame) &&
           cache_path(path, r->cache, CACHE_BODIES, NULL, frame) && !access(path, F_OK);
}

static rheo_status refuse_without_bodies(const remesh *r, int frame) {
    char name[CACHE_NAME_MAX];
    cache_name(name, CACHE_BODIES, NULL, frame);
    report_fail(r->report, RHEO_INVALID, "the file as the run wrote it, or run the scene again",
                "frame %d keeps the mesh it has: %s, which tells where its bodies were, is missing", frame,
                name);
    report_place(r->report, r->cache, 0, 0, NULL);
    return RHEO_INVALID;
}

static rheo_status restore_bodies(rheo_sim *sim, const remesh *r, int frame) {
    rheo_body_stats *bodies;
    if (!has_bodies(r->scene)) return RHEO_OK;
    const rheo_status status = cache_load_bodies(&bodies, r->cache, &r->m, r->scene, frame, r->report);
    if (bodies) sim_place_bodies(sim, bodies);
    mem_free(bodies);
    return status;
}

/* ---- frames ---- */

static rheo_status restore_particles(rheo_sim *sim, const remesh *r, int frame) {
    char path[FILE_PATH_MAX];
    ply_particles read;
    const cache_file *listed = cache_find_file(&r->m, CACHE_PARTICLES, frame);
    rheo_status status = cache_whole_file(path, r->cache, listed, r->report);
    if (status == RHEO_OK) status = ply_read_particles(&read, path, r->report);
    if (status != RHEO_OK) return status;
    const sim_particles from = {.count = read.count,
                                .position = (const float(*)[3])read.position,
                                .velocity = (const float(*)[3])read.velocity,
                                .rest = (const float(*)[3])read.rest,
                                .temperature = read.temperature,
                                .id = read.id,
                                .fluid = read.fluid};
    status = restore_bodies(sim, r, frame);
    if (status == RHEO_OK) status = sim_place_particles(sim, frame, &from, r->report);
    ply_free_particles(&read);
    return status;
}

/* Replaces the frame's entry, or puts a new one behind all others of its frame: fluids keep their order. */
static bool list_mesh(cache_manifest *m, const char *stem, int frame, const file_writer *w) {
    cache_file file = {.kind = CACHE_MESH, .frame = frame, .bytes = w->bytes, .checksum = w->checksum};
    cache_name(file.name, CACHE_MESH, stem, frame);
    for (size_t i = 0; i < m->file_count; ++i)
        if (m->files[i].kind == CACHE_MESH && !strcmp(m->files[i].name, file.name)) {
            m->files[i] = file;
            return true;
        }
    if (!cache_add_file(m, &file)) return false;
    size_t at = m->file_count - 1;
    while (at > 0 && (m->files[at - 1].kind == CACHE_STATE || m->files[at - 1].frame > frame)) --at;
    memmove(&m->files[at + 1], &m->files[at], (m->file_count - 1 - at) * sizeof file);
    m->files[at] = file;
    return true;
}

static rheo_status mesh_fluid(remesh *r, rheo_sim *sim, int fluid, int frame) {
    char path[FILE_PATH_MAX], stem[CACHE_NAME_MAX];
    rheo_mesh mesh = {0};
    file_writer w;
    cache_fluid_stem(stem, r->scene, fluid);
    rheo_status status = cache_make_mesh(&mesh, sim, r->scene, fluid, r->report);
    if (status == RHEO_OK && !cache_path(path, r->cache, CACHE_MESH, stem, frame))
        status = report_fail(r->report, RHEO_IO, NULL, "the path of the cache is too long");
    if (status == RHEO_OK) status = ply_write_mesh(path, &mesh, &w, r->report);
    rheo_free_mesh(&mesh);
    if (status != RHEO_OK) return status;
    return list_mesh(&r->m, stem, frame, &w) ? RHEO_OK : report_no_memory(r->report, "the manifest");
}

static rheo_status mesh_frame(remesh *r, int frame) {
    rheo_sim *sim = NULL;
    const cache_file *state = find_checkpoint(&r->m, frame);
    rheo_status status = rheo_create_sim(&sim, r->scene, r->threads, r->report);
    if (status != RHEO_OK) return status;
    if (state) status = checkpoint_load(sim, r->cache, state, checkpoint_scene(r->m.section), r->report);
    else status = restore_particles(sim, r, frame);
    for (int i = 0; i < cache_meshes(r->scene) && status == RHEO_OK; ++i)
        status = mesh_fluid(r, sim, i, frame);
    rheo_free_sim(sim);
    return status == RHEO_OK ? cache_write_manifest(&r->m, r->cache, r->report) : status;
}

static rheo_status mesh_all(remesh *r, int *meshes) {
    char directory[FILE_PATH_MAX];
    rheo_status status = cache_load_scene(&r->scene, &r->m, r->report);
    if (status != RHEO_OK) return status;
    if (r->surface) r->scene->surface = *r->surface;
    snprintf(directory, sizeof directory, "%s/%s", r->cache, cache_directory(CACHE_MESH));
    status = directory_make(directory, r->report);
    int left_out = -1;
    for (int frame = 0; frame < r->m.frame_count && status == RHEO_OK; ++frame) {
        if (!can_mesh(r, frame)) continue;
        if (!knows_bodies(r, frame)) {
            if (left_out < 0) left_out = frame;
            continue;
        }
        status = mesh_frame(r, frame);
        *meshes += status == RHEO_OK;
    }
    if (status == RHEO_OK && left_out >= 0) return refuse_without_bodies(r, left_out);
    if (status != RHEO_OK || *meshes) return status;
    report_fail(r->report, RHEO_INVALID, "a run with output: { particles: true }",
                "no frame of the cache has particles or a checkpoint to make %s from",
                r->scene->surface == RHEO_SURFACE_PRESSURE ? "a pressure surface" : "a surface");
    report_place(r->report, r->cache, 0, 0, NULL);
    return RHEO_INVALID;
}

/* Locked before it is read: a run that ends in between would be undone by the manifest of before. */
static rheo_status open_cache(remesh *r, int *lock) {
    struct stat about;
    const bool there =
        !stat(r->cache, &about) && S_ISDIR(about.st_mode); /* else reading the manifest says so */
    const rheo_status status = there ? cache_lock(lock, r->cache, r->report) : RHEO_OK;
    return status == RHEO_OK ? cache_read_manifest(&r->m, r->cache, r->report) : status;
}

rheo_status rheo_remesh_cache(int *meshes, const char *cache, const rheo_surface *surface, int threads,
                              rheo_report *report) {
    remesh r = {.cache = cache, .surface = surface, .threads = threads, .report = report};
    int lock = -1;
    *meshes = 0;
    rheo_status status = open_cache(&r, &lock);
    if (status == RHEO_OK) status = mesh_all(&r, meshes);
    rheo_free_scene(r.scene);
    cache_free_manifest(&r.m);
    if (lock >= 0) close(lock);
    return status;
}
