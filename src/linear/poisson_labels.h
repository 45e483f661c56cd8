/* Cells of a level that links join, by union-find (poisson_labels.c). */
#ifndef LINEAR_POISSON_LABELS_H
#define LINEAR_POISSON_LABELS_H

#include "linear/poisson_level.h"

/* Of a block's cells, bit i for cell i: which begin a run, having no link to the cell before; which have a
 * link to the cell below them along y and z; and which have extra. out: the first has a link out of the
 * block.
 */
typedef struct entry_links {
    uint16_t starts, y, z, extra, out;
} entry_links;

/* The units joined are runs, cells of a block linked along x. */
typedef struct labels {
    entry_links *links; /* [entries of the coefficient table] */
    int32_t *run_first; /* [blocks + 1]: the first run of a block */
    int32_t *parent;    /* [runs]; a root is its own, and the lowest run of its set */
    size_t runs;
    buffer memory[3];
} labels;

/* Joins the cells that links above `least` connect. 1: they are the same links as `like` has (may be NULL),
 * and nothing was done; -1: no memory. */
int labels_find(labels *g, const level *l, pool *p, float least, const labels *like);
void labels_free(labels *g);
size_t labels_bytes(const labels *g);

INLINE const entry_links *links_of(const labels *g, const level *l, int id) {
    return &g->links[l->block[id].coefs];
}

/* The cells of a block from the next start behind `lane` on. */
INLINE unsigned run_after(unsigned starts, int lane) {
    const unsigned later = starts & ~((2u << lane) - 1);
    return later ? ~((later & -later) - 1) : 0;
}

/* Which of a block's runs a cell is in; fast only in functions marked HOT. */
INLINE int run_of(unsigned starts, int lane) {
    return __builtin_popcount(starts & ((2u << lane) - 1)) - 1;
}

INLINE int32_t find_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The root of a cell of a block; likewise. */
INLINE int32_t label_of(labels *g, const level *l, int id, int lane) {
    const unsigned starts = links_of(g, l, id)->starts;
    return find_root(g->parent, g->run_first[id] + run_of(starts, lane));
}

/* Of all links of the finest level (poisson_regions.c). */
labels *regions_labels(regions *r);
#endif
