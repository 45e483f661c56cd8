/* Faces that solids cut, from the solids' distance at the nodes. */
#ifndef GRID_CUT_FACES_H
#define GRID_CUT_FACES_H

#include "geom/fractions.h"
#include "grid/mac.h"

/* From the middle of a face to that of its closed part, in cells; node_phi: from the face's own node on. */
static inline void face_closed_middle(double to[3], const float *node_phi, const box *b, int axis) {
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    to[0] = to[1] = to[2] = 0;
    if (b->dim == 2) {
        to[1 - axis] = closed_middle_segment((double)node_phi[0], (double)node_phi[b->step[1 - axis]]);
        return;
    }
    const double corner[4] = {(double)node_phi[0], (double)node_phi[b->step[p]], (double)node_phi[b->step[q]],
                              (double)node_phi[b->step[p] + b->step[q]]};
    double middle[2];
    closed_middle_square(middle, corner);
    to[p] = middle[0];
    to[q] = middle[1];
}
#endif
