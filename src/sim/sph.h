/* Fluids of particles alone. */
#ifndef SIM_SPH_H
#define SIM_SPH_H

#include "sim/emitters.h"
#include "sim/markers.h"
#include "sim/walls.h"
#include "stage/sph/pressure.h"
#include "stage/sph/stress.h"
#include "stage/sph/tension.h"

enum {
    SPH_PRESSURE,
    SPH_PUSH,
    SPH_DENSITY,
    SPH_STRESS,
    SPH_COLUMNS = SPH_STRESS + SYM
}; /* columns of the particles */

typedef struct sph {
    markers markers;
    walls walls;
    emitters emitters;
    sph_fluid fluid;
    sph_bodies bodies;
    sph_tensions tensions;
    sph_stress stress;
    sph_law *laws;             /* of fluids; NULL: none has a memory */
    double *slips, *wets;      /* of obstacles: slip lengths in cells; how they draw (NULL: none does) */
    double tightest;           /* m3/s2: the largest surface tension by its density */
    double thickest, thinnest; /* m2/s: the largest and least viscosity by its own density */
    mac_field vel;    /* m/s, of the particles on the grid: what is drawn and measured, at frames' ends */
    double q_dt;      /* s: the step in the particles' pressure */
    double speed;     /* m/s, of the fastest */
    double stiffness; /* m/s: sqrt(p / rho) */
    double sound;     /* m/s, of an equation of state */
    double density;   /* kg/m3, that pressures and bodies are counted by */
} sph;

INLINE sph *sph_of(const rheo_sim *s) {
    return s->state;
}

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status sph_step(rheo_sim *s, double dt, rheo_report *report);
#endif
