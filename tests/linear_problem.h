/* A system on a box, all fields zero, for tests of the solvers. */
#ifndef LINEAR_PROBLEM_H
#define LINEAR_PROBLEM_H

#include "core/memory.h"
#include "linear/poisson.h"

typedef struct problem {
    box b;
    float *face[3], *extra, *rhs, *x;
    uint8_t *unknown;
    poisson_system system; /* of the fields above */
} problem;

static problem make(int dim, int nx, int ny, int nz) {
    problem p = {.b = box_make(dim, (int[3]){nx, ny, nz})};
    for (int a = 0; a < dim; ++a) p.face[a] = mem_alloc(p.b.size * sizeof(float));
    p.extra = mem_alloc(p.b.size * sizeof(float));
    p.rhs = mem_alloc(p.b.size * sizeof(float));
    p.x = mem_alloc(p.b.size * sizeof(float));
    p.unknown = mem_alloc(p.b.size);
    p.system = (poisson_system){{p.face[0], p.face[1], p.face[2]}, p.extra, p.unknown};
    return p;
}

static void drop(problem *p) {
    for (int a = 0; a < 3; ++a) mem_free(p->face[a]);
    mem_free(p->extra);
    mem_free(p->rhs);
    mem_free(p->x);
    mem_free(p->unknown);
}
#endif
