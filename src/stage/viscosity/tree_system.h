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
/* What the faces of a rigid body move as: u_face = arm . V, V the body's six unknowns. */
typedef void tree_arm(void *user, double arm[6], int face, int body);

enum { TREE_KNOWN = -1, TREE_BODY = -2 }; /* TREE_BODY - n: it moves with body n */

typedef struct tree_system {
    strain_rules rules;
    sparse terms;          /* a row a sample, in unknowns, then masses as rows */
    double *offset;        /* of rows: what known faces and walls add */
    uint8_t *tied;         /* of rows: whether there are any */
    int *number;           /* of faces: the unknown, TREE_KNOWN, TREE_BODY - n */
    double *value;         /* of faces: the velocity of known ones; of unknowns a start, and the solution */
    double *mass;          /* of faces, from the caller */
    int unknowns, samples; /* of unknowns the last are bodies', six each */
    int bodies;
    tree_weigh *weigh;
    tree_arm *arm;
    void *user;
    tree_sample *sample;
    double *x, *b, *m; /* of unknowns */
    int *count;
    buffer sample_memory, offset_memory, face_memory, vector_memory, count_memory;
} tree_system;

/* Finds the samples and makes room for the faces' number, value and mass; -1: no memory. */
int tree_system_begin(tree_system *s, const strain_rules *rules, int bodies);
/* Takes in which faces are unknown (any number >= 0), mass[], and the masses of bodies (36 each, positive
 * definite; arm() tells how their faces move). -1: no memory. */
int tree_system_setup(tree_system *s, tree_weigh *weigh, tree_arm *arm, void *user,
                      const double (*body_mass)[36]);
/* Solves with the solver that has taken in terms[] for value[] of unknown faces, which it starts from, and V
 * of bodies, with the right-hand sides of both and value[] of known faces; `user` as above. */
sparse_result tree_system_solve(tree_system *s, sparse_solver *by, const double *push, double (*V)[6],
                                const double (*body_push)[6], void *user, double tolerance,
                                int max_iterations);
void tree_system_free(tree_system *s);
size_t tree_system_bytes(const tree_system *s);
#endif
