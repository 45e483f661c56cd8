/* What poisson_rank_setup.c makes of a term of low rank and poisson_rank.c works with. */
#ifndef LINEAR_POISSON_RANK_H
#define LINEAR_POISSON_RANK_H

#include "linear/poisson_level.h"

enum { PACK = 8 };          /* rows of a pack */
enum { COLUMNS_FEWER = 3 }; /* of groups whose other columns are 0: balls, which pressure does not turn */

/* Eight rows of C, column by column, as many as their group has. Those that fill up a run's last pack repeat
 * a place and are 0. */
typedef struct pack {
    int32_t place[PACK];
    vec8 beside; /* of the cells: 1 / diagonal; on the finest level b before the term was taken off */
    vec8 row[];
} pack;

/* The packs of a group in one chunk of a level's blocks: sweeps work chunk by chunk, and take the rows of the
 * cells that they have at hand along. */
typedef struct rank_run {
    int32_t group, columns, packs;
    int32_t at; /* of the first pack, in vectors */
} rank_run;

/* The rows of C on a level, run by run, and what the cycle remembers there. */
typedef struct rank_level {
    int chunks;
    vec8 *store; /* the packs */
    rank_run *runs;
    int32_t *chunk_run; /* [chunks + 1]: the first run of a chunk */
    dvec8 *part;        /* [runs]: of a product */
    dvec8 *now;         /* [groups]: C^T x before the coarse correction */
    dvec8 *frozen;      /* [groups]: t, what the right-hand side has of it */
    dvec8 *change;      /* [groups]: what it lacks */
    buffer store_memory, run_memory, part_memory, product_memory;
} rank_level;

struct low_rank {
    int groups;
    int levels; /* of the cycle that have a share of the term */
    int deep;   /* levels with packs */
    rank_level level[LEVELS_MAX];
    double *scale;          /* [groups]: of rows on the finest level as the cycle has them; 0: it has none */
    dvec8 *product, *exact; /* [groups]: C^T p of the search direction, C^T x of the iterate */
    dvec8 *found;           /* [groups]: C^T z of what the cycle found */
    int knows_found;
    buffer group_memory, product_memory, raw_memory, hash_memory, count_memory, tally_memory;
};

INLINE int32_t pack_vectors(int columns) {
    return (int32_t)(sizeof(pack) / sizeof(vec8)) + columns;
}
INLINE pack *pack_at(const rank_level *l, int32_t at) {
    return (pack *)(l->store + at);
}

/* The runs of a level, those of a chunk, and the packs of one. */
#define EACH_RUN(run, l)          RUNS_BETWEEN(run, l, 0, (l)->chunks)
#define CHUNK_RUNS(run, l, chunk) RUNS_BETWEEN(run, l, chunk, (chunk) + 1)
#define RUNS_BETWEEN(run, l, from, to)                                                                       \
    for (const rank_run *run = (l)->runs + (l)->chunk_run[from],                                             \
                        *run##_end = (l)->runs + (l)->chunk_run[to];                                         \
         run < run##_end; ++run)
#define EACH_PACK(k, l, run, columns)                                                                        \
    for (pack *k = pack_at(l, (run)->at),                                                                    \
              *k##_end = pack_at(l, (run)->at + (run)->packs * pack_vectors(columns));                       \
         k < k##_end; k = (pack *)((vec8 *)k + pack_vectors(columns)))

/* Which half of a block a place is in, and which block. */
INLINE int half_at(const level *l, int32_t place, int *id) {
    const int vector = place / 8, black = vector >= l->stride;
    *id = vector - (black ? l->stride : 0);
    return block_parity(&l->block[*id]) ^ black;
}

/* 1 / diagonal as the cycle has it. */
INLINE float inverse_at(const level *l, int32_t place) {
    int id;
    const int half = half_at(l, place, &id);
    const int32_t entry = l->block[id].coefs;
    return lane_value(l->brief ? &l->brief[entry].side[half].inverse : &l->coefs[entry].side[half].inverse,
                      place % 8);
}

/* poisson_rank.c: field += sign C y on the cells of a chunk of blocks, y by groups; C^T x of all groups, good
 * until the next call. */
void rank_add_multiple(const low_rank *r, int chunk, float *field, const dvec8 *y, float sign);
const dvec8 *rank_measure(low_rank *r, pool *p, const float *x);
#endif
