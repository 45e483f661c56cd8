/* What part of a control volume holds liquid outside solids, and how far walls are, for viscosity*.c.
 *
 * Points of the half grid: h = 2 i at the low end of cell i along an axis, 2 i + 1 in its middle. A cell, a
 * face and an edge each have the unit cube around them, whose corners are points of the half grid. */
#ifndef STAGE_VISCOSITY_SHARES_H
#define STAGE_VISCOSITY_SHARES_H

#include "grid/mac.h"
#include "stage/viscosity/viscosity.h"

/* Where shares are asked for: the fields, and what was taken of them in advance around a piece of a row of
 * cells (NULL: nothing). */
typedef struct shares {
    const mac_grid *g;
    const viscosity_input *in;
    const struct shares_patch *patch;
} shares;

/* Both distances at all points that the samples of cells [i, i + length) of row (j, k) ask for. */
enum { PATCH_CELLS = 8, PATCH_WIDE = 2 * PATCH_CELLS + 4, PATCH_HIGH = 6 };
typedef struct shares_patch {
    int low[3], count[3];
    double liquid[PATCH_WIDE * PATCH_HIGH * PATCH_HIGH], solid[PATCH_WIDE * PATCH_HIGH * PATCH_HIGH];
} shares_patch;
void shares_take(shares_patch *patch, const mac_grid *g, const viscosity_input *in, int i, int j, int k,
                 int length);

/* m; solids and closed sides, positive outside; liquid, negative inside. */
double shares_solid(const shares *s, const int h[3]);
double shares_liquid(const shares *s, const int h[3]);
/* The share of the cube around h that is liquid and in no solid. walls: solids are near. */
double shares_wet(const shares *s, const int h[3], bool walls);
/* How far along the axis from the one of two neighbours that is outside to the wall, in cells; each wall by
 * itself, as distances from their union are of no use in corners. */
double shares_reach(const shares *s, const int high[3], const int low[3], int axis);
/* Slip length [m] of the wall near h, and the square of its normal's component along an axis. */
double shares_slip(const shares *s, const int h[3]);
double shares_normal(const shares *s, const int h[3], int axis);
#endif
