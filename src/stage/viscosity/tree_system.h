/* The viscous system of a tree: its samples of strain, as rows of a sparse matrix. */
#ifndef STAGE_VISCOSITY_TREE_SYSTEM_H
#define STAGE_VISCOSITY_TREE_SYSTEM_H

#include "linear/sparse.h"
#include "stage/viscosity/tree_strain.h"

/* A leaf's normal strain along an axis, or (leaf -1) the shear of an edge along it. */
typedef struct tree_sample {
    int32_t leaf, at[3], length, axis, around[4];
} tree_sample;

/* Square roots of the energies' factors: of the normal strain, or of both parts of the shear
 * (strain_add_shear: the first and the second). Both 0: the sample is left out. volume: in cells. */
typedef void tree_weigh(void *user, const tree_sample *s, double volume, double factor[2]);

typedef struct tree_system {
    strain_rules rules;
    sparse terms;   /* a row a sample, in unknowns */
    double *offset; /* of rows: what known faces and walls add */
    int *number;    /* of faces: the unknown, or -1: known */
    double *value;  /* of faces: the velocity of known ones; of unknowns a start, and the solution */
    double *mass;   /* of faces, from the caller */
    int unknowns, samples;
    tree_sample *sample;
    double *x, *b, *m; /* of unknowns */
    int *count;
    buffer sample_memory, offset_memory, face_memory, vector_memory, count_memory;
} tree_system;

/* Finds the samples and makes room for the faces' number, value and mass; -1: no memory. */
int tree_system_begin(tree_system *s, const strain_rules *rules);
/* Takes in which faces are unknown (number >= 0 for those, any value) and the velocities of known ones. */
int tree_system_rows(tree_system *s, tree_weigh *weigh, void *user);
void tree_system_free(tree_system *s);
size_t tree_system_bytes(const tree_system *s);

/* Solves for value[] of unknown faces, with mass[] and the right-hand side push[] of faces. */
int tree_system_setup(tree_system *s, sparse_solver *by);
sparse_result tree_system_solve(tree_system *s, sparse_solver *by, const double *push, double tolerance,
                                int max_iterations);
#endif
