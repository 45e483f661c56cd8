/* Drift correction: an implicit density projection (after Kugelstadt et al. 2019) on the system of the pressure solve.
 *
 * Advected particles clump and spread although their velocity is divergence-free on the grid. Where the density c of a cell
 * differs from one, a displacement w dt with div(w dt) = RATE (c - 1) brings it back; w = - grad psi comes from a second,
 * loose solve with the matrix at hand, and moves positions only, so no energy enters the velocities.
 *
 * Near the surface c < 1 says how full a cell is, not how dense: cells with air beside them are left alone, the next layer
 * only spreads, and deeper cells do both. */
#include "stage/volume.h"

#include <math.h>
#include "core/hot.h"
#include "grid/rows.h"

#define RATE     0.5f  /* of the deviation, a step */
#define MOST     0.25f /* largest change of a cell's volume, a step */

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *density, *phi;
    float *outflow;
    uint8_t *depth;
    float scale;
    cell_range range;
} job;

/* 0: not liquid; 1: liquid with air beside; 2: surrounded by liquid or walls. */
INLINE void depth_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            const ptrdiff_t c = row + i;
            int air = 0;
            for (int a = 0; a < dim; ++a) {
                const ptrdiff_t h = c + b->step[a], l = c - b->step[a];
                air |= (s->phi[h] >= 0 && s->o->open.value[a][h] > 0) | (s->phi[l] >= 0 && s->o->open.value[a][c] > 0);
            }
            s->depth[c] = (uint8_t)(s->phi[c] < 0 ? 2 - air : 0);
        }
    }
}

INLINE void outflow_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            const ptrdiff_t c = row + i;
            int deep = s->depth[c] == 2;
            float open = 0;
            for (int a = 0; a < dim; ++a) {
                deep &= s->depth[c - b->step[a]] != 1 && s->depth[c + b->step[a]] != 1;
                open += s->o->open.value[a][c] + s->o->open.value[a][c + b->step[a]];
            }
            float change = RATE * (s->density[c] - 1);
            change = fmaxf(deep ? -MOST : 0, fminf(MOST, change));
            s->outflow[c] = s->depth[c] == 2 ? s->scale * change * open / (float)(2 * dim) : 0;
        }
    }
}

HOT static void depth_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) depth_block(s, block, 3);
    else depth_block(s, block, 2);
}

HOT static void outflow_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) outflow_block(s, block, 3);
    else outflow_block(s, block, 2);
}

void volume_outflow(float *outflow, uint8_t *depth, const mac_grid *g, const openings *o, const float *density,
                    const float *phi, double dt) {
    job s = {.g = g, .o = o, .density = density, .phi = phi, .outflow = outflow, .depth = depth};
    s.scale = (float)(g->dx / dt);
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), depth_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), outflow_task, &s);
}
