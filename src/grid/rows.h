/* Loops over a box by rows: the unit of work of every stage. A range of cells is cut into blocks of whole
 * planes' rows, independent of the thread count. */
#ifndef GRID_ROWS_H
#define GRID_ROWS_H

#include <math.h>
#include "core/hot.h"
#include "grid/mac.h"

enum { ROWS_PER_BLOCK = 64 };

/* Half-open ranges of cells (or faces, or nodes). */
typedef struct cell_range {
    int lower[3], upper[3];
} cell_range;

static inline cell_range range_cells(const mac_grid *g) {
    return (cell_range){{0, 0, 0}, {g->box.n[0], g->box.n[1], g->box.n[2]}};
}

/* Owned faces across an axis: one layer more than cells. */
static inline cell_range range_faces(const mac_grid *g, int axis) {
    cell_range r = range_cells(g);
    r.upper[axis] += 1;
    return r;
}

static inline cell_range range_nodes(const mac_grid *g) {
    cell_range r = range_cells(g);
    for (int a = 0; a < g->box.dim; ++a) r.upper[a] += 1;
    return r;
}

/* Wider by `layers` cells on all sides (not in z in 2D). */
static inline cell_range range_grow(cell_range r, const mac_grid *g, int layers) {
    for (int a = 0; a < g->box.dim; ++a) {
        r.lower[a] -= layers;
        r.upper[a] += layers;
    }
    return r;
}

/* What of a range lies within a cell of the ball around `centre` (m). */
static inline cell_range range_in_ball(cell_range r, const mac_grid *g, const double centre[3],
                                       double radius) {
    for (int a = 0; a < g->box.dim; ++a) {
        const double at = (centre[a] - g->origin[a]) / g->dx, reach = radius / g->dx + 1;
        const double low = floor(at - reach), high = ceil(at + reach) + 1;
        if (low > r.lower[a]) r.lower[a] = low < r.upper[a] ? (int)low : r.upper[a];
        if (high < r.upper[a]) r.upper[a] = high > r.lower[a] ? (int)high : r.lower[a];
    }
    return r;
}

/* floor() where a library call would take longer than the rest; within a million cells of the domain. */
static inline int row_floor(double x) {
    enum { MANY = 1 << 20 };
    return (int)(x + MANY) - MANY;
}

/* What of a row of a range lies within `reach` of `middle`, both in cells, taking the centres of faces across
 * an axis. */
static inline void row_in_ball(int from_to[2], const cell_range *r, int dim, int axis, int j, int k,
                               const double middle[3], double reach) {
    const double y = j + (axis != 1) * 0.5 - middle[1], z = k + (axis != 2) * 0.5 - middle[2];
    const double left = reach * reach - y * y - (dim == 3 ? z * z : 0);
    from_to[0] = r->lower[0];
    from_to[1] = left > 0 ? r->upper[0] : r->lower[0];
    if (!(left > 0 && left < 1e10)) return;
    const double half = sqrt(left), x = middle[0] - (axis != 0) * 0.5;
    const int low = row_floor(x - half), high = row_floor(x + half) + 1;
    if (low > from_to[0]) from_to[0] = low < from_to[1] ? low : from_to[1];
    if (high < from_to[1]) from_to[1] = high > from_to[0] ? high : from_to[0];
}

/* Owned faces across an axis but for the domain's own sides. */
static inline cell_range range_inner_faces(const mac_grid *g, int axis) {
    cell_range r = range_faces(g, axis);
    r.lower[axis] += 1;
    r.upper[axis] -= 1;
    return r;
}

static inline int range_rows(const cell_range *r) {
    return (r->upper[1] - r->lower[1]) * (r->upper[2] - r->lower[2]);
}

static inline int range_blocks(const cell_range *r) {
    return block_count(range_rows(r), ROWS_PER_BLOCK);
}

/* Whether any of n samples is liquid: most rows of a box are not, and stages pass over them. */
INLINE int row_is_wet(const float *phi, int n) {
    int wet = 0;
    for (int i = 0; i < n; ++i) wet |= phi[i] < 0;
    return wet;
}

/* for each row (j, k) of block b of range r */
#define FOR_ROWS(r, b, j, k)                                                                                 \
    for (int row_ = (b)*ROWS_PER_BLOCK,                                                                      \
             end_ = row_ + ROWS_PER_BLOCK < range_rows(r) ? row_ + ROWS_PER_BLOCK : range_rows(r),           \
             ny_ = (r)->upper[1] - (r)->lower[1], j = 0, k = 0;                                              \
         row_ < end_ && (j = (r)->lower[1] + row_ % ny_, k = (r)->lower[2] + row_ / ny_, 1); ++row_)
#endif
