/* Bodies on joints that nothing but gravity and their joints act on.
 *
 *   dx/dt = v,   M dv/dt = M g + J^T lambda,   J v = 0
 *
 * Half a part h of a step in free motion, all that gravity and joints give within it, and half a part:
 *
 *   v+ = 2 w - v,   w = P (v + h g / 2),   P: what joints allow where the bodies are in the middle
 *
 * The mean of v and v+ is what joints allow there, and it carries the bodies: second order, and 2 P - 1 keeps
 * energy (P alone takes v from what turned on, so that all that swings lost a part of its motion in
 * proportion to h). What of v joints forbid it turns round, part by part, and parts of varying length make
 * that grow: so v+ is what joints allow where the bodies end, which costs energy of fourth order in the angle
 * of a part. P must put nothing right in the middle, where free motion has bodies off their joints. What
 * joints are off is put right as by a shift that leaves no velocity.
 *
 * All bodies that hang together swing, or none: not when one of them is wet or touches something, when a
 * motor or brake drives them, or at a stop; nor on keyed solids, whose place in the middle of a part is not
 * asked for. Those take gravity after they have moved (solid/world_step.c). A stop that is reached within a
 * part acts at its end, not in its middle, where 2 w - v would bounce. */
#include <string.h>
#include "solid/vector.h"
#include "solid/world_parts.h"

/* The body at an end of joint i, or -1. */
static int body_at(const world *w, int i, int end) {
    const int solid = end ? w->scene->joints[i].b : w->scene->joints[i].a;
    const body *b = solid >= 0 ? w->things[solid].body : NULL;
    return b ? (int)(b - w->bodies) : -1;
}

void world_find_hanging(world *w) {
    for (int i = 0; i < w->count; ++i) w->hangs[i] = -1;
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const int a = body_at(w, i, 0), b = body_at(w, i, 1), first = a >= 0 ? a : b;
        if (first < 0) continue;
        if (w->hangs[first] < 0) w->hangs[first] = first;
        if (a < 0 || b < 0 || w->hangs[a] == w->hangs[b]) continue;
        const int joined = w->hangs[b];
        w->hangs[b] = w->hangs[a];
        for (int k = 0; k < w->count && joined >= 0; ++k)
            if (w->hangs[k] == joined) w->hangs[k] = w->hangs[a];
    }
}

static int is_keyed(const world *w, int solid) {
    return solid >= 0 && w->scene->solids[solid].motion == RHEO_KEYED;
}

/* All that hangs together with a body does not swing: its first body is told, and tell_all() the others. */
static void forbid(world *w, int i) {
    if (i >= 0 && w->hangs[i] >= 0) w->swings[w->hangs[i]] = 0;
}

static void tell_all(world *w) {
    for (int i = 0; i < w->count; ++i) w->swings[i] = w->hangs[i] >= 0 && w->swings[w->hangs[i]];
}

static void add_gravity(world *w, int i, const double g[3], double share) {
    for (int c = 0; c < w->scene->dim; ++c) w->states[i].velocity[c] += share * g[c];
}

void world_predict_gravity(world *w, const double g[3], double left) {
    memset(w->swings, 0, (size_t)w->count * sizeof *w->swings);
    if (!w->scene->joint_count) return;
    world_give_states(w);
    for (int i = 0; i < w->count; ++i) w->swings[i] = 1;
    for (int i = 0; i < w->count; ++i)
        if (!(w->states[i].falls > 0)) forbid(w, i);
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const rheo_joint *def = &w->scene->joints[i];
        if (!is_keyed(w, def->a) && !is_keyed(w, def->b) &&
            !joint_is_busy(&w->joints[i], WORLD_MARGIN * w->dx))
            continue;
        forbid(w, body_at(w, i, 0));
        forbid(w, body_at(w, i, 1));
    }
    tell_all(w);
    for (int i = 0; i < w->count; ++i) {
        w->before[i] = w->states[i];
        if (w->swings[i]) add_gravity(w, i, g, 0.5 * left);
    }
}

void world_undo_gravity(world *w) {
    if (!w->scene->joint_count) return;
    for (int i = 0; i < w->touches.count; ++i) {
        const touch *t = &w->touches.item[i];
        if (t->gap >= WORLD_MARGIN * w->dx) continue;
        const body *ends[2] = {w->things[t->a].body, t->b >= 0 ? w->things[t->b].body : NULL};
        for (int e = 0; e < 2; ++e)
            if (ends[e]) forbid(w, (int)(ends[e] - w->bodies));
    }
    tell_all(w);
    for (int i = 0; i < w->thing_count; ++i) {
        const body *b = w->things[i].body;
        if (!b || w->swings[b - w->bodies]) continue;
        *b->now = w->before[b - w->bodies];
        w->things[i].now = body_placement(b);
    }
}

/* Joints alone: those that swing touch nothing. */
static void solve_joints(world *w, double time, double h, world_purpose purpose) {
    const int touches = w->touches.count;
    w->touches.count = 0;
    world_solve(w, time, h, (world_speeds){0}, purpose, 0);
    w->touches.count = touches;
}

static void halfway(world *w, int i, double h) {
    body_state *b = &w->states[i];
    memcpy(b->velocity, w->before[i].velocity, sizeof b->velocity);
    memcpy(b->spin, w->before[i].spin, sizeof b->spin);
    body_move(&w->bodies[i], 0.5 * h);
}

void world_swing(world *w, double time, const double g[3], double h) {
    int any = 0;
    for (int i = 0; i < w->count; ++i) any |= w->swings[i];
    if (!any) return;
    memcpy(w->kept, w->states, (size_t)w->count * sizeof *w->kept);
    for (int i = 0; i < w->count; ++i) {
        memset(w->states[i].velocity, 0, sizeof w->states[i].velocity);
        memset(w->states[i].spin, 0, sizeof w->states[i].spin);
    }
    solve_joints(w, time, h, SOLVE_TO_MOVE);
    for (int i = 0; i < w->count; ++i) {
        if (!w->swings[i]) continue;
        memset(w->pseudo[i], 0, sizeof w->pseudo[i]);
        body_note_motion(w->pseudo[i], &w->states[i], 2); /* over half of the part */
        halfway(w, i, h);
        w->before[i] = w->states[i];
        add_gravity(w, i, g, 0.5 * h);
    }
    solve_joints(w, time + 0.5 * h, h, SOLVE_IN_MIDDLE);
    for (int i = 0; i < w->count; ++i) {
        body_state *b = &w->states[i];
        if (!w->swings[i]) {
            *b = w->kept[i];
            continue;
        }
        for (int c = 0; c < 3; ++c) {
            b->velocity[c] += b->velocity[c] - w->before[i].velocity[c];
            b->spin[c] += b->spin[c] - w->before[i].spin[c];
            if (c < w->scene->dim) w->fallen[i][c] += h * g[c];
        }
        body_add_motion(b, w->pseudo[i], 1);
        body_move(&w->bodies[i], 0.5 * h);
        body_add_motion(b, w->pseudo[i], -1);
        memset(w->pseudo[i], 0, sizeof w->pseudo[i]);
    }
    solve_joints(w, time + h, h, SOLVE_TO_STAY);
    for (int i = 0; i < w->count; ++i)
        if (!w->swings[i]) w->states[i] = w->kept[i];
}
