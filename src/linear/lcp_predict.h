/* A guess of a complementarity problem's active cells from a coarser grid. */
#ifndef LINEAR_LCP_PREDICT_H
#define LINEAR_LCP_PREDICT_H

#include "linear/lcp.h"

/* Sets `active`, in the box's layout, in bounded unknowns, and x to a start for the solve, 0 where none are
 * active; returns how many are, -1: no memory. */
int lcp_predict(uint8_t *active, float *x, const box *b, const lcp_problem *p, const float *rhs,
                pool *workers);
#endif
