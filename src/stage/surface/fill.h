/* The level that a fill's surface stands at. */
#ifndef STAGE_SURFACE_FILL_H
#define STAGE_SURFACE_FILL_H

#include "grid/openings.h"
#include "solid/shape.h"

/* Signed distance in cells to the free surface of the shapes together, cut at a few cells [m], negative
 * inside; sides of the shapes that lie on or behind walls do not count. The border is filled too. layer:
 * scratch bytes; node_solid may be NULL. */
void fill_level(float *d, uint8_t *layer, const mac_grid *g, const openings *o, const float *node_solid,
                shape *const *shapes, int count);
#endif
