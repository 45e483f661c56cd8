/* Fluids of particles alone. */
#ifndef SIM_SPH_H
#define SIM_SPH_H

#include "sim/emitters.h"
#include "sim/markers.h"
#include "sim/walls.h"
#include "stage/sph/pressure.h"

enum { SPH_PRESSURE, SPH_PUSH, SPH_COLUMNS }; /* columns of the particles */

typedef struct sph {
    markers markers;
    walls walls;
    emitters emitters;
    sph_fluid fluid;
    sph_bodies bodies;
    mac_field vel;    /* m/s, of the particles on the grid: what is drawn and measured, at frames' ends */
    double q_dt;      /* s: the step in the particles' pressure */
    double speed;     /* m/s, of the fastest */
    double stiffness; /* m/s: sqrt(p / rho) */
    double density;   /* kg/m3, that pressures and bodies are counted by */
} sph;

INLINE sph *sph_of(const rheo_sim *s) {
    return s->state;
}

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status sph_step(rheo_sim *s, double dt, rheo_report *report);
#endif
