/* What stokes*.c share: pressure's part of the system, in the rows of the viscous solver's finest level. */
#ifndef LINEAR_STOKES_INSIDE_H
#define LINEAR_STOKES_INSIDE_H

#include "linear/stokes.h"
#include "linear/viscous_inside.h"

typedef struct stokes_body {
    double before[BODY_DOF], z[BODY_DOF], w[2][BODY_DOF];
} stokes_body;

typedef struct stokes_row {
    int32_t at; /* of the cell in a level's field */
    float value[BODY_DOF];
} stokes_row;

struct stokes {
    viscous *s;
    float *open[3];                      /* 0 on faces that bodies own */
    float *inverse;                      /* 1 / S of cells; 0: no unknown */
    poisson *inertia;                    /* (G^T M^-1 G)^-1 */
    bool inert;                          /* it is part of the preconditioner */
    float *moved;                        /* what it makes of r */
    float *rhs, *r, *before, *z, *z_old; /* of cells */
    double *x, *w[2];                    /* of cells */
    double *face_w[2];                   /* of faces */
    int32_t *from, *to;                  /* of a row: where its cells are, multiples of 8 */
    int32_t *region;                     /* of cells: 1 + the closed region, 0: none */
    int regions;
    int64_t cells;
    stokes_row *row; /* of bodies: first[n] .. first[n + 1] */
    int *first;
    stokes_body *body;
    buffer inertia_memory, floats, doubles, spans, places, sums, rows, firsts, bodies;
};

/* The rows of the system that cells are, from what the viscous solver has taken in; -1: no memory. */
int stokes_cells_setup(stokes *t, const stokes_system *system);
/* stokes_inertia.c: whether inertia matters, and if so its share of the preconditioner; -1: no memory. */
int stokes_inertia_setup(stokes *t);
/* z += (G^T M^-1 G)^-1 r; returns what that adds to r . z */
double stokes_inertia_add(stokes *t, float *z, const float *r);
/* Closed regions: the mean of the residual goes from r into the right-hand side; returns what that is
 * relative to all of r there. And the mean of x is taken off. */
double stokes_cells_balance(const stokes *t);
void stokes_cells_centre(const stokes *t);
#endif
