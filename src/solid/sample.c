/* Sampling shapes for contact.
 *
 *   ball, capsule      the centre, or points along the axis, with the radius: exact against any distance
 *   box                a lattice on its faces, corners and edges included
 *   mesh               vertices, and points along edges longer than the spacing
 *   combinations       what their boxes and meshes have on the common surface, and as everything else
 *   everything else    middles of lattice cells near the surface, carried onto it by x <- x - d grad d; sharp
 *                      edges of combinations are met to within a part of the spacing. Of cylinders
 *                      the axis is told as well, for contacts that must roll
 *
 * Counts are bounded: the spacing grows where a shape is large. */
#include "solid/sample.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "solid/shape_parts.h"
#include "solid/vector.h"

enum { SIDE_MAX = 24, MESH_MAX = 30000 }; /* lattice cells along the longest side; points of a mesh */

typedef struct {
    shape_points *p;
    int capacity, failed;
} builder;

static void add_point(builder *b, const double x[3]) {
    if (b->p->count == b->capacity) {
        const int capacity = b->capacity ? 2 * b->capacity : 64;
        void *grown =
            mem_grow(b->p->x, (size_t)b->capacity * sizeof *b->p->x, (size_t)capacity * sizeof *b->p->x);
        if (!grown) {
            b->failed = 1;
            return;
        }
        b->p->x = grown;
        b->capacity = capacity;
    }
    memcpy(b->p->x[b->p->count++], x, sizeof *b->p->x);
}

/* From the shape's own frame to where the scene file has it. */
static void from_own(double x[3], const shape *s, const double y[3]) {
    double from[3];
    vec_sub(from, y, s->centre);
    mat_times(x, s->forward, from);
    for (int c = 0; c < 3; ++c) x[c] += s->centre[c] + s->move[c];
    if (s->flat) x[2] = 0;
}

static void add_own(builder *b, const shape *s, const double y[3]) {
    double x[3];
    from_own(x, s, y);
    add_point(b, x);
}

/* The one factor by which a shape's own lengths grow, 0 when there is none. */
static double uniform_scale(const shape *s) {
    double size[3];
    const int dim = s->flat ? 2 : 3;
    for (int c = 0; c < dim; ++c)
        size[c] = sqrt(s->forward[c] * s->forward[c] + s->forward[3 + c] * s->forward[3 + c] +
                       s->forward[6 + c] * s->forward[6 + c]);
    for (int c = 1; c < dim; ++c)
        if (fabs(size[c] - size[0]) > 1e-12 * size[0]) return 0;
    return size[0];
}

static void sample_round(builder *b, const shape *s, double scale, double spacing) {
    b->p->radius = scale * s->radius;
    if (s->kind == RHEO_SHAPE_SPHERE) {
        add_own(b, s, s->a);
        return;
    }
    const int parts = (int)fmin(64, fmax(1, ceil(scale * s->length / spacing)));
    for (int i = 0; i <= parts; ++i) {
        double y[3];
        for (int c = 0; c < 3; ++c) y[c] = s->a[c] + (s->b[c] - s->a[c]) * i / parts;
        add_own(b, s, y);
    }
}

static void sample_box(builder *b, const shape *s, double spacing) {
    const int dim = s->flat ? 2 : 3;
    int n[3] = {0, 0, 0};
    for (int c = 0; c < dim; ++c) n[c] = (int)fmin(SIDE_MAX, fmax(1, ceil(2 * s->b[c] / spacing)));
    for (int k = 0; k <= n[2]; ++k)
        for (int j = 0; j <= n[1]; ++j)
            for (int i = 0; i <= n[0]; ++i) {
                const int at[3] = {i, j, k};
                int on = 0;
                double y[3] = {0, 0, 0};
                for (int c = 0; c < dim; ++c) {
                    on |= at[c] == 0 || at[c] == n[c];
                    y[c] = s->a[c] + s->b[c] * (2.0 * at[c] / n[c] - 1);
                }
                if (on) add_own(b, s, y);
            }
}

static void sample_edge(builder *b, const shape *s, const double *from, const double *to, double spacing) {
    double along[3], y[3];
    vec_sub(along, to, from);
    const int parts = (int)fmin(64, ceil(vec_length(along) / spacing));
    for (int i = 1; i < parts && b->p->count < MESH_MAX; ++i) {
        for (int c = 0; c < 3; ++c) y[c] = from[c] + along[c] * i / parts;
        add_own(b, s, y);
    }
}

static void sample_mesh(builder *b, const shape *s, double spacing) {
    const tri_mesh *m = &s->mesh;
    const size_t every = m->vertex_count / MESH_MAX + 1; /* a scan of millions: the rest are nearby */
    for (size_t v = 0; v < m->vertex_count; v += every) add_own(b, s, m->vertex[v]);
    const double scale = fmax(s->shrink, 1e-300);
    for (size_t t = 0; t < m->triangle_count && b->p->count < MESH_MAX; ++t)
        for (int c = 0; c < 3; ++c) {
            const uint32_t from = m->triangle[t][c], to = m->triangle[t][(c + 1) % 3];
            if (from < to) sample_edge(b, s, m->vertex[from], m->vertex[to], spacing / scale);
        }
}

double shape_gradient(double n[3], const shape *s, const double x[3], double step) {
    double length = 0;
    for (int c = 0; c < 3; ++c) {
        double p[3] = {x[0], x[1], x[2]}, m[3] = {x[0], x[1], x[2]};
        p[c] += step;
        m[c] -= step;
        n[c] = s->flat && c == 2 ? 0 : shape_distance(s, p) - shape_distance(s, m);
        length += n[c] * n[c];
    }
    length = sqrt(length);
    for (int c = 0; c < 3; ++c) n[c] = length > 0 ? n[c] / length : 0;
    return 0.5 * length / step;
}

/* Onto the surface; false when it does not get there. */
static int carry_to_surface(double x[3], const shape *s, double spacing) {
    for (int round = 0; round < 12; ++round) {
        const double d = shape_distance(s, x);
        double n[3];
        if (fabs(d) < 1e-6 * spacing) return 1;
        const double slope = fmax(shape_gradient(n, s, x, 1e-4 * spacing), 0.1);
        for (int c = 0; c < 3; ++c) x[c] -= d / slope * n[c];
    }
    return fabs(shape_distance(s, x)) < 0.02 * spacing;
}

static void sample_lattice(builder *b, const shape *s, double spacing) {
    const int dim = s->flat ? 2 : 3;
    double lower[3], upper[3], longest = 0;
    int n[3] = {1, 1, 1};
    shape_bounds(lower, upper, s);
    for (int c = 0; c < dim; ++c) {
        if (!isfinite(lower[c]) || !isfinite(upper[c])) return;
        longest = fmax(longest, upper[c] - lower[c]);
    }
    const int most = dim == 3 ? 2 * SIDE_MAX : 16 * SIDE_MAX;
    const double h = fmax(spacing, longest / most);
    b->p->spacing = h;
    for (int c = 0; c < dim; ++c) /* a single row of a slender shape would lie on its axis and find no way */
        n[c] = (int)fmax(2, ceil((upper[c] - lower[c]) / h));
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i) {
                const int at[3] = {i, j, k};
                double x[3] = {0, 0, 0};
                for (int c = 0; c < dim; ++c)
                    x[c] = 0.5 * (lower[c] + upper[c]) + h * (at[c] + 0.5 - 0.5 * n[c]);
                if (fabs(shape_distance(s, x)) < 0.5 * h * sqrt((double)dim) && carry_to_surface(x, s, h))
                    add_point(b, x);
            }
}

/* Corners and edges of the boxes and meshes in a combination, as its parts have them. */
static void collect_parts(builder *b, const shape *s, double spacing) {
    if (s->kind == RHEO_SHAPE_BOX) sample_box(b, s, spacing);
    else if (s->kind == RHEO_SHAPE_MESH && !s->flat) sample_mesh(b, s, spacing);
    for (int i = 0; i < s->child_count; ++i) {
        shape_points own = {0};
        builder part = {.p = &own};
        collect_parts(&part, &s->children[i], spacing);
        for (int k = 0; k < own.count; ++k) add_own(b, s, own.x[k]);
        b->failed |= part.failed;
        mem_free(own.x);
    }
}

/* Those of them that lie on the surface of the whole. */
static void sample_combined(builder *b, const shape *s, double spacing) {
    int kept = 0;
    collect_parts(b, s, spacing);
    for (int i = 0; i < b->p->count; ++i)
        if (fabs(shape_distance(s, b->p->x[i])) < 1e-6 * spacing)
            memmove(b->p->x[kept++], b->p->x[i], sizeof *b->p->x);
    b->p->count = kept;
}

int shape_sample(shape_points *p, const shape *s, double spacing) {
    *p = (shape_points){.spacing = spacing};
    builder b = {.p = p};
    const double scale = uniform_scale(s);
    const int round = s->kind == RHEO_SHAPE_SPHERE || s->kind == RHEO_SHAPE_CAPSULE;
    if (round && scale > 0) sample_round(&b, s, scale, spacing);
    else if (s->kind == RHEO_SHAPE_BOX) sample_box(&b, s, spacing);
    else if (s->kind == RHEO_SHAPE_MESH && !s->flat) sample_mesh(&b, s, spacing);
    else {
        if (s->child_count) sample_combined(&b, s, spacing);
        sample_lattice(&b, s, spacing);
    }
    if (s->kind == RHEO_SHAPE_CYLINDER && scale > 0 && !s->flat) {
        p->round = scale * s->radius;
        from_own(p->axis[0], s, s->a);
        from_own(p->axis[1], s, s->b);
    }
    p->curved = p->radius == 0 && s->kind != RHEO_SHAPE_BOX && s->kind != RHEO_SHAPE_MESH;
    if (b.failed) shape_points_free(p);
    return b.failed ? -1 : 0;
}

void shape_points_free(shape_points *p) {
    mem_free(p->x);
    *p = (shape_points){0};
}
