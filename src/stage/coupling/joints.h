/* Bodies that joints link to each other, in the pressure solve. */
#ifndef STAGE_COUPLING_JOINTS_H
#define STAGE_COUPLING_JOINTS_H

#include "core/parallel.h"
#include "stage/coupling/body.h"

/* A row of Z: a motion that a joint does not let two bodies make. */
typedef struct coupled_row {
    const joint_row *of;
    int body[2];        /* in the coupling */
    double row[2][SIX]; /* both together of size 1; 0: the rows before imply it */
    double driven[2];   /* along the row of a motor that holds its speed, in the same measure */
    double speed;       /* what the row times L^T V is to be: that motor's doing */
} coupled_row;

typedef struct joint_group {
    int count, *bodies; /* rising */
    int row_count;
    coupled_row *rows;
    double *factor;  /* [row_count]^2: Cholesky's of Z Z^T */
    double *impulse; /* [row_count]: of each row, when last asked for */
    int motions;     /* that are left */
    double *basis;   /* [motions][SIX count]: L^-T B */
    int cells;       /* of all its bodies, each once */
    int *at;         /* [count] and [SIX count] twice: scratch */
    double *y, *left;
} joint_group;

struct coupled_joints {
    int count;
    joint_group *groups;
    int row_count;
    coupled_row *list;
    int *numbers;
    double *reals;
    size_t capacity[4]; /* bytes of these */
};

void joints_free(coupling *c);
size_t joints_bytes(const coupling *c);
/* Who is linked to whom; -1: no memory. */
int joints_find(coupling *c, const joint_rows *rows);
/* NULL: no joint links the body to another. */
joint_group *joints_of(const coupling *c, const coupled_body *b);
/* Before a solve, when every body is bound by itself: velocities that joint rows leave, and motions for the
 * rows.
 */
void joints_bind(coupling *c, pool *p);
/* After it: what joint rows leave of the change that pressure makes. */
void joints_push(coupling *c, pool *p);
/* Rows of a group for the solver, from term `first` on; scale: of what pressure does. */
void joints_rows(coupling *c, joint_group *t, int first, double scale);
INLINE int joints_terms(const joint_group *t) {
    return (t->motions + POISSON_RANK - 1) / POISSON_RANK;
}
#endif
