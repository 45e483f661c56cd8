/* Carries values on faces outwards from where they are known. */
#ifndef GRID_EXTRAPOLATE_H
#define GRID_EXTRAPOLATE_H

#include "grid/mac.h"

enum { EXTRAPOLATE_UNKNOWN = 255, EXTRAPOLATE_FIXED = 254 }; /* fixed: known, but no source for others */

/* Scratch of the sweeps. */
typedef struct front {
    uint8_t *layer; /* in the box's layout: 0 where the value is known, EXTRAPOLATE_UNKNOWN elsewhere */
    uint8_t *next;  /* the layers as a sweep leaves them */
    int *reach;     /* per row, the samples reached by the last two layers */
} front;

/* -1: no memory. */
int front_make(front *f, const mac_grid *g);
void front_free(front *f);
size_t front_bytes(const mac_grid *g);

/* Breadth first (Sommer 2018): an unknown sample becomes the mean of its axis neighbours in earlier layers,
 * `layers` times; with `far`, also that field, known at the same places, far_layers >= layers times. f->layer
 * must be set for owned samples and border; on return it holds the layer at which a sample was reached.
 * Samples never reached keep their value. A layer reads only earlier ones, so the result does not depend on
 * the order. `axis` says which faces the values live on. */
void extrapolate(float *value, int layers, float *far, int far_layers, front *f, const mac_grid *g, int axis);
#endif
