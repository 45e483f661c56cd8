/* PLY after the 1994 Stanford description, the part that caches need: binary little-endian, one element
 * `vertex` of scalar properties and, for meshes, one element `face` with a list of three indices.
 *
 * Reading takes any scalar types and any order of properties, skips unknown ones, and trusts nothing: counts
 * are held against the bytes that are there before memory is asked for, indices against the number of
 * vertices, positions must be finite. Limits: no ASCII, no big-endian, no polygons; geom/mesh.h reads those
 * for solids. */
#include "io/ply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

_Static_assert(sizeof(float) == 4, "PLY float");

/* ---- writing ---- */

/* Bytes in little-endian order on any machine. */
static unsigned char *put_u32(unsigned char *to, uint32_t value) {
    for (int i = 0; i < 4; ++i) *to++ = (unsigned char)(value >> (8 * i));
    return to;
}

static unsigned char *put_float(unsigned char *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u32(to, bits);
}

static unsigned char *put_vector(unsigned char *to, const float *v) {
    for (int a = 0; a < 3; ++a) to = put_float(to, v[a]);
    return to;
}

static rheo_status finish(file_writer *w, file_writer *file, rheo_report *report) {
    rheo_status status = file_commit(w, report);
    if (status == RHEO_OK && file) *file = *w;
    return status;
}

#define REST "property float rest_x\nproperty float rest_y\nproperty float rest_z\n"

rheo_status ply_write_mesh(const char *path, const rheo_mesh *mesh, file_writer *file, rheo_report *report) {
    file_writer w;
    rheo_status status = file_open(&w, path, report);
    if (status != RHEO_OK) return status;
    file_print(
        &w,
        "ply\nformat binary_little_endian 1.0\ncomment metres, y up, velocity in m/s\nelement vertex %zu\n"
        "property float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\n"
        "property float vx\nproperty float vy\nproperty float vz\n%s%s"
        "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
        mesh->vertex_count, mesh->rest ? REST : "", mesh->temperature ? "property float temperature\n" : "",
        mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        unsigned char row[52], *to = row;
        to = put_vector(to, mesh->position + 3 * v);
        to = put_vector(to, mesh->normal + 3 * v);
        to = put_vector(to, mesh->velocity + 3 * v);
        if (mesh->rest) to = put_vector(to, mesh->rest + 3 * v);
        if (mesh->temperature) to = put_float(to, mesh->temperature[v]);
        file_write(&w, row, (size_t)(to - row));
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        unsigned char row[13] = {3}, *to = row + 1;
        for (int c = 0; c < 3; ++c) to = put_u32(to, mesh->triangle[3 * t + (size_t)c]);
        file_write(&w, row, sizeof row);
    }
    return finish(&w, file, report);
}

static void write_particle(file_writer *w, const rheo_particle_view *view, size_t i, float temperature) {
    unsigned char row[53], *to = row;
    float x[3], u[3], rest[3];
    for (int a = 0; a < 3; ++a) {
        double cells = view->position[a] ? (double)view->position[a][i] : 0.0;
        x[a] = (float)(view->origin[a] + view->dx * cells);
        u[a] = view->velocity[a] ? view->velocity[a][i] : 0.0f;
        rest[a] = view->rest[a] ? view->rest[a][i] : 0.0f;
    }
    to = put_vector(to, x);
    to = put_vector(to, u);
    to = put_u32(to, view->id ? view->id[i] : (uint32_t)i);
    to = put_float(to, (float)view->radius);
    to = put_float(to, temperature);
    *to++ = view->fluid ? view->fluid[i] : 0;
    if (view->rest[0]) to = put_vector(to, rest);
    if (view->density) to = put_float(to, view->density[i]);
    file_write(w, row, (size_t)(to - row));
}

rheo_status ply_write_particles(const char *path, const rheo_particle_view *view, int which,
                                double temperature, file_writer *file, rheo_report *report) {
    file_writer w;
    rheo_status status = file_open(&w, path, report);
    if (status != RHEO_OK) return status;
    size_t count = view->count;
    if (which == PLY_SPRAY) {
        count = 0;
        for (size_t i = 0; i < view->count; ++i) count += view->spray && view->spray[i] == 1;
    }
    file_print(&w,
               "ply\nformat binary_little_endian 1.0\ncomment metres, y up, velocity in m/s, degrees C\n"
               "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
               "property float vx\nproperty float vy\nproperty float vz\nproperty uint id\n"
               "property float radius\nproperty float temperature\nproperty uchar fluid\n%s%send_header\n",
               count, view->rest[0] ? REST : "", view->density ? "property float density\n" : "");
    for (size_t i = 0; i < view->count; ++i)
        if (which == PLY_ALL || (view->spray && view->spray[i] == 1))
            write_particle(&w, view, i, view->temperature ? view->temperature[i] : (float)temperature);
    return finish(&w, file, report);
}

/* ---- reading ---- */

enum { PROPERTIES_MAX = 32 };
typedef struct column {
    char name[32];
    char kind; /* 'i' signed, 'u' unsigned, 'f' float */
    int bytes;
} column;

typedef struct element {
    bool present;
    uint64_t count;
    column columns[PROPERTIES_MAX];
    int column_count;
    column length, index; /* of the face list */
    bool has_list;
} element;

typedef struct reader {
    const unsigned char *data, *end;
    const char *path;
    rheo_report *report;
    int line;
    element vertex, face;
} reader;

static rheo_status bad(reader *r, int line, const char *allowed, const char *message, const char *word) {
    report_fail(r->report, RHEO_INVALID, allowed, message, word);
    report_place(r->report, r->path, line, line ? 1 : 0, NULL);
    return RHEO_INVALID;
}

static const struct {
    const char *name;
    char kind;
    int bytes;
} types[] = {{"char", 'i', 1},  {"int8", 'i', 1},    {"uchar", 'u', 1},  {"uint8", 'u', 1},
             {"short", 'i', 2}, {"int16", 'i', 2},   {"ushort", 'u', 2}, {"uint16", 'u', 2},
             {"int", 'i', 4},   {"int32", 'i', 4},   {"uint", 'u', 4},   {"uint32", 'u', 4},
             {"float", 'f', 4}, {"float32", 'f', 4}, {"double", 'f', 8}, {"float64", 'f', 8}};

static bool find_type(column *c, const char *word) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcmp(types[i].name, word) == 0) {
            c->kind = types[i].kind;
            c->bytes = types[i].bytes;
            return true;
        }
    return false;
}

/* The next header line without its end; false at the end of the data or when it is too long. */
static bool next_line(char line[256], reader *r) {
    const unsigned char *stop = memchr(r->data, '\n', (size_t)(r->end - r->data));
    if (!stop || stop - r->data >= 256) return false;
    size_t length = (size_t)(stop - r->data);
    memcpy(line, r->data, length);
    if (length && line[length - 1] == '\r') --length;
    line[length] = 0;
    r->data = stop + 1;
    ++r->line;
    return true;
}

static rheo_status read_property(reader *r, element *e, const char *line) {
    char first[32], second[32], third[32], name[32];
    if (sscanf(line, "property list %31s %31s %31s", first, second, third) == 3) {
        if (e != &r->face || e->has_list)
            return bad(r, r->line, "one list, in the faces", "unexpected list%s", "");
        if (!find_type(&e->length, first) || !find_type(&e->index, second) || e->length.kind == 'f' ||
            e->index.kind == 'f')
            return bad(r, r->line, "integer types", "bad types of a list%s", "");
        if (e->column_count)
            return bad(r, r->line, NULL, "face properties before the list are not read%s", "");
        e->has_list = true;
        return RHEO_OK;
    }
    if (sscanf(line, "property %31s %31s", first, name) != 2)
        return bad(r, r->line, NULL, "bad property '%s'", line);
    if (e->column_count == PROPERTIES_MAX) return bad(r, r->line, NULL, "too many properties%s", "");
    column *c = &e->columns[e->column_count++];
    if (!find_type(c, first))
        return bad(r, r->line, "char to double, int8 to float64", "unknown type '%s'", first);
    memcpy(c->name, name, sizeof c->name);
    return RHEO_OK;
}

static rheo_status read_header(reader *r) {
    char line[256], name[32], digits[32];
    element *current = NULL;
    if (!next_line(line, r) || strcmp(line, "ply")) return bad(r, 1, NULL, "not a PLY file%s", "");
    if (!next_line(line, r) || strcmp(line, "format binary_little_endian 1.0"))
        return bad(r, 2, "format binary_little_endian 1.0", "another kind of PLY%s", "");
    while (next_line(line, r)) {
        if (strcmp(line, "end_header") == 0) {
            if (!r->vertex.present) return bad(r, r->line, NULL, "no vertices declared%s", "");
            return RHEO_OK;
        }
        if (strncmp(line, "comment", 7) == 0 || strncmp(line, "obj_info", 8) == 0) continue;
        if (sscanf(line, "element %31s %31s", name, digits) == 2) {
            bool is_vertex = strcmp(name, "vertex") == 0, is_face = strcmp(name, "face") == 0;
            current = is_vertex ? &r->vertex : &r->face;
            /* data follow in the order of the elements, so only that order is taken */
            if ((!is_vertex && !is_face) || current->present || (is_face && !r->vertex.present))
                return bad(r, r->line, "vertex, then face", "unexpected element '%s'", name);
            char *rest;
            current->present = true;
            current->count = strtoull(digits, &rest, 10);
            if (*rest || digits[0] == '-' || current->count > UINT32_MAX)
                return bad(r, r->line, "a whole number below 2^32", "bad count '%s'", digits);
        } else if (strncmp(line, "property ", 9) == 0 && current) {
            rheo_status status = read_property(r, current, line);
            if (status != RHEO_OK) return status;
        } else {
            return bad(r, r->line, "element, property, comment or end_header", "unexpected '%s'", line);
        }
    }
    return bad(r, r->line + 1, NULL, "the header does not end%s", "");
}

static double get(const unsigned char *from, const column *c) {
    uint64_t bits = 0;
    for (int i = 0; i < c->bytes; ++i) bits |= (uint64_t)from[i] << (8 * i);
    if (c->kind == 'u') return (double)bits;
    if (c->kind == 'i') {
        uint64_t sign = 1ull << (8 * c->bytes - 1);
        return (double)(bits & (sign - 1)) - (double)(bits & sign);
    }
    if (c->bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Offset of a named column in a row, -1 when there is none. */
static int find_column(const column **found, const element *e, const char *name) {
    int offset = 0;
    for (int i = 0; i < e->column_count; ++i) {
        *found = &e->columns[i];
        if (strcmp(e->columns[i].name, name) == 0) return offset;
        offset += e->columns[i].bytes;
    }
    return -1;
}

static size_t row_bytes(const element *e) {
    size_t bytes = 0;
    for (int i = 0; i < e->column_count; ++i) bytes += (size_t)e->columns[i].bytes;
    return bytes;
}

static rheo_status begin(reader *r) {
    rheo_status status = read_header(r);
    if (status != RHEO_OK) return status;
    size_t left = (size_t)(r->end - r->data), row = row_bytes(&r->vertex);
    const column *c;
    if (find_column(&c, &r->vertex, "x") < 0 || find_column(&c, &r->vertex, "y") < 0 ||
        find_column(&c, &r->vertex, "z") < 0)
        return bad(r, 0, "x, y and z", "vertices without a position%s", "");
    if (r->vertex.count > left / row) return bad(r, 0, NULL, "truncated: fewer vertices than declared%s", "");
    return RHEO_OK;
}

/* Three columns named by a prefix and x y z into rows of floats; false when a needed value is not finite. */
static bool read_vectors(float *to, const reader *r, const char *prefix) {
    const element *e = &r->vertex;
    size_t row = row_bytes(e);
    for (int a = 0; a < 3; ++a) {
        char name[8];
        const column *c;
        snprintf(name, sizeof name, "%s%c", prefix, "xyz"[a]);
        int offset = find_column(&c, e, name);
        if (offset < 0) continue;
        for (size_t i = 0; i < e->count; ++i) {
            double value = get(r->data + i * row + offset, c);
            if (!isfinite(value) || fabs(value) > 3e38) return false;
            to[3 * i + (size_t)a] = (float)value;
        }
    }
    return true;
}

static rheo_status read_faces(rheo_mesh *mesh, reader *r) {
    const unsigned char *at = r->data + r->vertex.count * row_bytes(&r->vertex);
    const element *e = &r->face;
    if (!e->present || e->count == 0) return RHEO_OK;
    if (!e->has_list) return bad(r, 0, "a list of three indices", "faces without a list%s", "");
    size_t tail = row_bytes(e), row = (size_t)(e->length.bytes + 3 * e->index.bytes) + tail;
    if (e->count > (size_t)(r->end - at) / row)
        return bad(r, 0, NULL, "truncated: fewer faces than declared%s", "");
    mesh->triangle = mem_alloc(e->count * 3 * sizeof *mesh->triangle);
    if (!mesh->triangle) return report_no_memory(r->report, "a mesh");
    mesh->triangle_count = e->count;
    for (size_t t = 0; t < e->count; ++t, at += row) {
        if (get(at, &e->length) != 3.0)
            return bad(r, 0, "triangles", "a face with another number of corners%s", "");
        for (int c = 0; c < 3; ++c) {
            double index = get(at + e->length.bytes + c * e->index.bytes, &e->index);
            if (index < 0 || index >= (double)r->vertex.count)
                return bad(r, 0, NULL, "a face of vertices that are not there%s", "");
            mesh->triangle[3 * t + (size_t)c] = (uint32_t)index;
        }
    }
    return RHEO_OK;
}

/* One column of any type, all of whose values must lie in [low, high], into one of the three. */
static bool read_column(float *real, uint32_t *wide, uint8_t *narrow, const reader *r, const char *name,
                        double low, double high) {
    const column *c;
    int offset = find_column(&c, &r->vertex, name);
    size_t row = row_bytes(&r->vertex);
    for (size_t i = 0; offset >= 0 && i < r->vertex.count; ++i) {
        double value = get(r->data + i * row + offset, c);
        if (!(value >= low && value <= high)) return false;
        if (real) real[i] = (float)value;
        if (wide) wide[i] = (uint32_t)value;
        if (narrow) narrow[i] = (uint8_t)value;
    }
    return true;
}

static bool read_floats(float *to, const reader *r, const char *name) {
    return read_column(to, NULL, NULL, r, name, -3e38, 3e38);
}

/* Temperatures, of meshes that have any. */
static rheo_status read_warmth(rheo_mesh *mesh, reader *r) {
    const column *c;
    if (find_column(&c, &r->vertex, "temperature") < 0) return RHEO_OK;
    mesh->temperature = mem_alloc(mesh->vertex_count * sizeof *mesh->temperature);
    if (!mesh->temperature) return report_no_memory(r->report, "a mesh");
    return read_floats(mesh->temperature, r, "temperature")
               ? RHEO_OK
               : bad(r, 0, NULL, "a number that is not finite%s", "");
}

rheo_status ply_parse_mesh(rheo_mesh *mesh, const unsigned char *data, size_t count, const char *path,
                           rheo_report *report) {
    reader r = {.data = data, .end = data + count, .path = path, .report = report};
    *mesh = (rheo_mesh){0};
    rheo_status status = begin(&r);
    if (status != RHEO_OK) return status;
    size_t n = r.vertex.count, bytes = n * 3 * sizeof(float);
    mesh->vertex_count = n;
    mesh->position = mem_alloc(bytes);
    mesh->normal = mem_alloc(bytes);
    mesh->velocity = mem_alloc(bytes);
    if (!mesh->position || !mesh->normal || !mesh->velocity) status = report_no_memory(report, "a mesh");
    else if (!read_vectors(mesh->position, &r, "") || !read_vectors(mesh->normal, &r, "n") ||
             !read_vectors(mesh->velocity, &r, "v"))
        status = bad(&r, 0, NULL, "a number that is not finite%s", "");
    else status = read_faces(mesh, &r);
    if (status == RHEO_OK) status = read_warmth(mesh, &r);
    if (status != RHEO_OK) rheo_free_mesh(mesh);
    return status;
}

void ply_free_particles(ply_particles *p) {
    mem_free(p->position);
    mem_free(p->velocity);
    mem_free(p->id);
    mem_free(p->radius);
    mem_free(p->temperature);
    mem_free(p->fluid);
    mem_free(p->rest);
    mem_free(p->density);
    *p = (ply_particles){0};
}

rheo_status ply_parse_particles(ply_particles *p, const unsigned char *data, size_t count, const char *path,
                                rheo_report *report) {
    reader r = {.data = data, .end = data + count, .path = path, .report = report};
    *p = (ply_particles){0};
    rheo_status status = begin(&r);
    if (status != RHEO_OK) return status;
    size_t n = p->count = r.vertex.count;
    p->position = mem_alloc(n * sizeof *p->position);
    p->velocity = mem_alloc(n * sizeof *p->velocity);
    p->id = mem_alloc(n * sizeof *p->id);
    p->radius = mem_alloc(n * sizeof *p->radius);
    p->temperature = mem_alloc(n * sizeof *p->temperature);
    p->fluid = mem_alloc(n * sizeof *p->fluid);
    p->rest = mem_alloc(n * sizeof *p->rest);
    p->density = mem_alloc(n * sizeof *p->density);
    if (!p->position || !p->velocity || !p->id || !p->radius || !p->temperature || !p->fluid || !p->rest ||
        !p->density)
        status = report_no_memory(report, "particles");
    else if (!read_vectors(p->position[0], &r, "") || !read_vectors(p->velocity[0], &r, "v") ||
             !read_vectors(p->rest[0], &r, "rest_") || !read_floats(p->radius, &r, "radius") ||
             !read_floats(p->temperature, &r, "temperature") || !read_floats(p->density, &r, "density"))
        status = bad(&r, 0, NULL, "a number that is not finite%s", "");
    else if (!read_column(NULL, p->id, NULL, &r, "id", 0, (double)UINT32_MAX) ||
             !read_column(NULL, NULL, p->fluid, &r, "fluid", 0, 255))
        status = bad(&r, 0, NULL, "an id or fluid out of range%s", "");
    if (status != RHEO_OK) ply_free_particles(p);
    return status;
}

static const size_t LARGEST = (size_t)1 << 40;

rheo_status ply_read_mesh(rheo_mesh *mesh, const char *path, rheo_report *report) {
    unsigned char *data;
    size_t count;
    *mesh = (rheo_mesh){0};
    rheo_status status = file_read(&data, &count, path, LARGEST, report);
    if (status == RHEO_OK) status = ply_parse_mesh(mesh, data, count, path, report);
    mem_free(data);
    return status;
}

rheo_status ply_read_particles(ply_particles *particles, const char *path, rheo_report *report) {
    unsigned char *data;
    size_t count;
    *particles = (ply_particles){0};
    rheo_status status = file_read(&data, &count, path, LARGEST, report);
    if (status == RHEO_OK) status = ply_parse_particles(particles, data, count, path, report);
    mem_free(data);
    return status;
}
