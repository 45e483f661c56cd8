/* What a viscous solve wants to know of particles and of solids that move, as fields on the grid. */
#ifndef STAGE_VISCOSITY_FIELDS_H
#define STAGE_VISCOSITY_FIELDS_H

#include "grid/openings.h"
#include "particle/particles.h"
#include "solid/obstacle.h"
#include "stage/viscosity/viscosity.h"

/* mu [Pa s] of cells: the mean over the sorted particles of each, whose fluids have by_fluid[] or, where it
 * is not NULL, which have by_particle[]; of cells without any from those around, two cells far; below 0
 * farther away. spare: a field. */
void viscosity_of_particles(float *mu, float *spare, const mac_grid *g, const particles *p,
                            const double *by_fluid, int fluids, const float *by_particle,
                            viscosity_mean mean);

/* The velocity of the moving solid that closes a face, or one up to two faces beside it, continued to the
 * face's middle; 0 elsewhere. Where there are no movers nothing is written. */
void viscosity_wall_velocity(mac_field *wall, const mac_grid *g, const openings *o, const obstacle *solids);

/* Of faces whose middle lies in a solid, closed by one with number[solid] > 0: that number; else 0. */
void viscosity_faces_of_bodies(uint16_t *const of[3], const mac_grid *g, const openings *o,
                               const float *node_phi, const uint16_t *number);

/* Slip lengths [m] at nodes near solids, the nearest solid's; the first one's where none is near. */
void viscosity_slip_of_solids(float *slip, const mac_grid *g, const float *node_phi, const obstacle *solids,
                              const double *lengths, int count);
#endif
