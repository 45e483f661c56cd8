/* A grid with openings, a surface and a solver, filled from functions of space: what tests of the projection
 * alone need. */
#ifndef BENCH_FLOW_H
#define BENCH_FLOW_H

#include "stage/pressure/pressure.h"
#include "stage/walls/solids.h"

typedef double (*space_function)(const double x[3], const void *context);

typedef struct flow {
    mac_grid g;
    openings open;
    mac_field u;
    pressure_work work;
    float *solid, *phi, *q;
    poisson *solver;
} flow;

/* The unit square or cube, n cells a side, closed walls. `solid` is negative inside solids and NULL for none;
 * `phi` is negative in liquid and NULL for a full box. -1: no memory. */
int flow_make(flow *f, int dim, int n, int threads, space_function solid, space_function phi,
              const void *context);
void flow_free(flow *f);
/* Makes u divergence-free from a start of q = 0. converged is false too when there is no memory. */
poisson_result flow_project(flow *f, double tolerance);
/* Where a face, a cell or a node lies. */
void flow_face(double x[3], const flow *f, int axis, int i, int j, int k);
void flow_cell(double x[3], const flow *f, int i, int j, int k);
#endif
