/* Implicit viscosity on the MAC grid: symmetric positive systems (M + D^T K D) u = b in face velocities, and
 * CG with three preconditioners for them: multigrid, the diagonal, and incomplete Cholesky.
 *
 * Energies, each sample of stress one term, d_a a difference over one cell:
 *   cells           N_a (d_a u_a)^2                                        for each axis a
 *   edges (p < q)   F (d_q u_p)^2 + 2 B (d_q u_p) (d_p u_q) + S (d_p u_q)^2
 * Where no wall cuts a difference short N_a = 2 mu dt / dx^2 V_cell and F = B = S = mu dt / dx^2 V_edge. */
#ifndef LINEAR_VISCOUS_H
#define LINEAR_VISCOUS_H

#include <stdbool.h>
#include "core/box.h"
#include "core/parallel.h"

typedef struct viscous_edge {
    const float *first;  /* F, of the component of the lower axis */
    const float *both;   /* B; NULL: components do not feel each other (`laplacian`) */
    const float *second; /* S; the same pointer three times where no wall is near: the fast way */
} viscous_edge;

/* A rigid body whose velocity V = (v, omega x one cell) is solved with the faces it owns: these move as
 * v_a + (omega x r)_a, r from `centre` in cells. 2D: v_x, v_y and the last component. */
typedef struct viscous_body {
    double mass[36];  /* of V, in the units of the masses of faces; the rows that 2D lacks are not read */
    double centre[3]; /* in cells from the low corner of cell (0, 0, 0) */
} viscous_body;

enum { VISCOUS_FREE = 0, VISCOUS_KNOWN = UINT16_MAX };

/* Fields in the box's layout, of order one. Samples are read from two before the owned ones to two after
 * them, so borders must hold 0 or what is meant. An unknown that nothing holds (mass, drag and all K around
 * it 0) is left out. */
typedef struct viscous_system {
    const float *mass[3];     /* of faces: density times liquid volume */
    const float *drag[3];     /* what else stands in the diagonal; NULL: nothing */
    const float *normal[3];   /* N_a of cells; the same pointer for all axes is the fast way */
    viscous_edge edge[3];     /* by the axis that the edges run along: the two others are p and q */
    const uint16_t *owner[3]; /* VISCOUS_FREE, VISCOUS_KNOWN, or 1 + a body; NULL: all free */
    const viscous_body *body;
    int bodies;
    const int *within; /* six: the lowest and the highest samples that are not 0; NULL: they are looked for */
} viscous_system;

typedef enum { VISCOUS_MULTIGRID, VISCOUS_JACOBI, VISCOUS_IC } viscous_kind;

typedef struct viscous_result {
    int64_t unknowns; /* free faces */
    int iterations;
    double residual; /* |b - A u| / |b - A known|, 2-norm, in double, before u is rounded */
    bool converged;
    int floating; /* connected parts that no known face, drag or body holds */
    /* Of a solve together with pressure (linear/stokes.h), 0 otherwise: */
    int64_t cells;          /* whose volume is kept */
    double outflow;         /* what is left of it, 2-norm over that of u, its unknowns and known faces */
    int closed_regions;     /* where pressure is free up to a constant */
    double incompatibility; /* what these could not swallow, relative to |outflow asked for|_1 */
} viscous_result;

typedef struct viscous viscous;

viscous *viscous_create(const box *b, pool *p, viscous_kind kind); /* NULL: no memory */
void viscous_free(viscous *s);
size_t viscous_bytes(const viscous *s);

/* Takes in the system (copied); several solves may follow. -1: no memory. */
int viscous_setup(viscous *s, const viscous_system *system);

/* u: known velocities and a warm start in, velocities out; faces that are no unknowns stay, a body's get its
 * motion. b: right-hand side of faces, M u_old. V, body_b: velocities and right-hand sides of bodies, six
 * each, or NULL. */
viscous_result viscous_solve(viscous *s, float *const u[3], const float *const b[3], double (*V)[6],
                             const double (*body_b)[6], double tolerance, int max_iterations);
#endif
