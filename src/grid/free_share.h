/* The open space around a cell, as the particles' weights see it: in half-cells (octants; quadrants in 2D),
 * which particles fill one each. */
#ifndef GRID_FREE_SHARE_H
#define GRID_FREE_SHARE_H

#include "grid/openings.h"

/* Along an axis: octants within 1.5 cells of a cell's centre. */
enum { OCTANT_SIDE = 6, OCTANT_COUNT = OCTANT_SIDE * OCTANT_SIDE * OCTANT_SIDE };

/* [z][y][x]; what an octant leaves on the faces of the cell in the middle, of what all of them leave. Octant
 * (x, y, z) is (x, y, z) / 2 - 1.25 cells from the cell's centre; in 2D only z = 0 counts. */
typedef struct octant_weights {
    float of[OCTANT_SIDE][OCTANT_SIDE][OCTANT_SIDE];
} octant_weights;

#define FREE_MIN    0.02f /* with less a cell's density is noise over nearly nothing */
#define FREE_ENOUGH 0.1f  /* with less a cell's distance to the surface is better taken from neighbours */
#define FREE_WHOLE  0.98f /* with more no wall is near */

void octant_list_weights(octant_weights *w, int dim);

/* The weights of what is open around each cell of a brick, 1 where all is; node_phi: distance from solids at
 * nodes, m. Up to so many cells along x, y and z: [z][y][x], rows as long as vectors want them. */
enum { BRICK_X = 14, BRICK_Y = 4, BRICK_Z = 4, BRICK_LANES = 16 };
void free_share_of_brick(float free_share[BRICK_Z][BRICK_Y][BRICK_LANES], const mac_grid *g,
                         const float *node_phi, const openings *o, const int first[3], const int count[3]);
/* The same around cell c, and its parts: those of single octants. */
float octant_shares(octant_weights *share, const octant_weights *w, const mac_grid *g, const float *node_phi,
                    const openings *o, const int c[3]);

/* How much of the shares lies below a straight surface: `down` is its unit normal into the liquid, `depth`
 * how many cells the cell's centre lies below it; *rate: the derivative. */
float octants_below(float *rate, const octant_weights *share, const float down[3], float depth, int dim);
#endif
