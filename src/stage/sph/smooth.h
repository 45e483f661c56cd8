/* What neighbours have of each other's velocity. */
#ifndef STAGE_SPH_SMOOTH_H
#define STAGE_SPH_SMOOTH_H

#include "stage/sph/fluid.h"

/* Each velocity goes `share` of the way to its neighbours' mean; momentum is kept. Uses a. */
void sph_smooth(float (*v)[4], sph_fluid *f, double share);
#endif
