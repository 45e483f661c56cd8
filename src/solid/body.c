/* Mass properties, and the free motion of a rigid body.
 *
 *   dx/dt = v,   dR/dt = [w] R,   d(I w)/dt = 0,   I = R I0 R^T
 *
 * The turn is split along the principal axes: in the body's frame the energy is the sum of L_i^2 / (2 I_i),
 * and the motion under one term alone is a rotation about that axis by the angle dt L_i / I_i, exact.
 * Composed symmetrically (1/2, 1/2, 1, 1/2, 1/2) this is second order, reversible and symplectic on the
 * sphere of |L| (Touma and Wisdom 1994; Dullweber, Leimkuhler and McLachlan 1997): momentum is kept to
 * rounding, energy has no drift. The principal axes come from Jacobi rotations of I0 each time: bodies are
 * few.
 *
 * Limits: a step should turn a body by less than about a radian; body_move() splits longer ones. */
#include "solid/body.h"

#include <math.h>
#include <string.h>
#include "geom/mass.h"
#include "solid/vector.h"

static const double TURN_MAX = 0.1; /* rad in one go */

int body_make(body *b, body_state *now, const rheo_solid *def, const shape *s, int flat, double depth) {
    moments m;
    double lower[3], upper[3];
    if (shape_moments(&m, s, depth) || !(m.volume > 0)) return -1;
    *b = (body){.def = def, .shape = s, .flat = flat, .now = now};
    b->volume = m.volume;
    b->mass = def->density * m.volume;
    memcpy(b->centre, m.centre, sizeof b->centre);
    moments_inertia(b->inertia, &m, def->density);
    b->round = shape_round(b->axis, s);
    b->ball = shape_is_ball(s);
    shape_bounds(lower, upper, s);
    for (int a = 0; a < (flat ? 2 : 3); ++a) {
        const double far = fmax(upper[a] - m.centre[a], m.centre[a] - lower[a]);
        b->radius += far * far;
    }
    b->radius = fmin(sqrt(b->radius), shape_radius(s, m.centre));
    *now = (body_state){.orientation = {1, 0, 0, 0}, .motion = -1};
    memcpy(now->position, b->centre, sizeof now->position);
    memcpy(now->velocity, def->velocity, sizeof now->velocity);
    memcpy(now->spin, def->spin, sizeof now->spin);
    if (flat) now->velocity[2] = now->spin[0] = now->spin[1] = 0;
    return 0;
}

void body_rotation(double r[9], const body *b) {
    quat_matrix(r, b->now->orientation);
}

/* R A R^T */
static void turn_tensor(double out[9], const double r[9], const double a[9]) {
    double half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] = r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j] + r[3 * i + 2] * a[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] =
                half[3 * i] * r[3 * j] + half[3 * i + 1] * r[3 * j + 1] + half[3 * i + 2] * r[3 * j + 2];
}

void body_inertia(double inertia[9], const body *b) {
    double r[9];
    body_rotation(r, b);
    turn_tensor(inertia, r, b->inertia);
}

static void invert_symmetric(double inverse[9], const double m[9]) {
    const double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
                 c2 = m[3] * m[7] - m[4] * m[6];
    const double det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    const double inv[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                           c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                           c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int e = 0; e < 9; ++e) inverse[e] = inv[e] / det;
}

void body_inverse_inertia(double inverse[9], const body *b) {
    if (b->flat) {
        memset(inverse, 0, 9 * sizeof *inverse);
        inverse[8] = 1 / b->inertia[8];
        return;
    }
    double own[9], r[9];
    invert_symmetric(own, b->inertia);
    body_rotation(r, b);
    turn_tensor(inverse, r, own);
}

void body_felt_turn(double felt[9], const body *b) {
    double r[9], axis[3];
    body_rotation(r, b);
    mat_times(axis, r, b->axis);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            felt[3 * i + j] = b->round == ROUND_BALL ? 0 : (i == j) - axis[i] * axis[j];
}

void body_add(const body *b, const double linear[3], const double angular[3]) {
    double inverse[9], w[3];
    body_inverse_inertia(inverse, b);
    mat_times(w, inverse, angular);
    for (int c = 0; c < 3; ++c) {
        if (!(b->flat && c == 2)) b->now->velocity[c] += linear[c] / b->mass;
        b->now->spin[c] += w[c];
    }
}

void body_note_motion(double sum[6], const body_state *b, double share) {
    for (int a = 0; a < 3; ++a) {
        sum[a] += share * b->velocity[a];
        sum[3 + a] += share * b->spin[a];
    }
}

void body_add_motion(body_state *b, const double v[6], double share) {
    for (int a = 0; a < 3; ++a) {
        b->velocity[a] += share * v[a];
        b->spin[a] += share * v[3 + a];
    }
}

placement body_placement(const body *b) {
    placement p;
    double own[3], arm[3], turn[3];
    shape_centre(own, b->shape);
    vec_sub(own, own, b->centre);
    body_rotation(p.rotation, b);
    mat_times(arm, p.rotation, own);
    vec_cross(turn, b->now->spin, arm);
    for (int c = 0; c < 3; ++c) {
        p.position[c] = b->now->position[c] + arm[c];
        p.velocity[c] = b->now->velocity[c] + turn[c];
        p.spin[c] = b->now->spin[c];
    }
    memcpy(p.orientation, b->now->orientation, sizeof p.orientation);
    return p;
}

void body_set_placement(const body *b, const placement *p) {
    double rotation[9], own[3], arm[3], turn[3];
    memcpy(b->now->orientation, p->orientation, sizeof p->orientation);
    memcpy(b->now->spin, p->spin, sizeof p->spin);
    shape_centre(own, b->shape);
    vec_sub(own, own, b->centre);
    body_rotation(rotation, b);
    mat_times(arm, rotation, own);
    vec_cross(turn, p->spin, arm);
    vec_sub(b->now->position, p->position, arm);
    vec_sub(b->now->velocity, p->velocity, turn);
}

double body_rate_along(const double row[6], const body_state *b) {
    return vec_dot(row, b->velocity) + vec_dot(row + 3, b->spin);
}

double body_kinetic(const body *b) {
    double inertia[9], l[3];
    body_inertia(inertia, b);
    mat_times(l, inertia, b->now->spin);
    return 0.5 * (b->mass * vec_dot(b->now->velocity, b->now->velocity) + vec_dot(l, b->now->spin));
}

/* Free motion
 * -------------------------------------------------------------------------------------------------- */

/* Eigenvalues of a symmetric matrix, and its eigenvectors as the columns of a rotation, by cyclic Jacobi
 * turns. */
static void principal_axes(double value[3], double axes[9], const double symmetric[9]) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double a[9];
    memcpy(a, symmetric, sizeof a);
    memcpy(axes, identity, sizeof identity);
    for (int sweep = 0; sweep < 16; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const double off = a[3 * p + q];
                if (fabs(off) <= 1e-17 * (fabs(a[0]) + fabs(a[4]) + fabs(a[8]))) continue;
                const double theta = 0.5 * (a[4 * q] - a[4 * p]) / off;
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                double turn[9], back[9], next[9];
                memcpy(turn, identity, sizeof identity);
                turn[4 * p] = turn[4 * q] = c;
                turn[3 * p + q] = s;
                turn[3 * q + p] = -s;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) back[3 * j + i] = turn[3 * i + j];
                turn_tensor(next, back, a);
                memcpy(a, next, sizeof a);
                for (int i = 0; i < 3; ++i) {
                    double row[3];
                    for (int j = 0; j < 3; ++j)
                        row[j] = axes[3 * i] * turn[j] + axes[3 * i + 1] * turn[3 + j] +
                                 axes[3 * i + 2] * turn[6 + j];
                    memcpy(axes + 3 * i, row, sizeof row);
                }
            }
    for (int c = 0; c < 3; ++c) value[c] = a[4 * c];
}

/* q turned by `angle` about the unit axis n of the body's own frame. */
static void turn_about(double q[4], const double n[3], double angle) {
    const double s = sin(0.5 * angle), by[4] = {cos(0.5 * angle), s * n[0], s * n[1], s * n[2]};
    double r[4];
    quat_times(r, q, by);
    memcpy(q, r, sizeof r);
}

static void rotate_free(const body *b, double dt) {
    double value[3], axes[9], rotation[9], inertia[9], momentum[3];
    principal_axes(value, axes, b->inertia);
    body_inertia(inertia, b);
    mat_times(momentum, inertia, b->now->spin);
    const double speed = vec_length(b->now->spin);
    const int parts = (int)fmin(64, ceil(fmax(speed * dt / TURN_MAX, 1)));
    static const int order[5] = {0, 1, 2, 1, 0};
    double *q = b->now->orientation;
    for (int part = 0; part < parts; ++part)
        for (int k = 0; k < 5; ++k) {
            const int axis = order[k];
            const double n[3] = {axes[axis], axes[3 + axis], axes[6 + axis]};
            double world[3];
            quat_matrix(rotation, q);
            mat_times(world, rotation, n);
            turn_about(q, n, (axis == 2 ? 1 : 0.5) * dt / parts * vec_dot(momentum, world) / value[axis]);
        }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; ++c) q[c] /= length;
    double inverse[9];
    body_inverse_inertia(inverse, b);
    mat_times(b->now->spin, inverse, momentum);
}

void body_move(const body *b, double dt) {
    body_state *s = b->now;
    for (int c = 0; c < 3; ++c) s->position[c] += dt * s->velocity[c];
    if (s->spin[0] == 0 && s->spin[1] == 0 && s->spin[2] == 0) return;
    if (b->flat) {
        static const double z[3] = {0, 0, 1};
        turn_about(s->orientation, z, dt * s->spin[2]);
        const double length = hypot(s->orientation[0], s->orientation[3]);
        s->orientation[0] /= length;
        s->orientation[3] /= length;
        return;
    }
    rotate_free(b, dt);
}
