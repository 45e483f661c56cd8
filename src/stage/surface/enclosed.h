/* How much volume the liquid takes up. */
#ifndef STAGE_SURFACE_ENCLOSED_H
#define STAGE_SURFACE_ENCLOSED_H

#include "grid/mac.h"
#include "particle/particles.h"

/* m3, from the surface's distance phi on cells [m, capped at +-dx] and the sorted particles it came from;
 * solid distances at the nodes, and thin_distance: those to solids that nodes do not show, at cell centres
 * (NULL: none), beside which `filled` says what share of cells is liquid, or -1. What is too thin for the
 * surface counts as its particles do, particle_volume [m3] each. scratch, marks: fields in the box's layout.
 */
double enclosed_volume(const mac_grid *g, const float *phi, const float *node_solid,
                       const float *thin_distance, const float *filled, const particles *p,
                       double particle_volume, float *const scratch[2], uint8_t *const marks[2]);
#endif
