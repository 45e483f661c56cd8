/* The compact form of a 7-point system, shared by the files poisson_*.c.
 *
 * Cells are kept in blocks of 16 along x; only blocks that hold an unknown exist. A block stores its even
 * cells, then its odd ones (8 floats each), so that one colour of a red-black sweep is whole vectors. It
 * knows its six neighbours by number; a neighbour that does not exist is the block after the last, whose
 * values are always 0. Blocks are numbered along x, then y, then z, and a block's coefficients are an entry
 * of a table where equal blocks may share one: inside the liquid, and along walls, nearly all do, and the
 * matrix costs no memory traffic there. */
#ifndef LINEAR_POISSON_LEVEL_H
#define LINEAR_POISSON_LEVEL_H

#include "linear/poisson.h"
#include "linear/vec8.h"

enum { BLOCK_CELLS = 16, BLOCK_GRAIN = 256, LEVELS_MAX = 32, EVEN = 0, ODD = 1 };
enum { X_LOW, X_HIGH, Y_LOW, Y_HIGH, Z_LOW, Z_HIGH };

/* Face coefficients of 16 cells: [EVEN] and [ODD] where both are needed. */
typedef struct block_coefs {
    vec8 x_low_even; /* low x face of the even cells, towards the odd cell before */
    vec8 x_mid;      /* between an even cell and the odd one after */
    vec8 x_high_odd; /* high x face of the odd cells */
    vec8 y_low[2], y_high[2], z_low[2], z_high[2];
    vec8 extra[2];
    vec8 inverse[2]; /* 1 / diagonal; 0 where the cell is no unknown or its row is empty */
} block_coefs;

typedef struct block {
    int32_t neighbour[6];
    int32_t coefs;  /* entry of the table */
    int32_t parent; /* ((block of the coarser level) * 2 + (1: its upper half)) * 2 + ((j + k) & 1) */
} block;

/* A buffer that only grows. */
typedef struct buffer {
    void *data;
    size_t bytes;
} buffer;

typedef struct level {
    int dim;
    int n[3];            /* cells */
    int row;             /* blocks in a full row */
    int blocks;          /* that exist */
    int entries;         /* of the coefficient table */
    block *block;        /* [blocks + 1] */
    block_coefs *coefs;  /* [entries]; 0 is the uniform block */
    uint16_t *unknowns;  /* finest level: bit i is set where cell i of the block is an unknown */
    int32_t *at;         /* place of a block in the full set: i / 16 + row * (j + n[1] * k) */
    int32_t *number;     /* block at a place, or `blocks` */
    int32_t (*child)[8]; /* blocks of the finer level: [x half + 2 dy + 4 dz] */
    vec8 *x, *b;         /* coarse levels: correction and right-hand side, [2 (blocks + 1)] */
    buffer block_memory, coefs_memory, at_memory, number_memory, child_memory, x_memory, b_memory,
        unknowns_memory;
} level;

typedef struct regions regions;
typedef struct mic mic;

int buffer_hold(buffer *b, size_t bytes); /* -1: no memory; contents are lost when it grows */
void buffer_drop(buffer *b);

INLINE int level_chunks(const level *l) {
    return block_count(l->blocks, BLOCK_GRAIN);
}
INLINE int chunk_end(const level *l, int chunk) {
    int end = (chunk + 1) * BLOCK_GRAIN;
    return end < l->blocks ? end : l->blocks;
}
INLINE int block_parity(const block *b) {
    return b->parent & 1;
}
/* Where cell `lane` of a block (0..15 along x) is stored in it. */
INLINE int lane_place(int lane) {
    return (lane & 1) * 8 + lane / 2;
}

/* poisson_level.c: the finest level from a system's fields, a coarser one by summing 2 x 2 x 2 cells. */
int level_from_system(level *fine, const box *b, pool *p, const poisson_system *system, buffer *scratch);
int level_from_finer(level *coarse, level *fine, pool *p, buffer *scratch);
void level_free(level *l);
size_t level_bytes(const level *l);

/* poisson_cycle.c: correction = M rhs by one symmetric multigrid cycle; returns correction . rhs. gamma: 1 V,
 * 2 W. */
double cycle_apply(level *levels, int count, pool *p, vec8 *correction, const vec8 *rhs, int gamma);

/* poisson_regions.c: closed regions of the finest level, and taking each one's mean off a vector. */
regions *regions_create(void);
void regions_free(regions *r);
size_t regions_bytes(const regions *r);
int regions_find(regions *r, const level *l);
int regions_closed(const regions *r);
/* Sum over the regions of |sum of v|, before anything is taken off. */
double regions_project(regions *r, const level *l, pool *p, vec8 *v);

/* poisson_mic.c: modified incomplete Cholesky without fill. */
mic *mic_create(void);
void mic_free(mic *m);
size_t mic_bytes(const mic *m);
int mic_setup(mic *m, const level *l, pool *p);
double mic_apply(mic *m, const level *l, pool *p, vec8 *correction, const vec8 *rhs);
#endif
