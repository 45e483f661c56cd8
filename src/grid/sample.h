/* Linear interpolation of one field at one place; for kernels over many particles see particle/transfer.h.
 * Places are in cells from the domain's corner; everything is clamped into the border, NaN included. */
#ifndef GRID_SAMPLE_H
#define GRID_SAMPLE_H

#include "grid/mac.h"

/* A field whose sample (i, j, k) sits at (i, j, k) + offset: 0.5 0.5 0.5 for cells, 0 along its axis for
 * faces. */
static inline float sample_field(const float *f, const mac_grid *g, const float offset[3], const float x[3]) {
    const box *b = &g->box;
    ptrdiff_t at = b->first;
    float t[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        float low = -GHOST, high = (float)(b->n[a] + GHOST - 1);
        float s = x[a] - offset[a];
        s = s > low ? s : low; /* also where s is not a number */
        s = s < high ? s : high;
        int i = (int)(s + GHOST) - GHOST;
        t[a] = s - (float)i;
        at += i * b->step[a];
    }
    const ptrdiff_t sx = b->step[0], sy = b->step[1], sz = b->dim == 3 ? b->step[2] : 0;
    float plane[2];
    for (int k = 0; k < (b->dim == 3 ? 2 : 1); ++k, at += sz) {
        float row0 = f[at] + t[0] * (f[at + sx] - f[at]);
        float row1 = f[at + sy] + t[0] * (f[at + sy + sx] - f[at + sy]);
        plane[k] = row0 + t[1] * (row1 - row0);
    }
    return b->dim == 3 ? plane[0] + t[2] * (plane[1] - plane[0]) : plane[0];
}

static inline float sample_cells(const float *f, const mac_grid *g, const float x[3]) {
    return sample_field(f, g, (const float[3]){0.5f, 0.5f, 0.5f}, x);
}

static inline float sample_nodes(const float *f, const mac_grid *g, const float x[3]) {
    return sample_field(f, g, (const float[3]){0, 0, 0}, x);
}

static inline void sample_faces(float u[3], const mac_field *f, const mac_grid *g, const float x[3]) {
    for (int a = 0; a < g->box.dim; ++a) {
        float offset[3] = {0.5f, 0.5f, 0.5f};
        offset[a] = 0;
        u[a] = sample_field(f->value[a], g, offset, x);
    }
}
#endif
