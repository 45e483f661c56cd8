/* Surface tension of particles. */
#ifndef STAGE_SPH_TENSION_H
#define STAGE_SPH_TENSION_H

#include "stage/sph/fluid.h"

enum { SPH_FLUIDS_MOST = 16 };

/* sigma[a][a]: of fluid a against air; sigma[a][b]: of the interface of two. N/m. */
typedef struct sph_tensions {
    int count; /* of fluids */
    double sigma[SPH_FLUIDS_MOST][SPH_FLUIDS_MOST];
} sph_tensions;

/* v after dt of cohesion. Uses a. wets: how many times as strongly as to itself each fluid is drawn to
 * solids, by their place among the obstacles (NULL: not at all). density: kg/m3 of the first fluid. */
void sph_cohere(float (*v)[4], sph_fluid *f, const uint8_t *fluid, const sph_tensions *t, const double *wets,
                double density, double dt);
#endif
