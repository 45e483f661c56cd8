/* One symmetric multigrid cycle, the preconditioner M of the pressure solve.
 *
 *   x = S b;  x += s P C P^T (b - A x);  x += S^T (b - A x)
 * S: red-black Gauss-Seidel, red then black; S^T: black then red. P is constant on 2 x 2 x 2 cells. The
 * energy of a smooth field interpolated so is twice too large, and the correction half of what it should be:
 * it is scaled by s (Braess 1995: 1.8; 1.5 takes 2 to 10 % fewer iterations here). C is one (V) or two (W)
 * cycles on the coarser level. Since S contracts in the energy norm, the eigenvalues of C A_c within (0, 2)
 * put those of M A within (0, s]: two cycles give 2t - t^2, in (0, 1], so the W-cycle is symmetric positive
 * for any s < 2; so is the V-cycle with every s, its bound only grows by level.
 *
 * A term of low rank has its share of every level (poisson_rank.c). Beside bodies most blocks have
 * coefficients of their own, and what passes wait for is memory: there they read them in brief
 * (poisson_level.h). M is then made for a matrix that differs from A by less than one part in 256, which
 * costs an iteration now and then at most; without bodies shared entries leave little to gain, and M is made
 * for A itself.
 *
 * The two colours part neighbours only where periodic rows have even lengths: levels end before one is odd.
 *
 * Passes are fused around what is known: from x = 0 a red cell is b / d, written together with b; after black
 * the residual is 0 on black and on red the sum of a x over black. Only red values are corrected, as black
 * ones are made anew from them; that is a pass of its own, since six neighbours would ask for a value
 * otherwise. A pass writes one colour and reads the other, or writes another field, so threads change
 * nothing. It works with copies of the levels, which stores of vectors cannot reach: these may lie anywhere,
 * and addresses would be read again after each. */
#include "linear/poisson_level.h"

#include <string.h>

/* A coarse block sums up eight fine ones: chunks of them are cut finer, so that all threads have work. */
enum { COARSEST_SWEEPS = 8, SUM_GRAIN = BLOCK_GRAIN / 8 };
static const float OVERCORRECTION = 1.5f;

typedef struct pass {
    const level *l;
    level *coarse;
    vec8 *x;
    vec8 *b;
    low_rank *rank;  /* whose rows of the cells are taken along, or NULL */
    int depth, work; /* of the level; what is done with the rows */
    int colour;      /* RED or BLACK cells are updated */
    int grain;       /* coarse blocks whose right-hand side is made together */
} pass;

enum { RED, BLACK };
enum { TAKE = 1, NOTE = 2 };

/* The correction of a block's even cells, which is also that of its odd ones, from its parent. */
INLINE vec8 coarse_values(const level *coarse, int parent) {
    const vec8 *c = coarse->x + (parent >> 3);
    vec8 even = c[parent & 2 ? coarse->stride : 0], odd = c[parent & 2 ? 0 : coarse->stride];
    return parent & 4 ? vec8_highs(even, odd) : vec8_lows(even, odd);
}

/* How a pass reads coefficients: what it is made for, once each. */
typedef enum { FLAT, DEEP, BRIEF } reading; /* two dimensions, three, and three in brief */

INLINE reading reading_of(const level *l) {
    return l->brief ? BRIEF : l->dim == 3 ? DEEP : FLAT;
}
INLINE const side_coefs *coefs_of(const level *l, int id, int half) {
    return &l->coefs[l->block[id].coefs].side[half];
}
INLINE const brief_side *brief_of(const level *l, int id, int half) {
    return &l->brief[l->block[id].coefs].side[half];
}
INLINE vec8 inverse_of(const level *l, int id, int half, reading how) {
    return how == BRIEF ? brief_of(l, id, half)->inverse : coefs_of(l, id, half)->inverse;
}
/* Which half of a block has a colour. */
INLINE int half_of(const level *l, int id, int colour) {
    return block_parity(&l->block[id]) ^ colour;
}

/* Two faces of each cell along an axis. */
typedef struct two_faces {
    vec8 a, b;
} two_faces;

INLINE two_faces faces_of(const level *l, int id, int half, int axis, reading how) {
    if (how == BRIEF) {
        const brief_side *c = brief_of(l, id, half);
        const bits8 pair = axis == 0 ? c->x : axis == 1 ? c->y : c->z;
        return (two_faces){pair_high(pair), pair_low(pair)};
    }
    const side_coefs *c = coefs_of(l, id, half);
    return axis == 0   ? (two_faces){c->x_mid, c->x_out}
           : axis == 1 ? (two_faces){c->y_low, c->y_high}
                       : (two_faces){c->z_low, c->z_high};
}

/* The share of a periodic row's other end, where the row ends within a block (see poisson_level.h). */
INLINE vec8 share_across_seam(const level *l, const vec8 *other, int id, int half, vec8 x_out) {
    const int lane = seam_lane(l, half);
    const int32_t end = across_seam(l, id, half);
    vec8 sum = vec8_of(0);
    if (end < 0) return sum;
    sum[lane] = lane_value(&x_out, lane) * lane_value(&other[end], seam_lane(l, !half));
    return sum;
}

/* sum of a x over the neighbours of one half of a block; they are all of the other colour */
INLINE vec8 neighbours(const level *l, const vec8 *other, int id, int half, reading how) {
    const block *k = &l->block[id];
    const two_faces x = faces_of(l, id, half, 0, how), y = faces_of(l, id, half, 1, how);
    vec8 across = other[id];
    vec8 beside = half == EVEN ? vec8_after(lane_value(&other[k->neighbour[X_LOW]], 7), across)
                               : vec8_before(across, lane_value(&other[k->neighbour[X_HIGH]], 0));
    vec8 sum = x.a * across + x.b * beside;
    sum += y.a * other[k->neighbour[Y_LOW]];
    sum += y.b * other[k->neighbour[Y_HIGH]];
    if (how != FLAT) {
        const two_faces z = faces_of(l, id, half, 2, how);
        sum += z.a * other[k->neighbour[Z_LOW]];
        sum += z.b * other[k->neighbour[Z_HIGH]];
    }
    if (l->seam >= 0) sum += share_across_seam(l, other, id, half, x.b);
    return sum;
}

/* red = b / d */
INLINE void first_red_chunk(const pass *w, int chunk, reading how) {
    const level copy = *w->l, *l = &copy;
    const vec8 *b = w->b;
    vec8 *x = w->x;
    const int end = chunk_end(l, chunk);
    for (int id = chunk * BLOCK_GRAIN; id < end; ++id) {
        const int ahead = id + BLOCKS_AHEAD, half = half_of(l, ahead, RED);
        if (how == BRIEF) __builtin_prefetch(&brief_of(l, ahead, half)->inverse);
        else __builtin_prefetch(&coefs_of(l, ahead, half)->inverse);
        x[id] = b[id] * inverse_of(l, id, half_of(l, id, RED), how);
    }
}

HOT static void first_red_task(void *context, int chunk) {
    const pass *w = context;
    if (w->l->brief) first_red_chunk(w, chunk, BRIEF);
    else first_red_chunk(w, chunk, DEEP); /* of two dimensions too: it asks for no faces */
}

/* red += s P c */
HOT static void correct_task(void *context, int chunk) {
    const pass *w = context;
    const level coarse = *w->coarse;
    const block *k = w->l->block;
    vec8 *x = w->x;
    const int end = chunk_end(w->l, chunk);
    for (int id = chunk * BLOCK_GRAIN; id < end; ++id)
        x[id] += vec8_of(OVERCORRECTION) * coarse_values(&coarse, k[id].parent);
}

/* One colour; returns the sum of x b over it when that is wanted. */
INLINE double sweep_chunk(const pass *w, int chunk, int dotted, reading how) {
    const level copy = *w->l, *l = &copy;
    const int colour = w->colour, end = chunk_end(l, chunk);
    const vec8 *other = w->x + (colour == RED ? l->stride : 0);
    const vec8 *b = w->b + (colour == RED ? 0 : l->stride);
    vec8 *x = w->x + (colour == RED ? 0 : l->stride);
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < end; ++id) {
        if (how == BRIEF) call_brief(l, &l->block[id + BLOCKS_AHEAD], colour);
        else call_ahead(l, id, colour);
        int half = half_of(l, id, colour);
        vec8 sum = half == EVEN ? neighbours(l, other, id, EVEN, how) : neighbours(l, other, id, ODD, how);
        vec8 mine = b[id], next = (mine + sum) * inverse_of(l, id, half, how);
        x[id] = next;
        if (dotted) dot = dvec8_plus_dot(dot, mine, next);
    }
    return dvec8_total(dot);
}

HOT static void sweep_task(void *context, int chunk) {
    const pass *w = context;
    switch (reading_of(w->l)) {
    case FLAT: sweep_chunk(w, chunk, 0, FLAT); break;
    case DEEP: sweep_chunk(w, chunk, 0, DEEP); break;
    case BRIEF: sweep_chunk(w, chunk, 0, BRIEF); break;
    }
}

/* With the term's share of the chunk's cells. */
static void ranked_sweep_task(void *context, int chunk) {
    const pass *w = context;
    rank_call_ahead(w->rank, w->depth, chunk);
    if (w->work & TAKE) rank_take(w->rank, w->depth, chunk, (float *)w->b);
    sweep_task(context, chunk);
    if (w->work & NOTE) rank_note(w->rank, w->depth, chunk, (const float *)w->x);
}

HOT static double dotted_sweep_task(void *context, int chunk) {
    const pass *w = context;
    const reading how = reading_of(w->l);
    return how == FLAT   ? sweep_chunk(w, chunk, 1, FLAT)
           : how == DEEP ? sweep_chunk(w, chunk, 1, DEEP)
                         : sweep_chunk(w, chunk, 1, BRIEF);
}

/* The last two sweeps of the finest level. */
static double ranked_dotted_task(void *context, int chunk) {
    const pass *w = context;
    rank_call_ahead(w->rank, 0, chunk);
    if (w->colour == BLACK && rank_levels(w->rank)) rank_take(w->rank, 0, chunk, (float *)w->b);
    const double dot = dotted_sweep_task(context, chunk);
    if (w->colour == RED) rank_finish(w->rank, chunk, (const float *)w->x, (float *)w->b);
    return dot;
}

/* In brief it is what its inverse tells. */
INLINE vec8 diagonal_of(const level *l, int id, int half, reading how) {
    if (how == BRIEF) {
        const vec8 inverse = brief_of(l, id, half)->inverse;
        return (vec8)((mask8)(vec8_of(1) / inverse) & (inverse > vec8_of(0)));
    }
    const side_coefs *c = coefs_of(l, id, half);
    return ((c->x_mid + c->x_out) + (c->y_low + c->y_high)) + ((c->z_low + c->z_high) + c->extra);
}

/* The residual of the red cells of a block; black is in balance. first: red is b / d. */
INLINE vec8 red_residual(const pass *w, int id, int first, reading how) {
    const level *l = w->l;
    int half = half_of(l, id, RED);
    const vec8 *black = w->x + l->stride;
    vec8 r = half == EVEN ? neighbours(l, black, id, EVEN, how) : neighbours(l, black, id, ODD, how);
    if (first) return r;
    return r + (w->b[id] - diagonal_of(l, id, half, how) * w->x[id]);
}

/* As call_ahead(), of the red cells that the next coarse block sums up. */
INLINE void call_children(const pass *w, int id, reading how) {
    for (int i = 0; i < 8; ++i) {
        const block *k = &w->l->block[w->coarse->child[id][i]];
        if (how == BRIEF) call_brief(w->l, k, RED);
        else call_coefs(w->l, k, RED);
    }
}

/* The coarse right-hand side, and the first red sweep with it. */
INLINE void restrict_chunk(const pass *shared, int chunk, int first, reading how) {
    const level fine = *shared->l;
    level copy = *shared->coarse, *coarse = &copy;
    const pass own = {.l = &fine, .coarse = coarse, .x = shared->x, .b = shared->b, .grain = shared->grain},
               *w = &own;
    const int from = chunk * w->grain,
              end = from + w->grain < coarse->blocks ? from + w->grain : coarse->blocks;
    for (int id = from; id < end; ++id) {
        vec8 sum[2] = {vec8_of(0), vec8_of(0)};
        if (id + 1 < end) call_children(w, id + 1, how);
        for (int i = 0; i < 8; ++i) {
            int child = coarse->child[id][i];
            if (child < w->l->blocks) sum[i & 1] += red_residual(w, child, first, how);
        }
        vec8 b[2] = {vec8_evens(sum[0], sum[1]), vec8_odds(sum[0], sum[1])};
        int red = half_of(coarse, id, RED);
        coarse->b[id] = b[red];
        coarse->b[coarse->stride + id] = b[!red];
        coarse->x[id] = b[red] * inverse_of(coarse, id, red, how);
    }
}

HOT static void restrict_first_task(void *context, int chunk) {
    const pass *w = context;
    switch (reading_of(w->l)) {
    case FLAT: restrict_chunk(w, chunk, 1, FLAT); break;
    case DEEP: restrict_chunk(w, chunk, 1, DEEP); break;
    case BRIEF: restrict_chunk(w, chunk, 1, BRIEF); break;
    }
}

HOT static void restrict_task(void *context, int chunk) {
    const pass *w = context;
    switch (reading_of(w->l)) {
    case FLAT: restrict_chunk(w, chunk, 0, FLAT); break;
    case DEEP: restrict_chunk(w, chunk, 0, DEEP); break;
    case BRIEF: restrict_chunk(w, chunk, 0, BRIEF); break;
    }
}

static void ranked_restrict_first_task(void *context, int chunk) {
    const pass *w = context;
    rank_call_ahead(w->rank, w->depth + 1, chunk);
    restrict_first_task(context, chunk);
    rank_push(w->rank, w->depth + 1, chunk, w->coarse);
}

static void ranked_restrict_task(void *context, int chunk) {
    const pass *w = context;
    rank_call_ahead(w->rank, w->depth + 1, chunk);
    restrict_task(context, chunk);
    rank_push(w->rank, w->depth + 1, chunk, w->coarse);
}

static void correct(pass *w, pool *p) {
    parallel_for(level_pool(w->l, p), level_chunks(w->l), correct_task, w);
}

static void sweep(pass *w, pool *p, int colour, int work) {
    const int ranked = work && w->depth < rank_levels(w->rank);
    w->colour = colour;
    w->work = work;
    parallel_for(level_pool(w->l, p), level_chunks(w->l), ranked ? ranked_sweep_task : sweep_task, w);
}

/* As sweep; returns x . b over the colour. */
static double dotted_sweep(pass *w, pool *p, int colour) {
    w->colour = colour;
    return parallel_sum(level_pool(w->l, p), level_chunks(w->l),
                        w->rank ? ranked_dotted_task : dotted_sweep_task, w);
}

/* first: x is that of one red sweep from 0 */
static void make_coarse_rhs(pass *w, pool *p, int first) {
    const level *coarse = w->coarse;
    const int ranked = w->depth + 1 < rank_levels(w->rank);
    void (*task)(void *, int) = first ? restrict_first_task : restrict_task;
    if (ranked) task = first ? ranked_restrict_first_task : ranked_restrict_task;
    w->grain = ranked ? BLOCK_GRAIN : SUM_GRAIN;
    parallel_for(level_pool(ranked ? coarse : w->l, p), block_count(coarse->blocks, w->grain), task, w);
}

/* What stays the same in all of a cycle. */
typedef struct hierarchy {
    level *levels;
    int count, gamma;
    const coarsest *last;
    low_rank *rank;
    pool *p;
} hierarchy;

/* Exactly, or where too much is left for that: red, black, red, ..., red, which is symmetric. */
static void solve_coarsest(pass *w, const hierarchy *h) {
    if (h->last) {
        coarsest_solve(h->last, w->x, w->b);
        return;
    }
    const int longest = w->l->n[0] > w->l->n[1] ? w->l->n[0] : w->l->n[1];
    const int sweeps = (longest > w->l->n[2] ? longest : w->l->n[2]) * 2; /* periodic rows may stay long */
    for (int s = 0; s < (sweeps > COARSEST_SWEEPS ? sweeps : COARSEST_SWEEPS); ++s) {
        sweep(w, h->p, BLACK, 0);
        sweep(w, h->p, RED, 0);
    }
}

static void cycle(const hierarchy *h, int depth);

/* Down to the coarser level and its solve. x holds a red sweep already: red is in balance. */
static void descend(pass *w, const hierarchy *h, int first) {
    const int ranked = w->depth < rank_levels(w->rank);
    w->coarse = &h->levels[w->depth + 1];
    sweep(w, h->p, BLACK, NOTE);
    if (ranked) rank_descend(w->rank, w->depth);
    make_coarse_rhs(w, h->p, first);
    cycle(h, w->depth + 1);
    if (ranked) rank_ascend(w->rank, w->depth, (double)OVERCORRECTION);
}

static void cycle(const hierarchy *h, int depth) {
    level *l = &h->levels[depth];
    pass w = {.l = l, .x = l->x, .b = l->b, .rank = h->rank, .depth = depth};
    const int ranked = depth < rank_levels(h->rank);
    if (depth == h->count - 1) {
        solve_coarsest(&w, h);
        for (int chunk = 0; ranked && chunk < level_chunks(l); ++chunk)
            rank_note(h->rank, depth, chunk, (const float *)w.x);
        return;
    }
    if (ranked) rank_begin(h->rank, depth);
    for (int visit = 0; visit < h->gamma; ++visit) {
        descend(&w, h, visit == 0);
        correct(&w, h->p);
        sweep(&w, h->p, BLACK, TAKE);
        sweep(&w, h->p, RED, visit == h->gamma - 1 ? NOTE : 0);
    }
}

double cycle_apply(level *levels, int count, const coarsest *last, low_rank *rank, pool *p, vec8 *correction,
                   vec8 *rhs, int gamma) {
    const hierarchy h = {
        .levels = levels, .count = count, .gamma = gamma, .last = last, .rank = rank, .p = p};
    pass w = {.l = &levels[0], .x = correction, .b = rhs};
    const int deep = count > 1;
    parallel_for(level_pool(w.l, p), level_chunks(w.l), first_red_task, &w);
    if (deep && rank_groups(rank)) w.rank = rank;
    if (rank_levels(w.rank)) rank_begin(rank, 0);
    if (deep) descend(&w, &h, 1);
    else {
        solve_coarsest(&w, &h);
        /* sweeps would only answer what a closed region cannot take, and have no others before to mirror */
        if (last) return coarsest_dot(last, w.x, w.b);
    }
    if (deep) correct(&w, p);
    double dot = dotted_sweep(&w, p, BLACK);
    dot += dotted_sweep(&w, p, RED);
    return w.rank ? dot + rank_end(rank) : dot;
}
