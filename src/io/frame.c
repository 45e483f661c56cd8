/* Surface, particles, spray, volume, bodies and probes of a frame.
 *
 * Probe files grow: the manifest keeps their length and running checksum for every frame, so that a resumed
 * run can cut them back to where it starts again. Everything is written before the manifest lists it. */
#include "io/frame.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/memory.h"
#include "core/report.h"
#include "core/timer.h"
#include "io/json.h"
#include "io/ply.h"
#include "io/volume.h"
#include "sim/definition.h"
#include "sim/state.h"

typedef struct frame_job {
    cache_manifest *m;
    rheo_frame_stats *stats;
    const char *cache;
    rheo_sim *sim;
    const rheo_scene *scene;
    rheo_report *report;
    int frame;
} frame_job;

static rheo_status make_path(char path[FILE_PATH_MAX], const frame_job *j, cache_kind kind,
                             const char *stem) {
    char directory[FILE_PATH_MAX];
    if (!cache_path(path, j->cache, kind, stem, j->frame))
        return report_fail(j->report, RHEO_IO, NULL, "the path of the cache is too long");
    snprintf(directory, sizeof directory, "%s/%s", j->cache, cache_directory(kind));
    return directory_make(directory, j->report);
}

static rheo_status list_file(const frame_job *j, cache_kind kind, const char *stem, uint64_t bytes,
                             uint64_t checksum) {
    cache_file file = {.kind = kind, .frame = j->frame, .bytes = bytes, .checksum = checksum};
    cache_name(file.name, kind, stem, j->frame);
    return cache_add_file(j->m, &file) ? RHEO_OK : report_no_memory(j->report, "the manifest");
}

static rheo_status write_mesh(const frame_job *j, int fluid) {
    char path[FILE_PATH_MAX], stem[CACHE_NAME_MAX];
    file_writer w;
    rheo_mesh mesh = {0};
    cache_fluid_stem(stem, j->scene, fluid);
    rheo_status status = make_path(path, j, CACHE_MESH, stem);
    if (status == RHEO_OK) status = cache_make_mesh(&mesh, j->sim, j->scene, fluid, j->report);
    if (status != RHEO_OK) return status;
    j->stats->surface_area += sim_surface_area(j->sim);
    status = ply_write_mesh(path, &mesh, &w, j->report);
    rheo_free_mesh(&mesh);
    return status == RHEO_OK ? list_file(j, CACHE_MESH, stem, w.bytes, w.checksum) : status;
}

static rheo_status write_meshes(const frame_job *j) {
    rheo_status status = RHEO_OK;
    j->stats->surface_area = 0;
    for (int i = 0; i < cache_meshes(j->scene) && status == RHEO_OK; ++i) status = write_mesh(j, i);
    return status;
}

static rheo_status write_particles(const frame_job *j, cache_kind kind) {
    char path[FILE_PATH_MAX];
    file_writer w;
    rheo_particle_view view;
    rheo_view_particles(&view, j->sim);
    bool any = kind == CACHE_PARTICLES;
    for (size_t i = 0; i < view.count && !any; ++i) any = view.spray && view.spray[i] == 1;
    if (!any) return RHEO_OK;
    rheo_status status = make_path(path, j, kind, j->m->surface);
    if (status != RHEO_OK) return status;
    status = ply_write_particles(path, &view, kind == CACHE_SPRAY ? PLY_SPRAY : PLY_ALL,
                                 j->stats->temperature[0], &w, j->report);
    return status == RHEO_OK ? list_file(j, kind, j->m->surface, w.bytes, w.checksum) : status;
}

static rheo_status write_volume(const frame_job *j) {
    char path[FILE_PATH_MAX];
    file_writer w;
    rheo_volume_view view;
    rheo_view_volume(&view, j->sim);
    if (!view.density) return RHEO_OK;
    rheo_status status = make_path(path, j, CACHE_VOLUME, j->m->surface);
    if (status == RHEO_OK) status = volume_write(path, &view, j->frame, &w, j->report);
    return status == RHEO_OK ? list_file(j, CACHE_VOLUME, j->m->surface, w.bytes, w.checksum) : status;
}

static rheo_status write_bodies(const frame_job *j) {
    char path[FILE_PATH_MAX];
    file_writer w;
    if (j->stats->body_count == 0) return RHEO_OK;
    rheo_status status = make_path(path, j, CACHE_BODIES, NULL);
    if (status == RHEO_OK) status = file_open(&w, path, j->report);
    if (status != RHEO_OK) return status;
    file_print(&w, "{\n  \"frame\": %d,\n  \"time\": ", j->frame);
    json_put_number(&w, j->frame / j->m->fps);
    file_print(&w, ",\n  \"bodies\": [");
    for (int i = 0; i < j->stats->body_count; ++i) {
        rheo_body_stats b;
        const char *name = NULL;
        rheo_read_body(&b, &name, j->sim, i);
        file_print(&w, "%s\n    {\"name\": ", i ? "," : "");
        json_put_text(&w, name ? name : "");
        file_print(&w, ", \"position\": ");
        json_put_vector(&w, b.position, 3);
        file_print(&w, ", \"orientation\": ");
        json_put_vector(&w, b.orientation, 4);
        file_print(&w, ", \"velocity\": ");
        json_put_vector(&w, b.velocity, 3);
        file_print(&w, ", \"spin\": ");
        json_put_vector(&w, b.spin, 3);
        file_print(&w, "}");
    }
    file_print(&w, "]\n}\n");
    status = file_commit(&w, j->report);
    return status == RHEO_OK ? list_file(j, CACHE_BODIES, NULL, w.bytes, w.checksum) : status;
}

/* ---- probes ---- */

/* File names must differ even where names of probes only differ in letters that files may not have. */
static void probe_stem(char stem[CACHE_NAME_MAX], const rheo_scene *scene, int probe) {
    cache_stem(stem, scene->probes[probe].name, "probe");
    for (int other = 0; other < probe; ++other) {
        char before[CACHE_NAME_MAX];
        cache_stem(before, scene->probes[other].name, "probe");
        if (strcmp(stem, before)) continue;
        size_t length = strlen(stem);
        snprintf(stem + length, CACHE_NAME_MAX - length, "-%d", probe + 1);
        return;
    }
}

static void print_head(file_writer *text, unsigned of) {
    static const char *const columns[] = {
        "velocity_x,velocity_y,velocity_z", "pressure", "temperature", "phi", "density", "viscosity"};
    file_print(text, "time,x,y,z");
    for (int q = 0; q < 6; ++q)
        if (of >> q & 1) file_print(text, ",%s", columns[q]);
    file_print(text, "\n");
}

static rheo_status probe_rows(file_writer *text, const frame_job *j, const rheo_probe *probe) {
    int columns = rheo_count_probe_columns(probe);
    double *rows = mem_alloc((size_t)probe->samples * (size_t)columns * sizeof *rows);
    if (!rows) return report_no_memory(j->report, "a probe");
    rheo_sample_probe(rows, j->sim, probe);
    for (int s = 0; s < probe->samples; ++s) {
        file_print(text, "%.9g", j->frame / j->m->fps);
        for (int c = 0; c < columns; ++c)
            file_print(text, ",%.9g", rows[(size_t)s * (size_t)columns + (size_t)c]);
        file_print(text, "\n");
    }
    mem_free(rows);
    return RHEO_OK;
}

static const cache_file *last_probe(const cache_manifest *m, const char *name, int frame) {
    for (size_t i = m->file_count; i-- > 0;)
        if (m->files[i].kind == CACHE_PROBE && m->files[i].frame == frame &&
            strcmp(m->files[i].name, name) == 0)
            return &m->files[i];
    return NULL;
}

static rheo_status write_probe(const frame_job *j, int index) {
    char path[FILE_PATH_MAX], stem[CACHE_NAME_MAX], name[CACHE_NAME_MAX];
    file_writer text;
    const rheo_probe *probe = &j->scene->probes[index];
    probe_stem(stem, j->scene, index);
    cache_name(name, CACHE_PROBE, stem, 0);
    rheo_status status = make_path(path, j, CACHE_PROBE, stem);
    if (status != RHEO_OK) return status;
    const cache_file *before = last_probe(j->m, name, j->frame - 1);
    uint64_t bytes = before ? before->bytes : 0, checksum = before ? before->checksum : CHECKSUM_START;
    if (!file_open_memory(&text)) return report_no_memory(j->report, "a probe");
    if (!before) print_head(&text, probe->of);
    status = probe_rows(&text, j, probe);
    size_t count = text.held;
    char *rows = file_take_memory(&text);
    if (status == RHEO_OK && !rows) status = report_no_memory(j->report, "a probe");
    if (status == RHEO_OK) status = file_append(path, &bytes, &checksum, rows, count, j->report);
    mem_free(rows);
    return status == RHEO_OK ? list_file(j, CACHE_PROBE, stem, bytes, checksum) : status;
}

rheo_status frame_cut_probes(const cache_manifest *m, const char *cache, const rheo_scene *scene,
                             rheo_report *report) {
    for (int i = 0; i < scene->probe_count && m->frame_count; ++i) {
        char stem[CACHE_NAME_MAX], name[CACHE_NAME_MAX], path[FILE_PATH_MAX];
        probe_stem(stem, scene, i);
        cache_name(name, CACHE_PROBE, stem, 0);
        const cache_file *file = last_probe(m, name, m->frame_count - 1);
        if (!file || !cache_path(path, cache, CACHE_PROBE, stem, 0)) continue;
        rheo_status status = file_cut(path, file->bytes, file->checksum, report);
        if (status != RHEO_OK) return status;
    }
    return RHEO_OK;
}

/* ---- the frame ---- */

void frame_drop_after(cache_manifest *m, int last) {
    size_t kept = 0;
    for (size_t i = 0; i < m->file_count; ++i)
        if (m->files[i].frame <= last) m->files[kept++] = m->files[i];
    m->file_count = kept;
    if (m->frame_count > last + 1) m->frame_count = last + 1;
}

static void remove_new_files(cache_manifest *m, size_t kept, const char *cache) {
    char path[FILE_PATH_MAX];
    for (size_t i = kept; i < m->file_count; ++i)
        if (m->files[i].kind != CACHE_PROBE &&
            snprintf(path, sizeof path, "%s/%s", cache, m->files[i].name) < (int)sizeof path)
            unlink(path);
    m->file_count = kept;
}

static void add_time(rheo_frame_stats *stats, const char *stage, double seconds) {
    stats->seconds += seconds;
    if (stats->stage_count < RHEO_STAGES_MAX)
        stats->stages[stats->stage_count++] = (rheo_stage_time){stage, seconds};
}

rheo_status frame_write(cache_manifest *m, rheo_frame_stats *stats, const char *cache, rheo_sim *sim,
                        const rheo_scene *scene, rheo_report *report) {
    frame_job j = {m, stats, cache, sim, scene, report, m->frame_count};
    size_t kept = m->file_count;
    double start = timer_now();
    rheo_status status = scene->output_mesh ? write_meshes(&j) : RHEO_OK;
    if (status == RHEO_OK && definition_keeps_particles(scene)) status = write_particles(&j, CACHE_PARTICLES);
    if (status == RHEO_OK && scene->output_mesh) status = write_particles(&j, CACHE_SPRAY);
    if (status == RHEO_OK && scene->output_volume) status = write_volume(&j);
    if (status == RHEO_OK) status = write_bodies(&j);
    for (int i = 0; i < scene->probe_count && status == RHEO_OK; ++i) status = write_probe(&j, i);
    if (status == RHEO_OK) ++m->frame_count;
    else remove_new_files(m, kept, cache);
    add_time(stats, "files", timer_now() - start);
    return status;
}
