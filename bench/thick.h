/* Runs of viscous scenes that are written as text, and their velocity beside an exact one. */
#ifndef BENCH_THICK_H
#define BENCH_THICK_H

#include "rows.h"
#include "sim/liquid.h"

typedef struct thick {
    rheo_scene *scene;
    rheo_sim *s;
} thick;

/* Models that the cases run with: solver.viscosity, the first `count` of the list. */
typedef struct thick_models {
    const char *const *names;
    int count;
} thick_models;
thick_models thick_coupled(void); /* with the whole stress */

/* The text is a scene file's. */
rheo_status thick_open(thick *t, rows *out, const char *format, ...) __attribute__((format(printf, 3, 4)));
void thick_close(thick *t);
rheo_status thick_advance(thick *t, rows *out,
                          double dt); /* to the end of the first frame, by steps of at most dt */

/* Gives the particles and the faces a velocity: u_axis at x [m]. */
typedef double thick_velocity(const double x[3], int axis, const void *of);
void thick_set(thick *t, thick_velocity *velocity, const void *of);

/* Faces between two cells of liquid, outside solids, for which `where` holds (NULL: all). With `half`, a run
 * of half the time step, both are extrapolated to a step of 0. */
typedef bool thick_place(const double x[3], const void *of);
typedef struct thick_error {
    double rms, worst; /* m/s, of one component */
    double scale;      /* m/s, rms of the exact velocity */
    int faces;
} thick_error;
thick_error thick_compare(const thick *t, const thick *half, thick_velocity *exact, thick_place *where,
                          const void *of);

/* One row of a case. NAN where a number does not apply; `wanted` NULL: no verdict. */
void thick_row(rows *out, const char *name, const char *quantity, int n, const double ours_reference_error[3],
               double order, const char *wanted, bool pass);
#endif
