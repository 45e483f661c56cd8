/* Keeps the particles' density at one by moving them, without touching their velocity. */
#ifndef STAGE_VOLUME_VOLUME_H
#define STAGE_VOLUME_VOLUME_H

#include "grid/openings.h"
#include "particle/particles.h"

/* The net outflow [m/s, summed over a cell's faces] that brings the density of cells inside the liquid back
 * towards 1 within dt; 0 elsewhere. depth: scratch bytes in the box's layout. voids: cells where liquid
 * leaves a wall, which are thin for a reason (NULL: none). moving: solids may move, or the grid alone carries
 * the velocity, so that markers need not be even. */
void volume_outflow(float *outflow, uint8_t *depth, const mac_grid *g, const openings *o,
                    const float *density, const float *phi, const uint8_t *voids, int moving, double dt);
/* Limits that outflow to what the flow of a cell does to it: the fastest of its faces [m/s]. */
void volume_limit_by_flow(float *outflow, const mac_grid *g, const mac_field *u, const float *phi);
/* m3 that cells hold although they are full by far. */
double volume_crowding(const mac_grid *g, const openings *o, const float *density);
#endif
