/* The mass matrix of a body in the pressure solve.
 *
 *   M = M_body + rho (G - G_exact),   M n = m n + rho d along the direction n of gravity
 *
 * G is the discrete mass matrix of the displaced liquid, its first three columns. Sections of the body at the
 * planes of faces give its volume only to second order, and a neutral body would drift by the difference:
 * mass that moves on the grid must be what the grid displaces. Then a body of the liquid's density rests
 * exactly, and body and liquid together have the same mass wherever the body is. The first form is for bodies
 * that are wet all around, which sum k_f = 0 tells; of those that float or lie on something only what lifts
 * them is known, cell by cell, d (stage/coupling/lift.c). What the mass cannot take of it is a force.
 *
 * Source: Batty et al. 2007, 3, for K and M; the correction is ours.
 *
 * Limits: only as far as M stays positive and is not doubled. */
#include "stage/coupling/body.h"

#include <math.h>
#include <string.h>
#include "stage/coupling/lift.h"
#include "stage/coupling/tuning.h"

static void body_mass(double m[SIX * SIX], const body *b) {
    double inertia[9];
    memset(m, 0, SIX * SIX * sizeof *m);
    body_inertia(inertia, b);
    for (int r = 0; r < 3; ++r) {
        m[(SIX + 1) * r] = b->mass;
        for (int c = 0; c < 3; ++c) m[SIX * (3 + r) + 3 + c] = inertia[3 * r + c];
    }
    if (!b->flat) return;
    for (int c = 0; c < SIX; ++c) m[SIX * 3 + c] = m[SIX * 4 + c] = m[SIX * c + 3] = m[SIX * c + 4] = 0;
    m[(SIX + 1) * 3] = m[(SIX + 1) * 4] = b->mass; /* of turns that no face asks for */
}

/* What the displaced liquid's mass matrix on the grid has more than the exact one, first three columns and,
 * mirrored, rows; 0 where the body is not wet all around. Layers count already. */
static int displaced_excess(double excess[SIX * SIX], const coupled_body *b, const coupling_job *s) {
    const int dim = s->g->box.dim;
    memset(excess, 0, SIX * SIX * sizeof *excess);
    for (int a = 0; a < dim; ++a)
        if (!(fabs(b->closed[a]) <= WET_AROUND * b->all) || !(b->excess[(SIX + 1) * a] > 0)) return 0;
    for (int a = 0; a < dim; ++a)
        for (int r = 0; r < SIX; ++r) {
            const double more = b->excess[SIX * r + a] - (r == a ? b->solid->body->volume : 0);
            if (r == a || r >= 3)
                excess[SIX * r + a] = excess[SIX * a + r] =
                    s->fluid_density * more - b->attached[SIX * r + a];
        }
    return 1;
}

/* The factor of m and as large a part of the excess as leaves half of m and less than doubles it; that part.
 * More would come and go with the body's place on the grid, and with it the momentum of a light body. Of
 * linked bodies, all or none: what a light one cannot take another bears as a force, to the last bit.
 */
static double factor_with(coupled_body *b, const double m[SIX * SIX], const double excess[SIX * SIX]) {
    const double least = b->group < 0 ? EXCESS_LEAST : EXCESS_LEAST_LINKED;
    double sum[SIX * SIX];
    for (double part = 1; part > least; part *= 0.5) {
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = m[i] - part * excess[i];
        if (!six_factorise(b->factor, sum)) continue;
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = EXCESS_LEAVES * m[i] + part * excess[i];
        if (!six_factorise(b->factor, sum)) continue;
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = m[i] + part * excess[i];
        six_factorise(b->factor, sum);
        return part;
    }
    six_factorise(b->factor, m);
    return 0;
}

/* X = d n^T + n d^T - (n . d) n n^T: symmetric, and X n = d. */
static void mass_along(double x[SIX * SIX], const double d[SIX], const double up[3]) {
    const double n[SIX] = {up[0], up[1], up[2], 0, 0, 0};
    double both = 0;
    for (int r = 0; r < SIX; ++r) both += n[r] * d[r];
    for (int r = 0; r < SIX; ++r)
        for (int c = 0; c < SIX; ++c) x[SIX * r + c] = d[r] * n[c] + n[r] * d[c] - both * n[r] * n[c];
}

/* What the mass cannot take of the lift's error, as a force; the surface's spring rho g A is taken
 * implicitly.
 */
static void right_lift(const coupled_body *b, const coupling_job *s, const lift_error *lift, double part) {
    const double spring = s->fluid_density * s->pull * s->dt * lift->waterline / b->solid->body->mass;
    const double scale = -s->fluid_density * s->pull * part / (1 + spring);
    double impulse[SIX];
    for (int r = 0; r < SIX; ++r) impulse[r] = scale * lift->excess[r];
    body_add(b->solid->body, impulse, impulse + 3);
}

/* What gravity would give the excess if it were mass, as a force: on linked bodies, which need not be light
 * together where one is. */
static void weigh_excess(const coupled_body *b, const coupling_job *s, const double excess[SIX * SIX]) {
    double impulse[SIX] = {0};
    if (!s->still) return;
    for (int r = 0; r < SIX; ++r)
        for (int a = 0; a < 3; ++a) impulse[r] -= s->pull * s->still->up[a] * excess[SIX * r + a];
    body_add(b->solid->body, impulse, impulse + 3);
}

void coupling_make_mass(coupled_body *b, const coupling_job *s) {
    double m[SIX * SIX], excess[SIX * SIX];
    lift_error lift;
    body_mass(m, b->solid->body);
    for (int i = 0; i < SIX * SIX; ++i) m[i] += b->attached[i];
    if (displaced_excess(excess, b, s) || b->solid->thin) {
        for (int i = 0; i < SIX * SIX; ++i) excess[i] += b->film[i];
        if (!(factor_with(b, m, excess) > 0) && b->group >= 0) weigh_excess(b, s, excess);
        return;
    }
    six_factorise(b->factor, m);
    if (!s->still) return;
    const uint16_t me = (uint16_t)(b->solid - s->solids + 1);
    lift_find(&lift, s->still, b->solid, me, meetings_any(&s->o->met, me) ? b : NULL);
    const double turn[3] = {lift.excess[3], lift.excess[4], lift.excess[5]};
    if (b->solid->body->round) mat_times(lift.excess + 3, b->felt, turn);
    mass_along(excess, lift.excess, s->still->up);
    for (int i = 0; i < SIX * SIX; ++i) excess[i] *= s->fluid_density;
    right_lift(b, s, &lift, 1 - (b->cell_count > 0 ? factor_with(b, m, excess) : 0));
}
