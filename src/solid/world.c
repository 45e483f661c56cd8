/* The bodies of a scene: contact, friction, restitution and joints through ODE, motion by our own hand.
 *
 *   M (v+ - v) = J^T lambda,   0 <= lambda_n  _|_  (J v+)_n >= b,   |lambda_t| <= mu lambda_n
 *
 * Here they are made, read and refused where they cannot start. What touches what is found in
 * solid/world_touches.c, the equation above solved in solid/world_solve.c, a step of time made of both in
 * solid/world_step.c. ODE gets all state anew for every solve, so nothing but body_state decides the future.
 *
 * Limits: bodies do not wrap around periodic sides. */
#include "solid/world.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "solid/vector.h"
#include "solid/world_parts.h"

#define LEAST_MASS 1e-3 /* kg */

/* ODE's start and messages are the process's: once. */
static pthread_once_t ode_once = PTHREAD_ONCE_INIT;

__attribute__((format(printf, 2, 0))) static void say_nothing(int number, const char *text, va_list args) {
    (void)number;
    (void)text;
    (void)args;
}

/* After what it takes for an error ODE ends the process, whatever a handler does: no state that leads there
 * is given to it (world_give_states). */
static void start_ode(void) {
    dInitODE2(0);
    dSetMessageHandler(say_nothing);
    dSetErrorHandler(say_nothing);
    dSetDebugHandler(say_nothing);
}

static rheo_status refuse_body(rheo_report *report, int solid, const char *allowed, const char *message) {
    char path[64];
    snprintf(path, sizeof path, "solids[%d].shape", solid);
    report_fail(report, RHEO_INVALID, allowed, "%s", message);
    report_place(report, NULL, 0, 0, path);
    return RHEO_INVALID;
}

/* Making
 * ------------------------------------------------------------------------------------------------------- */

/* Mass and inertia for ODE. Returns whether it takes them for a body's: it ends the process over others, and
 * what is flattened to next to nothing has none that rounding leaves positive. */
static bool find_mass(dMass *m, const body *b, double unit) {
    const double *i = b->inertia;
    for (int c = 0; c < 9; ++c)
        if (!isfinite(unit * i[c])) return false;
    if (!(unit * b->mass > 0) || !(i[0] > 0) || !(i[4] > 0) || !(i[8] > 0)) return false;
    *m = (dMass){.mass = unit * b->mass};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m->I[4 * r + c] = unit * i[r <= c ? 3 * r + c : 3 * c + r];
    return dMassCheck(m);
}

static rheo_status make_bodies(world *w, rheo_report *report) {
    const rheo_scene *s = w->scene;
    pthread_once(&ode_once, start_ode);
    for (int i = 0; i < s->solid_count; ++i) {
        if (s->solids[i].motion != RHEO_DYNAMIC) continue;
        body *b = &w->bodies[w->count];
        if (body_make(b, &w->states[w->count], &s->solids[i], w->shapes[i], s->dim == 2, w->dx))
            return refuse_body(report, i, "a shape with a finite inside", "a body without a finite volume");
        dMass unused;
        if (!find_mass(&unused, b, 1))
            return refuse_body(report, i, "a shape that is not flattened to nothing, with no part inside out",
                               "a body without an inertia");
        if (b->radius < BODY_CRUMB * w->dx) b->round = ROUND_BALL;
        b->solid = i;
        b->active = &w->active[w->count];
        ++w->count;
    }
    return RHEO_OK;
}

static rheo_status make_things(world *w, rheo_report *report) {
    for (int i = 0; i < w->scene->solid_count; ++i) {
        if (thing_make(&w->things[i], &w->scene->solids[i], w->shapes[i], world_body_of(w, i),
                       WORLD_SPACING * w->dx))
            return report_no_memory(report, "contact points");
        ++w->thing_count;
        thing_place(&w->things[i], 0, 0);
    }
    return RHEO_OK;
}

/* ODE's exact solve ends the process where masses are those of crumbs: it gets them in units in which the
 * lightest weighs 1 or more. Powers of two change no digit. */
static double find_unit(const world *w) {
    double lightest = LEAST_MASS;
    int power;
    for (int i = 0; i < w->count; ++i) lightest = fmin(lightest, w->bodies[i].mass);
    frexp(lightest, &power);
    return lightest < LEAST_MASS ? ldexp(1, 1 - power) : 1;
}

static dBodyID make_ode_body(world *w, const thing *t) {
    if (t->def->motion == RHEO_STATIC) return NULL;
    dBodyID b = dBodyCreate(w->ode);
    dBodySetGyroscopicMode(b, 0);
    dBodySetAutoDisableFlag(b, 0);
    if (t->body) {
        dMass m;
        find_mass(&m, t->body, w->unit);
        dBodySetMass(b, &m);
    } else {
        dBodySetKinematic(b);
    }
    return b;
}

static void make_ode(world *w) {
    w->ode = dWorldCreate();
    w->unit = find_unit(w);
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->ode, 0, 0, 0);
    dWorldSetAutoDisableFlag(w->ode, 0);
    dWorldSetQuickStepNumIterations(w->ode, QUICK_SWEEPS);
    dWorldSetContactSurfaceLayer(w->ode, WORLD_MARGIN * w->dx);
    dWorldSetContactMaxCorrectingVel(w->ode, PARTED_SPEED * w->dx / WORLD_PART_TIME);
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        double half[3], axes[9];
        w->ode_body[i] = make_ode_body(w, t);
        if (t->def->inside_fluid || !shape_as_box(half, axes, t->shape)) continue;
        const double more = 0.5 * WORLD_MARGIN * w->dx;
        w->ode_box[i] = dCreateBox(0, 2 * (half[0] + more), 2 * (half[1] + more), 2 * (half[2] + more));
    }
}

static rheo_status check_start(world *w, rheo_report *report);

static void make_joints(world *w) {
    w->fastest = INFINITY;
    world_give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const rheo_joint *def = &w->scene->joints[i];
        const int end[2] = {def->a, def->b};
        const body *only = NULL, *pair[2] = {NULL, NULL};
        double far = 0;
        int still = 0;
        for (int e = 0; e < 2; ++e) {
            const body *b = end[e] >= 0 ? w->things[end[e]].body : NULL;
            still += end[e] < 0 || w->things[end[e]].def->motion == RHEO_STATIC;
            if (!b) continue;
            double arm[3];
            vec_sub(arm, def->anchor, b->now->position);
            if (b->flat) arm[2] = 0;
            far = fmax(far, vec_length(arm) + b->radius);
            only = pair[e] = b;
        }
        joint_make(&w->joints[i], def, w->ode, end[0] >= 0 ? w->ode_body[end[0]] : NULL,
                   end[1] >= 0 ? w->ode_body[end[1]] : NULL, still ? only : NULL, far, w->scene->dim == 2);
        w->joints[i].unit = w->unit;
        if (pair[0] && pair[1] && w->scene->coupling == RHEO_MONOLITHIC)
            memcpy(w->joints[i].pair, pair, sizeof pair);
    }
}

rheo_status world_create(world **out, const rheo_scene *scene, shape *const *shapes, double dx,
                         rheo_report *report) {
    const size_t solids = (size_t)scene->solid_count + 1;
    world *w = *out = mem_alloc(sizeof *w);
    if (!w) return report_no_memory(report, "the bodies");
    w->scene = scene;
    w->shapes = shapes;
    w->dx = dx;
    w->bodies = mem_alloc(solids * sizeof *w->bodies);
    w->states = mem_alloc(solids * sizeof *w->states);
    w->active = mem_alloc(solids * sizeof *w->active);
    w->pseudo = mem_alloc(solids * sizeof *w->pseudo);
    w->slid = mem_alloc(solids * sizeof *w->slid);
    w->fallen = mem_alloc(solids * sizeof *w->fallen);
    w->hangs = mem_alloc(solids * sizeof *w->hangs);
    w->swings = mem_alloc(solids * sizeof *w->swings);
    w->before = mem_alloc(solids * sizeof *w->before);
    w->kept = mem_alloc(solids * sizeof *w->kept);
    w->judged = mem_alloc(solids * sizeof *w->judged);
    w->things = mem_alloc(solids * sizeof *w->things);
    w->ode_body = mem_alloc(solids * sizeof *w->ode_body);
    w->ode_box = mem_alloc(solids * sizeof *w->ode_box);
    w->joints = mem_alloc(((size_t)scene->joint_count + 1) * sizeof *w->joints);
    w->rows.item = mem_alloc(((size_t)scene->joint_count * JOINT_ROWS + 1) * sizeof *w->rows.item);
    const int whole = w->bodies && w->states && w->active && w->pseudo && w->slid && w->fallen && w->hangs &&
                      w->swings && w->before && w->kept && w->things && w->ode_body && w->ode_box &&
                      w->joints && w->rows.item && w->judged;
    rheo_status status = whole ? make_bodies(w, report) : report_no_memory(report, "the bodies");
    if (!status && w->count) status = make_things(w, report);
    if (!status && w->count) {
        make_ode(w);
        make_joints(w);
        world_find_hanging(w);
        status = check_start(w, report);
    }
    if (status) {
        world_free(w);
        *out = NULL;
    }
    return status;
}

void world_free(world *w) {
    if (!w) return;
    for (int i = 0; i < w->thing_count; ++i) {
        thing_free(&w->things[i]);
        if (w->ode_box[i]) dGeomDestroy(w->ode_box[i]);
    }
    sweep_free(&w->pairs);
    if (w->contacts) dJointGroupDestroy(w->contacts);
    if (w->ode) dWorldDestroy(w->ode);
    void *const blocks[] = {w->bodies,  w->states, w->active,       w->pseudo,     w->slid,      w->fallen,
                            w->hangs,   w->swings, w->before,       w->kept,       w->things,    w->ode_body,
                            w->ode_box, w->joints, w->touches.item, w->close.item, w->rows.item, w->judged};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    mem_free(w);
}

/* Reading
 * ------------------------------------------------------------------------------------------------------ */

int world_count(const world *w) {
    return w ? w->count : 0;
}

const body *world_body(const world *w, int index) {
    return &w->bodies[index];
}

const body *world_body_of(const world *w, int solid) {
    for (int i = 0; i < world_count(w); ++i)
        if (w->bodies[i].solid == solid) return &w->bodies[i];
    return NULL;
}

body_state *world_states(world *w) {
    return w->states;
}

int world_is_gone(const world *w, const body *b) {
    int gone = 0;
    for (int a = 0; a < w->scene->dim; ++a)
        gone |= b->now->position[a] + b->radius < 0 || b->now->position[a] - b->radius > w->scene->size[a];
    return gone;
}

double world_speed(const world *w) {
    double most = 0;
    for (int i = 0; i < world_count(w); ++i) {
        const body *b = &w->bodies[i];
        const double speed = vec_length(b->now->velocity) + b->radius * vec_length(b->now->spin);
        if (!isfinite(speed)) return INFINITY; /* which fmax() would pass over */
        if (!world_is_gone(w, b)) most = fmax(most, speed);
    }
    return most;
}

void world_accelerate(world *w, const double acceleration[3], double dt) {
    for (int i = 0; i < world_count(w); ++i)
        for (int c = 0; c < w->scene->dim; ++c) {
            w->states[i].velocity[c] += dt * acceleration[c] - w->fallen[i][c];
            w->fallen[i][c] = 0;
        }
}

void world_lift(world *w, double fluid_density, const double gravity[3], double dt) {
    for (int i = 0; i < world_count(w); ++i) {
        const double share = fluid_density * w->bodies[i].volume / w->bodies[i].mass;
        for (int c = 0; c < w->scene->dim; ++c) w->states[i].velocity[c] -= dt * share * gravity[c];
    }
}

/* What cannot start
 * --------------------------------------------------------------------------------------------- */

static const char *name_of(const world *w, int solid, char text[32]) {
    snprintf(text, 32, "solids[%d]", solid);
    return w->scene->solids[solid].name ? w->scene->solids[solid].name : text;
}

/* Sunk in by more than a cell, or by half the size of what is smaller than that. */
static rheo_status judge_overlap(const world *w, const touch *t, rheo_report *report) {
    static const char *const sides[6] = {"left", "right", "bottom", "top", "back", "front"};
    const double size = fmin(w->things[t->a].radius, t->b >= 0 ? w->things[t->b].radius : INFINITY);
    char message[256], other[32];
    if (-t->gap <= fmin(w->dx, 0.5 * size)) return RHEO_OK;
    if (t->b < 0)
        snprintf(message, sizeof message,
                 "the body reaches %.3g m out of the domain through the closed %s side", -t->gap,
                 sides[t->b - SIDE_OF_DOMAIN]);
    else
        snprintf(message, sizeof message, "the body overlaps '%.60s' by %.3g m near (%.4g, %.4g, %.4g)",
                 name_of(w, t->b, other), -t->gap, t->point[0], t->point[1], t->point[2]);
    return refuse_body(report, t->a, "bodies apart from each other, from solids and from closed sides",
                       message);
}

/* Bodies are not repeated across periodic sides: one that comes to lie on both would be half there. */
rheo_status world_check_sides(const world *w, double time, rheo_report *report) {
    const rheo_scene *s = w->scene;
    for (int i = 0; i < w->thing_count; ++i)
        for (int a = 0; a < s->dim && w->things[i].body; ++a) {
            double lower[3], upper[3];
            char message[256], name[32];
            if (s->wall[2 * a] != RHEO_WALL_PERIODIC) continue;
            thing_bounds(lower, upper, &w->things[i]);
            const double side = s->size[a];
            if (lower[a] >= 0 && upper[a] <= side) continue;
            snprintf(message, sizeof message,
                     "the body '%.60s' reaches a periodic side along %c at t = %g s: it lies from %.4g to "
                     "%.4g m, the domain from 0 to %.4g m",
                     name_of(w, i, name), "xyz"[a], time, lower[a], upper[a], side);
            return refuse_body(report, i, "bodies that stay clear of periodic sides, in this version",
                               message);
        }
    return RHEO_OK;
}

/* Solids whose surfaces lie in each other touch nowhere: that the middle of a body is deep in both tells. */
static rheo_status check_middles(const world *w, rheo_report *report) {
    for (int a = 0; a < w->thing_count; ++a) {
        const body *b = w->things[a].body;
        const double own = b ? -thing_distance(&w->things[a], b->now->position) : 0;
        for (size_t k = w->pairs.start[a]; own > 0 && k < w->pairs.start[a + 1]; ++k) {
            const int other = w->pairs.near[k];
            if (world_are_joined(w, a, other)) continue;
            touch t = {.a = a, .b = other};
            memcpy(t.point, b->now->position, sizeof t.point);
            t.gap = fmax(-own, thing_distance(&w->things[other], t.point));
            const rheo_status status = judge_overlap(w, &t, report);
            if (status) return status;
        }
    }
    return RHEO_OK;
}

static rheo_status check_start(world *w, rheo_report *report) {
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        bool out = false;
        if (!t->body) continue;
        for (int a = 0; a < w->scene->dim; ++a)
            out = out || t->body->now->position[a] < 0 || t->body->now->position[a] > w->scene->size[a];
        if (out)
            return refuse_body(report, i, "a body within the domain", "the body lies outside the domain");
    }
    if (world_find_touches(w, 0)) return report_no_memory(report, "contacts");
    rheo_status status = RHEO_OK;
    for (int i = 0; i < w->touches.count && !status; ++i)
        status = judge_overlap(w, &w->touches.item[i], report);
    if (!status) status = check_middles(w, report);
    return status ? status : world_check_sides(w, 0, report);
}
