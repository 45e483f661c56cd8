/* The compact form of a 7-point system, shared by the files poisson_*.c.
 *
 * Cells are kept in blocks of 16 along x; only blocks that hold an unknown exist. A block is two vectors of
 * 8, its even and its odd cells, and one of these is red (i + j + k even), the other black. A field stores
 * the red vectors of all blocks, then the black ones: a sweep over one colour touches whole vectors and
 * nothing else. A block knows its six neighbours by number; a neighbour that does not exist is the block
 * after the last, whose values are always 0. Along a periodic axis the neighbours of the last blocks are the
 * first; along x that needs a full last block, and where the cells of a row end within one, the link between
 * its last cell and the first is added to the sums by itself (the seam). Blocks are numbered along x,
 * then y, then z, and a block's coefficients are an entry of a table where equal blocks may share one: inside
 * the liquid, and along walls, nearly all do, and the matrix costs no memory traffic there. */
#ifndef LINEAR_POISSON_LEVEL_H
#define LINEAR_POISSON_LEVEL_H

#include "core/buffer.h"
#include "linear/poisson.h"
#include "linear/vec8.h"

enum {
    BLOCK_CELLS = 16,
    BLOCKS_AHEAD = 6,
    CHUNKS_WORTH_THREADS = 4,
    BLOCK_GRAIN = 64,
    LEVELS_MAX = 32,
    EVEN = 0,
    ODD = 1
};
enum { X_LOW, X_HIGH, Y_LOW, Y_HIGH, Z_LOW, Z_HIGH };

/* Coefficients of the even or the odd cells of a block: all that a sweep over one colour needs, in four cache
 * lines. */
typedef struct side_coefs {
    vec8 x_mid; /* the face between an even cell and the odd one after it */
    vec8 x_out; /* the other x face: low of the even cells, high of the odd */
    vec8 y_low, y_high, z_low, z_high;
    vec8 extra;
    vec8 inverse; /* 1 / diagonal; 0 where the cell is no unknown or its row is empty */
} side_coefs;

typedef struct block_coefs {
    side_coefs side[2]; /* EVEN, ODD */
} block_coefs;

/* What sweeps ask for of these in half the memory, two cache lines: face coefficients in pairs of 16 bits.
 * Both cells of a face have the same one, and the diagonal is the sum of those that are there: it is a matrix
 * of the same kind, whose energies are those of A within 2^-8, and as good for a preconditioner. */
typedef struct brief_side {
    bits8 x; /* x_mid, x_out */
    bits8 y; /* low, high */
    bits8 z;
    vec8 inverse;
} brief_side;

typedef struct brief_coefs {
    brief_side side[2];
} brief_coefs;

typedef struct block {
    int32_t neighbour[6];
    int32_t coefs; /* entry of the table */
    int32_t
        parent; /* block of the coarser level * 8 + 4 (in its upper half) + 2 (its parity) + 1 (own parity) */
} block;

typedef struct level {
    int dim;
    int n[3]; /* cells; even along periodic axes, or 1 */
    uint8_t periodic[3];
    int seam;            /* lane of the odd cell that ends a periodic row within a block; -1: none does */
    int row;             /* blocks in a full row */
    int blocks;          /* that exist */
    int stride;          /* blocks + 1: where the black vectors begin */
    int entries;         /* of the coefficient table */
    block *block;        /* [blocks + 1 + BLOCKS_AHEAD] */
    block_coefs *coefs;  /* [entries]; 0 is the uniform block */
    brief_coefs *brief;  /* [entries], what the cycle's passes read instead; NULL: they do not */
    uint16_t *unknowns;  /* finest level: bit i is set where cell i of the block is an unknown */
    int32_t *at;         /* place of a block in the full set: i / 16 + row * (j + n[1] * k) */
    int32_t *number;     /* block at a place, or `blocks` */
    int32_t (*child)[8]; /* blocks of the finer level: [x half + 2 dy + 4 dz] */
    vec8 *x, *b;         /* coarse levels: correction and right-hand side, [2 stride] */
    buffer block_memory, coefs_memory, brief_memory, at_memory, number_memory, child_memory, x_memory,
        b_memory, unknowns_memory;
} level;

typedef struct regions regions;
typedef struct mic mic;
typedef struct low_rank low_rank;
typedef struct coarsest coarsest;

INLINE int level_chunks(const level *l) {
    return block_count(l->blocks, BLOCK_GRAIN);
}
/* Waking threads costs more than a small level takes; who works changes nothing in the result. */
INLINE pool *level_pool(const level *l, pool *p) {
    return level_chunks(l) < CHUNKS_WORTH_THREADS ? NULL : p;
}
INLINE int chunk_end(const level *l, int chunk) {
    int end = (chunk + 1) * BLOCK_GRAIN;
    return end < l->blocks ? end : l->blocks;
}
/* (j + k) & 1 */
INLINE int block_parity(const block *b) {
    return b->parent & 1;
}
/* Where a field keeps the even or odd cells of a block. */
INLINE int spot(const level *l, int id, int half) {
    return id + (block_parity(&l->block[id]) ^ half ? l->stride : 0);
}
/* The same of one of its cells, by the floats of a field. */
INLINE int32_t lane_spot(const level *l, int id, int half, int lane) {
    return 8 * spot(l, id, half) + lane;
}
/* Calls the coefficients of a block's cells of a colour into the cache. The uniform block's are there. */
INLINE void call_coefs(const level *l, const block *k, int colour) {
    if (!k->coefs) return;
    const char *c = (const char *)&l->coefs[k->coefs].side[block_parity(k) ^ colour];
    for (int line = 0; line < 4; ++line) __builtin_prefetch(c + 64 * line);
}
INLINE void call_brief(const level *l, const block *k, int colour) {
    if (!k->coefs) return;
    const char *c = (const char *)&l->brief[k->coefs].side[block_parity(k) ^ colour];
    for (int line = 0; line < 2; ++line) __builtin_prefetch(c + 64 * line);
}
/* Those of the block a few places on: entries are long and their order has gaps, which the hardware does not
 * see through. */
INLINE void call_ahead(const level *l, int id, int colour) {
    call_coefs(l, &l->block[id + BLOCKS_AHEAD], colour);
}
/* The block across the seam from a half of a block, or -1: rows that end within a block (see above). */
INLINE int32_t across_seam(const level *l, int id, int half) {
    const int place = l->at[id] % l->row, last = l->row - 1;
    if (place != (half == EVEN ? 0 : last)) return -1;
    return l->number[l->at[id] + (half == EVEN ? last : -last)];
}
/* The lane of a half that lies at the seam. */
INLINE int seam_lane(const level *l, int half) {
    return half == EVEN ? 0 : l->seam;
}
INLINE float lane_value(const vec8 *v, int lane) {
    return ((const float *)v)[lane];
}

/* poisson_level.c: the finest level from a system's fields, a coarser one by summing 2 x 2 x 2 cells. */
int level_from_system(level *fine, const box *b, pool *p, const poisson_system *system, buffer *scratch);
int level_from_finer(level *coarse, level *fine, pool *p, buffer *scratch);
/* The cycle reads coefficients in brief until the level is made anew or forgets them; those of two dimensions
 * are few, and it never does. -1: no memory. */
int level_make_brief(level *l, pool *p);
void level_forget_brief(level *l);
void level_free(level *l);
size_t level_bytes(const level *l);

/* poisson_coarsest.c: the inverse of a level that fits, and x = A^-1 b with it. */
coarsest *coarsest_create(void);
void coarsest_free(coarsest *c);
size_t coarsest_bytes(void);
bool coarsest_fits(const level *l);
void coarsest_setup(coarsest *c, const level *l, double least); /* pivots up to `least` are left out */
void coarsest_solve(const coarsest *c, vec8 *x, const vec8 *b);
double coarsest_dot(const coarsest *c, const vec8 *x, const vec8 *b); /* x . b */

/* poisson_cycle.c: correction = M rhs by one symmetric multigrid cycle; returns correction . rhs. last: the
 * inverse of the coarsest level, or NULL where sweeps must do. gamma: 1 V, 2 W. rank: the term that levels
 * have a share of, or NULL; rhs is used meanwhile and left as it was. */
double cycle_apply(level *levels, int count, const coarsest *last, low_rank *rank, pool *p, vec8 *correction,
                   vec8 *rhs, int gamma);

/* poisson_regions.c: closed regions of the finest level, and taking each one's mean off a vector. */
regions *regions_create(void);
void regions_free(regions *r);
size_t regions_bytes(const regions *r);
int regions_find(regions *r, const level *l, pool *p);
int regions_closed(const regions *r);
/* Takes the null space off v: each region's mean, or of tied regions what is left of their constants. Returns
 * the sum over the regions of |what was taken|. */
double regions_project(regions *r, const level *l, pool *p, vec8 *v);
/* See poisson_find_apart(). */
int regions_find_apart(regions *r, const level *l, const box *b, uint8_t *mark);
/* The closed region of a cell, or -1. */
int32_t regions_at(const regions *r, const level *l, int id, int lane);
/* A term of low rank C C^T makes some of the constants matter: a body between two sealed regions feels the
 * difference of their pressures. `gram` is the matrix of C C^T on the constants of the regions listed; it is
 * used up. 0: none. At most TIES_MOST, as finding their null space takes the cube of their number. -1: no
 * memory. */
enum { TIES_MOST = 256 };
int regions_tie(regions *r, int count, const int32_t *tied, double *gram);
/* v += Z E^-1 Z^T residual over the tied constants, which no cycle sees; returns residual . what was added.
 */
double regions_lift(regions *r, const level *l, pool *p, vec8 *v, vec8 *residual);

/* poisson_mic.c: modified incomplete Cholesky without fill. */
mic *mic_create(void);
void mic_free(mic *m);
size_t mic_bytes(const mic *m);
int mic_setup(mic *m, const level *l, pool *p);
double mic_apply(mic *m, const level *l, pool *p, vec8 *correction, const vec8 *rhs);

/* poisson_rank.c: the term of low rank. Fields as one array of floats (x: of doubles). */
low_rank *rank_create(void);
void rank_free(low_rank *r);
size_t rank_bytes(const low_rank *r);
int rank_groups(const low_rank *r); /* NULL: none */
/* levels: of the cycle, which has `count`; fewer than two have no share of the term. -1: no memory. */
int rank_attach(low_rank *r, const level *levels, int count, const box *b, pool *p, const poisson_row *rows,
                const int *first, int groups);
/* Tells the regions which of their constants the term ties. -1: no memory. */
int rank_tie(low_rank *r, regions *g, const level *l);
/* C^T p is made ready for rank_add_product(), p = z + beta the direction of the last call, z as the cycle
 * left it unless that was forgotten; returns p . C C^T p. */
double rank_turn(low_rank *r, pool *p, const float *search, double beta);
void rank_forget_found(low_rank *r); /* z was changed */
/* C^T x for rank_take_exact(). */
void rank_exact(low_rank *r, pool *p, const double *x);
/* Calls the rows of a chunk into the cache, for tasks whose own work comes first. */
void rank_call_ahead(const low_rank *r, int depth, int chunk);
/* What tasks do beside their own work on the cells of a chunk of blocks: q += C C^T p; residual -= C C^T x,
 * in double with what rounding took off the residual before in `low`, in float without.
 */
void rank_add_product(const low_rank *r, int chunk, float *q);
void rank_take_exact(const low_rank *r, int chunk, float *residual, float *low);
/* The term on the levels of the cycle. A level's right-hand side b is B - C t, t held still; B is the true
 * one, which rank_finish() puts back on the finest level. */
int rank_levels(const low_rank *r);      /* that have a share of it; NULL: none */
int rank_forget_levels(low_rank *r);     /* returns whether there were any */
void rank_begin(low_rank *r, int depth); /* t = 0 */
/* Chunk by chunk, each of which touches its own cells only: C^T x is noted after the sweeps before the coarse
 * solve and after the last of all, t is taken off b before the sweeps after it, and the right-hand side of a
 * coarse level gets what t lacks when it is made, red cells b / d anew. rank_finish(): the last on the finest
 * level. */
void rank_note(low_rank *r, int depth, int chunk, const float *x);
void rank_take(low_rank *r, int depth, int chunk, float *b);
void rank_push(const low_rank *r, int depth, int chunk, const level *on);
void rank_finish(low_rank *r, int chunk, const float *x, float *b);
/* Before the coarse solve: what t lacks of C^T x as noted. */
void rank_descend(low_rank *r, int depth);
/* After it: t = C^T (x + over * what was noted on the coarse level). */
void rank_ascend(low_rank *r, int depth, double over);
/* Returns x . (B - b), to be added to x . b. */
double rank_end(low_rank *r);
#endif
