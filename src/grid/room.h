/* The open space around a cell, as the particles' weights see it: in half-cells (octants; quadrants in 2D),
 * which particles fill one each. */
#ifndef GRID_ROOM_H
#define GRID_ROOM_H

#include "grid/openings.h"

/* Along an axis: octants within 1.5 cells of a cell's centre. */
enum { ROOM_SIDE = 6, ROOM_OCTANTS = ROOM_SIDE * ROOM_SIDE * ROOM_SIDE };

/* [z][y][x]; what an octant leaves on the faces of the cell in the middle, of what all of them leave. Octant
 * (x, y, z) is (x, y, z) / 2 - 1.25 cells from the cell's centre; in 2D only z = 0 counts. */
typedef struct room_weights {
    float of[ROOM_SIDE][ROOM_SIDE][ROOM_SIDE];
} room_weights;

#define ROOM_ENOUGH 0.1f  /* with less a cell's distance to the surface is better taken from neighbours */
#define ROOM_WHOLE  0.98f /* with more no wall is near */

void room_list_weights(room_weights *w, int dim);

/* The weights of what is open around each cell of a brick, 1 where all is; node_phi: distance from solids at
 * nodes, m. Up to so many cells along x, y and z: [z][y][x], rows as long as vectors want them. */
enum { ROOM_X = 14, ROOM_Y = 4, ROOM_Z = 4, ROOM_LANES = 16 };
void room_of_brick(float room[ROOM_Z][ROOM_Y][ROOM_LANES], const mac_grid *g, const float *node_phi,
                   const openings *o, const int first[3], const int count[3]);
/* The same around cell c, and its parts: those of single octants. */
float room_shares(room_weights *share, const room_weights *w, const mac_grid *g, const float *node_phi,
                  const openings *o, const int c[3]);

/* How much of the shares lies below a straight surface: `down` is its unit normal into the liquid, `depth`
 * how many cells the cell's centre lies below it; *rate: the derivative. */
float room_below(float *rate, const room_weights *share, const float down[3], float depth, int dim);
#endif
