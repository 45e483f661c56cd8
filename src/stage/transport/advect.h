/* Semi-Lagrangian advection of a velocity field. */
#ifndef STAGE_TRANSPORT_ADVECT_H
#define STAGE_TRANSPORT_ADVECT_H

#include "grid/mac.h"

/* u(x) <- u(x - path through u over dt), traced with RK3. scratch: a second field. */
void advect_velocity(mac_field *u, mac_field *scratch, const mac_grid *g, double dt);
#endif
