/* Free fall to second order in the step. */
#ifndef STAGE_TRANSPORT_FALL_H
#define STAGE_TRANSPORT_FALL_H

#include "grid/openings.h"
#include "linear/poisson.h"

/* carry += by on the faces of liquid that touches nothing: by is what gravity adds to the velocity in half of
 * the step to come. The solver must hold the system of `o`, whose cells `unknown` tells; mark is scratch in
 * the box's layout. -1: no memory. */
int fall_freely(mac_field *carry, uint8_t *mark, const mac_grid *g, const openings *o, poisson *solver,
                const uint8_t *unknown, const double by[3]);
#endif
