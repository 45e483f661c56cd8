/* Extrapolation of a sampled field into unknown territory by breadth-first layers.
 *
 *   value = mean of the axis neighbours with a smaller layer number
 *
 * Every row remembers the stretch that the previous layer reached; a layer looks only at stretches next to
 * one, so the cost follows the front and not the box.
 *
 * Source: Sommer 2018, extrapolation; Bridson's book.
 *
 * Limits: first order: values are constant along the way, not normal derivatives. */
#include "grid/extrapolate.h"

#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "grid/wrap.h"

enum { FIELDS_MOST = 2, BATCH = 16 };

typedef struct {
    float *field[FIELDS_MOST];
    int fields;
    const uint8_t *layer; /* after the previous sweep */
    uint8_t *next;        /* after this one; rows out of its reach hold the same in both */
    /* [2 * row], rows of the border included, which are always empty: first and one past the last sample
     * reached; the range's last and first when there is none. */
    int *before, *now;
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
    return 2 * (g->box.size + BATCH) + 4 * rows_at_most(g) * sizeof(int);
}

int front_make(front *f, const mac_grid *g) {
    f->layer = mem_alloc(g->box.size + BATCH);
    f->next = mem_alloc(g->box.size + BATCH);
    f->reach = mem_alloc(4 * rows_at_most(g) * sizeof *f->reach);
    return f->layer && f->next && f->reach ? 0 : -1;
}

void front_free(front *f) {
    mem_free(f->layer);
    mem_free(f->next);
    mem_free(f->reach);
    *f = (front){0};
}

/* Rows of a plane, one more on either side. */
INLINE int plane_rows(const cell_range *r) {
    return r->upper[1] - r->lower[1] + 2;
}

INLINE int row_index(const cell_range *r, int j, int k) {
    return (j - r->lower[1] + 1) + plane_rows(r) * (k - r->lower[2] + 1);
}

/* The stretches of known samples, and a second copy of the layers, border included. */
static void known_task(void *context, int block) {
    const sweep *s = context;
    const cell_range *r = &s->range, whole = range_grow(*r, s->g, 1);
    const int lower = r->lower[0], upper = r->upper[0];
    FOR_ROWS(&whole, block, j, k) {
        const ptrdiff_t first = box_at(&s->g->box, lower, j, k);
        const uint8_t *row = s->layer + first, *known = memchr(row, 0, (size_t)(upper - lower));
        memcpy(s->next + first - 1, row - 1, (size_t)(upper - lower + 2));
        int *reach = s->now + 2 * row_index(r, j, k), *other = s->before + 2 * row_index(r, j, k),
            last = upper;
        reach[0] = other[0] = upper;
        reach[1] = other[1] = lower;
        if (j < r->lower[1] || j >= r->upper[1] || k < r->lower[2] || k >= r->upper[2] || !known) continue;
        while (row[last - 1 - lower] != 0) --last;
        reach[0] = lower + (int)(known - row);
        reach[1] = last;
    }
}

/* What a row reached, wider by `by`; an empty one changes nothing. */
INLINE void widen(int stretch[2], const int reach[2], int by) {
    const int first = reach[0] - by, last = reach[1] + by;
    stretch[0] = first < stretch[0] ? first : stretch[0];
    stretch[1] = last > stretch[1] ? last : stretch[1];
}

/* Which of BATCH samples from `at` on this layer reaches: unknown ones beside an earlier layer. A plain loop
 * over bytes, which compilers turn into vectors; it may look at samples behind the row, whose answers nobody
 * takes, and behind the last row, where there is room for it. */
INLINE void find_reached(uint8_t reached[BATCH], const sweep *s, ptrdiff_t at, int dim) {
    const ptrdiff_t row = s->g->box.step[1], plane = s->g->box.step[2];
    const uint8_t *layer = s->layer + at, number = s->number;
    for (int i = 0; i < BATCH; ++i) {
        uint8_t least = layer[i - 1] < layer[i + 1] ? layer[i - 1] : layer[i + 1];
        least = layer[i - row] < least ? layer[i - row] : least;
        least = layer[i + row] < least ? layer[i + row] : least;
        if (dim == 3) {
            least = layer[i - plane] < least ? layer[i - plane] : least;
            least = layer[i + plane] < least ? layer[i + plane] : least;
        }
        reached[i] = (uint8_t)((layer[i] == EXTRAPOLATE_UNKNOWN) & (least < number));
    }
}

typedef struct mean {
    float sum[FIELDS_MOST];
    int count;
} mean;

INLINE void add_neighbour(mean *m, const sweep *s, ptrdiff_t from, int fields) {
    if (s->layer[from] >= s->number) return;
    m->sum[0] += s->field[0][from];
    if (fields > 1) m->sum[1] += s->field[1][from];
    ++m->count;
}

/* Written out: a loop over the neighbours of one sample is no work for vectors. */
INLINE void average_neighbours(const sweep *s, ptrdiff_t at, int dim, int fields) {
    const box *b = &s->g->box;
    mean m = {0};
    add_neighbour(&m, s, at - 1, fields);
    add_neighbour(&m, s, at + 1, fields);
    add_neighbour(&m, s, at - b->step[1], fields);
    add_neighbour(&m, s, at + b->step[1], fields);
    if (dim == 3) {
        add_neighbour(&m, s, at - b->step[2], fields);
        add_neighbour(&m, s, at + b->step[2], fields);
    }
    s->field[0][at] = m.sum[0] / (float)m.count;
    if (fields > 1) s->field[1][at] = m.sum[1] / (float)m.count;
}

/* The samples that may be reached: next to what the previous layer reached. */
INLINE void find_stretch(int stretch[2], const sweep *s, int row, int dim) {
    const cell_range *r = &s->range;
    const int *reach = s->before + 2 * row, plane = 2 * plane_rows(r);
    stretch[0] = r->upper[0];
    stretch[1] = r->lower[0];
    widen(stretch, reach, 1);
    widen(stretch, reach - 2, 0);
    widen(stretch, reach + 2, 0);
    if (dim == 3) {
        widen(stretch, reach - plane, 0);
        widen(stretch, reach + plane, 0);
    }
    if (stretch[0] < r->lower[0]) stretch[0] = r->lower[0];
    if (stretch[1] > r->upper[0]) stretch[1] = r->upper[0];
}

INLINE void sweep_row(const sweep *s, int j, int k, int dim, int fields) {
    const int index = row_index(&s->range, j, k);
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    int stretch[2], *reach = s->now + 2 * index;
    reach[0] = s->range.upper[0];
    reach[1] = s->range.lower[0];
    find_stretch(stretch, s, index, dim);
    if (stretch[0] >= stretch[1]) return;
    memcpy(s->next + row + s->range.lower[0], s->layer + row + s->range.lower[0],
           (size_t)(s->range.upper[0] - s->range.lower[0]));
    for (int begin = stretch[0]; begin < stretch[1]; begin += BATCH) {
        uint8_t reached[BATCH];
        find_reached(reached, s, row + begin, dim);
        for (int word = 0; word < BATCH; word += 8) {
            uint64_t flags;
            memcpy(&flags, reached + word, sizeof flags);
            for (; flags; flags &= flags - 1) {
                const int i = begin + word + __builtin_ctzll(flags) / 8;
                if (i >= stretch[1]) break;
                average_neighbours(s, row + i, dim, fields);
                s->next[row + i] = s->number;
                if (i < reach[0]) reach[0] = i;
                reach[1] = i + 1;
            }
        }
    }
}

HOT static void sweep_task(void *context, int block) {
    const sweep copy = *(const sweep *)context, *s = &copy; /* which the stores to fields cannot reach */
    FOR_ROWS(&s->range, block, j, k) {
        if (s->g->box.dim == 3 && s->fields > 1) sweep_row(s, j, k, 3, 2);
        else if (s->g->box.dim == 3) sweep_row(s, j, k, 3, 1);
        else sweep_row(s, j, k, 2, s->fields);
    }
}

/* Along periodic axes every layer goes on from the other side: values, layers and reaches of the border are
 * those of what it repeats. Along x a row that reached anything counts as reached everywhere. */
static void wrap_front(const sweep *s) {
    const cell_range *r = &s->range;
    const box *b = &s->g->box;
    for (int f = 0; f < s->fields; ++f) wrap_field(s->field[f], s->g);
    wrap_bytes(s->next, s->g);
    for (int k = r->lower[2]; k < r->upper[2]; ++k)
        for (int j = r->lower[1]; j < r->upper[1]; ++j) {
            int *reach = s->now + 2 * row_index(r, j, k);
            if (!b->periodic[0] || reach[0] >= reach[1]) continue;
            reach[0] = r->lower[0];
            reach[1] = r->upper[0];
        }
    for (int axis = 1; axis < b->dim; ++axis)
        for (int k = r->lower[2]; k < r->upper[2] && b->periodic[axis]; ++k)
            for (int j = r->lower[1]; j < r->upper[1]; ++j) {
                int from[3] = {0, j, k};
                from[axis] = (from[axis] + b->n[axis]) % b->n[axis];
                memmove(s->now + 2 * row_index(r, j, k), s->now + 2 * row_index(r, from[1], from[2]),
                        2 * sizeof *s->now);
            }
}

void extrapolate(float *value, int layers, float *far, int far_layers, front *f, const mac_grid *g,
                 int axis) {
    sweep s = {.g = g, .range = range_reachable(g, axis), .field = {far ? far : value, value}};
    const int most = far ? far_layers : layers;
    s.layer = f->layer;
    s.next = f->next;
    s.before = f->reach;
    s.now = f->reach + 2 * rows_at_most(g);
    const cell_range whole = range_grow(s.range, g, 1);
    wrap_bytes(f->layer, g);
    wrap_field(value, g);
    if (far) wrap_field(far, g);
    parallel_for(g->pool, range_blocks(&whole), known_task, &s);
    for (int l = 1; l <= most; ++l) {
        int *const reached = s.now;
        s.now = s.before;
        s.before = reached;
        s.number = (uint8_t)l;
        s.fields = far && l <= layers ? 2 : 1;
        parallel_for(g->pool, range_blocks(&s.range), sweep_task, &s);
        if (is_periodic(g)) wrap_front(&s);
        uint8_t *const written = s.next;
        f->next = s.next = f->layer;
        s.layer = f->layer = written;
    }
}
