/* Graded trees around random points, for tests. */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include "core/memory.h"
#include "core/random.h"
#include "grid/tree.h"

/* A box of n cells a side whose leaves are as large as they may be but for a few random cells, which must lie
 * deeper. The map is the caller's to free. */
static uint8_t *random_tree(tree *t, int dim, int n, int levels, uint64_t seed, pool *p) {
    if (tree_make(t, dim, (int[3]){n, n, n}, levels, p)) return NULL;
    uint8_t *most = mem_alloc(t->size);
    const int marks = 1 + (int)(3 * random_unit(seed, 0, 0));
    for (size_t c = 0; c < t->size; ++c) most[c] = (uint8_t)(levels - 1);
    for (int m = 1; m <= marks; ++m) {
        int at[3] = {0, 0, 0};
        for (int a = 0; a < dim; ++a) at[a] = (int)((float)n * random_unit(seed, (uint64_t)m, (uint64_t)a));
        most[tree_at(t, at)] = (uint8_t)((float)(levels - 1) * random_unit(seed, (uint64_t)m, 3));
    }
    if (tree_build(t, most)) return NULL;
    return most;
}
#endif
