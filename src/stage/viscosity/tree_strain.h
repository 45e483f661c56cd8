/* Strain on a graded tree: what a sample of it is of the velocities of faces, and the volumes it stands for.
 * Lengths are in the smallest leaves' sides. */
#ifndef STAGE_VISCOSITY_TREE_STRAIN_H
#define STAGE_VISCOSITY_TREE_STRAIN_H

#include "grid/tree.h"

typedef enum {
    TREE_WANG,     /* E's: first order, and it brakes turning */
    TREE_QUADRATIC /* exact for linear velocities: second order */
} tree_scheme;

/* Sum of weight u_face + known. */
enum { STRAIN_ENTRIES = 64 };
typedef struct strain {
    int count;
    int32_t face[STRAIN_ENTRIES];
    double weight[STRAIN_ENTRIES], known;
} strain;

typedef struct strain_rules {
    const tree *t;
    tree_scheme scheme;
    /* The velocity that liquid has on the box's sides, at x in cells; NULL: 0. */
    double (*wall)(void *user, int axis, const double x[3]);
    void *user;
} strain_rules;

/* d u_axis / d x_axis in a leaf, added times `factor`. Its volume is the leaf's. */
void strain_add_normal(strain *s, const strain_rules *r, int leaf, int axis, double factor);

/* At an edge (tree_edge() has told `around` and `length`), of its other axes p < q: d u_p / d x_q where
 * `second` is 0, else d u_q / d x_p; added times `factor`. */
void strain_add_shear(strain *s, const strain_rules *r, int e, const int at[3], int length, int second,
                      double factor);
/* d u_c / d x_axis of a face's velocity u_c, from the faces next to it; added times `factor`. */
void strain_add_slope(strain *s, const strain_rules *r, int face, int axis, double factor);

/* The volume that the shear of an edge stands for. */
double strain_edge_volume(const strain_rules *r, const int around[4], int length);
/* And that of a face: half of each of its leaves. */
double strain_face_volume(const tree *t, int face);
#endif
