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
#include "linear/poisson_level.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { NOWHERE = -1, GROUPS_WORTH_THREADS = 4, POWERS = 8 };

/* Rows are eight long, the last two 0: a vector. */
enum { ROW = 8 };

typedef struct link {
    int32_t low, high; /* places in a field of floats, or NOWHERE */
    float row[ROW];
} link;

/* A row of C: what all faces of a cell add up to. */
typedef struct entry {
    int32_t place;
    float row[ROW];
} entry;

/* The rows of C, group by group; on a level of the cycle also what it remembers. */
typedef struct rank_level {
    entry *entries;
    int32_t *first; /* [groups + 1] */
    dvec8 *now;     /* C^T x before the coarse correction, a group */
    dvec8 *frozen;  /* what the right-hand side has of it */
    buffer entry_memory, first_memory, product_memory;
} rank_level;

struct low_rank {
    int groups;
    rank_level all; /* of the finest level */
    int levels;     /* of the cycle that have entries */
    rank_level level[LEVELS_MAX];
    int32_t *slot; /* of a cell among a group's entries, + 1 */
    float *saved;
    buffer slot_memory, saved_memory;
    link *links;
    int32_t *first; /* [groups + 1] */
    dvec8 *product;
    buffer link_memory, first_memory, product_memory;
};

low_rank *rank_create(void) {
    return mem_alloc(sizeof(low_rank));
}

static void drop_level(rank_level *l) {
    buffer_drop(&l->entry_memory);
    buffer_drop(&l->first_memory);
    buffer_drop(&l->product_memory);
}

static size_t level_memory(const rank_level *l) {
    return l->entry_memory.bytes + l->first_memory.bytes + l->product_memory.bytes;
}

void rank_free(low_rank *r) {
    if (!r) return;
    buffer_drop(&r->link_memory);
    buffer_drop(&r->first_memory);
    buffer_drop(&r->product_memory);
    buffer_drop(&r->slot_memory);
    buffer_drop(&r->saved_memory);
    drop_level(&r->all);
    for (int i = 0; i < LEVELS_MAX; ++i) drop_level(&r->level[i]);
    mem_free(r);
}

size_t rank_bytes(const low_rank *r) {
    size_t bytes = sizeof *r + r->link_memory.bytes + r->first_memory.bytes + r->product_memory.bytes +
                   r->slot_memory.bytes + r->saved_memory.bytes + level_memory(&r->all);
    for (int i = 0; i < LEVELS_MAX; ++i) bytes += level_memory(&r->level[i]);
    return bytes;
}

int rank_groups(const low_rank *r) {
    return r->groups;
}

/* Where the compact fields keep a cell of the box; NOWHERE when it is no unknown. */
static int32_t place_of(const level *l, const box *b, ptrdiff_t cell) {
    if (cell < b->first) return NOWHERE;
    const uint32_t from = (uint32_t)(cell - b->first), plane = (uint32_t)b->step[2],
                   row = (uint32_t)b->step[1]; /* short divisions are fast ones */
    const uint32_t in_plane = l->dim == 3 ? from % plane : from;
    const int k = l->dim == 3 ? (int)(from / plane) : 0, j = (int)(in_plane / row), i = (int)(in_plane % row);
    if (i >= l->n[0] || j >= l->n[1] || k >= l->n[2]) return NOWHERE;
    const int id = l->number[i / BLOCK_CELLS + l->row * (j + l->n[1] * k)], lane = i % BLOCK_CELLS;
    if (id >= l->blocks || !(l->unknowns[id] >> lane & 1)) return NOWHERE;
    return 8 * spot(l, id, lane & 1) + lane / 2;
}

static int hold_level(rank_level *l, int groups, int32_t entries) {
    const size_t product = (size_t)groups * sizeof *l->now;
    if (buffer_hold(&l->entry_memory, (size_t)entries * sizeof *l->entries + 1) ||
        buffer_hold(&l->first_memory, ((size_t)groups + 1) * sizeof *l->first) ||
        buffer_hold(&l->product_memory, 2 * product))
        return -1;
    l->entries = l->entry_memory.data;
    l->first = l->first_memory.data;
    l->now = l->product_memory.data;
    l->frozen = l->now + groups;
    return 0;
}

/* Adds a row to that of a cell in the group that begins at `from`. */
static void add_row(low_rank *r, rank_level *l, int32_t from, int32_t *count, int32_t place,
                    const float row[ROW], float sign) {
    if (place == NOWHERE) return;
    if (r->slot[place] <= from) {
        memset(&l->entries[*count], 0, sizeof *l->entries);
        l->entries[*count].place = place;
        r->slot[place] = ++*count;
    }
    entry *e = &l->entries[r->slot[place] - 1];
    for (int c = 0; c < ROW; ++c) e->row[c] += sign * row[c];
}

/* C by cells: fewer than faces, and without branches. */
static int gather_rows(low_rank *r, const level *l) {
    rank_level *all = &r->all;
    const size_t places = (size_t)l->stride * BLOCK_CELLS;
    if (buffer_hold(&r->slot_memory, places * sizeof *r->slot) ||
        hold_level(all, r->groups, 2 * r->first[r->groups]))
        return -1;
    r->slot = r->slot_memory.data;
    memset(r->slot, 0, places * sizeof *r->slot);
    int32_t count = all->first[0] = 0;
    for (int g = 0; g < r->groups; ++g) {
        const int32_t from = count;
        for (int32_t e = r->first[g]; e < r->first[g + 1]; ++e) {
            add_row(r, all, from, &count, r->links[e].low, r->links[e].row, 1);
            add_row(r, all, from, &count, r->links[e].high, r->links[e].row, -1);
        }
        all->first[g + 1] = count;
    }
    return 0;
}

int rank_attach(low_rank *r, const level *l, const box *b, const poisson_pair *pairs, const int *first,
                int groups) {
    r->groups = r->levels = 0;
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
            memset(k->row, 0, sizeof k->row);
            memcpy(k->row, pairs[e].row, sizeof pairs[e].row);
            count += k->low != NOWHERE || k->high != NOWHERE;
        }
    }
    r->first[groups] = count;
    r->groups = groups;
    return gather_rows(r, l);
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

INLINE vec8 row_of(const float row[ROW]) {
    vec8 v;
    memcpy(&v, row, sizeof v);
    return v;
}

/* row . y */
INLINE float row_times(const float row[ROW], vec8 y) {
    const vec8 product = row_of(row) * y;
    const vec4 four = VEC8_LOW(product) + VEC8_HIGH(product);
    return (four[0] + four[1]) + (four[2] + four[3]);
}

/* C^T x of a group by cells */
INLINE dvec8 group_product(const rank_level *l, int group, const float *x) {
    dvec8 sum = dvec8_of(0);
    for (int32_t e = l->first[group]; e < l->first[group + 1]; ++e) {
        const entry *k = &l->entries[e];
        sum = dvec8_plus_product(sum, vec8_wide(row_of(k->row)), dvec8_of((double)x[k->place]));
    }
    return sum;
}

HOT static void product_task(void *context, int group) {
    const rank_pass *w = context;
    w->r->product[group] = group_product(&w->r->all, group, w->p);
}

/* The same in double and by faces: differences of pressures that are nearly the same stay exact. */
HOT static void exact_product_task(void *context, int group) {
    const rank_pass *w = context;
    low_rank *r = w->r;
    dvec8 sum = dvec8_of(0);
    for (int32_t e = r->first[group]; e < r->first[group + 1]; ++e) {
        const link *k = &r->links[e];
        const double rise = (k->low != NOWHERE ? w->x[k->low] : 0) - (k->high != NOWHERE ? w->x[k->high] : 0);
        sum = dvec8_plus_product(sum, vec8_wide(row_of(k->row)), dvec8_of(rise));
    }
    r->product[group] = sum;
}

/* field += C product */
HOT static void add_rows(const low_rank *r, float *field) {
    for (int g = 0; g < r->groups; ++g) {
        const vec8 product = dvec8_narrow(r->product[g]);
        for (int32_t e = r->all.first[g]; e < r->all.first[g + 1]; ++e)
            field[r->all.entries[e].place] += row_times(r->all.entries[e].row, product);
    }
}

/* field -= C product */
HOT static void take_rows(const low_rank *r, float *field) {
    for (int g = 0; g < r->groups; ++g) {
        const vec8 product = dvec8_narrow(r->product[g]);
        for (int32_t e = r->all.first[g]; e < r->all.first[g + 1]; ++e)
            field[r->all.entries[e].place] -= row_times(r->all.entries[e].row, product);
    }
}

static pool *workers(const low_rank *r, pool *p) {
    return r->groups < GROUPS_WORTH_THREADS ? NULL : p;
}

HOT static double products_dot(const dvec8 *a, const dvec8 *b, int groups) {
    dvec8 sum = dvec8_of(0);
    for (int g = 0; g < groups; ++g) sum = dvec8_plus_product(sum, a[g], b[g]);
    return dvec8_total(sum);
}

double rank_apply(low_rank *r, pool *p, float *q, const float *search) {
    rank_pass w = {.r = r, .p = search};
    parallel_for(workers(r, p), r->groups, product_task, &w);
    add_rows(r, q);
    return products_dot(r->product, r->product, r->groups);
}

void rank_residual(low_rank *r, pool *p, float *residual, const double *x) {
    rank_pass w = {.r = r, .x = x};
    parallel_for(workers(r, p), r->groups, exact_product_task, &w);
    take_rows(r, residual);
}

/* ---- the term on the levels of the cycle ---- */

/* Of the weight beside the diagonal. Sweeps that hold the term still stay positive somewhat beyond 1; below
 * the least a body is too heavy, or on coarse levels too small, to matter. */
static const double WEIGHT_MOST = 0.7, WEIGHT_LEAST = 0.01;

static int half_at(const level *l, int32_t place, int *id) {
    const int vector = place / 8, black = vector >= l->stride;
    *id = vector - (black ? l->stride : 0);
    return block_parity(&l->block[*id]) ^ black;
}

static float inverse_at(const level *l, int32_t place) {
    int id;
    const int half = half_at(l, place, &id);
    return l->coefs[l->block[id].coefs].side[half].inverse[place % 8];
}

static int32_t coarse_place(const level *fine, const level *coarse, int32_t place) {
    int id;
    const int half = half_at(fine, place, &id), parent = fine->block[id].parent;
    const int lane = (2 * (place % 8) + half) / 2 + (parent & 4 ? 8 : 0);
    return 8 * spot(coarse, parent >> 3, lane & 1) + lane / 2;
}

/* The largest eigenvalue of C^T D^-1 C, by powers: how much the term weighs beside the diagonal. */
static double weight_of(const rank_level *l, int group, const level *on) {
    double gram[POISSON_RANK][POISSON_RANK] = {{0}}, v[POISSON_RANK], length = 0;
    for (int32_t e = l->first[group]; e < l->first[group + 1]; ++e) {
        const entry *k = &l->entries[e];
        const double inverse = (double)inverse_at(on, k->place);
        for (int i = 0; i < POISSON_RANK; ++i)
            for (int j = 0; j <= i; ++j) gram[i][j] += inverse * (double)k->row[i] * (double)k->row[j];
    }
    for (int i = 0; i < POISSON_RANK; ++i)
        for (int j = i + 1; j < POISSON_RANK; ++j) gram[i][j] = gram[j][i];
    for (int i = 0; i < POISSON_RANK; ++i) v[i] = sqrt(gram[i][i]);
    for (int round = 0; round < POWERS; ++round) {
        double next[POISSON_RANK] = {0}, sum = 0, before = 0;
        for (int i = 0; i < POISSON_RANK; ++i) {
            for (int j = 0; j < POISSON_RANK; ++j) next[i] += gram[i][j] * v[j];
            sum += next[i] * next[i];
            before += v[i] * v[i];
        }
        if (!(before > 0)) return 0;
        length = sqrt(sum / before);
        memcpy(v, next, sizeof v);
    }
    return length;
}

/* A bound of it that is quick to find. */
static double trace_of(const rank_level *l, int group, const level *on) {
    double sum = 0;
    for (int32_t e = l->first[group]; e < l->first[group + 1]; ++e) {
        const float *row = l->entries[e].row;
        float square = 0;
        for (int c = 0; c < POISSON_RANK; ++c) square += row[c] * row[c];
        sum += (double)(square * inverse_at(on, l->entries[e].place));
    }
    return sum;
}

/* The finest level: groups that weigh enough, made heavier where they weigh too much. */
static void choose_group(low_rank *r, int group, const level *on) {
    rank_level *l = &r->level[0];
    const double weight = weight_of(&r->all, group, on);
    const float scale = weight > WEIGHT_MOST ? (float)sqrt(WEIGHT_MOST / weight) : 1;
    int32_t count = l->first[group];
    for (int32_t e = r->all.first[group]; weight >= WEIGHT_LEAST && e < r->all.first[group + 1]; ++e) {
        l->entries[count] = r->all.entries[e];
        for (int c = 0; c < POISSON_RANK; ++c) l->entries[count].row[c] *= scale;
        ++count;
    }
    l->first[group + 1] = count;
}

/* A coarser level; a group that weighs too little is left out. */
static void restrict_group(low_rank *r, const level *levels, int depth, int group) {
    rank_level *l = &r->level[depth];
    const rank_level *finer = l - 1;
    const int32_t from = l->first[group];
    int32_t count = from;
    for (int32_t e = finer->first[group]; e < finer->first[group + 1]; ++e) {
        const entry *k = &finer->entries[e];
        add_row(r, l, from, &count, coarse_place(&levels[depth - 1], &levels[depth], k->place), k->row, 1);
    }
    l->first[group + 1] = count;
    if (trace_of(l, group, &levels[depth]) >= WEIGHT_LEAST) return;
    for (int32_t e = from; e < count; ++e) r->slot[l->entries[e].place] = 0;
    l->first[group + 1] = from;
}

int rank_coarsen(low_rank *r, const level *levels, int count) {
    r->levels = 0;
    if (r->groups == 0) return 0;
    for (int depth = 0; depth < count; ++depth) {
        rank_level *l = &r->level[depth];
        if (hold_level(l, r->groups, depth ? l[-1].first[r->groups] : r->all.first[r->groups])) return -1;
        if (depth) memset(r->slot, 0, (size_t)levels[depth].stride * BLOCK_CELLS * sizeof *r->slot);
        l->first[0] = 0;
        for (int g = 0; g < r->groups; ++g)
            if (depth) restrict_group(r, levels, depth, g);
            else choose_group(r, g, &levels[0]);
        if (l->first[r->groups] == 0) break;
        if (depth == 0 && buffer_hold(&r->saved_memory, (size_t)l->first[r->groups] * sizeof *r->saved))
            return -1;
        r->levels = depth + 1;
    }
    r->saved = r->saved_memory.data;
    return 0;
}

int rank_levels(const low_rank *r) {
    return r ? r->levels : 0;
}

int rank_forget_levels(low_rank *r) {
    const int had = r->levels;
    r->levels = 0;
    return had > 0;
}

void rank_begin(low_rank *r, int depth, const float *b) {
    rank_level *l = &r->level[depth];
    memset(l->frozen, 0, (size_t)r->groups * sizeof *l->frozen);
    for (int32_t e = 0; depth == 0 && e < l->first[r->groups]; ++e) r->saved[e] = b[l->entries[e].place];
}

HOT void rank_descend(low_rank *r, int depth, const float *x, const level *coarse, float *coarse_x,
                      float *coarse_b) {
    rank_level *l = &r->level[depth], *next = depth + 1 < r->levels ? l + 1 : NULL;
    for (int g = 0; g < r->groups; ++g) {
        l->now[g] = group_product(l, g, x);
        const vec8 change = dvec8_narrow(dvec8_minus(l->now[g], l->frozen[g]));
        for (int32_t e = next ? next->first[g] : 0; next && e < next->first[g + 1]; ++e) {
            const int32_t place = next->entries[e].place;
            coarse_b[place] -= row_times(next->entries[e].row, change);
            if (place < 8 * coarse->stride) coarse_x[place] = coarse_b[place] * inverse_at(coarse, place);
        }
    }
}

HOT void rank_ascend(low_rank *r, int depth, const float *coarse_x, double over, float *b) {
    rank_level *l = &r->level[depth], *next = depth + 1 < r->levels ? l + 1 : NULL;
    for (int g = 0; g < r->groups; ++g) {
        dvec8 change = dvec8_minus(l->now[g], l->frozen[g]);
        if (next) change = dvec8_plus_product(change, dvec8_of(over), group_product(next, g, coarse_x));
        l->frozen[g] = dvec8_plus_product(l->frozen[g], dvec8_of(1), change);
        const vec8 narrow = dvec8_narrow(change);
        for (int32_t e = l->first[g]; e < l->first[g + 1]; ++e)
            b[l->entries[e].place] -= row_times(l->entries[e].row, narrow);
    }
}

HOT double rank_end(low_rank *r, const float *x, float *b) {
    rank_level *l = &r->level[0];
    for (int g = 0; g < r->groups; ++g) l->now[g] = group_product(l, g, x);
    for (int32_t e = l->first[r->groups] - 1; e >= 0; --e) b[l->entries[e].place] = r->saved[e];
    return products_dot(l->now, l->frozen, r->groups);
}
