/* What samples of a field see past walls thinner than a cell.
 *
 *   f(x) <- sum of w_i f_i / sum of w_i   over the corners i around x that are on its side of every wall
 *
 * with w_i the weights of linear interpolation: within the values that are seen, so no new extremes, and
 * nothing of what is behind a wall. First order where a corner is missing. */
#ifndef GRID_SIGHT_H
#define GRID_SIGHT_H

#include "core/hot.h"
#include "grid/mac.h"

/* A cell's sight: a bit for each of the 27 cells around, x fastest; all that it sees when none is walled off.
 */
static const uint32_t SIGHT_ALL = (1u << 27) - 1;
INLINE int sight_bit(int i, int j, int k) {
    return (i + 1) + 3 * (j + 1) + 9 * (k + 1);
}

/* Where a sample near a wall was a step ago. */
typedef struct sighted {
    ptrdiff_t sample; /* that it arrives at */
    ptrdiff_t corner; /* the lowest of those around the place where it was */
    ptrdiff_t home;   /* one on its side: for when it sees no corner */
    float f[3];       /* the place between the corners */
    uint8_t seen;     /* a bit a corner, x fastest */
} sighted;

typedef struct sight {
    sighted *list;
    size_t count, capacity;
    size_t *row, rows; /* scratch of who makes the list: where those of a row begin */
} sight;

INLINE float sight_value(const sighted *s, const box *b, const float *field) {
    float sum = 0, weights = 0;
    for (int c = 0; c < 1 << b->dim; ++c) {
        if (!(s->seen >> c & 1)) continue;
        ptrdiff_t at = s->corner;
        float w = 1;
        for (int a = 0; a < b->dim; ++a) {
            w *= c >> a & 1 ? s->f[a] : 1 - s->f[a];
            at += (c >> a & 1) * b->step[a];
        }
        sum += w * field[at];
        weights += w;
    }
    return weights > 0 ? sum / weights : field[s->home];
}
#endif
