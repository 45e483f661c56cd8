/* A step of the bodies: contacts and joints act on velocities, velocities move the bodies.
 *
 *   v+ = contacts and joints (v),   x+ = x + h v+   over parts h of the step
 *
 * A step of dt is cut into parts h (solid/world_touches.c tells how long). In each ODE solves for the
 * velocities v+ that contacts and joints allow (solid/world_solve.c), and body_move() carries the bodies:
 * ODE's own positions are thrown away, because its free rotation drifts and ours does not. Solids deeper in
 * each other than OVERLAP_DEEP dx, where they can only have begun, are parted as by a shift that leaves no
 * velocity. What swings on joints in the air is moved by solid/world_swing.c.
 *
 * Before forces that are still to be found, world_warm_start() gives bodies what contacts did in the last
 * step and notes which constraints are active; world_constrain() takes that back after the forces and solves
 * once more without moving.
 *
 * Source: semi-implicit steps as rigid-body engines take them; docs/decisions/0020-contacts-that-let-go.md.
 *
 * Limits: after PARTS_MAX parts the rest of a step goes in one; no body crosses CELLS_MOST cells in a step.
 */
#include <math.h>
#include <string.h>
#include "solid/active.h"
#include "solid/vector.h"
#include "solid/world_parts.h"

#define CELLS_MOST  1e6 /* cells that no body goes in a step */
#define LIGHT_SPEED 3e8 /* m/s */

static void note_sliding(world *w) {
    for (int i = 0; i < w->count; ++i) {
        memcpy(w->slid[i], w->states[i].velocity, sizeof w->states[i].velocity);
        memcpy(w->slid[i] + 3, w->states[i].spin, sizeof w->states[i].spin);
    }
}

/* The bodies of a contact between two things that move; 0: it is none. */
static int moving_pair(const body *pair[2], const world *w, const touch *t) {
    if (t->gap >= WORLD_MARGIN * w->dx || t->b < 0 || w->things[t->b].def->motion == RHEO_STATIC) return 0;
    pair[0] = w->things[t->a].body;
    pair[1] = w->things[t->b].body;
    return 1;
}

/* What is hit by something that moves may gain energy by that. */
static void note_hits(world *w) {
    for (int k = 0; k < w->touches.count; ++k) {
        const body *pair[2];
        if (!moving_pair(pair, w, &w->touches.item[k])) continue;
        for (int e = 0; e < 2; ++e)
            if (pair[e]) pair[e]->now->motion = -1;
    }
}

/* The velocities of a part of a step. What parts solids that are deep in each other is in them while they
 * move, and in w->pseudo: it is no motion of theirs, and taken off again. */
static void solve_part(world *w, double time, double h, world_speeds least) {
    int deep = 0;
    for (int i = 0; i < w->touches.count; ++i) deep |= w->touches.item[i].gap < -OVERLAP_DEEP * w->dx;
    note_sliding(w);
    note_hits(w);
    world_solve(w, time, h, least, SOLVE_TO_MOVE, !deep);
    if (!deep || w->lost) return;
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->pseudo[i], &w->states[i], -1);
        memcpy(w->states[i].velocity, w->slid[i], 3 * sizeof(double));
        memcpy(w->states[i].spin, w->slid[i] + 3, 3 * sizeof(double));
    }
    world_solve(w, time, h, least, SOLVE_TO_MOVE, 1);
    for (int i = 0; i < w->count; ++i) body_note_motion(w->pseudo[i], &w->states[i], 1);
}

static void move_bodies(world *w, double h) {
    for (int i = 0; i < w->count; ++i) {
        if (w->swings[i]) continue;
        body_move(&w->bodies[i], h);
        body_add_motion(&w->states[i], w->pseudo[i], -1);
        memset(w->pseudo[i], 0, sizeof w->pseudo[i]);
    }
}

/* What was hit may now be faster than anything was before: the part ends earlier then. */
static double shorten_part(world *w, double h) {
    for (int i = 0; i < w->thing_count; ++i)
        if (w->things[i].body) w->things[i].now = body_placement(w->things[i].body);
    return world_safe_part(w, h);
}

/* What falls freely gets half of gravity's share of a step before it moves, x += dt v + dt^2 g / 2, and the
 * rest after. What hangs on joints has its own way (solid/world_swing.c). */
static void begin_fall(world *w, const double g[3], double dt) {
    for (int i = 0; i < w->count; ++i) {
        body_state *b = &w->states[i];
        const double share = w->hangs[i] >= 0 ? 0 : b->falls * 0.5 * dt;
        for (int c = 0; c < 3; ++c) {
            w->fallen[i][c] = c < w->scene->dim ? share * g[c] : 0;
            b->velocity[c] += w->fallen[i][c];
        }
    }
}

/* Whether nothing but gravity, and its joints, act on a body: neither liquid, which only these couplings
 * tell, nor contacts in the end of the step. */
static double is_falling(const world *w, int i) {
    const int knows_wet = w->scene->coupling == RHEO_MONOLITHIC || w->scene->coupling == RHEO_SOLID_TO_FLUID;
    const double *reaction = w->states[i].reaction;
    return knows_wet && !w->active[i].wet && (w->hangs[i] >= 0 || six_dot(reaction, reaction) == 0);
}

/* What a step of dt begins with. No sound body crosses CELLS_MOST cells in it or outruns light. */
static int check_states(world *w, double dt) {
    w->fastest = fmin(CELLS_MOST * w->dx / dt, LIGHT_SPEED);
    w->lost = 0;
    world_give_states(w);
    return w->lost ? WORLD_LOST : 0;
}

int world_step(world *w, double time, double dt) {
    double g[3];
    if (!world_count(w)) return 0;
    if (check_states(w, dt)) return WORLD_LOST;
    rheo_evaluate_curve(g, &w->scene->gravity, time + 0.5 * dt);
    begin_fall(w, g, dt);
    const world_speeds least = world_least_speeds(w, time, dt);
    double left = dt;
    for (int part = 0; left > 0; ++part) {
        const double now = time + dt - left;
        world_predict_gravity(w, g, left);
        if (w->lost) return WORLD_LOST;
        world_place_things(w, now, left);
        if (world_find_touches(w, left)) return WORLD_NO_MEMORY;
        world_undo_gravity(w);
        double h = part < PARTS_MAX ? world_safe_part(w, left) : left;
        if (left - h < 1e-6 * dt) h = left;
        world_pace_things(w, now, h);
        solve_part(w, now, h, least);
        if (w->lost) return WORLD_LOST;
        if (part < PARTS_MAX) h = shorten_part(w, h);
        world_swing(w, now, g, h);
        if (w->lost) return WORLD_LOST;
        move_bodies(w, h);
        left = h < left ? left - h : 0;
    }
    note_sliding(w);
    return 0;
}

/* Forces
 * ------------------------------------------------------------------------------------------------------ */

/* Whether a contact of the body holds it in this step: one with something that stands still, which pushed in
 * the last step, as what all contacts did to the body there tells. row: the motion off it. */
static int is_held_by(double row[6], const world *w, const body *b, const touch *t) {
    double arm[3];
    if (w->things[t->a].body != b || t->gap >= WORLD_MARGIN * w->dx) return 0;
    if (t->b >= 0 && w->things[t->b].def->motion != RHEO_STATIC) return 0;
    vec_sub(arm, t->point, b->now->position);
    if (b->flat) arm[2] = 0;
    memcpy(row, t->normal, 3 * sizeof *row);
    vec_cross(row + 3, arm, t->normal);
    return six_dot(row, b->now->reaction) > 0;
}

static void note_touch(const world *w, const touch *t) {
    if (t->gap >= WORLD_MARGIN * w->dx) return;
    w->things[t->a].body->active->touched = 1;
    if (t->b >= 0 && w->things[t->b].body) w->things[t->b].body->active->touched = 1;
}

/* Bodies that touch something; and those that touch nothing else that moves, nor hang on it: what held one is
 * what its active constraints tell. */
static void find_alone(world *w) {
    for (int i = 0; i < w->count; ++i) w->active[i].alone = 1;
    for (int k = 0; k < w->touches.count; ++k) {
        const body *pair[2];
        note_touch(w, &w->touches.item[k]);
        if (!moving_pair(pair, w, &w->touches.item[k])) continue;
        for (int e = 0; e < 2; ++e)
            if (pair[e]) pair[e]->active->alone = 0;
    }
    for (int i = 0; i < w->scene->joint_count; ++i) { /* and not on keyed solids */
        const int end[2] = {w->scene->joints[i].a, w->scene->joints[i].b};
        for (int e = 0; e < 2 && !w->joints[i].only && !w->joints[i].pair[0]; ++e)
            if (end[e] >= 0 && w->things[end[e]].body) w->things[end[e]].body->active->alone = 0;
    }
    for (int turn = 0, more = 1; more && turn < w->count; ++turn) { /* all that hang together, or none */
        more = 0;
        for (int i = 0; i < w->scene->joint_count; ++i) {
            const body *const *pair = w->joints[i].pair;
            if (!pair[0] || pair[0]->active->alone == pair[1]->active->alone) continue;
            pair[0]->active->alone = pair[1]->active->alone = 0;
            more = 1;
        }
    }
}

/* Velocity and spin of a joint's only body before the forces of the step. */
static const double *slid_by(const world *w, const joint *j) {
    return j->only ? w->slid[j->only - w->bodies] : NULL;
}

static void activate_joints(const world *w, const body *b, double time, double dt) {
    b->active->count = b->active->stop = 0;
    for (int i = 0; i < w->scene->joint_count; ++i)
        if (w->joints[i].only == b)
            joint_activate(&w->joints[i], slid_by(w, &w->joints[i]), WORLD_MARGIN * w->dx, time, dt);
}

/* All that holds a body in this step. */
static void activate_body(const world *w, const body *b, double time, double dt) {
    double row[6];
    activate_joints(w, b, time, dt);
    const int joints = b->active->count;
    for (int k = 0; k < w->touches.count; ++k)
        if (is_held_by(row, w, b, &w->touches.item[k])) active_add_contact(b, row, joints);
}

static void activate_motors(const world *w, const body *b, double time, double dt) {
    for (int i = 0; i < w->scene->joint_count; ++i)
        if (w->joints[i].only == b) joint_activate_motor(&w->joints[i], slid_by(w, &w->joints[i]), time, dt);
}

static void find_joint_rows(world *w) {
    w->rows.count = 0;
    for (int i = 0; i < w->scene->joint_count; ++i)
        w->rows.count += joint_make_rows(w->rows.item + w->rows.count, &w->joints[i]);
    for (int k = 0; k < w->rows.count; ++k)
        for (int e = 0; e < 2; ++e) w->rows.item[k].end[e]->active->linked = 1;
}

const joint_rows *world_joint_rows(const world *w) {
    return w ? &w->rows : NULL;
}

/* Where there are none left, they bear nothing any more; and what stopped a body within a short step does not
 * go on through a longer one. */
static void warm_start_contacts(world *w, int i, double dt) {
    active_constraints *g = &w->active[i];
    if (g->alone && !g->touched) return;
    for (int c = 0; c < 6; ++c) g->warm[c] = dt * w->states[i].reaction[c];
    body_add_motion(&w->states[i], g->warm, 1);
}

int world_warm_start(world *w, double time, double dt, double last, double next) {
    if (!world_count(w)) return 0;
    if (check_states(w, dt)) return WORLD_LOST;
    for (int i = 0; i < w->count; ++i) *w->bodies[i].active = (active_constraints){0};
    world_place_things(w, time, next);
    if (world_find_touches(w, 0)) return WORLD_NO_MEMORY;
    find_alone(w);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->pseudo[i], &w->states[i], -1);
        warm_start_contacts(w, i, last > 0 ? fmin(dt, last) : dt);
    }
    if (w->scene->joint_count) world_give_states(w);
    if (w->lost) return WORLD_LOST;
    for (int i = 0; i < w->count; ++i) activate_body(w, &w->bodies[i], time, dt);
    find_joint_rows(w);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->active[i].given, &w->states[i], -1);
        active_obey(&w->bodies[i]);
    }
    for (int i = 0; i < w->count; ++i) activate_motors(w, &w->bodies[i], time, dt);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->active[i].given, &w->states[i], 1);
        body_note_motion(w->pseudo[i], &w->states[i], 1);
    }
    return 0;
}

/* Whether a body as fast as v leaves a contact that holds it: faster than `fast`, or beside a hinge, where
 * the row has next to no motion, than what `fast` is there. */
static int leaves_contact(const world *w, const body *b, const touch *t, const double v[6], double fast,
                          int joints) {
    double row[6];
    if (!is_held_by(row, w, b, t)) return 0;
    return six_dot(row, v) > (joints ? fast * sqrt(active_free_share(b, row, joints)) : fast);
}

/* Lets go of all contacts that it leaves, or if there is one of all that hold it. joints: how many of the
 * active rows are theirs. */
static int leave_contacts(world *w, const body *b, const double v[6], double fast, int joints, int all) {
    int leaves = 0;
    double row[6];
    for (int k = 0; k < w->touches.count; ++k)
        leaves |= leaves_contact(w, b, &w->touches.item[k], v, fast, joints);
    for (int k = 0; k < w->touches.count && leaves; ++k) {
        touch *t = &w->touches.item[k];
        if (all ? is_held_by(row, w, b, t) : leaves_contact(w, b, t, v, fast, joints)) t->gap = INFINITY;
    }
    return leaves; /* world_constrain() finds them anew */
}

/* The same of a joint's stop, whose row has the size of the body's mass: beyond what its motor presses on. */
static int leave_stop(const body *b, const double v[6], double fast) {
    active_constraints *g = b->active;
    if (g->stop && six_dot(g->row[g->stop - 1], v) > fast * sqrt(b->mass) + g->bears) g->left = 1;
    return g->stop && g->left;
}

/* Contacts of a body on joints: what the joints take of v would else count as leaving. */
static int leave_beside_joints(world *w, const body *b, double v[6], double fast, int all, double time,
                               double dt) {
    const active_constraints kept = *b->active;
    const int leaves_stop = leave_stop(b, v, fast);
    activate_joints(w, b, time, dt);
    active_obey_with(v, b);
    const int leaves = leave_contacts(w, b, v, fast, b->active->count, all) || leaves_stop;
    if (!leaves) *b->active = kept;
    return leaves;
}

/* What joints between bodies leave of velocities, one after another: near enough to tell what leaves. */
static void obey_joint_rows(world *w) {
    for (int turn = 0; turn < JOINT_SWEEPS; ++turn)
        for (int k = 0; k < w->rows.count; ++k) {
            const joint_row *t = &w->rows.item[k];
            double effect[2][6], rate = 0, inverse_mass = 0;
            for (int e = 0; e < 2; ++e) {
                active_effect(effect[e], t->end[e], t->row[e]);
                rate += six_dot(t->row[e], w->judged[t->end[e] - w->bodies]);
                inverse_mass += six_dot(t->row[e], effect[e]);
            }
            for (int e = 0; e < 2 && inverse_mass > 0; ++e)
                for (int c = 0; c < 6; ++c)
                    w->judged[t->end[e] - w->bodies][c] -= rate / inverse_mass * effect[e][c];
        }
}

int world_release(world *w, double time, double dt, int all) {
    const double fast = RELEASE_SPEED * world_least_speeds(w, time, dt).fall;
    int any = 0;
    for (int i = 0; i < world_count(w); ++i)
        for (int r = 0; r < 6; ++r)
            w->judged[i][r] = (r < 3 ? w->states[i].velocity[r] : w->states[i].spin[r - 3]) +
                              w->active[i].withheld[r] - w->pseudo[i][r];
    obey_joint_rows(w);
    for (int i = 0; i < world_count(w); ++i) {
        const body *b = &w->bodies[i];
        active_constraints *g = b->active;
        double *v = w->judged[i];
        if (g->count == 0 || !g->wet || !g->alone || g->motor.of) continue;
        if (g->jointed ? !leave_beside_joints(w, b, v, fast, all, time, dt)
                       : !leave_contacts(w, b, v, fast, 0, all))
            continue;
        activate_body(w, b, time, dt);
        activate_motors(w, b, time, dt);
        memcpy(g->given, w->pseudo[i], sizeof g->given);
        memset(g->warm, 0, sizeof g->warm);
        g->released = any = 1;
    }
    return any;
}

int world_constrain(world *w, double time, double dt, double next) {
    if (!world_count(w)) return 0;
    for (int i = 0; i < w->count; ++i) {
        body_state *b = w->bodies[i].now;
        body_add_motion(b, w->pseudo[i], -1);
        body_add_motion(b, w->active[i].withheld, 1);
        memset(w->pseudo[i], 0, sizeof w->pseudo[i]);
        memset(b->reaction, 0, sizeof b->reaction);
        body_note_motion(b->reaction, b, -1 / dt);
    }
    if (check_states(w, dt)) return WORLD_LOST;
    world_place_things(w, time, next);
    if (world_find_touches(w, 0)) return WORLD_NO_MEMORY;
    world_solve(w, time, dt, world_least_speeds(w, time, dt), SOLVE_TO_STAY, 0);
    if (w->lost) return WORLD_LOST;
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->states[i].reaction, &w->states[i], 1 / dt);
        w->states[i].falls = is_falling(w, i);
        w->active[i] = (active_constraints){0};
    }
    for (int i = 0; i < w->scene->joint_count; ++i) joint_leave_out(&w->joints[i]);
    return 0;
}
