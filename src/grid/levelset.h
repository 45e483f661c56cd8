/* Signed distance fields on cells. */
#ifndef GRID_LEVELSET_H
#define GRID_LEVELSET_H

#include "grid/mac.h"

/* Rebuilds phi as a signed distance [m] within `band` cells of its zero set (beyond: +-band * dx, sign kept),
 * keeping the zero set where linear interpolation between cell centres puts it. Works on owned cells plus
 * their borders; border values of phi must be valid on entry (one layer suffices) and are valid on return.
 * Deterministic for any thread count. The values of cells next to the zero set: distance of the plane across
 * the slope of phi through the linear crossings along the axes. -1 when there is no memory. */
int levelset_redistance(float *phi, const mac_grid *g, int band);
#endif
