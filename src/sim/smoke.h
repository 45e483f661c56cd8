/* Smoke: gas that fills the domain and carries density and temperature. */
#ifndef SIM_SMOKE_H
#define SIM_SMOKE_H

#include "sim/liquid.h"
#include "sim/method.h"
#include "stage/smoke/smoke.h"

extern const sim_method smoke_method;

/* Beside what rheo_sim holds for every grid solver; density is rheo_sim's own. */
typedef struct smoke {
    float *temperature; /* degrees C */
    float *share;       /* of each cell outside solids */
    smoke_cover *fill, *emitter, *heat;
    shape **heat_shape;
    double most_heat; /* degrees: the largest difference from the air that the scene can make */
    double most_lift; /* the largest |rho' / rho| that the scene can make */

    /* thin walls at the start of a step, when some solid moves; else these are rheo_sim's own */
    thin_walls thin_then;
    obstacle *solids_then;

    /* scratch */
    smoke_cover covered; /* with thin walls: what of a source is on its side of them */
    sight walled;        /* samples that thin walls keep from some of what is around */
    float *first, *next[2], *second;
    void *tallies; /* of the statistics */
} smoke;

rheo_status smoke_step(rheo_sim *s, double dt, rheo_report *report);
double smoke_dt_limit(const rheo_sim *s, double time);
void smoke_measure(rheo_sim *s);
size_t smoke_tallies(const mac_grid *g); /* bytes */
size_t smoke_bytes(const rheo_sim *s);
#endif
