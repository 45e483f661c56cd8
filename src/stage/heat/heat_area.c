/* Where liquid meets what is not liquid, cell by cell.
 *
 * The area of a surface in a cell follows from the shares s of the cell's faces on one side of it, as the cut
 * cell is closed: A = |sum_f s_f n_f| dx^2, exact for a plane, of second order else. Shares are those of
 * straight cuts between corners, whose distances are the means of the cells around.
 *
 * Limits: of two surfaces in one cell the difference counts. */
#include <math.h>
#include "geom/fractions.h"
#include "grid/rows.h"
#include "stage/heat/heat.h"

typedef struct area_job {
    float *conductance;
    const heat_input *in;
    const float *phi;
    double exchange;
    cell_range range;
} area_job;

/* The mean of the samples around a corner of the cell c; low corner + at. */
static double corner_phi(const float *phi, const box *b, ptrdiff_t c, const int at[3]) {
    double sum = 0;
    for (int q = 0; q < 1 << b->dim; ++q) {
        ptrdiff_t n = c;
        for (int a = 0; a < b->dim; ++a) n += (at[a] - 1 + (q >> a & 1)) * b->step[a];
        sum += (double)phi[n];
    }
    return sum / (1 << b->dim);
}

/* Area of the surface in a unit cell, from its corners' distances, x fastest. */
static double area_in_cell(const double corner[8], int dim) {
    double square = 0;
    for (int a = 0; a < dim; ++a) {
        double share[2];
        const int p = 1 << (a + 1) % dim, q = dim == 3 ? 1 << (a + 2) % 3 : 0;
        for (int side = 0; side < 2; ++side) {
            const int o = side << a;
            const double face[4] = {corner[o], corner[o + p], corner[o + q], corner[o + p + q]};
            share[side] = dim == 3 ? fraction_square(face) : fraction_segment(face[0], face[1]);
        }
        square += (share[1] - share[0]) * (share[1] - share[0]);
    }
    return sqrt(square);
}

static void air_task(void *context, int block) {
    const area_job *t = context;
    const mac_grid *g = t->in->g;
    const box *b = &g->box;
    const double unit = t->exchange * pow(g->dx, b->dim - 1);
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (ptrdiff_t c = row; c < row + b->n[0]; ++c) {
            double corner[8];
            t->conductance[c] = 0;
            if (!(fabsf(t->phi[c]) < (float)g->dx)) continue;
            for (int q = 0; q < 1 << b->dim; ++q)
                corner[q] = corner_phi(t->phi, b, c, (const int[]){q & 1, q >> 1 & 1, q >> 2});
            t->conductance[c] = (float)(unit * area_in_cell(corner, b->dim));
        }
    }
}

void heat_air(float *conductance, const heat_input *in, const float *phi, double exchange) {
    area_job t = {conductance, in, phi, exchange, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), air_task, &t);
}
