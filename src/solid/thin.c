/* Ways past thin solids.
 *
 * A signed distance d never changes faster than its argument moves, so from a place at distance d the solid
 * is at least d away in every direction: marching by d - 0.9 skin along a straight way (sphere tracing, Hart
 * 1996) cannot step over a wall, however thin, and ends either at the goal or at 0.9 to 1 skin from the wall.
 * The way of a particle is straight in the frame of the solid, from where it was beside the solid's old place
 * to where it is beside the new one: a wall that moves or turns sweeps it along. What is left of the way
 * behind a touch loses its part across the surface and is tried again.
 *
 * Limits: a way that is not done after MARCH steps ends where it is; a slide goes around at most SLIDES
 * corners in a step. */
#include "solid/thin.h"

#include <math.h>
#include <string.h>
#include "solid/sample.h"
#include "solid/tuning.h"
#include "solid/vector.h"

enum { MARCH = 96, SLIDES = 4, POINTS = 800 };

static double own_distance(const obstacle *o, const double y[3]) {
    const double d = shape_distance(o->shape, y);
    return o->def->inside_fluid ? -d : d;
}

static void outward(double n[3], const obstacle *o, const double y[3], double step) {
    shape_gradient(n, o->shape, y, step);
    for (int c = 0; c < 3 && o->def->inside_fluid; ++c) n[c] = -n[c];
}

static void step_in(double y[3], const double x[3], double depth, const double n[3]) {
    for (int c = 0; c < 3; ++c) y[c] = x[c] - depth * n[c];
}

/* Thickness below the surface point x with outward normal n, up to `most`. */
static double thickness_at(const obstacle *o, const double x[3], const double n[3], double most) {
    double depth = 1e-3 * most;
    while (depth < most) {
        double y[3];
        step_in(y, x, depth, n);
        const double d = own_distance(o, y);
        if (d >= 0) return depth;
        depth += fmax(-d, 0.01 * most);
    }
    return most;
}

/* Whether what is `thick` below x is the edge or the tip of something thicker. Two faces that meet at an
 * angle a, with outward normals n and m, widen along -(n + m), and |n + m| = 2 sin(a / 2); those of a plate
 * do not. A ball as thick as `most` must then find room that way, or, where a third face is near that way
 * (the end of a wedge), farther from this one. */
static int is_edge(const obstacle *o, const double x[3], const double n[3], double thick, double most) {
    double far[3], m[3], middle[3], y[3];
    step_in(far, x, thick, n);
    outward(m, o, far, 1e-3 * most);
    for (int c = 0; c < 3; ++c) m[c] += n[c];
    const double opening = vec_length(m);
    if (!(opening > 2 * THIN_EDGE)) return 0;
    for (int c = 0; c < 3; ++c) m[c] /= opening;
    step_in(middle, x, 0.5 * thick, n);
    double deepest = 0, best[3] = {middle[0], middle[1], middle[2]};
    for (double way = 0;
         way * THIN_EDGE < 0.5 * most;) { /* sphere tracing from within: the ball is there or ahead */
        step_in(y, middle, way, m);
        const double depth = -own_distance(o, y);
        if (depth >= 0.5 * most) return 1;
        if (depth <= 0) break;
        if (depth > 0.99 * deepest) memcpy(best, y, sizeof best); /* the last of those beside a third face */
        deepest = fmax(deepest, depth);
        way += fmax(0.5 * most - depth, 0.01 * most);
    }
    outward(m, o, best, 1e-3 * most);
    step_in(y, best, 0.5 * most, m);
    return -own_distance(o, y) >= 0.5 * most;
}

/* Whether the surface bends at x: its normal there is none of its faces', and what is below says nothing. */
static int is_bend(const obstacle *o, const double x[3], const double n[3], double thick, double most) {
    const double depth = fmin(0.02 * most, 0.25 * thick);
    double y[3];
    step_in(y, x, depth, n);
    return -own_distance(o, y) < 0.9 * depth;
}

int obstacle_is_thin(const obstacle *o, double dx, int dim) {
    if (shape_is_sheet(o->shape)) return 1;
    double lower[3], upper[3], longest = 0;
    shape_bounds(lower, upper, o->shape);
    for (int a = 0; a < dim; ++a) longest = fmax(longest, upper[a] - lower[a]);
    if (!isfinite(longest)) return 0;
    /* what slips between nodes closes no face; small discs hardly ever do, and thin ones rise slowly */
    const double least = (dim == 2 && longest < 3 * dx ? SLIPS_FLAT : sqrt((double)dim)) * dx;
    shape_points points;
    if (shape_sample(&points, o->shape, dx)) return -1;
    int thin = 0, looked = 0, bends = 0;
    const int every = points.count / POINTS + 1;
    for (int i = 0; i < points.count && points.radius == 0; i += every) {
        double n[3];
        outward(n, o, points.x[i], 1e-3 * dx);
        if (n[0] == 0 && n[1] == 0 && n[2] == 0) continue;
        const double thick = thickness_at(o, points.x[i], n, least);
        const int is_thin = thick < least && !is_edge(o, points.x[i], n, thick, least);
        const int bend = is_thin && is_bend(o, points.x[i], n, thick, least);
        looked += !bend;
        thin += is_thin && !bend;
        bends += bend;
    }
    if (looked == 0) thin = looked = bends; /* small things may have no others */
    if (points.radius > 0) thin = looked = !o->def->inside_fluid && 2 * points.radius < least;
    shape_points_free(&points);
    return thin > 0 && thin * 20 >= looked;
}

/* From `at` towards `goal`, both in the solid's frame; 1 when it got there, else `at` is 0.9 to 1 skin away.
 */
static int march(double at[3], const obstacle *o, const double goal[3], double skin) {
    double way[3];
    vec_sub(way, goal, at);
    const double length = vec_length(way);
    if (!(length > 0)) return own_distance(o, at) >= skin;
    double gone = 0;
    for (int step = 0; step < MARCH; ++step) {
        const double d = own_distance(o, at);
        if (d < skin) return 0;
        if (d - skin >= length - gone) { /* the goal, and all on the way, is in the ball without walls */
            memcpy(at, goal, 3 * sizeof *at);
            return 1;
        }
        gone = fmin(gone + d - 0.9 * skin, length);
        for (int c = 0; c < 3; ++c) at[c] = goal[c] - way[c] * (1 - gone / length);
        if (gone >= length) return own_distance(o, at) >= skin;
    }
    return 0;
}

/* Into the frame in which the scene file has the shape, and back. */
static void to_own(double y[3], const obstacle *o, const placement *p, const double x[3]) {
    double from[3], centre[3];
    memcpy(y, x, 3 * sizeof *y);
    if (o->def->motion == RHEO_STATIC) return;
    vec_sub(from, x, p->position);
    shape_centre(centre, o->shape);
    for (int c = 0; c < 3; ++c)
        y[c] = centre[c] + p->rotation[c] * from[0] + p->rotation[3 + c] * from[1] +
               p->rotation[6 + c] * from[2];
}
static void to_world(double x[3], const obstacle *o, const placement *p, const double y[3]) {
    double from[3], centre[3];
    memcpy(x, y, 3 * sizeof *x);
    if (o->def->motion == RHEO_STATIC) return;
    shape_centre(centre, o->shape);
    vec_sub(from, y, centre);
    mat_times(x, p->rotation, from);
    for (int c = 0; c < 3; ++c) x[c] += p->position[c];
}

double obstacle_bare_distance(const obstacle *o, const double x[3]) {
    double y[3];
    to_own(y, o, &o->now, x);
    return own_distance(o, y);
}

int obstacle_hides(const obstacle *o, const double from[3], const double to[3], double skin) {
    double at[3], goal[3];
    to_own(at, o, &o->now, from);
    to_own(goal, o, &o->now, to);
    return !march(at, o, goal, skin);
}

/* Away from the surface to a skin's distance; a step that would lead nearer is not taken. */
static void lift(double y[3], const double n[3], const obstacle *o, double skin) {
    const double d = own_distance(o, y);
    double up[3];
    for (int c = 0; c < 3; ++c) up[c] = y[c] + (1.5 * skin - d) * n[c];
    if (own_distance(o, up) > d) memcpy(y, up, sizeof up);
}

/* Whether the way leads past the ball around a body, wherever that goes meanwhile. What turns far in a step
 * sees the straight ways of others as chords, which may cross it though nothing came near. */
static int goes_past(const obstacle *o, const placement *then, const double from[3], const double to[3],
                     double skin) {
    double first[3], last[3], way[3], nearest[3];
    if (!o->body) return 0;
    vec_sub(first, from, then->position);
    vec_sub(last, to, o->now.position);
    if (o->body->flat) first[2] = last[2] = 0;
    vec_sub(way, last, first);
    const double length2 = vec_dot(way, way);
    const double part = length2 > 0 ? fmin(fmax(-vec_dot(first, way) / length2, 0), 1) : 0;
    for (int c = 0; c < 3; ++c) nearest[c] = first[c] + part * way[c];
    return vec_length(nearest) > o->body->radius + 2 * skin;
}

int obstacle_block_path(double to[3], double normal[3], const obstacle *o, const placement *then,
                        const double from[3], double skin) {
    double at[3], goal[3], n[3] = {0, 0, 0};
    int touched = 0;
    if (goes_past(o, then, from, to, skin)) return 0;
    to_own(at, o, then, from);
    to_own(goal, o, &o->now, to);
    for (int slide = 0; slide <= SLIDES; ++slide) {
        if (march(at, o, goal, skin)) break;
        touched = 1;
        outward(n, o, at, 0.1 * skin);
        double rest[3];
        vec_sub(rest, goal, at);
        lift(at, n, o, skin);
        const double into = fmin(vec_dot(rest, n), 0);
        for (int c = 0; c < 3; ++c) goal[c] = at[c] + rest[c] - into * n[c];
    }
    if (!touched) return 0;
    to_world(to, o, &o->now, at);
    if (o->def->motion == RHEO_STATIC) memcpy(normal, n, sizeof n);
    else mat_times(normal, o->now.rotation, n);
    return 1;
}
