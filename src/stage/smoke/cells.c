/* Cells as smoke sees them: how much of each lies outside solids, and what stands for the rest.
 *
 * A share is exact for the zero set of the distances interpolated between a cell's corners, to second order
 * in the cell (geom/fractions.h). A cell whose larger part is solid holds nothing: its share is 0 to all that
 * adds up, and it repeats the mean of its neighbours. If it carried values of its own, interpolation would
 * draw them from within a wall, where both of its sides mix.
 * Limits: sums leave out an eighth of a cell along solids, in the mean; that mean is not of the cell's own
 * height, so that sharp layers beside oblique solids are not exactly at rest; smoke passes gaps narrower than
 * half a cell unchanged. */
#include "stage/smoke/smoke.h"

#include <string.h>
#include "core/hot.h"
#include "geom/fractions.h"
#include "grid/rows.h"

#define HIDDEN 0.5 /* share outside solids, below which a cell holds nothing */

typedef struct {
    const mac_grid *g;
    const float *phi, *share;
    float *out;
    uint8_t *layer;
    cell_range range;
} job;

static float share_of(const float *phi, const box *b, ptrdiff_t n) {
    double corner[8];
    int solid = 0;
    for (int c = 0; c < 1 << b->dim; ++c) {
        const ptrdiff_t at =
            n + (c & 1) + (c >> 1 & 1) * b->step[1] + (b->dim == 3 ? (c >> 2) * b->step[2] : 0);
        corner[c] = (double)phi[at];
        solid += phi[at] < 0;
    }
    if (!solid) return 1;
    const double open = solid == 1 << b->dim ? 0 : 1 - fraction_negative_cube(corner, b->dim);
    return open < HIDDEN ? 0 : (float)open;
}

static void share_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) s->out[row + i] = share_of(s->phi, &s->g->box, row + i);
    }
}

void smoke_shares(float *share, const mac_grid *g, const float *node_phi) {
    job s = {.g = g, .phi = node_phi, .out = share, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), share_task, &s);
}

HOT static void layer_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            s->layer[row + i] = s->share[row + i] > 0 ? 0 : EXTRAPOLATE_UNKNOWN;
    }
}

void smoke_into_solids(float *density, float *temperature, front *f, const mac_grid *g, const float *share,
                       int layers) {
    job s = {.g = g, .share = share, .layer = f->layer, .range = range_cells(g)};
    memset(f->layer, EXTRAPOLATE_FIXED, g->box.size);
    parallel_for(g->pool, range_blocks(&s.range), layer_task, &s);
    extrapolate(density, layers, temperature, layers, f, g, 0);
}
