/* Solids thinner than the grid resolves: which they are, what they hide, and how points stay on their side.
 */
#ifndef SOLID_THIN_H
#define SOLID_THIN_H

#include "solid/obstacle.h"

/* Whether a part of the surface (at least a twentieth) is so close to its other side that cells are cut by
 * both, or by none: sqrt(dim) cells; in the plane 1.25 for a solid of at most three cells. Edges and tips of
 * what is thicker do not count. Sheets always are. -1: no memory. */
int obstacle_is_thin(const obstacle *o, double dx, int dim);

/* By its shape alone, at x in the scene [m]: what ways past it are marched by. Unlike obstacle_distance() it
 * does not look at the ball around a body, which may show more. */
double obstacle_bare_distance(const obstacle *o, const double x[3]);

/* Whether the way from `from` to `to` leads through the solid or nearer to it than `skin`. */
int obstacle_hides(const obstacle *o, const double from[3], const double to[3], double skin);

/* A point was at `from` beside the solid as it was placed `then`, and wants to be at `to` beside the solid as
 * it is now. Moves `to` so that the way between, as the solid sees it, stays `skin` outside: it stops at the
 * surface and slides. 1 when it touched; `normal` is then the surface's. */
int obstacle_block_path(double to[3], double normal[3], const obstacle *o, const placement *then,
                        const double from[3], double skin);
#endif
