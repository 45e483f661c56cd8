/* The velocities that contacts and joints allow.
 *
 *   M (v+ - v) = J^T lambda,   0 <= lambda_n  _|_  (J v+)_n >= b,   |lambda_t| <= mu lambda_n
 *
 * ODE solves it: small systems exactly (dWorldStep: Dantzig), large ones by sweeps (dWorldQuickStep) from a
 * fixed seed: both repeat bit by bit. Contacts of boxes stacked corner on corner depend on each other, and
 * Dantzig's method may drop one that carries: what it leaves approaching is looked at, and swept if need be.
 * ODE's own positions are thrown away (solid/world_step.c).
 *
 * Coulomb's cone is ODE's pyramid with its first side along the slip (dContactApprox1). Contact that slid
 * before the forces of a step takes `friction`, contact that did not `static_friction`; slower than what
 * friction under the body's own weight stops within the step is not sliding. Restitution acts where the
 * approach is faster than what gravity gives in a step and over a margin, so that resting does not rattle.
 * What is deeper than the margin is parted at a rate of 1 / WORLD_PART_TIME, slowly enough to add no bounce.
 *
 * Joints are ODE's (solid/joint.c); motors act once a step, after its forces.
 *
 * Limits: the pyramid lets up to sqrt(2) more friction act at 45 degrees to the slip's first axis. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include "solid/vector.h"
#include "solid/world_parts.h"

/* ODE's seed of random numbers is the process's: one at a time. */
static pthread_mutex_t ode_sweeps = PTHREAD_MUTEX_INITIALIZER;

/* Whether bodies are where and as fast as numbers can tell. ODE ends the process on what is not finite. */
static int is_sound(const world *w) {
    for (int i = 0; i < w->count; ++i) {
        const body_state *b = &w->states[i];
        const double *q = b->orientation;
        const double turn = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        const double speed = vec_length(b->velocity) + w->bodies[i].radius * vec_length(b->spin);
        if (!(speed <= w->fastest) || !isfinite(vec_length(b->spin))) return 0;
        if (!isfinite(vec_length(b->position)) || !(turn > 0.5 && turn < 2)) return 0;
    }
    return 1;
}

void world_give_states(world *w) {
    w->lost |= !is_sound(w);
    if (w->lost) return;
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        dBodyID b = w->ode_body[i];
        if (!b) continue;
        const double *x = t->body ? t->body->now->position : t->now.position;
        const double *v = t->body ? t->body->now->velocity : t->now.velocity;
        const double *q = t->body ? t->body->now->orientation : t->now.orientation;
        const double *spin = t->body ? t->body->now->spin : t->now.spin;
        const dQuaternion turn = {q[0], q[1], q[2], q[3]};
        dBodySetPosition(b, x[0], x[1], x[2]);
        dBodySetQuaternion(b, turn);
        dBodySetLinearVel(b, v[0], v[1], v[2]);
        dBodySetAngularVel(b, spin[0], spin[1], spin[2]);
    }
}

static void take_velocities(world *w) {
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        if (!t->body) continue;
        const dReal *v = dBodyGetLinearVel(w->ode_body[i]), *spin = dBodyGetAngularVel(w->ode_body[i]);
        body_state *now = t->body->now;
        for (int c = 0; c < 3; ++c) {
            const int out = t->body->flat; /* of the plane */
            now->velocity[c] = out && c == 2 ? 0 : v[c];
            now->spin[c] = out && c != 2 ? 0 : spin[c];
        }
    }
}

static double static_friction(const rheo_solid *s) {
    return s->static_friction > 0 ? s->static_friction : s->friction;
}

/* What the surfaces are like to each other; a side of the domain is like the body. */
static void pair_surface(double *friction, double *stick, double *restitution, const world *w,
                         const touch *t) {
    const rheo_solid *a = w->things[t->a].def, *b = t->b >= 0 ? w->things[t->b].def : a;
    *friction = sqrt(a->friction * b->friction);
    *stick = sqrt(static_friction(a) * static_friction(b));
    *restitution = fmax(a->restitution, b->restitution);
}

static double inverse_mass(const world *w, int i) {
    return i >= 0 && w->things[i].body ? 1 / w->things[i].body->mass : 0;
}

static void set_slip_direction(dContact *c, const double u[3], double closing, const touch *t, int flat) {
    double along[3], length;
    for (int k = 0; k < 3; ++k) along[k] = u[k] + closing * t->normal[k];
    length = vec_length(along);
    if (flat || !(length > 0)) { /* any direction across the normal; in the plane the one in it */
        const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
        vec_cross(along, flat || fabs(t->normal[2]) < 0.9 ? z : x, t->normal);
        length = vec_length(along);
    }
    for (int k = 0; k < 3; ++k) c->fdir1[k] = along[k] / length;
    c->fdir1[3] = 0;
}

/* Velocity at a point of what moves and turns so; of what is no body its own. */
static void velocity_with(double u[3], const world *w, int i, const double v[3], const double spin[3],
                          const double point[3]) {
    const body *b = w->things[i].body;
    double arm[3];
    if (!b) {
        thing_velocity(u, &w->things[i], point);
        return;
    }
    vec_sub(arm, point, b->now->position);
    if (b->flat) arm[2] = 0;
    vec_cross(u, spin, arm);
    for (int c = 0; c < 3; ++c) u[c] += v[c];
}

/* Before the forces of the step. */
static void velocity_before(double u[3], const world *w, int i, const double point[3]) {
    const body *b = w->things[i].body;
    const double *v = b ? w->slid[b - w->bodies] : NULL;
    velocity_with(u, w, i, v, b ? v + 3 : NULL, point);
}

/* How fast a contact slid before the forces of the step. With them, what static friction is to hold on a
 * slope moves already. */
static double slide_before(const world *w, const touch *t) {
    double u[3], other[3] = {0, 0, 0};
    velocity_before(u, w, t->a, t->point);
    if (t->b >= 0) velocity_before(other, w, t->b, t->point);
    vec_sub(u, u, other);
    const double across = vec_dot(u, t->normal);
    return sqrt(fmax(0, vec_dot(u, u) - across * across));
}

static void add_contact(world *w, const touch *t, double h, world_speeds least, int parting) {
    double u[3], friction, stick, restitution;
    world_slip(u, w, t);
    const double closing = -vec_dot(u, t->normal);
    const int flat = w->scene->dim == 2;
    dContact c = {0};
    pair_surface(&friction, &stick, &restitution, w, t);
    c.surface.mode = dContactApprox1 | dContactFDir1 | dContactSoftERP | dContactSoftCFM | dContactMu2;
    c.surface.mu = slide_before(w, t) > fmax(friction, STICK_LEAST * stick) * least.fall ? friction : stick;
    c.surface.mu2 = flat ? 0 : c.surface.mu;
    c.surface.soft_erp = parting ? fmin(REPAIRED_MOST, h / WORLD_PART_TIME) : 0;
    c.surface.soft_cfm = CONTACT_SOFT * (inverse_mass(w, t->a) + inverse_mass(w, t->b)) * h / w->unit;
    if (restitution > 0 && closing > least.rest) {
        c.surface.mode |= dContactBounce;
        c.surface.bounce = restitution;
        c.surface.bounce_vel = 0;
    }
    for (int k = 0; k < 3; ++k) {
        c.geom.pos[k] = t->point[k];
        c.geom.normal[k] = t->normal[k];
    }
    c.geom.depth = fmax(0, -t->gap);
    set_slip_direction(&c, u, closing, t, flat);
    dJointAttach(dJointCreateContact(w->ode, w->contacts, &c), w->ode_body[t->a],
                 t->b >= 0 ? w->ode_body[t->b] : NULL);
}

world_speeds world_least_speeds(const world *w, double time, double dt) {
    double g[3];
    rheo_evaluate_curve(g, &w->scene->gravity, time);
    const double weight = vec_length(g);
    return (world_speeds){.rest = REST_FALLS * weight * dt + sqrt(2 * weight * WORLD_MARGIN * w->dx),
                          .fall = weight * dt};
}

/* As ODE has it now. */
static void velocity_solved(double u[3], const world *w, int i, const double point[3]) {
    double now[2][3] = {{0}};
    for (int c = 0; c < 3 && w->things[i].body; ++c) {
        now[0][c] = dBodyGetLinearVel(w->ode_body[i])[c];
        now[1][c] = dBodyGetAngularVel(w->ode_body[i])[c];
    }
    velocity_with(u, w, i, now[0], now[1], point);
}

static double closing_solved(const world *w, const touch *t) {
    double u[3], other[3] = {0, 0, 0};
    velocity_solved(u, w, t->a, t->point);
    if (t->b >= 0) velocity_solved(other, w, t->b, t->point);
    return vec_dot(other, t->normal) - vec_dot(u, t->normal);
}

/* Whether contacts hold: J v+ >= 0 but for what CONTACT_SOFT lets by. */
static int is_solved(const world *w, world_speeds least) {
    const double margin = WORLD_MARGIN * w->dx;
    double fastest = least.fall, u[3];
    for (int i = 0; i < w->touches.count; ++i) {
        const touch *t = &w->touches.item[i];
        if (t->gap >= margin) continue;
        world_slip(u, w, t);
        fastest = fmax(fastest, -vec_dot(u, t->normal));
    }
    for (int i = 0; i < w->touches.count; ++i) {
        const touch *t = &w->touches.item[i];
        if (t->gap < margin && !(closing_solved(w, t) <= UNSOLVED_SHARE * fastest)) return 0;
    }
    return 1;
}

static void solve_by_sweeps(world *w, double h) {
    pthread_mutex_lock(&ode_sweeps);
    dRandSetSeed(1);
    dWorldQuickStep(w->ode, h);
    pthread_mutex_unlock(&ode_sweeps);
}

void world_solve(world *w, double time, double h, world_speeds least, world_purpose purpose, int parting) {
    const int moving = purpose == SOLVE_TO_MOVE;
    const double repair = moving ? fmin(REPAIRED_MOST, h / WORLD_PART_TIME) : 0;
    int rows = 6 * w->scene->joint_count;
    world_give_states(w);
    if (w->lost) return;
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const stop_rule rule = {.margin = purpose == SOLVE_IN_MIDDLE ? -INFINITY : WORLD_MARGIN * w->dx,
                                .repair = repair};
        joint_drive(&w->joints[i], time, purpose == SOLVE_TO_STAY);
        joint_set_stops(&w->joints[i], rule);
        joint_set_repair(&w->joints[i], repair);
    }
    dWorldSetERP(w->ode, repair);
    for (int i = 0; i < w->touches.count; ++i) {
        if (w->touches.item[i].gap >= WORLD_MARGIN * w->dx) continue;
        add_contact(w, &w->touches.item[i], h, least, parting);
        rows += 3;
    }
    if (!rows) return;
    int solved = 0;
    if (rows <= ROWS_EXACT) {
        dWorldStep(w->ode, h);
        solved = is_solved(w, least);
        if (!solved) world_give_states(w);
    }
    if (!solved) solve_by_sweeps(w, h);
    dJointGroupEmpty(w->contacts);
    take_velocities(w);
    w->lost |= !is_sound(w);
}
