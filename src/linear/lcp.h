/* Poisson systems with bounds: 0 <= x_c complementary to (A x - b)_c >= 0 in some cells, A x = b in the
 * others. */
#ifndef LINEAR_LCP_H
#define LINEAR_LCP_H

#include "linear/poisson.h"

typedef struct lcp_problem {
    poisson_system system;
    const uint8_t *bounded; /* 1: x >= 0 is asked for; other marks and cells that are no unknowns: not */
    poisson_term term;      /* of low rank, as poisson_attach has it */
} lcp_problem;

typedef struct lcp_result {
    poisson_result solve; /* of the last round, with the iterations of all */
    int rounds;           /* linear solves */
    int64_t active;       /* bounded cells left at x = 0 */
    double least_value;   /* min x over bounded cells: 0 or more */
    double least_rest;    /* min A x - b over cells at 0, relative to |b|, 2-norm; 0 where there are none */
    double product;       /* max |x (A x - b)| over bounded cells, relative to |b|^2 */
    bool settled;         /* the last round changed nothing */
} lcp_result;

typedef struct lcp lcp;

lcp *lcp_create(const box *b); /* NULL: no memory */
void lcp_free(lcp *l);
size_t lcp_bytes(const lcp *l);

/* The solver need hold nothing; afterwards it holds the system without the cells left at 0, and the term. x:
 * warm start in, solution out. The pressure of closed regions is the least that is nowhere negative in
 * a bounded cell. -1: no memory. */
int lcp_solve(lcp_result *out, lcp *l, poisson *solver, float *x, const float *b, const lcp_problem *problem,
              double tolerance, int max_iterations);

/* 1 in the cells that the last solve left at 0, in the box's layout. */
const uint8_t *lcp_active(const lcp *l);
#endif
