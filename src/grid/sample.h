/* Linear interpolation of one field at one place; for kernels over many particles see particle/transfer.h.
 * Places are in cells from the domain's corner; everything is clamped into the border, NaN included. */
#ifndef GRID_SAMPLE_H
#define GRID_SAMPLE_H

#include "grid/mac.h"

/* Where a place lies between two samples along an axis: the step to the lower one, and how far on it is. */
typedef struct sample_spot {
    ptrdiff_t at;
    float t;
} sample_spot;

static inline sample_spot sample_along(const box *b, int axis, float s) {
    const float low = -GHOST, high = (float)(b->n[axis] + GHOST - 1);
    s = s > low ? s : low; /* also where s is not a number */
    s = s < high ? s : high;
    const int i = (int)(s + GHOST) - GHOST;
    return (sample_spot){i * b->step[axis], s - (float)i};
}

/* Between the eight samples (four in 2D) at and above the spots along the axes. */
static inline float sample_between(const float *f, const box *b, sample_spot x, sample_spot y,
                                   sample_spot z) {
    ptrdiff_t at = b->first + x.at + y.at + z.at;
    const ptrdiff_t sx = b->step[0], sy = b->step[1], sz = b->dim == 3 ? b->step[2] : 0;
    float plane[2] = {0};
    for (int k = 0; k < (b->dim == 3 ? 2 : 1); ++k, at += sz) {
        float row0 = f[at] + x.t * (f[at + sx] - f[at]);
        float row1 = f[at + sy] + x.t * (f[at + sy + sx] - f[at + sy]);
        plane[k] = row0 + y.t * (row1 - row0);
    }
    return b->dim == 3 ? plane[0] + z.t * (plane[1] - plane[0]) : plane[0];
}

/* A field whose sample (i, j, k) sits at (i, j, k) + offset: 0.5 0.5 0.5 for cells, 0 along its axis for
 * faces. */
static inline float sample_field(const float *f, const mac_grid *g, const float offset[3], const float x[3]) {
    sample_spot spot[3] = {{0}};
    for (int a = 0; a < g->box.dim; ++a) spot[a] = sample_along(&g->box, a, x[a] - offset[a]);
    return sample_between(f, &g->box, spot[0], spot[1], spot[2]);
}

static inline float sample_cells(const float *f, const mac_grid *g, const float x[3]) {
    return sample_field(f, g, (const float[3]){0.5f, 0.5f, 0.5f}, x);
}

static inline float sample_nodes(const float *f, const mac_grid *g, const float x[3]) {
    return sample_field(f, g, (const float[3]){0, 0, 0}, x);
}

static inline void sample_faces(float u[3], const mac_field *f, const mac_grid *g, const float x[3]) {
    sample_spot middle[3] = {{0}}, own[3] = {{0}}; /* between centres of faces; between the axis' own faces */
    for (int a = 0; a < g->box.dim; ++a) {
        middle[a] = sample_along(&g->box, a, x[a] - 0.5f);
        own[a] = sample_along(&g->box, a, x[a]);
    }
    u[0] = sample_between(f->value[0], &g->box, own[0], middle[1], middle[2]);
    u[1] = sample_between(f->value[1], &g->box, middle[0], own[1], middle[2]);
    if (g->box.dim == 3) u[2] = sample_between(f->value[2], &g->box, middle[0], middle[1], own[2]);
}
#endif
