/* What bodies touch, or could come to touch, and how far they may go before that changes.
 *
 * Contacts are found at the start of each part h of a step (solid/contact.c; two boxes by ODE's separating
 * axes). A part is so long that nothing nearer than it can travel is crossed: with the gap d and the closing
 * speed c of every point near another solid, h <= max(d, PART_SINK dx) / c, and along a surface within reach
 * no more than PART_SLIDE dx. So an impact sinks in by at most about PART_SINK dx. Within WORLD_MARGIN dx of
 * each other solids count as touching.
 *
 * Two solids that a joint holds do not touch each other: hinges would bind. Nor does what is at the pin of a
 * hinge touch anything: it has no lever, and forces without end would stop the body there.
 *
 * Limits: a body thinner than PART_SINK dx can be passed by a faster one. */
#include <math.h>
#include "solid/vector.h"
#include "solid/world_parts.h"

void world_place_things(world *w, double time, double dt) {
    for (int i = 0; i < w->thing_count; ++i) thing_place(&w->things[i], time, dt);
}

void world_pace_things(world *w, double time, double dt) {
    for (int i = 0; i < w->thing_count; ++i) {
        thing *t = &w->things[i];
        if (t->def->motion == RHEO_KEYED) t->now = placement_of_solid(t->def, t->shape, time, dt);
    }
}

/* Rows of a row-major matrix in ODE's layout. */
static void to_ode_matrix(dMatrix3 m, const double r[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[4 * i + j] = r[3 * i + j];
        m[4 * i + 3] = 0;
    }
}

static void place_box(const world *w, int i) {
    double half[3], axes[9], turned[9];
    const thing *t = &w->things[i];
    dMatrix3 m;
    shape_as_box(half, axes, t->shape);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            turned[3 * r + c] = t->now.rotation[3 * r] * axes[c] + t->now.rotation[3 * r + 1] * axes[3 + c] +
                                t->now.rotation[3 * r + 2] * axes[6 + c];
    to_ode_matrix(m, turned);
    dGeomSetPosition(w->ode_box[i], t->now.position[0], t->now.position[1], t->now.position[2]);
    dGeomSetRotation(w->ode_box[i], m);
}

/* Two boxes that overlap when swollen by the margin. */
static void touch_boxes(world *w, int a, int b) {
    dContactGeom found[BOX_CONTACTS];
    place_box(w, a);
    place_box(w, b);
    const int count = dCollide(w->ode_box[a], w->ode_box[b], BOX_CONTACTS, found, sizeof *found);
    for (int i = 0; i < count; ++i) {
        touch t = {.a = a, .b = b, .gap = WORLD_MARGIN * w->dx - found[i].depth};
        for (int c = 0; c < 3; ++c) {
            t.point[c] = found[i].pos[c];
            t.normal[c] = found[i].normal[c];
        }
        touch_add(&w->touches, &t);
    }
}

/* How near two solids' points must be to matter within dt. */
static double pair_reach(const world *w, int a, int b, double dt) {
    const double sag = fmax(thing_sag(&w->things[a]), b >= 0 ? thing_sag(&w->things[b]) : 0);
    if (!(dt > 0)) return WORLD_MARGIN * w->dx + sag;
    const double still = b >= 0 ? thing_speed(&w->things[b]) : 0;
    return fmin(thing_speed(&w->things[a]) + still, 1e3 * w->dx / dt) * dt + WORLD_MARGIN * w->dx + sag;
}

int world_are_joined(const world *w, int a, int b) {
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const rheo_joint *j = &w->scene->joints[i];
        if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return 1;
    }
    return 0;
}

/* Boxes that hold whatever a pair's reach may be: each its own share, with the margin twice. */
static int find_pairs(world *w, double dt) {
    if (sweep_reserve(&w->pairs, w->thing_count)) return -1;
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        const double reach = t->endless ? INFINITY : t->radius + pair_reach(w, i, -1, dt);
        for (int c = 0; c < 3; ++c) {
            w->pairs.box[i].lower[c] = t->endless ? -INFINITY : t->middle[c] - reach;
            w->pairs.box[i].upper[c] = t->endless ? INFINITY : t->middle[c] + reach;
        }
    }
    return sweep_overlaps(&w->pairs, w->thing_count);
}

static void find_pair_touches(world *w, int a, int b, double dt) {
    touch_list *l = &w->touches;
    const int first = l->count;
    const double reach = pair_reach(w, a, b, dt);
    const double near = fmax(pair_reach(w, a, b, 0), PART_SLIDE * w->dx);
    touch_pair(l, w->things, a, b, reach, near, 1e-3 * w->dx);
    if (l->count > first && w->ode_box[a] && w->ode_box[b]) {
        int kept = first; /* the gaps tell how far to go, ODE where they touch */
        for (int i = first; i < l->count; ++i)
            if (l->item[i].gap >= WORLD_MARGIN * w->dx) l->item[kept++] = l->item[i];
        l->count = kept;
        touch_boxes(w, a, b);
    } else {
        touch_thin_out(l, &w->close, w->things, first, WORLD_MARGIN * w->dx, w->things[a].radius);
    }
}

static void find_side_touches(world *w, int a, int side, double dt) {
    const int first = w->touches.count;
    const double place = side % 2 ? w->scene->size[side / 2] : 0;
    touch_side(&w->touches, w->things, a, side, place, pair_reach(w, a, -1, dt));
    touch_thin_out(&w->touches, &w->close, w->things, first, WORLD_MARGIN * w->dx, w->things[a].radius);
}

static int is_at_pin(const world *w, const touch *t) {
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const body *on = w->joints[i].only;
        if (!on || (on != w->things[t->a].body && (t->b < 0 || on != w->things[t->b].body))) continue;
        if (joint_pins_place(&w->joints[i], t->point, PIN_RADIUS * w->dx)) return 1;
    }
    return 0;
}

static void drop_touches_at_pins(world *w) {
    int kept = 0;
    for (int i = 0; i < w->touches.count; ++i)
        if (!is_at_pin(w, &w->touches.item[i])) w->touches.item[kept++] = w->touches.item[i];
    w->touches.count = kept;
}

int world_find_touches(world *w, double dt) {
    w->touches.count = w->touches.failed = 0;
    if (find_pairs(w, dt)) return -1;
    for (int a = 0; a < w->thing_count; ++a) {
        if (!w->things[a].body) continue;
        for (size_t k = w->pairs.start[a]; k < w->pairs.start[a + 1]; ++k) {
            const int b = w->pairs.near[k];
            if ((w->things[b].body && b < a) || world_are_joined(w, a, b)) continue;
            find_pair_touches(w, a, b, dt);
        }
        for (int side = 0; side < 2 * w->scene->dim; ++side)
            if (w->scene->wall[side] == RHEO_WALL_CLOSED) find_side_touches(w, a, side, dt);
    }
    if (w->scene->joint_count) drop_touches_at_pins(w);
    return w->touches.failed ? -1 : 0;
}

void world_slip(double u[3], const world *w, const touch *t) {
    double other[3] = {0, 0, 0};
    thing_velocity(u, &w->things[t->a], t->point);
    if (t->b >= 0) thing_velocity(other, &w->things[t->b], t->point);
    vec_sub(u, u, other);
}

double world_safe_part(world *w, double left) {
    double h = left;
    for (int i = 0; i < w->scene->joint_count; ++i)
        for (int end = 0; end < 2; ++end) {
            const int solid = end ? w->scene->joints[i].b : w->scene->joints[i].a;
            const double turn = solid >= 0 ? vec_length(w->things[solid].now.spin) : 0;
            if (turn * h > PART_TURN) h = PART_TURN / turn;
        }
    if (w->scene->joint_count) world_give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i)
        h = fmin(h, joint_time_to_stop(&w->joints[i], WORLD_MARGIN * w->dx, PART_SINK * w->dx));
    for (int i = 0; i < w->touches.count; ++i) {
        const touch *t = &w->touches.item[i];
        double u[3];
        world_slip(u, w, t);
        const bool known = t->normal[0] != 0 || t->normal[1] != 0 || t->normal[2] != 0;
        const double speed = vec_length(u), closing = known ? -vec_dot(u, t->normal) : speed;
        if (speed * h <= PART_SINK * w->dx) continue;
        if (t->gap >= WORLD_MARGIN * w->dx && closing > 0)
            h = fmin(h, fmax(t->gap, PART_SINK * w->dx) / closing);
        if (t->gap < PART_SLIDE * w->dx && speed > 0) h = fmin(h, PART_SLIDE * w->dx / speed);
    }
    return h;
}
