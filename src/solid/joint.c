/* Joints through ODE: rows J v = 0, stops and motors.
 *
 *   stop:   0 <= lambda  _|_  rate >= 0 at the lower one, the mirror image at the upper one,
 *   motor:  rate = speed where |lambda| <= force, else |lambda| = force.
 *
 * A stop acts from a margin before it on, on the rate alone: what arrives is halted where it is. Steps are
 * cut so that nothing passes a stop by more than a fraction of the margin (joint_time_to_stop), and what is
 * deeper in than the margin is taken back slowly; so a stop adds no energy. The motor is a joint of its own
 * beside the link: ODE's motor of a link that is at its stop pushes with all its force, away from the stop
 * too.
 *
 * A body that hangs on what stands still is told to whoever applies forces (active_constraints): rows that it
 * cannot move along, and the motor with its limit, which the pressure solve reckons with
 * (stage/coupling/coupling.c). Of joints between bodies the rows are told (joint_row); stops and motors of
 * these act as they last did.
 *
 * Limits: a hinge with stops a whole turn apart does not know on which side of them it is; only the first
 * motor of a body is among its active constraints. */
#include "solid/joint.h"

#include <math.h>
#include <string.h>
#include "solid/curve.h"
#include "solid/active.h"
#include "solid/tuning.h"
#include "solid/vector.h"

static int turns(const joint *j) {
    return j->def->kind == RHEO_JOINT_HINGE || j->def->kind == RHEO_JOINT_MOTOR;
}

static int has_one_motion(const joint *j) {
    return turns(j) || j->def->kind == RHEO_JOINT_SLIDER;
}

static int is_driven(const joint *j) {
    return j->motor && j->def->force > 0;
}

/* Making
 * ------------------------------------------------------------------------------------------------------ */

static dJointID make_link(const joint *j, dWorldID ode, dBodyID first, dBodyID second, int flat) {
    const double *x = j->def->anchor, *axis = j->axis;
    dJointID link = NULL;
    switch (j->def->kind) {
    case RHEO_JOINT_BALL:
        link = dJointCreateBall(ode, 0);
        dJointAttach(link, first, second);
        dJointSetBallAnchor(link, x[0], x[1], flat ? 0 : x[2]);
        break;
    case RHEO_JOINT_SLIDER:
        link = dJointCreateSlider(ode, 0);
        dJointAttach(link, first, second);
        dJointSetSliderAxis(link, axis[0], axis[1], axis[2]);
        break;
    case RHEO_JOINT_FIXED:
        link = dJointCreateFixed(ode, 0);
        dJointAttach(link, first, second);
        dJointSetFixed(link);
        break;
    case RHEO_JOINT_HINGE:
    case RHEO_JOINT_MOTOR:
        link = dJointCreateHinge(ode, 0);
        dJointAttach(link, first, second);
        dJointSetHingeAnchor(link, x[0], x[1], flat ? 0 : x[2]);
        dJointSetHingeAxis(link, axis[0], axis[1], axis[2]);
        break;
    }
    return link;
}

static dJointID make_motor(const joint *j, dWorldID ode, dBodyID first, dBodyID second) {
    dJointID motor = turns(j) ? dJointCreateAMotor(ode, 0) : dJointCreateLMotor(ode, 0);
    dJointAttach(motor, first, second);
    if (turns(j)) {
        dJointSetAMotorMode(motor, dAMotorUser);
        dJointSetAMotorNumAxes(motor, 1);
        dJointSetAMotorAxis(motor, 0, 1, j->axis[0], j->axis[1], j->axis[2]);
    } else {
        dJointSetLMotorNumAxes(motor, 1);
        dJointSetLMotorAxis(motor, 0, 1, j->axis[0], j->axis[1], j->axis[2]);
    }
    return motor;
}

void joint_make(joint *j, const rheo_joint *def, dWorldID ode, dBodyID first, dBodyID second,
                const body *only, double far, int flat) {
    *j = (joint){.def = def, .only = only, .lever = def->kind == RHEO_JOINT_SLIDER ? 1 : far};
    const int swap =
        !first; /* the motion of a against b along an axis is that of b against a the other way */
    const int upright = flat && turns(j);
    double axis[3] = {upright ? 0 : def->axis[0], upright ? 0 : def->axis[1], upright ? 1 : def->axis[2]};
    if (flat && !upright) axis[2] = 0;
    const double length = vec_length(axis);
    for (int c = 0; c < 3; ++c) j->axis[c] = length > 0 ? (swap ? -axis[c] : axis[c]) / length : 0;
    dBodyID one = swap ? second : first, other = swap ? first : second;
    j->link = make_link(j, ode, one, other, flat);
    dJointSetFeedback(j->link, &j->link_push);
    if (!has_one_motion(j)) return;
    j->motor = make_motor(j, ode, one, other);
    dJointSetFeedback(j->motor, &j->motor_push);
}

/* Stops and motors in ODE's solve
 * ------------------------------------------------------------------------------------------------------ */

static double wanted_speed(const joint *j, double time) {
    double speed = 0;
    rheo_evaluate_curve(&speed, &j->def->speed, time);
    return speed;
}

void joint_drive(const joint *j, double time, int acts) {
    if (!j->motor) return;
    const double force = acts ? j->unit * j->def->force : 0;
    if (turns(j)) {
        dJointSetAMotorParam(j->motor, dParamVel, wanted_speed(j, time));
        dJointSetAMotorParam(j->motor, dParamFMax, force);
    } else {
        dJointSetLMotorParam(j->motor, dParamVel, wanted_speed(j, time));
        dJointSetLMotorParam(j->motor, dParamFMax, force);
    }
}

/* Distances to the lower and the upper stop, rad or m, negative beyond them; how fast the joint moves; what
 * ODE takes its place for. 0: it has no stops. */
static int read_place(double gap[2], double *rate, double *ode_place, const joint *j) {
    const double *limits = j->def->limits;
    if (!has_one_motion(j) || !(limits[0] > -1e9 || limits[1] < 1e9)) return 0;
    const double unit = turns(j) ? M_PI / 180 : 1;
    double place = turns(j) ? dJointGetHingeAngle(j->link) : dJointGetSliderPosition(j->link);
    *ode_place = place;
    *rate = turns(j) ? dJointGetHingeAngleRate(j->link) : dJointGetSliderPositionRate(j->link);
    if (turns(j)) { /* within half a turn of the middle between the stops, or of the start */
        const int both = limits[0] > -1e9 && limits[1] < 1e9;
        const double middle = both ? 0.5 * (limits[0] + limits[1]) * unit : 0;
        place = middle + remainder(place - middle, 2 * M_PI);
    }
    gap[0] = limits[0] > -1e9 ? place - limits[0] * unit : INFINITY;
    gap[1] = limits[1] < 1e9 ? limits[1] * unit - place : INFINITY;
    return 1;
}

static void set_link(const joint *j, int parameter, double value) {
    if (turns(j)) dJointSetHingeParam(j->link, parameter, value);
    else dJointSetSliderParam(j->link, parameter, value);
}

void joint_set_stops(const joint *j, stop_rule rule) {
    double gap[2], rate, place;
    if (!read_place(gap, &rate, &place, j)) return;
    const double margin = rule.margin / j->lever;
    const double deep[2] = {fmax(0, -gap[0] - margin), fmax(0, -gap[1] - margin)};
    /* ODE's hinge keeps what it found at a stop until it is asked to look at one again: it always is */
    const double away = turns(j) ? 1 : dInfinity;
    set_link(j, dParamLoStop, gap[0] < margin ? place + deep[0] : place - away);
    set_link(j, dParamHiStop, gap[1] < margin ? place - deep[1] : place + away);
    set_link(j, dParamStopERP, rule.repair);
}

void joint_set_repair(const joint *j, double share) {
    if (j->def->kind == RHEO_JOINT_BALL) dJointSetBallParam(j->link, dParamERP, share);
    if (j->def->kind == RHEO_JOINT_FIXED) dJointSetFixedParam(j->link, dParamERP, share);
}

int joint_is_busy(const joint *j, double margin) {
    double gap[2], rate, place;
    if (is_driven(j)) return 1;
    return read_place(gap, &rate, &place, j) && j->lever * fmin(gap[0], gap[1]) < margin;
}

double joint_time_to_stop(const joint *j, double margin, double sink) {
    double gap[2], rate, place, most = INFINITY;
    if (!read_place(gap, &rate, &place, j)) return INFINITY;
    for (int side = 0; side < 2; ++side) {
        const double closing = j->lever * (side ? rate : -rate), way = j->lever * gap[side];
        if (closing > 0 && way >= margin) most = fmin(most, fmax(way, sink) / closing);
    }
    return most;
}

int joint_pins_place(const joint *j, const double x[3], double near) {
    double from[3];
    if (!j->only || !(turns(j) || j->def->kind == RHEO_JOINT_BALL)) return 0;
    vec_sub(from, x, j->def->anchor);
    if (j->only->flat) from[2] = 0;
    const double along = turns(j) ? vec_dot(from, j->axis) : 0;
    return vec_dot(from, from) - along * along < near * near;
}

/* What forces are to know
 * ------------------------------------------------------------------------------------------------------ */

/* The rate of the joint's one motion as a row of its body's velocity and spin. */
static void motion_row(double row[6], const joint *j) {
    memset(row, 0, 6 * sizeof *row);
    memcpy(row + (turns(j) ? 3 : 0), j->axis, sizeof j->axis);
}

/* Rows e_c of motion, or of turning, but along the joint's own axis where `across`. */
static void activate_axes(const joint *j, int turning, int across) {
    double side[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = 3;
    if (across) {
        const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
        vec_cross(side[0], j->axis, fabs(j->axis[0]) < 0.7 ? x : y);
        vec_cross(side[1], j->axis, side[0]);
        count = 2;
    }
    for (int k = 0; k < count; ++k) {
        double row[6] = {0};
        memcpy(row + 3 * turning, side[k], sizeof side[k]);
        active_add(j->only, row, INDEPENDENT_JOINT);
    }
}

static void activate_anchor(const joint *j) {
    double arm[3];
    vec_sub(arm, j->def->anchor, j->only->now->position);
    if (j->only->flat) arm[2] = 0;
    for (int c = 0; c < 3; ++c) {
        double row[6] = {0};
        row[c] = 1;
        vec_cross(row + 3, arm, row);
        active_add(j->only, row, INDEPENDENT_JOINT);
    }
}

/* A stop that the body comes to rest on, or rests at, unless its motor is to draw it away: what lifts a light
 * body against it may be the forces that are still to be found. */
static void activate_stops(const joint *j, const double before[6], double margin, double time, double dt) {
    double gap[2], rate, place, row[6], effect[6];
    active_constraints *g = j->only->active;
    if (g->stop || g->left || !read_place(gap, &rate, &place, j)) return;
    motion_row(row, j);
    const double was = j->lever * six_dot(row, before), speed = is_driven(j) ? wanted_speed(j, time) : 0;
    for (int side = 0; side < 2 && !g->stop; ++side) {
        const double away = side ? -1 : 1;
        const int count = g->count;
        if (j->lever * gap[side] >= margin || away * was * dt > 0.01 * margin || away * speed > 0) continue;
        for (int c = 0; c < 6; ++c) row[c] *= away;
        g->bears = is_driven(j) ? sqrt(active_free_effect(effect, j->only, row)) * j->def->force * dt : 0;
        active_add(j->only, row, INDEPENDENT_JOINT);
        g->stop = g->count > count ? g->count : 0;
    }
}

void joint_activate(const joint *j, const double before[6], double margin, double time, double dt) {
    if (!j->only) return;
    j->only->active->jointed = 1;
    switch (j->def->kind) {
    case RHEO_JOINT_BALL: activate_anchor(j); break;
    case RHEO_JOINT_SLIDER:
        activate_axes(j, 1, 0);
        activate_axes(j, 0, 1);
        break;
    case RHEO_JOINT_FIXED:
        activate_axes(j, 1, 0);
        activate_axes(j, 0, 0);
        break;
    case RHEO_JOINT_HINGE:
    case RHEO_JOINT_MOTOR:
        activate_axes(j, 1, 1);
        activate_anchor(j);
        break;
    }
    activate_stops(j, before, margin, time, dt);
}

void joint_activate_motor(const joint *j, const double before[6], double time, double dt) {
    if (!j->only || !is_driven(j) || j->only->active->motor.of) return;
    body_motor *m = &j->only->active->motor;
    double effect[6];
    motion_row(m->row, j);
    const double inverse_mass = active_free_effect(effect, j->only, m->row);
    if (!(inverse_mass > 0)) return;
    const double last = wanted_speed(j, time - dt), near = 1e-6 * (fabs(last) + 1 / j->lever);
    m->of = j->def;
    m->most = j->def->force * dt;
    m->speed = wanted_speed(j, time);
    m->at_speed = fabs(six_dot(m->row, before) - last) <= near;
    const double lack = m->speed - body_rate_along(m->row, j->only->now);
    const double impulse = fmax(-m->most, fmin(m->most, lack / inverse_mass));
    for (int c = 0; c < 3; ++c) {
        j->only->now->velocity[c] += impulse * effect[c];
        j->only->now->spin[c] += impulse * effect[3 + c];
    }
}

/* Two bodies
 * ------------------------------------------------------------------------------------------------------ */

typedef struct row_list {
    const joint *j;
    joint_row *item;
    int count;
} row_list;

/* Rows of motion along a direction of places at both ends' arms, or of turning about it; none out of the
 * plane. */
static void row_along(row_list *l, const double direction[3], double arm[2][3], int turning) {
    joint_row t = {.end = {l->j->pair[0], l->j->pair[1]}, .fixed = l->j->def->kind == RHEO_JOINT_FIXED};
    double size = 0;
    for (int e = 0; e < 2; ++e) {
        double along[3];
        for (int c = 0; c < 3; ++c) along[c] = (e ? -1 : 1) * direction[c];
        if (turning) memcpy(t.row[e] + 3, along, sizeof along);
        else memcpy(t.row[e], along, sizeof along);
        if (!turning) vec_cross(t.row[e] + 3, arm[e], along);
        if (t.end[e]->flat) t.row[e][2] = t.row[e][3] = t.row[e][4] = 0;
        size += six_dot(t.row[e], t.row[e]);
    }
    if (size > 1e-12) l->item[l->count++] = t;
}

static void rows_of_axes(row_list *l, double arm[2][3], int turning) {
    for (int c = 0; c < 3; ++c) {
        double along[3] = {0};
        along[c] = 1;
        row_along(l, along, arm, turning);
    }
}

static void rows_across(row_list *l, const double axis[3], double arm[2][3], int turning) {
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double side[2][3];
    vec_cross(side[0], axis, fabs(axis[0]) < 0.7 ? x : y);
    vec_cross(side[1], axis, side[0]);
    for (int k = 0; k < 2; ++k) row_along(l, side[k], arm, turning);
}

/* A direction, or the way from the centre of mass to a place, where the scene file has them <- where they are
 * as the body is turned now. */
static void turn_with(double v[3], const body *b) {
    const double was[3] = {v[0], v[1], b->flat ? 0 : v[2]};
    double r[9];
    body_rotation(r, b);
    mat_times(v, r, was);
}

static void axis_now(double axis[3], const joint *j) {
    memcpy(axis, j->axis, sizeof j->axis);
    if (!turns(j) || !j->pair[0]->flat) turn_with(axis, j->pair[0]);
}

/* Where both ends are to be at one place: as ODE has them, from each body's own centre. */
static void find_arms(double arm[2][3], const joint *j) {
    const body *a = j->pair[0], *b = j->pair[1];
    memset(arm, 0, 2 * sizeof *arm);
    switch (j->def->kind) {
    case RHEO_JOINT_SLIDER:
        vec_sub(arm[0], b->now->position, a->now->position);
        if (a->flat) arm[0][2] = 0;
        break;
    case RHEO_JOINT_FIXED:
        vec_sub(arm[0], b->centre, a->centre);
        turn_with(arm[0], a);
        break;
    default:
        for (int e = 0; e < 2; ++e) {
            vec_sub(arm[e], j->def->anchor, j->pair[e]->centre);
            turn_with(arm[e], j->pair[e]);
        }
    }
}

int joint_make_rows(joint_row rows[JOINT_ROWS], const joint *j) {
    row_list l = {.j = j, .item = rows};
    double arm[2][3], axis[3];
    if (!j->pair[0]) return 0;
    find_arms(arm, j);
    axis_now(axis, j);
    switch (j->def->kind) {
    case RHEO_JOINT_BALL: rows_of_axes(&l, arm, 0); break;
    case RHEO_JOINT_SLIDER:
        rows_of_axes(&l, arm, 1);
        rows_across(&l, axis, arm, 0);
        break;
    case RHEO_JOINT_FIXED:
        rows_of_axes(&l, arm, 1);
        rows_of_axes(&l, arm, 0);
        break;
    case RHEO_JOINT_HINGE:
    case RHEO_JOINT_MOTOR:
        rows_across(&l, axis, arm, 1);
        rows_of_axes(&l, arm, 0);
        break;
    }
    for (int e = 0; e < 2; ++e) j->pair[e]->active->jointed = 1;
    return l.count;
}

/* What was done
 * ------------------------------------------------------------------------------------------------------ */

/* Force and torque of a solve, in ODE's units, out of a body's rate of change. */
static void take_push(const body *b, double unit, const double force[3], const double torque[3]) {
    double t[3], turn[3], inverse[9], *rate = b->now->reaction;
    body_inverse_inertia(inverse, b);
    for (int c = 0; c < 3; ++c) t[c] = torque[c] / unit;
    mat_times(turn, inverse, t);
    for (int c = 0; c < 3; ++c) {
        if (!(b->flat && c == 2)) rate[c] -= force[c] / (unit * b->mass);
        rate[3 + c] -= turn[c];
    }
}

/* Takes the share of a stop out of what a link did: a torque about its axis beside that of the force at the
 * arm, or a force along it, whose torque ODE shares out evenly. */
static void without_stop(double force[3], double torque[3], const joint *j, double arm[2][3], int end) {
    double axis[3], moment[3], c[3];
    axis_now(axis, j);
    if (turns(j)) {
        vec_cross(moment, arm[end], force);
        const double about = vec_dot(axis, torque) - vec_dot(axis, moment);
        for (int k = 0; k < 3; ++k) torque[k] -= about * axis[k];
        return;
    }
    const double along = vec_dot(axis, force);
    vec_sub(c, j->pair[1]->now->position, j->pair[0]->now->position);
    vec_cross(moment, c, axis);
    for (int k = 0; k < 3; ++k) {
        force[k] -= along * axis[k];
        torque[k] -= (end ? -0.5 : 0.5) * along * moment[k];
    }
}

static void leave_out_rows(const joint *j) {
    double arm[2][3];
    find_arms(arm, j);
    for (int e = 0; e < 2; ++e) {
        const dReal *f = e ? j->link_push.f2 : j->link_push.f1, *t = e ? j->link_push.t2 : j->link_push.t1;
        double force[3] = {f[0], f[1], f[2]}, torque[3] = {t[0], t[1], t[2]};
        if (has_one_motion(j)) without_stop(force, torque, j, arm, e);
        take_push(j->pair[e], j->unit, force, torque);
    }
}

void joint_leave_out(const joint *j) {
    double force[3], torque[3];
    if (j->pair[0]) leave_out_rows(j);
    if (!j->only) return;
    for (int c = 0; c < 3; ++c) {
        force[c] = j->link_push.f1[c] + (j->motor ? j->motor_push.f1[c] : 0);
        torque[c] = j->link_push.t1[c] + (j->motor ? j->motor_push.t1[c] : 0);
    }
    take_push(j->only, j->unit, force, torque);
}
