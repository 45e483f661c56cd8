/* Liquid that touches nothing falls to second order in the step.
 *
 *   x(t + dt) = x + dt u + dt^2 g / 2
 *
 * A step moves particles by the velocity that ended the last one; gravity comes after. What pressure carries
 * does not mind, but what flies would be g t dt / 2 behind after a time t. Bodies in the air have the same
 * rule (solid/world_step.c). Regions of liquid that no wall, body or emitter touches are told by their faces:
 * all are wholly open.
 *
 * Source: docs/decisions/0018-flight.md.
 *
 * Limits: a region that touches anything falls to first order, all of it. */
#include "stage/transport/fall.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const uint8_t *unknown;
    uint8_t *mark;
    cell_range range;
    float *u, kick;
    int axis;
} job;

/* All six shares are 1 where their sum is 6: a sum is work for vectors. */
HOT static void touch_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const mac_field *open = &s->o->open;
    const int n = b->n[0];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const uint8_t *unknown = s->unknown + row;
        uint8_t *restrict mark = s->mark + row;
        if (!memchr(unknown, 1, (size_t)n)) continue;
        const float *x = open->value[0] + row, *y = open->value[1] + row, *up = y + b->step[1];
        if (b->dim == 3) {
            const float *z = open->value[2] + row, *far = z + b->step[2];
            for (int i = 0; i < n; ++i)
                mark[i] = (x[i] + x[i + 1]) + (y[i] + up[i]) + (z[i] + far[i]) < 6 ? POISSON_MARKED : 0;
        } else {
            for (int i = 0; i < n; ++i) mark[i] = (x[i] + x[i + 1]) + (y[i] + up[i]) < 4 ? POISSON_MARKED : 0;
        }
    }
}

HOT static void kick_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const ptrdiff_t step = b->step[s->axis];
    const size_t n = (size_t)s->range.upper[0];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const uint8_t *high = s->mark + row, *low = high - step;
        if (!memchr(high, POISSON_APART, n) && !memchr(low, POISSON_APART, n)) continue;
        for (size_t i = 0; i < n; ++i)
            if (high[i] == POISSON_APART || low[i] == POISSON_APART) s->u[row + (ptrdiff_t)i] += s->kick;
    }
}

int fall_freely(mac_field *carry, uint8_t *mark, const mac_grid *g, const openings *o, poisson *solver,
                const uint8_t *unknown, const double by[3]) {
    job s = {.g = g, .o = o, .unknown = unknown, .mark = mark, .range = range_cells(g)};
    parallel_zero(g->pool, mark, g->box.size);
    parallel_for(g->pool, range_blocks(&s.range), touch_task, &s);
    const int apart = poisson_find_apart(solver, mark);
    if (apart <= 0) return apart;
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
