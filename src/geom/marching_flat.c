/* Marching squares, drawn as a solid: the inside of the contour is a lid at z = 0 and one at z = dx (from the
 * origin), with walls between them, so that a plane scene has a closed mesh to render.
 *
 * In each square the inside is one polygon of inside corners and crossings, or two triangles when only
 * opposite corners are inside (parted, as in the space). Sides of the box as in the space too. Serial: a
 * plane has few squares. */
#include "geom/marching_sample.h"

#include <stdbool.h>
#include "core/memory.h"
#include "core/report.h"

enum { NODE = 2, SLOTS = 3 }; /* of a sample: crossing along x, along y, and the sample itself */
static const uint32_t NONE = UINT32_MAX;

typedef struct {
    const field_view *f;
    int samples[2];
    uint32_t *number;  /* [samples][SLOTS] */
    uint32_t vertices; /* of one lid */
    rheo_mesh *mesh;
    size_t triangles; /* counted, and written once mesh is there */
} job;

static bool inside(const job *s, int i, int j) {
    if (i == 0 || j == 0 || i + 1 == s->samples[0] || j + 1 == s->samples[1]) return false;
    return s->f->field[box_at(s->f->b, i - 2, j - 2, 0)] < 0;
}

static uint32_t *slot(const job *s, int i, int j, int kind) {
    return &s->number[((size_t)j * (size_t)s->samples[0] + (size_t)i) * SLOTS + (size_t)kind];
}

static void number_vertices(job *s) {
    for (int j = 0; j < s->samples[1]; ++j)
        for (int i = 0; i < s->samples[0]; ++i) {
            bool here = inside(s, i, j);
            bool x = i + 1 < s->samples[0] && inside(s, i + 1, j) != here;
            bool y = j + 1 < s->samples[1] && inside(s, i, j + 1) != here;
            *slot(s, i, j, 0) = x ? s->vertices++ : NONE;
            *slot(s, i, j, 1) = y ? s->vertices++ : NONE;
            *slot(s, i, j, NODE) = here ? s->vertices++ : NONE;
        }
}

static void write_vertex(job *s, uint32_t v, const float place[3], const float normal[3], bool lid) {
    for (int top = 0; top < 2; ++top) {
        size_t at = 3 * ((size_t)v + (top ? s->vertices : 0));
        for (int e = 0; e < 3; ++e) {
            s->mesh->position[at + (size_t)e] = place[e];
            s->mesh->normal[at + (size_t)e] = normal[e];
        }
        s->mesh->position[at + 2] = (float)(s->f->origin[2] + (top ? s->f->dx : 0));
        if (lid) s->mesh->normal[at + 2] = top ? 1 : -1;
    }
}

static void write_vertices(job *s) {
    for (int j = 0; j < s->samples[1]; ++j)
        for (int i = 0; i < s->samples[0]; ++i) {
            const int at[3] = {i - 2, j - 2, 0};
            for (int kind = 0; kind < SLOTS; ++kind) {
                uint32_t v = *slot(s, i, j, kind);
                float place[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
                if (v == NONE) continue;
                if (kind == NODE)
                    for (int e = 0; e < 2; ++e)
                        place[e] = (float)(s->f->origin[e] + s->f->dx * sample_place(s->f->b, at[e], e));
                else crossing_vertex(place, normal, s->f, at, kind);
                write_vertex(s, v, place, normal, kind == NODE);
            }
        }
}

static void add_triangle(job *s, uint32_t a, uint32_t b, uint32_t c) {
    if (s->mesh) {
        uint32_t *t = s->mesh->triangle + 3 * s->triangles;
        t[0] = a;
        t[1] = b;
        t[2] = c;
    }
    s->triangles++;
}

/* A polygon's lids, and a wall along its side from `leaves` to the next corner. */
static void add_polygon(job *s, const uint32_t *corner, int count, int leaves) {
    uint32_t top = s->vertices;
    for (int m = 1; m + 1 < count; ++m) {
        add_triangle(s, corner[0] + top, corner[m] + top, corner[m + 1] + top);
        add_triangle(s, corner[0], corner[m + 1], corner[m]);
    }
    if (leaves < 0) return;
    uint32_t p = corner[leaves], q = corner[(leaves + 1) % count];
    add_triangle(s, p, q, q + top);
    add_triangle(s, p, q + top, p + top);
}

static void add_square(job *s, int i, int j) {
    const int at[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}; /* anticlockwise */
    const uint32_t side[4] = {*slot(s, i, j, 0), *slot(s, i + 1, j, 1), *slot(s, i, j + 1, 0),
                              *slot(s, i, j, 1)};
    int count = 0;
    for (int m = 0; m < 4; ++m) count += inside(s, at[m][0], at[m][1]);
    if (count == 0) return;
    for (int m = 0; m < 4; ++m) { /* each run of inside corners is a polygon */
        bool starts = inside(s, at[m][0], at[m][1]) && !inside(s, at[(m + 3) & 3][0], at[(m + 3) & 3][1]);
        if (!starts && count < 4) continue;
        uint32_t polygon[6];
        int corners = 0;
        for (int r = 0; r < 4 && inside(s, at[(m + r) & 3][0], at[(m + r) & 3][1]); ++r)
            polygon[corners++] = *slot(s, at[(m + r) & 3][0], at[(m + r) & 3][1], NODE);
        if (count == 4) {
            add_polygon(s, polygon, 4, -1);
            return;
        }
        polygon[corners] = side[(m + corners - 1) & 3];
        polygon[corners + 1] = side[(m + 3) & 3];
        add_polygon(s, polygon, corners + 2, corners);
    }
}

static void add_squares(job *s) {
    s->triangles = 0;
    for (int j = 0; j + 1 < s->samples[1]; ++j)
        for (int i = 0; i + 1 < s->samples[0]; ++i) add_square(s, i, j);
}

rheo_status marching_flat(rheo_mesh *mesh, const field_view *f, rheo_report *report) {
    job s = {.f = f, .samples = {f->b->n[0] + 4, f->b->n[1] + 4}};
    s.number = mem_alloc((size_t)s.samples[0] * (size_t)s.samples[1] * SLOTS * sizeof *s.number);
    if (!s.number) return report_no_memory(report, "marching squares");
    number_vertices(&s);
    add_squares(&s);
    rheo_status status = marching_allocate(mesh, 2 * (size_t)s.vertices, s.triangles, report);
    if (!status) {
        s.mesh = mesh;
        write_vertices(&s);
        add_squares(&s);
    }
    mem_free(s.number);
    return status;
}
