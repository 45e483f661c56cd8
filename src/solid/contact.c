/* Contact by signed distance.
 *
 *   touch: a surface point x of one solid with d(x) - radius < reach, d the other's distance; normal = grad
 * d.
 *
 * Both solids are asked about each other, so a corner on a face is found whichever has the corner. Distances
 * exist for every shape, concave ones and the inside of containers included, and are exact or never too large
 * in size.
 *
 * Points lie `spacing` apart. On smooth surfaces the deepest one may lie between them: touch_refine() walks
 * it there along the surface. The side of a cylinder has its deepest point right across its axis from the
 * normal, exactly: what a walked one is off brakes what rolls.
 *
 * Of many contacts a few are enough to hold a body: the deepest one and those that span the widest.
 *
 * Source: ours; docs/theory-bodies.md.
 *
 * Limits: edges of concave shapes that cross between points are found late by up to spacing^2 / (8 length);
 * the spacing is half a cell or less. */
#include "solid/contact.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "solid/tuning.h"
#include "solid/vector.h"

#define POINT_OFF 1e-3 /* of the spacing: what a point on a surface may be off it */

/* From the walls of a convex hollow the distance is concave: what is in it comes nearest to them with points
 * and edges of its own. The hollow's points would only find those edges, which have no normal: one beside the
 * rim of a plug held it from above, and it fell or stood whatever pressure there was. */
static bool is_convex(rheo_shape_kind kind) {
    return kind == RHEO_SHAPE_BOX || kind == RHEO_SHAPE_SPHERE || kind == RHEO_SHAPE_CAPSULE ||
           kind == RHEO_SHAPE_CYLINDER || kind == RHEO_SHAPE_PLANE;
}

int thing_make(thing *t, const rheo_solid *def, const shape *s, const body *b, double spacing) {
    *t = (thing){.def = def, .shape = s, .body = b, .endless = def->inside_fluid};
    double lower[3], upper[3];
    shape_bounds(lower, upper, s);
    const int dim = shape_is_flat(s) ? 2 : 3;
    for (int c = 0; c < dim; ++c) {
        t->own_middle[c] = 0.5 * (lower[c] + upper[c]);
        t->half[c] = 0.5 * (upper[c] - lower[c]);
        if (!isfinite(t->own_middle[c] + t->half[c])) t->endless = true;
        t->radius += t->half[c] * t->half[c];
    }
    t->radius = t->endless ? INFINITY : sqrt(t->radius);
    double longest = fmax(t->half[0], fmax(t->half[1], t->half[2]));
    if (isfinite(longest)) spacing = fmax(spacing, longest / 24);
    if (shape_sample(&t->points, s, spacing)) return -1;
    if (def->inside_fluid && is_convex(def->shape.kind)) t->points.count = 0;
    if (def->inside_fluid) t->points.round = 0; /* nothing rolls on the outside of a tube */
    t->at = mem_alloc((size_t)(t->points.count + 1) * sizeof *t->at);
    if (t->at) return 0;
    thing_free(t);
    return -1;
}

void thing_free(thing *t) {
    shape_points_free(&t->points);
    mem_free(t->at);
    *t = (thing){0};
}

static void place_point(double x[3], const thing *t, const double own[3]) {
    double centre[3], from[3];
    shape_centre(centre, t->shape);
    vec_sub(from, own, centre);
    mat_times(x, t->now.rotation, from);
    for (int c = 0; c < 3; ++c) x[c] += t->now.position[c];
}

void thing_place(thing *t, double time, double dt) {
    t->now = t->body ? body_placement(t->body) : placement_of_solid(t->def, t->shape, time, dt);
    if (!t->endless) place_point(t->middle, t, t->own_middle);
    for (int i = 0; i < t->points.count; ++i) place_point(t->at[i], t, t->points.x[i]);
}

/* The turned bounds hold the shape and are exact where it stands as in the scene file; its points are near
 * the truth however it turns, on smooth surfaces short of it by a part of their spacing. */
void thing_bounds(double lower[3], double upper[3], const thing *t) {
    thing here = *t;
    double middle[3], x[3];
    if (t->body) here.now = body_placement(t->body);
    place_point(middle, &here, t->own_middle);
    const double slack = t->points.radius + (t->points.curved ? 0.25 * t->points.spacing : 0);
    for (int c = 0; c < 3; ++c) lower[c] = INFINITY, upper[c] = -INFINITY;
    for (int i = 0; i < t->points.count; ++i) {
        place_point(x, &here, t->points.x[i]);
        for (int c = 0; c < 3; ++c) {
            lower[c] = fmin(lower[c], x[c] - slack);
            upper[c] = fmax(upper[c], x[c] + slack);
        }
    }
    for (int c = 0; c < 3; ++c) {
        double reach = 0;
        for (int k = 0; k < 3; ++k) reach += fabs(here.now.rotation[3 * c + k]) * t->half[k];
        lower[c] = fmax(t->points.count ? lower[c] : -INFINITY, middle[c] - reach);
        upper[c] = fmin(t->points.count ? upper[c] : INFINITY, middle[c] + reach);
    }
}

double thing_distance(const thing *t, const double x[3]) {
    const double d = placement_distance(&t->now, t->shape, x);
    return t->def->inside_fluid ? -d : d;
}

void thing_velocity(double u[3], const thing *t, const double x[3]) {
    placement_velocity(u, &t->now, x);
}

double thing_speed(const thing *t) {
    const double turn = vec_length(t->now.spin);
    if (t->endless) return vec_length(t->now.velocity) + (turn > 0 ? INFINITY : 0);
    double u[3];
    thing_velocity(u, t, t->middle);
    return vec_length(u) + turn * t->radius;
}

/* Out of the solid; returns the slope of the distance. */
static double thing_normal(double n[3], const thing *t, const double x[3], double step) {
    double from[3], own[3], y[3], centre[3];
    const double *r = t->now.rotation;
    shape_centre(centre, t->shape);
    vec_sub(from, x, t->now.position);
    for (int c = 0; c < 3; ++c) y[c] = centre[c] + r[c] * from[0] + r[3 + c] * from[1] + r[6 + c] * from[2];
    const double slope = shape_gradient(own, t->shape, y, step);
    mat_times(n, r, own);
    if (t->def->inside_fluid)
        for (int c = 0; c < 3; ++c) n[c] = -n[c];
    return slope;
}

void touch_add(touch_list *list, const touch *t) {
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 256;
        void *grown = mem_grow(list->item, (size_t)list->capacity * sizeof *list->item,
                               (size_t)capacity * sizeof *list->item);
        if (!grown) {
            list->failed = 1;
            return;
        }
        list->item = grown;
        list->capacity = capacity;
    }
    list->item[list->count++] = *t;
}

/* A lower bound of the distance from x to a bounded thing, without asking its shape. */
static double beyond_bounds(const thing *t, const double x[3]) {
    double from[3], out = 0;
    if (t->endless) return 0;
    const double *r = t->now.rotation;
    vec_sub(from, x, t->middle);
    for (int c = 0; c < 3; ++c) {
        const double along = r[c] * from[0] + r[3 + c] * from[1] + r[6 + c] * from[2];
        const double q = fabs(along) - t->half[c];
        if (q > 0 && t->half[c] > 0) out += q * q;
    }
    return sqrt(out);
}

/* The distance of x to a thing whose own is only a bound (slope below 1), by walking to its surface; n is the
 * way back. */
static double walk_distance(double n[3], const thing *t, const double x[3], double slope, double step) {
    double p[3] = {x[0], x[1], x[2]}, on[3] = {n[0], n[1], n[2]};
    for (int round = 0; round < 6; ++round) {
        const double d = thing_distance(t, p) / fmax(slope, 0.1);
        for (int c = 0; c < 3; ++c) p[c] -= d * on[c];
        slope = thing_normal(on, t, p, step);
    }
    vec_sub(n, x, p);
    const double length = vec_length(n);
    for (int c = 0; c < 3; ++c) n[c] = length > 0 ? n[c] / length : on[c];
    return length;
}

/* Points of `a` in or near the other; `swap`: the roles in the result are exchanged. */
static void points_against(touch_list *list, const thing *things, int a, int b, bool swap, double reach,
                           double near, double step) {
    const thing *from = &things[a], *to = &things[b];
    const double radius = from->points.radius;
    for (int i = 0; i < from->points.count; ++i) {
        const double *x = from->at[i];
        if (beyond_bounds(to, x) > reach + radius) continue;
        double gap = thing_distance(to, x) - radius;
        if (!(gap < reach)) continue;
        double n[3] = {0, 0, 0}, slope = gap < near ? thing_normal(n, to, x, step) : 1;
        if (!(slope > 0)) continue; /* no way out: the middle of a ball */
        if (radius > 0 && slope < 0.99 && gap > -radius) gap = walk_distance(n, to, x, slope, step) - radius;
        touch t = {.a = swap ? b : a, .b = swap ? a : b, .gap = gap, .of_b = swap};
        for (int c = 0; c < 3; ++c) {
            t.normal[c] = swap ? -n[c] : n[c];
            t.point[c] = x[c] - (radius + 0.5 * gap) * n[c];
        }
        touch_add(list, &t);
    }
}

void touch_pair(touch_list *list, const thing *things, int a, int b, double reach, double near, double step) {
    const thing *p = &things[a], *q = &things[b];
    double between[3];
    vec_sub(between, p->middle, q->middle);
    if (!p->endless && !q->endless && vec_length(between) > p->radius + q->radius + reach) return;
    points_against(list, things, a, b, false, reach, near, step);
    const bool both_balls = p->points.count == 1 && q->points.count == 1; /* one question has said it all */
    if (!both_balls) points_against(list, things, b, a, true, reach, near, step);
}

void touch_side(touch_list *list, const thing *things, int a, int side, double place, double reach) {
    const thing *t = &things[a];
    const int axis = side / 2;
    const double out = side % 2 ? -1 : 1; /* the normal into the domain */
    if (out * (t->middle[axis] - place) - t->radius > reach) return;
    for (int i = 0; i < t->points.count; ++i) {
        const double gap = out * (t->at[i][axis] - place) - t->points.radius;
        if (!(gap < reach)) continue;
        touch found = {.a = a, .b = SIDE_OF_DOMAIN + side, .gap = gap};
        memcpy(found.point, t->at[i], sizeof found.point);
        found.point[axis] = place + 0.5 * out * gap;
        found.normal[axis] = out;
        touch_add(list, &found);
    }
}

/* How different the two are: the way between them, and that of their ends on a ball of `size` along the
 * normals. */
static double distance_between(const touch *p, const touch *q, double size) {
    double from[3], turn[3];
    vec_sub(from, p->point, q->point);
    vec_sub(turn, p->normal, q->normal);
    return vec_length(from) + size * vec_length(turn);
}

bool touch_surrounds(const touch_list *list, int first) {
    for (int i = first + 1; i < list->count; ++i)
        if (vec_dot(list->item[i].normal, list->item[first].normal) < SURROUNDED_COSINE) return true;
    return false;
}

void touch_choose(touch_list *list, int first, int most, double size) {
    const int count = list->count - first;
    if (count <= 0) return;
    touch *item = list->item + first;
    int chosen = 0;
    while (chosen < count && chosen < most) {
        int best = -1;
        double value = chosen ? 0 : -INFINITY;
        for (int i = chosen; i < count; ++i) {
            double v = chosen ? INFINITY : -item[i].gap;
            for (int k = 0; k < chosen; ++k) v = fmin(v, distance_between(&item[i], &item[k], size));
            if (v > value) {
                value = v;
                best = i;
            }
        }
        if (best < 0) break;
        const touch t = item[best];
        item[best] = item[chosen];
        item[chosen++] = t;
    }
    list->count = first + chosen;
}

/* Refining
 * ----------------------------------------------------------------------------------------------------- */

/* The gap at x to what stands across: a thing, or a side of the domain through `on` with the normal n. */
static double gap_across(const thing *other, const double on[3], const double n[3], const double x[3]) {
    if (other) return thing_distance(other, x);
    double from[3];
    vec_sub(from, x, on);
    return vec_dot(from, n);
}

/* Back onto the surface: along its normal where the step began, or, where that leads past an edge, along
 * those on the way, which end on the edge. False: not there. */
static bool settle_on(double x[3], const thing *t, const double n[3], double slope, double spacing) {
    double way[3] = {n[0], n[1], n[2]};
    for (int round = 0; round < 6; ++round) {
        const double d = thing_distance(t, x);
        if (round >= 2 && fabs(d) < POINT_OFF * spacing) return true;
        if (round >= 2) slope = thing_normal(way, t, x, 1e-3 * spacing);
        for (int c = 0; c < 3; ++c) x[c] -= d / fmax(slope, 0.1) * way[c];
    }
    return fabs(thing_distance(t, x)) < POINT_OFF * spacing;
}

/* Steepest descent of the gap along the surface of `own` from x, no farther than half way to the next point,
 * so that what lies flat keeps contacts all over; n is the normal of what stands across. */
static double walk_deeper(double x[3], double n[3], const thing *own, const thing *other, const double on[3],
                          double spacing) {
    const double start[3] = {x[0], x[1], x[2]};
    double step = 0.3 * spacing, gap = gap_across(other, on, n, x), gone[3];
    for (int round = 0; round < 7; ++round) {
        double surface[3], down[3], next[3], slope = 0;
        const double own_slope = thing_normal(surface, own, x, 1e-3 * spacing);
        if (other) thing_normal(n, other, x, 1e-3 * spacing);
        const double along = vec_dot(n, surface);
        for (int c = 0; c < 3; ++c) {
            down[c] = n[c] - along * surface[c];
            slope += down[c] * down[c];
        }
        slope = sqrt(slope);
        if (slope < 1e-6) break;
        for (int c = 0; c < 3; ++c) next[c] = x[c] - step * down[c] / slope;
        const bool settled = settle_on(next, own, surface, own_slope, spacing);
        const double there = gap_across(other, on, n, next);
        vec_sub(gone, next, start);
        if (settled && there < gap && vec_length(gone) < 0.6 * spacing) {
            gap = there;
            memcpy(x, next, 3 * sizeof *x);
        } else {
            step *= 0.4;
        }
    }
    if (other) thing_normal(n, other, x, 1e-3 * spacing);
    return gap;
}

/* One end of a cylinder's axis, and its direction; returns its length. */
static double axis_of(double from[3], double axis[3], const thing *t) {
    double to[3];
    place_point(from, t, t->points.axis[0]);
    place_point(to, t, t->points.axis[1]);
    vec_sub(axis, to, from);
    const double length = vec_length(axis);
    for (int c = 0; c < 3; ++c) axis[c] /= length;
    return length;
}

/* Whether a cylinder lies on its side where the normal is n, not on its end. */
static bool is_sideways(const thing *t, const double n[3]) {
    double from[3], axis[3];
    axis_of(from, axis, t);
    const double along = vec_dot(n, axis);
    return 1 - along * along > LIES_SIDEWAYS * LIES_SIDEWAYS;
}

/* The deepest point of a cylinder's side as far along its axis as x is. */
static double turn_deeper(double x[3], double n[3], const thing *own, const thing *other, const double on[3],
                          double gap) {
    double from[3], axis[3];
    const double length = axis_of(from, axis, own);
    for (int round = 0; round < 3; ++round) { /* again, where the normal is another one there */
        double out[3], next[3], there[3];
        if (!is_sideways(own, n)) break;
        const double tilt = vec_dot(n, axis);
        for (int c = 0; c < 3; ++c) out[c] = n[c] - tilt * axis[c];
        const double across = vec_length(out);
        vec_sub(there, x, from);
        const double along = fmin(fmax(vec_dot(there, axis), 0), length);
        for (int c = 0; c < 3; ++c) next[c] = from[c] + along * axis[c] - own->points.round * out[c] / across;
        const double deeper = gap_across(other, on, n, next);
        if (!(deeper <= gap)) break;
        gap = deeper;
        memcpy(x, next, 3 * sizeof *x);
        if (other) thing_normal(n, other, x, 1e-3 * own->points.spacing);
    }
    return gap;
}

/* To the deepest place on a curved surface beside where the contact was found. */
static void refine_on(touch *t, const thing *things) {
    const thing *own = &things[t->of_b ? t->b : t->a];
    const thing *other = t->of_b ? &things[t->a] : t->b >= 0 ? &things[t->b] : NULL;
    const double sign = t->of_b ? -1 : 1;
    double x[3], on[3], n[3];
    for (int c = 0; c < 3; ++c) {
        n[c] = sign * t->normal[c];
        x[c] = t->point[c] + 0.5 * t->gap * n[c];
        on[c] = t->point[c] - 0.5 * t->gap * n[c];
    }
    t->gap = walk_deeper(x, n, own, other, on, own->points.spacing);
    if (own->points.round > 0) t->gap = turn_deeper(x, n, own, other, on, t->gap);
    for (int c = 0; c < 3; ++c) {
        t->normal[c] = sign * n[c];
        t->point[c] = x[c] - 0.5 * t->gap * n[c];
    }
}

/* A contact found on what stands across from a cylinder is told from the cylinder's side, if it lies on that
 * side: the points of a ramp meet it ahead of and behind the line that it rolls on, and would brake it. */
static void touch_turn(touch *t, const thing *things) {
    if (t->b < 0) return;
    const thing *own = &things[t->of_b ? t->a : t->b], *other = &things[t->of_b ? t->b : t->a];
    if (!(own->points.round > 0)) return;
    const double sign = t->of_b ? -1 : 1; /* of the normal out of the cylinder */
    double x[3], n[3], around[3];
    for (int c = 0; c < 3; ++c) x[c] = t->point[c] - 0.5 * t->gap * sign * t->normal[c];
    thing_normal(n, other, x, 1e-3 * own->points.spacing);
    thing_normal(around, other, x, own->points.spacing);
    if (!is_sideways(own, n) || vec_dot(n, around) < FLAT_COSINE)
        return; /* edges have no normal of their own */
    const double gap = turn_deeper(x, n, own, other, NULL, thing_distance(other, x));
    if (!(gap <= t->gap + POINT_OFF * own->points.spacing)) return;
    t->gap = gap;
    t->of_b = !t->of_b;
    for (int c = 0; c < 3; ++c) {
        t->normal[c] = -sign * n[c];
        t->point[c] = x[c] - 0.5 * gap * n[c];
    }
}

void touch_refine(touch *t, const thing *things) {
    const thing *own = &things[t->of_b ? t->b : t->a];
    if (own->points.curved) refine_on(t, things);
    if (!(own->points.round > 0)) touch_turn(t, things);
}

double thing_sag(const thing *t) {
    return t->points.curved ? 0.25 * t->points.spacing : 0;
}

void touch_thin_out(touch_list *list, touch_list *close, const thing *things, int first, double margin,
                    double size) {
    int kept = first;
    close->count = close->failed = 0;
    for (int i = first; i < list->count; ++i) {
        const touch *t = &list->item[i];
        if (t->gap < margin + thing_sag(&things[t->of_b ? t->b : t->a])) touch_add(close, t);
        else list->item[kept++] = *t;
    }
    list->count = kept;
    /* a body in a tube needs enough on each side, or it turns in it */
    const int most = touch_surrounds(close, 0) ? SURROUNDED_TIMES * PAIR_CONTACTS : PAIR_CONTACTS;
    touch_choose(close, 0, 2 * most, size);
    for (int i = 0; i < close->count; ++i) touch_refine(&close->item[i], things);
    for (int i = kept = 0; i < close->count; ++i) {
        const touch t = close->item[i];
        if (t.gap < margin) close->item[kept++] = t;
        else touch_add(list, &t);
    }
    close->count = kept;
    touch_choose(close, 0, most, size);
    for (int i = 0; i < close->count; ++i) touch_add(list, &close->item[i]);
    list->failed |= close->failed;
}
