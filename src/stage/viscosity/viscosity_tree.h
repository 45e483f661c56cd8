/* A viscous step on a graded tree whose smallest leaves are the grid's cells. */
#ifndef STAGE_VISCOSITY_TREE_H
#define STAGE_VISCOSITY_TREE_H

#include "stage/viscosity/tree_system.h"
#include "stage/viscosity/viscosity_inside.h"

typedef struct viscosity_tree viscosity_tree;

void viscosity_tree_free(viscosity_tree *tree);
size_t viscosity_tree_bytes(const viscosity_tree *tree);

/* The tree of the liquid, of the fields that viscosity_assemble() has filled; -1: no memory. */
int viscosity_tree_assemble(const job *w);
/* As viscous_solve(), after viscosity_load(). unknowns: the tree's. */
viscous_result viscosity_tree_solve(const job *w, mac_field *u, double (*V)[6], const double (*rhs)[6],
                                    double tolerance, int max_iterations);
#endif
