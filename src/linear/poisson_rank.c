/* A term of low rank beside the 7-point matrix: sum over groups of C C^T, C^T x = sum over pairs of
 * row (x_low - x_high), POISSON_RANK columns a group (Batty et al. 2007, 3: rigid bodies; the paper assembles
 * it and names the product as future work).
 *
 * The product is two sparse passes, never a matrix. Sums over a group's pairs are taken in order, one group a
 * task, so threads change nothing; adding back is serial because groups may share cells. Limits: groups of
 * very different length balance badly, which does not matter while a product is small beside the stencil's.
 */
#include "linear/poisson_level.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { NOWHERE = -1, GROUPS_WORTH_THREADS = 4 };

typedef struct link {
    int32_t low, high; /* places in a field of floats, or NOWHERE */
    float row[POISSON_RANK];
} link;

struct low_rank {
    int groups;
    link *links;
    int32_t *first; /* [groups + 1] */
    double (*product)[POISSON_RANK];
    buffer link_memory, first_memory, product_memory;
};

low_rank *rank_create(void) {
    return mem_alloc(sizeof(low_rank));
}

void rank_free(low_rank *r) {
    if (!r) return;
    buffer_drop(&r->link_memory);
    buffer_drop(&r->first_memory);
    buffer_drop(&r->product_memory);
    mem_free(r);
}

size_t rank_bytes(const low_rank *r) {
    return sizeof *r + r->link_memory.bytes + r->first_memory.bytes + r->product_memory.bytes;
}

int rank_groups(const low_rank *r) {
    return r->groups;
}

/* Where the compact fields keep a cell of the box; NOWHERE when it is no unknown. */
static int32_t place_of(const level *l, const box *b, ptrdiff_t cell) {
    if (cell < b->first) return NOWHERE;
    const ptrdiff_t from = cell - b->first;
    const int k = l->dim == 3 ? (int)(from / b->step[2]) : 0;
    const ptrdiff_t in_plane = l->dim == 3 ? from % b->step[2] : from;
    const int j = (int)(in_plane / b->step[1]), i = (int)(in_plane % b->step[1]);
    if (i >= l->n[0] || j >= l->n[1] || k >= l->n[2]) return NOWHERE;
    const int id = l->number[i / BLOCK_CELLS + l->row * (j + l->n[1] * k)], lane = i % BLOCK_CELLS;
    if (id >= l->blocks || !(l->unknowns[id] >> lane & 1)) return NOWHERE;
    return 8 * spot(l, id, lane & 1) + lane / 2;
}

int rank_attach(low_rank *r, const level *l, const box *b, const poisson_pair *pairs, const int *first,
                int groups) {
    r->groups = 0;
    if (groups == 0) return 0;
    if (buffer_hold(&r->link_memory, (size_t)first[groups] * sizeof *r->links + 1) ||
        buffer_hold(&r->first_memory, ((size_t)groups + 1) * sizeof *r->first) ||
        buffer_hold(&r->product_memory, (size_t)groups * sizeof *r->product))
        return -1;
    r->links = r->link_memory.data;
    r->first = r->first_memory.data;
    r->product = r->product_memory.data;
    int32_t count = 0;
    for (int g = 0; g < groups; ++g) {
        r->first[g] = count;
        for (int e = first[g]; e < first[g + 1]; ++e) {
            link *k = &r->links[count];
            k->low = place_of(l, b, pairs[e].low);
            k->high = place_of(l, b, pairs[e].high);
            memcpy(k->row, pairs[e].row, sizeof k->row);
            count += k->low != NOWHERE || k->high != NOWHERE;
        }
    }
    r->first[groups] = count;
    r->groups = groups;
    return 0;
}

/* The region of a place in a field. */
static int32_t region_of(const regions *g, const level *l, int32_t place) {
    if (place == NOWHERE) return -1;
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
        for (int32_t e = r->first[group]; e < r->first[group + 1]; ++e) {
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

/* C^T of one group; the field is in float or in double. */
INLINE void gather(const rank_pass *w, int group, int wide) {
    low_rank *r = w->r;
    double sum[POISSON_RANK] = {0};
    for (int32_t e = r->first[group]; e < r->first[group + 1]; ++e) {
        const link *k = &r->links[e];
        double rise = 0;
        if (k->low != NOWHERE) rise += wide ? w->x[k->low] : (double)w->p[k->low];
        if (k->high != NOWHERE) rise -= wide ? w->x[k->high] : (double)w->p[k->high];
        for (int c = 0; c < POISSON_RANK; ++c) sum[c] += (double)k->row[c] * rise;
    }
    memcpy(r->product[group], sum, sizeof sum);
}

static void gather_task(void *context, int group) {
    gather(context, group, 0);
}

static void gather_wide_task(void *context, int group) {
    gather(context, group, 1);
}

/* field += sign C (what was gathered) */
static void scatter(const low_rank *r, float *field, double sign) {
    for (int g = 0; g < r->groups; ++g)
        for (int32_t e = r->first[g]; e < r->first[g + 1]; ++e) {
            const link *k = &r->links[e];
            double sum = 0;
            for (int c = 0; c < POISSON_RANK; ++c) sum += (double)k->row[c] * r->product[g][c];
            if (k->low != NOWHERE) field[k->low] += (float)(sign * sum);
            if (k->high != NOWHERE) field[k->high] -= (float)(sign * sum);
        }
}

static pool *workers(const low_rank *r, pool *p) {
    return r->groups < GROUPS_WORTH_THREADS ? NULL : p;
}

double rank_apply(low_rank *r, pool *p, float *q, const float *search) {
    rank_pass w = {.r = r, .p = search};
    double square = 0;
    parallel_for(workers(r, p), r->groups, gather_task, &w);
    scatter(r, q, 1);
    for (int g = 0; g < r->groups; ++g)
        for (int c = 0; c < POISSON_RANK; ++c) square += r->product[g][c] * r->product[g][c];
    return square;
}

void rank_residual(low_rank *r, pool *p, float *residual, const double *x) {
    rank_pass w = {.r = r, .x = x};
    parallel_for(workers(r, p), r->groups, gather_wide_task, &w);
    scatter(r, residual, -1);
}
