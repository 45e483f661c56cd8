/* Active constraints of a body: row . (velocity, spin) = 0, orthonormal in the metric of the body's mass,
 *
 *   row_i M^-1 row_j^T = 1 where i = j, else 0,   v -= M^-1 row^T (row . v)
 *
 * by Gram and Schmidt, so that at most six are kept however many contacts bind the body, and each is obeyed
 * by itself.
 *
 * Source: ours; docs/theory-bodies.md.
 *
 * Limits: a contact's row of which others leave less than INDEPENDENT_CONTACT counts as implied. */
#include "solid/active.h"

#include <math.h>
#include <string.h>
#include "solid/vector.h"

void active_effect(double effect[6], const body *b, const double row[6]) {
    double inverse[9];
    body_inverse_inertia(inverse, b);
    for (int c = 0; c < 3; ++c) effect[c] = row[c] / b->mass;
    mat_times(effect + 3, inverse, row + 3);
}

/* What of a row the first `count` active constraints leave; returns its square in the metric, and that of the
 * whole row. */
static double free_part(double rest[6], double effect[6], double *whole, const body *b, const double row[6],
                        int count) {
    const active_constraints *g = b->active;
    memcpy(rest, row, 6 * sizeof *rest);
    active_effect(effect, b, row);
    *whole = six_dot(row, effect);
    for (int k = 0; k < count; ++k) {
        const double part = six_dot(g->row[k], effect);
        for (int c = 0; c < 6; ++c) rest[c] -= part * g->row[k][c];
    }
    active_effect(effect, b, rest);
    return six_dot(rest, effect);
}

/* Of `whole` some must be left. */
static void add_rest(const body *b, const double row[6], double whole, double fresh) {
    active_constraints *g = b->active;
    double rest[6], effect[6], size;
    const double left = free_part(rest, effect, &size, b, row, g->count);
    if (!(left > fresh * (whole < size ? whole : size)) || g->count == 6) return;
    for (int c = 0; c < 6; ++c) g->row[g->count][c] = rest[c] / sqrt(left);
    ++g->count;
}

void active_add(const body *b, const double row[6], double fresh) {
    add_rest(b, row, INFINITY, fresh);
}

void active_add_contact(const body *b, const double row[6], int joints) {
    double rest[6], effect[6], whole;
    const double left = free_part(rest, effect, &whole, b, row, joints);
    if (left > INDEPENDENT_JOINT * whole) add_rest(b, row, left, INDEPENDENT_CONTACT);
}

double active_free_share(const body *b, const double row[6], int joints) {
    double rest[6], effect[6], whole;
    const double left = free_part(rest, effect, &whole, b, row, joints);
    return whole > 0 ? left / whole : 0;
}

double active_free_effect(double effect[6], const body *b, const double row[6]) {
    double rest[6], whole;
    const double left = free_part(rest, effect, &whole, b, row, b->active->count);
    return left > INDEPENDENT_JOINT * whole ? left : 0;
}

void active_obey_with(double v[6], const body *b) {
    for (int k = 0; k < b->active->count; ++k) {
        double effect[6];
        active_effect(effect, b, b->active->row[k]);
        const double along = six_dot(b->active->row[k], v);
        for (int c = 0; c < 6; ++c) v[c] -= along * effect[c];
    }
}

void active_obey(const body *b) {
    double v[6];
    memcpy(v, b->now->velocity, 3 * sizeof *v);
    memcpy(v + 3, b->now->spin, 3 * sizeof *v);
    active_obey_with(v, b);
    memcpy(b->now->velocity, v, 3 * sizeof *v);
    memcpy(b->now->spin, v + 3, 3 * sizeof *v);
}
