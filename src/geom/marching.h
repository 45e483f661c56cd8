/* Marching cubes over a field in a box's layout, with shared vertices. */
#ifndef GEOM_MARCHING_H
#define GEOM_MARCHING_H

#include "core/box.h"
#include "core/parallel.h"
#include <rheo/sim.h>

/* The surface value == 0 (inside is negative) of a field sampled at cell centres (i + 1/2) dx and, by one
 * border layer, on the sides of the box (its edges and corners where layers meet). What is inside ends at the
 * sides, sharply: the mesh is closed there by a part of the side and never leaves the box. It is closed,
 * manifold (ambiguous faces and cubes are decided consistently) and oriented outwards; no two vertices at the
 * same place, no triangle of no area by construction (values at samples are kept off 0 by a small amount).
 * Normals from the field's gradient, on sides those of the sides. In 2D: a closed strip is made by extruding
 * the contour by dx in z, with caps. velocity is left for the caller to fill (allocated, zero). Vertices in
 * order of their cell: deterministic. */
rheo_status marching_cubes(rheo_mesh *mesh, const box *b, double dx, const double origin[3],
                           const float *field, pool *p, rheo_report *report);
#endif
