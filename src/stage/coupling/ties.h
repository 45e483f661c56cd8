/* Bodies that joints tie to each other, in the pressure solve. */
#ifndef STAGE_COUPLING_TIES_H
#define STAGE_COUPLING_TIES_H

#include "core/parallel.h"
#include "stage/coupling/body.h"

/* A row of Z: a motion that a joint does not let two bodies make. */
typedef struct coupled_tie {
    const body_tie *of;
    int body[2];        /* in the coupling */
    double row[2][SIX]; /* both together of size 1; 0: the bodies are held that far without it */
    double driven[2];   /* along the row of a motor that holds its speed, in the same measure */
    double speed;       /* what the row times L^T V is to be: that motor's doing */
} coupled_tie;

typedef struct tied_group {
    int count, *bodies; /* rising */
    int tie_count;
    coupled_tie *ties;
    double *factor;  /* [tie_count]^2: Cholesky's of Z Z^T */
    double *impulse; /* [tie_count]: of each row, when last asked for */
    int motions;     /* that are left */
    double *basis;   /* [motions][SIX count]: L^-T B */
    int cells;       /* of all its bodies, each once */
    int *at;         /* [count] and [SIX count] twice: scratch */
    double *y, *left;
} tied_group;

struct coupled_ties {
    int count;
    tied_group *groups;
    int tie_count;
    coupled_tie *list;
    int *numbers;
    double *reals;
    size_t room[4]; /* bytes of these */
};

void ties_free(coupling *c);
size_t ties_bytes(const coupling *c);
/* Who is tied to whom; -1: no memory. */
int ties_find(coupling *c, const body_ties *ties);
/* NULL: no tie holds the body. */
tied_group *ties_of(const coupling *c, const coupled_body *b);
/* Before a solve, when every body is bound by itself: velocities that ties leave, and motions for the rows.
 */
void ties_bind(coupling *c, pool *p);
/* After it: what ties leave of the change that pressure makes. */
void ties_push(coupling *c, pool *p);
/* Rows of a group for the solver, from term `first` on; scale: of what pressure does. */
void ties_rows(coupling *c, tied_group *t, int first, double scale);
INLINE int ties_terms(const tied_group *t) {
    return (t->motions + POISSON_RANK - 1) / POISSON_RANK;
}
#endif
