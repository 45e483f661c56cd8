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
#include <string.h>
#include "geom/fractions.h"
#include "grid/rows.h"
#include "stage/heat/heat.h"

enum { ROW_MOST = 4096 };

typedef struct area_job {
    float *conductance;
    const heat_input *in;
    const float *phi;
    double exchange;
    cell_range range;
} area_job;

/* Area of the surface in a unit cell, from its corners' distances, x fastest. */
static double area_in_cell(const double corner[8], int dim) {
    double square = 0;
    int closed = 0;
    for (int q = 0; q < 1 << dim; ++q) closed += corner[q] < 0;
    if (closed == 0 || closed == 1 << dim) return 0;
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
    float *to, *given, *from;
    const float *capacity;
    const box *b;
    cell_range range;
} hand_job;

enum { NEIGHBOURS_MOST = 27 };

/* The outermost sample of a row's border, which nothing else reads, says whether there is anything in the
 * row: else nobody writes or reads the rest of it. */
INLINE float *row_mark(float *field, ptrdiff_t row) {
    return field + row - GHOST;
}

/* From a cell to those around it, itself too. */
static int neighbours(ptrdiff_t near[NEIGHBOURS_MOST], const box *b) {
    const int deep = b->dim == 3;
    int count = 0;
    for (int k = -deep; k <= deep; ++k)
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) near[count++] = i + j * b->step[1] + k * b->step[2] * deep;
    return count;
}

/* given: what cells around an empty one get for each J/K that they hold. */
static void give_task(void *context, int block) {
    const hand_job *t = context;
    ptrdiff_t near[NEIGHBOURS_MOST];
    const int count = neighbours(near, t->b), n = t->b->n[0];
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(t->b, 0, j, k);
        int any = 0;
        *row_mark(t->given, row) = 0;
        if (!(*row_mark(t->from, row) > 0)) continue;
        memset(t->given + row - 1, 0, (size_t)(n + 2) * sizeof *t->given);
        for (ptrdiff_t c = row; c < row + n; ++c) {
            float sum = 0;
            if (!(t->from[c] > 0) || t->capacity[c] > 0) continue;
            for (int q = 0; q < count; ++q) sum += t->capacity[c + near[q]];
            if (sum > 0) t->given[c] = t->from[c] / sum;
            any |= sum > 0;
        }
        *row_mark(t->given, row) = (float)any;
    }
}

/* sum: of what those around a row's cells give them. */
INLINE void sum_given(float *restrict sum, const hand_job *t, int j, int k) {
    const int deep = t->b->dim == 3, n = t->b->n[0];
    for (int z = k - deep; z <= k + deep; ++z)
        for (int y = j - 1; y <= j + 1; ++y) {
            if (y < 0 || y >= t->b->n[1] || z < 0 || z >= t->b->n[2]) continue;
            const ptrdiff_t row = box_at(t->b, 0, y, z);
            const float *restrict given = t->given + row;
            if (!(*row_mark(t->given, row) > 0)) continue;
            for (int i = 0; i < n; ++i) sum[i] += given[i - 1] + given[i] + given[i + 1];
        }
}

HOT static void take_task(void *context, int block) {
    const hand_job *t = context;
    const int n = t->b->n[0];
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(t->b, 0, j, k);
        float *restrict to = t->to + row;
        const float *restrict from = t->from + row, *restrict capacity = t->capacity + row;
        float sum[ROW_MOST];
        memset(sum, 0, (size_t)n * sizeof *sum);
        sum_given(sum, t, j, k);
        const int own = *row_mark(t->from, row) > 0;
        for (int i = 0; i < n; ++i) {
            const float all = (own ? from[i] : 0) + capacity[i] * sum[i];
            to[i] = capacity[i] > 0 ? all : 0;
        }
    }
}

/* spare[0]: what cells have; spare[1] holds what is given on. */
static void hand_on(float *to, float *const spare[2], const heat_cells *cells, const heat_input *in) {
    hand_job t = {to, spare[1], spare[0], cells->capacity, &in->g->box, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), give_task, &t);
    parallel_for(in->g->pool, range_blocks(&t.range), take_task, &t);
}

/* ---- air ---- */

/* Distances at the corners (j, k) + at of a row's cells, low ends first: means of the samples around. */
INLINE void corner_row(float *restrict to, const float *phi, const box *b, ptrdiff_t row, int n, int dim) {
    const ptrdiff_t up = b->step[1], back = dim == 3 ? b->step[2] : 0;
    const float *restrict here = phi + row, *restrict below = here - up, *restrict behind = here - back,
                          *restrict both = below - back;
    for (int i = 0; i <= n; ++i) {
        float sum = (here[i] + here[i - 1]) + (below[i] + below[i - 1]);
        if (dim == 3) sum += (behind[i] + behind[i - 1]) + (both[i] + both[i - 1]);
        to[i] = sum;
    }
}

INLINE int row_is_near(const float *phi, float reach, int n) {
    int near = 0;
    for (int i = 0; i < n; ++i) near |= fabsf(phi[i]) < reach;
    return near;
}

INLINE void air_rows(const area_job *t, int block, int dim) {
    const mac_grid *g = t->in->g;
    const box *b = &g->box;
    const int n = b->n[0], corners = 1 << dim;
    const double unit = t->exchange * pow(g->dx, dim - 1);
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        float at[4][ROW_MOST + 1];
        const int near = row_is_near(t->phi + row, (float)g->dx, n);
        *row_mark(t->conductance, row) = (float)near;
        if (!near) continue;
        memset(t->conductance + row, 0, (size_t)n * sizeof *t->conductance);
        for (int q = 0; q < corners / 2; ++q)
            corner_row(at[q], t->phi, b, row + (q & 1) * b->step[1] + (q >> 1) * b->step[2], n, dim);
        for (int i = 0; i < n; ++i) {
            double corner[8];
            if (!(fabsf(t->phi[row + i]) < (float)g->dx)) continue;
            for (int q = 0; q < corners; ++q) corner[q] = (double)at[q >> 1][i + (q & 1)];
            t->conductance[row + i] = (float)(unit * area_in_cell(corner, dim));
        }
    }
}

HOT static void air_task(void *context, int block) {
    const area_job *t = context;
    if (t->in->g->box.dim == 3) air_rows(t, block, 3);
    else air_rows(t, block, 2);
}

void heat_air(float *conductance, float *const spare[2], const heat_cells *cells, const heat_input *in,
              const float *phi, double exchange) {
    area_job t = {spare[0], in, phi, exchange, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), air_task, &t);
    hand_on(conductance, spare, cells, in);
}

/* ---- solids ---- */

#define LEAST_WAY 0.1 /* cells from a cell's middle to what it touches */
#define SKIN      1e-3 /* cells by which solids are thicker: the faces of one that fits the grid count as its */

typedef struct solid_job {
    float *conductance;
    const heat_cells *cells;
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
static double conductivity_near(const solid_job *t, ptrdiff_t c) {
    ptrdiff_t near[NEIGHBOURS_MOST];
    double most = 0;
    if (t->cells->capacity[c] > 0) return (double)t->cells->conductivity[c];
    const int count = neighbours(near, &t->in->g->box);
    for (int q = 0; q < count; ++q) most = fmax(most, (double)t->cells->conductivity[c + near[q]]);
    return most;
}

static void solid_task(void *context, int block) {
    const solid_job *t = context;
    const mac_grid *g = t->in->g;
    const box *b = &g->box;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        *row_mark(t->conductance, row) = 1;
        for (int i = 0; i < b->n[0]; ++i) {
            const ptrdiff_t c = row + i;
            double corner[8];
            t->conductance[c] = 0;
            if (fabsf(t->node_phi[c]) > 2 * (float)g->dx) continue;
            node_corners(corner, t, c);
            const double area = area_in_cell(corner, b->dim);
            if (!(area > 0) || !is_nearest(t, i, j, k)) continue;
            const double way = fmax(mean_of(corner, 1 << b->dim), LEAST_WAY * g->dx);
            const double k_near = conductivity_near(t, c);
            t->conductance[c] = (float)(k_near * area * pow(g->dx, b->dim - 1) / way);
        }
    }
}

void heat_solid(float *conductance, float *const spare[2], const heat_cells *cells, const heat_input *in,
                const float *node_phi, const obstacle *solids, int count, int which) {
    solid_job t = {.conductance = spare[0],
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
