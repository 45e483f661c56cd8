/* Nearly closed regions of the finest level, whose constants are taken out of the iteration
 * (poisson_leaks.c). */
#ifndef LINEAR_POISSON_LEAKS_H
#define LINEAR_POISSON_LEAKS_H

#include "linear/poisson_labels.h"

typedef struct leaks leaks;

leaks *leaks_create(void);
void leaks_free(leaks *g);
size_t leaks_bytes(const leaks *g);
/* all: cells joined by any link. -1: no memory. */
int leaks_find(leaks *g, const level *l, pool *p, labels *all);
int leaks_count(const leaks *g);
/* The largest leak of a region that is nearly closed. */
double leaks_most(const level *l);
/* x += Z E^-1 Z^T r */
void leaks_lift(leaks *g, const level *l, pool *p, dvec8 *x, const vec8 *r);
/* z += Z E^-1 Z^T r, for solves that do not lift; returns what that adds to r . z */
double leaks_precondition(leaks *g, const level *l, pool *p, vec8 *z, const vec8 *r);
/* z -= Z E^-1 (A Z)^T z; returns what that adds to r . z: rounding, as r has no means */
double leaks_deflate(leaks *g, const level *l, pool *p, vec8 *z, const vec8 *r);
#endif
