/* Which of many boxes overlap, without asking every pair. */
#ifndef GEOM_SWEEP_H
#define GEOM_SWEEP_H

#include <stddef.h>

/* Sides may be infinite; a box with a side that is no number overlaps all. */
typedef struct sweep_box {
    double lower[3], upper[3];
} sweep_box;

typedef struct sweep {
    sweep_box *box; /* who asks fills them */
    size_t *start;  /* near[start[i]] ... near[start[i + 1] - 1]: those that box i overlaps, rising */
    int *near;
    size_t *fill;            /* how far the lists are */
    struct sweep_end *order; /* boxes by where they begin along an axis */
    int *pair;               /* two a pair, as they are found */
    int capacity;
    size_t pair_count, pair_capacity, near_capacity;
} sweep;

/* Room for `count` boxes; what the lists hold then is undefined. -1: no memory. */
int sweep_reserve(sweep *s, int count);
/* Lists of the first `count` boxes. -1: no memory. */
int sweep_overlaps(sweep *s, int count);
void sweep_free(sweep *s);
#endif
