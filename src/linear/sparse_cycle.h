/* A multigrid cycle on sparse symmetric matrices with given interpolations. */
#ifndef LINEAR_SPARSE_CYCLE_H
#define LINEAR_SPARSE_CYCLE_H

#include "linear/sparse.h"

enum { SPARSE_LEVELS = 24 };

typedef struct sparse_level {
    const sparse *a;
    sparse own; /* A of coarser levels */
    int unknowns;
    float *value;   /* A's entries */
    float *inverse; /* 1 / A_ii; 0: left out */
    float *x, *b;
    buffer memory, value_memory;
} sparse_level;

typedef struct sparse_cycle {
    int count;
    sparse_level level[SPARSE_LEVELS];
    const sparse *P;
    double *factor, *y; /* of the last level: L, rows of `dense`; 0: its pivot is left out */
    int dense;
    sparse down, half; /* P^T and A P, while a level is made */
    buffer spare, factor_memory;
} sparse_cycle;

void sparse_cycle_free(sparse_cycle *c);
size_t sparse_cycle_bytes(const sparse_cycle *c);
/* -1: no memory */
int sparse_cycle_setup(sparse_cycle *c, const sparse *a, const sparse_ladder *ladder, pool *p);
/* z = M r: one symmetric V(1,1). */
void sparse_cycle_apply(sparse_cycle *c, double *z, const double *r);
#endif
