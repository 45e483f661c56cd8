/* A viscous solver from the inside, for viscous.c and for stokes*.c, which adds pressure to it. */
#ifndef LINEAR_VISCOUS_INSIDE_H
#define LINEAR_VISCOUS_INSIDE_H

#include "linear/viscous_bodies.h"
#include "linear/viscous_level.h"
#include "linear/viscous_parts.h"

struct viscous {
    box b;
    pool *p;
    viscous_kind kind;
    int count; /* levels; 0: nothing is set up */
    viscous_level levels[VISCOUS_LEVELS];
    viscous_direct direct;
    viscous_bodies bodies;
    viscous_parts parts;
    float *rhs, *r, *z, *search, *q; /* [dim * size] of the finest level */
    double *x, *row;                 /* row: a row a slab */
    buffer vectors, doubles;
};

INLINE size_t vector_guard(const viscous_level *l) {
    return ((size_t)(l->step[1] + (l->dim == 3 ? l->step[2] : 0)) + 31) / 16 * 16;
}

INLINE pool *workers(const viscous *s) {
    return viscous_pool(&s->levels[0], s->p);
}

/* For each run of a slab and component: `at` is where its row begins in a vector. */
#define FOR_RUNS(l, slab, c, at, from, to)                                                                   \
    for (int row_ = (slab) * (l)->slab_rows; row_ < slab_end(l, slab); ++row_)                               \
        for (int n_ = (l)->first[row_]; n_ < (l)->first[row_ + 1]; ++n_)                                     \
            for (int c = 0, from = (l)->runs[n_].from, to = (l)->runs[n_].to; c < (l)->dim; ++c)             \
                for (ptrdiff_t at = (ptrdiff_t)((size_t)c * (l)->size) + row_start(l, row_), once_ = 1;      \
                     once_; once_ = 0)

INLINE vec8 load8(const float *from) {
    return *(const vec8 *)from;
}

/* Right-hand sides and known velocities; the iterate is 0 elsewhere. Then the warm start at the unknowns, and
 * in the end the iterate into fields. */
void viscous_load(viscous *s, float *const u[3], const float *const rhs[3], const double (*body_b)[6]);
void viscous_start(viscous *s, float *const u[3], double (*V)[6]);
void viscous_store(viscous *s, float *const u[3], double (*V)[6]);
/* z = M r; returns r . z */
double viscous_precondition(viscous *s, viscous_kind by);
/* What can be said before a solve. */
viscous_result viscous_empty_result(const viscous *s);
#endif
