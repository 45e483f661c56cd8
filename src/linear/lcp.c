/* Linear complementarity for Poisson systems by active sets of warm-started solves.
 *
 *   minimise 1/2 x A x - b x with x_c >= 0 in bounded cells, so that with r = A x - b
 *   x_c >= 0, r_c >= 0, x_c r_c = 0 there, and r = 0 elsewhere.
 *
 * A round fixes x = 0 in the active cells, which leave the unknowns and become a Dirichlet share of their
 * neighbours, and solves for the rest; then cells with x < 0 join and active ones with r < 0 leave (the
 * primal-dual active-set method of Hintermueller, Ito and Kunisch 2002, a Newton method on the
 * complementarity). For M-matrices, which 7-point systems are, it ends after finitely many rounds from any
 * start, and from the second round on x >= 0 and the active set only shrinks. With a term of low rank that is
 * no longer sure: from ROUNDS_FREE on cells may only join, which must end, and what r < 0 is left is
 * reported. x and r count as negative beyond what the solve leaves open, tolerance |b|; what remains of x < 0
 * is cut off at the end.
 *
 * Rounds from a warm start and those that few cells change in are solved to the tolerance, the others
 * loosely: they only move the border between cells that join and that leave.
 *
 * The start: bounded cells with x <= 0 and r > 0 in the warm start are active; without a warm start those
 * that a coarser grid says (lcp_predict.c). Where nothing separates the answer is, to the bit, the plain one.
 *
 * Closed regions (no extra at all): summing r over one gives - sum b, as constants are in A's null space.
 * sum b = 0 and r >= 0 make r = 0: nothing can separate in a full vessel, and the answers are x + constant;
 * the least of them has min x = 0 over bounded cells. sum b < 0, a region that is pulled wider, has an answer
 * only with r > 0 somewhere: a void opens, beginning where x is least. sum b > 0, squeezed, has none; as in
 * the plain solve the mean is taken off b. A body that only one side of leans on a region moves with its
 * constant, which then is no longer free; regions that bodies join so are taken as one, with one constant if
 * the bodies allow it.
 *
 * Limits: of several such groups of regions with bodies only the constant common to all is found. */
#include "linear/lcp.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "linear/lcp_predict.h"

enum { ROUNDS_FREE = 12, ROUNDS_MAX = 24, NO_REGION = -1, OPEN_REGION = -2 };
static const double FEW = 2e-3;   /* of the bounded cells: when so many change, the set is nearly right */
static const double LOOSE = 1e-2; /* residual of rounds that only look for the active cells */
static const double COMPATIBLE = 1e-5; /* |sum b| / sum |b| of a region that is only rounded */

typedef struct closed_region {
    double sum, size;          /* of b and |b| */
    double least;              /* x over bounded cells */
    int64_t active;            /* cells */
    int joined, fixed;         /* a body leans on it; and its constant is not free */
    double lean[POISSON_RANK]; /* C^T 1 of the body looked at */
} closed_region;

struct lcp {
    box b;
    float *face[3], *extra; /* the system without active cells */
    uint8_t *unknown;
    uint8_t *active;
    float *rest;   /* A x - b in bounded cells */
    int32_t *cell; /* the bounded unknowns */
    int count;
    int32_t *row;            /* scratch: where those of a row begin */
    int32_t *region, *queue; /* made when first needed */
    closed_region *closed;
    int regions, region_capacity;
};

/* ---- passes over the box ---- */

enum { ROWS = 16 }; /* a block */

typedef struct {
    lcp *l;
    const lcp_problem *p;
    float *x;
    const float *b;
} job;

static int rows_of(const box *b) {
    return b->n[1] * b->n[2];
}

/* for each row of a block, which begins at cell c */
#define FOR_ROWS(box, block, row, c)                                                                         \
    for (int row = (block)*ROWS, end_ = row + ROWS < rows_of(box) ? row + ROWS : rows_of(box); row < end_;   \
         ++row)                                                                                              \
        for (ptrdiff_t c = box_at(box, 0, row % (box)->n[1], row / (box)->n[1]), once_ = 1; once_; once_ = 0)

static int blocks_of(const box *b) {
    return block_count(rows_of(b), ROWS);
}

/* ---- memory ---- */

lcp *lcp_create(const box *b) {
    lcp *l = mem_alloc(sizeof *l);
    if (!l) return NULL;
    *l = (lcp){.b = *b};
    int bad = 0;
    for (int a = 0; a < b->dim; ++a) bad |= !(l->face[a] = mem_alloc(b->size * sizeof(float)));
    l->extra = mem_alloc(b->size * sizeof(float));
    l->rest = mem_alloc(b->size * sizeof(float));
    l->unknown = mem_alloc(b->size);
    l->active = mem_alloc(b->size);
    l->cell = mem_alloc(box_cells(b) * sizeof *l->cell);
    l->row = mem_alloc(((size_t)rows_of(b) + 1) * sizeof *l->row);
    if (!bad && l->extra && l->rest && l->unknown && l->active && l->cell && l->row) return l;
    lcp_free(l);
    return NULL;
}

void lcp_free(lcp *l) {
    if (!l) return;
    void *const blocks[] = {l->face[0], l->face[1], l->face[2], l->extra,  l->rest,  l->unknown,
                            l->active,  l->cell,    l->row,     l->region, l->queue, l->closed};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    mem_free(l);
}

size_t lcp_bytes(const lcp *l) {
    return sizeof *l + l->b.size * (((size_t)l->b.dim + 2) * sizeof(float) + 2) +
           box_cells(&l->b) * sizeof *l->cell * (l->queue ? 2 : 1) + (size_t)rows_of(&l->b) * sizeof *l->row +
           (l->region ? l->b.size * sizeof *l->region : 0) + (size_t)l->region_capacity * sizeof *l->closed;
}

const uint8_t *lcp_active(const lcp *l) {
    return l->active;
}

/* ---- the system without active cells ---- */

/* One cell of it: its low faces, its diagonal's share, whether it is an unknown. */
static void refresh(lcp *l, const poisson_system *full, ptrdiff_t c) {
    double share = 0;
    for (int a = 0; a < l->b.dim; ++a) {
        const ptrdiff_t low = c - l->b.step[a], high = c + l->b.step[a];
        const int cut = l->active[c] | l->active[low];
        l->face[a][c] = cut ? 0 : full->face[a][c];
        share += l->active[low] ? (double)full->face[a][c] : 0;
        share += l->active[high] ? (double)full->face[a][high] : 0;
    }
    l->unknown[c] = full->unknown[c] && !l->active[c];
    l->extra[c] = l->active[c] ? 0 : full->extra[c] + (float)share;
}

static void refresh_around(lcp *l, const poisson_system *full, ptrdiff_t c) {
    refresh(l, full, c);
    for (int a = 0; a < l->b.dim; ++a) { /* neighbours beyond the box have no coefficients */
        if (full->face[a][c] > 0) refresh(l, full, c - l->b.step[a]);
        if (full->face[a][c + l->b.step[a]] > 0) refresh(l, full, c + l->b.step[a]);
    }
}

INLINE int is_bounded(const lcp_problem *p, ptrdiff_t c) {
    return p->system.unknown[c] && p->bounded[c] == 1;
}

HOT static void count_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->l->b, block, row, c) {
        int count = 0;
        for (int i = 0; i < s->l->b.n[0]; ++i) count += is_bounded(s->p, c + i);
        s->l->row[row + 1] = count;
    }
}

static void list_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->l->b, block, row, c) {
        int32_t *next = s->l->cell + s->l->row[row];
        if (s->l->row[row] == s->l->row[row + 1]) continue;
        for (int i = 0; i < s->l->b.n[0]; ++i)
            if (is_bounded(s->p, c + i)) *next++ = (int32_t)(c + i);
    }
}

static void copy_system(lcp *l, const lcp_problem *p, pool *workers) {
    const box *b = &l->b;
    job s = {.l = l, .p = p};
    for (int a = 0; a < b->dim; ++a)
        parallel_copy(workers, l->face[a], p->system.face[a], b->size * sizeof(float));
    parallel_copy(workers, l->extra, p->system.extra, b->size * sizeof(float));
    parallel_copy(workers, l->unknown, p->system.unknown, b->size);
    parallel_zero(workers, l->active, b->size);
    parallel_for(workers, blocks_of(b), count_task, &s);
    l->row[0] = 0;
    for (int r = 0; r < rows_of(b); ++r) l->row[r + 1] += l->row[r];
    l->count = l->row[rows_of(b)];
    parallel_for(workers, blocks_of(b), list_task, &s);
}

/* ---- A x - b in bounded cells ---- */

/* rest += C C^T x */
static void add_low_rank(lcp *l, const lcp_problem *p, const float *x) {
    for (int g = 0; g < p->term.groups; ++g) {
        double sum[POISSON_RANK] = {0};
        for (int e = p->term.first[g]; e < p->term.first[g + 1]; ++e) {
            const poisson_row *k = &p->term.rows[e];
            for (int c = 0; c < POISSON_RANK; ++c) sum[c] += (double)k->value[c] * (double)x[k->cell];
        }
        for (int e = p->term.first[g]; e < p->term.first[g + 1]; ++e) {
            const poisson_row *k = &p->term.rows[e];
            double push = 0;
            for (int c = 0; c < POISSON_RANK; ++c) push += (double)k->value[c] * sum[c];
            l->rest[k->cell] += (float)push;
        }
    }
}

enum { CELLS = 1024 }; /* bounded ones, a block */

static void rest_task(void *context, int block) {
    const job *s = context;
    const lcp *l = s->l;
    const poisson_system *m = &s->p->system;
    const int from = block * CELLS, to = from + CELLS < l->count ? from + CELLS : l->count;
    for (int i = from; i < to; ++i) {
        const ptrdiff_t c = l->cell[i];
        const double mine = (double)s->x[c];
        double sum = (double)m->extra[c] * mine - (double)s->b[c];
        for (int a = 0; a < l->b.dim; ++a) {
            const ptrdiff_t low = c - l->b.step[a], high = c + l->b.step[a];
            const double down = (double)m->face[a][c], up = (double)m->face[a][high];
            if (down > 0) sum += down * (mine - (double)s->x[low]);
            if (up > 0) sum += up * (mine - (double)s->x[high]);
        }
        l->rest[c] = (float)sum;
    }
}

static void find_rest(lcp *l, const lcp_problem *p, float *x, const float *b, pool *workers) {
    job s = {.l = l, .p = p, .x = x, .b = b};
    for (int g = 0; g < p->term.groups; ++g) /* cells that only the term reaches are written too */
        for (int e = p->term.first[g]; e < p->term.first[g + 1]; ++e) l->rest[p->term.rows[e].cell] = 0;
    parallel_for(workers, block_count(l->count, CELLS), rest_task, &s);
    add_low_rank(l, p, x);
}

/* ---- closed regions ---- */

static int hold_regions(lcp *l) {
    if (!l->region) l->region = mem_alloc(l->b.size * sizeof *l->region);
    if (!l->queue) l->queue = mem_alloc(box_cells(&l->b) * sizeof *l->queue);
    return l->region && l->queue ? 0 : -1;
}

static closed_region *add_region(lcp *l) {
    if (l->regions == l->region_capacity) {
        const int capacity = l->region_capacity ? 2 * l->region_capacity : 16;
        closed_region *more = mem_alloc((size_t)capacity * sizeof *more);
        if (!more) return NULL;
        if (l->regions) memcpy(more, l->closed, (size_t)l->regions * sizeof *more);
        mem_free(l->closed);
        l->closed = more;
        l->region_capacity = capacity;
    }
    l->closed[l->regions] = (closed_region){0};
    return &l->closed[l->regions++];
}

static void enter(lcp *l, int *count, ptrdiff_t c, int32_t label) {
    if (l->region[c] != NO_REGION) return;
    l->region[c] = label;
    l->queue[(*count)++] = (int32_t)c;
}

/* The cells joined to one; they keep the label if no cell has extra. */
static int flood(lcp *l, const lcp_problem *p, const float *b, ptrdiff_t from) {
    closed_region found = {0};
    double extra = 0;
    int count = 0;
    const int32_t label = l->regions;
    enter(l, &count, from, label);
    for (int i = 0; i < count; ++i) {
        const ptrdiff_t c = l->queue[i];
        extra += (double)p->system.extra[c];
        found.sum += (double)b[c];
        found.size += fabs((double)b[c]);
        for (int a = 0; a < l->b.dim; ++a) {
            const ptrdiff_t step = l->b.step[a];
            if (p->system.face[a][c] > 0) enter(l, &count, c - step, label);
            if (p->system.face[a][c + step] > 0) enter(l, &count, c + step, label);
        }
    }
    if (extra > 0) {
        for (int i = 0; i < count; ++i) l->region[l->queue[i]] = OPEN_REGION;
        return 0;
    }
    closed_region *r = add_region(l);
    if (!r) return -1;
    *r = found;
    return 0;
}

static closed_region *region_at(lcp *l, ptrdiff_t c) {
    return l->region[c] < 0 ? NULL : &l->closed[l->region[c]];
}

static double length_of(const double v[POISSON_RANK]) {
    double sum = 0;
    for (int c = 0; c < POISSON_RANK; ++c) sum += v[c] * v[c];
    return sqrt(sum);
}

/* Which regions a body leans on with one side only, and whether all of them together still have a free
 * constant. */
static void join_regions(lcp *l, const lcp_problem *p) {
    int fixed = 0;
    for (int g = 0; g < p->term.groups; ++g) {
        double size = 0, all[POISSON_RANK] = {0};
        for (int i = 0; i < l->regions; ++i) memset(l->closed[i].lean, 0, sizeof l->closed[i].lean);
        for (int e = p->term.first[g]; e < p->term.first[g + 1]; ++e) {
            const poisson_row *k = &p->term.rows[e];
            closed_region *on = region_at(l, k->cell);
            for (int c = 0; c < POISSON_RANK; ++c) {
                if (on) on->lean[c] += (double)k->value[c];
                size += fabs((double)k->value[c]);
            }
        }
        for (int i = 0; i < l->regions; ++i) {
            if (!(length_of(l->closed[i].lean) > 1e-4 * size)) continue;
            l->closed[i].joined = 1;
            for (int c = 0; c < POISSON_RANK; ++c) all[c] += l->closed[i].lean[c];
        }
        fixed |= length_of(all) > 1e-4 * size;
    }
    double sum = 0, size = 0;
    for (int i = 0; i < l->regions; ++i) {
        sum += l->closed[i].joined ? l->closed[i].sum : 0;
        size += l->closed[i].joined ? l->closed[i].size : 0;
    }
    for (int i = 0; i < l->regions; ++i) {
        closed_region *r = &l->closed[i];
        if (!r->joined) continue;
        r->fixed = fixed;
        r->sum = sum;
        r->size = size;
    }
}

static int find_regions(lcp *l, const lcp_problem *p, const float *b) {
    if (hold_regions(l)) return -1;
    for (size_t i = 0; i < l->b.size; ++i) l->region[i] = NO_REGION;
    for (int i = 0; i < l->count; ++i) /* a region without bounded cells asks for nothing */
        if (l->region[l->cell[i]] == NO_REGION && flood(l, p, b, l->cell[i])) return -1;
    join_regions(l, p);
    return 0;
}

/* The least x of a region's bounded cells, and how many are active; joined ones share both. */
static void survey_regions(lcp *l, const float *x) {
    closed_region all = {.least = INFINITY};
    for (int i = 0; i < l->regions; ++i) {
        l->closed[i].least = INFINITY;
        l->closed[i].active = 0;
    }
    for (int i = 0; i < l->count; ++i) {
        closed_region *r = region_at(l, l->cell[i]);
        if (!r) continue;
        r->least = fmin(r->least, (double)x[l->cell[i]]);
        r->active += l->active[l->cell[i]];
    }
    for (int i = 0; i < l->regions; ++i) {
        const closed_region *r = &l->closed[i];
        if (!r->joined) continue;
        all.least = fmin(all.least, r->least);
        all.active += r->active;
    }
    for (int i = 0; i < l->regions; ++i) {
        closed_region *r = &l->closed[i];
        if (!r->joined) continue;
        r->least = all.least;
        r->active = all.active;
    }
}

static int has_free_constant(const closed_region *r) {
    return !r->fixed && r->active == 0;
}

static void lift_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->l->b, block, row, c) {
        for (int i = 0; i < s->l->b.n[0]; ++i) {
            const closed_region *r = s->p->system.unknown[c + i] ? region_at(s->l, c + i) : NULL;
            if (r && has_free_constant(r)) s->x[c + i] -= (float)r->least;
        }
    }
}

/* Moves x by constants where they are free so that no bounded cell is negative. */
static void lift_regions(lcp *l, const lcp_problem *p, float *x, pool *workers) {
    job s = {.l = l, .p = p, .x = x};
    survey_regions(l, x);
    parallel_for(workers, blocks_of(&l->b), lift_task, &s);
}

/* ---- rounds ---- */

/* Whether a region without active cells is pulled wider: a void opens where x is least. */
static int opens(const closed_region *r) {
    return r && has_free_constant(r) && r->sum < -COMPATIBLE * r->size;
}

static int exchange(lcp *l, const lcp_problem *p, const float *x, double limit, int may_leave) {
    int changes = 0;
    for (int i = 0; i < l->count; ++i) {
        const ptrdiff_t c = l->cell[i];
        const int leaves = l->active[c] && may_leave && (double)l->rest[c] < -limit;
        const int joins =
            !l->active[c] && ((double)x[c] < -limit || (l->regions && x[c] <= 0 && opens(region_at(l, c))));
        if (leaves || joins) {
            l->active[c] ^= 1;
            refresh_around(l, &p->system, c);
            ++changes;
        }
    }
    return changes;
}

static int has_start(const lcp *l, const float *x) {
    for (int i = 0; i < l->count; ++i)
        if (x[l->cell[i]] > 0) return 1;
    return 0;
}

/* Active cells from the warm start, without one from a coarser grid. -1: no memory. */
static int guess(lcp *l, const lcp_problem *p, float *x, const float *b, double limit, int is_cold,
                 pool *workers) {
    int found = 0;
    if (!is_cold) {
        find_rest(l, p, x, b, workers);
        for (int i = 0; i < l->count; ++i) {
            const ptrdiff_t c = l->cell[i];
            if (x[c] > 0 || !((double)l->rest[c] > limit)) continue;
            l->active[c] = 1;
            ++found;
        }
    } else found = lcp_predict(l->active, x, &l->b, p, b, workers);
    for (int i = 0; i < l->count; ++i)
        if (l->active[l->cell[i]]) refresh_around(l, &p->system, l->cell[i]);
    return found;
}

HOT static double square_task(void *context, int block) {
    const job *s = context;
    double sum = 0;
    FOR_ROWS(&s->l->b, block, row, c)
    for (int i = 0; i < s->l->b.n[0]; ++i) {
        const double b = s->p->system.unknown[c + i] ? (double)s->b[c + i] : 0;
        sum += b * b;
    }
    return sum;
}

static double squared_norm(lcp *l, const lcp_problem *p, const float *b, pool *workers) {
    job s = {.l = l, .p = p, .b = b};
    return parallel_sum(workers, blocks_of(&l->b), square_task, &s);
}

static void judge(lcp_result *out, lcp *l, const lcp_problem *p, float *x, const float *b, double norm,
                  pool *workers) {
    for (int i = 0; i < l->count; ++i) x[l->cell[i]] = x[l->cell[i]] > 0 ? x[l->cell[i]] : 0;
    find_rest(l, p, x, b, workers);
    out->least_value = l->count ? INFINITY : 0;
    for (int i = 0; i < l->count; ++i) {
        const double value = (double)x[l->cell[i]], rest = (double)l->rest[l->cell[i]] / norm;
        out->least_value = fmin(out->least_value, value);
        out->product = fmax(out->product, fabs(value * rest) / norm);
        if (!l->active[l->cell[i]]) continue;
        out->least_rest = fmin(out->least_rest, rest);
        ++out->active;
    }
}

int lcp_solve(lcp_result *out, lcp *l, poisson *solver, float *x, const float *b, const lcp_problem *p,
              double tolerance, int max_iterations) {
    const poisson_system reduced = {{l->face[0], l->face[1], l->face[2]}, l->extra, l->unknown};
    int is_set_up = 0;
    *out = (lcp_result){0};
    pool *workers = poisson_pool(solver);
    copy_system(l, p, workers);
    l->regions = 0;
    const double norm = sqrt(squared_norm(l, p, b, workers)), limit = tolerance * norm;
    const int is_cold = !has_start(l, x);
    int changes = guess(l, p, x, b, limit, is_cold, workers), labelled = 0, iterations = 0;
    if (changes < 0) return -1;
    double goal = changes && is_cold ? fmax(tolerance, LOOSE) : tolerance;
    for (;;) {
        if ((changes || !is_set_up) && (poisson_setup(solver, &reduced) ||
                                        poisson_attach(solver, p->term.rows, p->term.first, p->term.groups)))
            return -1;
        is_set_up = 1;
        out->solve = poisson_solve(solver, x, b, goal, max_iterations);
        iterations += out->solve.iterations;
        ++out->rounds;
        if (out->solve.closed_regions && !labelled) {
            if (find_regions(l, p, b)) return -1;
            labelled = 1;
        }
        if (l->regions) lift_regions(l, p, x, workers);
        find_rest(l, p, x, b, workers);
        if (out->rounds == ROUNDS_MAX) break;
        changes = exchange(l, p, x, limit, out->rounds < ROUNDS_FREE);
        if (changes == 0 && goal <= tolerance) break;
        const int is_last = changes <= FEW * l->count || out->rounds == ROUNDS_MAX - 1;
        goal = is_last ? tolerance : fmax(tolerance, LOOSE);
    }
    out->settled = changes == 0;
    out->solve.iterations = iterations;
    if (norm > 0) judge(out, l, p, x, b, norm, workers);
    return 0;
}
