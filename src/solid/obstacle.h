/* A solid of the scene where it is now, and questions to many of them. */
#ifndef SOLID_OBSTACLE_H
#define SOLID_OBSTACLE_H

#include "solid/body.h"

typedef struct obstacle {
    const shape *shape;
    const rheo_solid *def;
    placement now;
    const body *body; /* of a dynamic solid, else NULL */
    int changed;      /* `now` is another one than the walls on the grid were given last */
    int thin;         /* in places thinner than the grid resolves: solid/thin.h */
} obstacle;

/* Its motion as liquid beside it sees it: without turns that move none (solid/body.h). */
placement obstacle_felt(const obstacle *o);
double obstacle_distance(const obstacle *o, const double x[3]); /* m, negative inside */
/* The direction out of it, of length 1, in `dim` dimensions from distances `step` away; 0: it has none. */
int obstacle_normal(double n[3], const obstacle *o, const double x[3], int dim, double step);

/* Whether the ball around a body shows that it is not nearer than `least`: with many bodies nearly all are
 * far. */
int obstacle_is_beyond(const obstacle *o, const double x[3], double least);

/* Whether solid `own`, known to be `distance` away, is the nearest; of two as near the first is. among: those
 * that may be nearer, `count` in rising order; NULL: all. */
int obstacle_is_nearest(const obstacle *solids, const int *among, int count, int own, const double x[3],
                        double distance);
/* Distance to the nearest of those that the grid resolves, or of the thin ones alone [m], +inf without any.
 */
double obstacles_thick_distance(const obstacle *solids, int count, const double x[3]);
double obstacles_thin_distance(const obstacle *solids, int count, const double x[3]);
#endif
