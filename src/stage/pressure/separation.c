/* Liquid that may leave walls.
 *
 *   q >= 0 and div u >= 0 in the cells that a solid or a closed side of the domain bounds, one of the two an
 *   equality; div u = 0 elsewhere:
 *
 * liquid may leave a wall, nothing sucks it back. The velocity of a closed face in the balance stays the
 * wall's; what leaves it is a void that opens in the cell. The system is that of stage/pressure/assembly.c,
 * solved as a linear complementarity problem (linear/lcp.h).
 *
 * Source: Batty et al. 2007, 4.
 *
 * Limits: whole cells are bounded, however small the share that a wall closes of them. */
#include "stage/pressure/parts.h"

#include <math.h>
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    cell_range range;
    const pressure_work *work;
    uint8_t *bounded;
} job;

/* Unknowns that something closed bounds. */
INLINE void bounded_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            int closed = 0;
            for (int a = 0; a < dim; ++a) {
                const float *open = s->o->open.value[a] + row + i;
                closed |= (open[0] < 1) | (open[b->step[a]] < 1);
            }
            s->bounded[row + i] = (uint8_t)(closed & s->work->unknown[row + i]);
        }
    }
}

HOT static void bounded_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) bounded_block(s, block, 3);
    else bounded_block(s, block, 2);
}

int pressure_separate(lcp_result *out, float *q, lcp *walls, uint8_t *bounded, poisson *solver,
                      pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                      const mac_field *u, const poisson_term *term, double tolerance, int max_iterations) {
    job s = {.g = g, .o = o, .range = range_cells(g), .work = work, .bounded = bounded};
    parallel_for(g->pool, range_blocks(&s.range), bounded_task, &s);
    pressure_find_rhs(work, g, o, phi, u);
    const lcp_problem problem = {.system = pressure_system(work), .bounded = bounded, .term = *term};
    const int failed = lcp_solve(out, walls, solver, q, work->rhs, &problem, tolerance, max_iterations);
    if (!failed) pressure_relate_to_walls(&out->solve, work, g, o);
    return failed;
}

/* One side: the cell's inner face says how fast the liquid leaves. */
static void release_side(mac_field *u, const mac_grid *g, const openings *o, const uint8_t *voids, int axis,
                         int side) {
    const ptrdiff_t step = g->box.step[axis];
    cell_range r = range_cells(g);
    r.lower[axis] = side ? g->box.n[axis] - 1 : 0;
    r.upper[axis] = r.lower[axis] + 1;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&g->box, i, j, k), wall = side ? c + step : c,
                                inner = side ? c : c + step;
                if (!voids[c] || o->open.value[axis][wall] > 0 || o->open.value[axis][inner] <= 0) continue;
                const float away = u->value[axis][inner];
                u->value[axis][wall] = side ? fminf(away, 0) : fmaxf(away, 0);
            }
}

void pressure_release(mac_field *u, const mac_grid *g, const openings *o, const uint8_t *voids) {
    for (int axis = 0; axis < g->box.dim; ++axis)
        for (int side = 0; side < 2; ++side) release_side(u, g, o, voids, axis, side);
}
