/* Where meshes of fluids touch. */
#ifndef RENDER_TOUCHING_H
#define RENDER_TOUCHING_H

#include <rheo/sim.h>

/* beyond[t], of mesh[own]'s triangles: which mesh has all three of its vertices too, -1: none. -1: no memory.
 */
int touching_find(int16_t *beyond, const rheo_mesh *mesh, int count, int own);
#endif
