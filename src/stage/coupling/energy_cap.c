/* The energy of bodies thinner than a cell has a cap.
 *
 *   |L^T V| <= max(|L_0^T V_0| + CAP_FALLS g dt sqrt(m), what L^T U has along L^T V)   when layers have come,
 *   |L^T V| <= |L^T V_p|                                                               after contacts,
 *
 * with M = L L^T, U the velocity of the liquid at the body's faces, _0 for the end of the last step and V_p
 * after pressure, where nothing that moves touches the body or hangs on it. Layers of liquid move with such a
 * body (stage/coupling/thin.c), of up to hundreds of times its own mass where it is light. Which of them
 * there are changes from step to step, and contacts know of none; a body keeps its velocity through both, and
 * 1/2 V^T M V comes from nowhere. Pressure moves it with the liquid again at once.
 *
 * Source: ours; docs/decisions/0020-contacts-that-let-go.md, Layers.
 *
 * Limits: what layers take with them when they go is not given back to the liquid; bodies that touch each
 * other, or that joints link, are not looked at. */
#include <math.h>
#include "stage/coupling/tuning.h"
#include "stage/coupling/body.h"

/* What L^T u has along L^T v. */
static double motion_along(const coupled_body *b, const double u[SIX], const double v[SIX]) {
    double sum = 0, size = 0;
    for (int r = 0; r < SIX; ++r) {
        double y = 0, z = 0;
        for (int k = r; k < SIX; ++k) {
            y += b->factor[SIX * k + r] * u[k];
            z += b->factor[SIX * k + r] * v[k];
        }
        sum += y * z;
        size += z * z;
    }
    return size > 0 ? sum / sqrt(size) : 0;
}

/* |L^T V|, and in effect sqrt(2 E). */
static double motion_on_grid(const coupled_body *b, const double v[SIX]) {
    return motion_along(b, v, v);
}

static void motion_of(double v[SIX], const body_state *now) {
    for (int r = 0; r < SIX; ++r) v[r] = 0;
    body_note_motion(v, now, 1);
}

/* U, a mean by shares of faces; 0 along an axis that has none. */
static void find_stream(double u[SIX], const coupled_body *b, const mac_field *flow) {
    double all[3] = {0, 0, 0};
    for (int r = 0; r < SIX; ++r) u[r] = 0;
    for (int i = 0; i < b->count; ++i) {
        const body_face *f = &b->faces[i];
        all[f->axis] += f->share;
        u[f->axis] += f->share * (double)flow->value[f->axis][f->cell];
    }
    for (int a = 0; a < 3; ++a)
        if (all[a] > 0) u[a] /= all[a];
}

/* Leaves `most` of `size` of a velocity v; v <- its change. */
static void scale_down(double v[SIX], body_state *now, double size, double most) {
    for (int r = 0; r < SIX; ++r) v[r] *= most / size - 1;
    body_add_motion(now, v, 1);
}

/* The most that a face's row of L has: of all that moves along one axis, kg. */
static double mass_on_grid(const coupled_body *b) {
    double most = 0;
    for (int r = 0; r < 3; ++r) {
        double mass = 0;
        for (int k = 0; k <= r; ++k) mass += b->factor[SIX * r + k] * b->factor[SIX * r + k];
        most = fmax(most, mass);
    }
    return most;
}

static int is_free(const coupled_body *b) {
    const active_constraints *active = b->solid->body->active;
    return b->solid->thin && active->alone && !active->jointed;
}

void coupling_cap_start(coupled_body *b, const mac_field *flow, double fall) {
    const body *rigid = b->solid->body;
    double v[SIX], u[SIX];
    if (!is_free(b) || rigid->active->count > 0 || rigid->now->motion < 0) return;
    motion_of(v, rigid->now);
    find_stream(u, b, flow);
    const double size = motion_on_grid(b, v), more = CAP_FALLS * fall * sqrt(mass_on_grid(b));
    const double most = fmax(rigid->now->motion + more, motion_along(b, u, v));
    if (size > most) scale_down(v, rigid->now, size, most);
}

void coupling_cap_pushed(coupled_body *b) {
    double v[SIX];
    motion_of(v, b->solid->body->now);
    const active_constraints *active = b->solid->body->active;
    b->capped = b->solid->thin && active->alone && !active->linked && !active->motor.of && b->cell_count > 0;
    b->motion = b->solid->thin ? motion_on_grid(b, v) : 0;
}

void coupling_cap_energy(coupling *c, double dt) {
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        body_state *now = b->solid->body->now;
        double v[SIX];
        if (!b->solid->thin) continue;
        motion_of(v, now);
        now->motion = motion_on_grid(b, v);
        if (!b->capped || !(now->motion > b->motion)) continue;
        scale_down(v, now, now->motion, b->motion);
        for (int r = 0; r < SIX; ++r) now->reaction[r] += v[r] / dt;
        now->motion = b->motion;
    }
}
