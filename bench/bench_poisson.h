/* Times for the pressure systems, ours and a peer's, on the same synthetic problems. */
#ifndef BENCH_POISSON_H
#define BENCH_POISSON_H

#include <stddef.h>
#include <stdint.h>
#include "linear/poisson.h"

typedef enum bench_problem {
    BENCH_BOX_OPEN_TOP, /* n^3 cells, closed walls, p = 0 on the top */
    BENCH_BOX_OPEN,     /* n^3 cells, p = 0 on all walls */
    BENCH_DAM_BREAK     /* liquid [0,.4]x[0,.6]x[0,1] of the unit cube, blobs in the air, a cut sphere */
} bench_problem;

typedef struct bench_solve {
    double seconds; /* setup + solve, median of the runs */
    double setup_seconds;
    int iterations;
    int64_t unknowns;
    double residual; /* |b - A x| / |b| */
    size_t bytes;    /* held by the solver; 0 where a peer does not say */
} bench_solve;

/* A system with the fields it points to; free with bench_system_free. size 0: no memory. */
typedef struct bench_system {
    box b;
    poisson_system system;
    float *face[3], *extra, *rhs;
    uint8_t *unknown;
} bench_system;
int bench_system_make(bench_system *s, int n, bench_problem problem); /* -1: no memory */
void bench_system_free(bench_system *s);

/* Tolerance 1e-6; iterations 0 and seconds 0 when there is no memory. */
bench_solve bench_poisson_run(int n, bench_problem problem, poisson_kind kind, int threads);
/* hypre's structured PCG + PFMG, one thread, the same system and norm. 0: done, -1: not built with hypre or
 * failed. */
int peer_hypre_run(bench_solve *out, int n, bench_problem problem);
#endif
