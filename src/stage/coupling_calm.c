/* The energy of bodies thinner than a cell.
 *
 * Layers of liquid move with such a body (coupling_thin.c), of up to hundreds of times its own mass where it
 * is light. Which of them there are changes from step to step, and contacts know of none. A body keeps its
 * velocity through both, and so 1/2 V^T M V would come from nowhere: chips of a hundredth of the liquid's
 * density, spun by a contact or by the pressure of a single cell while they had no layers, set the water in
 * motion with them in the next step, at up to 2700 m/s. With M = L L^T the velocity is therefore scaled down
 * to
 *
 *   |L^T V| <= |L_0^T V_0| + 2 g dt sqrt(m)   when layers have come (_0: at the end of the last step),
 *   |L^T V| <= |L^T V_p|                      after contacts (V_p: after pressure),
 *
 * where nothing that moves touches the body, nor a joint. Pressure moves it with the liquid again at once.
 *
 * Limit: what layers take with them when they go is not given back to the liquid. */
#include <math.h>
#include "stage/coupling_body.h"

/* |L^T V|, and in effect sqrt(2 E). */
static double motion_on_grid(const coupled_body *b) {
    double v[SIX] = {0}, sum = 0;
    body_note_motion(v, b->solid->body->now, 1);
    for (int r = 0; r < SIX; ++r) {
        double y = 0;
        for (int k = r; k < SIX; ++k) y += b->factor[SIX * k + r] * v[k];
        sum += y * y;
    }
    return sqrt(sum);
}

/* Takes `change` of the velocity's size, as `most` of `size` is left; what that is. */
static void scale_down(double change[SIX], body_state *now, double size, double most) {
    for (int r = 0; r < SIX; ++r) change[r] = 0;
    body_note_motion(change, now, most / size - 1);
    body_add_motion(now, change, 1);
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
    const body_grip *grip = b->solid->body->grip;
    return b->solid->thin && grip->alone && !grip->jointed;
}

void coupling_calm_start(coupled_body *b, double fall) {
    const body_grip *grip = b->solid->body->grip;
    body_state *now = b->solid->body->now;
    if (!is_free(b) || grip->count > 0 || now->motion < 0) return;
    const double size = motion_on_grid(b), most = now->motion + 2 * fall * sqrt(mass_on_grid(b));
    double change[SIX];
    if (size > most) scale_down(change, now, size, most);
}

void coupling_calm_pushed(coupled_body *b) {
    b->calm = is_free(b) && b->cell_count > 0;
    b->motion = b->solid->thin ? motion_on_grid(b) : 0;
}

void coupling_calm(coupling *c, double dt) {
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        body_state *now = b->solid->body->now;
        double change[SIX];
        if (!b->solid->thin) continue;
        now->motion = motion_on_grid(b);
        if (!b->calm || !(now->motion > b->motion)) continue;
        scale_down(change, now, now->motion, b->motion);
        for (int r = 0; r < SIX; ++r) now->held[r] += change[r] / dt;
        now->motion = b->motion;
    }
}
