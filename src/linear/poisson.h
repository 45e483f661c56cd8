/* Symmetric 7-point (5 in 2D) systems on a box, A x = b with
 *   (A x)_c = sum over faces a_f (x_c - x_neighbour) + extra_c x_c,
 * and two solvers for them: CG preconditioned by multigrid, and by modified incomplete Cholesky. */
#ifndef LINEAR_POISSON_H
#define LINEAR_POISSON_H

#include <stdbool.h>
#include "core/box.h"
#include "core/parallel.h"
#include <rheo/status.h>

/* Fields in the box's layout. A face coefficient between two cells that are not both unknowns must be 0 (put
 * what it does into extra). Coefficients are >= 0, of order one. */
typedef struct poisson_system {
    const float *face[3];   /* a_f of the low face across an axis; face[2] is NULL in 2D */
    const float *extra;     /* Dirichlet share of the diagonal: air and open walls */
    const uint8_t *unknown; /* 1: the cell is an unknown */
} poisson_system;

typedef enum { POISSON_MULTIGRID, POISSON_MIC } poisson_kind;

typedef struct poisson_result {
    int64_t unknowns;
    int iterations;
    double residual; /* |b - A x| / |b|, 2-norm, recomputed at the end */
    bool converged;
    int closed_regions; /* connected regions with no extra anywhere: singular, solved up to a constant */
    double
        incompatibility; /* |sum of b| over closed regions, what had to be projected out, relative to |b|_1 */
    double size;         /* |b|_1; 0 where there are no closed regions */
} poisson_result;

typedef struct poisson poisson;

/* Along a periodic axis of the box cell 0 lies beside the last one, across the faces 0 and n, which are the
 * same and must have the same coefficient. Multigrid alone can do so, with even counts. */
bool poisson_can_wrap(const box *b, poisson_kind kind);
/* Multiples of this many cells along a periodic axis are solved at full speed. Rows are halved while they
 * stay even: 4 mod 8 leaves so long ones that a solve takes twice (244 cells in 2D: five times) as long, 2
 * mod 4 ten to forty times. */
enum { POISSON_WRAP_CELLS = 8 };
poisson *poisson_create(const box *b, pool *p, poisson_kind kind); /* NULL: no memory, or cannot wrap */
void poisson_free(poisson *s);
size_t poisson_bytes(const poisson *s);
pool *poisson_pool(const poisson *s); /* that it was made with */

/* Takes in the system (copied in compact form); several solves may follow. -1: no memory. */
int poisson_setup(poisson *s, const poisson_system *system);

/* A term of low rank beside A until the next setup: A + sum over groups of C C^T, where C^T x = sum over the
 * group's rows of value x_cell. Cells are places in the box's layout; one that is no unknown counts as 0, one
 * that comes twice as the sum (at the price of iterations); rising ones are found fastest. Group g has the
 * rows first[g] .. first[g + 1]; 0 groups: no term. -1: no memory. */
enum { POISSON_RANK = 6 };
typedef struct poisson_row {
    int32_t cell;
    float value[POISSON_RANK];
} poisson_row;
typedef struct poisson_term {
    const poisson_row *rows;
    const int *first;
    int groups;
} poisson_term;
int poisson_attach(poisson *s, const poisson_row *rows, const int *first, int groups);

/* Connected regions of unknowns without a cell that is POISSON_MARKED: theirs become POISSON_APART. mark:
 * bytes in the box's layout, 0 or POISSON_MARKED. Returns whether there are any; -1: no memory. */
enum { POISSON_MARKED = 1, POISSON_APART = 2 };
int poisson_find_apart(poisson *s, uint8_t *mark);

/* x: warm start in, solution out, 0 outside the unknowns. The mean over each closed region is 0. */
poisson_result poisson_solve(poisson *s, float *x, const float *b, double tolerance, int max_iterations);
/* The same for loose tolerances (>= 1e-4) and without a warm start: x is only written, the residual is that
 * of float recursions. */
poisson_result poisson_estimate(poisson *s, float *x, const float *b, double tolerance, int max_iterations);

/* For preconditioners of larger systems: x = M b by one symmetric cycle, without the means of closed regions.
 * x is written in the blocks of unknowns alone. */
void poisson_cycle(poisson *s, float *x, const float *b);
/* Another box from the next setup on, of as many dimensions and periodic as the first along no axis. */
void poisson_move(poisson *s, const box *b);
#endif
