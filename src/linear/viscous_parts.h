/* Rigid motions of parts of the liquid that nothing holds. */
#ifndef LINEAR_VISCOUS_PARTS_H
#define LINEAR_VISCOUS_PARTS_H

#include "linear/viscous_bodies.h"
#include "linear/viscous_level.h"

enum { PARTS_MOST = 32, PART_MODES = 6 };

typedef struct viscous_part {
    double middle[3];                       /* in samples of the level */
    double factor[PART_MODES * PART_MODES]; /* Cholesky of R^T M R */
    double c[PART_MODES];
    int64_t size; /* in pairs of samples */
} viscous_part;

typedef struct viscous_parts {
    int count;  /* that are kept: the largest */
    int found;  /* floating parts in all */
    int n[3];   /* pairs of samples */
    int8_t *of; /* part of a pair of samples along each axis, or -1 */
    viscous_part part[PARTS_MOST];
    double (*sums)[PARTS_MOST][PART_MODES]; /* of a slab */
    const viscous_level *l;
    const float *v;
    float *z;
    double *x;
    buffer pairs, list, sum_memory;
} viscous_parts;

/* held: drags hold liquid somewhere, and none is looked for. -1: no memory. */
int parts_find(viscous_parts *p, const viscous_level *l, pool *workers, bool held, const viscous_bodies *b);
void parts_free(viscous_parts *p);
/* The part that a sample belongs to, -1: none; and parts that something else holds are taken off the list. */
int parts_at(const viscous_parts *p, int i, int j, int k);
void parts_hold(viscous_parts *p, const bool held[PARTS_MOST]);
/* x += R (R^T M R)^-1 R^T r */
void parts_start(viscous_parts *p, pool *workers, double *x, const float *r);
/* z -= R (R^T M R)^-1 R^T M z */
void parts_project(viscous_parts *p, pool *workers, float *z);
#endif
