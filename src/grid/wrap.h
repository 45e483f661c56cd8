/* Periodic axes of a grid: sample n is sample 0 again, for cells, faces and nodes alike. Nothing happens on a
 * grid without any. */
#ifndef GRID_WRAP_H
#define GRID_WRAP_H

#include "grid/mac.h"

static inline int is_periodic(const mac_grid *g) {
    return g->box.periodic[0] | g->box.periodic[1] | g->box.periodic[2];
}

/* The border, and sample n, from the samples 0 ... n - 1 of the other side. */
void wrap_field(float *f, const mac_grid *g);
void wrap_bytes(uint8_t *f, const mac_grid *g);
void wrap_faces(mac_field *f, const mac_grid *g);

/* Adds what was summed into the border, one sample deep, and into sample n to the samples that they stand
 * for; the border is left as it is. */
void fold_field(float *f, const mac_grid *g);

/* A place along a periodic axis of n cells, moved by up to one period into [0, n). */
static inline float wrap_place(float x, int n) {
    const float period = (float)n;
    if (x < 0) x += period;
    if (x >= period) x -= period;
    return x >= 0 && x < period ? x : 0;
}
#endif
