/* Where liquid lets go, guessed on a grid of half the cells a side.
 *
 * An active-set method moves the border of the active set by few cells a round, so that rounds grow with the
 * resolution; started from the answer of a coarser grid they do not (nested iteration, as in full multigrid;
 * Brandt and Cryer 1983 for complementarity). The coarse problem sums 2 x 2 x 2 cells: b as it is, faces and
 * extras halved, which is the conductance of cells twice as wide. A coarse cell is bounded where one of its
 * cells is. It is solved loosely, its own guess coming from the next coarser grid. A few sweeps of projected
 * Gauss-Seidel on the fine grid then find what the coarse one cannot see; what they leave at 0 is the guess.
 *
 * Only a guess: terms of low rank are left out, and the rounds that follow are right from any start. Limits:
 * none is made for periodic boxes. */
#include "linear/lcp_predict.h"

#include "core/memory.h"

enum { CELLS_LEAST = 16, SWEEPS = 4 };
static const double GUESS_TOLERANCE = 1e-2;

typedef struct coarse_problem {
    box b;
    float *face[3], *extra, *rhs, *x;
    uint8_t *unknown, *bounded;
    poisson *solver;
    lcp *walls;
} coarse_problem;

static void coarse_free(coarse_problem *c) {
    void *const blocks[] = {c->face[0], c->face[1], c->face[2], c->extra,
                            c->rhs,     c->x,       c->unknown, c->bounded};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    poisson_free(c->solver);
    lcp_free(c->walls);
}

static int coarse_make(coarse_problem *c, const box *fine, pool *workers) {
    int n[3] = {1, 1, 1}, bad = 0;
    for (int a = 0; a < fine->dim; ++a) n[a] = (fine->n[a] + 1) / 2;
    *c = (coarse_problem){.b = box_make(fine->dim, n)};
    const size_t bytes = c->b.size * sizeof(float);
    for (int a = 0; a < fine->dim; ++a) bad |= !(c->face[a] = mem_alloc(bytes));
    c->extra = mem_alloc(bytes);
    c->rhs = mem_alloc(bytes);
    c->x = mem_alloc(bytes);
    c->unknown = mem_alloc(c->b.size);
    c->bounded = mem_alloc(c->b.size);
    c->solver = poisson_create(&c->b, workers, POISSON_MULTIGRID);
    c->walls = lcp_create(&c->b);
    return bad || !c->extra || !c->rhs || !c->x || !c->unknown || !c->bounded || !c->solver || !c->walls ? -1
                                                                                                         : 0;
}

typedef struct job {
    coarse_problem *c;
    float *x;
    const box *b;
    const lcp_problem *p;
    const float *rhs;
    uint8_t *active;
    int colour;
} job;

/* Adds a cell to the one that it is part of. */
static void sum_cell(const job *s, ptrdiff_t to, const int at[3]) {
    coarse_problem *c = s->c;
    const ptrdiff_t from = box_at(s->b, at[0], at[1], at[2]);
    if (!s->p->system.unknown[from]) return;
    c->unknown[to] = 1;
    c->bounded[to] |= s->p->bounded[from] == 1;
    c->extra[to] += 0.5f * s->p->system.extra[from];
    c->rhs[to] += s->rhs[from];
    for (int a = 0; a < s->b->dim; ++a)
        if (at[a] % 2 == 0) c->face[a][to] += 0.5f * s->p->system.face[a][from];
}

/* One row of coarse cells. */
static void sum_task(void *context, int row) {
    const job *s = context;
    const int *n = s->b->n, j = row % s->c->b.n[1], k = row / s->c->b.n[1];
    for (int kk = 2 * k; kk < 2 * k + 2 && kk < n[2]; ++kk)
        for (int jj = 2 * j; jj < 2 * j + 2 && jj < n[1]; ++jj)
            for (int i = 0; i < n[0]; ++i) sum_cell(s, box_at(&s->c->b, i / 2, j, k), (int[3]){i, jj, kk});
}

static void spread_task(void *context, int row) {
    const job *s = context;
    const int j = row % s->b->n[1], k = row / s->b->n[1];
    for (int i = 0; i < s->b->n[0]; ++i)
        s->x[box_at(s->b, i, j, k)] = s->c->x[box_at(&s->c->b, i / 2, j / 2, k / 2)];
}

/* Projected Gauss-Seidel over the cells of one colour in a row. */
static void relax_task(void *context, int row) {
    const job *s = context;
    const box *b = s->b;
    const poisson_system *m = &s->p->system;
    const int j = row % b->n[1], k = row / b->n[1];
    for (int i = (j + k + s->colour) % 2; i < b->n[0]; i += 2) {
        const ptrdiff_t c = box_at(b, i, j, k);
        if (!m->unknown[c]) continue;
        float sum = s->rhs[c], d = m->extra[c];
        for (int a = 0; a < b->dim; ++a) { /* beyond the box there are no coefficients */
            const float down = m->face[a][c], up = m->face[a][c + b->step[a]];
            if (down > 0) sum += down * s->x[c - b->step[a]];
            if (up > 0) sum += up * s->x[c + b->step[a]];
            d += down + up;
        }
        const float next = d > 0 ? sum / d : 0;
        s->x[c] = s->p->bounded[c] == 1 && next < 0 ? 0 : next;
    }
}

static int solve_coarse(job *s, pool *workers) {
    coarse_problem *c = s->c;
    parallel_for(workers, c->b.n[1] * c->b.n[2], sum_task, s);
    const lcp_problem coarse = {.system = {{c->face[0], c->face[1], c->face[2]}, c->extra, c->unknown},
                                .bounded = c->bounded};
    lcp_result ignored;
    return lcp_solve(&ignored, c->walls, c->solver, c->x, c->rhs, &coarse, GUESS_TOLERANCE, 100);
}

/* Bounded cells of a row that the sweeps left at 0. */
static double mark_task(void *context, int row) {
    const job *s = context;
    const ptrdiff_t first = box_at(s->b, 0, row % s->b->n[1], row / s->b->n[1]);
    int found = 0;
    for (ptrdiff_t c = first; c < first + s->b->n[0]; ++c) {
        if (!s->p->system.unknown[c] || s->p->bounded[c] != 1) continue;
        s->active[c] = s->x[c] <= 0;
        found += s->active[c];
    }
    return found;
}

int lcp_predict(uint8_t *active, float *x, const box *b, const lcp_problem *p, const float *rhs,
                pool *workers) {
    for (int a = 0; a < b->dim; ++a)
        if (b->n[a] < CELLS_LEAST || b->periodic[a]) return 0;
    coarse_problem c;
    job s = {.c = &c, .x = x, .b = b, .p = p, .rhs = rhs, .active = active};
    const int rows = b->n[1] * b->n[2];
    int found = coarse_make(&c, b, workers) || solve_coarse(&s, workers) ? -1 : 0;
    if (found == 0) {
        parallel_for(workers, rows, spread_task, &s);
        for (int sweep = 0; sweep < 2 * SWEEPS; ++sweep) {
            s.colour = sweep % 2;
            parallel_for(workers, rows, relax_task, &s);
        }
        found = (int)parallel_sum(workers, rows, mark_task, &s);
    }
    if (found <= 0) parallel_zero(workers, x, b->size * sizeof *x);
    coarse_free(&c);
    return found;
}
