/* Solids as the grid sees them: distance at nodes, open shares and wall velocities on faces,
 * free shares of cells. */
#ifndef STAGE_WALLS_SOLIDS_H
#define STAGE_WALLS_SOLIDS_H

#include "grid/openings.h"
#include "solid/obstacle.h"
#include "stage/walls/tuning.h"

/* ---- distances and open shares (solids.c) ---- */

/* Distance to the nearest solid at the nodes, border included [m], negative inside; capped at SOLID_BAND
 * cells. With `keep`, the minimum with what that field holds (the static solids; it may be node_phi itself),
 * and only where the solids reach is anything computed. */
enum { SOLID_BAND = 4 };
void solids_distance(float *node_phi, const float *keep, const mac_grid *g, const obstacle *solids,
                     int count);

/* Open shares of all faces from the node distances and the domain's sides; below OPEN_MIN a face is closed,
 * and so is one that lies in a solid's surface, to ON_SURFACE cells. */
#define ON_SURFACE 1e-4f
void solids_open_faces(openings *o, const mac_grid *g, const float *node_phi);

/* ---- movers and their velocities (movers.c) ---- */

/* Which moving solid closes each face that is not fully open: the nearest, if it is within a cell; the sides
 * of the domain and static solids stand still. Then, as often as velocities change, the velocity of these
 * faces: of all, or of the solids that have changed only. */
int openings_make_movers(openings *o, const mac_grid *g); /* -1: no memory */
void openings_free_movers(openings *o);
int solids_movers(openings *o, const mac_grid *g, const obstacle *solids, int count); /* -1: no memory */
void solids_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count);
void solids_changed_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count);

/* ---- free shares (free_share.c) ---- */

/* How much weight the faces of a cell would gather if all open space around it were filled with particles,
 * relative to a cell far from walls: the volume within reach of the cell's density sample that is not solid,
 * in [0, 1]. With `keep`, the share that the static solids leave, only what is in reach of the `count` others
 * is computed. */
void solids_free_share(float *free_share, const float *keep, const mac_grid *g, const float *node_phi,
                       const openings *o, const obstacle *solids, int count);

/* ---- velocity inside solids (constrain.c) ---- */

/* Velocity inside solids after extrapolation: what would carry liquid into the wall is taken out (free slip),
 * or the profile goes on through the wall's own velocity (no slip). scratch: a field a component. */
void solids_constrain(mac_field *u, float *const scratch[3], const mac_grid *g, const openings *o,
                      const float *node_phi, const obstacle *solids, int count, int no_slip);

/* ---- velocity behind sides (mirror.c) ---- */

/* What particles near the domain's closed sides see beyond them: the flow mirrored, tangential velocity as a
 * slip length [m] leaves it. */
void solids_mirror_sides(mac_field *u, const mac_grid *g, const openings *o, double slip);
#endif
