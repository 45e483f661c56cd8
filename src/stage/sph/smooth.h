/* What neighbours have of each other's velocity. */
#ifndef STAGE_SPH_SMOOTH_H
#define STAGE_SPH_SMOOTH_H

#include "stage/sph/fluid.h"

/* Velocities lose `share` of what they differ by from their neighbours' in that; momentum is kept. Uses a. */
void sph_smooth(float (*v)[4], sph_fluid *f, double share);
#endif
