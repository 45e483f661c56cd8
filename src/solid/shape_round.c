/* About which lines a shape is round: normals of its surface meet such a line, or are parallel to it, so no
 * pressure turns the shape about it and no turn about it moves liquid.
 *
 * A sphere is round about every line through its centre, an ellipsoid with two equal scales about the third
 * axis, a capsule, cylinder or torus about its own where scales across it are equal. Of a plane scene's
 * shapes only turns about z count: discs and rings are as round as a sphere.
 *
 * Limits: boxes, meshes and combinations count as round about nothing. */
#include "solid/shape_parts.h"

#include <math.h>
#include "solid/vector.h"

static int are_equal(double a, double b) {
    return fabs(a - b) <= 1e-9 * (a + b);
}

/* How long an edge of the unit cube becomes. */
static double scale_along(const shape *s, int c) {
    const double side[3] = {s->forward[c], s->forward[3 + c], s->forward[6 + c]};
    return vec_length(side);
}

/* The axis across which scales are equal, -1: all are, -2: none are. */
static int odd_scale(const shape *s) {
    const double scale[3] = {scale_along(s, 0), scale_along(s, 1), scale_along(s, 2)};
    int odd = -2, pairs = 0;
    for (int c = 0; c < 3; ++c)
        if (are_equal(scale[(c + 1) % 3], scale[(c + 2) % 3])) odd = c, ++pairs;
    return pairs == 3 ? -1 : odd;
}

static roundness round_sphere(double axis[3], const shape *s) {
    const int odd = odd_scale(s);
    if (odd == -1) return ROUND_BALL;
    if (odd < 0) return NOT_ROUND;
    for (int r = 0; r < 3; ++r) axis[r] = s->forward[3 * r + odd] / scale_along(s, odd);
    return ROUND_AXIS;
}

/* One that is round about `own` before it is scaled. */
static roundness round_about(double axis[3], const shape *s, const double own[3]) {
    const int odd = odd_scale(s);
    const double size = vec_length(own);
    if (odd == -2 || (odd >= 0 && !are_equal(fabs(own[odd]), size))) return NOT_ROUND;
    mat_times(axis, s->forward, own);
    const double length = vec_length(axis);
    for (int r = 0; r < 3; ++r) axis[r] /= length;
    return ROUND_AXIS;
}

static roundness round_flat(const shape *s) {
    const int even = are_equal(scale_along(s, 0), scale_along(s, 1));
    const int disc = s->kind == RHEO_SHAPE_SPHERE || (s->kind == RHEO_SHAPE_CAPSULE && !(s->length > 0));
    const int ring = s->kind == RHEO_SHAPE_TORUS && are_equal(fabs(s->b[2]), 1);
    return even && (disc || ring) ? ROUND_BALL : NOT_ROUND;
}

roundness shape_round(double axis[3], const shape *s) {
    double own[3];
    axis[0] = axis[1] = axis[2] = 0;
    if (s->flat) return round_flat(s);
    switch (s->kind) {
    case RHEO_SHAPE_SPHERE: return round_sphere(axis, s);
    case RHEO_SHAPE_TORUS: return round_about(axis, s, s->b);
    case RHEO_SHAPE_CAPSULE:
    case RHEO_SHAPE_CYLINDER:
        if (!(s->length > 0)) return round_sphere(axis, s);
        vec_sub(own, s->b, s->a);
        return round_about(axis, s, own);
    default: return NOT_ROUND;
    }
}

int shape_is_ball(const shape *s) {
    double axis[3];
    return s->kind == RHEO_SHAPE_SPHERE && shape_round(axis, s) == ROUND_BALL;
}
