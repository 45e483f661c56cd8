/* Mass properties of shapes.
 *
 * Primitives: closed forms in the shape's own frame, then the linear map of its placement, so an ellipsoid is
 * a sphere's moments under S (geom/mass.c). With V the volume and all about the centroid, along the axis n of
 * the round ones and across it: box        V = 8 hx hy hz             S = V/3 diag(hx^2, hy^2, hz^2) sphere
 * V = 4/3 pi r^3             S = V r^2/5 cylinder   V = pi r^2 L               along V L^2/12, across V r^2/4
 *   capsule    cylinder and two half balls: V (3/8 r)^2 taken off a half ball's, its centroid at L/2 + 3/8 r
 *   torus      V = 2 pi^2 R t^2 (t < R)   along V t^2/4, across V (R^2/2 + 3 t^2/8)
 * A mesh by the divergence theorem. In the plane a box and a disc in closed form, `depth` deep.
 *
 * Everything else by quadrature of its signed distance d: a cell of an octree that |d| at its middle shows to
 * be clear of the surface (d is 1-Lipschitz) counts in full or not at all, others are split down to 2^-8 of
 * the longest side (2^-12 in the plane), where the share of negative values of the trilinear d counts. That
 * is of second order in the cell; extrapolation from the depth before leaves less than 1e-4 of everything. */
#include <math.h>
#include <string.h>
#include "geom/fractions.h"
#include "geom/mass.h"
#include "solid/shape_parts.h"
#include "solid/vector.h"

enum { DEPTH_SPACE = 8, DEPTH_PLANE = 12 };

/* a n n^T + b (1 - n n^T) */
static void set_round(double second[9], const double n[3], double along, double across) {
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            second[3 * r + c] = (along - across) * n[r] * n[c] + (r == c ? across : 0);
}

static void unit_axis(double n[3], const shape *s) {
    for (int c = 0; c < 3; ++c) n[c] = s->length > 0 ? (s->b[c] - s->a[c]) / s->length : c == 0;
}

static void moments_of_capsule(moments *m, const shape *s) {
    const double r = s->radius, tube = M_PI * r * r * s->length, half = 2 * M_PI / 3 * r * r * r;
    const double out = 0.5 * s->length + 0.375 * r; /* of a half ball's centroid */
    const double along = half * (r * r / 5 - 0.140625 * r * r + out * out);
    double n[3];
    unit_axis(n, s);
    m->volume = tube + 2 * half;
    set_round(m->second, n, tube * s->length * s->length / 12 + 2 * along,
              tube * r * r / 4 + 2 * half * r * r / 5);
}

static void moments_of_cylinder(moments *m, const shape *s) {
    double n[3];
    unit_axis(n, s);
    m->volume = M_PI * s->radius * s->radius * s->length;
    set_round(m->second, n, m->volume * s->length * s->length / 12, m->volume * s->radius * s->radius / 4);
}

static void moments_of_torus(moments *m, const shape *s) {
    const double ring = s->radius * s->radius, tube = s->tube * s->tube;
    m->volume = 2 * M_PI * M_PI * s->radius * tube;
    set_round(m->second, s->b, m->volume * tube / 4, m->volume * (ring / 2 + 3 * tube / 8));
}

static void moments_of_box(moments *m, const shape *s) {
    m->volume = 8 * s->b[0] * s->b[1] * s->b[2];
    for (int c = 0; c < 3; ++c) m->second[4 * c] = m->volume / 3 * s->b[c] * s->b[c];
}

static void moments_of_sphere(moments *m, const shape *s) {
    m->volume = 4 * M_PI / 3 * s->radius * s->radius * s->radius;
    for (int c = 0; c < 3; ++c) m->second[4 * c] = m->volume / 5 * s->radius * s->radius;
}

/* Quadrature
 * --------------------------------------------------------------------------------------------------- */

typedef struct {
    const shape *s;
    const double *origin; /* about which sums are taken */
    int dim, deepest;
    double depth; /* of a flat shape */
    double volume, first[3], second[9];
} quadrature;

static void count_cell(quadrature *q, const double middle[3], double half, double share) {
    const double side = 2 * half, volume = share * side * side * (q->dim == 3 ? side : q->depth);
    double x[3];
    vec_sub(x, middle, q->origin);
    q->volume += volume;
    for (int r = 0; r < q->dim; ++r) {
        q->first[r] += volume * x[r];
        for (int c = 0; c < q->dim; ++c)
            q->second[3 * r + c] += volume * (x[r] * x[c] + (r == c ? side * side / 12 : 0));
    }
}

/* A cell that the surface cuts: the share of negative values, and it lies to the side where d falls. Taken as
 * a slab across the gradient, its middle is (1 - share) half sides that way. */
static void count_cut_cell(quadrature *q, const double middle[3], double half) {
    double corner[8] = {0}, n[3] = {0, 0, 0}, x[3];
    for (int k = 0; k < 1 << q->dim; ++k) {
        for (int a = 0; a < 3; ++a) x[a] = middle[a] + (a >= q->dim ? 0 : k >> a & 1 ? half : -half);
        corner[k] = shape_distance(q->s, x);
        for (int a = 0; a < q->dim; ++a) n[a] += k >> a & 1 ? corner[k] : -corner[k];
    }
    const double share = fraction_negative_cube(corner, q->dim), slope = vec_length(n);
    for (int a = 0; a < 3; ++a) x[a] = middle[a] - (slope > 0 ? (1 - share) * half * n[a] / slope : 0);
    count_cell(q, x, half, share);
}

static void visit(quadrature *q, const double middle[3], double half, int level) {
    const double d = shape_distance(q->s, middle), reach = half * sqrt((double)q->dim);
    if (d > reach) return;
    if (d < -reach) {
        count_cell(q, middle, half, 1);
        return;
    }
    if (level == q->deepest) {
        count_cut_cell(q, middle, half);
        return;
    }
    for (int k = 0; k < 1 << q->dim; ++k) {
        double x[3];
        for (int a = 0; a < 3; ++a) x[a] = middle[a] + (a >= q->dim ? 0 : (k >> a & 1 ? 0.5 : -0.5) * half);
        visit(q, x, 0.5 * half, level + 1);
    }
}

/* What the cells' size to the second power adds is taken off. */
static void extrapolate(quadrature *fine, const quadrature *coarse) {
    fine->volume += (fine->volume - coarse->volume) / 3;
    for (int r = 0; r < 3; ++r) fine->first[r] += (fine->first[r] - coarse->first[r]) / 3;
    for (int e = 0; e < 9; ++e) fine->second[e] += (fine->second[e] - coarse->second[e]) / 3;
}

/* The cube about a shape's bounds, in the scene's frame; -1 when they have no end. */
static int enclose(double middle[3], double *half, const shape *s) {
    double lower[3], upper[3];
    *half = 0;
    shape_bounds(lower, upper, s);
    for (int a = 0; a < 3; ++a) {
        middle[a] = 0;
        if (a == 2 && s->flat) continue;
        if (!isfinite(lower[a]) || !isfinite(upper[a])) return -1;
        middle[a] = 0.5 * (lower[a] + upper[a]);
        *half = fmax(*half, 0.5 * (upper[a] - lower[a]));
    }
    *half *= 1 + 1e-3; /* surfaces on the bounds fall within cells, not on their faces */
    return 0;
}

/* In the scene's frame: the distance knows the placement. */
static int moments_by_quadrature(moments *m, const shape *s, double depth) {
    double middle[3], half;
    if (enclose(middle, &half, s)) return -1;
    quadrature q = {.s = s, .origin = middle, .dim = s->flat ? 2 : 3, .depth = depth};
    q.deepest = q.dim == 3 ? DEPTH_SPACE : DEPTH_PLANE;
    quadrature coarse = q;
    coarse.deepest -= 1;
    visit(&q, middle, half, 0);
    visit(&coarse, middle, half, 0);
    extrapolate(&q, &coarse);
    if (!(q.volume > 0)) return -1;
    m->volume = q.volume;
    for (int r = 0; r < 3; ++r) m->centre[r] = middle[r] + q.first[r] / q.volume;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            m->second[3 * r + c] = q.second[3 * r + c] - q.first[r] * q.first[c] / q.volume;
    return 0;
}

/* A box or disc of the plane as a prism; its own z extent means nothing. -1: neither. */
static int moments_flat(moments *m, const shape *s, double depth) {
    if (s->kind == RHEO_SHAPE_BOX) {
        m->volume = 4 * s->b[0] * s->b[1] * depth;
        for (int c = 0; c < 2; ++c) m->second[4 * c] = m->volume / 3 * s->b[c] * s->b[c];
    } else if (s->kind == RHEO_SHAPE_SPHERE) {
        m->volume = M_PI * s->radius * s->radius * depth;
        for (int c = 0; c < 2; ++c) m->second[4 * c] = m->volume / 4 * s->radius * s->radius;
    } else {
        return -1;
    }
    return 0;
}

static int moments_own(moments *m, const shape *s, double depth) {
    memcpy(m->centre, s->centre, sizeof m->centre);
    if (s->flat) return moments_flat(m, s, depth);
    switch (s->kind) {
    case RHEO_SHAPE_BOX: moments_of_box(m, s); break;
    case RHEO_SHAPE_SPHERE: moments_of_sphere(m, s); break;
    case RHEO_SHAPE_CAPSULE: moments_of_capsule(m, s); break;
    case RHEO_SHAPE_CYLINDER: moments_of_cylinder(m, s); break;
    case RHEO_SHAPE_TORUS:
        if (s->tube >= s->radius) return -1; /* a spindle: its parts overlap */
        moments_of_torus(m, s);
        break;
    case RHEO_SHAPE_MESH: moments_of_mesh(m, &s->mesh); break;
    default: return -1;
    }
    return 0;
}

int shape_moments(moments *m, const shape *s, double depth) {
    double to[3];
    *m = (moments){0};
    if (moments_own(m, s, depth)) {
        *m = (moments){0};
        if (moments_by_quadrature(m, s, depth)) return -1;
    } else {
        shape_centre(to, s);
        moments_map(m, s->forward, s->centre, to);
    }
    if (s->flat) { /* a slab of the plane about z = 0 */
        m->centre[2] = 0;
        for (int c = 0; c < 3; ++c) m->second[6 + c] = m->second[3 * c + 2] = 0;
        m->second[8] = m->volume * depth * depth / 12;
    }
    return 0;
}

/* Whether a point of s lies in the cube: its middle or, `levels` of halving down, that of a part. */
static int holds_any(const shape *s, const double middle[3], double half, int levels) {
    const int dim = s->flat ? 2 : 3;
    const double d = shape_distance(s, middle);
    if (d < 0) return 1;
    if (levels == 0 || d > half * sqrt((double)dim)) return 0;
    for (int k = 0; k < 1 << dim; ++k) {
        double x[3];
        for (int a = 0; a < 3; ++a) x[a] = middle[a] + (a >= dim ? 0 : (k >> a & 1 ? 0.5 : -0.5) * half);
        if (holds_any(s, x, 0.5 * half, levels - 1)) return 1;
    }
    return 0;
}

int shape_is_empty(const shape *s) {
    double middle[3], half;
    if (s->kind == RHEO_SHAPE_UNION) {
        for (int i = 0; i < s->child_count; ++i)
            if (!shape_is_empty(&s->children[i])) return 0;
        return 1;
    }
    if (s->kind != RHEO_SHAPE_DIFFERENCE && s->kind != RHEO_SHAPE_INTERSECTION) return 0;
    if (enclose(middle, &half, s)) return 0;
    return !holds_any(s, middle, half, s->flat ? DEPTH_PLANE : DEPTH_SPACE);
}
