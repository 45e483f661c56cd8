/* Body forces. */
#ifndef STAGE_FORCES_H
#define STAGE_FORCES_H

#include "grid/mac.h"

/* u += a dt on every face; before = u as it was (values NULL: not wanted). a in m/s2. */
void forces_add(mac_field *u, mac_field *before, const mac_grid *g, const double a[3], double dt);
/* The largest |u| of any face, an axis; +inf when something is not finite. */
void forces_speed(double speed[3], const mac_field *u, const mac_grid *g);
#endif
