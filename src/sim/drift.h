/* What keeps a liquid's volume: particles are moved until they are even. */
#ifndef SIM_DRIFT_H
#define SIM_DRIFT_H

#include "sim/markers.h"
#include "sim/projection.h"

/* What carries the particles through the next step: the velocity, and a displacement that evens out their
 * density. */
poisson_result drift_correct(mac_field *carry, const mac_field *vel, const projecting *on, projection *p,
                             const markers *m, rheo_sim *s);
/* The share of the liquid in cells that are too full for it; 0 where that tells nothing. */
double drift_crowding(const projecting *on, const markers *m, const rheo_sim *s);
#endif
