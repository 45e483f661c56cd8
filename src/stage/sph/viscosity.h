/* Viscosity between particles, implicit. */
#ifndef STAGE_SPH_VISCOSITY_H
#define STAGE_SPH_VISCOSITY_H

#include "stage/sph/pressure.h"

/* Slip lengths in cells: how much farther away walls count as being. 0: liquid sticks; SPH_SLIPS and more: it
 * slides. */
typedef struct sph_sticking {
    double sides;
    const double *solids; /* by their place among the obstacles */
} sph_sticking;
#define SPH_SLIPS 1e6

/* v after dt of viscosity, nu [m2/s, of each particle, in terms of the first fluid's density], to a residual
 * of `tolerance` beside the change; bodies gain what walls of theirs take (NULL: none do). work: 3 arrays
 * like v. */
sph_solve sph_viscosity(float (*v)[4], float (*const work[3])[4], const float *nu, sph_fluid *f,
                        const sph_sticking *sticking, sph_bodies *bodies, double dt, double tolerance,
                        int most);
#endif
