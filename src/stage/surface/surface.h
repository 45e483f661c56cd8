/* Where the liquid is: density and signed distance on cells from the weights that particles leave on faces.
 */
#ifndef STAGE_SURFACE_SURFACE_H
#define STAGE_SURFACE_SURFACE_H

#include "grid/extrapolate.h"
#include "grid/openings.h"
#include "particle/particles.h"
#include <rheo/sim.h>

/* density: particles' volume in the open space around a cell (1: as seeded, 0: none). phi: distance to the
 * half-full contour [m] within one cell of it, +-dx beyond; border samples mirrored so that the domain's
 * sides lie on the contour of full cells. `full`: weight of a full cell's face (8; 4 in 2D). */
void surface_from_weights(float *density, float *phi, const mac_grid *g, const mac_field *weight,
                          const float *free_share, float full);

/* phi again, where densities were changed. */
void surface_from_density(float *phi, const mac_grid *g, const float *density);

/* Where solids cut the space around a cell beside the surface, half full is not half way: phi again, from how
 * much of that space lies below a straight surface. */
void surface_beside_walls(float *phi, const mac_grid *g, const float *density, const float *free_share,
                          const float *node_solid, const openings *o);

/* Films of air beside solids that liquid and walls shut in are liquid: particles are missing there, not
 * liquid (voids.c). q: where walls let go of liquid, its pressure [m/s]; a film is a void that opens
 * unless pressed on by more than `head`. NULL: they do not. mark: a byte a sample, scratch. */
void surface_fill_voids(float *phi, uint8_t *mark, const mac_grid *g, const float *density,
                        const float *free_share, const openings *o, const float *q, double head);

/* Near solids: cells with a small free share hear from few particles or none; their distance is carried in
 * from cells with a larger one, so that a full vessel is full to its walls. With node_solid (may be NULL)
 * only from their own side of a wall: in one of two or three cells both sides meet. f: scratch. */
void surface_into_solids(float *phi, front *f, const mac_grid *g, const float *free_share,
                         const float *node_solid);

/* Which particles are spray: those in an air cell with at most three liquid cells around it (one in 2D): less
 * than an edge of resolved liquid. What the surface does not enclose there flies on its own and counts for
 * its own volume. */
void surface_mark_spray(particles *p, const mac_grid *g, const float *phi);

/* The drawn surface: phi with the solids cut out, on cells; the liquid goes on a part of a cell into them. */
void surface_drawn(float *drawn, const mac_grid *g, const float *phi, const float *node_solid,
                   const float *free_share);
/* Its mesh, with the vertices that lie in solids put onto their faces. */
void surface_onto_solids(rheo_mesh *mesh, const mac_grid *g, const float *node_solid);

/* What of a drawn surface is a fluid's own, from sorted particles (between.c). share: scratch. */
void surface_of_fluid(float *drawn, float *share, const mac_grid *g, const particles *p, int fluid);

/* The border layer of a drawn surface as marching_cubes() wants it: its values on the domain's sides, as if
 * the liquid went on into them; on periodic ones what lies between the cells of both sides. */
void surface_to_sides(float *drawn, const mac_grid *g);

/* Other surfaces to draw, as a distance on cells [m], from sorted particles: the union of spheres,
 * Zhu-Bridson's average of their centres, and Mao's iso-density and colour field. -1: no memory. */
typedef enum { SURFACE_SPHERES, SURFACE_AVERAGE, SURFACE_KERNEL, SURFACE_COLOUR } surface_rule;
int surface_by_rule(float *phi, const mac_grid *g, const particles *p, surface_rule rule);
/* Where the pressure has a given share of one cell's hydrostatic pressure (Sommer 2018). */
void surface_pressure(float *phi, const mac_grid *g, const float *q, const float *phi_liquid);
#endif
