/* Implicit viscosity and pressure together on the MAC grid: the saddle point
 *
 *   [ A   G ] [u]   [ b ]     A = M + D^T K D of linear/viscous.h,
 *   [ G^T 0 ] [q] = [-g ]     (G q)_f = open_f (q_c - q_c'), c' before the face f, c after it,
 *
 * so that what flows out of each cell that is liquid, sum +-open_f u_f, is g. MINRES, preconditioned with the
 * viscous cycle and the diagonal of G^T diag(A)^-1 G. */
#ifndef LINEAR_STOKES_H
#define LINEAR_STOKES_H

#include "linear/poisson.h" /* poisson_row */
#include "linear/viscous.h"

/* Fields in the box's layout. */
typedef struct stokes_system {
    viscous_system faces;
    const float *open[3];  /* share of faces that liquid flows through; of bodies' own ones it is not read */
    const uint8_t *liquid; /* of cells. One with an open face that is no unknown and not known is air */
    const poisson_row
        *row;         /* outflow that V of a body causes: row[first[n]] .. row[first[n + 1]] of body n */
    const int *first; /* NULL: no rows */
} stokes_system;

typedef struct stokes stokes;

stokes *stokes_create(const box *b, pool *p, viscous_kind kind); /* NULL: no memory */
void stokes_free(stokes *s);
size_t stokes_bytes(const stokes *s);

/* Takes in the system (copied); several solves may follow. -1: no memory. */
int stokes_setup(stokes *s, const stokes_system *system);

/* As viscous_solve(). q: warm start in, solution out, 0 in other cells, its mean 0 over closed regions; g:
 * outflow asked for, NULL: none. The residual is that of both equations in the preconditioner's norm, an
 * energy, relative to that of the right-hand sides and of known velocities. */
viscous_result stokes_solve(stokes *s, float *const u[3], float *q, const float *const b[3], const float *g,
                            double (*V)[6], const double (*body_b)[6], double tolerance, int max_iterations);
#endif
