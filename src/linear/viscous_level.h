/* The levels of a viscous system, shared by the files viscous_*.c.
 *
 * A level is a dense box around all that is liquid, with some free samples on every side, in rows along x
 * that are a whole number of vectors long. Which parts of a row hold unknowns is listed (runs, of whole
 * vectors): nothing else is visited. All samples (i, j, k) share one index as in core/box.h. Rows form slabs
 * of a few planes: slabs of one parity do not touch, so that even ones, then odd ones are smoothed at once.
 */
#ifndef LINEAR_VISCOUS_LEVEL_H
#define LINEAR_VISCOUS_LEVEL_H

#include "linear/poisson_level.h" /* vec8 */
#include "linear/viscous.h"

enum {
    VISCOUS_LEVELS = 24,
    SLAB_PLANES = 2,
    SLAB_ROWS = 8,
    COARSE_SHIFT = 1,
    SCRATCH_PAD = 48,
    LEVEL_REACH = 2
};

typedef struct run {
    int32_t from, to; /* multiples of 8 within a row */
    int32_t weighted; /* the level is, and some K that its rows read differ; else all are own[low][high] */
} run;

typedef struct viscous_level {
    int dim;
    bool crossed;  /* components feel each other */
    bool weighted; /* own[p][q], own[q][p], cross differ, and normal[] do */
    int n[3];      /* samples along an axis; n[0] without what fills the last vector up */
    int origin[3]; /* finest level: place of sample 0 in the box */
    ptrdiff_t step[3];
    size_t size;        /* of an array */
    float *diagonal[3]; /* mass, drag, and on coarse levels what solid children add */
    float *inverse[3];  /* 1 / diagonal of A; 0: no unknown */
    float *normal[3];   /* of cells */
    float *own[3][3];   /* own[c][p]: of the difference of u_c along p */
    float *cross[3];    /* by the edge's axis */
    uint8_t *fixed[3];  /* faces that are no unknowns because something moves them */
    float *x, *b, *r;   /* [dim * size]; x and b of coarse levels only */
    float *scratch; /* of a slab: a row of this level or of the finer one, and SCRATCH_PAD on both sides */
    ptrdiff_t scratch_row;
    int rows, slab_rows, slabs;
    int32_t *first; /* runs of a row: first[row] .. first[row + 1] */
    run *runs;
    int64_t unknowns;
    buffer fields, marks, vectors, row_memory, run_memory, weighted_memory;
} viscous_level;

INLINE int slab_end(const viscous_level *l, int slab) {
    const int end = (slab + 1) * l->slab_rows;
    return end < l->rows ? end : l->rows;
}
/* Waking threads costs more than a small level takes. */
INLINE pool *viscous_pool(const viscous_level *l, pool *p) {
    return l->size < 8192 ? NULL : p;
}
/* The axis beside two others. */
INLINE int third_axis(int p, int q) {
    return 3 - p - q;
}
INLINE float *slab_scratch(const viscous_level *l, int slab) {
    return l->scratch + slab * l->scratch_row + SCRATCH_PAD;
}
INLINE ptrdiff_t row_start(const viscous_level *l, int row) {
    return (ptrdiff_t)row * l->step[1];
}

/* Before a loop: what it writes is read by none of its turns. */
#ifdef __clang__
#define SEPARATE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SEPARATE _Pragma("GCC ivdep")
#endif

/* Calls F(dim, crossed, weighted) with constants. */
#define VISCOUS_DISPATCH(l, F)                                                                               \
    do {                                                                                                     \
        const int which_ = ((l)->dim == 3) * 4 + (l)->crossed * 2 + (l)->weighted;                           \
        if (which_ == 6) F(3, 1, 0);                                                                         \
        else if (which_ == 7) F(3, 1, 1);                                                                    \
        else if (which_ == 5) F(3, 0, 1);                                                                    \
        else if (which_ == 4) F(3, 0, 0);                                                                    \
        else if (which_ == 2) F(2, 1, 0);                                                                    \
        else if (which_ == 3) F(2, 1, 1);                                                                    \
        else if (which_ == 1) F(2, 0, 1);                                                                    \
        else F(2, 0, 0);                                                                                     \
    } while (0)

/* viscous_level.c: the finest level from a system, a coarser one from the finer one as it was made, before
 * its own stiffness is spread; -1: no memory. Spreading, where asked for, and what follows from it: diagonals
 * and runs. */
int viscous_level_from_system(viscous_level *l, const box *b, pool *p, const viscous_system *system);
int viscous_level_from_finer(viscous_level *coarse, const viscous_level *fine, pool *p);
int viscous_level_finish(viscous_level *l, pool *p, bool spread);
bool viscous_level_can_halve(const viscous_level *l);
void viscous_level_free(viscous_level *l);
size_t viscous_level_bytes(const viscous_level *l);

/* viscous_coarsest.c */
typedef struct viscous_direct {
    int count;
    int32_t *place; /* of an unknown in a vector */
    double *factor; /* lower triangle of L, rows of `count`; the inverse pivots on the diagonal */
    double *y;
    buffer place_memory, factor_memory, y_memory;
} viscous_direct;
enum { DIRECT_MOST = 700 };
int viscous_direct_setup(viscous_direct *d, const viscous_level *l); /* -1: no memory */
void viscous_direct_solve(viscous_direct *d, float *x, const float *b);
void viscous_direct_free(viscous_direct *d);

/* viscous_cycle.c: x = M b, one symmetric V(1,1) cycle, the last level by `last`. x must be 0 outside runs.
 */
void viscous_cycle(viscous_level *levels, int count, viscous_direct *last, pool *p, float *x, const float *b);
#endif
