/* Between particles and grid: PIC, FLIP (Zhu and Bridson 2005), APIC (Jiang et al. 2015), with trilinear
 * weights. */
#ifndef PARTICLE_TRANSFER_H
#define PARTICLE_TRANSFER_H

#include "particle/particles.h"

/* Velocity and total weight on every face, from sorted particles. weight = sum of trilinear weights (8 a full
 * cell in 3D, 4 in 2D); velocity = weighted mean, 0 where weight is 0. With affine, extra[] columns 0.. hold
 * the rows of the velocity gradient, d u_axis / d x_b at extra[axis * dim + b] in 1/s. Every face that a
 * particle reaches is written, border included; all others of the whole box (owned + border) are set to 0.
 * Deterministic: no atomics. */
void particles_to_grid(mac_field *u, mac_field *weight, const mac_grid *g, const particles *p, int affine);

/* v = mean of u (PIC), or flip * (v + mean of (u - before)) + (1 - flip) * mean of u. Particles with spray ==
 * 1 keep v and get `kick` [m/s] added instead. Affine: v is the mean, and `flip` the share of its gradient
 * that the extra columns keep (1: APIC; 0: PIC). */
void particles_from_grid(particles *p, const mac_grid *g, const mac_field *u, const mac_field *before,
                         double flip, int affine, const double kick[3]);

/* v = mean of u + kept (v - mean of u), but for spray: by_fluid[] or, where it is not NULL, by_particle[]. */
void particles_calm(particles *p, const mac_grid *g, const mac_field *u, const double *by_fluid,
                    const float *by_particle);

/* Third-order Runge-Kutta (Ralston) through u; spray particles move by their own v and fall. Positions may
 * leave the box afterwards: they are clamped to GHOST - 1 cells outside of it, for the boundary stage to deal
 * with. A NaN ends at the low side. gravity in m/s2, dt in s. */
void particles_advect(particles *p, const mac_grid *g, const mac_field *u, const double gravity[3],
                      double dt);
/* The sum of a field on the faces across an axis over all particles but spray, each where it is. */
double particles_sum(const particles *p, const mac_grid *g, const float *face, int axis);
#endif
