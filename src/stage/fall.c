/* x(t + dt) = x + dt u + dt^2 g / 2 for liquid that touches nothing.
 *
 * A step moves particles by the velocity that ended the last one; gravity comes after. What pressure carries
 * does not mind, but what flies would be g t dt / 2 behind after a time t. Bodies in the air have the same
 * rule (solid/world_step.c). Regions of liquid that no wall, body or emitter touches are told by their faces:
 * all are wholly open. */
#include "stage/fall.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const uint8_t *unknown;
    uint8_t *mark; /* 1: liquid that something holds */
    cell_range range;
    float *u, kick;
    int axis;
} job;

HOT static void touch_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const uint8_t *unknown = s->unknown + row;
        uint8_t *mark = s->mark + row;
        memset(mark, 0, (size_t)b->n[0]);
        for (int axis = 0; axis < b->dim; ++axis) {
            const float *low = s->o->open.value[axis] + row, *high = low + b->step[axis];
            for (int i = 0; i < b->n[0]; ++i)
                mark[i] |= (uint8_t)(unknown[i] & ((low[i] < 1) | (high[i] < 1)));
        }
    }
}

INLINE int falls(const job *s, ptrdiff_t c) {
    return s->unknown[c] && !s->mark[c];
}

HOT static void kick_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const ptrdiff_t step = b->step[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (ptrdiff_t c = row; c < row + s->range.upper[0]; ++c)
            if (falls(s, c) || falls(s, c - step)) s->u[c] += s->kick;
    }
}

int fall_freely(mac_field *carry, uint8_t *mark, const mac_grid *g, const openings *o, poisson *solver,
                const uint8_t *unknown, const double by[3]) {
    job s = {.g = g, .o = o, .unknown = unknown, .mark = mark, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), touch_task, &s);
    if (poisson_spread(solver, mark)) return -1;
    wrap_bytes(mark, g);
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        if (by[s.axis] == 0) continue;
        s.u = carry->value[s.axis];
        s.kick = (float)by[s.axis];
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), kick_task, &s);
    }
    return 0;
}
