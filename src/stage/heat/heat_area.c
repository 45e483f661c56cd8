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

/* ---- solids ---- */

#define LEAST_WAY 0.1  /* cells from a cell's middle to what it touches */
#define SKIN      1e-3 /* cells by which solids are thicker: the faces of one that fits the grid count as its */

typedef struct solid_job {
    float *conductance;
    const heat_cell *cells;
    const heat_input *in;
    const float *node_phi;
    const obstacle *solids;
    int count, which;
    uint8_t *shut;
    cell_range range;
} solid_job;

static void node_corners(double corner[8], const solid_job *t, ptrdiff_t c) {
    const box *b = &t->in->g->box;
    for (int q = 0; q < 1 << b->dim; ++q) {
        ptrdiff_t n = c;
        for (int a = 0; a < b->dim; ++a) n += (q >> a & 1) * b->step[a];
        corner[q] = (double)t->node_phi[n] - SKIN * t->in->g->dx;
    }
}

static double mean_of(const double *corner, int count) {
    double sum = 0;
    for (int q = 0; q < count; ++q) sum += corner[q];
    return sum / count;
}

/* Whether the solid asked about is the nearest to a cell's middle. */
static int is_nearest(const solid_job *t, int i, int j, int k) {
    double x[3];
    mac_place(x, t->in->g, i + 0.5, j + 0.5, k + 0.5);
    return obstacle_is_nearest(t->solids, NULL, t->count, t->which, x,
                               obstacle_distance(&t->solids[t->which], x));
}

static void solid_task(void *context, int block) {
    const solid_job *t = context;
    const mac_grid *g = t->in->g;
    const box *b = &g->box;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            const ptrdiff_t c = row + i;
            double corner[8];
            t->conductance[c] = 0;
            if (!(t->cells[c].capacity > 0) || fabsf(t->node_phi[c]) > 2 * (float)g->dx) continue;
            node_corners(corner, t, c);
            const double area = area_in_cell(corner, b->dim);
            if (!(area > 0) || !is_nearest(t, i, j, k)) continue;
            const double way = fmax(mean_of(corner, 1 << b->dim), LEAST_WAY * g->dx);
            t->conductance[c] =
                (float)((double)t->cells[c].conductivity * area * pow(g->dx, b->dim - 1) / way);
        }
    }
}

void heat_solid(float *conductance, const heat_cell *cells, const heat_input *in, const float *node_phi,
                const obstacle *solids, int count, int which) {
    solid_job t = {.conductance = conductance, .cells = cells, .in = in, .node_phi = node_phi,
                   .solids = solids, .count = count, .which = which, .range = range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), solid_task, &t);
}

static void shut_task(void *context, int block) {
    const solid_job *t = context;
    const box *b = &t->in->g->box;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (ptrdiff_t c = row; c < row + b->n[0]; ++c) {
            double corner[8], most = -1;
            node_corners(corner, t, c);
            for (int q = 0; q < 1 << b->dim; ++q) most = fmax(most, corner[q]);
            t->shut[c] = most <= 0;
        }
    }
}

void heat_shut(uint8_t *shut, const heat_input *in, const float *node_phi) {
    solid_job t = {.shut = shut, .in = in, .node_phi = node_phi, .range = range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), shut_task, &t);
}
