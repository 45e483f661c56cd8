/* Closed regions: sets of cells joined by faces with no extra anywhere. There A has the constants as its null
 * space: the right-hand side must sum to 0 over each, and the solution is known up to a constant each, chosen
 * to have mean 0.
 *
 * To take means off in parallel, every chunk of blocks lists the closed regions it meets (slots); sums are
 * kept a slot and added in chunk order, so thousands of regions cost no more than one. */
#include "linear/poisson_labels.h"

#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "core/memory.h"

enum { NO_SLOT = -1, MIXED = -2 }; /* the m-th block of several slots has MIXED - m */
enum { OPEN = -1, UNSEEN = -2, BUFFERS = 13 };

struct regions {
    int closed, mixed;
    labels labels;
    int32_t *region;                   /* [runs], of a root: number of its closed region, or OPEN */
    int32_t *last_slot;                /* [closed] */
    double *cells;                     /* [closed] */
    double *sum;                       /* [closed], then the mean */
    int32_t *slot_region, *block_slot; /* [slots]; [blocks]: slot of all 16 cells, NO_SLOT, or MIXED - m */
    double *slot_sum;
    int32_t (*lane_slot)[BLOCK_CELLS]; /* [mixed] */
    int32_t *chunk_slot;               /* [chunks + 1]: the first slot of a chunk */
    buffer memory[BUFFERS];
    /* regions whose constants the term of low rank ties to each other: see regions_tie() */
    int ties;
    int32_t *tied;          /* [ties] */
    double *null, *inverse; /* [ties][ties] */
};

regions *regions_create(void) {
    return mem_alloc(sizeof(regions));
}

void regions_free(regions *r) {
    if (!r) return;
    for (int i = 0; i < BUFFERS; ++i) buffer_drop(&r->memory[i]);
    labels_free(&r->labels);
    mem_free(r);
}

size_t regions_bytes(const regions *r) {
    size_t bytes = sizeof *r + labels_bytes(&r->labels);
    for (int i = 0; i < BUFFERS; ++i) bytes += r->memory[i].bytes;
    return bytes;
}

labels *regions_labels(regions *r) {
    return &r->labels;
}

int regions_closed(const regions *r) {
    return r->closed;
}

/* ---- labels ---- */

/* Numbers the closed regions: roots without extra that hold an unknown. */
HOT static void number_closed(regions *g, const level *l) {
    for (int id = 0; id < l->blocks; ++id) {
        const entry_links *links = links_of(&g->labels, l, id);
        for (unsigned left = links->extra; left;) { /* the first of a run tells as much as all */
            const int lane = __builtin_ctz(left);
            g->region[label_of(&g->labels, l, id, lane)] = OPEN;
            left &= run_after(links->starts, lane);
        }
    }
    g->closed = 0;
    for (int id = 0; id < l->blocks; ++id) {
        const unsigned starts = links_of(&g->labels, l, id)->starts;
        for (unsigned left = starts & l->unknowns[id]; left; left &= left - 1) {
            const int32_t run = g->labels.run_first[id] + run_of(starts, __builtin_ctz(left));
            if (g->labels.parent[run] == run && g->region[run] != OPEN) g->region[run] = g->closed++;
        }
    }
}

/* The slot of a region in the chunk being listed. */
static int32_t slot_of(regions *g, int32_t region, int32_t first_slot, int32_t *slots) {
    if (region == OPEN) return NO_SLOT;
    if (g->last_slot[region] < first_slot) {
        g->last_slot[region] = *slots;
        g->slot_region[(*slots)++] = region;
    }
    return g->last_slot[region];
}

HOT static void list_slots(regions *g, const level *l) {
    int32_t slots = 0;
    g->mixed = 0;
    for (int32_t i = 0; i < g->closed; ++i) g->last_slot[i] = -1, g->cells[i] = 0;
    for (int id = 0; id < l->blocks; ++id) {
        int chunk = id / BLOCK_GRAIN;
        if (id % BLOCK_GRAIN == 0) g->chunk_slot[chunk] = slots;
        int32_t lane_slot[BLOCK_CELLS], first = -3;
        int same = 1;
        for (int lane = 0; lane < BLOCK_CELLS; ++lane) {
            int32_t slot = NO_SLOT;
            if (l->unknowns[id] >> lane & 1) {
                slot = slot_of(g, g->region[label_of(&g->labels, l, id, lane)], g->chunk_slot[chunk], &slots);
                if (slot != NO_SLOT) g->cells[g->slot_region[slot]] += 1;
                if (first == -3) first = slot;
                same &= first == slot;
            }
            lane_slot[lane] = slot;
        }
        same &= first == NO_SLOT || l->unknowns[id] == 0xffff;
        g->block_slot[id] = same ? first : MIXED - g->mixed;
        if (!same) memcpy(g->lane_slot[g->mixed++], lane_slot, sizeof lane_slot);
    }
    g->chunk_slot[level_chunks(l)] = slots;
}

static int hold_slots(regions *g, const level *l, size_t runs) {
    size_t closed = (size_t)g->closed, blocks = (size_t)l->blocks;
    size_t slots = closed * (size_t)level_chunks(l) < runs ? closed * (size_t)level_chunks(l) : runs;
    size_t need[] = {closed * sizeof *g->last_slot, closed * sizeof *g->cells,
                     closed * sizeof *g->sum,       slots * sizeof *g->slot_region,
                     slots * sizeof *g->slot_sum,   blocks * sizeof *g->block_slot,
                     blocks * sizeof *g->lane_slot, (blocks + 1) * sizeof(int32_t)};
    for (int i = 0; i < 8; ++i)
        if (buffer_hold(&g->memory[1 + i], need[i])) return -1;
    g->last_slot = g->memory[1].data;
    g->cells = g->memory[2].data;
    g->sum = g->memory[3].data;
    g->slot_region = g->memory[4].data;
    g->slot_sum = g->memory[5].data;
    g->block_slot = g->memory[6].data;
    g->lane_slot = g->memory[7].data;
    g->chunk_slot = g->memory[8].data;
    return 0;
}

int regions_find(regions *g, const level *l, pool *p) {
    g->closed = g->ties = 0;
    if (labels_find(&g->labels, l, p, 0, NULL)) return -1;
    const size_t runs = g->labels.runs;
    if (buffer_hold(&g->memory[0], runs * sizeof *g->region)) return -1;
    g->region = g->memory[0].data;
    for (size_t i = 0; i < runs; ++i) g->region[i] = UNSEEN;
    number_closed(g, l);
    if (g->closed == 0) return 0;
    if (hold_slots(g, l, runs)) return -1;
    list_slots(g, l);
    return 0;
}

/* ---- marks ---- */

INLINE ptrdiff_t block_first(const level *l, const box *b, int id) {
    const int row = l->at[id] / l->row;
    return box_at(b, l->at[id] % l->row * BLOCK_CELLS, row % l->n[1], row / l->n[1]);
}

/* The unknowns of the run of a block that begins at `lane`, as bits. */
INLINE unsigned run_from(const level *l, int id, unsigned starts, int lane) {
    return ~((1u << lane) - 1) & ~run_after(starts, lane) & l->unknowns[id];
}

/* Bit i: cell i of a block is marked, of those that are unknowns. */
INLINE unsigned marked_cells(const level *l, int id, const uint8_t *cell) {
    unsigned bits = 0;
    for (unsigned left = l->unknowns[id]; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        bits |= (unsigned)(cell[lane] == POISSON_MARKED) << lane;
    }
    return bits;
}

/* Which roots have a marked cell. */
HOT static void note_marked(regions *g, const level *l, const box *b, const uint8_t *mark, uint8_t *marked) {
    for (int id = 0; id < l->blocks; ++id) {
        const uint8_t *cell = mark + block_first(l, b, id);
        const unsigned starts = links_of(&g->labels, l, id)->starts;
        if (l->unknowns[id] == 0xffff && !memchr(cell, POISSON_MARKED, BLOCK_CELLS)) continue;
        for (unsigned left = marked_cells(l, id, cell); left;) { /* the first of a run tells as much as all */
            const int lane = __builtin_ctz(left);
            marked[label_of(&g->labels, l, id, lane)] = 1;
            left &= run_after(starts, lane);
        }
    }
}

/* Tells the cells of the other roots; whether there are any. */
HOT static int mark_apart(regions *g, const level *l, const box *b, uint8_t *mark, const uint8_t *marked) {
    int any = 0;
    for (int id = 0; id < l->blocks; ++id) {
        const unsigned starts = links_of(&g->labels, l, id)->starts;
        for (unsigned left = starts & l->unknowns[id]; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            if (marked[label_of(&g->labels, l, id, lane)]) continue;
            uint8_t *cell = mark + block_first(l, b, id);
            for (unsigned cells = run_from(l, id, starts, lane); cells; cells &= cells - 1)
                cell[__builtin_ctz(cells)] = POISSON_APART;
            any = 1;
        }
    }
    return any;
}

int regions_find_apart(regions *g, const level *l, const box *b, uint8_t *mark) {
    if (g->labels.runs == 0) return 0;
    if (buffer_hold(&g->memory[12], g->labels.runs)) return -1;
    uint8_t *const marked = g->memory[12].data;
    memset(marked, 0, g->labels.runs);
    note_marked(g, l, b, mark, marked);
    return mark_apart(g, l, b, mark, marked);
}

/* ---- means ---- */

typedef struct projection {
    regions *g;
    const level *l;
    vec8 *v;
} projection;

HOT static void sum_chunk(void *context, int chunk) {
    projection *w = context;
    regions *g = w->g;
    for (int32_t s = g->chunk_slot[chunk]; s < g->chunk_slot[chunk + 1]; ++s) g->slot_sum[s] = 0;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(w->l, chunk); ++id) {
        int32_t slot = g->block_slot[id];
        if (slot == NO_SLOT) continue;
        if (slot >= 0) {
            g->slot_sum[slot] +=
                dvec8_total(vec8_wide(w->v[id])) + dvec8_total(vec8_wide(w->v[w->l->stride + id]));
            continue;
        }
        const vec8 *half[2] = {&w->v[spot(w->l, id, EVEN)], &w->v[spot(w->l, id, ODD)]};
        const int32_t *lane_slot = g->lane_slot[MIXED - slot];
        for (int i = 0; i < BLOCK_CELLS; ++i)
            if (lane_slot[i] >= 0) g->slot_sum[lane_slot[i]] += (double)(*half[i & 1])[i / 2];
    }
}

HOT static void subtract_chunk(void *context, int chunk) {
    projection *w = context;
    regions *g = w->g;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(w->l, chunk); ++id) {
        int32_t slot = g->block_slot[id];
        if (slot == NO_SLOT) continue;
        if (slot >= 0) {
            vec8 mean = vec8_of((float)g->sum[g->slot_region[slot]]);
            w->v[id] -= mean;
            w->v[w->l->stride + id] -= mean;
            continue;
        }
        vec8 *half[2] = {&w->v[spot(w->l, id, EVEN)], &w->v[spot(w->l, id, ODD)]};
        const int32_t *lane_slot = g->lane_slot[MIXED - slot];
        for (int i = 0; i < BLOCK_CELLS; ++i)
            if (lane_slot[i] >= 0) (*half[i & 1])[i / 2] -= (float)g->sum[g->slot_region[lane_slot[i]]];
    }
}

/* Sums of v over the regions, into g->sum. */
static void sum_regions(projection *w, pool *p) {
    regions *g = w->g;
    const int32_t slots = g->chunk_slot[level_chunks(w->l)];
    parallel_for(level_pool(w->l, p), level_chunks(w->l), sum_chunk, w);
    for (int i = 0; i < g->closed; ++i) g->sum[i] = 0;
    for (int32_t s = 0; s < slots; ++s) g->sum[g->slot_region[s]] += g->slot_sum[s];
}

/* means = matrix (sums of the tied regions) */
static void times_ties(double means[TIES_MOST], const regions *g, const double *matrix) {
    for (int i = 0; i < g->ties; ++i) {
        means[i] = 0;
        for (int j = 0; j < g->ties; ++j) means[i] += matrix[g->ties * i + j] * g->sum[g->tied[j]];
    }
}

double regions_project(regions *g, const level *l, pool *p, vec8 *v) {
    if (g->closed == 0) return 0;
    projection w = {g, l, v};
    double taken = 0, means[TIES_MOST];
    sum_regions(&w, p);
    times_ties(means, g, g->null);
    for (int i = 0; i < g->closed; ++i) g->sum[i] /= g->cells[i];
    for (int i = 0; i < g->ties; ++i) g->sum[g->tied[i]] = means[i];
    for (int i = 0; i < g->closed; ++i) taken += fabs(g->sum[i]) * g->cells[i];
    parallel_for(level_pool(l, p), level_chunks(l), subtract_chunk, &w);
    return taken;
}

double regions_lift(regions *g, const level *l, pool *p, vec8 *v, vec8 *residual) {
    if (g->ties == 0) return 0;
    projection from = {g, l, residual}, to = {g, l, v};
    double means[TIES_MOST], dot = 0;
    sum_regions(&from, p);
    times_ties(means, g, g->inverse);
    for (int i = 0; i < g->ties; ++i) dot += means[i] * g->sum[g->tied[i]];
    for (int i = 0; i < g->closed; ++i) g->sum[i] = 0;
    for (int i = 0; i < g->ties; ++i) g->sum[g->tied[i]] = -means[i];
    parallel_for(level_pool(l, p), level_chunks(l), subtract_chunk, &to);
    return dot;
}

int32_t regions_at(const regions *g, const level *l, int id, int lane) {
    if (g->closed == 0 || id >= l->blocks) return -1;
    int32_t slot = g->block_slot[id];
    if (slot <= MIXED) slot = g->lane_slot[MIXED - slot][lane];
    return slot < 0 ? -1 : g->slot_region[slot];
}

/* Eigenvalues of a symmetric matrix on its diagonal, vectors in the columns of u: cyclic Jacobi rotations. */
static void diagonalise(double *m, double *u, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) u[n * i + j] = i == j;
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0, all = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) *(i == j ? &all : &off) += m[n * i + j] * m[n * i + j];
        if (off <= 1e-28 * all) return;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                const double a = m[n * p + q];
                if (a == 0) continue;
                const double d = (m[(n + 1) * q] - m[(n + 1) * p]) / (2 * a);
                const double t = (d < 0 ? -1 : 1) / (fabs(d) + sqrt(d * d + 1)), c = 1 / sqrt(t * t + 1),
                             s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double x = m[n * k + p], y = m[n * k + q];
                    m[n * k + p] = c * x - s * y;
                    m[n * k + q] = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    const double x = m[n * p + k], y = m[n * q + k];
                    m[n * p + k] = c * x - s * y;
                    m[n * q + k] = s * x + c * y;
                    const double v = u[n * k + p], z = u[n * k + q];
                    u[n * k + p] = c * v - s * z;
                    u[n * k + q] = s * v + c * z;
                }
            }
    }
}

static int hold_ties(regions *g, int count) {
    const size_t n = (size_t)count;
    if (buffer_hold(&g->memory[9], n * sizeof *g->tied) ||
        buffer_hold(&g->memory[10], n * n * sizeof *g->null) ||
        buffer_hold(&g->memory[11], n * n * sizeof *g->inverse))
        return -1;
    g->tied = g->memory[9].data;
    g->null = g->memory[10].data;
    g->inverse = g->memory[11].data;
    return 0;
}

/* On constants the whole operator is E = Z^T C C^T Z (A has none of it), and with cells D the null space in
 * the measure of cells is that of D^-1/2 E D^-1/2. */
int regions_tie(regions *g, int count, const int32_t *tied, double *gram) {
    double root[TIES_MOST], most = 0;
    g->ties = 0;
    if (count == 0) return 0;
    double *vectors = mem_alloc((size_t)count * (size_t)count * sizeof *vectors);
    if (!vectors || hold_ties(g, count)) {
        mem_free(vectors);
        return -1;
    }
    g->ties = count;
    for (int i = 0; i < count; ++i) {
        g->tied[i] = tied[i];
        root[i] = sqrt(g->cells[tied[i]]);
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) gram[count * i + j] /= root[i] * root[j];
    diagonalise(gram, vectors, count);
    for (int i = 0; i < count; ++i) most = fmax(most, gram[(count + 1) * i]);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            double null = 0, inverse = 0;
            for (int k = 0; k < count; ++k) {
                const double both = vectors[count * i + k] * vectors[count * j + k] / (root[i] * root[j]);
                const double value = gram[(count + 1) * k];
                if (value > 1e-8 * most) inverse += both / value;
                else null += both;
            }
            g->null[count * i + j] = null;
            g->inverse[count * i + j] = inverse;
        }
    mem_free(vectors);
    return 0;
}
