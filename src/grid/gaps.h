/* Gaps between a thin body and what it lies on, as cells and faces of the grid show them. */
#ifndef GRID_GAPS_H
#define GRID_GAPS_H

#include <stddef.h>
#include <stdint.h>
#include "core/hot.h"

/* What a cell has to do with such a gap (stage/walls/thin/gap.c): 0, or along which axis and which way it
 * opens, and whether the cell has turned to it. */
enum { GAP_WAY = 7, GAP_TURNED = 8 };
INLINE int gap_code(int axis, int way) {
    return 1 + 2 * axis + (way < 0);
}
INLINE int gap_axis(int code) {
    return ((code & GAP_WAY) - 1) / 2;
}
INLINE int gap_way(int code) {
    return ((code & GAP_WAY) - 1) % 2 ? -1 : 1;
}

/* In the box's layout; all NULL: none are looked for. */
typedef struct gaps {
    uint8_t *lies;  /* codes */
    uint8_t *along; /* a bit an axis: the low face leads along a gap */
    float *up; /* cells, of cells that have turned: from the centre to the body, positive along the axis */
} gaps;

/* The way up of a cell that has turned, and along which axis; 0: it has not. */
INLINE int gap_turned(int *axis, double *up, const gaps *g, ptrdiff_t c) {
    if (!g || !g->lies || !(g->lies[c] & GAP_TURNED)) return 0;
    *axis = gap_axis(g->lies[c]);
    *up = (double)g->up[c];
    return gap_way(g->lies[c]);
}

/* Whether the face below cell c across an axis leads along a gap. */
INLINE int gap_is_along(const gaps *g, ptrdiff_t c, int axis) {
    return g && g->along && g->along[c] >> axis & 1;
}
#endif
