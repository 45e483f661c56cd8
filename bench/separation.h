/* Water thrown against walls, and pools at rest, with and without wall separation. */
#ifndef BENCH_SEPARATION_H
#define BENCH_SEPARATION_H

#include <stdbool.h>
#include <rheo/sim.h>

enum { SPLASH_TIMES = 3 };

typedef struct splash_result {
    double wetted[SPLASH_TIMES]; /* m of the sides and the ceiling that have water in their cells, at
                                    splash_time */
    int rounds;                  /* linear solves, the most in a step */
    double violation;            /* as in rheo_solve_stats */
    bool converged;
} splash_result;

extern const double splash_time[SPLASH_TIMES]; /* s */

/* The ball of Batty et al. 2007, figure 6, in a plane of n cells a side. */
rheo_status splash_run(splash_result *r, int n, bool separation, int threads, rheo_report *report);
/* Metres of the left wall and the ceiling with liquid particles, no spray, in the cell. Plane scenes. */
double wetted_walls(const rheo_particle_view *view, const int cells[2]);
#endif
