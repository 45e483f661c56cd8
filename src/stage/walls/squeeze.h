/* Particles in films that the grid does not see, under bodies that come to lie on something. */
#ifndef STAGE_WALLS_SQUEEZE_H
#define STAGE_WALLS_SQUEEZE_H

#include "grid/openings.h"
#include "particle/particles.h"
#include "solid/obstacle.h"
#include "stage/walls/tuning.h"

/* Moves those that are caught between a moving solid, which holds the centre of their cell, and another one
 * or a closed side less than SQUEEZE_GAP cells from it, SQUEEZE_WAY cells along the gap, away from the
 * solid's middle; returns how many. What holds particles outside solids comes after it, as after every move.
 * scratch: a byte a cell, in the box's layout. near: boundary_mark()'s marks, of which those near no solid
 * are passed over; NULL: any may be caught, as beside solids thinner than a cell, which marks do not know. */
int64_t squeeze_particles(particles *p, uint8_t *scratch, const mac_grid *g, const openings *o,
                          const obstacle *solids, int count, const uint8_t *near);
#endif
