/* The marker-and-cell method (Carlson 2004, chapter 3; Harlow and Welch 1965): markers say which cells hold
 * liquid, the grid alone carries its velocity. The pressure is the common stage's. */
#ifndef STAGE_MAC_MAC_H
#define STAGE_MAC_MAC_H

#include "grid/openings.h"
#include "particle/particles.h"
#include "solid/obstacle.h"

/* What a cell holds. A liquid cell with an open face towards an empty one is a surface cell. */
enum { MAC_EMPTY, MAC_LIQUID, MAC_SOLID };

/* cells.c */

/* The kind of every cell, border included, from sorted markers. */
void mac_mark_cells(uint8_t *kind, const mac_grid *g, const particles *markers, const openings *o);
/* The kinds as a distance for the pressure stage: -dx/2 in liquid, dx/2 elsewhere, which puts the surface on
 * faces. */
void mac_cell_distance(float *phi, const mac_grid *g, const uint8_t *kind);
/* Velocity on faces that touch liquid now and did not before: the mean of the markers around the face, else
 * the nearest marker's. */
void mac_fill_new_cells(mac_field *u, const mac_grid *g, const uint8_t *kind, const uint8_t *kind_before,
                        const particles *markers);

/* markers.c */

/* x <- x + dt/2 (u(x) + u(x + dt u(x))); Euler for markers whose first move ends in a cell without liquid.
 * Those with moved[q] set stay where they are (NULL: none). Positions may leave the box, no farther than its
 * border. */
void mac_move_markers(particles *markers, const mac_grid *g, const mac_field *u, const uint8_t *kind,
                      const uint8_t *moved, double dt);

/* momentum.c */

/* Closed faces take the velocity of what closes them. */
void mac_set_walls(mac_field *u, const mac_grid *g, const openings *o);
/* Where solids are, for liquid that sticks to them: distances at nodes, m, and what openings call movers. */
typedef struct {
    const float *distance;
    const obstacle *solids;
} mac_solids;
/* out = u + dt (convection + nu diffusion + gravity) on faces inside the liquid, u + dt gravity on the
 * surface, u elsewhere. nu in m2/s. u holds the walls' velocities on closed faces. area: what solids
 * leave open of faces, NULL: all. solids: NULL where there are none; of no effect with free slip. */
void mac_momentum(mac_field *out, const mac_grid *g, const mac_field *u, const uint8_t *kind,
                  const openings *o, const mac_field *area, double nu, const double gravity[3], int no_slip,
                  const mac_solids *solids, double dt);
/* The largest |u| an axis over all faces, m/s; +inf when one is not finite. */
void mac_speed(double speed[3], const mac_grid *g, const mac_field *u);
/* The largest step, s, that keeps mac_momentum() stable at a speed (sum over axes, m/s) and viscosity. */
double mac_stable_dt(const mac_grid *g, double speed, double acceleration, double nu, double cfl);

/* continuity.c */

/* Sets the velocities of a surface cell's faces towards air. face: -x +x -y +y -z +z; bit f of air: face f
 * has air behind it. Returns 1 when the cell is divergence-free now, 0 when the rule leaves it to the
 * pressure. */
int mac_continuity(float face[6], unsigned air, int dim);
/* The rule in all surface cells; those with a source (m/s summed over faces; NULL: none) keep their faces
 * towards air at rest. */
void mac_close_surface(mac_field *u, const mac_grid *g, const uint8_t *kind, const openings *o,
                       const float *source);
#endif
