/* The bodies of a scene: contact, friction, restitution and joints through ODE, motion by our own hand.
 *
 *   M (v+ - v) = J^T lambda,   0 <= lambda_n  _|_  (J v+)_n >= b,   |lambda_t| <= mu lambda_n
 *
 * A step of dt is cut into parts h. At the start of each, contacts are found (solid/contact.c; two boxes by
 * ODE's separating axes), ODE solves for the velocities v+ that contacts and joints allow, and body_move()
 * carries the bodies: ODE's own positions are thrown away, because its free rotation drifts and ours does
 * not. ODE gets all state anew for every solve, so nothing but body_state decides the future. Small systems
 * are solved exactly (dWorldStep: Dantzig), large ones by sweeps (dWorldQuickStep) from a fixed seed: both
 * repeat bit by bit.
 *
 * A part is so long that nothing nearer than it can travel is crossed: with the gap d and the closing speed c
 * of every point near another solid, h <= max(d, SINK dx) / c, and along a surface within reach no more than
 * SLIDE dx. So an impact sinks in by at most about SINK dx. Within MARGIN dx of each other solids count as
 * touching; deeper than that they are parted at a rate of 1 / PART_TIME, slowly enough to add no bounce;
 * deeper than DEEP dx, where they can only have begun, as a shift that leaves no velocity.
 *
 * Coulomb's cone is ODE's pyramid with its first side along the slip (dContactApprox1). Contact that slid
 * before the forces of a step takes `friction`, contact that did not `static_friction`; slower than what
 * friction under the body's own weight stops within the step is not sliding. Restitution acts where the
 * approach is faster than what gravity gives in a step and over a margin, so that resting does not rattle.
 *
 * Joints are ODE's (solid/joint.c); motors act once a step, after its forces. Two solids that a joint holds
 * do not touch each other: hinges would bind.
 *
 * Limits: the pyramid lets up to sqrt(2) more friction act at 45 degrees to the slip's first axis; a body
 * thinner than SINK dx can be passed by a faster one. */
#include "solid/world.h"

#include <math.h>
#include <ode/ode.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "solid/contact.h"
#include "solid/grip.h"
#include "solid/joint.h"
#include "solid/vector.h"

#define MARGIN       0.02  /* cells: nearer than this is touching, deeper than this is parted */
#define SINK         0.025 /* cells: what an impact may sink in */
#define DEEP         0.05  /* cells: deeper than an impact sinks in; so solids only begin */
#define SLIDE        0.15  /* cells along a surface in one part of a step */
#define SPACING      0.5   /* cells between points */
#define PART_TIME    0.02  /* s */
#define JOINT_REPAIR 0.8   /* of a joint's error in one part */
#define TURN         0.03  /* rad that a jointed body may turn in one part */
#define STICK        0.1   /* of static friction: the least friction that tells sliding from sticking */
#define SOFT         1e-7  /* of a contact row's own size: keeps redundant contacts solvable */
enum {
    PARTS_MAX = 400, /* of a step; then the rest goes in one */
    BOX_CONTACTS = 8,
    ROWS_EXACT = 240, /* of contacts and joints that Dantzig's method is asked to solve */
    SWEEPS = 80
};

struct world {
    const rheo_scene *scene;
    shape *const *shapes;
    double dx;
    int count;
    body *bodies;
    body_state *states;

    thing *things; /* all solids */
    int thing_count;
    touch_list touches, close; /* what is found; those of one pair that are being chosen from */
    dWorldID ode;
    dBodyID *ode_body; /* of each thing; NULL where it stands still */
    dGeomID *ode_box;  /* of each thing that is a box in space, larger by half a margin; else NULL */
    dJointGroupID contacts;
    joint *joints;       /* of the scene, in its order */
    body_grip *grips;    /* of each body */
    double (*given)[6];  /* of each body: velocity lent to it by world_expect(), or to be parted with */
    double (*fallen)[3]; /* what gravity gave it before it moved */
    double (*slid)[6];   /* of each body: velocity and spin before the forces of a step */
};

/* ODE's start, seed of random numbers and messages are the process's: one at a time. */
static pthread_once_t ode_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t ode_sweeps = PTHREAD_MUTEX_INITIALIZER;

__attribute__((format(printf, 2, 0))) static void say_nothing(int number, const char *text, va_list args) {
    (void)number;
    (void)text;
    (void)args;
}

static void start_ode(void) {
    dInitODE2(0);
    dSetMessageHandler(say_nothing);
}

/* Making
 * ------------------------------------------------------------------------------------------------------- */

static rheo_status make_bodies(world *w, rheo_report *report) {
    const rheo_scene *s = w->scene;
    for (int i = 0; i < s->solid_count; ++i) {
        if (s->solids[i].motion != RHEO_DYNAMIC) continue;
        body *b = &w->bodies[w->count];
        if (body_make(b, &w->states[w->count], &s->solids[i], w->shapes[i], s->dim == 2, w->dx)) {
            char path[64];
            snprintf(path, sizeof path, "solids[%d].shape", i);
            report_fail(report, RHEO_INVALID, "a shape with a finite inside",
                        "a body without a finite volume");
            report_place(report, NULL, 0, 0, path);
            return RHEO_INVALID;
        }
        b->solid = i;
        b->grip = &w->grips[w->count];
        ++w->count;
    }
    return RHEO_OK;
}

static rheo_status make_things(world *w, rheo_report *report) {
    for (int i = 0; i < w->scene->solid_count; ++i) {
        if (thing_make(&w->things[i], &w->scene->solids[i], w->shapes[i], world_body_of(w, i),
                       SPACING * w->dx))
            return report_no_memory(report, "contact points");
        ++w->thing_count;
        thing_place(&w->things[i], 0);
    }
    return RHEO_OK;
}

/* Rows of a row-major matrix in ODE's layout. */
static void to_ode_matrix(dMatrix3 m, const double r[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[4 * i + j] = r[3 * i + j];
        m[4 * i + 3] = 0;
    }
}

static dBodyID make_ode_body(world *w, const thing *t) {
    if (t->def->motion == RHEO_STATIC) return NULL;
    dBodyID b = dBodyCreate(w->ode);
    dBodySetGyroscopicMode(b, 0);
    dBodySetAutoDisableFlag(b, 0);
    if (t->body) {
        const double *i = t->body->inertia;
        dMass m;
        dMassSetParameters(&m, t->body->mass, 0, 0, 0, i[0], i[4], i[8], i[1], i[2], i[5]);
        dBodySetMass(b, &m);
    } else {
        dBodySetKinematic(b);
    }
    return b;
}

static void make_ode(world *w) {
    pthread_once(&ode_once, start_ode);
    w->ode = dWorldCreate();
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->ode, 0, 0, 0);
    dWorldSetAutoDisableFlag(w->ode, 0);
    dWorldSetQuickStepNumIterations(w->ode, SWEEPS);
    dWorldSetContactSurfaceLayer(w->ode, MARGIN * w->dx);
    dWorldSetContactMaxCorrectingVel(w->ode, 0.25 * w->dx / PART_TIME);
    for (int i = 0; i < w->thing_count; ++i) {
        const thing *t = &w->things[i];
        double half[3], axes[9];
        w->ode_body[i] = make_ode_body(w, t);
        if (t->def->inside_fluid || !shape_as_box(half, axes, t->shape)) continue;
        const double more = 0.5 * MARGIN * w->dx;
        w->ode_box[i] = dCreateBox(0, 2 * (half[0] + more), 2 * (half[1] + more), 2 * (half[2] + more));
    }
}

static int are_joined(const world *w, int a, int b) {
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const rheo_joint *j = &w->scene->joints[i];
        if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return 1;
    }
    return 0;
}

static void give_states(world *w);
static rheo_status check_start(world *w, rheo_report *report);

static void make_joints(world *w) {
    give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const rheo_joint *def = &w->scene->joints[i];
        const int end[2] = {def->a, def->b};
        const body *only = NULL;
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
            only = b;
        }
        joint_make(&w->joints[i], def, w->ode, end[0] >= 0 ? w->ode_body[end[0]] : NULL,
                   end[1] >= 0 ? w->ode_body[end[1]] : NULL, still ? only : NULL, far, w->scene->dim == 2);
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
    w->grips = mem_alloc(solids * sizeof *w->grips);
    w->given = mem_alloc(solids * sizeof *w->given);
    w->slid = mem_alloc(solids * sizeof *w->slid);
    w->fallen = mem_alloc(solids * sizeof *w->fallen);
    w->things = mem_alloc(solids * sizeof *w->things);
    w->ode_body = mem_alloc(solids * sizeof *w->ode_body);
    w->ode_box = mem_alloc(solids * sizeof *w->ode_box);
    w->joints = mem_alloc(((size_t)scene->joint_count + 1) * sizeof *w->joints);
    const int whole = w->bodies && w->states && w->grips && w->given && w->slid && w->fallen && w->things &&
                      w->ode_body && w->ode_box && w->joints;
    rheo_status status = whole ? make_bodies(w, report) : report_no_memory(report, "the bodies");
    if (!status && w->count) status = make_things(w, report);
    if (!status && w->count) {
        make_ode(w);
        make_joints(w);
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
    if (w->contacts) dJointGroupDestroy(w->contacts);
    if (w->ode) dWorldDestroy(w->ode);
    void *const blocks[] = {w->bodies, w->states,   w->grips,   w->given,  w->slid,         w->fallen,
                            w->things, w->ode_body, w->ode_box, w->joints, w->touches.item, w->close.item};
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

/* Finding contacts
 * ---------------------------------------------------------------------------------------------- */

static void place_things(world *w, double time) {
    for (int i = 0; i < w->thing_count; ++i) thing_place(&w->things[i], time);
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
        touch t = {.a = a, .b = b, .gap = MARGIN * w->dx - found[i].depth};
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
    if (!(dt > 0)) return MARGIN * w->dx + sag;
    const double still = b >= 0 ? thing_speed(&w->things[b]) : 0;
    return fmin(thing_speed(&w->things[a]) + still, 1e3 * w->dx / dt) * dt + MARGIN * w->dx + sag;
}

/* Everything that bodies touch or could come to touch within dt. */
static void find_touches(world *w, double dt) {
    touch_list *l = &w->touches;
    l->count = 0;
    for (int a = 0; a < w->thing_count; ++a) {
        if (!w->things[a].body) continue;
        for (int b = 0; b < w->thing_count; ++b) {
            if (b == a || (w->things[b].body && b < a) || are_joined(w, a, b)) continue;
            const int first = l->count;
            const double reach = pair_reach(w, a, b, dt);
            const double near = fmax(pair_reach(w, a, b, 0), SLIDE * w->dx);
            touch_pair(l, w->things, a, b, reach, near, 1e-3 * w->dx);
            if (l->count > first && w->ode_box[a] && w->ode_box[b]) {
                int kept = first; /* the gaps tell how far to go, ODE where they touch */
                for (int i = first; i < l->count; ++i)
                    if (l->item[i].gap >= MARGIN * w->dx) l->item[kept++] = l->item[i];
                l->count = kept;
                touch_boxes(w, a, b);
            } else {
                touch_thin_out(&w->touches, &w->close, w->things, first, MARGIN * w->dx,
                               0.05 * SPACING * w->dx, w->things[a].radius);
            }
        }
        for (int side = 0; side < 2 * w->scene->dim; ++side) {
            if (w->scene->wall[side] != RHEO_WALL_CLOSED) continue;
            const int first = l->count;
            const double place = side % 2 ? w->scene->size[side / 2] : 0;
            touch_side(l, w->things, a, side, place, pair_reach(w, a, -1, dt));
            touch_thin_out(&w->touches, &w->close, w->things, first, MARGIN * w->dx, 0.05 * SPACING * w->dx,
                           w->things[a].radius);
        }
    }
}

/* Velocity of a relative to b at a contact. */
static void slip_of(double u[3], const world *w, const touch *t) {
    double other[3] = {0, 0, 0};
    thing_velocity(u, &w->things[t->a], t->point);
    if (t->b >= 0) thing_velocity(other, &w->things[t->b], t->point);
    vec_sub(u, u, other);
}

/* How long a part may be, from gaps and closing speeds, and from the turning and the stops of joints. */
static double safe_part(world *w, double left) {
    double h = left;
    for (int i = 0; i < w->scene->joint_count; ++i)
        for (int end = 0; end < 2; ++end) {
            const int solid = end ? w->scene->joints[i].b : w->scene->joints[i].a;
            const double turn = solid >= 0 ? vec_length(w->things[solid].now.spin) : 0;
            if (turn * h > TURN) h = TURN / turn;
        }
    if (w->scene->joint_count) give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i)
        h = fmin(h, joint_time_to_stop(&w->joints[i], MARGIN * w->dx, SINK * w->dx));
    for (int i = 0; i < w->touches.count; ++i) {
        const touch *t = &w->touches.item[i];
        double u[3];
        slip_of(u, w, t);
        const bool known = t->normal[0] != 0 || t->normal[1] != 0 || t->normal[2] != 0;
        const double speed = vec_length(u), closing = known ? -vec_dot(u, t->normal) : speed;
        if (speed * h <= SINK * w->dx) continue;
        if (t->gap >= MARGIN * w->dx && closing > 0) h = fmin(h, fmax(t->gap, SINK * w->dx) / closing);
        if (t->gap < SLIDE * w->dx && speed > 0) h = fmin(h, SLIDE * w->dx / speed);
    }
    return h;
}

/* What cannot start
 * --------------------------------------------------------------------------------------------- */

static rheo_status refuse_body(rheo_report *report, int solid, const char *allowed, const char *message) {
    char path[64];
    snprintf(path, sizeof path, "solids[%d].shape", solid);
    report_fail(report, RHEO_INVALID, allowed, "%s", message);
    report_place(report, NULL, 0, 0, path);
    return RHEO_INVALID;
}

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
            if (lower[a] >= 0 && upper[a] <= s->size[a]) continue;
            snprintf(message, sizeof message,
                     "the body '%.60s' reaches a periodic side along %c at t = %g s: it lies from %.4g to "
                     "%.4g m, the domain from 0 to %.4g m",
                     name_of(w, i, name), "xyz"[a], time, lower[a], upper[a], s -> size[a]);
            return refuse_body(report, i, "bodies that stay clear of periodic sides, in this version",
                               message);
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
    find_touches(w, 0);
    rheo_status status = RHEO_OK;
    for (int i = 0; i < w->touches.count && !status; ++i)
        status = judge_overlap(w, &w->touches.item[i], report);
    return status ? status : world_check_sides(w, 0, report);
}

/* Solving
 * ------------------------------------------------------------------------------------------------------ */

static void give_states(world *w) {
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
static void pair_surface(double *friction, double *hold, double *restitution, const world *w,
                         const touch *t) {
    const rheo_solid *a = w->things[t->a].def, *b = t->b >= 0 ? w->things[t->b].def : a;
    *friction = sqrt(a->friction * b->friction);
    *hold = sqrt(static_friction(a) * static_friction(b));
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

static void note_sliding(world *w) {
    for (int i = 0; i < w->count; ++i) {
        memcpy(w->slid[i], w->states[i].velocity, sizeof w->states[i].velocity);
        memcpy(w->slid[i] + 3, w->states[i].spin, sizeof w->states[i].spin);
    }
}

/* Velocity of a solid at a point before the forces of the step. */
static void velocity_before(double u[3], const world *w, int i, const double point[3]) {
    const body *b = w->things[i].body;
    double arm[3];
    if (!b) {
        thing_velocity(u, &w->things[i], point);
        return;
    }
    const double *v = w->slid[b - w->bodies];
    vec_sub(arm, point, b->now->position);
    if (b->flat) arm[2] = 0;
    vec_cross(u, v + 3, arm);
    for (int c = 0; c < 3; ++c) u[c] += v[c];
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

/* The slowest of bounces, and what gravity gives in a step, m/s. */
typedef struct {
    double rest, fall;
} speeds;

static void add_contact(world *w, const touch *t, double h, speeds least, int parting) {
    double u[3], friction, hold, restitution;
    slip_of(u, w, t);
    const double closing = -vec_dot(u, t->normal);
    const int flat = w->scene->dim == 2;
    dContact c = {0};
    pair_surface(&friction, &hold, &restitution, w, t);
    c.surface.mode = dContactApprox1 | dContactFDir1 | dContactSoftERP | dContactSoftCFM | dContactMu2;
    c.surface.mu = slide_before(w, t) > fmax(friction, STICK * hold) * least.fall ? friction : hold;
    c.surface.mu2 = flat ? 0 : c.surface.mu;
    c.surface.soft_erp = parting ? fmin(0.5, h / PART_TIME) : 0;
    c.surface.soft_cfm = SOFT * (inverse_mass(w, t->a) + inverse_mass(w, t->b)) * h;
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

/* What the slowest of bounces must exceed is gravity of a step, and of a fall over the margin. */
static speeds least_speeds(const world *w, double time, double dt) {
    double g[3];
    rheo_evaluate_curve(g, &w->scene->gravity, time);
    const double weight = vec_length(g);
    return (speeds){.rest = 1.5 * weight * dt + sqrt(2 * weight * MARGIN * w->dx), .fall = weight * dt};
}

/* Velocities that contacts and joints allow. Only a solve that moves parts and puts right, and only the one
 * that does not, after the forces of the step, drives: so that each happens once a step. */
static void solve(world *w, double time, double h, speeds least, int moving, int parting) {
    int rows = 6 * w->scene->joint_count;
    if (rows) give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const stop_rule rule = {.margin = MARGIN * w->dx, .repair = moving ? fmin(0.5, h / PART_TIME) : 0};
        joint_drive(&w->joints[i], time, !moving);
        joint_set_stops(&w->joints[i], rule);
    }
    dWorldSetERP(w->ode, moving ? JOINT_REPAIR : 0);
    for (int i = 0; i < w->touches.count; ++i) {
        if (w->touches.item[i].gap >= MARGIN * w->dx) continue;
        if (!rows) give_states(w);
        add_contact(w, &w->touches.item[i], h, least, parting);
        rows += 3;
    }
    if (!rows) return;
    if (rows <= ROWS_EXACT) {
        dWorldStep(w->ode, h);
    } else {
        pthread_mutex_lock(&ode_sweeps);
        dRandSetSeed(1);
        dWorldQuickStep(w->ode, h);
        pthread_mutex_unlock(&ode_sweeps);
    }
    dJointGroupEmpty(w->contacts);
    take_velocities(w);
}

/* The velocities of a part of a step. What parts solids that are deep in each other is in them while they
 * move, and in w->given: it is no motion of theirs, and taken off again. */
static void solve_part(world *w, double time, double h, speeds least) {
    int deep = 0;
    for (int i = 0; i < w->touches.count; ++i) deep |= w->touches.item[i].gap < -DEEP * w->dx;
    note_sliding(w);
    solve(w, time, h, least, 1, !deep);
    if (!deep) return;
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->given[i], &w->states[i], -1);
        memcpy(w->states[i].velocity, w->slid[i], 3 * sizeof(double));
        memcpy(w->states[i].spin, w->slid[i] + 3, 3 * sizeof(double));
    }
    solve(w, time, h, least, 1, 1);
    for (int i = 0; i < w->count; ++i) body_note_motion(w->given[i], &w->states[i], 1);
}

static void move_bodies(world *w, double h) {
    for (int i = 0; i < w->count; ++i) {
        body_move(&w->bodies[i], h);
        body_add_motion(&w->states[i], w->given[i], -1);
        memset(w->given[i], 0, sizeof w->given[i]);
    }
}

/* What was hit may now be faster than anything was before: the part ends earlier then. */
static double shorten_part(world *w, double h) {
    for (int i = 0; i < w->thing_count; ++i)
        if (w->things[i].body) w->things[i].now = body_placement(w->things[i].body);
    return safe_part(w, h);
}

/* What falls freely gets half of gravity's share of a step before it moves, x += dt v + dt^2 g / 2, and the
 * rest after. */
static void begin_fall(world *w, double time, double dt) {
    double g[3];
    rheo_evaluate_curve(g, &w->scene->gravity, time + 0.5 * dt);
    for (int i = 0; i < w->count; ++i)
        for (int c = 0; c < 3; ++c) {
            body_state *b = &w->states[i];
            w->fallen[i][c] = c < w->scene->dim ? b->falls * 0.5 * dt * g[c] : 0;
            b->velocity[c] += w->fallen[i][c];
        }
}

/* Whether nothing but gravity acts on a body: neither liquid, which only these couplings tell, nor contacts
 * in the end of the step, nor a joint. */
static double is_falling(const world *w, int i) {
    const int knows_wet = w->scene->coupling == RHEO_MONOLITHIC || w->scene->coupling == RHEO_SOLID_TO_FLUID;
    const double *held = w->states[i].held;
    for (int k = 0; k < w->scene->joint_count; ++k)
        if (w->scene->joints[k].a == w->bodies[i].solid || w->scene->joints[k].b == w->bodies[i].solid)
            return 0;
    return knows_wet && !w->grips[i].wet && six_dot(held, held) == 0;
}

void world_step(world *w, double time, double dt) {
    if (!world_count(w)) return;
    begin_fall(w, time, dt);
    const speeds least = least_speeds(w, time, dt);
    double left = dt;
    for (int part = 0; left > 0; ++part) {
        place_things(w, time + dt - left);
        find_touches(w, left);
        double h = part < PARTS_MAX ? safe_part(w, left) : left;
        if (left - h < 1e-6 * dt) h = left;
        solve_part(w, time + dt - left, h, least);
        if (part < PARTS_MAX) h = shorten_part(w, h);
        move_bodies(w, h);
        left = h < left ? left - h : 0;
    }
    note_sliding(w);
}

/* Forces
 * ------------------------------------------------------------------------------------------------------ */

/* A contact that pushed in the last step, as what all contacts did to the body there tells, holds in this. */
static void grip_touch(world *w, const touch *t) {
    const body *b = w->things[t->a].body;
    double arm[3], row[6];
    if (t->gap >= MARGIN * w->dx || (t->b >= 0 && w->things[t->b].def->motion != RHEO_STATIC)) return;
    vec_sub(arm, t->point, b->now->position);
    if (b->flat) arm[2] = 0;
    memcpy(row, t->normal, 3 * sizeof *row);
    vec_cross(row + 3, arm, t->normal);
    if (six_dot(row, b->now->held) > 0) grip_add(b, row, GRIP_OF_CONTACT);
}

/* Velocity and spin of a joint's only body before the forces of the step. */
static const double *slid_by(const world *w, const joint *j) {
    return j->only ? w->slid[j->only - w->bodies] : NULL;
}

void world_expect(world *w, double time, double dt) {
    if (!world_count(w)) return;
    for (int i = 0; i < w->count; ++i) *w->bodies[i].grip = (body_grip){0};
    place_things(w, time);
    find_touches(w, 0);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->given[i], &w->states[i], -1);
        body_add_motion(&w->states[i], w->states[i].held, dt);
    }
    if (w->scene->joint_count) give_states(w);
    for (int i = 0; i < w->scene->joint_count; ++i)
        joint_grip(&w->joints[i], slid_by(w, &w->joints[i]), MARGIN * w->dx, time, dt);
    for (int i = 0; i < w->touches.count; ++i) grip_touch(w, &w->touches.item[i]);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->grips[i].given, &w->states[i], -1);
        grip_obey(&w->bodies[i]);
    }
    for (int i = 0; i < w->scene->joint_count; ++i)
        joint_grip_motor(&w->joints[i], slid_by(w, &w->joints[i]), time, dt);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->grips[i].given, &w->states[i], 1);
        body_note_motion(w->given[i], &w->states[i], 1);
    }
}

void world_hold(world *w, double time, double dt) {
    if (!world_count(w)) return;
    for (int i = 0; i < w->count; ++i) {
        body_state *b = w->bodies[i].now;
        body_add_motion(b, w->given[i], -1);
        body_add_motion(b, w->grips[i].withheld, 1);
        memset(w->given[i], 0, sizeof w->given[i]);
        memset(b->held, 0, sizeof b->held);
        body_note_motion(b->held, b, -1 / dt);
    }
    place_things(w, time);
    find_touches(w, 0);
    solve(w, time, dt, least_speeds(w, time, dt), 0, 0);
    for (int i = 0; i < w->count; ++i) {
        body_note_motion(w->states[i].held, &w->states[i], 1 / dt);
        w->states[i].falls = is_falling(w, i);
        w->grips[i] = (body_grip){0};
    }
    for (int i = 0; i < w->scene->joint_count; ++i) {
        const body *b = w->joints[i].only;
        if (b) joint_leave_out(b->now->held, &w->joints[i]);
    }
}
