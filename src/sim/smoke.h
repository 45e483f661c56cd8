/* Smoke: gas that fills the domain and carries density and temperature. */
#ifndef SIM_SMOKE_H
#define SIM_SMOKE_H

#include "grid/sight.h"
#include "sim/projection.h"
#include "sim/walls.h"
#include "stage/smoke/smoke.h"

typedef struct smoke {
    walls walls;
    projection projection;
    mac_field vel;      /* m/s, extended into solids */
    float *density;     /* of the smoke; 1: as thick as it comes */
    float *temperature; /* degrees C */
    float *share;       /* of each cell outside solids */
    float *phi;         /* m, < 0 in the domain, as the projection wants it */
    float *next[2];     /* the next density and temperature, which change places with them */
    mac_field next_vel; /* likewise */

    smoke_cover *fill, *emitter, *heat;
    shape **heat_shape;
    double most_heat; /* degrees: the largest difference from the air that the scene can make */
    double most_lift; /* the largest |rho' / rho| that the scene can make */

    /* thin walls at the start of a step, when some solid moves; else these are the walls' own */
    thin_walls thin_then;
    obstacle *solids_then;

    smoke_cover covered; /* scratch: with thin walls what of a source is on its side of them */
    sight walled;        /* scratch: samples that thin walls keep from some of what is around */
    void *tallies;       /* scratch of the statistics */
} smoke;

INLINE smoke *smoke_of(const rheo_sim *s) {
    return s->state;
}

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status smoke_step(rheo_sim *s, double dt, rheo_report *report);
/* sim/smoke_measure.c */
void smoke_measure(rheo_sim *s);
size_t smoke_tallies(const mac_grid *g); /* bytes */
#endif
