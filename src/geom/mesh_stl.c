/* STL: triangles without shared vertices, as bytes (80 of text, a count, 50 a triangle, little endian) or as
 * words. Many byte files begin with "solid" like the text ones, so the size decides, or a zero byte. The
 * vertices are joined afterwards.
 *
 * Welding: a hash table of cells four tolerances wide; a vertex looks into every cell its tolerance touches
 * (nearly always one) for an earlier vertex near enough, so the result depends only on the order of the file.
 */
#include "geom/mesh_reader.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

/* Welding
 * ------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t *slot; /* number of a kept vertex + 1 */
    size_t mask;
    double lower[3], width, tolerance;
} weld_table;

static uint64_t hash_cell(const int64_t cell[3]) {
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (int a = 0; a < 3; ++a) {
        h ^= (uint64_t)cell[a];
        h *= 0xBF58476D1CE4E5B9u;
        h ^= h >> 31;
    }
    return h;
}

static int64_t cell_of(const weld_table *w, int axis, double x) {
    return (int64_t)floor((x - w->lower[axis]) / w->width);
}

static bool is_near(const double a[3], const double b[3], double tolerance) {
    return fabs(a[0] - b[0]) <= tolerance && fabs(a[1] - b[1]) <= tolerance && fabs(a[2] - b[2]) <= tolerance;
}

/* The kept vertex near v in a cell, or UINT32_MAX. */
static uint32_t find_in_cell(const weld_table *w, double (*vertex)[3], const int64_t cell[3],
                             const double v[3]) {
    for (size_t h = hash_cell(cell) & w->mask; w->slot[h]; h = (h + 1) & w->mask)
        if (is_near(vertex[w->slot[h] - 1], v, w->tolerance)) return w->slot[h] - 1;
    return UINT32_MAX;
}

static uint32_t find_near(const weld_table *w, double (*vertex)[3], const double v[3]) {
    int64_t low[3], high[3], cell[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = cell_of(w, a, v[a] - w->tolerance);
        high[a] = cell_of(w, a, v[a] + w->tolerance);
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) {
                uint32_t found = find_in_cell(w, vertex, cell, v);
                if (found != UINT32_MAX) return found;
            }
    return UINT32_MAX;
}

static void set_scale(weld_table *w, const tri_mesh *m) {
    double diagonal2 = 0;
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < m->vertex_count; ++v) {
            low = fmin(low, m->vertex[v][a]);
            high = fmax(high, m->vertex[v][a]);
        }
        w->lower[a] = low;
        diagonal2 += (high - low) * (high - low);
    }
    double diagonal = sqrt(diagonal2);
    w->tolerance = 1e-9 * diagonal;
    w->width = w->tolerance > 0 ? 4 * w->tolerance : 1;
}

bool mesh_weld(tri_mesh *m) {
    weld_table w = {.mask = 15};
    while (w.mask < 2 * m->vertex_count) w.mask = 2 * w.mask + 1;
    w.slot = mem_alloc((w.mask + 1) * sizeof *w.slot);
    uint32_t *now = mem_alloc(m->vertex_count * sizeof *now);
    if (!w.slot || !now) {
        mem_free(w.slot);
        mem_free(now);
        return false;
    }
    set_scale(&w, m);
    size_t kept = 0;
    for (size_t v = 0; v < m->vertex_count; ++v) {
        now[v] = find_near(&w, m->vertex, m->vertex[v]);
        if (now[v] != UINT32_MAX) continue;
        int64_t cell[3];
        for (int a = 0; a < 3; ++a) cell[a] = cell_of(&w, a, m->vertex[v][a]);
        size_t h = hash_cell(cell) & w.mask;
        while (w.slot[h]) h = (h + 1) & w.mask;
        now[v] = (uint32_t)kept;
        memmove(m->vertex[kept++], m->vertex[v], sizeof *m->vertex);
        w.slot[h] = (uint32_t)kept;
    }
    m->vertex_count = kept;
    for (size_t t = 0; t < m->triangle_count; ++t)
        for (int c = 0; c < 3; ++c) m->triangle[t][c] = now[m->triangle[t][c]];
    mem_free(w.slot);
    mem_free(now);
    return true;
}

/* Reading
 * ------------------------------------------------------------------------------------------------------ */

static rheo_status add_apart(reader *r, double corner[3][3]) {
    uint32_t first = (uint32_t)r->mesh->vertex_count;
    for (int c = 0; c < 3; ++c) {
        rheo_status status = reader_add_vertex(r, corner[c]);
        if (status) return status;
    }
    const uint32_t v[3] = {first, first + 1, first + 2};
    return reader_add_triangle(r, v);
}

static float load_float(const unsigned char *at) {
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static rheo_status read_bytes(reader *r, size_t count) {
    const unsigned char *at = (const unsigned char *)r->start + STL_HEADER;
    rheo_status status = RHEO_OK;
    for (size_t t = 0; t < count && !status; ++t, at += STL_TRIANGLE) {
        double corner[3][3];
        for (int c = 0; c < 3; ++c)
            for (int a = 0; a < 3; ++a) corner[c][a] = (double)load_float(at + 12 + 12 * c + 4 * a);
        status = add_apart(r, corner);
    }
    return status;
}

static rheo_status read_words(reader *r) {
    static const char *const allowed =
        "solid, facet normal, outer loop, three times vertex X Y Z, endloop, endfacet, endsolid";
    double corner[3][3];
    int corners = 0;
    bool ended = false;
    r->text = true;
    for (; r->at < r->end; reader_next_line(r)) {
        const char *word;
        size_t length = reader_word(&word, r);
        if (length == 0) continue;
        ended = reader_is(word, length, "endsolid");
        if (reader_is(word, length, "vertex")) {
            if (corners == 3) return reader_refuse(r, allowed, "a facet has more than three vertices");
            for (int a = 0; a < 3; ++a)
                if (!reader_number(&corner[corners][a], r))
                    return reader_refuse(r, allowed, "a vertex lacks a coordinate");
            ++corners;
        } else if (reader_is(word, length, "endfacet")) {
            if (corners != 3) return reader_refuse(r, allowed, "a facet has %d vertices", corners);
            rheo_status status = add_apart(r, corner);
            if (status) return status;
            corners = 0;
        } else if (!ended && !reader_is(word, length, "solid") && !reader_is(word, length, "facet") &&
                   !reader_is(word, length, "outer") && !reader_is(word, length, "endloop")) {
            return reader_refuse(r, allowed, "unknown word '%.*s'", (int)(length < 40 ? length : 40), word);
        }
    }
    return ended ? RHEO_OK : reader_refuse(r, allowed, "the file ends before endsolid");
}

rheo_status read_stl(reader *r) {
    size_t size = (size_t)(r->end - r->start);
    const unsigned char *n = (const unsigned char *)r->start + 80;
    size_t count =
        size < STL_HEADER ? 0 : (size_t)n[0] | (size_t)n[1] << 8 | (size_t)n[2] << 16 | (size_t)n[3] << 24;
    bool words = size >= 5 && memcmp(r->start, "solid", 5) == 0 && !memchr(r->start, 0, size);
    bool fits = size >= STL_HEADER && size == STL_HEADER + STL_TRIANGLE * count;
    rheo_status status;
    if (fits) status = read_bytes(r, count);
    else if (words) status = read_words(r);
    else
        status =
            reader_refuse(r, "84 bytes and 50 a triangle, or text from 'solid' on",
                          "the STL file has %zu bytes, which does not fit its %zu triangles", size, count);
    if (!status && !mesh_weld(r->mesh)) status = report_no_memory(r->report, "joining a mesh's vertices");
    return status;
}
