/* Body forces. */
#ifndef STAGE_FORCES_H
#define STAGE_FORCES_H

#include "grid/mac.h"

/* u += a dt on every face; before = u as it was (values NULL: not wanted). a in m/s2. */
void forces_add(mac_field *u, mac_field *before, const mac_grid *g, const double a[3], double dt);
#endif
