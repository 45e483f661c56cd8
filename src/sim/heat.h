/* What makes liquid warm and cold: cells that heat moves between, what holds or gives it. */
#ifndef SIM_HEAT_H
#define SIM_HEAT_H

#include "sim/markers.h"
#include "stage/heat/heat.h"

typedef struct heat {
    int on;           /* 0: nothing below is there, and nothing acts */
    int upwind;       /* particles have the temperature of their cell */
    heat_cells cells; /* of a step */
    float *change, *block;
    shape **source; /* of heat.sources */
    int turn;       /* of the axes' order, 0 or 1 */
    double given;   /* J, by sources of power since the start */
    double missed;  /* J, that found no liquid */
} heat;

void heat_list(heat *h, rheo_sim *s);
/* What is no field. */
rheo_status heat_make(heat *h, rheo_sim *s, const rheo_scene *scene, rheo_report *report);
void heat_free(heat *h, const rheo_sim *s);
size_t heat_bytes(const heat *h, const rheo_sim *s);

/* Sources, conduction and exchange over the step: temperatures of particles, which are sorted. */
void heat_step(heat *h, markers *m, const walls *w, rheo_sim *s, double dt);
/* Temperatures of cells as particles now have them, for heat_probe(). */
void heat_look(heat *h, markers *m, const walls *w, rheo_sim *s);
double heat_probe(const heat *h, const rheo_sim *s, const float x[3]); /* degrees C, at x in cells */
void heat_paint(rheo_mesh *mesh, const heat *h, const rheo_sim *s);    /* likewise of vertices */
void heat_measure(heat *h, markers *m, const walls *w, rheo_sim *s);
#endif
