/* Closed meshes of simple shapes. */
#ifndef BENCH_PRIMITIVES_H
#define BENCH_PRIMITIVES_H

#include "geom/mesh.h"

/* 0 on success, -1 when there is no memory. Oriented outwards. */
int mesh_make_box(tri_mesh *m, const double lower[3], const double upper[3]);
/* An octahedron split `levels` times: 8 * 4^levels triangles. */
int mesh_make_sphere(tri_mesh *m, const double centre[3], double radius, int levels);
/* About the z axis through `centre`, around * along quadrilaterals. */
int mesh_make_torus(tri_mesh *m, const double centre[3], double radius, double tube, int around, int along);
#endif
