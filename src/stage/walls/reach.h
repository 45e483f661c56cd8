/* How far solids reach on the grid, and which may be near which. */
#ifndef STAGE_WALLS_REACH_H
#define STAGE_WALLS_REACH_H

#include "geom/sweep.h"
#include "grid/openings.h"
#include "grid/rows.h"
#include "solid/obstacle.h"

/* A ball around a solid, in cells; infinite where it has no end. */
typedef struct reach_ball {
    double middle[3], radius;
} reach_ball;

reach_ball reach_around(const mac_grid *g, const obstacle *o);
/* The part of a range (cells, faces or nodes) that lies within `beyond` cells of a ball around a solid. */
cell_range reach_within(cell_range r, const mac_grid *g, const obstacle *o, double beyond);

/* Lists for each solid the others whose balls come within REACH_GAP cells of its own. Corners of the faces
 * asked about are within two cells of it, and their middles, where it is within a cell of them, nearer to it
 * than to any other but these. -1: no memory. */
enum { REACH_GAP = 3 };
int reach_list(sweep *near, const mac_grid *g, const obstacle *solids, int count);

/* What may be near a solid. The places of thin solids and of images beyond periodic sides are not known so
 * well. */
typedef struct reach_near {
    const int *among; /* the solids that may, `count` of them; NULL: all of them */
    int count;
    int alone; /* none is */
} reach_near;
reach_near reach_others(const sweep *near, const mac_grid *g, const obstacle *solids, int count, int own);
#endif
