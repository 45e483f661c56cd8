/* Nearly closed regions: water behind a crack, a vent of a hundredth of a face. Their constant hardly costs
 * any energy: it is huge where anything presses on it, drowns the rest of a float vector, and costs the cycle
 * hundreds of iterations. So it is taken out of the iteration (deflation: Nicolaides 1987; Saad et al. 2000).
 * With Z the indicators of the regions and E = Z^T A Z,
 *   at every replacement of the residual, in double:   x += Z E^-1 Z^T r,
 *   in every direction:                                z -= Z E^-1 (A Z)^T z,
 * after which directions carry no flux through the leaks, and r stays without means over the regions.
 *
 * A region is a set of cells joined by links above WEAK of a full one, whose leak, the sum of all weaker
 * links out of it and of its extras, is above 0 and at most LEAK. A Z is 0 but at the leaks: a short list.
 *
 * Limits: the LEAKS_MOST largest regions, none of fewer than CELLS_LEAST cells. Not with a term of low rank,
 * nor inside regions that are closed for good. */
#include "linear/poisson_leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "linear/poisson_labels.h"

enum { LEAKS_MOST = 48, CELLS_LEAST = 32, NONE = -1, MIXED = -2, BUFFERS = 6 };
static const float WEAK = 0.5f, LEAK = 1; /* of a full link */

/* Flux through a leak: a (z at `from` - z at `to`) out of region `of`. */
typedef struct leak {
    float a;
    int32_t from, to; /* floats of a field; to NONE: air */
    int16_t of, into; /* into NONE: no region of the list */
} leak;

struct leaks {
    int count;
    int tight;           /* sets of enough cells that may still be regions; without any the search is over */
    labels own, *strong; /* cells that strong links join; own, unless there are no others */
    double *whole;       /* [runs], of a root: its leak */
    int32_t *cells;      /* [runs], of a root */
    int32_t *region;     /* [runs], of a root: its number or NONE */
    int32_t *of_block;   /* [blocks]: region of all its unknowns, NONE, or MIXED */
    leak *list;          /* [leaks] */
    double *part;        /* [chunks][LEAKS_MOST] */
    int leak_count;
    double factor[LEAKS_MOST][LEAKS_MOST]; /* Cholesky of E, lower */
    buffer memory[BUFFERS];
};

leaks *leaks_create(void) {
    return mem_alloc(sizeof(leaks));
}

void leaks_free(leaks *g) {
    if (!g) return;
    labels_free(&g->own);
    for (int i = 0; i < BUFFERS; ++i) buffer_drop(&g->memory[i]);
    mem_free(g);
}

size_t leaks_bytes(const leaks *g) {
    size_t bytes = sizeof *g + labels_bytes(&g->own);
    for (int i = 0; i < BUFFERS; ++i) bytes += g->memory[i].bytes;
    return bytes;
}

int leaks_count(const leaks *g) {
    return g->count;
}

double leaks_most(const level *l) {
    return (double)(LEAK * l->coefs[0].side[EVEN].x_mid[0]);
}

/* ---- where they are ---- */

/* A link to a cell below along an axis: its coefficient, and the cell at its other end. */
typedef struct lower_link {
    float a;
    int id, lane;
} lower_link;

static lower_link link_below(const level *l, int id, int lane, int axis) {
    const block *k = &l->block[id];
    const side_coefs *c = &l->coefs[k->coefs].side[lane & 1];
    if (axis == 1) return (lower_link){c->y_low[lane / 2], k->neighbour[Y_LOW], lane};
    if (axis == 2) return (lower_link){c->z_low[lane / 2], k->neighbour[Z_LOW], lane};
    if (lane & 1) return (lower_link){c->x_mid[lane / 2], id, lane - 1};
    if (lane > 0) return (lower_link){c->x_out[lane / 2], id, lane - 1};
    const int32_t end = l->seam < 0 ? -1 : across_seam(l, id, EVEN);
    if (end >= 0) return (lower_link){c->x_out[0], end, 2 * l->seam + 1};
    return (lower_link){c->x_out[0], k->neighbour[X_LOW], BLOCK_CELLS - 1};
}

/* Calls `note` with every extra and every weak link between two sets of cells, both ways. */
typedef void note_leak(leaks *g, const level *l, int32_t of, int id, int lane, int32_t into, int to_id,
                       int to_lane, float a);

HOT static void each_leak(leaks *g, const level *l, const labels *all, float weak, note_leak *note) {
    for (int id = 0; id < l->blocks && g->tight; ++id) {
        const entry_links *strong = links_of(g->strong, l, id), *any = links_of(all, l, id);
        const unsigned here = l->unknowns[id];
        for (unsigned left = strong->extra & here; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const float a = l->coefs[l->block[id].coefs].side[lane & 1].extra[lane / 2];
            note(g, l, label_of(g->strong, l, id, lane), id, lane, NONE, 0, 0, a);
        }
        const unsigned out = any->out & !strong->out; /* of the first cell, along x */
        const unsigned weaker[3] = {(strong->starts & ~(unsigned)any->starts) | out,
                                    any->y & ~(unsigned)strong->y, any->z & ~(unsigned)strong->z};
        for (int axis = 0; axis < l->dim; ++axis)
            for (unsigned left = weaker[axis] & here; left; left &= left - 1) {
                const int lane = __builtin_ctz(left);
                const lower_link k = link_below(l, id, lane, axis);
                if (!(k.a > 0 && k.a <= weak) || k.id >= l->blocks) continue;
                const int32_t mine = label_of(g->strong, l, id, lane),
                              theirs = label_of(g->strong, l, k.id, k.lane);
                if (mine == theirs) continue;
                note(g, l, mine, id, lane, theirs, k.id, k.lane, k.a);
                note(g, l, theirs, k.id, k.lane, mine, id, lane, k.a);
            }
    }
}

static void add_whole(leaks *g, const level *l, int32_t of, int id, int lane, int32_t into, int to_id,
                      int to_lane, float a) {
    (void)id, (void)lane, (void)into, (void)to_id, (void)to_lane;
    const double before = g->whole[of], most = leaks_most(l);
    g->whole[of] = before + (double)a;
    g->tight -= g->cells[of] >= CELLS_LEAST && before <= most && g->whole[of] > most;
}

/* The cells of the run that begins with the first of those left; takes them off. */
INLINE unsigned take_run(unsigned *left, unsigned starts) {
    const unsigned first = *left & -*left, later = starts & ~(2 * first - 1);
    const unsigned run = *left & ((later & -later) - 1); /* all that is left if none begins later */
    *left &= ~run;
    return run;
}

/* Of every set; most have too few to be a region, and the rest of the water is soon seen to be none.
 * Afterwards every run knows its root, so that tasks may ask for it side by side. */
HOT static void count_cells(leaks *g, const level *l) {
    memset(g->cells, 0, g->strong->runs * sizeof *g->cells);
    for (int id = 0; id < l->blocks; ++id) {
        const unsigned starts = links_of(g->strong, l, id)->starts;
        for (unsigned left = l->unknowns[id]; left;) {
            const int first = __builtin_ctz(left);
            g->cells[label_of(g->strong, l, id, first)] += __builtin_popcount(take_run(&left, starts));
        }
    }
    g->tight = 0;
    for (size_t r = 0; r < g->strong->runs; ++r) g->tight += g->cells[r] >= CELLS_LEAST;
}

/* Numbers the regions of at least `least` cells; returns how many there are. */
static int number_regions(leaks *g, double most, int least) {
    int count = 0;
    for (size_t r = 0; r < g->strong->runs; ++r) {
        const int is = g->strong->parent[r] == (int32_t)r && g->whole[r] > 0 && g->whole[r] <= most;
        g->region[r] = is && g->cells[r] >= least ? count++ : NONE;
    }
    return count;
}

HOT static void label_blocks(leaks *g, const level *l) {
    for (int id = 0; id < l->blocks; ++id) {
        const unsigned starts = links_of(g->strong, l, id)->starts;
        int32_t first = MIXED, same = 1;
        for (unsigned left = l->unknowns[id]; left; take_run(&left, starts)) {
            const int32_t n = g->region[label_of(g->strong, l, id, __builtin_ctz(left))];
            if (first == MIXED) first = n;
            same &= first == n;
        }
        g->of_block[id] = same ? first : MIXED;
    }
}

static void count_leak(leaks *g, const level *l, int32_t of, int id, int lane, int32_t into, int to_id,
                       int to_lane, float a) {
    (void)l, (void)id, (void)lane, (void)into, (void)to_id, (void)to_lane, (void)a;
    g->leak_count += g->region[of] != NONE;
}

static void list_leak(leaks *g, const level *l, int32_t of, int id, int lane, int32_t into, int to_id,
                      int to_lane, float a) {
    const int32_t n = g->region[of], m = into == NONE ? NONE : g->region[into];
    if (n == NONE) return;
    g->list[g->leak_count++] =
        (leak){.a = a,
               .from = lane_spot(l, id, lane & 1, lane / 2),
               .to = into == NONE ? NONE : lane_spot(l, to_id, to_lane & 1, to_lane / 2),
               .of = (int16_t)n,
               .into = (int16_t)m};
}

/* E and its factor; 0: it has none, as where regions leak into each other only. */
static int factorise(leaks *g) {
    double(*e)[LEAKS_MOST] = g->factor;
    memset(g->factor, 0, sizeof g->factor);
    for (int i = 0; i < g->leak_count; ++i) {
        const leak *k = &g->list[i];
        e[k->of][k->of] += (double)k->a;
        if (k->into != NONE && k->into < k->of) e[k->of][k->into] -= (double)k->a;
    }
    for (int i = 0; i < g->count; ++i) {
        const double whole = e[i][i];
        for (int j = 0; j <= i; ++j) {
            for (int k = 0; k < j; ++k) e[i][j] -= e[i][k] * e[j][k];
            if (j < i) e[i][j] /= e[j][j];
        }
        if (!(e[i][i] > 1e-12 * whole)) return 0;
        e[i][i] = sqrt(e[i][i]);
    }
    return 1;
}

static int reserve(leaks *g, const level *l) {
    const size_t runs = g->strong->runs, blocks = (size_t)l->blocks + 1;
    if (buffer_hold(&g->memory[0], runs * sizeof *g->whole) ||
        buffer_hold(&g->memory[1], runs * sizeof *g->cells) ||
        buffer_hold(&g->memory[2], runs * sizeof *g->region) ||
        buffer_hold(&g->memory[3], blocks * sizeof *g->of_block) ||
        buffer_hold(&g->memory[4], ((size_t)level_chunks(l) + 1) * LEAKS_MOST * sizeof *g->part))
        return -1;
    g->whole = g->memory[0].data;
    g->cells = g->memory[1].data;
    g->region = g->memory[2].data;
    g->of_block = g->memory[3].data;
    g->part = g->memory[4].data;
    return 0;
}

/* Whether some entry of the table has an extra that could be a leak. Most free surfaces have none. */
static int has_small_extra(const level *l, float most) {
    for (int e = 0; e < l->entries; ++e)
        for (int side = 0; side < 2; ++side)
            for (int i = 0; i < BLOCK_CELLS / 2; ++i) {
                const float extra = l->coefs[e].side[side].extra[i];
                if (extra > 0 && extra <= most) return 1;
            }
    return 0;
}

int leaks_find(leaks *g, const level *l, pool *p, labels *all) {
    const float full = l->coefs[0].side[EVEN].x_mid[0];
    const double most = leaks_most(l);
    int least = CELLS_LEAST, count;
    g->count = g->leak_count = 0;
    if (l->blocks == 0) return 0;
    const int same = labels_find(&g->own, l, p, WEAK * full, all);
    g->strong = same ? all : &g->own;
    if (same < 0) return -1;
    if (same && !has_small_extra(l, (float)most)) return 0; /* no weak link, and what leads out is wide */
    if (reserve(g, l)) return -1;
    memset(g->whole, 0, g->strong->runs * sizeof *g->whole);
    count_cells(g, l);
    each_leak(g, l, all, WEAK * full, add_whole);
    if (g->tight == 0) return 0;
    while ((count = number_regions(g, most, least)) > LEAKS_MOST) least *= 2;
    if (count == 0) return 0;
    label_blocks(g, l);
    each_leak(g, l, all, WEAK * full, count_leak);
    if (buffer_hold(&g->memory[5], (size_t)g->leak_count * sizeof *g->list)) return -1;
    g->list = g->memory[5].data;
    g->leak_count = 0;
    each_leak(g, l, all, WEAK * full, list_leak);
    g->count = count;
    if (!factorise(g)) g->count = 0;
    return 0;
}

/* ---- taking their constants out ---- */

typedef struct leak_pass {
    leaks *g;
    const level *l;
    const vec8 *r;
    vec8 *z;
    dvec8 *x;
    const double *by;
} leak_pass;

/* c = E^-1 c */
static void solve(const leaks *g, double c[LEAKS_MOST]) {
    for (int i = 0; i < g->count; ++i) {
        for (int k = 0; k < i; ++k) c[i] -= g->factor[i][k] * c[k];
        c[i] /= g->factor[i][i];
    }
    for (int i = g->count - 1; i >= 0; --i) {
        for (int k = i + 1; k < g->count; ++k) c[i] -= g->factor[k][i] * c[k];
        c[i] /= g->factor[i][i];
    }
}

/* The region of a cell of a block that lies in some. */
INLINE int32_t region_of(leaks *g, const level *l, int id, int lane) {
    return g->of_block[id] == MIXED ? g->region[label_of(g->strong, l, id, lane)] : g->of_block[id];
}

HOT static void sum_task(void *context, int chunk) {
    const leak_pass *w = context;
    double *part = w->g->part + (size_t)chunk * LEAKS_MOST;
    memset(part, 0, LEAKS_MOST * sizeof *part);
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(w->l, chunk); ++id) {
        if (w->g->of_block[id] == NONE) continue;
        for (unsigned left = w->l->unknowns[id]; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const int32_t n = region_of(w->g, w->l, id, lane);
            if (n != NONE) part[n] += (double)lane_value(&w->r[spot(w->l, id, lane & 1)], lane / 2);
        }
    }
}

/* x += Z by, or z -= Z by */
HOT static void add_task(void *context, int chunk) {
    const leak_pass *w = context;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(w->l, chunk); ++id) {
        if (w->g->of_block[id] == NONE) continue;
        for (unsigned left = w->l->unknowns[id]; left; left &= left - 1) {
            const int lane = __builtin_ctz(left), at = spot(w->l, id, lane & 1);
            const int32_t n = region_of(w->g, w->l, id, lane);
            if (n == NONE) continue;
            if (w->x) ((double *)&w->x[at])[lane / 2] += w->by[n];
            else ((float *)&w->z[at])[lane / 2] -= (float)w->by[n];
        }
    }
}

/* Z^T r */
static void sum_regions(double sum[LEAKS_MOST], leak_pass *w, pool *p) {
    memset(sum, 0, LEAKS_MOST * sizeof *sum);
    parallel_for(level_pool(w->l, p), level_chunks(w->l), sum_task, w);
    for (int chunk = 0; chunk < level_chunks(w->l); ++chunk)
        for (int i = 0; i < w->g->count; ++i) sum[i] += w->g->part[(size_t)chunk * LEAKS_MOST + (size_t)i];
}

/* by = E^-1 Z^T r; returns r . Z by */
static double find_lift(double by[LEAKS_MOST], leak_pass *w, pool *p) {
    double sum[LEAKS_MOST], dot = 0;
    sum_regions(sum, w, p);
    memcpy(by, sum, sizeof sum);
    solve(w->g, by);
    for (int i = 0; i < w->g->count; ++i) dot += by[i] * sum[i];
    return dot;
}

void leaks_lift(leaks *g, const level *l, pool *p, dvec8 *x, const vec8 *r) {
    double by[LEAKS_MOST];
    leak_pass w = {.g = g, .l = l, .r = r, .x = x, .by = by};
    find_lift(by, &w, p);
    parallel_for(level_pool(l, p), level_chunks(l), add_task, &w);
}

double leaks_precondition(leaks *g, const level *l, pool *p, vec8 *z, const vec8 *r) {
    double by[LEAKS_MOST];
    leak_pass w = {.g = g, .l = l, .r = r, .z = z, .by = by};
    const double dot = find_lift(by, &w, p);
    for (int i = 0; i < g->count; ++i) by[i] = -by[i];
    parallel_for(level_pool(l, p), level_chunks(l), add_task, &w);
    return dot;
}

double leaks_deflate(leaks *g, const level *l, pool *p, vec8 *z, const vec8 *r) {
    double by[LEAKS_MOST] = {0}, sum[LEAKS_MOST], dot = 0;
    const float *value = (const float *)z;
    for (int i = 0; i < g->leak_count; ++i) {
        const leak *k = &g->list[i];
        by[k->of] += (double)k->a * ((double)value[k->from] - (k->to == NONE ? 0 : (double)value[k->to]));
    }
    solve(g, by);
    leak_pass w = {.g = g, .l = l, .r = r, .z = z, .by = by};
    sum_regions(sum, &w, p);
    for (int i = 0; i < g->count; ++i) dot += by[i] * sum[i];
    parallel_for(level_pool(l, p), level_chunks(l), add_task, &w);
    return -dot;
}
