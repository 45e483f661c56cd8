/* Body forces. */
#ifndef STAGE_TRANSPORT_FORCES_H
#define STAGE_TRANSPORT_FORCES_H

#include "grid/mac.h"

/* u += a dt on every face; before = u as it was (values NULL: not wanted). a in m/s2. */
void forces_add(mac_field *u, mac_field *before, const mac_grid *g, const double a[3], double dt);
/* u = keep u - grad d dt: the force field whose level surfaces are those of d, sampled in cells with one
 * layer beyond. d in m gives a field of 1 m/s2. */
void forces_add_field(mac_field *u, const mac_grid *g, const float *d, double keep, double dt);
#endif
