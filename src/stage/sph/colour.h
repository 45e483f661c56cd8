/* Surface tension from the curvature of the surface. */
#ifndef STAGE_SPH_COLOUR_H
#define STAGE_SPH_COLOUR_H

#include "stage/sph/tension.h"

/* v after dt of tension against air, of each fluid its own. Uses a and work. density: kg/m3 of the first
 * fluid. */
void sph_curve(float (*v)[4], sph_fluid *f, const uint8_t *fluid, const sph_tensions *t, double density,
               double dt);
/* Displacements [cells], less, that even particles out, along the surface where they are of it; behind them
 * whether they are. Uses both works. */
void sph_find_evening(float (*to)[4], sph_fluid *f);
#endif
