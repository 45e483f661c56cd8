/* Time of each particle kernel, in a dam-break column of 8 particles a cell that has been stirred for a few
 * steps. */
#ifndef BENCH_PARTICLES_H
#define BENCH_PARTICLES_H

#include <stddef.h>

typedef struct bench_particles_times {
    double sort, to_grid, from_grid, advect; /* ns a particle; the fastest of the rounds */
    size_t bytes;                            /* of the set with the scratch of its sort */
} bench_particles_times;

typedef struct bench_particles_result {
    size_t particles;
    bench_particles_times flip, apic;
} bench_particles_result;

/* n cells along each side; 0, or -1 when memory or threads cannot be had. */
int bench_particles_run(int n, int threads, bench_particles_result *result);
#endif
