/* What marching in the space and in the plane share: a surface vertex between two samples, and the mesh's
 * arrays. */
#ifndef GEOM_MARCHING_SAMPLE_H
#define GEOM_MARCHING_SAMPLE_H

#include "geom/marching.h"

typedef struct field_view {
    const box *b;
    const float *field;
    double dx, origin[3];
} field_view;

/* Where the samples at -2 ... n + 1 along an axis are [cells]: centres, the border a hair inside the sides,
 * and the sides themselves, beyond which nothing is inside. */
double sample_place(const box *b, int at, int axis);
/* Place and unit normal of the crossing between the sample (i, j, k) and the next one along an axis. */
void crossing_vertex(float position[3], float normal[3], const field_view *f, const int at[3], int axis);
/* Zeroed arrays of a mesh with these counts; the mesh is empty when it fails. */
rheo_status marching_allocate(rheo_mesh *mesh, size_t vertices, size_t triangles, rheo_report *report);
/* dim == 2: see marching_cubes(). */
rheo_status marching_flat(rheo_mesh *mesh, const field_view *f, rheo_report *report);
#endif
