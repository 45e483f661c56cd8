/* The manifest and the names of a cache's files (formats: docs, "Caches").
 *
 * The manifest holds nothing that depends on when, how fast or in how many goes the run was done, so that an
 * interrupted and resumed run ends with the same bytes. Limits: it is rewritten as a whole with every frame,
 * some 300 bytes a frame. */
#include "io/cache.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/json.h"

const char *const cache_sections[CACHE_SECTIONS] = {"domain", "time",     "gravity", "solver",
                                                    "fluids", "emitters", "solids",  "probes"};

#define OF_PARTICLES "\"velocity\", \"id\", \"radius\", \"temperature\", \"fluid\""

static const struct {
    const char *word, *directory, *stem, *end;
    const char *attributes; /* beside positions, as a list in JSON; NULL: the file itself names them */
} kinds[CACHE_KINDS] = {
    [CACHE_MESH] = {"mesh", "mesh", NULL, "ply", "\"normal\", \"velocity\""},
    [CACHE_PARTICLES] = {"particles", "particles", NULL, "ply", OF_PARTICLES},
    [CACHE_SPRAY] = {"spray", "particles", "spray", "ply", OF_PARTICLES},
    [CACHE_VOLUME] = {"volume", "volume", NULL, "h5", "\"density\", \"temperature\""},
    [CACHE_BODIES] = {"bodies", "bodies", "bodies", "json",
                      "\"position\", \"orientation\", \"velocity\", \"spin\""},
    [CACHE_PROBE] = {"probe", "probes", NULL, "csv", NULL},
    [CACHE_STATE] = {"state", "state", "state", "h5", NULL},
    [CACHE_PICTURE] = {"picture", "frames", "frame", "png", NULL},
};

const char *cache_directory(cache_kind kind) {
    return kinds[kind].directory;
}

void cache_stem(char stem[CACHE_NAME_MAX], const char *text, const char *otherwise) {
    size_t length = 0;
    if (!text || !text[0]) text = otherwise;
    for (; text[length] && length < 100; ++length) {
        unsigned char c = (unsigned char)text[length];
        stem[length] = isalnum(c) || c == '-' || c == '_' ? (char)c : '_';
    }
    stem[length] = 0;
}

/* Files of spray have their own name. Names of fluids may differ only in what files may not have. */
void cache_fluid_stem(char stem[CACHE_NAME_MAX], const rheo_scene *scene, int fluid) {
    cache_stem(stem, scene->fluid_count ? scene->fluids[fluid].name : NULL, "fluid");
    if (strcmp(stem, "spray") == 0) strcpy(stem, "spray_");
    for (int other = 0; other < fluid; ++other) {
        char before[CACHE_NAME_MAX];
        cache_fluid_stem(before, scene, other);
        if (strcmp(stem, before)) continue;
        const size_t length = strlen(stem);
        snprintf(stem + length, CACHE_NAME_MAX - length, "-%d", fluid + 1);
        return;
    }
}

int cache_meshes(const rheo_scene *scene) {
    return scene->fluid_count > 1 ? scene->fluid_count : 1;
}

rheo_status cache_make_mesh(rheo_mesh *mesh, rheo_sim *sim, const rheo_scene *scene, int index,
                            rheo_report *report) {
    if (cache_meshes(scene) == 1) return rheo_make_mesh(mesh, sim, report);
    return rheo_make_fluid_mesh(mesh, sim, index, report);
}

void cache_name(char name[CACHE_NAME_MAX], cache_kind kind, const char *stem, int frame) {
    if (kinds[kind].stem) stem = kinds[kind].stem;
    if (kind == CACHE_PROBE) snprintf(name, CACHE_NAME_MAX, "%s/%s.csv", kinds[kind].directory, stem);
    else snprintf(name, CACHE_NAME_MAX, "%s/%s.%06d.%s", kinds[kind].directory, stem, frame, kinds[kind].end);
}

bool cache_path(char path[FILE_PATH_MAX], const char *cache, cache_kind kind, const char *name, int frame) {
    char below[CACHE_NAME_MAX];
    cache_name(below, kind, name, frame);
    return snprintf(path, FILE_PATH_MAX, "%s/%s", cache, below) < FILE_PATH_MAX;
}

bool cache_add_file(cache_manifest *m, const cache_file *file) {
    if (m->file_count == m->file_capacity) {
        size_t capacity = m->file_capacity ? 2 * m->file_capacity : 64;
        cache_file *grown = mem_grow(m->files, m->file_capacity * sizeof *grown, capacity * sizeof *grown);
        if (!grown) return false;
        m->files = grown;
        m->file_capacity = capacity;
    }
    m->files[m->file_count++] = *file;
    return true;
}

const cache_file *cache_find_file(const cache_manifest *m, cache_kind kind, int frame) {
    for (size_t i = 0; i < m->file_count; ++i)
        if (m->files[i].kind == kind && m->files[i].frame == frame) return &m->files[i];
    return NULL;
}

const cache_file *cache_find_stem(const cache_manifest *m, cache_kind kind, const char *stem, int frame) {
    char name[CACHE_NAME_MAX];
    cache_name(name, kind, stem, frame);
    for (size_t i = 0; i < m->file_count; ++i)
        if (m->files[i].kind == kind && m->files[i].frame == frame && !strcmp(m->files[i].name, name))
            return &m->files[i];
    return NULL;
}

void cache_free_manifest(cache_manifest *m) {
    mem_free(m->scene);
    mem_free(m->values);
    mem_free(m->files);
    *m = (cache_manifest){0};
}

/* ---- writing ---- */

static void put_file(file_writer *w, const cache_file *f, bool first) {
    file_print(w, "%s\n      {\"kind\": \"%s\", \"file\": ", first ? "" : ",", kinds[f->kind].word);
    json_put_text(w, f->name);
    file_print(w, ", \"bytes\": %llu, \"checksum\": \"%016llx\"}", (unsigned long long)f->bytes,
               (unsigned long long)f->checksum);
}

static void put_frames(file_writer *w, const cache_manifest *m) {
    size_t next = 0; /* files of frames stand in order of the frame, checkpoints between them */
    file_print(w, "  \"frames\": [");
    for (int frame = 0; frame < m->frame_count; ++frame) {
        bool first = true;
        file_print(w, "%s\n    {\"frame\": %d, \"time\": ", frame ? "," : "", frame);
        json_put_number(w, frame / m->fps);
        file_print(w, ", \"files\": [");
        for (; next < m->file_count && (m->files[next].kind == CACHE_STATE || m->files[next].frame <= frame);
             ++next) {
            if (m->files[next].kind == CACHE_STATE) continue;
            put_file(w, &m->files[next], first);
            first = false;
        }
        file_print(w, "]}");
    }
    file_print(w, "],\n  \"checkpoints\": [");
    bool first = true;
    for (size_t i = 0; i < m->file_count; ++i) {
        const cache_file *f = &m->files[i];
        if (f->kind != CACHE_STATE) continue;
        file_print(w, "%s\n    {\"frame\": %d, \"partial\": %s, \"file\": ", first ? "" : ",", f->frame,
                   f->partial ? "true" : "false");
        json_put_text(w, f->name);
        file_print(w, ", \"bytes\": %llu, \"checksum\": \"%016llx\"}", (unsigned long long)f->bytes,
                   (unsigned long long)f->checksum);
        first = false;
    }
    file_print(w, "]\n}\n");
}

static void put_member(file_writer *w, const char *key, const char *text) {
    file_print(w, "  \"%s\": ", key);
    if (text) json_put_text(w, text);
    else file_print(w, "null");
    file_print(w, ",\n");
}

static bool carries_rest(const cache_manifest *m) {
    return m->values && strstr(m->values, "\"rest_position\": true");
}

/* Of the kinds of files that there are. */
static void put_attributes(file_writer *w, const cache_manifest *m) {
    bool first = true;
    file_print(w, "  \"attributes\": {");
    for (int kind = 0; kind < CACHE_KINDS; ++kind) {
        size_t i = 0;
        while (i < m->file_count && m->files[i].kind != (cache_kind)kind) ++i;
        if (i == m->file_count || !kinds[kind].attributes) continue;
        file_print(w, "%s\"%s\": [%s%s]", first ? "" : ", ", kinds[kind].word, kinds[kind].attributes,
                   kind <= CACHE_SPRAY && carries_rest(m) ? ", \"rest_position\"" : "");
        first = false;
    }
    file_print(w, "},\n");
}

rheo_status cache_write_manifest(const cache_manifest *m, const char *cache, rheo_report *report) {
    char path[FILE_PATH_MAX];
    file_writer w;
    if (snprintf(path, sizeof path, "%s/manifest.json", cache) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    rheo_status status = file_open(&w, path, report);
    if (status != RHEO_OK) return status;
    file_print(&w, "{\n  \"format\": %d,\n", CACHE_FORMAT);
    put_member(&w, "rheo", m->version);
    put_member(&w, "status", m->status);
    put_member(&w, "title", m->title);
    put_member(&w, "scene_file", m->scene_file);
    put_member(&w, "scene", m->scene);
    file_print(&w, "  \"values\": ");
    file_write(&w, m->values, strlen(m->values));
    file_print(&w, ",\n  \"scene_checksums\": {");
    for (int s = 0; s < CACHE_SECTIONS; ++s)
        file_print(&w, "%s\"%s\": \"%016llx\"", s ? ", " : "", cache_sections[s],
                   (unsigned long long)m->section[s]);
    file_print(&w, "},\n  \"fps\": ");
    json_put_number(&w, m->fps);
    file_print(
        &w,
        ",\n  \"units\": \"m\",\n  \"axis\": \"y\",\n  \"dim\": %d,\n  \"cells\": [%d, %d, %d],\n  \"dx\": ",
        m->dim, m->cells[0], m->cells[1], m->cells[2]);
    json_put_number(&w, m->dx);
    file_print(&w, ",\n");
    put_member(&w, "surface", m->surface);
    put_attributes(&w, m);
    put_frames(&w, m);
    return file_commit(&w, report);
}

/* ---- reading ---- */

/* Names lead out of the cache or anywhere else only in a forged manifest. */
static bool name_is_safe(const char *name, cache_kind kind) {
    size_t length = strlen(kinds[kind].directory);
    return strncmp(name, kinds[kind].directory, length) == 0 && name[length] == '/' && name[length + 1] &&
           name[length + 1] != '.' && !strchr(name + length + 1, '/');
}

static void read_file_entry(cache_manifest *m, json_reader *r, struct fy_node *node, int frame, int kind) {
    cache_file file = {.frame = frame};
    if (kind == CACHE_STATE) {
        file.frame = json_whole(r, node, "frame", 0, INT_MAX);
        file.partial = json_flag(r, node, "partial");
    } else {
        char word[16];
        json_text(r, node, "kind", word, sizeof word);
        for (kind = 0; kind < CACHE_STATE && strcmp(kinds[kind].word, word);) ++kind;
        if (kind == CACHE_STATE) json_fail(r, node, "kind", "an unknown kind of file");
    }
    file.kind = (cache_kind)kind;
    json_text(r, node, "file", file.name, sizeof file.name);
    file.bytes = (uint64_t)json_number(r, node, "bytes", 0, 9e15);
    file.checksum = json_hex(r, node, "checksum");
    if (!r->failed && !name_is_safe(file.name, file.kind))
        json_fail(r, node, "file", "a name outside the cache");
    if (!r->failed && !cache_add_file(m, &file)) json_fail(r, node, "file", "out of memory");
}

static void read_frames(cache_manifest *m, json_reader *r, struct fy_node *root) {
    struct fy_node *frames = json_member(r, root, "frames"), *states = json_member(r, root, "checkpoints");
    int count = json_items(r, frames), state_count = json_items(r, states);
    for (int f = 0; f < count && !r->failed; ++f) {
        struct fy_node *entry = json_item(frames, f), *files = json_member(r, entry, "files");
        if (json_whole(r, entry, "frame", 0, INT_MAX) != f)
            json_fail(r, entry, "frames", "frames out of order");
        int file_count = json_items(r, files);
        for (int i = 0; i < file_count && !r->failed; ++i) read_file_entry(m, r, json_item(files, i), f, -1);
    }
    m->frame_count = count;
    for (int i = 0; i < state_count && !r->failed; ++i)
        read_file_entry(m, r, json_item(states, i), 0, CACHE_STATE);
}

static void read_head(cache_manifest *m, json_reader *r, struct fy_node *root) {
    json_text(r, root, "rheo", m->version, sizeof m->version);
    json_text(r, root, "status", m->status, sizeof m->status);
    json_text(r, root, "title", m->title, sizeof m->title);
    json_text(r, root, "scene_file", m->scene_file, sizeof m->scene_file);
    m->scene = json_copy(r, root, "scene");
    if (m->scene && strcmp(m->scene, "null") == 0) {
        mem_free(m->scene);
        m->scene = NULL;
    }
    m->values = json_emit(r, root, "values");
    struct fy_node *sums = json_member(r, root, "scene_checksums");
    for (int s = 0; s < CACHE_SECTIONS; ++s) m->section[s] = json_hex(r, sums, cache_sections[s]);
    m->fps = json_number(r, root, "fps", 1e-9, 1e9);
    m->dim = json_whole(r, root, "dim", 2, 3);
    double cells[3] = {1, 1, 1};
    json_vector(r, root, "cells", cells, 3);
    for (int a = 0; a < 3; ++a) {
        if (!(cells[a] >= 1 && cells[a] <= 1e6)) json_fail(r, root, "cells", "a number out of range");
        else m->cells[a] = (int)cells[a];
    }
    m->dx = json_number(r, root, "dx", 0, 1e30);
    json_text(r, root, "surface", m->surface, sizeof m->surface);
}

rheo_status cache_parse_manifest(cache_manifest *m, const char *text, size_t count, const char *path,
                                 rheo_report *report) {
    json_reader r;
    *m = (cache_manifest){0};
    rheo_status status = json_open(&r, text, count, path, report);
    if (status != RHEO_OK) return status;
    struct fy_node *root = json_root(&r);
    int format = json_whole(&r, root, "format", 0, INT_MAX);
    if (!r.failed && format != CACHE_FORMAT) {
        json_fail(&r, NULL, "format", "a cache of another version of rheo");
        if (report)
            snprintf(report->allowed, sizeof report->allowed, "format %d; this is %d", CACHE_FORMAT, format);
    }
    if (!r.failed) read_head(m, &r, root);
    if (!r.failed) read_frames(m, &r, root);
    json_close(&r);
    if (r.failed) cache_free_manifest(m);
    return r.failed ? RHEO_INVALID : RHEO_OK;
}

rheo_status cache_read_manifest(cache_manifest *m, const char *cache, rheo_report *report) {
    char path[FILE_PATH_MAX];
    unsigned char *text;
    size_t count;
    *m = (cache_manifest){0};
    if (snprintf(path, sizeof path, "%s/manifest.json", cache) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    if (access(path, F_OK)) {
        report_fail(report, RHEO_INVALID, "a directory that `rheo run --out` made",
                    "no cache here: no manifest.json");
        report_place(report, cache, 0, 0, NULL);
        return RHEO_INVALID;
    }
    rheo_status status = file_read(&text, &count, path, (size_t)1 << 30, report);
    if (status == RHEO_OK) status = cache_parse_manifest(m, (const char *)text, count, path, report);
    mem_free(text);
    return status;
}

rheo_status cache_lock(int *descriptor, const char *cache, rheo_report *report) {
    *descriptor = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*descriptor < 0) return file_fail(report, cache, "open", errno);
    /* where a file system has no locks, the run goes on without */
    if (flock(*descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return RHEO_OK;
    close(*descriptor);
    *descriptor = -1;
    report_fail(report, RHEO_IO, "wait for it, or another directory", "another run is writing to this cache");
    report_place(report, cache, 0, 0, NULL);
    return RHEO_IO;
}

rheo_status cache_load_scene(rheo_scene **scene, const cache_manifest *m, rheo_report *report) {
    return rheo_parse_scene(scene, m->values, strlen(m->values), "manifest.json", report);
}

rheo_status cache_whole_file(char path[FILE_PATH_MAX], const char *cache, const cache_file *file,
                             rheo_report *report) {
    uint64_t size, sum;
    if (snprintf(path, FILE_PATH_MAX, "%s/%s", cache, file->name) >= FILE_PATH_MAX)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    if (file_measure(&size, &sum, path, UINT64_MAX)) return file_fail(report, path, "read", errno);
    if (size == file->bytes && sum == file->checksum) return RHEO_OK;
    report_fail(report, RHEO_INVALID,
                "the file as rheo wrote it, or run the scene again; rheo info --verify lists what is whole",
                size == file->bytes ? "damaged: its checksum is not that of the manifest"
                                    : "damaged: its size is not that of the manifest");
    report_place(report, path, 0, 0, NULL);
    return RHEO_INVALID;
}

/* ---- bodies ---- */

rheo_status cache_parse_bodies(cache_body *bodies, int *count, int most, const char *text, size_t size,
                               const char *path, rheo_report *report) {
    json_reader r;
    *count = 0;
    rheo_status status = json_open(&r, text, size, path, report);
    if (status != RHEO_OK) return status;
    struct fy_node *list = json_member(&r, json_root(&r), "bodies");
    int items = json_items(&r, list);
    for (int i = 0; i < items && i < most && !r.failed; ++i) {
        struct fy_node *node = json_item(list, i);
        size_t length = 0;
        struct fy_node *label = json_member(&r, node, "name");
        const char *name = label && fy_node_is_scalar(label) ? fy_node_get_scalar(label, &length) : NULL;
        cache_body *b = &bodies[i];
        *b = (cache_body){0};
        if (!name) json_fail(&r, node, "name", "a text was expected");
        else memcpy(b->name, name, length < sizeof b->name ? length : sizeof b->name - 1);
        json_vector(&r, node, "position", b->body.position, 3);
        json_vector(&r, node, "velocity", b->body.velocity, 3);
        json_vector(&r, node, "spin", b->body.spin, 3);
        json_vector(&r, node, "orientation", b->body.orientation, 4);
        *count = i + 1;
    }
    json_close(&r);
    if (r.failed) *count = 0;
    return r.failed ? RHEO_INVALID : RHEO_OK;
}

rheo_status cache_read_bodies(cache_body *bodies, int *count, int most, const char *path,
                              rheo_report *report) {
    unsigned char *text;
    size_t size;
    *count = 0;
    rheo_status status = file_read(&text, &size, path, (size_t)1 << 28, report);
    if (status == RHEO_OK)
        status = cache_parse_bodies(bodies, count, most, (const char *)text, size, path, report);
    mem_free(text);
    return status;
}

static int count_moving(const rheo_scene *scene) {
    int count = 0;
    for (int i = 0; i < scene->solid_count; ++i) count += scene->solids[i].motion != RHEO_STATIC;
    return count;
}

rheo_status cache_load_bodies(rheo_body_stats **bodies, const char *cache, const cache_manifest *m,
                              const rheo_scene *scene, int frame, rheo_report *report) {
    char path[FILE_PATH_MAX];
    const cache_file *listed = cache_find_file(m, CACHE_BODIES, frame);
    const int count = count_moving(scene);
    int read = 0;
    *bodies = NULL;
    if (!listed) return RHEO_OK;
    rheo_status status = cache_whole_file(path, cache, listed, report);
    if (status != RHEO_OK) return status;
    cache_body *file = mem_alloc((size_t)(count + 1) * sizeof *file); /* one more tells too many */
    *bodies = mem_alloc((size_t)(count + 1) * sizeof **bodies);
    status = file && *bodies ? cache_read_bodies(file, &read, count + 1, path, report)
                             : report_no_memory(report, "bodies");
    if (status == RHEO_OK && read != count) {
        status = report_fail(report, RHEO_INVALID, "the file as the run wrote it, or run the scene again",
                             "not the bodies of this scene");
        report_place(report, path, 0, 0, NULL);
    }
    for (int i = 0; i < count && status == RHEO_OK; ++i) (*bodies)[i] = file[i].body;
    mem_free(file);
    if (status == RHEO_OK) return RHEO_OK;
    mem_free(*bodies);
    *bodies = NULL;
    return status;
}
