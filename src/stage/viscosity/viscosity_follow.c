/* Faces around the liquid after a step of stress and pressure.
 *
 *   u = u_stress + mean of (u - u_stress) of the faces beside it that the projection sets,
 *
 * on wet faces between two cells of air; around these u goes on as straight lines through two faces. A liquid
 * that turns as a rigid body goes on turning: extrapolation by layers would brake it.
 *
 * Limits: a face takes what its neighbours along the axes have, one layer far. */
#include "grid/rows.h"
#include "stage/viscosity/viscosity_inside.h"

static const double DEEP =
    0.25; /* cells, as stage/pressure/: less liquid than this has no velocity of its own */

bool viscosity_beside_liquid(const job *w, int c, const int at[3], double deep) {
    const box *b = &w->g->box;
    for (int side = 0; side < 2; ++side) {
        int cell[3] = {at[0], at[1], at[2]}, inside = 1;
        cell[c] -= side;
        for (int a = 0; a < b->dim; ++a) inside &= cell[a] >= 0 && cell[a] < b->n[a];
        if (inside && (double)w->in->phi[box_at(b, cell[0], cell[1], cell[2])] < -deep) return true;
    }
    return false;
}

float viscosity_stiffness(const job *w, int c, ptrdiff_t q) {
    const ptrdiff_t *step = w->g->box.step;
    float k = w->v->normal[c][q] + w->v->normal[c][q - step[c]];
    for (int p = 0; p < w->g->box.dim; ++p) {
        if (p == c) continue;
        const float *own = w->v->edge[3 - c - p][c < p ? 0 : 2];
        k += own[q] + own[q + step[p]];
    }
    return k;
}

/* Faces whose velocity counts as the projection's, and is carried on to others. */
static bool is_known(const job *w, int c, const int at[3]) {
    return viscosity_beside_liquid(w, c, at, DEEP * w->g->dx);
}

/* What has been done to the faces beside this one since the solve, those that the projection sets. */
static float change_beside(const job *w, int c, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    float sum = 0;
    int known = 0;
    for (int a = 0; a < w->g->box.dim; ++a)
        for (int side = -1; side <= 1; side += 2) {
            int next[3] = {at[0], at[1], at[2]};
            const ptrdiff_t n = q + side * w->g->box.step[a];
            next[a] += side;
            if (!is_known(w, c, next)) continue;
            sum += w->u->value[c][n] - w->v->rhs[c][n];
            ++known;
        }
    return known ? sum / (float)known : 0;
}

/* A turn of a loop over the faces of rows that liquid is in. */
static void each_face(const job *w, int row, void (*act)(const job *w, int c, const int at[3])) {
    int jk[2];
    row_place(jk, &w->g->box, row);
    for (int c = 0; c < w->g->box.dim && w->v->dirty[row]; ++c)
        for (int i = w->v->extent[row][0]; i <= w->v->extent[row][1]; ++i)
            act(w, c, (const int[3]){i, jk[0], jk[1]});
}

static void follow(const job *w, int c, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    if (w->v->owner[c][q] != VISCOUS_FREE || !(viscosity_stiffness(w, c, q) > 0) || is_known(w, c, at))
        return;
    w->u->value[c][q] = w->v->rhs[c][q] + change_beside(w, c, at);
}

static void follow_row(void *context, int row) {
    each_face(context, row, follow);
}

/* Set by the projection or by stress. */
static bool is_set(const job *w, int c, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    if (is_known(w, c, at)) return true;
    return w->v->owner[c][q] == VISCOUS_FREE && viscosity_stiffness(w, c, q) > 0;
}

/* Around them velocity goes on as straight lines through two faces. */
static void go_on(const job *w, int c, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    float sum = 0;
    int known = 0;
    if (w->v->owner[c][q] != VISCOUS_FREE || is_set(w, c, at)) return;
    for (int a = 0; a < w->g->box.dim; ++a)
        for (int side = -1; side <= 1; side += 2) {
            int next[3] = {at[0], at[1], at[2]};
            const ptrdiff_t step = side * w->g->box.step[a];
            next[a] += side;
            if (!is_set(w, c, next)) continue;
            next[a] += side;
            const float near = w->u->value[c][q + step];
            sum += is_set(w, c, next) ? 2 * near - w->u->value[c][q + 2 * step] : near;
            ++known;
        }
    if (known) w->u->value[c][q] = sum / (float)known;
}

static void go_on_row(void *context, int row) {
    each_face(context, row, go_on);
}

void viscosity_follow(mac_field *u, const viscosity *v, const mac_grid *g, const float *phi) {
    const viscosity_input in = {.phi = phi};
    job w = {.v = (viscosity *)(uintptr_t)v, .g = g, .in = &in, .u = u};
    parallel_for(g->pool, row_count(&g->box), follow_row, &w);
    parallel_for(g->pool, row_count(&g->box), go_on_row, &w);
}
