/* The memory layout of every field on a grid: a box of owned cells inside a border of GHOST cells.
 *
 * Cells, faces and nodes share one layout: the face (axis, i, j, k) is the low face of the cell (i, j, k),
 * the node (i, j, k) its low corner, so one index serves all and there is room for the last face and node. In
 * 2D there is one layer (n[2] == 1), no border in z, and z neighbours do not exist. Rows start on 32 bytes at
 * i == 0. Along a periodic axis sample n is sample 0 again, and the border repeats the other side
 * (grid/wrap.h). */
#ifndef CORE_BOX_H
#define CORE_BOX_H

#include <stddef.h>
#include <stdint.h>

enum { GHOST = 3 };

typedef struct box {
    int dim;  /* 2 or 3 */
    int n[3]; /* owned cells */
    uint8_t periodic[3];
    ptrdiff_t step[3]; /* distance to the next cell along an axis: 1, row, plane */
    ptrdiff_t first;   /* index of cell (0, 0, 0) */
    size_t size;       /* elements in a field */
} box;

box box_make(int dim, const int n[3]);

static inline ptrdiff_t box_at(const box *b, int i, int j, int k) {
    return b->first + i + j * b->step[1] + k * b->step[2];
}

/* Owned cells, and a cell's place in a dense array without borders. */
static inline size_t box_cells(const box *b) {
    return (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
}
static inline size_t box_dense(const box *b, int i, int j, int k) {
    return (size_t)i + (size_t)b->n[0] * ((size_t)j + (size_t)b->n[1] * (size_t)k);
}
#endif
