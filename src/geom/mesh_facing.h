/* Normals that face out of what a mesh encloses. */
#ifndef GEOM_MESH_FACING_H
#define GEOM_MESH_FACING_H

#include "core/parallel.h"
#include <rheo/sim.h>

/* Where a vertex' normal opposes its triangles, which are oriented outwards: the sum of their normals by area
 * instead. *area: of all triangles, m2. `velocity` is used to sum in: zero on entry, and to be filled after.
 * The same for any thread count. -1 when there is no memory; nothing is changed then. */
int mesh_face_outwards(rheo_mesh *m, double *area, pool *p);
#endif
