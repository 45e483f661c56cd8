/* Rigid bodies whose velocities are unknowns of a viscous solve. */
#ifndef LINEAR_VISCOUS_BODIES_H
#define LINEAR_VISCOUS_BODIES_H

#include <stddef.h>
#include "linear/viscous_level.h"

enum { BODY_DOF = 6 };

typedef struct body_face {
    int32_t at; /* in a vector */
    int32_t axis;
    float arm[3]; /* from the body's centre, in cells */
} body_face;

typedef struct body_state {
    double rest[36]; /* mass matrix less what the faces' diagonals hold of it */
    double gram[36]; /* Cholesky factor of J^T J */
    double x[BODY_DOF], r[BODY_DOF], z[BODY_DOF], search[BODY_DOF], q[BODY_DOF], rhs[BODY_DOF];
} body_state;

typedef struct viscous_bodies {
    int count;
    body_state *body;
    body_face *face;
    int32_t *first; /* faces of a body: first[n] .. first[n + 1] */
    buffer bodies, faces, firsts;
} viscous_bodies;

/* Lists the faces of bodies and makes them a stiff fluid of the body's mass on the level, which the cycle
 * works on. Before viscous_level_finish(). -1: no memory. */
int bodies_setup(viscous_bodies *b, viscous_level *l, const box *grid, const viscous_system *system);
void bodies_free(viscous_bodies *b);

/* Of all bodies: what a vector shall hold at their faces, from V at `offset` in each state. */
#define BODY_FIELD(name) offsetof(body_state, name)
void bodies_spread(const viscous_bodies *b, float *v, size_t offset);
void bodies_spread_exact(const viscous_bodies *b, double *v);
/* q = J^T v + rest search, and v = 0 there; returns search . rest search, the rest being in search . v */
double bodies_multiply(viscous_bodies *b, float *v);
/* r = rhs - J^T A x - rest x in double, and r of faces 0; returns r . (J^T J)^-1 r */
double bodies_residual(viscous_bodies *b, const viscous_level *l, const double *x, float *r);
/* r of faces = J (J^T J)^-1 r, as a right-hand side of the cycle; then z = (J^T J)^-1 J^T z of faces, which
 * become rigid, and r of faces 0; returns r . z */
void bodies_before_cycle(const viscous_bodies *b, float *r);
double bodies_after_cycle(viscous_bodies *b, float *z, float *r);
/* x += alpha search, r -= alpha q; returns r . (J^T J)^-1 r */
double bodies_descend(viscous_bodies *b, double alpha);
void bodies_direct(viscous_bodies *b, double beta); /* search = z + beta search */
#endif
