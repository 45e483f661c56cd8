/* The same systems solved by hypre: structured PCG with PFMG on one rank.
 *
 * Symmetric red-black Gauss-Seidel, one sweep each way, 7-point coarse operators: the fewest iterations of
 * the eight combinations of relaxation (weighted Jacobi or red-black), coarse operator and skipped
 * relaxation; by time the red-black ones with 7-point operators could not be told apart on a busy machine.
 * Cells that are no unknowns get rows of the identity, as hypre works on boxes.
 *
 * Counted, as of our own solver: setting the levels up and solving from zero, the median after a run that
 * warms up; filling the matrix in is not. Our solver keeps the memory of its levels from one setup to the
 * next. Hypre gives it back and asks for it again, so for its runs the allocator is told to keep what it is
 * given back: neither meets fresh pages after the first run. */
#include "bench_poisson.h"

#ifdef RHEO_HAVE_HYPRE
#include <HYPRE_struct_ls.h>
#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/timer.h"

enum { STENCIL = 4, PEER_RUNS = 3 };

typedef struct peer {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix matrix;
    HYPRE_StructVector rhs, x;
} peer;

/* Hypre's order: x fastest, entries of a cell together: diagonal, then low x, y, z. */
static void fill_values(double *matrix, double *rhs, const bench_system *s) {
    const box *b = &s->b;
    size_t at = 0;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i, ++at) {
                ptrdiff_t c = box_at(b, i, j, k);
                double diagonal = (double)s->extra[c];
                for (int a = 0; a < 3; ++a) {
                    diagonal += (double)s->face[a][c] + (double)s->face[a][c + b->step[a]];
                    matrix[at * STENCIL + 1 + (size_t)a] = -(double)s->face[a][c];
                }
                matrix[at * STENCIL] = s->unknown[c] && diagonal > 0 ? diagonal : 1;
                rhs[at] = s->unknown[c] ? (double)s->rhs[c] : 0;
            }
}

static void peer_make(peer *p, int n, double *matrix, double *rhs) {
    int low[3] = {0, 0, 0}, high[3] = {n - 1, n - 1, n - 1}, entries[STENCIL] = {0, 1, 2, 3};
    int offset[STENCIL][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    HYPRE_StructGridCreate(MPI_COMM_SELF, 3, &p->grid);
    HYPRE_StructGridSetExtents(p->grid, low, high);
    HYPRE_StructGridAssemble(p->grid);
    HYPRE_StructStencilCreate(3, STENCIL, &p->stencil);
    for (int e = 0; e < STENCIL; ++e) HYPRE_StructStencilSetElement(p->stencil, e, offset[e]);
    HYPRE_StructMatrixCreate(MPI_COMM_SELF, p->grid, p->stencil, &p->matrix);
    HYPRE_StructMatrixSetSymmetric(p->matrix, 1);
    HYPRE_StructMatrixInitialize(p->matrix);
    HYPRE_StructMatrixSetBoxValues(p->matrix, low, high, STENCIL, entries, matrix);
    HYPRE_StructMatrixAssemble(p->matrix);
    HYPRE_StructVectorCreate(MPI_COMM_SELF, p->grid, &p->rhs);
    HYPRE_StructVectorInitialize(p->rhs);
    HYPRE_StructVectorSetBoxValues(p->rhs, low, high, rhs);
    HYPRE_StructVectorAssemble(p->rhs);
    HYPRE_StructVectorCreate(MPI_COMM_SELF, p->grid, &p->x);
    HYPRE_StructVectorInitialize(p->x);
    HYPRE_StructVectorAssemble(p->x);
}

static void peer_drop(peer *p) {
    HYPRE_StructVectorDestroy(p->x);
    HYPRE_StructVectorDestroy(p->rhs);
    HYPRE_StructMatrixDestroy(p->matrix);
    HYPRE_StructStencilDestroy(p->stencil);
    HYPRE_StructGridDestroy(p->grid);
}

static double peer_solve(bench_solve *out, peer *p) {
    HYPRE_StructSolver pcg, pfmg;
    double start = timer_now();
    HYPRE_StructVectorSetConstantValues(p->x, 0);
    HYPRE_StructPCGCreate(MPI_COMM_SELF, &pcg);
    HYPRE_StructPCGSetTol(pcg, 1e-6);
    HYPRE_StructPCGSetMaxIter(pcg, 500);
    HYPRE_StructPCGSetTwoNorm(pcg, 1);
    HYPRE_StructPFMGCreate(MPI_COMM_SELF, &pfmg);
    HYPRE_StructPFMGSetMaxIter(pfmg, 1);
    HYPRE_StructPFMGSetTol(pfmg, 0);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetRelaxType(pfmg, 2);
    HYPRE_StructPFMGSetRAPType(pfmg, 1);
    HYPRE_StructPFMGSetNumPreRelax(pfmg, 1);
    HYPRE_StructPFMGSetNumPostRelax(pfmg, 1);
    HYPRE_StructPFMGSetSkipRelax(pfmg, 0);
    HYPRE_StructPCGSetPrecond(pcg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
    HYPRE_StructPCGSetup(pcg, p->matrix, p->rhs, p->x);
    double between = timer_now();
    HYPRE_StructPCGSolve(pcg, p->matrix, p->rhs, p->x);
    double seconds = timer_now() - start;
    out->setup_seconds = between - start;
    HYPRE_StructPCGGetNumIterations(pcg, &out->iterations);
    HYPRE_StructPCGGetFinalRelativeResidualNorm(pcg, &out->residual);
    HYPRE_StructPFMGDestroy(pfmg);
    HYPRE_StructPCGDestroy(pcg);
    HYPRE_ClearAllErrors();
    return seconds;
}

/* Whether memory that is freed stays with the process, as far as the C library lets one say so. */
static void keep_memory(int keep) {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, keep ? 0 : 65536);
    mallopt(M_TRIM_THRESHOLD, keep ? -1 : 128 * 1024);
    if (!keep) malloc_trim(0);
#else
    (void)keep;
#endif
}

static int by_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int peer_hypre_run(bench_solve *out, int n, bench_problem problem) {
    bench_system system;
    peer p;
    int started = 0;
    memset(out, 0, sizeof *out);
    MPI_Initialized(&started);
    if (!started && MPI_Init(NULL, NULL) != MPI_SUCCESS) return -1;
    if (bench_system_make(&system, n, problem)) return -1;
    size_t cells = box_cells(&system.b);
    double *matrix = mem_alloc(cells * STENCIL * sizeof *matrix), *rhs = mem_alloc(cells * sizeof *rhs);
    int failed = !matrix || !rhs;
    if (!failed) {
        double seconds[PEER_RUNS];
        fill_values(matrix, rhs, &system);
        for (size_t c = 0; c < system.b.size; ++c) out->unknowns += system.unknown[c];
        keep_memory(1);
        peer_make(&p, n, matrix, rhs);
        peer_solve(out, &p); /* warms up, as ours does */
        for (int run = 0; run < PEER_RUNS; ++run) seconds[run] = peer_solve(out, &p);
        qsort(seconds, PEER_RUNS, sizeof *seconds, by_seconds);
        out->seconds = seconds[PEER_RUNS / 2];
        peer_drop(&p);
        keep_memory(0);
    }
    mem_free(matrix);
    mem_free(rhs);
    bench_system_free(&system);
    return failed ? -1 : 0;
}
#else
int peer_hypre_run(bench_solve *out, int n, bench_problem problem) {
    (void)n;
    (void)problem;
    *out = (bench_solve){0};
    return -1;
}
#endif
