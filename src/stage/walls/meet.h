/* Faces where a moving solid comes near another one: each closes its own share. */
#ifndef STAGE_WALLS_MEET_H
#define STAGE_WALLS_MEET_H

#include "grid/openings.h"
#include "solid/obstacle.h"

/* After solids_open_faces(): opens faces where there is a way between two solids that their common distance
 * does not show. node_still: the distance of the static ones, node_phi: of all; films: whether faces of gaps
 * beside bodies are listed (stage/walls/film.h). -1: no memory. */
int solids_meet(openings *o, const mac_grid *g, const float *node_still, const float *node_phi,
                const obstacle *solids, int count, int films);
/* Lists a face along a gap that thin bodies leave; they know themselves what of it they close. `at`: the cell
 * above it. -1: no memory. */
int solids_meet_list(openings *o, const mac_grid *g, const int at[3], int axis);
/* Once it is known which solid moves which face: what of that is not so. */
void solids_meet_movers(openings *o, const mac_grid *g, int count);
/* Velocities of the faces that several solids close: the mean by shares. */
void solids_meet_velocity(openings *o, const mac_grid *g, const obstacle *solids);
size_t solids_meet_bytes(const openings *o);
#endif
