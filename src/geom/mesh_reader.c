/* Reading mesh files: the file's bytes, the choice of format, text, and OBJ.
 *
 * Files come from anywhere, so nothing in them is believed: counts are held against the bytes that are there
 * before room is made for them, indices against the vertices, numbers must be finite. Numbers are read by
 * hand: the C library's way depends on the locale of the host program. */
#include "geom/mesh_reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/memory.h"
#include "core/report.h"

static const char *const FORMATS = "an OBJ, PLY or STL file that can be read";

static const double FARTHEST = 1e30; /* keeps products of three coordinates finite */

rheo_status reader_refuse(reader *r, const char *allowed, const char *message, ...) {
    va_list args;
    va_start(args, message);
    report_fail_list(r->report, RHEO_INVALID, allowed, message, args);
    va_end(args);
    report_place(r->report, r->file, r->text ? r->line : 0, r->text ? 1 : 0, NULL);
    return RHEO_INVALID;
}

/* Text
 * ---------------------------------------------------------------------------------------------------------
 */

void reader_skip_blanks(reader *r) {
    for (; r->at < r->end; ++r->at) {
        if (*r->at == '\\' && r->at + 1 < r->end &&
            (r->at[1] == '\n' || r->at[1] == '\r')) { /* continued line */
            r->at += r->at[1] == '\r' && r->at + 2 < r->end && r->at[2] == '\n' ? 2 : 1;
            r->line++;
            continue;
        }
        if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r' && *r->at != '\v' && *r->at != '\f') return;
    }
}

void reader_next_line(reader *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = newline ? newline + 1 : r->end;
    r->line++;
}

static bool is_break(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\0';
}

size_t reader_word(const char **word, reader *r) {
    reader_skip_blanks(r);
    *word = r->at;
    while (r->at < r->end && !is_break(*r->at)) ++r->at;
    return (size_t)(r->at - *word);
}

bool reader_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* 10^e; exact up to 22 */
static double power_of_ten(int e) {
    static const double small[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return e <= 22 ? small[e] : pow(10, e);
}

static int read_exponent(const char **at, const char *end) {
    const char *p = *at + 1;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p >= end || !is_digit(*p)) return 0;
    int e = 0;
    for (; p < end && is_digit(*p); ++p)
        if (e < 10000) e = 10 * e + (*p - '0');
    *at = p;
    return minus ? -e : e;
}

bool reader_number(double *value, reader *r) {
    reader_skip_blanks(r);
    const char *p = r->at;
    bool minus = p < r->end && *p == '-';
    if (p < r->end && (*p == '-' || *p == '+')) ++p;
    uint64_t digits = 0;
    int exponent = 0, seen = 0;
    for (bool point = false; p < r->end && (is_digit(*p) || (*p == '.' && !point)); ++p) {
        if (*p == '.') {
            point = true;
            continue;
        }
        ++seen;
        if (digits < 100000000000000000u) { /* 17 digits and one more are all that a double can use */
            digits = 10 * digits + (uint64_t)(*p - '0');
            exponent -= point;
        } else {
            exponent += !point;
        }
    }
    if (seen == 0) return false;
    if (p < r->end && (*p == 'e' || *p == 'E')) exponent += read_exponent(&p, r->end);
    if (p < r->end && !is_break(*p) && *p != '/') return false; /* 1.2.3, 0x10 */
    double v = (double)digits;
    if (exponent > 400) exponent = 400;
    if (exponent < -400) exponent = -400;
    if (digits) v = exponent < 0 ? v / power_of_ten(-exponent) : v * power_of_ten(exponent);
    *value = minus ? -v : v;
    r->at = p;
    return true;
}

/* Adding
 * ------------------------------------------------------------------------------------------------------- */

static bool reserve(void **array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : 4096;
    void *grown = mem_grow(*array, count * size, wanted * size);
    if (!grown) return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

rheo_status reader_add_vertex(reader *r, const double v[3]) {
    tri_mesh *m = r->mesh;
    if (!(fabs(v[0]) < FARTHEST && fabs(v[1]) < FARTHEST && fabs(v[2]) < FARTHEST))
        return reader_refuse(r, "finite coordinates below 1e30", "vertex %zu is not finite",
                             m->vertex_count + 1);
    void *array = m->vertex;
    if (m->vertex_count >= UINT32_MAX ||
        !reserve(&array, m->vertex_count, &r->vertex_capacity, sizeof *m->vertex))
        return report_no_memory(r->report, "a mesh's vertices");
    m->vertex = array;
    memcpy(m->vertex[m->vertex_count++], v, sizeof *m->vertex);
    return RHEO_OK;
}

rheo_status reader_add_triangle(reader *r, const uint32_t v[3]) {
    tri_mesh *m = r->mesh;
    void *array = m->triangle;
    if (!reserve(&array, m->triangle_count, &r->triangle_capacity, sizeof *m->triangle))
        return report_no_memory(r->report, "a mesh's triangles");
    m->triangle = array;
    memcpy(m->triangle[m->triangle_count++], v, sizeof *m->triangle);
    return RHEO_OK;
}

rheo_status reader_add_polygon(reader *r, const uint32_t *corner, size_t count) {
    rheo_status status = RHEO_OK;
    for (size_t c = 1; c + 1 < count && !status; ++c) {
        const uint32_t v[3] = {corner[0], corner[c], corner[c + 1]};
        status = reader_add_triangle(r, v);
    }
    return status;
}

/* OBJ
 * ----------------------------------------------------------------------------------------------------------
 */

static rheo_status read_obj_vertex(reader *r) {
    double v[3];
    for (int a = 0; a < 3; ++a) {
        const char *word;
        if (reader_number(&v[a], r)) continue;
        const int length = (int)reader_word(&word, r);
        if (length > 0)
            return reader_refuse(r, "v X Y Z, finite numbers", "the coordinate '%.*s' is not a finite number",
                                 length < 40 ? length : 40, word);
        return reader_refuse(r, "v X Y Z", "a vertex lacks a coordinate");
    }
    return reader_add_vertex(r, v);
}

/* One corner "v", "v/vt", "v//vn" or "v/vt/vn" from 1, or from -1 backwards; `found` is false at the end of
 * the line. */
static rheo_status read_obj_corner(uint32_t *vertex, bool *found, reader *r) {
    static const char *const allowed =
        "f V V V ..., each V, V/T, V//N or V/T/N with V a vertex before this line";
    double number;
    reader_skip_blanks(r);
    *found = r->at < r->end && *r->at != '\n' && *r->at != '#';
    if (!*found) return RHEO_OK;
    const char *start = r->at;
    if (!reader_number(&number, r) || number != floor(number))
        return reader_refuse(r, allowed, "a face has a corner that is not a whole number: '%.20s'", start);
    double count = (double)r->mesh->vertex_count, index = number < 0 ? count + number : number - 1;
    if (!(index >= 0 && index < count))
        return reader_refuse(r, allowed, "a face uses vertex %.0f, but there are %.0f", number, count);
    *vertex = (uint32_t)index;
    while (r->at < r->end && !is_break(*r->at)) ++r->at; /* texture and normal */
    return RHEO_OK;
}

static rheo_status read_obj_face(reader *r) {
    uint32_t first = 0, last = 0, corner = 0;
    size_t count = 0;
    for (bool found = true;; ++count) {
        rheo_status status = read_obj_corner(&corner, &found, r);
        if (status) return status;
        if (!found) break;
        const uint32_t v[3] = {first, last, corner};
        if (count >= 2) status = reader_add_triangle(r, v);
        if (status) return status;
        if (count == 0) first = corner;
        last = corner;
    }
    if (count < 3) return reader_refuse(r, "at least three corners", "a face has %zu corners", count);
    return RHEO_OK;
}

rheo_status read_obj(reader *r) {
    r->text = true;
    for (; r->at < r->end; reader_next_line(r)) {
        const char *word;
        size_t length = reader_word(&word, r);
        rheo_status status = RHEO_OK;
        if (length == 1 && *word == 'v') status = read_obj_vertex(r);
        else if (length == 1 && *word == 'f') status = read_obj_face(r);
        if (status) return status;
    }
    return RHEO_OK;
}

/* The file
 * ----------------------------------------------------------------------------------------------------- */

static rheo_status load(char **bytes, size_t *size, reader *r) {
    struct stat info;
    FILE *in = fopen(r->file, "rb");
    if (!in) return reader_refuse(r, FORMATS, "cannot open the mesh file: %s", strerror(errno));
    rheo_status status = RHEO_OK;
    if (fstat(fileno(in), &info) != 0 || !S_ISREG(info.st_mode))
        status = reader_refuse(r, FORMATS, "the mesh file is not a regular file");
    else if (info.st_size == 0) status = reader_refuse(r, FORMATS, "the mesh file is empty");
    *bytes = NULL;
    if (!status) {
        *size = (size_t)info.st_size;
        *bytes = mem_alloc(*size + 1); /* the zero byte at the end stops every scan */
        if (!*bytes) status = report_no_memory(r->report, "a mesh file");
        else if (fread(*bytes, 1, *size, in) != *size)
            status = reader_refuse(r, FORMATS, "cannot read the mesh file: %s", strerror(errno));
    }
    if (status) mem_free(*bytes);
    fclose(in);
    return status;
}

static bool ends_with(const char *text, const char *ending) {
    size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcasecmp(text + a - b, ending) == 0;
}

static rheo_status read_format(reader *r) {
    if (ends_with(r->file, ".obj")) return read_obj(r);
    if (ends_with(r->file, ".ply")) return read_ply(r);
    if (ends_with(r->file, ".stl")) return read_stl(r);
    return reader_refuse(r, FORMATS, "the mesh file's name ends in none of .obj, .ply, .stl");
}

rheo_status mesh_read(tri_mesh *m, const char *file, rheo_report *report) {
    *m = (tri_mesh){0};
    reader r = {.file = file, .report = report, .mesh = m, .line = 1};
    char *bytes = NULL;
    size_t size = 0;
    rheo_status status = load(&bytes, &size, &r);
    if (status) return status;
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors put before a text */
    r.start = r.at = bytes + (size > 3 && !memcmp(bytes, mark, 3) ? 3 : 0);
    r.end = bytes + size;
    status = read_format(&r);
    r.text = false;
    if (!status && m->triangle_count == 0)
        status = reader_refuse(&r, "a mesh with vertices and faces", "the mesh file holds no triangles");
    if (status) {
        report_place(report, file, 0, 0, NULL);
        mesh_free(m);
    }
    mem_free(bytes);
    return status;
}
