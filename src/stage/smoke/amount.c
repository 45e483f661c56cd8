/* The amount of what smoke carries, held across a step that does not conserve it by itself.
 *
 *     f <- f + lambda (e - f),   lambda = missing / sum over cells of share (e - f),   0 <= lambda <= 1
 *
 * with e the largest of a cell and its neighbours where the sum has become too small, the least where it has
 * become too large. Semi-Lagrangian carrying gives every sample its value and no sample its weight, so
 * features of a few cells in a strained flow gain or lose (a puff five cells wide doubled while it rose
 * through its box). A correction of this form lies where the field changes, as the error does, leaves even
 * regions as they are, and makes no new extremes; its kind is that of the conserving fixes of semi-Lagrangian
 * weather models (Priestley 1993; Bermejo and Conde 2002).
 *
 * Limits: the sum is right, but what one place gained may be taken from another; cells mostly in solids
 * repeat their neighbours and do not count. */
#include "stage/smoke/smoke.h"

#include "core/hot.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const float *f, *share;
    const openings *o;
    float *out;
    float outside, lambda;
    int up; /* towards the largest neighbour */
    cell_range range;
} job;

HOT static double amount_task(void *context, int block) {
    const job *s = context;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        float part = 0; /* of a row: short enough for single precision */
        for (int i = 0; i < s->g->box.n[0]; ++i) part += s->share[row + i] * (s->f[row + i] - s->outside);
        sum += (double)part;
    }
    return sum;
}

double smoke_amount(const float *f, double outside, const mac_grid *g, const float *share) {
    job s = {.g = g, .f = f, .share = share, .outside = (float)outside, .range = range_cells(g)};
    return parallel_sum(g->pool, range_blocks(&s.range), amount_task, &s);
}

/* How far a cell is from the extreme among those beside it that it is open to and that are not hidden. */
INLINE float way_to_extreme(const job *s, ptrdiff_t c, int dim) {
    const box *b = &s->g->box;
    float e = s->f[c];
    for (int a = 0; a < dim; ++a)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t step = b->step[a], n = side ? c + step : c - step;
            const float open = s->o->open.value[a][side ? n : c];
            const int counts = (s->share[n] > 0) & (open > 0);
            const float v = counts ? s->f[n] : e;
            e = s->up ? (v > e ? v : e) : (v < e ? v : e);
        }
    return e - s->f[c];
}

INLINE double way_block(const job *s, int block, int dim) {
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        float part = 0;
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const float w = s->share[row + i] > 0 ? way_to_extreme(s, row + i, dim) : 0;
            s->out[row + i] = w;
            part += s->share[row + i] * w;
        }
        sum += (double)part;
    }
    return sum;
}

HOT static double way_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? way_block(s, block, 3) : way_block(s, block, 2);
}

HOT static void move_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) s->out[row + i] += s->lambda * s->f[row + i];
    }
}

void smoke_keep_amount(float *f, float *scratch, double wanted, double outside, const mac_grid *g,
                       const openings *o, const float *share) {
    job s = {.g = g, .f = f, .share = share, .o = o, .out = scratch, .range = range_cells(g)};
    const int blocks = range_blocks(&s.range);
    const double missing = wanted - smoke_amount(f, outside, g, share);
    if (missing == 0) return;
    s.up = missing > 0;
    const double slack = parallel_sum(g->pool, blocks, way_task, &s);
    if (!(missing / slack > 0)) return; /* even everywhere: nowhere to put it */
    job move = {.g = g, .f = scratch, .out = f, .range = s.range};
    move.lambda = (float)(missing / slack < 1 ? missing / slack : 1);
    parallel_for(g->pool, blocks, move_task, &move);
}
