/* Where liquid meets what is not liquid, cell by cell.
 *
 * The area of a surface in a cell follows from the shares s of the cell's faces on one side of it, as the cut
 * cell is closed: A = |sum_f s_f n_f| dx^2, exact for a plane, of second order else. Shares are those of
 * straight cuts between corners, whose distances are the means of the cells around.
 *
 * The surface may cross cells that have no particles: what these would exchange, those around them do, by
 * their capacities.
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

/* ---- what cells without particles have goes to those beside them ---- */

typedef struct hand_job {
    float *to;
    const float *from;
    const heat_cell *cells;
    const box *b;
    cell_range range;
} hand_job;

enum { NEIGHBOURS_MOST = 27 };

/* The cells of the domain around one, itself too. */
static int neighbours(ptrdiff_t near[NEIGHBOURS_MOST], const box *b, const int at[3]) {
    int count = 0;
    for (int k = at[2] - 1; k <= at[2] + 1; ++k)
        for (int j = at[1] - 1; j <= at[1] + 1; ++j)
            for (int i = at[0] - 1; i <= at[0] + 1; ++i)
                if (i >= 0 && i < b->n[0] && j >= 0 && j < b->n[1] && k >= 0 && k < b->n[2])
                    near[count++] = box_at(b, i, j, k);
    return count;
}

/* Those around an empty cell share what it has by their capacities: their sum. */
static double capacity_around(const hand_job *t, const int at[3]) {
    ptrdiff_t near[NEIGHBOURS_MOST];
    const int count = neighbours(near, t->b, at);
    double sum = 0;
    for (int q = 0; q < count; ++q) sum += (double)t->cells[near[q]].capacity;
    return sum;
}

static double handed_to(const hand_job *t, const int at[3]) {
    const double own = (double)t->cells[box_at(t->b, at[0], at[1], at[2])].capacity;
    double sum = 0;
    for (int k = at[2] - 1; k <= at[2] + 1; ++k)
        for (int j = at[1] - 1; j <= at[1] + 1; ++j)
            for (int i = at[0] - 1; i <= at[0] + 1; ++i) {
                const int from[3] = {i, j, k};
                if (i < 0 || i >= t->b->n[0] || j < 0 || j >= t->b->n[1] || k < 0 || k >= t->b->n[2])
                    continue;
                const ptrdiff_t n = box_at(t->b, i, j, k);
                if (t->from[n] > 0 && !(t->cells[n].capacity > 0))
                    sum += (double)t->from[n] * own / capacity_around(t, from);
            }
    return sum;
}

static void hand_task(void *context, int block) {
    const hand_job *t = context;
    FOR_ROWS(&t->range, block, j, k) {
        for (int i = 0; i < t->b->n[0]; ++i) {
            const ptrdiff_t c = box_at(t->b, i, j, k);
            t->to[c] = 0;
            if (t->cells[c].capacity > 0) t->to[c] = t->from[c] + (float)handed_to(t, (const int[]){i, j, k});
        }
    }
}

static void hand_on(float *to, const float *from, const heat_cell *cells, const heat_input *in) {
    hand_job t = {to, from, cells, &in->g->box, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), hand_task, &t);
}

/* ---- air ---- */

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

void heat_air(float *conductance, float *spare, const heat_cell *cells, const heat_input *in,
              const float *phi, double exchange) {
    area_job t = {spare, in, phi, exchange, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), air_task, &t);
    hand_on(conductance, spare, cells, in);
}

/* ---- solids ---- */

#define LEAST_WAY 0.1 /* cells from a cell's middle to what it touches */
#define SKIN      1e-3 /* cells by which solids are thicker: the faces of one that fits the grid count as its */

typedef struct solid_job {
    float *conductance;
    const heat_cell *cells;
    const heat_input *in;
    const float *node_phi;
    const obstacle *solids;
    int count, which;
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

/* The cell's, or of one without particles the largest of those around it. */
static double conductivity_near(const solid_job *t, int i, int j, int k) {
    const box *b = &t->in->g->box;
    const heat_cell *cell = &t->cells[box_at(b, i, j, k)];
    ptrdiff_t near[NEIGHBOURS_MOST];
    double most = 0;
    if (cell->capacity > 0) return (double)cell->conductivity;
    const int count = neighbours(near, b, (const int[]){i, j, k});
    for (int q = 0; q < count; ++q) most = fmax(most, (double)t->cells[near[q]].conductivity);
    return most;
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
            if (fabsf(t->node_phi[c]) > 2 * (float)g->dx) continue;
            node_corners(corner, t, c);
            const double area = area_in_cell(corner, b->dim);
            if (!(area > 0) || !is_nearest(t, i, j, k)) continue;
            const double way = fmax(mean_of(corner, 1 << b->dim), LEAST_WAY * g->dx);
            const double k_near = conductivity_near(t, i, j, k);
            t->conductance[c] = (float)(k_near * area * pow(g->dx, b->dim - 1) / way);
        }
    }
}

void heat_solid(float *conductance, float *spare, const heat_cell *cells, const heat_input *in,
                const float *node_phi, const obstacle *solids, int count, int which) {
    solid_job t = {.conductance = spare,
                   .cells = cells,
                   .in = in,
                   .node_phi = node_phi,
                   .solids = solids,
                   .count = count,
                   .which = which,
                   .range = range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), solid_task, &t);
    hand_on(conductance, spare, cells, in);
}
