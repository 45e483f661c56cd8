/* Fields of the grid at a point: probes, and the velocity of a drawn surface. */
#ifndef SIM_PROBE_H
#define SIM_PROBE_H

#include "grid/mac.h"
#include "particle/particles.h"
#include <rheo/sim.h>

/* At a place in cells, looked up between the outermost centres: the border beyond holds nothing measured. */
double probe_cells(const float *field, const mac_grid *g, const float x[3]);
/* A distance, up to the walls as straight on. */
double probe_distance(const float *phi, const mac_grid *g, const float x[3]);
void probe_velocity(double u[3], const mac_field *vel, const mac_grid *g, const float x[3]);
/* q where phi < 0, carried across the surface as the projection has it, and into solids along its slope; 0
 * where `surface`, m, is above 0. */
double probe_pressure(const float *q, const float *phi, const float *surface, const mac_grid *g,
                      const float x[3]);
/* The velocity at the vertices of a mesh. */
/* Where what lies at the mesh's vertices began, from columns of the particles of a sorted set. -1: no memory.
 */
int probe_mesh_rest(rheo_mesh *mesh, const particles *p, float *const rest[3], const mac_grid *g);
void probe_mesh_velocity(rheo_mesh *mesh, const mac_field *vel, const mac_grid *g);
#endif
