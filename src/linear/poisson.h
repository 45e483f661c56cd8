/* Symmetric 7-point (5 in 2D) systems on a box, A x = b with
 *   (A x)_c = sum over faces a_f (x_c - x_neighbour) + extra_c x_c,
 * and two solvers for them: CG preconditioned by multigrid, and by modified incomplete Cholesky. */
#ifndef LINEAR_POISSON_H
#define LINEAR_POISSON_H

#include <stdbool.h>
#include "core/box.h"
#include "core/parallel.h"
#include <rheo/status.h>

/* Fields in the box's layout. A face coefficient between two cells that are not both unknowns must be 0 (put
 * what it does into extra). Coefficients are >= 0, of order one. */
typedef struct poisson_system {
    const float *face[3];   /* a_f of the low face across an axis; face[2] is NULL in 2D */
    const float *extra;     /* Dirichlet share of the diagonal: air and open walls */
    const uint8_t *unknown; /* 1: the cell is an unknown */
} poisson_system;

typedef enum { POISSON_MULTIGRID, POISSON_MIC } poisson_kind;

typedef struct poisson_result {
    int64_t unknowns;
    int iterations;
    double residual; /* |b - A x| / |b|, 2-norm, recomputed at the end */
    bool converged;
    int closed_regions; /* connected regions with no extra anywhere: singular, solved up to a constant */
    double
        incompatibility; /* |sum of b| over closed regions, what had to be projected out, relative to |b|_1 */
} poisson_result;

typedef struct poisson poisson;

poisson *poisson_create(const box *b, pool *p, poisson_kind kind); /* NULL: no memory */
void poisson_free(poisson *s);
size_t poisson_bytes(const poisson *s);

/* Takes in the system (copied in compact form); several solves may follow. -1: no memory. */
int poisson_setup(poisson *s, const poisson_system *system);
/* x: warm start in, solution out, 0 outside the unknowns. The mean over each closed region is 0. */
poisson_result poisson_solve(poisson *s, float *x, const float *b, double tolerance, int max_iterations);
#endif
