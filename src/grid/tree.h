/* Graded quadtrees and octrees over a box of cells, as flat arrays.
 *
 * Leaves are cubes of 1, 2, 4, ... cells a side, aligned to their size. Two leaves that touch, be it at a
 * corner, differ by at most one level. A face belongs to the larger one of its two leaves, where one side is
 * refined, and is one face whatever touches it from the other side. */
#ifndef GRID_TREE_H
#define GRID_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/buffer.h"
#include "core/parallel.h"

/* Most sizes of leaves; and cells that lie beside two sides of a box, where a tree under a grid is finest. */
enum { TREE_LEVELS_MAX = 10, TREE_MARGIN = 4 };

typedef struct tree_leaf {
    int32_t at[3], size; /* the low corner and the side, in cells */
} tree_leaf;

typedef struct tree_face {
    int32_t at[3], size; /* the low corner in the grid's planes, and the side */
    int32_t axis;
} tree_face;

/* Maps hold a value a cell, face or node of the grid, dense, with one layer more than cells along each axis;
 * tree_at() is a place in them. */
typedef struct tree {
    int dim, n[3], levels;
    ptrdiff_t step[3];
    size_t size; /* of a map */
    pool *pool;
    int leaves, faces;
    tree_leaf *leaf;
    tree_face *face;
    uint8_t *level;      /* map: the level of the leaf that holds a cell */
    int32_t *leaf_of;    /* map: that leaf */
    int32_t *face_of[3]; /* map: the face that a face of the grid lies in; -1: it lies within a leaf */
    uint8_t *block[TREE_LEVELS_MAX];
    int *count; /* of a row or a block of leaves */
    buffer map_memory, block_memory, leaf_memory, face_memory, count_memory;
} tree;

static inline ptrdiff_t tree_at(const tree *t, const int at[3]) {
    return at[0] + at[1] * t->step[1] + at[2] * t->step[2];
}

/* A box of n cells, at most `levels` sizes of leaves. Holds nothing yet; -1: no memory. */
int tree_make(tree *t, int dim, const int n[3], int levels, pool *p);
void tree_free(tree *t);
size_t tree_bytes(const tree *t);

/* The coarsest graded tree in which no cell lies in a leaf above the level that `most`, a map, has for it.
 * Leaves do not cross the box's sides. In row order; the same for any number of threads. -1: no memory. */
int tree_build(tree *t, const uint8_t *most);

/* The leaves around an edge that runs along axis e from node `at` on: bit 0 of the index is the upper side
 * along the lower one of the other two axes, bit 1 along the other; -1: outside. Returns the length of the
 * edge: the smallest leaf's side if one of its edges begins there, 0 if none does. In 2D e is 2. */
int tree_edge(int around[4], const tree *t, int e, const int at[3]);
#endif
