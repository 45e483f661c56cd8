/* Sparse matrices by rows, and conjugate gradients for B^T B made of them. */
#ifndef LINEAR_SPARSE_H
#define LINEAR_SPARSE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/buffer.h"
#include "core/parallel.h"

/* Entries of row r: first[r] .. first[r + 1]. A column may come twice. */
typedef struct sparse {
    int rows;
    int *first;
    int32_t *column;
    double *value;
    buffer first_memory, entry_memory;
} sparse;

/* Room for rows and their entries, contents lost; -1: no memory. */
int sparse_hold_rows(sparse *a, int rows);
int sparse_hold_entries(sparse *a, int entries);
void sparse_free(sparse *a);
size_t sparse_bytes(const sparse *a);

/* to = a b, b with that many columns; the transposed matrix, its rows in order. spare: kept between calls.
 * -1: no memory. */
int sparse_multiply(sparse *to, const sparse *a, const sparse *b, int columns, buffer *spare, pool *p);
int sparse_transpose(sparse *to, const sparse *a, int columns);

typedef enum { SPARSE_JACOBI, SPARSE_IC, SPARSE_MULTIGRID } sparse_kind;

typedef struct sparse_result {
    int iterations;
    double residual; /* |b - A x| / |b|, 2-norm */
    bool converged;
} sparse_result;

#define SPARSE_LEAST 1e-30 /* a smaller diagonal is none */

typedef struct sparse_solver sparse_solver;

sparse_solver *sparse_solver_create(pool *p, sparse_kind kind); /* NULL: no memory */
void sparse_solver_free(sparse_solver *s);
size_t sparse_solver_bytes(const sparse_solver *s);

/* Interpolations to the unknowns of a system from ever fewer: P[n] has columns[n] columns, as many rows as
 * P[n - 1] columns, the first one as many as there are unknowns. */
typedef struct sparse_ladder {
    const sparse *P;
    const int *columns;
    int steps;
} sparse_ladder;

/* A = B^T B, taken in; an unknown that nothing holds is left out. ladder: of
 * SPARSE_MULTIGRID alone. -1: no memory. */
int sparse_solver_setup(sparse_solver *s, const sparse *terms, int unknowns, const sparse_ladder *ladder);
int64_t sparse_solver_unknowns(const sparse_solver *s); /* that are held */
/* x: a warm start in, the solution out; a start that is worse than 0 is none. */
sparse_result sparse_solve(sparse_solver *s, double *x, const double *b, double tolerance,
                           int max_iterations);
/* y = A x */
void sparse_product(const sparse_solver *s, double *y, const double *x);
#endif
