/* The share of inertia in the preconditioner of pressure:  1 / S + (G^T M^-1 G)^-1.
 *
 * Where K is none G^T A^-1 G is G^T M^-1 G, a Poisson matrix; where K rules it is S, of K alone; and the sum
 * of the inverses is right for both and between them. One symmetric multigrid cycle stands for the inverse.
 * It is left out where viscosity moves momentum through all of the liquid in a step, as it has no part in
 * G^T A^-1 G then.
 *
 * Cells with a face that next to nothing holds, those that liquid hardly reaches, give way as S of all of A
 * says: to inertia they are air.
 *
 * Source: Cahouet and Chabard 1988. Limits: bodies are not in it. */
#include "linear/stokes_inside.h"

#include <math.h>
#include <string.h>

static const float FAR = 0.08f;         /* of the liquid's cells squared: nu dt / L^2 is a hundredth */
static const float LIGHT = 0.05f;       /* of faces: a cell that has one gives way as it likes */
static const float LEAST_SHARE = 1e-4f; /* of K in the diagonal */
static const float SHARE = 2.0f / 3;    /* as in stokes_cells.c */

/* K on the diagonal of A. */
INLINE float stiffness(const viscous_level *l, int c, ptrdiff_t f) {
    const float all = 1 / l->inverse[c][f], k = all - l->diagonal[c][f];
    return k > LEAST_SHARE * all ? k : LEAST_SHARE * all;
}

/* The largest M / K of a slab's cells' faces. */
static double inertia_task(void *context, int slab) {
    const stokes *t = context;
    const viscous_level *l = &t->s->levels[0];
    float most = 0;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q)
            for (int c = 0; c < l->dim && t->inverse[q] > 0; ++c)
                if (t->open[c][q] > 0 && l->inverse[c][q] > 0)
                    most = greater(l->diagonal[c][q] / stiffness(l, c, q), most);
    return (double)most;
}

static bool matters(const stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    int cells = l->n[0];
    for (int a = 1; a < l->dim; ++a) cells = l->n[a] < cells ? l->n[a] : cells;
    const double most = parallel_max(workers(t->s), l->slabs, inertia_task, (void *)(uintptr_t)t);
    return most * (double)FAR * cells * cells > 1;
}

typedef struct job {
    stokes *t;
    float *face[3], *extra;
    uint8_t *unknown;
} job;

/* open^2 / M of a face that is an unknown. */
INLINE float coefficient(const stokes *t, int c, ptrdiff_t f) {
    const viscous_level *l = &t->s->levels[0];
    if (!(t->open[c][f] > 0) || !(l->inverse[c][f] > 0)) return 0;
    return t->open[c][f] * t->open[c][f] / greater(l->diagonal[c][f], LIGHT);
}

/* Cells with pressure that inertia knows of. */
INLINE bool is_heavy(const stokes *t, ptrdiff_t q) {
    const viscous_level *l = &t->s->levels[0];
    if (!(t->inverse[q] > 0)) return false;
    for (int c = 0; c < l->dim; ++c)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t f = q + side * l->step[c];
            if (t->open[c][f] * t->open[c][f] * l->inverse[c][f] * LIGHT > 1) return false;
        }
    return true;
}

static void assemble_task(void *context, int slab) {
    const job *w = context;
    const stokes *t = w->t;
    const viscous_level *l = &t->s->levels[0];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q) {
            float sum = 0, extra = 0;
            t->moved[q] = t->inverse[q];
            if (!is_heavy(t, q)) continue;
            w->unknown[q] = 1;
            for (int c = 0; c < l->dim; ++c)
                for (int side = 0; side < 2; ++side) {
                    const ptrdiff_t f = q + side * l->step[c], beyond = side ? f : q - l->step[c];
                    const float a = coefficient(t, c, f);
                    if (!(a > 0)) continue;
                    sum += t->open[c][f] * t->open[c][f] / stiffness(l, c, f);
                    if (!is_heavy(t, beyond)) extra += a;
                    else if (!side) w->face[c][q] = a;
                }
            w->extra[q] = extra;
            t->moved[q] = 1 / (SHARE * sum);
        }
}

static void take_task(void *context, int slab) {
    const stokes *t = context;
    const viscous_level *l = &t->s->levels[0];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q) {
            if (t->inverse[q] > 0) t->inverse[q] = t->moved[q];
            t->moved[q] = 0;
        }
}

int stokes_inertia_setup(stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    const size_t size = l->size, guard = vector_guard(l), floats = (size_t)(l->dim + 2) * size + 2 * guard;
    t->inert = t->cells > 0 && matters(t);
    if (!t->inert) return 0;
    const box b = {
        .dim = l->dim, .n = {l->n[0], l->n[1], l->n[2]}, .step = {1, l->step[1], l->step[2]}, .size = size};
    if (!t->inertia) t->inertia = poisson_create(&b, t->s->p, POISSON_MULTIGRID);
    if (!t->inertia || buffer_hold(&t->inertia_memory, floats * sizeof(float) + size)) return -1;
    parallel_zero(t->s->p, t->inertia_memory.data, floats * sizeof(float) + size);
    job w = {.t = t, .unknown = (uint8_t *)((float *)t->inertia_memory.data + floats)};
    t->moved = (float *)t->inertia_memory.data + guard;
    w.extra = t->moved + size;
    for (int c = 0; c < l->dim; ++c) w.face[c] = w.extra + (size_t)(c + 1) * size;
    parallel_for(workers(t->s), l->slabs, assemble_task, &w);
    parallel_for(workers(t->s), l->slabs, take_task, t);
    poisson_move(t->inertia, &b);
    poisson_system system = {.extra = w.extra, .unknown = w.unknown};
    for (int c = 0; c < l->dim; ++c) system.face[c] = w.face[c];
    return poisson_setup(t->inertia, &system);
}

typedef struct sum {
    const stokes *t;
    float *z;
    const float *r;
} sum;

HOT static double add_task(void *context, int slab) {
    const sum *w = context;
    const viscous_level *l = &w->t->s->levels[0];
    dvec8 dot = dvec8_of(0);
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (ptrdiff_t q = row_start(l, row) + w->t->from[row]; q < row_start(l, row) + w->t->to[row];
             q += 8) {
            const vec8 more = load8(w->t->moved + q);
            *(vec8 *)(w->z + q) = load8(w->z + q) + more;
            dot = dvec8_plus_dot(dot, more, load8(w->r + q));
        }
    return dvec8_total(dot);
}

double stokes_inertia_add(stokes *t, float *z, const float *r) {
    sum w = {t, z, r};
    if (!t->inert) return 0;
    poisson_cycle(t->inertia, t->moved, r);
    return parallel_sum(workers(t->s), t->s->levels[0].slabs, add_task, &w);
}
