/* How far a shape reaches from a place: the radius of a ball about it that holds the whole shape.
 *
 *   r = max over the shape's points p of |p - x|
 *
 * exact for primitives and meshes, also turned, moved and scaled alike along all axes; a union reaches as far
 * as its farthest part, a difference at most as its first, an intersection at most as its nearest. Limits:
 * with different scales, a bound that is too large by up to their ratio. */
#include "solid/shape_parts.h"

#include <math.h>
#include "solid/vector.h"

static double away(const double a[3], const double b[3]) {
    double from[3];
    vec_sub(from, a, b);
    return vec_length(from);
}

static double reach_of_box(const shape *s, const double y[3]) {
    double square = 0;
    for (int c = 0; c < (s->flat ? 2 : 3); ++c) {
        const double far = fabs(y[c] - s->a[c]) + s->b[c];
        square += far * far;
    }
    return sqrt(square);
}

/* The farthest point of a circle about `middle` across the unit vector n. */
static double reach_of_circle(const double middle[3], const double n[3], double radius, const double y[3]) {
    double from[3], rest[3];
    vec_sub(from, y, middle);
    const double along = vec_dot(from, n);
    for (int c = 0; c < 3; ++c) rest[c] = from[c] - along * n[c];
    return hypot(along, vec_length(rest) + radius);
}

static double reach_of_cylinder(const shape *s, const double y[3]) {
    double n[3];
    for (int c = 0; c < 3; ++c) n[c] = (s->b[c] - s->a[c]) / s->length;
    return fmax(reach_of_circle(s->a, n, s->radius, y), reach_of_circle(s->b, n, s->radius, y));
}

static double reach_of_mesh(const shape *s, const double y[3]) {
    double most = 0;
    for (size_t v = 0; v < s->mesh.vertex_count; ++v) most = fmax(most, away(s->mesh.vertex[v], y));
    return most + s->half_thickness;
}

static double reach_of_parts(const shape *s, const double y[3]) {
    double reach = shape_radius(&s->children[0], y);
    for (int i = 1; i < s->child_count && s->kind != RHEO_SHAPE_DIFFERENCE; ++i) {
        const double other = shape_radius(&s->children[i], y);
        reach = s->kind == RHEO_SHAPE_UNION ? fmax(reach, other) : fmin(reach, other);
    }
    return reach;
}

/* From y, in the shape's own frame. */
static double reach_own(const shape *s, const double y[3]) {
    switch (s->kind) {
    case RHEO_SHAPE_BOX: return reach_of_box(s, y);
    case RHEO_SHAPE_SPHERE: return away(s->a, y) + s->radius;
    case RHEO_SHAPE_CAPSULE: return fmax(away(s->a, y), away(s->b, y)) + s->radius;
    case RHEO_SHAPE_CYLINDER: return reach_of_cylinder(s, y);
    case RHEO_SHAPE_TORUS: return reach_of_circle(s->a, s->b, s->radius, y) + s->tube;
    case RHEO_SHAPE_PLANE: return INFINITY;
    case RHEO_SHAPE_MESH: return reach_of_mesh(s, y);
    default: return reach_of_parts(s, y);
    }
}

double shape_radius(const shape *s, const double x[3]) {
    if (!s->moved) return reach_own(s, x);
    double from[3], y[3], grow = 0;
    for (int c = 0; c < 3; ++c) from[c] = x[c] - s->centre[c] - s->move[c];
    if (s->flat) from[2] = 0;
    mat_times(y, s->inverse, from);
    for (int c = 0; c < 3; ++c) {
        const double side[3] = {s->forward[c], s->forward[3 + c], s->forward[6 + c]};
        y[c] += s->centre[c];
        grow = fmax(grow, vec_length(side));
    }
    return grow * reach_own(s, y);
}
