/* Carries values on faces outwards from where they are known. */
#ifndef GRID_EXTRAPOLATE_H
#define GRID_EXTRAPOLATE_H

#include "grid/mac.h"

enum { EXTRAPOLATE_UNKNOWN = 255 };

/* Breadth first (Sommer 2018): an unknown sample becomes the mean of its axis neighbours in earlier layers,
 * `layers` times. layer[]: 0 where the value is known, EXTRAPOLATE_UNKNOWN elsewhere, in the box's layout,
 * owned samples and border; on return the layer at which a sample was reached. Samples never reached keep
 * their value. A layer reads only earlier ones, so the result does not depend on the order. `axis` says which
 * faces `value` lives on; -1 for cells. */
void extrapolate(float *value, uint8_t *layer, const mac_grid *g, int axis, int layers);
/* 0 where `layer` says that nothing was reached. */
void extrapolate_clear(float *value, const uint8_t *layer, const mac_grid *g, int axis);
#endif
