/* One V(1,1) cycle for viscous systems, symmetric.
 *
 * Smoother: the faces of a row along x together (Jacobi, in vectors), row after row and u, v, w in turn
 * (Gauss-Seidel), even slabs of planes before odd ones; on the way up all of it in exactly the reversed
 * order, which makes the cycle symmetric. Within a row the diagonal is at least half of the row's matrix, so
 * that this converges for any K. Transfer: P is linear along a component's own axis and linear between face
 * centres across it, R = P^T; no over-correction. Coarsest level: Cholesky.
 *
 * Source: the cycle is standard (Trottenberg et al. 2001, ch. 2); the smoother and what levels hold were
 * found by measuring. Limits: ropes and droplets that touch are hard where mu dt / (rho dx^2) is 1e5 or more.
 */
#include "linear/viscous_level.h"

#include <string.h>

#define REAL        float
#define ROW_NAME(f) f##_float
#include "linear/viscous_row.h"

typedef struct cycle_job {
    viscous_level *fine, *coarse;
    float *x;
    const float *b;
    int parity, back;
} cycle_job;

INLINE bool row_is_empty(const viscous_level *l, int row) {
    return l->first[row] == l->first[row + 1];
}

/* ---- smoothing ---- */

INLINE void smooth_row(const viscous_level *l, float *x, const float *b, float *t, int row, int c, int dim,
                       int crossed, int weighted) {
    const ptrdiff_t at = row_start(l, row);
    for (int n = l->first[row]; n < l->first[row + 1]; ++n)
        run_product_float(t, l, x, c, at, &l->runs[n], dim, crossed, weighted);
    float *restrict to = x + (size_t)c * l->size + at;
    const float *restrict rhs = b + (size_t)c * l->size + at, *restrict inverse = l->inverse[c] + at;
    for (int n = l->first[row]; n < l->first[row + 1]; ++n) {
        SEPARATE
        for (int i = l->runs[n].from; i < l->runs[n].to; ++i) to[i] += inverse[i] * (rhs[i] - t[i]);
    }
}

INLINE void smooth_slab(const cycle_job *w, int slab, int dim, int crossed, int weighted) {
    const viscous_level *l = w->fine;
    float *t = slab_scratch(l, slab);
    const int from = slab * l->slab_rows, count = slab_end(l, slab) - from;
    for (int n = 0; n < count; ++n) {
        const int row = from + (w->back ? count - 1 - n : n);
        for (int m = 0; m < dim; ++m)
            smooth_row(l, w->x, w->b, t, row, w->back ? dim - 1 - m : m, dim, crossed, weighted);
    }
}

HOT static void smooth_task(void *context, int task) {
    const cycle_job *w = context;
    const int slab = 2 * task + w->parity;
#define SMOOTH(dim, crossed, weighted) smooth_slab(w, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(w->fine, SMOOTH);
#undef SMOOTH
}

static void smooth(cycle_job *w, pool *p, int back) {
    for (int half = 0; half < 2; ++half) {
        w->back = back;
        w->parity = half ^ back;
        parallel_for(p, (w->fine->slabs + 1 - w->parity) / 2, smooth_task, w);
    }
}

/* ---- residual ---- */

INLINE void residual_slab(const cycle_job *w, int slab, int dim, int crossed, int weighted) {
    const viscous_level *l = w->fine;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < dim; ++c) {
            const ptrdiff_t at = row_start(l, row);
            float *restrict r = l->r + (size_t)c * l->size + at;
            const float *restrict b = w->b + (size_t)c * l->size + at, *restrict inverse = l->inverse[c] + at;
            for (int n = l->first[row]; n < l->first[row + 1]; ++n) {
                const int from = l->runs[n].from, to = l->runs[n].to;
                run_product_float(r, l, w->x, c, at, &l->runs[n], dim, crossed, weighted);
                SEPARATE
                for (int i = from; i < to; ++i) r[i] = inverse[i] > 0 ? b[i] - r[i] : 0;
            }
        }
}

HOT static void residual_task(void *context, int slab) {
    const cycle_job *w = context;
#define RESIDUAL(dim, crossed, weighted) residual_slab(w, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(w->fine, RESIDUAL);
#undef RESIDUAL
}

/* ---- transfer ---- */

/* Samples of the other level along an axis, and their weights. */
typedef struct taps {
    int count, at[4];
    float weight[4];
} taps;

static taps keep_inside(taps t, int n) {
    taps kept = {0};
    for (int i = 0; i < t.count; ++i)
        if (t.at[i] >= 0 && t.at[i] < n) {
            kept.at[kept.count] = t.at[i];
            kept.weight[kept.count++] = t.weight[i];
        }
    return kept;
}

/* The fine samples that coarse sample `at` feeds. */
static taps taps_down(const viscous_level *fine, int axis, int c, int at) {
    if (axis >= fine->dim) return (taps){1, {0}, {1}};
    const int f = 2 * (at - COARSE_SHIFT);
    const taps t = axis == c ? (taps){3, {f - 1, f, f + 1}, {0.5f, 1, 0.5f}}
                             : (taps){4, {f - 1, f, f + 1, f + 2}, {0.25f, 0.75f, 0.75f, 0.25f}};
    return keep_inside(t, fine->n[axis]);
}

/* The coarse samples that fine sample `at` is interpolated from. */
static taps taps_up(const viscous_level *coarse, int axis, int c, int at) {
    if (axis >= coarse->dim) return (taps){1, {0}, {1}};
    const int m = at / 2 + COARSE_SHIFT, odd = at % 2;
    if (axis != c) return keep_inside((taps){2, {m, odd ? m + 1 : m - 1}, {0.75f, 0.25f}}, coarse->n[axis]);
    return keep_inside(odd ? (taps){2, {m, m + 1}, {0.5f, 0.5f}} : (taps){1, {m}, {1}}, coarse->n[axis]);
}

/* sum = the rows of component c of `from` that the taps across x ask for; whole rows, 0 outside runs.
 * Returns whether there is anything in them. */
INLINE bool sum_rows(float *restrict sum, const viscous_level *l, const float *from, int c, const taps *y,
                     const taps *z) {
    bool any = false;
    const int length = (int)l->step[1];
    for (int b = 0; b < z->count; ++b)
        for (int a = 0; a < y->count; ++a) {
            const int row = y->at[a] + l->n[1] * z->at[b];
            if (row_is_empty(l, row)) continue;
            const float *restrict r = from + (size_t)c * l->size + row_start(l, row);
            const float weight = y->weight[a] * z->weight[b];
            if (!any) memset(sum, 0, (size_t)length * sizeof *sum);
            any = true;
            SEPARATE
            for (int i = 0; i < length; ++i) sum[i] += weight * r[i];
        }
    return any;
}

INLINE void restrict_row(const cycle_job *w, float *sum, int row, int c) {
    const viscous_level *l = w->coarse, *fine = w->fine;
    const taps y = taps_down(fine, 1, c, row % l->n[1]), z = taps_down(fine, 2, c, row / l->n[1]);
    float *restrict b = l->b + (size_t)c * l->size + row_start(l, row);
    const float *restrict inverse = l->inverse[c] + row_start(l, row);
    const bool any = sum_rows(sum, fine, fine->r, c, &y, &z);
    for (int n = l->first[row]; n < l->first[row + 1]; ++n)
        for (int i = l->runs[n].from; i < l->runs[n].to; ++i) {
            const float *s = sum + 2 * (i - COARSE_SHIFT);
            if (!any || !(inverse[i] > 0)) b[i] = 0;
            else if (c == 0) b[i] = 0.5f * (s[-1] + s[1]) + s[0];
            else b[i] = 0.25f * (s[-1] + s[2]) + 0.75f * (s[0] + s[1]);
        }
}

static void clear_row(float *x, const viscous_level *l, int row) {
    for (int n = l->first[row]; n < l->first[row + 1]; ++n)
        memset(x + row_start(l, row) + l->runs[n].from, 0,
               (size_t)(l->runs[n].to - l->runs[n].from) * sizeof *x);
}

HOT static void restrict_task(void *context, int slab) {
    const cycle_job *w = context;
    const viscous_level *l = w->coarse;
    float *sum = slab_scratch(l, slab);
    memset(sum - SCRATCH_PAD, 0, (size_t)l->scratch_row * sizeof *sum);
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && !row_is_empty(l, row); ++c) {
            restrict_row(w, sum, row, c);
            clear_row(l->x + (size_t)c * l->size, l, row);
        }
}

INLINE void prolong_row(const cycle_job *w, float *sum, int row, int c) {
    const viscous_level *l = w->fine, *coarse = w->coarse;
    const taps y = taps_up(coarse, 1, c, row % l->n[1]), z = taps_up(coarse, 2, c, row / l->n[1]);
    if (!sum_rows(sum, coarse, coarse->x, c, &y, &z)) return;
    float *restrict x = w->x + (size_t)c * l->size + row_start(l, row);
    const float *restrict inverse = l->inverse[c] + row_start(l, row);
    for (int n = l->first[row]; n < l->first[row + 1]; ++n) {
        SEPARATE
        for (int m = l->runs[n].from / 2; m < l->runs[n].to / 2; ++m) {
            const float low = sum[m], here = sum[m + 1], high = sum[m + 2];
            const float even = c == 0 ? here : 0.75f * here + 0.25f * low;
            const float odd = c == 0 ? 0.5f * (here + high) : 0.75f * here + 0.25f * high;
            x[2 * m] += inverse[2 * m] > 0 ? even : 0;
            x[2 * m + 1] += inverse[2 * m + 1] > 0 ? odd : 0;
        }
    }
}

HOT static void prolong_task(void *context, int slab) {
    const cycle_job *w = context;
    const viscous_level *l = w->fine;
    float *sum = slab_scratch(l, slab);
    memset(sum, 0, (size_t)(l->scratch_row - SCRATCH_PAD) * sizeof *sum);
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && !row_is_empty(l, row); ++c) prolong_row(w, sum, row, c);
}

/* ---- the cycle ---- */

void viscous_cycle(viscous_level *levels, int count, viscous_direct *last, pool *p, float *x,
                   const float *b) {
    if (count == 1) {
        viscous_direct_solve(last, x, b);
        return;
    }
    cycle_job w = {.fine = &levels[0], .coarse = &levels[1], .x = x, .b = b};
    pool *workers = viscous_pool(&levels[0], p);
    smooth(&w, workers, 0);
    parallel_for(workers, levels[0].slabs, residual_task, &w);
    parallel_for(workers, levels[1].slabs, restrict_task, &w);
    viscous_cycle(levels + 1, count - 1, last, p, levels[1].x, levels[1].b);
    parallel_for(workers, levels[0].slabs, prolong_task, &w);
    smooth(&w, workers, 1);
}
