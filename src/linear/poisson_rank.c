/* A term of low rank beside the 7-point matrix: sum over groups of C C^T, C^T x = sum over pairs of
 * row (x_low - x_high), POISSON_RANK columns a group (Batty et al. 2007, 3: rigid bodies; the paper assembles
 * it and names the product as future work).
 *
 * In the cycle that preconditions A + C C^T the term is on every level: C is restricted as a residual is,
 * sweeps know A alone and have the term on their right-hand side, b - C t, with t = C^T x held still from one
 * coarse correction to the next. Sweeps before and after a correction then mirror each other, and the cycle
 * is symmetric. Held still, a term that outweighs the diagonal would make sweeps overshoot, C^T D^-1 C being
 * its weight: bodies so light (a density below 0.3 / radius in cells for balls) count as heavier in the
 * cycle, not in the system. A body lighter than that by a factor leaves eigenvalues of that factor.
 *
 * The product is two sparse passes, never a matrix. Sums over a group's pairs are taken in order, one group a
 * task, so threads change nothing; adding back is serial because groups may share cells. Limits: groups of
 * very different length balance badly, which does not matter while a product is small beside the stencil's.
 */
#include "linear/poisson_rank.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"


/* Passes of fewer packs than this are over before threads are awake. */
enum { PACKS_WORTH_THREADS = 512 };

int rank_groups(const low_rank *r) {
    return r->groups;
}

/* The region of a place in a field. */
static int32_t region_of(const regions *g, const level *l, int32_t place) {
    if (is_nowhere(l, place)) return -1;
    const int vector = place / 8, black = vector >= l->stride, id = vector - (black ? l->stride : 0);
    const int odd = block_parity(&l->block[id]) ^ black;
    return regions_at(g, l, id, 2 * (place % 8) + odd);
}

/* The place of a region among those listed, listing it if there is room; -1 without. */
static int listed(int32_t *list, int *count, int32_t region) {
    for (int i = 0; i < *count; ++i)
        if (list[i] == region) return i;
    if (region < 0 || *count == TIES_MOST) return -1;
    list[*count] = region;
    return (*count)++;
}

/* Constants of a region that a body lies wholly inside of move it nowhere but for rounding. */
static const double TIE_LEAST = 1e-4;

int rank_tie(low_rank *r, regions *g, const level *l) {
    int32_t list[TIES_MOST];
    int count = 0, kept = 0;
    regions_tie(g, 0, NULL, NULL);
    if (r->groups == 0 || regions_closed(g) == 0) return 0;
    double *gram = mem_alloc(TIES_MOST * TIES_MOST * sizeof *gram);
    double(*column)[POISSON_RANK] = mem_alloc(TIES_MOST * sizeof *column); /* C^T Z of one group */
    double *size = mem_alloc(TIES_MOST * sizeof *size);
    if (!gram || !column || !size) {
        mem_free(gram);
        mem_free(column);
        mem_free(size);
        return -1;
    }
    for (int group = 0; group < r->groups; ++group) {
        memset(column, 0, TIES_MOST * sizeof *column);
        memset(size, 0, TIES_MOST * sizeof *size);
        for (int32_t e = r->first[group]; e < r->last[group]; ++e) {
            const link *k = &r->links[e];
            const int32_t region[2] = {region_of(g, l, k->low), region_of(g, l, k->high)};
            if (region[0] == region[1]) continue;
            for (int side = 0; side < 2; ++side) {
                const int at = listed(list, &count, region[side]);
                if (at < 0) continue;
                for (int c = 0; c < POISSON_RANK; ++c) {
                    column[at][c] += (side ? -1 : 1) * (double)k->row[c];
                    size[at] += fabs((double)k->row[c]);
                }
            }
        }
        for (int i = 0; i < count; ++i) {
            double most = 0;
            for (int c = 0; c < POISSON_RANK; ++c) most = fmax(most, fabs(column[i][c]));
            if (most <= TIE_LEAST * size[i]) memset(column[i], 0, sizeof column[i]);
        }
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j)
                for (int c = 0; c < POISSON_RANK; ++c) gram[TIES_MOST * i + j] += column[i][c] * column[j][c];
    }
    for (int i = 0; i < count; ++i) { /* those that nothing ties stay as they were */
        if (!(gram[(TIES_MOST + 1) * i] > 0)) continue;
        for (int j = 0; j < count; ++j) gram[TIES_MOST * kept + j] = gram[TIES_MOST * i + j];
        for (int j = 0; j < count; ++j) gram[TIES_MOST * j + kept] = gram[TIES_MOST * j + i];
        list[kept++] = list[i];
    }
    regions_tie(g, kept, list, gram);
    mem_free(gram);
    mem_free(column);
    mem_free(size);
    return 0;
}

typedef struct rank_pass {
    low_rank *r;
    const float *p;
    const double *x;
} rank_pass;

INLINE vec8 row_of(const float row[ROW]) {
    vec8 v;
    memcpy(&v, row, sizeof v);
    return v;
}

INLINE vec8 values_at(const pack *k, const float *x) {
    const int32_t *at = k->place;
    return (vec8){x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
}

/* C y of eight rows */
INLINE vec8 rows_times(const pack *k, vec8 y) {
    return ((k->row[0] * vec8_of(y[0]) + k->row[1] * vec8_of(y[1])) +
            (k->row[2] * vec8_of(y[2]) + k->row[3] * vec8_of(y[3]))) +
           (k->row[4] * vec8_of(y[4]) + k->row[5] * vec8_of(y[5]));
}

/* C^T x of a group by cells */
INLINE dvec8 group_product(const rank_level *l, int group, const float *x) {
    dvec8 sum[POISSON_RANK];
    for (int c = 0; c < POISSON_RANK; ++c) sum[c] = dvec8_of(0);
    for (const pack *k = l->packs + l->first[group]; k < l->packs + l->first[group + 1]; ++k) {
        const dvec8 values = vec8_wide(values_at(k, x));
        for (int c = 0; c < POISSON_RANK; ++c)
            sum[c] = dvec8_plus_product(sum[c], vec8_wide(k->row[c]), values);
    }
    return (dvec8){{dvec8_total(sum[0]), dvec8_total(sum[1]), dvec8_total(sum[2]), dvec8_total(sum[3])},
                   {dvec8_total(sum[4]), dvec8_total(sum[5]), 0, 0}};
}

/* field += C y of a group */
INLINE void add_group(float *field, const rank_level *l, int group, vec8 y) {
    for (const pack *k = l->packs + l->first[group]; k < l->packs + l->first[group + 1]; ++k) {
        const vec8 push = rows_times(k, y);
        for (int i = 0; i < PACK; ++i) field[k->place[i]] += push[i];
    }
}

HOT static void product_task(void *context, int group) {
    const rank_pass *w = context;
    w->r->product[group] = group_product(&w->r->level[0], group, w->p);
}

/* The same in double and by faces: differences of pressures that are nearly the same stay exact. */
HOT static void exact_product_task(void *context, int group) {
    const rank_pass *w = context;
    low_rank *r = w->r;
    dvec8 sum[2] = {dvec8_of(0), dvec8_of(0)};
    for (int32_t e = r->first[group]; e < r->last[group]; ++e) {
        const link *k = &r->links[e];
        const double rise = w->x[k->low] - w->x[k->high];
        sum[e & 1] = dvec8_plus_product(sum[e & 1], vec8_wide(row_of(k->row)), dvec8_of(rise));
    }
    r->exact[group] = dvec8_plus_product(sum[0], dvec8_of(1), sum[1]);
}

static pool *workers(const low_rank *r, pool *p) {
    return r->level[0].first[r->groups] < PACKS_WORTH_THREADS ? NULL : p;
}

HOT static double products_dot(const dvec8 *a, const dvec8 *b, int groups) {
    dvec8 sum = dvec8_of(0);
    for (int g = 0; g < groups; ++g) sum = dvec8_plus_product(sum, a[g], b[g]);
    return dvec8_total(sum);
}

/* field += sign C y */
HOT static void add_rows(float *field, const low_rank *r, const dvec8 *y, float sign) {
    for (int g = 0; g < r->groups; ++g)
        add_group(field, &r->level[0], g, vec8_of(sign) * dvec8_narrow(y[g]));
}

/* C^T p from that of z and of the direction before */
HOT static void turn_products(low_rank *r, double beta) {
    for (int g = 0; g < r->groups; ++g)
        r->product[g] = dvec8_plus_product(r->found[g], dvec8_of(beta), r->product[g]);
}

double rank_apply(low_rank *r, pool *p, float *q, const float *search, double beta) {
    rank_pass w = {.r = r, .p = search};
    if (r->knows_found) turn_products(r, beta);
    else parallel_for(workers(r, p), r->groups, product_task, &w);
    r->knows_found = 0;
    add_rows(q, r, r->product, 1);
    return products_dot(r->product, r->product, r->groups);
}

void rank_residual(low_rank *r, pool *p, float *residual, const double *x) {
    rank_pass w = {.r = r, .x = x};
    parallel_for(workers(r, p), r->groups, exact_product_task, &w);
    add_rows(residual, r, r->exact, -1);
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

/* What the rows of a group are multiplied by. */
INLINE double scale_of(const low_rank *r, int depth, int group) {
    return depth ? 1 : r->scale[group];
}

HOT void rank_descend(low_rank *r, int depth, const float *x, const level *coarse, float *coarse_x,
                      float *coarse_b) {
    rank_level *l = &r->level[depth], *next = depth + 1 < r->levels ? l + 1 : NULL;
    for (int g = 0; g < r->groups; ++g) {
        const double scale = scale_of(r, depth, g);
        if (!(scale > 0) || l->first[g] == l->first[g + 1]) continue;
        l->now[g] = dvec8_plus_product(dvec8_of(0), dvec8_of(scale), group_product(l, g, x));
        const vec8 change = dvec8_narrow(dvec8_minus(l->now[g], l->frozen[g]));
        for (int32_t e = next ? next->first[g] : 0; next && e < next->first[g + 1]; ++e) {
            const pack *k = &next->packs[e];
            const vec8 push = rows_times(k, change);
            for (int i = 0; i < PACK; ++i) {
                const int32_t place = k->place[i];
                const float b = coarse_b[place] -= push[i];
                if (place < 8 * coarse->stride) coarse_x[place] = b * next->inverse[e][i];
            }
        }
    }
}

/* b -= C y, and what was there before */
INLINE void take_group(float *b, vec8 *saved, const rank_level *l, int group, vec8 y) {
    for (int32_t e = l->first[group]; e < l->first[group + 1]; ++e) {
        const pack *k = &l->packs[e];
        const vec8 push = rows_times(k, y);
        for (int i = 0; i < PACK; ++i) {
            const float before = b[k->place[i]];
            if (saved) saved[e][i] = before;
            b[k->place[i]] = before - push[i];
        }
    }
}

HOT void rank_ascend(low_rank *r, int depth, const float *coarse_x, double over, float *b) {
    rank_level *l = &r->level[depth], *next = depth + 1 < r->levels ? l + 1 : NULL;
    for (int g = 0; g < r->groups; ++g) {
        const double scale = scale_of(r, depth, g);
        if (!(scale > 0) || l->first[g] == l->first[g + 1]) continue;
        dvec8 change = dvec8_minus(l->now[g], l->frozen[g]);
        if (next) change = dvec8_plus_product(change, dvec8_of(over), group_product(next, g, coarse_x));
        l->frozen[g] = dvec8_plus_product(l->frozen[g], dvec8_of(1), change);
        const vec8 y = dvec8_narrow(dvec8_plus_product(dvec8_of(0), dvec8_of(scale), change));
        if (depth) take_group(b, NULL, l, g, y);
        else take_group(b, r->saved, l, g, y);
    }
}

/* Backwards: a cell that several groups share has its first value last. */
static void put_back(float *b, const low_rank *r, int group) {
    const rank_level *l = &r->level[0];
    for (int32_t e = l->first[group + 1] - 1; e >= l->first[group]; --e)
        for (int i = PACK - 1; i >= 0; --i) b[l->packs[e].place[i]] = r->saved[e][i];
}

HOT double rank_end(low_rank *r, const float *x, float *b) {
    const rank_level *l = &r->level[0];
    dvec8 sum = dvec8_of(0);
    for (int g = r->groups - 1; g >= 0; --g) {
        r->found[g] = group_product(l, g, x);
        if (!(r->scale[g] > 0)) continue;
        put_back(b, r, g);
        sum = dvec8_plus_product(sum, dvec8_plus_product(dvec8_of(0), dvec8_of(r->scale[g]), r->found[g]),
                                 l->frozen[g]);
    }
    r->knows_found = 1;
    return dvec8_total(sum);
}
