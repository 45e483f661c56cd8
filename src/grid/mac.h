/* The staggered (MAC) grid: pressures in cells, velocity components on faces, solid distances at nodes. */
#ifndef GRID_MAC_H
#define GRID_MAC_H

#include "core/box.h"
#include "core/parallel.h"

typedef struct mac_grid {
    box box;
    double dx;        /* m */
    double origin[3]; /* m, the low corner of cell (0, 0, 0) */
    pool *pool;       /* threads of the loops over this grid; not owned */
} mac_grid;

/* A velocity field, or anything else on faces: value[axis] lives on the low faces across that axis, and owns
 * one more layer of faces than cells along it. value[2] is NULL in 2D. */
typedef struct mac_field {
    float *value[3]; /* m/s for a velocity */
} mac_field;

/* A place counted in cells from the low corner; in 2D all places are in the middle of the layer. */
static inline void mac_place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->origin[2] + g->dx * (g->box.dim == 3 ? k : 0.5);
}

/* One value a cell, or one component, all 0; -1: no memory. */
int field_make(float **field, const mac_grid *g);
/* All fields in one block; 0 on success, -1 when there is no memory. */
int mac_field_make(mac_field *f, const mac_grid *g);
void mac_field_free(mac_field *f);
void mac_field_copy(mac_field *to, const mac_field *from, const mac_grid *g);
#endif
