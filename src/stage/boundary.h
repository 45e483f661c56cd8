/* Particles that a step carried into solids or out of the domain. */
#ifndef STAGE_BOUNDARY_H
#define STAGE_BOUNDARY_H

#include "grid/openings.h"
#include "particle/particles.h"

typedef struct boundary_counts {
    int64_t rescued; /* moved out of solids */
    int64_t outflow; /* left through open sides, removed */
} boundary_counts;

/* Moves particles out of solids along the distance's gradient, holds them inside closed sides, and removes
 * those that left through open ones. Spray loses the velocity into what it hit. keep: scratch, a byte a
 * particle. */
boundary_counts boundary_particles(particles *p, uint8_t *keep, const mac_grid *g, const openings *o,
                                   const float *node_solid);
#endif
