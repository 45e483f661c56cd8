/* Extrapolation of a sampled field into unknown territory by breadth-first layers (Sommer 2018, section on
 * extrapolation; Bridson's book): value = mean of the axis neighbours with a smaller layer number.
 *
 * A block of rows whose surroundings hold nothing of the previous layer is skipped, so the cost follows the
 * front and not the box. */
#include "grid/extrapolate.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"

typedef struct {
    float *value;
    uint8_t *layer;
    const uint8_t *reached;
    const mac_grid *g;
    cell_range range;
    uint8_t now;
} sweep;

/* One layer of border stays outside, as its neighbours would be read out of bounds. */
static cell_range range_reachable(const mac_grid *g, int axis) {
    return range_grow(axis < 0 ? range_cells(g) : range_faces(g, axis), g, GHOST - 1);
}

/* Does any of n bytes equal `byte`? */
static int row_has(const uint8_t *row, int n, uint8_t byte) {
    return memchr(row, byte, (size_t)n) != NULL;
}

INLINE void sweep_row(const sweep *s, int j, int k, int dim) {
    const box *b = &s->g->box;
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    const ptrdiff_t sy = b->step[1], sz = b->step[2];
    const ptrdiff_t at = box_at(b, lower, j, k);
    const uint8_t before = (uint8_t)(s->now - 1);
    uint8_t *layer = s->layer + at;
    float *value = s->value + at;
    if (!row_has(layer - 1, n + 2, before) && !row_has(layer - sy, n, before) &&
        !row_has(layer + sy, n, before) &&
        (dim == 2 || (!row_has(layer - sz, n, before) && !row_has(layer + sz, n, before))))
        return;
    const ptrdiff_t step[6] = {-1, 1, -sy, sy, -sz, sz};
    for (int i = 0; i < n; ++i) {
        if (layer[i] != EXTRAPOLATE_UNKNOWN) continue;
        float sum = 0;
        int count = 0;
        for (int d = 0; d < 2 * dim; ++d)
            if (layer[i + step[d]] < s->now) {
                sum += value[i + step[d]];
                ++count;
            }
        if (count) {
            value[i] = sum / (float)count;
            layer[i] = s->now;
        }
    }
}

static void sweep_block(void *context, int block) {
    const sweep *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        if (s->g->box.dim == 3) sweep_row(s, j, k, 3);
        else sweep_row(s, j, k, 2);
    }
}

static void clear_block(void *context, int block) {
    const sweep *s = context;
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t at = box_at(&s->g->box, lower, j, k);
        for (int i = 0; i < n; ++i)
            if (s->reached[at + i] == EXTRAPOLATE_UNKNOWN) s->value[at + i] = 0;
    }
}

void extrapolate(float *value, uint8_t *layer, const mac_grid *g, int axis, int layers) {
    sweep s = {.value = value, .layer = layer, .g = g, .range = range_reachable(g, axis)};
    for (int l = 1; l <= layers; ++l) {
        s.now = (uint8_t)l;
        parallel_for(g->pool, range_blocks(&s.range), sweep_block, &s);
    }
}

void extrapolate_clear(float *value, const uint8_t *layer, const mac_grid *g, int axis) {
    sweep s = {.value = value, .reached = layer, .g = g, .range = range_reachable(g, axis)};
    parallel_for(g->pool, range_blocks(&s.range), clear_block, &s);
}
