/* Pressure of particles: what keeps them from coming closer than at rest. */
#ifndef STAGE_SPH_PRESSURE_H
#define STAGE_SPH_PRESSURE_H

#include "stage/sph/fluid.h"

/* All of these use a, mark, near, scalar and, for what walls do (divergence.h), work[0]; rate where they are
 * not given one. */

/* Velocity and spin of a body, and the momentum that belongs to them, of the first fluid's particles. */
typedef struct sph_motion {
    double u[6], j[6];
} sph_motion;

/* A rigid body that the fluid moves. */
typedef struct sph_body {
    double lightness;      /* of the particles' mass over its own, each particle as of the first fluid */
    double inverse[9];     /* likewise: that mass times the inverse inertia in world axes */
    double gain[6];        /* m/s, rad/s: what the solve has done to it */
    sph_motion x, r, p, q; /* of conjugate gradients (motion.h) */
    double share;          /* of a residual that it goes along by itself */
} sph_body;

typedef struct sph_bodies {
    sph_body *body; /* one an obstacle; lightness 0: it is not moved */
    int count;      /* 0: none is */
} sph_bodies;

typedef struct sph_solve {
    int iterations;
    double residual; /* mean, as asked */
    int converged;
} sph_solve;

/* v loses -D^T q / rho, so that no density rises above 1 in dt where it is at least `full`, and as far as it
 * may elsewhere: D v = 0 within `tolerance` (mean of |dt D v|), two-sided where density > full and, with
 * `leaves`, no wall is near. q [m/s cells] begins with its last value. rate (out): D v afterwards, m/s /
 * cell. */
sph_solve sph_project(float (*v)[4], float *q, float *rate, sph_fluid *f, sph_bodies *bodies, double dt,
                      double full, int leaves, double tolerance, int most);

/* Displacements [cells] into a, so that density + dt rate is 1 at most, within `tolerance` (mean); q
 * [cells^2] begins with its last value. Where no density is below `full`, all are held apart. */
sph_solve sph_spread(float *q, float *rate, sph_fluid *f, const float (*skin)[4], double dt, double full,
                     double tolerance, int most);

/* v, so that the displacements of q keep the angular momentum. Uses work[0]; leaves a. */
void sph_keep_turning(float (*v)[4], const float *q, sph_fluid *f);

/* Pressure of an equation of state: q = (dt / dx) (sound^2 / 7) (density^7 - 1), 0 at least, with sound in
 * m/s; v after it, and what bodies gain. */
void sph_press(float (*v)[4], float *q, sph_fluid *f, sph_bodies *bodies, double dt, double sound);
/* Pressure q [m/s cells] of one Poisson system with the density as its source, for sph_apply(). */
sph_solve sph_source(float *q, sph_fluid *f, double dt, double full, double tolerance, int most);
/* v after a pressure q, which moves it by -a, and what bodies gain from it. */
void sph_apply(float (*v)[4], const float *q, sph_fluid *f, sph_bodies *bodies);

#endif
