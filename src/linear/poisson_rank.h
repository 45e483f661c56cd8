/* What poisson_rank_setup.c makes of a term of low rank and poisson_rank.c works with. */
#ifndef LINEAR_POISSON_RANK_H
#define LINEAR_POISSON_RANK_H

#include "linear/poisson_level.h"

enum { PACK = 8, ROW = 8 }; /* entries of a pack; numbers in a row of a link, the last two 0: a vector */

/* A pair of cells. One that is no unknown lies in the block after the last, which is always 0. */
typedef struct link {
    int32_t low, high; /* places in a field of floats */
    float row[ROW];
} link;

/* Eight rows of C, each what all faces of a cell add up to, column by column. Those that fill up a group's
 * last pack repeat a place and are 0. */
typedef struct pack {
    int32_t place[PACK];
    vec8 row[POISSON_RANK];
} pack;

/* The rows of C on a level, group by group, and what the cycle remembers there. On the finest level a group's
 * last packs hold the cells that an earlier group has too: all others may be written by one thread a group.
 */
typedef struct rank_level {
    pack *packs;
    vec8 *inverse;   /* 1 / diagonal of a pack's cells; coarse levels only */
    int32_t *first;  /* [groups + 1], packs */
    int32_t *shared; /* [groups]: the first of those last packs */
    dvec8 *now;      /* C^T x before the coarse correction, a group */
    dvec8 *frozen;   /* what the right-hand side has of it */
    buffer pack_memory, inverse_memory, first_memory, product_memory;
} rank_level;

struct low_rank {
    int groups;
    int levels; /* of the cycle that have a share of the term */
    int deep;   /* levels with packs */
    rank_level level[LEVELS_MAX];
    link *links;
    int32_t *first, *last;  /* [groups]: of the links */
    double *scale;          /* [groups]: of rows on the finest level as the cycle has them; 0: it has none */
    dvec8 *product, *exact; /* [groups]: C^T p of the search direction, C^T x of the iterate */
    dvec8 *found;           /* [groups]: C^T z of what the cycle found */
    int knows_found;
    vec8 *saved; /* [packs]: the right-hand side before the term was taken off */
    buffer link_memory, group_memory, product_memory, saved_memory, raw_memory, hash_memory, count_memory,
        seen_memory;
};

/* Whether a place of a link is no unknown. */
INLINE int is_nowhere(const level *l, int32_t place) {
    return place == 8 * l->blocks;
}
#endif
