/* Points on the surface of a shape, dense enough for contact. */
#ifndef SOLID_SAMPLE_H
#define SOLID_SAMPLE_H

#include "solid/shape.h"

/* Where the scene file puts the shape. Every surface point lies within about `spacing` of a ball of `radius`
 * about one of the points; corners of boxes and meshes are among them. Round shapes are few points with a
 * radius. */
typedef struct shape_points {
    int count;
    double (*x)[3];           /* m */
    double radius;            /* m, about each */
    double spacing;           /* m, as it came out */
    int curved;               /* points lie on smooth surfaces between the true extremes */
    double axis[2][3], round; /* m: the ends of a cylinder's axis, and its radius; 0: it is none */
} shape_points;

/* -1: no memory. An infinite shape (a plane) has no points. */
int shape_sample(shape_points *p, const shape *s, double spacing);
void shape_points_free(shape_points *p);
/* Direction in which the distance grows, of unit length, or 0 when it has none; returns the slope, 1 for
 * exact distances and less for those of scaled shapes. */
double shape_gradient(double n[3], const shape *s, const double x[3], double step);
#endif
