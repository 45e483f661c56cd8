/* Active constraints and motors while pressure acts, in the metric of the body's mass on the grid, M = L L^T.
 *
 *   M^-1 -> L^-T (1 - Q Q^T) L^-1,   Q an orthonormal basis of L^-1 J^T,   J the rows of solid/active.h
 *
 * A body that contacts and joints bind along J moves only in the rest, in the system and where pressure moves
 * it. Liquid beside a light body on the floor or in a tube does not count on a motion that the contact takes
 * back.
 *
 * A motor against what stands still is one more such row q in the mass's metric, with q . L^T V = its speed,
 * while the impulse that this takes is within its limit; else it is an impulse of that size before the solve.
 * Which of the two is guessed from the last step and judged after the solve; a wrong guess is solved again
 * (coupling_judge). What contacts, joints and motors have to do is handed back to them as impulses on the
 * body's own mass, which is what they know; by contacts of thin bodies as motions.
 *
 * Source: ours; docs/theory-coupling.md, Contacts.
 *
 * Limits: rows that others leave less than 1e-6 of are dropped; a row binds both ways until it is released.
 */
#include "stage/coupling/body.h"

#include <math.h>
#include <string.h>

void coupling_leave_free(double y[SIX], const coupled_body *b) {
    double all = 0;
    if (b->active_count == 0) return;
    for (int r = 0; r < SIX; ++r) all = fmax(all, fabs(y[r]));
    for (int k = 0; k < b->active_count; ++k) {
        double part = 0;
        for (int r = 0; r < SIX; ++r) part += b->active[k][r] * y[r];
        for (int r = 0; r < SIX; ++r) y[r] -= part * b->active[k][r];
    }
    for (int r = 0; r < SIX; ++r)
        if (fabs(y[r]) < 1e-9 * all) y[r] = 0;
}

void coupling_make_active(coupled_body *b) {
    const active_constraints *active = b->solid->body->active;
    b->active_count = 0;
    for (int k = 0; k < active->count; ++k) {
        double y[SIX], size = 0, left = 0;
        memcpy(y, active->row[k], sizeof y);
        six_solve_lower(y, b->factor);
        for (int r = 0; r < SIX; ++r) size += y[r] * y[r];
        for (int twice = 0; twice < 2; ++twice) coupling_leave_free(y, b);
        for (int r = 0; r < SIX; ++r) left += y[r] * y[r];
        if (!(left > 1e-6 * size)) continue;
        for (int r = 0; r < SIX; ++r) b->active[b->active_count][r] = y[r] / sqrt(left);
        ++b->active_count;
    }
}

/* y = L^T v */
static void in_metric(double y[SIX], const coupled_body *b, const double v[SIX]) {
    for (int r = 0; r < SIX; ++r) {
        y[r] = 0;
        for (int k = r; k < SIX; ++k) y[r] += b->factor[SIX * k + r] * v[k];
    }
}

void coupling_read_start(coupled_body *b) {
    const double *given = b->solid->body->active->given;
    double v[SIX] = {0};
    body_note_motion(v, b->solid->body->now, 1);
    for (int r = 0; r < SIX; ++r) v[r] -= given[r];
    in_metric(b->start, b, v);
}

void coupling_unbind(coupled_body *b) {
    memset(b->bound, 0, sizeof b->bound);
    memset(b->obeyed, 0, sizeof b->obeyed);
}

int coupling_release(coupled_body *b) {
    active_constraints *active = b->solid->body->active;
    if (!active->released) return 0;
    if (!b->freed) { /* what was given has been taken back before else */
        coupling_read_start(b);
        body_add_motion(b->solid->body->now, active->given, -1);
        b->was = *b->solid->body->now;
    }
    coupling_unbind(b);
    b->freed = 1;
    active->released = 0;
    return 1;
}

/* What an impulse, y in the metric of the mass, does to the body's own. */
static void on_own_mass(double y[SIX], const coupled_body *b) {
    const body *rigid = b->solid->body;
    double impulse[SIX], inverse[9];
    for (int r = 0; r < SIX; ++r) {
        impulse[r] = 0;
        for (int k = 0; k <= r; ++k) impulse[r] += b->factor[SIX * r + k] * y[k];
    }
    body_inverse_inertia(inverse, rigid);
    for (int a = 0; a < 3; ++a) y[a] = impulse[a] / rigid->mass;
    mat_times(y + 3, inverse, impulse + 3);
}

/* The mass on the grid of a thin body may be many times its own, by the liquid that moves with it. What that
 * would do to its own mass alone throws it off what it lies on: it gets the motion that it would have had.
 * Joints bear forces instead, which are limited. But what active constraints took of the warm start is a
 * motion there, too: the warm start is of the body's own mass, and with the other contacts would grow from
 * step to step.
 */
void coupling_withhold(double y[SIX], const coupled_body *b) {
    double obeyed[SIX];
    memcpy(obeyed, b->obeyed, sizeof obeyed);
    six_solve_upper(obeyed, b->factor);
    for (int r = 0; r < SIX; ++r) y[r] += b->obeyed[r];
    if (b->solid->thin && !b->solid->body->active->jointed) six_solve_upper(y, b->factor);
    else on_own_mass(y, b);
    for (int r = 0; r < SIX; ++r) y[r] += b->solid->body->active->given[r] - obeyed[r];
}

void coupling_make_motor(coupled_body *b) {
    const body_motor *m = &b->solid->body->active->motor;
    coupled_motor *at = &b->motor;
    double size = 0, left = 0, rate = 0;
    *at = (coupled_motor){.mode = MOTOR_NONE};
    if (!m->of || b->active_count == SIX) return;
    memcpy(at->row, m->row, sizeof at->row);
    six_solve_lower(at->row, b->factor);
    for (int r = 0; r < SIX; ++r) size += at->row[r] * at->row[r];
    for (int twice = 0; twice < 2; ++twice) coupling_leave_free(at->row, b);
    for (int r = 0; r < SIX; ++r) left += at->row[r] * at->row[r];
    if (!(left > 1e-9 * size)) return;
    at->size = sqrt(left);
    for (int r = 0; r < SIX; ++r) {
        at->row[r] /= at->size;
        rate += at->size * at->row[r] * b->start[r];
    }
    const double need = (m->speed - rate) / left;
    at->mode = fabs(need) <= m->most && m->at_speed ? MOTOR_AT_SPEED : MOTOR_SATURATED;
    at->impulse = copysign(m->most, need);
}

/* What active constraints take of the warm start; of bodies without layers it is an impulse like all else. */
static void obey_warm(coupled_body *b) {
    const double *warm = b->solid->body->active->warm;
    double y[SIX];
    if (!b->solid->thin) return;
    in_metric(y, b, warm);
    for (int r = 0; r < SIX; ++r) b->obeyed[r] = -y[r];
    coupling_leave_free(y, b);
    for (int r = 0; r < SIX; ++r) b->obeyed[r] += y[r];
}

void coupling_bind(coupled_body *b) {
    const active_constraints *active = b->solid->body->active;
    coupled_motor *at = &b->motor;
    double y[SIX], along = 0;
    if (active->count == 0 && !active->motor.of) return;
    obey_warm(b);
    memcpy(y, b->start, sizeof y);
    coupling_leave_free(y, b);
    for (int r = 0; r < SIX; ++r) along += at->row[r] * y[r];
    if (at->mode == MOTOR_AT_SPEED) {
        memcpy(b->active[b->active_count++], at->row, sizeof at->row);
        at->impulse = (active->motor.speed / at->size - along) / at->size;
    }
    for (int r = 0; r < SIX && at->mode; ++r) y[r] += at->impulse * at->size * at->row[r];
    for (int r = 0; r < SIX; ++r) b->bound[r] = y[r] - b->start[r];
    six_solve_upper(y, b->factor);
    memcpy(b->solid->body->now->velocity, y, 3 * sizeof *y);
    memcpy(b->solid->body->now->spin, y + 3, 3 * sizeof *y);
}

void coupling_read_motor(coupled_body *b, const double change[SIX]) {
    const body_motor *m = &b->solid->body->active->motor;
    coupled_motor *at = &b->motor;
    if (at->mode == MOTOR_AT_SPEED)
        for (int r = 0; r < SIX; ++r) at->impulse -= at->row[r] * change[r] / at->size;
    const double ahead = body_rate_along(m->row, b->solid->body->now) - m->speed;
    at->passed = at->mode == MOTOR_SATURATED && ahead * at->impulse > 1e-6 * fabs(m->speed * at->impulse);
}

int coupling_judge(coupling *c, int squeezed) {
    int wrong = 0;
    for (int i = 0; i < c->count; ++i) {
        coupled_motor *at = &c->bodies[i].motor;
        const body_motor *m = &c->bodies[i].solid->body->active->motor;
        const int crushes = squeezed && at->mode == MOTOR_AT_SPEED && m->speed != 0;
        const int slips = at->mode == MOTOR_AT_SPEED && fabs(at->impulse) > (1 + 1e-6) * m->most;
        if (!slips && !crushes && !at->passed) continue;
        wrong = 1;
        at->mode = slips || crushes ? MOTOR_SATURATED : MOTOR_AT_SPEED;
        at->impulse = copysign(m->most, crushes ? m->speed : at->impulse);
    }
    return wrong;
}
