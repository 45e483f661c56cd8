/* f(i + n) = f(i) along the periodic axes of a grid.
 *
 * Axes go in turn, x first, each over the whole extent of the others: borders that an earlier axis has filled
 * are copied along with the rest, and corners come out right. Folding goes the same way: what lies on a
 * corner moves along x to a border of y, and from there to where it belongs. */
#include "grid/wrap.h"

#include <string.h>

typedef struct {
    float *floats;
    uint8_t *bytes;
    const box *b;
    int axis;
} job;

enum { ROWS = 64 }; /* a task */

static int rows_across(const box *b) {
    return (b->n[1] + 1 + 2 * GHOST) * (b->dim == 3 ? b->n[2] + 1 + 2 * GHOST : 1);
}

/* The layout's row r, at i == 0. */
static ptrdiff_t row_at(const box *b, int r) {
    const int rows = b->n[1] + 1 + 2 * GHOST;
    return box_at(b, 0, r % rows - GHOST, b->dim == 3 ? r / rows - GHOST : 0);
}

static void wrap_rows(void *context, int block) {
    const job *s = context;
    const int n = s->b->n[0], all = rows_across(s->b);
    for (int r = block * ROWS; r < all && r < (block + 1) * ROWS; ++r) {
        const ptrdiff_t row = row_at(s->b, r);
        for (int i = -GHOST; i <= n + GHOST; i = i == -1 ? n : i + 1) {
            const int from = ((i % n) + n) % n;
            if (s->floats) s->floats[row + i] = s->floats[row + from];
            else s->bytes[row + i] = s->bytes[row + from];
        }
    }
}

/* Rows (axis 1) and planes (axis 2) are contiguous, borders along x and y included. */
static void copy_layer(const job *s, int to, int from, int k) {
    const ptrdiff_t step = s->b->step[s->axis];
    const ptrdiff_t start = s->axis == 2 || s->b->dim == 2 ? 0 : (k + GHOST) * s->b->step[2];
    const ptrdiff_t a = start + (to + GHOST) * step, b = start + (from + GHOST) * step;
    if (s->floats) memcpy(s->floats + a, s->floats + b, (size_t)step * sizeof(float));
    else memcpy(s->bytes + a, s->bytes + b, (size_t)step);
}

static void wrap_layers(void *context, int plane) {
    const job *s = context;
    const int n = s->b->n[s->axis];
    for (int i = -GHOST; i <= n + GHOST; i = i == -1 ? n : i + 1)
        copy_layer(s, i, ((i % n) + n) % n, plane - GHOST);
}

static void wrap(job *s, pool *p) {
    const box *b = s->b;
    if (b->periodic[0]) parallel_for(p, block_count(rows_across(b), ROWS), wrap_rows, s);
    s->axis = 1;
    if (b->periodic[1]) parallel_for(p, b->dim == 3 ? b->n[2] + 1 + 2 * GHOST : 1, wrap_layers, s);
    s->axis = 2;
    if (b->periodic[2]) parallel_for(p, 1, wrap_layers, s);
}

void wrap_field(float *f, const mac_grid *g) {
    if (is_periodic(g)) wrap(&(job){.floats = f, .b = &g->box}, g->pool);
}

void wrap_bytes(uint8_t *f, const mac_grid *g) {
    if (is_periodic(g)) wrap(&(job){.bytes = f, .b = &g->box}, g->pool);
}

void wrap_faces(mac_field *f, const mac_grid *g) {
    for (int a = 0; a < g->box.dim; ++a) wrap_field(f->value[a], g);
}

/* Adds layer `from` to layer `to`; layers are rows or planes of the layout. */
static void add_layer(float *f, const box *b, int axis, int to, int from, int k) {
    const ptrdiff_t step = b->step[axis], start = axis == 2 || b->dim == 2 ? 0 : (k + GHOST) * b->step[2];
    float *a = f + start + (to + GHOST) * step;
    const float *c = f + start + (from + GHOST) * step;
    for (ptrdiff_t i = 0; i < step; ++i) a[i] += c[i];
}

void fold_field(float *f, const mac_grid *g) {
    const box *b = &g->box;
    const int planes = b->dim == 3 ? b->n[2] + 1 + 2 * GHOST : 1;
    for (int r = 0; b->periodic[0] && r < rows_across(b); ++r) {
        float *row = f + row_at(b, r);
        row[b->n[0] - 1] += row[-1];
        row[0] += row[b->n[0]];
    }
    for (int axis = 1; axis < b->dim; ++axis)
        for (int k = 0; b->periodic[axis] && k < (axis == 1 ? planes : 1); ++k) {
            add_layer(f, b, axis, b->n[axis] - 1, -1, k - GHOST);
            add_layer(f, b, axis, 0, b->n[axis], k - GHOST);
        }
}
