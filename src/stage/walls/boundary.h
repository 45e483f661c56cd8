/* Particles that a step carried into solids or out of the domain. */
#ifndef STAGE_WALLS_BOUNDARY_H
#define STAGE_WALLS_BOUNDARY_H

#include "grid/openings.h"
#include "particle/particles.h"

/* Of every full PARTICLE_GROUP, whether some are in or near solids or may have gone through one: in the first
 * one's byte of `near`. */
void boundary_mark(uint8_t *near, const particles *p, const mac_grid *g, const float *node_solid);

/* Moves particles out of solids along the distance's gradient, or back to where they went in if that is on
 * another side (their places before the step: particles_remember()), and holds them inside closed sides;
 * returns how many were in solids or had passed through one. Spray loses the velocity into what it hit. keep,
 * a byte a particle: 0 for those that left through an open side; marked: it comes with boundary_mark()'s
 * marks, and only particles of groups near solids were moved since. density, of cells before the step: spray
 * lands on the films on closed sides that it tells of; NULL: on the sides. */
int64_t boundary_particles(particles *p, uint8_t *keep, int marked, const mac_grid *g, const openings *o,
                           const float *node_solid, const float *density);

/* Removes those that left; returns how many. */
int64_t boundary_outflow(particles *p, const uint8_t *keep, const mac_grid *g, const openings *o);
#endif
