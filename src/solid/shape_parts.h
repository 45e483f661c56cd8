/* What a compiled shape holds, for the files that measure and sample it. */
#ifndef SOLID_SHAPE_PARTS_H
#define SOLID_SHAPE_PARTS_H

#include <stdbool.h>
#include "geom/mesh.h"
#include "solid/shape.h"

struct shape {
    rheo_shape_kind kind;
    double a[3], b[3]; /* box: centre and half sides; torus and plane: b of unit length */
    double length;     /* of the segment from a to b */
    double radius, tube;
    mesh_tree *tree;
    tri_mesh mesh;         /* what the tree was made from, in its own frame */
    bool sheet;            /* only the mesh's surface counts, half_thickness to either side */
    double half_thickness; /* m, in its own frame */
    shape *children;
    int child_count;

    double own_lower[3], own_upper[3]; /* bounds in its own frame */
    double centre[3];                  /* before the move */
    bool moved;                        /* there is a map to apply */
    bool flat;                         /* z does not count */
    double inverse[9];                 /* S^-1 R^T */
    double forward[9];                 /* R S */
    double move[3], shrink;            /* shrink: smallest |scale| */
};
#endif
