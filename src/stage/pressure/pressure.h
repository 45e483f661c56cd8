/* The projection: velocity made divergence-free in the liquid, walls respected, pressure zero in the air. */
#ifndef STAGE_PRESSURE_PRESSURE_H
#define STAGE_PRESSURE_PRESSURE_H

#include "grid/openings.h"
#include "linear/lcp.h"

/* Scratch fields of the solves, in the box's layout. */
typedef struct pressure_work {
    mac_field face; /* coefficients, then the correction of the volume stage */
    float *extra, *rhs;
    uint8_t *unknown;
    const float *source; /* net outflow that cells shall have [m/s, summed over faces]; NULL: none */
} pressure_work;

/* ---- the matrix (assembly.c) ---- */

/* Builds the system of the liquid cells (phi < 0 at the centre) and hands it to the solver (NULL: to none, as
 * before pressure_separate(), which sets its solver up itself). -1: no memory. */
int pressure_assemble(poisson *solver, pressure_work *work, const mac_grid *g, const openings *o,
                      const float *phi);

/* ---- the projection (projection.c) ---- */

/* u <- u - grad q with div u = 0 in liquid cells, or what work->source asks for. q = p dt / (rho dx) [m/s] is
 * the warm start and the result. Closed faces get the wall's velocity, faces in no contact with liquid 0. */
poisson_result pressure_project(mac_field *u, float *q, poisson *solver, pressure_work *work,
                                const mac_grid *g, const openings *o, const float *phi, double tolerance,
                                int max_iterations);

/* The two halves of it, between which bodies may be given the velocity that q leaves them. */
poisson_result pressure_solve(float *q, poisson *solver, pressure_work *work, const mac_grid *g,
                              const openings *o, const float *phi, const mac_field *u, double tolerance,
                              int max_iterations);
void pressure_subtract(mac_field *u, float *q, const pressure_work *work, const mac_grid *g,
                       const openings *o, const float *phi);

/* u = from - grad psi such that the net outflow of each liquid cell (sum over faces, m/s) grows by the given
 * one, from the system assembled last. psi is scratch. */
poisson_result pressure_displace(mac_field *u, const mac_field *from, float *psi, poisson *solver,
                                 const pressure_work *work, const mac_grid *g, const openings *o,
                                 const float *phi, const float *outflow, double tolerance,
                                 int max_iterations);

/* ---- liquid that leaves walls (separation.c) ---- */

/* As pressure_solve, but liquid may leave walls: q >= 0 in cells that solids or closed sides bound, and where
 * q = 0 there a void may open. `term` is that of bodies, if there are any. -1: no memory. */
int pressure_separate(lcp_result *out, float *q, lcp *walls, uint8_t *bounded, poisson *solver,
                      pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                      const mac_field *u, const poisson_term *term, double tolerance, int max_iterations);
/* Closed sides of the domain let go of the liquid in cells where a void opens: what leaves them moves as one.
 */
void pressure_release(mac_field *u, const mac_grid *g, const openings *o, const uint8_t *voids);

/* ---- what it leaves (diagnostics.c) ---- */

/* The largest |u| an axis over the faces that the projection set; +inf when one is not finite. */
void pressure_speed(double speed[3], const mac_field *u, const mac_grid *g, const openings *o,
                    const float *phi);
/* max |div u| over liquid cells, 1/s, sources (NULL: none) taken out, cells where a void opens (NULL: none)
 * left out. */
double pressure_divergence(const mac_field *u, const mac_grid *g, const openings *o, const float *phi,
                           const float *source, const uint8_t *voids);

/* ---- faces before extrapolation (known.c) ---- */

/* 0 on faces where the projection set the velocity, EXTRAPOLATE_UNKNOWN elsewhere, border included. */
void pressure_known_faces(uint8_t *layer, const mac_grid *g, const openings *o, const float *phi, int axis);
#endif
