/* Ever coarser trees, and interpolation between their faces: the multigrid of a tree's system. */
#ifndef STAGE_VISCOSITY_TREE_LADDER_H
#define STAGE_VISCOSITY_TREE_LADDER_H

#include "stage/viscosity/tree_system.h"

enum { LADDER_STEPS = 12 };

typedef struct tree_ladder {
    int steps;
    tree t[LADDER_STEPS];   /* coarser and coarser */
    sparse P[LADDER_STEPS]; /* unknowns of one to those of the one before */
    int columns[LADDER_STEPS];
    buffer most_memory, number_memory[LADDER_STEPS];
} tree_ladder;

void tree_ladder_free(tree_ladder *l);
size_t tree_ladder_bytes(const tree_ladder *l);
/* For the system's tree and unknowns; -1: no memory. */
int tree_ladder_build(tree_ladder *l, const tree_system *s);
#endif
