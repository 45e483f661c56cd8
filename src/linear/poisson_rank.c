/* A term of low rank beside the 7-point matrix: sum over groups of C C^T, C^T x = sum over cells of row
 * x_cell, POISSON_RANK columns a group (Batty et al. 2007, 3: rigid bodies; the paper assembles it and names
 * the product as future work).
 *
 * In the cycle that preconditions A + C C^T the term is on every level: C is restricted as a residual is,
 * sweeps know A alone and have the term on their right-hand side, b - C t, with t = C^T x held still from one
 * coarse correction to the next. Sweeps before and after a correction then mirror each other, and the cycle
 * is symmetric. Held still, a term that outweighs the diagonal would make sweeps overshoot, C^T D^-1 C being
 * its weight: bodies so light (a density below 0.3 / radius in cells for balls) count as heavier in the
 * cycle, not in the system. A body lighter than that by a factor leaves eigenvalues of that factor,
 * which poisson_light.c takes away.
 *
 * The product is two sparse passes, never a matrix: C^T x, and C y added to a field. On every level both are
 * done chunk by chunk within the passes of the solver that have these cells at hand anyway (sweeps,
 * restriction, A p, the residual): they need no threads of their own, no cell is called from another thread's
 * cache, and no two tasks share one. Sums are kept a chunk and group and added in order, so threads change
 * nothing. C^T p of a search direction p = z + beta p' follows from that of z, which the cycle leaves, and of
 * p'. */
#include "linear/poisson_rank.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

int rank_groups(const low_rank *r) {
    return r ? r->groups : 0;
}

/* The region of a place in a field. */
static int32_t region_of(const regions *g, const level *l, int32_t place) {
    int id;
    const int odd = half_at(l, place, &id);
    return regions_at(g, l, id, 2 * (place % 8) + odd);
}

/* The place of a region among those listed, listing it if there is room for it; -1 without. */
static int listed(int32_t *list, int *count, int32_t region, int most) {
    for (int i = 0; i < *count; ++i)
        if (list[i] == region) return i;
    if (region < 0 || *count == most) return -1;
    list[*count] = region;
    return (*count)++;
}

/* Constants of a region that a body lies wholly inside of move it nowhere but for rounding, and neither do
 * those of one below a body that contacts hold: what they leave of its rows there is how far it leans. */
static const double TIE_LEAST = 1e-4;

/* The closed regions that rows lie in, and how many. */
static int list_touched(int32_t list[TIES_MOST], const low_rank *r, const regions *g, const level *on) {
    const rank_level *l = &r->level[0];
    int count = 0;
    EACH_RUN(run, l)
    EACH_PACK(k, l, run, run->columns)
    for (int i = 0; i < PACK; ++i) listed(list, &count, region_of(g, on, k->place[i]), TIES_MOST);
    return count;
}

/* C^T Z of one group. */
static void tie_group(double (*column)[POISSON_RANK], int32_t *list, int count, const low_rank *r, int group,
                      const regions *g, const level *on) {
    const rank_level *l = &r->level[0];
    double size[TIES_MOST] = {0}, largest[TIES_MOST] = {0}, all = 0;
    memset(column, 0, (size_t)count * sizeof *column);
    EACH_RUN(run, l) {
        if (run->group != group) continue;
        EACH_PACK(k, l, run, run->columns)
        for (int i = 0; i < PACK; ++i) {
            const int at = listed(list, &count, region_of(g, on, k->place[i]), count);
            for (int c = 0; c < run->columns; ++c) {
                const double value = fabs((double)k->row[c][i]);
                all = fmax(all, value);
                if (at < 0) continue;
                column[at][c] += (double)k->row[c][i];
                size[at] += value;
                largest[at] = fmax(largest[at], value);
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        double most = 0;
        for (int c = 0; c < POISSON_RANK; ++c) most = fmax(most, fabs(column[i][c]));
        if (most <= TIE_LEAST * size[i] || largest[i] <= TIE_LEAST * all)
            memset(column[i], 0, sizeof column[i]);
    }
}

/* Those that nothing ties stay as they were: their rows and columns are dropped. Returns how many are kept.
 */
static int keep_tied(double *gram, int32_t *list, int count) {
    int32_t from[TIES_MOST];
    int kept = 0;
    for (int i = 0; i < count; ++i)
        if (gram[(count + 1) * i] > 0) from[kept++] = i;
    for (int i = 0; i < kept; ++i) {
        for (int j = 0; j < kept; ++j) gram[kept * i + j] = gram[count * from[i] + from[j]];
        list[i] = list[from[i]];
    }
    return kept;
}

int rank_tie(low_rank *r, regions *g, const level *l) {
    int32_t list[TIES_MOST];
    const int count = r->groups && regions_closed(g) ? list_touched(list, r, g, l) : 0;
    if (count == 0) return regions_tie(g, 0, NULL, NULL);
    const size_t n = (size_t)count;
    double *gram = mem_alloc(n * n * sizeof *gram);
    double(*column)[POISSON_RANK] = mem_alloc(n * sizeof *column);
    int bad = !gram || !column;
    for (int group = 0; group < r->groups && !bad; ++group) {
        tie_group(column, list, count, r, group, g, l);
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j)
                for (int c = 0; c < POISSON_RANK; ++c) gram[count * i + j] += column[i][c] * column[j][c];
    }
    if (!bad) bad = regions_tie(g, keep_tied(gram, list, count), list, gram);
    mem_free(gram);
    mem_free(column);
    return bad ? -1 : 0;
}

INLINE vec8 values_at(const pack *k, const float *x) {
    const int32_t *at = k->place;
    return (vec8){x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
}

/* C y of eight rows */
INLINE vec8 rows_times(const pack *k, vec8 y, int columns) {
    const vec8 two = k->row[0] * vec8_of(y[0]) + k->row[1] * vec8_of(y[1]), third = k->row[2] * vec8_of(y[2]);
    if (columns == COLUMNS_FEWER) return two + third;
    return (two + (third + k->row[3] * vec8_of(y[3]))) +
           (k->row[4] * vec8_of(y[4]) + k->row[5] * vec8_of(y[5]));
}

INLINE dvec8 dvec8_times(dvec8 v, double a) {
    return dvec8_plus_product(dvec8_of(0), v, dvec8_of(a));
}

/* Of two: their first and second entries together, then their third and fourth. */
INLINE dvec4 pairs(dvec4 a, dvec4 b) {
    return DVEC4_PICK(a, b, 0, 4, 2, 6) + DVEC4_PICK(a, b, 1, 5, 3, 7);
}

/* As dvec8_total() of each, in the order it adds; side by side instead of one by one. */
INLINE dvec8 totals(const dvec8 sum[POISSON_RANK]) {
    const dvec4 none = {0};
    dvec4 two[POISSON_RANK / 2];
    for (int i = 0; i < POISSON_RANK / 2; ++i)
        two[i] = pairs(sum[2 * i].low + sum[2 * i].high, sum[2 * i + 1].low + sum[2 * i + 1].high);
    return (dvec8){DVEC4_PICK(two[0], two[1], 0, 1, 4, 5) + DVEC4_PICK(two[0], two[1], 2, 3, 6, 7),
                   DVEC4_PICK(two[2], none, 0, 1, 4, 5) + DVEC4_PICK(two[2], none, 2, 3, 6, 7)};
}

/* C^T x over a run: a few packs at a time in float, which is what rows and x are, then in double. */
INLINE dvec8 run_product(const rank_level *l, const rank_run *run, const float *x, int columns) {
    enum { FEW = 16 };
    const pack *k = pack_at(l, run->at);
    dvec8 sum[POISSON_RANK];
    for (int c = 0; c < POISSON_RANK; ++c) sum[c] = dvec8_of(0);
    for (int left = run->packs; left > 0; left -= FEW) {
        vec8 part[POISSON_RANK];
        for (int c = 0; c < columns; ++c) part[c] = vec8_of(0);
        for (int p = left < FEW ? left : FEW; p > 0; --p) {
            const vec8 values = values_at(k, x);
            for (int c = 0; c < columns; ++c) part[c] += k->row[c] * values;
            k = (const pack *)((const vec8 *)k + pack_vectors(columns));
        }
        for (int c = 0; c < columns; ++c)
            sum[c] = dvec8_plus_product(sum[c], dvec8_of(1), vec8_wide(part[c]));
    }
    return totals(sum);
}

HOT static double products_dot(const dvec8 *a, const dvec8 *b, int groups) {
    dvec8 sum = dvec8_of(0);
    for (int g = 0; g < groups; ++g) sum = dvec8_plus_product(sum, a[g], b[g]);
    return dvec8_total(sum);
}

/* ---- chunks of a level ---- */

/* The packs of a chunk lie one after another. */
void rank_call_ahead(const low_rank *r, int depth, int chunk) {
    const rank_level *l = &r->level[depth];
    const int32_t from = l->chunk_run[chunk], to = l->chunk_run[chunk + 1];
    if (from == to) return;
    const rank_run *last = &l->runs[to - 1];
    const char *line = (const char *)pack_at(l, l->runs[from].at),
               *end = (const char *)pack_at(l, last->at + last->packs * pack_vectors(last->columns));
    for (; line < end; line += 64) __builtin_prefetch(line);
}

/* Whether the cycle has a group on a level. */
INLINE int is_cycled(const low_rank *r, int depth, int group) {
    return depth || r->scale[group] > 0;
}

/* Parts of C^T x, of the groups in the cycle or of all. */
HOT static void note_chunk(low_rank *r, int depth, int chunk, const float *x, int all) {
    const rank_level *l = &r->level[depth];
    CHUNK_RUNS(run, l, chunk)
    if (all || is_cycled(r, depth, run->group))
        l->part[run - l->runs] = run->columns == COLUMNS_FEWER ? run_product(l, run, x, COLUMNS_FEWER)
                                                               : run_product(l, run, x, POISSON_RANK);
}

/* Adds up what note_chunk() left. */
HOT static void sum_parts(dvec8 *sum, const low_rank *r, int depth, int all) {
    const rank_level *l = &r->level[depth];
    for (int g = 0; g < r->groups; ++g) sum[g] = dvec8_of(0);
    EACH_RUN(run, l)
    if (all || is_cycled(r, depth, run->group))
        sum[run->group] = dvec8_plus_product(sum[run->group], dvec8_of(1), l->part[run - l->runs]);
}

/* field += C y */
INLINE void add_run(const rank_level *l, const rank_run *run, float *field, vec8 y, int columns) {
    EACH_PACK(k, l, run, columns) {
        const vec8 push = rows_times(k, y, columns);
        for (int i = 0; i < PACK; ++i) field[k->place[i]] += push[i];
    }
}

HOT void rank_add_multiple(const low_rank *r, int chunk, float *field, const dvec8 *y, float sign) {
    const rank_level *l = &r->level[0];
    CHUNK_RUNS(run, l, chunk) {
        const vec8 by = vec8_of(sign) * dvec8_narrow(y[run->group]);
        if (run->columns == COLUMNS_FEWER) add_run(l, run, field, by, COLUMNS_FEWER);
        else add_run(l, run, field, by, POISSON_RANK);
    }
}

void rank_add_product(const low_rank *r, int chunk, float *q) {
    rank_add_multiple(r, chunk, q, r->product, 1);
}

void rank_take_exact(const low_rank *r, int chunk, float *residual, float *low) {
    if (!low) {
        rank_add_multiple(r, chunk, residual, r->exact, -1);
        return;
    }
    const rank_level *l = &r->level[0];
    CHUNK_RUNS(run, l, chunk) {
        const double *y = (const double *)&r->exact[run->group];
        EACH_PACK(k, l, run, run->columns)
        for (int i = 0; i < PACK; ++i) {
            const int32_t at = k->place[i];
            double rest = (double)residual[at] + (double)low[at];
            for (int c = 0; c < run->columns; ++c) rest -= (double)k->row[c][i] * y[c];
            residual[at] = (float)rest;
            low[at] = (float)(rest - (double)residual[at]);
        }
    }
}

void rank_note(low_rank *r, int depth, int chunk, const float *x) {
    note_chunk(r, depth, chunk, x, 0);
}

/* b -= C y; saved: what was there before is kept */
INLINE void take_run(const rank_level *l, const rank_run *run, float *b, vec8 y, int saved, int columns) {
    EACH_PACK(k, l, run, columns) {
        const vec8 push = rows_times(k, y, columns);
        for (int i = 0; i < PACK; ++i) {
            const float before = b[k->place[i]];
            if (saved) k->beside[i] = before;
            b[k->place[i]] = before - push[i];
        }
    }
}

HOT void rank_take(low_rank *r, int depth, int chunk, float *b) {
    const rank_level *l = &r->level[depth];
    CHUNK_RUNS(run, l, chunk) {
        const int group = run->group, few = run->columns == COLUMNS_FEWER;
        if (!is_cycled(r, depth, group)) continue;
        const vec8 y =
            dvec8_narrow(depth ? l->change[group] : dvec8_times(l->change[group], r->scale[group]));
        if (depth) few ? take_run(l, run, b, y, 0, COLUMNS_FEWER) : take_run(l, run, b, y, 0, POISSON_RANK);
        else few ? take_run(l, run, b, y, 1, COLUMNS_FEWER) : take_run(l, run, b, y, 1, POISSON_RANK);
    }
}

/* b -= C y, and b / d of red cells */
INLINE void push_run(const rank_level *l, const rank_run *run, const level *on, vec8 y, int columns) {
    float *x = (float *)on->x, *b = (float *)on->b;
    EACH_PACK(k, l, run, columns) {
        const vec8 push = rows_times(k, y, columns);
        for (int i = 0; i < PACK; ++i) b[k->place[i]] -= push[i];
        for (int i = 0; i < PACK; ++i)
            if (k->place[i] < 8 * on->stride) x[k->place[i]] = b[k->place[i]] * k->beside[i];
    }
}

HOT void rank_push(const low_rank *r, int depth, int chunk, const level *on) {
    const rank_level *l = &r->level[depth];
    CHUNK_RUNS(run, l, chunk) {
        const vec8 y = dvec8_narrow(l[-1].change[run->group]);
        if (run->columns == COLUMNS_FEWER) push_run(l, run, on, y, COLUMNS_FEWER);
        else push_run(l, run, on, y, POISSON_RANK);
    }
}

/* Backwards: of a place that repeats the first value is put back last. */
HOT static void put_back(const low_rank *r, int chunk, float *b) {
    const rank_level *l = &r->level[0];
    for (int32_t e = l->chunk_run[chunk + 1] - 1; e >= l->chunk_run[chunk]; --e) {
        const rank_run *run = &l->runs[e];
        if (!(r->scale[run->group] > 0)) continue;
        for (int32_t p = run->packs - 1; p >= 0; --p) {
            const pack *k = pack_at(l, run->at + p * pack_vectors(run->columns));
            for (int i = PACK - 1; i >= 0; --i) b[k->place[i]] = k->beside[i];
        }
    }
}

void rank_finish(low_rank *r, int chunk, const float *x, float *b) {
    note_chunk(r, 0, chunk, x, 1);
    if (r->levels) put_back(r, chunk, b);
}

/* ---- the product ---- */

/* Of the search direction, or of x. */
typedef struct rank_pass {
    low_rank *r;
    const float *search;
    const double *x;
} rank_pass;

static void note_task(void *context, int chunk) {
    const rank_pass *w = context;
    note_chunk(w->r, 0, chunk, w->search, 1);
}

/* The iterate is in double, and so is all that is made of it. */
INLINE dvec8 run_exact(const rank_level *l, const rank_run *run, const double *x, int columns) {
    dvec8 sum[POISSON_RANK];
    for (int c = 0; c < POISSON_RANK; ++c) sum[c] = dvec8_of(0);
    EACH_PACK(k, l, run, columns) {
        const int32_t *at = k->place;
        const dvec8 values = {{x[at[0]], x[at[1]], x[at[2]], x[at[3]]},
                              {x[at[4]], x[at[5]], x[at[6]], x[at[7]]}};
        for (int c = 0; c < columns; ++c) sum[c] = dvec8_plus_product(sum[c], vec8_wide(k->row[c]), values);
    }
    return totals(sum);
}

HOT static void note_exact_task(void *context, int chunk) {
    const rank_pass *w = context;
    const rank_level *l = &w->r->level[0];
    CHUNK_RUNS(run, l, chunk)
    l->part[run - l->runs] = run->columns == COLUMNS_FEWER ? run_exact(l, run, w->x, COLUMNS_FEWER)
                                                           : run_exact(l, run, w->x, POISSON_RANK);
}

/* Over all chunks, with the sums of what was noted. */
static void note_all(dvec8 *sum, const rank_pass *w, pool *p, void (*task)(void *, int)) {
    const int chunks = w->r->level[0].chunks;
    parallel_for(chunks < CHUNKS_WORTH_THREADS ? NULL : p, chunks, task, (void *)w);
    sum_parts(sum, w->r, 0, 1);
}

/* C^T p from that of z and of the direction before */
HOT static void turn_products(low_rank *r, double beta) {
    for (int g = 0; g < r->groups; ++g)
        r->product[g] = dvec8_plus_product(r->found[g], dvec8_of(beta), r->product[g]);
}

/* In place of what the cycle found. */
const dvec8 *rank_measure(low_rank *r, pool *p, const float *x) {
    r->knows_found = 0;
    note_all(r->found, &(rank_pass){.r = r, .search = x}, p, note_task);
    return r->found;
}

double rank_turn(low_rank *r, pool *p, const float *search, double beta) {
    if (r->knows_found) turn_products(r, beta);
    else note_all(r->product, &(rank_pass){.r = r, .search = search}, p, note_task);
    r->knows_found = 0;
    return products_dot(r->product, r->product, r->groups);
}

void rank_exact(low_rank *r, pool *p, const double *x) {
    note_all(r->exact, &(rank_pass){.r = r, .x = x}, p, note_exact_task);
}

void rank_forget_found(low_rank *r) {
    r->knows_found = 0;
}

/* ---- the term on the levels of the cycle ---- */

int rank_levels(const low_rank *r) {
    return r ? r->levels : 0;
}

int rank_forget_levels(low_rank *r) {
    const int had = r->levels;
    r->levels = r->knows_found = 0;
    return had > 0;
}

void rank_begin(low_rank *r, int depth) {
    memset(r->level[depth].frozen, 0, (size_t)r->groups * sizeof *r->level[depth].frozen);
}

/* On the finest level as the cycle has it. */
HOT void rank_descend(low_rank *r, int depth) {
    const rank_level *l = &r->level[depth];
    sum_parts(l->now, r, depth, 0);
    for (int g = 0; g < r->groups; ++g) {
        if (depth == 0) l->now[g] = dvec8_times(l->now[g], r->scale[g]);
        l->change[g] = dvec8_minus(l->now[g], l->frozen[g]);
    }
}

HOT void rank_ascend(low_rank *r, int depth, double over) {
    const rank_level *l = &r->level[depth];
    if (depth + 1 < r->levels) {
        sum_parts(l->now, r, depth + 1, 0);
        for (int g = 0; g < r->groups; ++g)
            l->change[g] = dvec8_plus_product(l->change[g], dvec8_of(over), l->now[g]);
    }
    for (int g = 0; g < r->groups; ++g)
        l->frozen[g] = dvec8_plus_product(l->frozen[g], dvec8_of(1), l->change[g]);
}

double rank_end(low_rank *r) {
    const rank_level *l = &r->level[0];
    double sum = 0;
    sum_parts(r->found, r, 0, 1);
    r->knows_found = 1;
    for (int g = 0; r->levels && g < r->groups; ++g)
        if (r->scale[g] > 0) sum += r->scale[g] * products_dot(&r->found[g], &l->frozen[g], 1);
    return sum;
}
