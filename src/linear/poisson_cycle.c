/* One symmetric multigrid cycle, the preconditioner M of the pressure solve.
 *
 *   x = S b;  x += s P C P^T (b - A x);  x += S^T (b - A x)
 * S: red-black Gauss-Seidel, red then black; S^T: black then red. P is constant on 2 x 2 x 2 cells. The
 * energy of a smooth field interpolated so is twice too large, and the correction half of what it should be:
 * it is scaled by s = 1.8 (Braess 1995). C is one (V) or two (W) cycles on the coarser level. Since S
 * contracts in the energy norm, the eigenvalues of C A_c within (0, 2) put those of M A within (0, s]: two
 * cycles give 2t - t^2, in (0, 1], so the W-cycle is symmetric positive for any s < 2; so is the V-cycle with
 * every s, its bound only grows by level.
 *
 * Passes are fused around what is known: from x = 0 a red cell is b / d, so black needs only b; then the
 * residual is 0 on black and on red the sum of a x over black. The corrected red values are never stored,
 * black takes them on the fly and red is then overwritten. A pass writes one colour and reads the other, or
 * writes another array, so threads change nothing. */
#include "linear/poisson_level.h"

#include <string.h>

enum { COARSEST_SWEEPS = 8 };
static const float OVERCORRECTION = 1.8f;

/* What the neighbours' values are: stored; b / d of a first red sweep; or stored plus the coarse correction.
 */
typedef enum { STORED, FIRST_RED, CORRECTED } value_kind;

typedef struct pass {
    const level *l, *coarse;
    vec8 *x;
    const vec8 *b;
    vec8 *coarse_b;
    int colour; /* cells with (i + j + k) & 1 == colour are updated */
    value_kind kind;
} pass;

INLINE vec8 coarse_values(const pass *w, int parent) {
    const vec8 *c = w->coarse->x + (parent >> 2) * 2;
    return (parent & 2) ? vec8_highs(c[EVEN], c[ODD]) : vec8_lows(c[EVEN], c[ODD]);
}

INLINE vec8 value(const pass *w, value_kind kind, int id, int half) {
    if (kind == STORED) return w->x[2 * id + half];
    if (kind == FIRST_RED) return w->b[2 * id + half] * w->l->coefs[w->l->block[id].coefs].inverse[half];
    return w->x[2 * id + half] + vec8_of(OVERCORRECTION) * coarse_values(w, w->l->block[id].parent);
}

/* sum of a x over the neighbours of the even (odd) cells of a block */
INLINE vec8 neighbours_even(const pass *w, value_kind kind, int id, const block_coefs *c, int dim) {
    const block *k = &w->l->block[id];
    vec8 odd = value(w, kind, id, ODD);
    vec8 before = vec8_after(value(w, kind, k->neighbour[X_LOW], ODD)[7], odd);
    vec8 sum = c->x_low_even * before + c->x_mid * odd;
    sum += c->y_low[EVEN] * value(w, kind, k->neighbour[Y_LOW], EVEN);
    sum += c->y_high[EVEN] * value(w, kind, k->neighbour[Y_HIGH], EVEN);
    if (dim == 3) {
        sum += c->z_low[EVEN] * value(w, kind, k->neighbour[Z_LOW], EVEN);
        sum += c->z_high[EVEN] * value(w, kind, k->neighbour[Z_HIGH], EVEN);
    }
    return sum;
}

INLINE vec8 neighbours_odd(const pass *w, value_kind kind, int id, const block_coefs *c, int dim) {
    const block *k = &w->l->block[id];
    vec8 even = value(w, kind, id, EVEN);
    vec8 after = vec8_before(even, value(w, kind, k->neighbour[X_HIGH], EVEN)[0]);
    vec8 sum = c->x_mid * even + c->x_high_odd * after;
    sum += c->y_low[ODD] * value(w, kind, k->neighbour[Y_LOW], ODD);
    sum += c->y_high[ODD] * value(w, kind, k->neighbour[Y_HIGH], ODD);
    if (dim == 3) {
        sum += c->z_low[ODD] * value(w, kind, k->neighbour[Z_LOW], ODD);
        sum += c->z_high[ODD] * value(w, kind, k->neighbour[Z_HIGH], ODD);
    }
    return sum;
}

INLINE vec8 neighbours(const pass *w, value_kind kind, int id, int half, const block_coefs *c, int dim) {
    return half == EVEN ? neighbours_even(w, kind, id, c, dim) : neighbours_odd(w, kind, id, c, dim);
}

/* Which half of a block has a colour. */
INLINE int half_of(const block *k, int colour) {
    return block_parity(k) ^ colour;
}

/* x from 0: red = b / d, black from those. */
INLINE void first_sweep(const pass *w, int chunk, int dim) {
    const level *l = w->l;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        const block_coefs *c = &l->coefs[l->block[id].coefs];
        int red = half_of(&l->block[id], 0), black = !red;
        w->x[2 * id + red] = w->b[2 * id + red] * c->inverse[red];
        w->x[2 * id + black] =
            (w->b[2 * id + black] + neighbours(w, FIRST_RED, id, black, c, dim)) * c->inverse[black];
    }
}

HOT static void first_sweep_task(void *context, int chunk) {
    const pass *w = context;
    if (w->l->dim == 3) first_sweep(w, chunk, 3);
    else first_sweep(w, chunk, 2);
}

/* One colour; returns the sum of x b over its cells and, for the last pass of a cycle, over the others as
 * well. */
INLINE double colour_sweep(const pass *w, int chunk, value_kind kind, int dim) {
    const level *l = w->l;
    dvec8 dot = {0};
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        const block_coefs *c = &l->coefs[l->block[id].coefs];
        int half = half_of(&l->block[id], w->colour);
        vec8 b = w->b[2 * id + half];
        vec8 x = (b + neighbours(w, kind, id, half, c, dim)) * c->inverse[half];
        w->x[2 * id + half] = x;
        if (kind == STORED) {
            dot += vec8_wide(b) * vec8_wide(x);
            dot += vec8_wide(w->b[2 * id + !half]) * vec8_wide(w->x[2 * id + !half]);
        }
    }
    return dvec8_total(dot);
}

HOT static double colour_sweep_task(void *context, int chunk) {
    const pass *w = context;
    if (w->kind == CORRECTED)
        return w->l->dim == 3 ? colour_sweep(w, chunk, CORRECTED, 3) : colour_sweep(w, chunk, CORRECTED, 2);
    return w->l->dim == 3 ? colour_sweep(w, chunk, STORED, 3) : colour_sweep(w, chunk, STORED, 2);
}

INLINE vec8 diagonal(const block_coefs *c, int half) {
    vec8 x = half == EVEN ? c->x_low_even + c->x_mid : c->x_mid + c->x_high_odd;
    return (x + (c->y_low[half] + c->y_high[half])) + ((c->z_low[half] + c->z_high[half]) + c->extra[half]);
}

/* The residual of the red cells of one block; black is in balance. */
INLINE vec8 red_residual(const pass *w, int id, int first, int dim) {
    const block_coefs *c = &w->l->coefs[w->l->block[id].coefs];
    int red = half_of(&w->l->block[id], 0);
    vec8 r = neighbours(w, STORED, id, red, c, dim);
    if (!first) r += w->b[2 * id + red] - diagonal(c, red) * w->x[2 * id + red];
    return r;
}

INLINE void restrict_residual(const pass *w, int chunk, int first, int dim) {
    const level *coarse = w->coarse;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(coarse, chunk); ++id) {
        vec8 sum[2] = {vec8_of(0), vec8_of(0)};
        for (int i = 0; i < 8; ++i) {
            int child = coarse->child[id][i];
            if (child < w->l->blocks) sum[i & 1] += red_residual(w, child, first, dim);
        }
        w->coarse_b[2 * id + EVEN] = vec8_evens(sum[0], sum[1]);
        w->coarse_b[2 * id + ODD] = vec8_odds(sum[0], sum[1]);
    }
}

HOT static void restrict_first_task(void *context, int chunk) {
    const pass *w = context;
    if (w->l->dim == 3) restrict_residual(w, chunk, 1, 3);
    else restrict_residual(w, chunk, 1, 2);
}

HOT static void restrict_task(void *context, int chunk) {
    const pass *w = context;
    if (w->l->dim == 3) restrict_residual(w, chunk, 0, 3);
    else restrict_residual(w, chunk, 0, 2);
}

static double sweep(pass *w, pool *p, int colour, value_kind kind) {
    w->colour = colour;
    w->kind = kind;
    return parallel_sum(p, level_chunks(w->l), colour_sweep_task, w);
}

/* red, black, red, ..., red: symmetric, and as good as exact on the few cells that are left */
static double solve_coarsest(pass *w, pool *p) {
    double dot = 0;
    parallel_for(p, level_chunks(w->l), first_sweep_task, w);
    for (int s = 0; s < COARSEST_SWEEPS; ++s) {
        dot = sweep(w, p, 0, STORED);
        if (s < COARSEST_SWEEPS - 1) sweep(w, p, 1, STORED);
    }
    return dot;
}

static double cycle(level *levels, int depth, int count, pool *p, vec8 *x, const vec8 *b, int gamma) {
    level *l = &levels[depth];
    pass w = {.l = l, .x = x, .b = b};
    if (depth == count - 1) return solve_coarsest(&w, p);
    level *coarse = &levels[depth + 1];
    w.coarse = coarse;
    w.coarse_b = coarse->b;
    int visits = depth == 0 ? 1 : gamma;
    double dot = 0;
    for (int visit = 0; visit < visits; ++visit) {
        if (visit == 0) {
            parallel_for(p, level_chunks(l), first_sweep_task, &w);
            parallel_for(p, level_chunks(coarse), restrict_first_task, &w);
        } else { /* the red sweep before this one has left red in balance */
            sweep(&w, p, 1, STORED);
            parallel_for(p, level_chunks(coarse), restrict_task, &w);
        }
        cycle(levels, depth + 1, count, p, coarse->x, coarse->b, gamma);
        sweep(&w, p, 1, CORRECTED);
        dot = sweep(&w, p, 0, STORED);
    }
    return dot;
}

double cycle_apply(level *levels, int count, pool *p, vec8 *correction, const vec8 *rhs, int gamma) {
    return cycle(levels, 0, count, p, correction, rhs, gamma);
}
