/* Extrapolation of a sampled field into unknown territory by breadth-first layers (Sommer 2018, section on
 * extrapolation; Bridson's book): value = mean of the axis neighbours with a smaller layer number.
 *
 * Every row remembers the stretch that the previous layer reached; a layer looks only at stretches next to
 * one, so the cost follows the front and not the box. */
#include "grid/extrapolate.h"

#include <string.h>
#include "core/memory.h"
#include "grid/rows.h"

typedef struct {
    float *value, *also;
    uint8_t *layer;
    int *before, *now; /* [2 * row]: first and one past the last sample reached; empty when first >= last */
    const mac_grid *g;
    cell_range range;
    uint8_t number;
} sweep;

/* One layer of border stays outside, as its neighbours would be read out of bounds. */
static cell_range range_reachable(const mac_grid *g, int axis) {
    return range_grow(range_faces(g, axis), g, GHOST - 1);
}

static size_t rows_at_most(const mac_grid *g) {
    return (size_t)(g->box.n[1] + 1 + 2 * GHOST) * (size_t)(g->box.n[2] + 1 + 2 * GHOST);
}

size_t front_bytes(const mac_grid *g) {
    return g->box.size + 4 * rows_at_most(g) * sizeof(int);
}

int front_make(front *f, const mac_grid *g) {
    f->layer = mem_alloc(g->box.size);
    f->reach = mem_alloc(4 * rows_at_most(g) * sizeof *f->reach);
    return f->layer && f->reach ? 0 : -1;
}

void front_free(front *f) {
    mem_free(f->layer);
    mem_free(f->reach);
    *f = (front){0};
}

static int row_index(const cell_range *r, int j, int k) {
    return (j - r->lower[1]) + (r->upper[1] - r->lower[1]) * (k - r->lower[2]);
}

/* A neighbour row may be given its layer number by another thread at the same time; both the old and the new
 * value are not smaller than the number, so either will do. */
static uint8_t layer_at(const uint8_t *layer) {
    return __atomic_load_n(layer, __ATOMIC_RELAXED);
}

static void known_task(void *context, int block) {
    const sweep *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const int lower = s->range.lower[0], upper = s->range.upper[0];
        const uint8_t *row = s->layer + box_at(&s->g->box, lower, j, k),
                      *known = memchr(row, 0, (size_t)(upper - lower));
        int *reach = s->now + 2 * row_index(&s->range, j, k), last = upper;
        while (known && row[last - 1 - lower] != 0) --last;
        reach[0] = known ? lower + (int)(known - row) : upper;
        reach[1] = known ? last : lower;
    }
}

static void widen(int stretch[2], const sweep *s, int j, int k, int by) {
    const cell_range *r = &s->range;
    if (j < r->lower[1] || j >= r->upper[1] || k < r->lower[2] || k >= r->upper[2]) return;
    const int *reach = s->before + 2 * row_index(r, j, k);
    if (reach[0] >= reach[1]) return;
    if (reach[0] - by < stretch[0]) stretch[0] = reach[0] - by;
    if (reach[1] + by > stretch[1]) stretch[1] = reach[1] + by;
}

static void sweep_row(const sweep *s, int j, int k) {
    const box *b = &s->g->box;
    const cell_range *r = &s->range;
    const ptrdiff_t step[6] = {-1, 1, -b->step[1], b->step[1], -b->step[2], b->step[2]};
    int stretch[2] = {r->upper[0], r->lower[0]}, *reach = s->now + 2 * row_index(r, j, k);
    reach[0] = r->upper[0];
    reach[1] = r->lower[0];
    widen(stretch, s, j, k, 1);
    widen(stretch, s, j - 1, k, 0);
    widen(stretch, s, j + 1, k, 0);
    widen(stretch, s, j, k - 1, 0);
    widen(stretch, s, j, k + 1, 0);
    const int first = stretch[0] > r->lower[0] ? stretch[0] : r->lower[0];
    const int last = stretch[1] < r->upper[0] ? stretch[1] : r->upper[0];
    for (int i = first; i < last; ++i) {
        const ptrdiff_t at = box_at(b, i, j, k);
        if (s->layer[at] != EXTRAPOLATE_UNKNOWN) continue;
        float sum = 0, sum_also = 0;
        int count = 0;
        for (int d = 0; d < 2 * b->dim; ++d)
            if (layer_at(s->layer + at + step[d]) < s->number) {
                sum += s->value[at + step[d]];
                if (s->also) sum_also += s->also[at + step[d]];
                ++count;
            }
        if (count == 0) continue;
        s->value[at] = sum / (float)count;
        if (s->also) s->also[at] = sum_also / (float)count;
        __atomic_store_n(s->layer + at, s->number, __ATOMIC_RELAXED);
        if (i < reach[0]) reach[0] = i;
        reach[1] = i + 1;
    }
}

static void sweep_task(void *context, int block) {
    const sweep *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        sweep_row(s, j, k);
    }
}

void extrapolate(float *value, float *also, front *f, const mac_grid *g, int axis, int layers) {
    sweep s = {.value = value, .also = also, .layer = f->layer, .g = g, .range = range_reachable(g, axis)};
    s.before = f->reach;
    s.now = f->reach + 2 * rows_at_most(g);
    parallel_for(g->pool, range_blocks(&s.range), known_task, &s);
    for (int l = 1; l <= layers; ++l) {
        int *swap = s.before;
        s.before = s.now;
        s.now = swap;
        s.number = (uint8_t)l;
        parallel_for(g->pool, range_blocks(&s.range), sweep_task, &s);
    }
}
