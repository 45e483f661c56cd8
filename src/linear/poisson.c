/* Preconditioned conjugate gradients for the 7-point systems of poisson.h (Hestenes and Stiefel 1952; Bridson
 * ch. 5).
 *
 * Vectors and coefficients are float, sums double. Float recursions lose touch with b - A x, and a float x
 * cannot even hold a smooth solution to 1e-6 in the residual; so the iterate is x + y, x in double and y the
 * float part since the last replacement: whenever the residual has dropped by 1e-3, and before anything is
 * called converged, y moves into x and the residual is computed anew in double. The residual reported is that
 * one, of the iterate before it is rounded to the float field it is returned in. A recursion that rises far
 * above its least has lost its way, as it can where a term of low rank is carried along in recursions of its
 * own: the residual is replaced and the directions begin anew. A step x += alpha p waits for the pass that
 * makes the next p. Closed regions: the residual and its preconditioned form are kept free of each region's
 * mean. A solve with a term of low rank that does not end soon goes on with what the preconditioner lacks of
 * light bodies (poisson_light.c). Limits: a preconditioner or system that proves not positive (r.z or p.Ap <=
 * 0) falls back to a cycle without the term of low rank, a V-cycle, the diagonal, then gives up with what it
 * has. */
#include "linear/poisson.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "linear/poisson_leaks.h"
#include "linear/poisson_light.h"

enum { COARSEST_CELLS = 2 };
static const double REPLACE_DROP = 1e-3;
/* Down to this tolerance C C^T x may be taken off in float, which is good to about 1e-7 of the right-hand
 * side. */
static const double FLOAT_ENOUGH = 5e-7;
static const double REPLACE_RISE = 10; /* above the least since the last replacement: the recursion is lost */
/* Iterations after which light bodies get a preconditioner of their own, which takes about as many. */
enum { PATIENCE = 40 };

typedef enum { BY_W_CYCLE, BY_V_CYCLE, BY_MIC, BY_DIAGONAL } preconditioner;

struct poisson {
    box b;
    pool *p;
    poisson_kind kind;
    int count; /* levels */
    int64_t unknowns;
    level levels[LEVELS_MAX];
    coarsest *coarsest;
    bool exact_end;        /* the coarsest level has its inverse */
    double coarsest_least; /* which it was made with; below 0: none is made yet */
    bool leaks_known;      /* nearly closed regions are looked for when a solve first asks */
    bool leaky;            /* there are some, and their constants taken out */
    bool below_float;      /* the tolerance asks for more than float gives beside bodies */
    regions *regions;
    leaks *leaks;
    mic *mic;
    low_rank *rank;
    light *light;
    vec8 *rhs, *r, *z, *search, *q, *y; /* [2 stride] */
    dvec8 *x;
    buffer rhs_memory, r_memory, z_memory, search_memory, q_memory, y_memory, x_memory, kept_memory, scratch;
};

bool poisson_can_wrap(const box *b, poisson_kind kind) {
    int periodic = 0;
    for (int a = 0; a < b->dim; ++a) {
        if (b->periodic[a] && b->n[a] % 2 != 0) return false;
        periodic |= b->periodic[a];
    }
    return !periodic || kind == POISSON_MULTIGRID;
}

poisson *poisson_create(const box *b, pool *p, poisson_kind kind) {
    if (!poisson_can_wrap(b, kind)) return NULL;
    poisson *s = mem_alloc(sizeof *s);
    if (!s) return NULL;
    s->b = *b;
    s->p = p;
    s->kind = kind;
    s->coarsest = coarsest_create();
    s->regions = regions_create();
    s->leaks = leaks_create();
    s->rank = rank_create();
    s->light = light_create();
    s->mic = kind == POISSON_MIC ? mic_create() : NULL;
    if (!s->coarsest || !s->regions || !s->leaks || !s->rank || !s->light ||
        (kind == POISSON_MIC && !s->mic)) {
        poisson_free(s);
        return NULL;
    }
    return s;
}

void poisson_free(poisson *s) {
    if (!s) return;
    for (int i = 0; i < LEVELS_MAX; ++i) level_free(&s->levels[i]);
    buffer *all[] = {&s->rhs_memory, &s->r_memory, &s->z_memory,    &s->search_memory, &s->q_memory,
                     &s->y_memory,   &s->x_memory, &s->kept_memory, &s->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) buffer_drop(all[i]);
    coarsest_free(s->coarsest);
    regions_free(s->regions);
    leaks_free(s->leaks);
    rank_free(s->rank);
    light_free(s->light);
    mic_free(s->mic);
    mem_free(s);
}

size_t poisson_bytes(const poisson *s) {
    size_t bytes = sizeof *s + coarsest_bytes() + regions_bytes(s->regions) + leaks_bytes(s->leaks) +
                   rank_bytes(s->rank) + light_bytes(s->light) + (s->mic ? mic_bytes(s->mic) : 0);
    for (int i = 0; i < LEVELS_MAX; ++i) bytes += level_bytes(&s->levels[i]);
    return bytes + s->rhs_memory.bytes + s->r_memory.bytes + s->z_memory.bytes + s->search_memory.bytes +
           s->q_memory.bytes + s->y_memory.bytes + s->x_memory.bytes + s->kept_memory.bytes +
           s->scratch.bytes;
}

pool *poisson_pool(const poisson *s) {
    return s->p;
}

/* ---- setup ---- */

static int hold_vector(buffer *memory, vec8 **v, int blocks) {
    if (buffer_hold(memory, ((size_t)blocks + 1) * 2 * sizeof(vec8))) return -1;
    *v = memory->data;
    (*v)[blocks] = (*v)[2 * blocks + 1] = vec8_of(0);
    return 0;
}

static int hold_vectors(poisson *s) {
    int blocks = s->levels[0].blocks;
    if (hold_vector(&s->rhs_memory, &s->rhs, blocks) || hold_vector(&s->r_memory, &s->r, blocks) ||
        hold_vector(&s->z_memory, &s->z, blocks) || hold_vector(&s->search_memory, &s->search, blocks) ||
        hold_vector(&s->q_memory, &s->q, blocks) || hold_vector(&s->y_memory, &s->y, blocks) ||
        buffer_hold(&s->x_memory, ((size_t)blocks + 1) * 2 * sizeof(dvec8)))
        return -1;
    s->x = s->x_memory.data;
    s->x[blocks] = s->x[2 * blocks + 1] = dvec8_of(0);
    return 0;
}

/* Whether a level can be halved again: rows that are periodic must stay even, for the colours, or vanish. */
static int has_coarser(const level *l) {
    int long_rows = 0;
    for (int a = 0; a < 3; ++a) {
        if (l->periodic[a] && l->n[a] > 2 && l->n[a] % 4 != 0) return 0;
        long_rows |= l->n[a] > COARSEST_CELLS;
    }
    return long_rows;
}

HOT static int64_t count_unknowns(const level *fine) {
    int64_t count = 0;
    for (int id = 0; id < fine->blocks; ++id) count += __builtin_popcount(fine->unknowns[id]);
    return count;
}

int poisson_setup(poisson *s, const poisson_system *system) {
    s->count = 0;
    s->unknowns = 0;
    level *fine = &s->levels[0];
    if (level_from_system(fine, &s->b, s->p, system, &s->scratch) || hold_vectors(s) ||
        regions_find(s->regions, fine, s->p))
        return -1;
    s->leaks_known = false;
    s->unknowns = count_unknowns(fine);
    int count = 1;
    if (s->kind == POISSON_MIC) {
        if (mic_setup(s->mic, fine, s->p)) return -1;
    } else {
        while (count < LEVELS_MAX) {
            const level *last = &s->levels[count - 1];
            if (coarsest_fits(last) || !has_coarser(last)) break;
            if (level_from_finer(&s->levels[count], &s->levels[count - 1], s->p, &s->scratch)) return -1;
            ++count;
        }
        s->exact_end = coarsest_fits(&s->levels[count - 1]);
    }
    s->count = count;
    s->coarsest_least = -1;
    return poisson_attach(s, NULL, NULL, 0);
}

int poisson_find_apart(poisson *s, uint8_t *mark) {
    return regions_find_apart(s->regions, &s->levels[0], &s->b, mark);
}

static void invert_coarsest(poisson *s) {
    const double least = s->leaky ? leaks_most(&s->levels[0]) : 0;
    if (s->coarsest_least == least) return;
    coarsest_setup(s->coarsest, &s->levels[s->count - 1], least);
    s->coarsest_least = least;
}

/* What the term that is attached, or that none is, decides. Without memory for them nearly closed regions
 * cost iterations, no more. */
static void prepare(poisson *s) {
    const int alone = rank_groups(s->rank) == 0;
    if (alone && !s->leaks_known)
        s->leaks_known = leaks_find(s->leaks, &s->levels[0], s->p, regions_labels(s->regions)) == 0;
    s->leaky = alone && s->leaks_known && leaks_count(s->leaks) > 0;
    if (s->kind == POISSON_MULTIGRID && s->exact_end) invert_coarsest(s);
}

/* Beside bodies the cycle reads coefficients in brief. -1: no memory. */
static int choose_coefs(poisson *s, int cycled, int groups) {
    int bad = 0;
    for (int i = 0; i < cycled && groups; ++i)
        if (!s->levels[i].brief) bad |= level_make_brief(&s->levels[i], s->p);
    for (int i = 0; i < cycled && (bad || !groups); ++i) /* all or none: passes read two levels alike */
        level_forget_brief(&s->levels[i]);
    return bad;
}

int poisson_attach(poisson *s, const poisson_row *rows, const int *first, int groups) {
    const int cycled = s->kind == POISSON_MULTIGRID ? s->count : 0;
    light_forget(s->light);
    return choose_coefs(s, cycled, groups) ||
                   rank_attach(s->rank, s->levels, cycled, &s->b, s->p, rows, first, s->count ? groups : 0) ||
                   rank_tie(s->rank, s->regions, &s->levels[0])
               ? -1
               : 0;
}

/* ---- the passes of an iteration ---- */

typedef struct cg_pass {
    poisson *s;
    const float *field_in;
    float *field_out;
    vec8 *to;
    double alpha, beta;
} cg_pass;

/* Passes that need no neighbours run over a field as one array. All passes hold in locals what stores of
 * vectors, which may lie anywhere, would have them read again. */
enum { VECTOR_GRAIN = 2 * BLOCK_GRAIN };

static int vector_chunks(const poisson *s) {
    return block_count(2 * s->levels[0].stride, VECTOR_GRAIN);
}
static int vectors_end(const poisson *s, int chunk) {
    int end = (chunk + 1) * VECTOR_GRAIN, all = 2 * s->levels[0].stride;
    return end < all ? end : all;
}

/* y += alpha p; p = z + beta p */
HOT static void direct_task(void *context, int chunk) {
    const cg_pass *w = context;
    const vec8 alpha = vec8_of((float)w->alpha), beta = vec8_of((float)w->beta), *z = w->s->z;
    vec8 *search = w->s->search, *y = w->s->y;
    const int end = vectors_end(w->s, chunk);
    for (int i = chunk * VECTOR_GRAIN; i < end; ++i) {
        vec8 p = search[i];
        y[i] += alpha * p;
        search[i] = z[i] + beta * p;
    }
}

/* q = A p in flux form, which is exact where p is nearly constant; returns p . q */
INLINE double apply_chunk(const poisson *s, int chunk, int dim) {
    const level copy = s->levels[0], *l = &copy;
    const vec8 *search = s->search;
    vec8 *to = s->q;
    const int stop = chunk_end(l, chunk);
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < stop; ++id) {
        call_ahead(l, id, 0);
        call_ahead(l, id, 1);
        const block *k = &l->block[id];
        int even = spot(l, id, EVEN), other[2] = {even == id ? l->stride : 0, even == id ? 0 : l->stride};
        for (int h = 0; h < 2; ++h) {
            const side_coefs *c = &l->coefs[k->coefs].side[h];
            const vec8 *p = search + other[h]; /* the colour of the neighbours */
            int here = id + other[!h];
            vec8 mine = search[here], across = p[id];
            vec8 beside = h == EVEN ? vec8_after(lane_value(&p[k->neighbour[X_LOW]], 7), across)
                                    : vec8_before(across, lane_value(&p[k->neighbour[X_HIGH]], 0));
            const int32_t end = l->seam < 0 ? -1 : across_seam(l, id, h);
            if (end >= 0) beside[seam_lane(l, h)] = lane_value(&p[end], seam_lane(l, !h));
            vec8 q = c->x_mid * (mine - across) + c->x_out * (mine - beside);
            q += c->y_low * (mine - p[k->neighbour[Y_LOW]]);
            q += c->y_high * (mine - p[k->neighbour[Y_HIGH]]);
            if (dim == 3) {
                q += c->z_low * (mine - p[k->neighbour[Z_LOW]]);
                q += c->z_high * (mine - p[k->neighbour[Z_HIGH]]);
            }
            q += c->extra * mine;
            to[here] = q;
            dot = dvec8_plus_dot(dot, q, mine);
        }
    }
    return dvec8_total(dot);
}

HOT static double apply_task(void *context, int chunk) {
    const cg_pass *w = context;
    return w->s->b.dim == 3 ? apply_chunk(w->s, chunk, 3) : apply_chunk(w->s, chunk, 2);
}

/* q = (A + C C^T) p; returns p . A p */
static double apply_ranked_task(void *context, int chunk) {
    const cg_pass *w = context;
    rank_call_ahead(w->s->rank, 0, chunk);
    const double dot = apply_task(context, chunk);
    rank_add_product(w->s->rank, chunk, (float *)w->s->q);
    return dot;
}

/* r -= alpha q; returns r . r */
HOT static double descend_task(void *context, int chunk) {
    const cg_pass *w = context;
    const vec8 alpha = vec8_of((float)w->alpha), *q = w->s->q;
    vec8 *residual = w->s->r;
    const int end = vectors_end(w->s, chunk);
    dvec8 dot = dvec8_of(0);
    for (int i = chunk * VECTOR_GRAIN; i < end; ++i) {
        vec8 r = residual[i] - alpha * q[i];
        residual[i] = r;
        dot = dvec8_plus_dot(dot, r, r);
    }
    return dvec8_total(dot);
}

/* x += y + alpha p; y = 0 */
HOT static void gather_task(void *context, int chunk) {
    const cg_pass *w = context;
    const vec8 alpha = vec8_of((float)w->alpha), *search = w->s->search;
    dvec8 *x = w->s->x;
    vec8 *y = w->s->y;
    const int end = vectors_end(w->s, chunk);
    for (int i = chunk * VECTOR_GRAIN; i < end; ++i) {
        dvec8 step = dvec8_plus_dot(vec8_wide(y[i]), alpha, search[i]);
        x[i] = dvec8_plus_product(step, dvec8_of(1), x[i]);
        y[i] = vec8_of(0);
    }
}

/* sum + a (mine - other) */
INLINE dvec8 flux(dvec8 sum, vec8 a, dvec8 mine, dvec8 other) {
    return dvec8_plus_product(sum, vec8_wide(a), dvec8_minus(mine, other));
}

/* r = b - A x in double; returns r . r. `low`: what rounding takes off r goes there, NULL: nowhere. */
INLINE double residual_chunk(const poisson *s, vec8 *low, int chunk, int dim) {
    const level copy = s->levels[0], *l = &copy;
    const dvec8 *iterate = s->x;
    const vec8 *rhs = s->rhs;
    vec8 *to = s->r;
    const int stop = chunk_end(l, chunk);
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < stop; ++id) {
        call_ahead(l, id, 0);
        call_ahead(l, id, 1);
        const block *k = &l->block[id];
        int even = spot(l, id, EVEN), other[2] = {even == id ? l->stride : 0, even == id ? 0 : l->stride};
        for (int h = 0; h < 2; ++h) {
            const side_coefs *c = &l->coefs[k->coefs].side[h];
            const dvec8 *x = iterate + other[h];
            int here = id + other[!h];
            dvec8 mine = iterate[here], across = x[id];
            dvec8 beside = h == EVEN ? dvec8_after(((const double *)&x[k->neighbour[X_LOW]])[7], across)
                                     : dvec8_before(across, ((const double *)&x[k->neighbour[X_HIGH]])[0]);
            const int32_t end = l->seam < 0 ? -1 : across_seam(l, id, h);
            if (end >= 0) ((double *)&beside)[seam_lane(l, h)] = ((const double *)&x[end])[seam_lane(l, !h)];
            dvec8 ax = flux(dvec8_of(0), c->x_mid, mine, across);
            ax = flux(ax, c->x_out, mine, beside);
            ax = flux(ax, c->y_low, mine, x[k->neighbour[Y_LOW]]);
            ax = flux(ax, c->y_high, mine, x[k->neighbour[Y_HIGH]]);
            if (dim == 3) {
                ax = flux(ax, c->z_low, mine, x[k->neighbour[Z_LOW]]);
                ax = flux(ax, c->z_high, mine, x[k->neighbour[Z_HIGH]]);
            }
            ax = dvec8_plus_product(ax, vec8_wide(c->extra), mine);
            dvec8 r = dvec8_minus(vec8_wide(rhs[here]), ax);
            const vec8 rounded = dvec8_narrow(r);
            to[here] = rounded;
            if (low) low[here] = dvec8_narrow(dvec8_minus(r, vec8_wide(rounded)));
            dot = dvec8_plus_product(dot, r, r);
        }
    }
    return dvec8_total(dot);
}

HOT static double residual_task(void *context, int chunk) {
    const poisson *s = ((const cg_pass *)context)->s;
    return s->b.dim == 3 ? residual_chunk(s, NULL, chunk, 3) : residual_chunk(s, NULL, chunk, 2);
}

HOT static double residual_norm(const poisson *s, int chunk) {
    const level *l = &s->levels[0];
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        dot = dvec8_plus_dot(dot, s->r[id], s->r[id]);
        dot = dvec8_plus_dot(dot, s->r[l->stride + id], s->r[l->stride + id]);
    }
    return dvec8_total(dot);
}

/* r = b - (A + C C^T) x; returns r . r */
static double residual_ranked_task(void *context, int chunk) {
    const cg_pass *w = context;
    rank_call_ahead(w->s->rank, 0, chunk);
    residual_task(context, chunk);
    rank_take_exact(w->s->rank, chunk, (float *)w->s->r, NULL);
    return residual_norm(w->s, chunk);
}

/* Beside bodies b - A x is as large as C C^T x, which is still to be taken off: q, free meanwhile, keeps what
 * rounding takes. */
HOT static double residual_ranked_below_task(void *context, int chunk) {
    poisson *s = ((const cg_pass *)context)->s;
    if (s->b.dim == 3) residual_chunk(s, s->q, chunk, 3);
    else residual_chunk(s, s->q, chunk, 2);
    rank_take_exact(s->rank, chunk, (float *)s->r, (float *)s->q);
    return residual_norm(s, chunk);
}

HOT static double norm_task(void *context, int chunk) {
    const cg_pass *w = context;
    dvec8 dot = dvec8_of(0);
    for (int i = chunk * VECTOR_GRAIN; i < vectors_end(w->s, chunk); ++i)
        dot = dvec8_plus_dot(dot, w->to[i], w->to[i]);
    return dvec8_total(dot);
}

HOT static double size_task(void *context, int chunk) {
    const cg_pass *w = context;
    double sum = 0;
    for (int i = chunk * VECTOR_GRAIN; i < vectors_end(w->s, chunk); ++i)
        for (int lane = 0; lane < 8; ++lane) sum += fabs((double)w->to[i][lane]);
    return sum;
}

/* z = r / d of `to`, r; returns r . z */
HOT static double diagonal_task(void *context, int chunk) {
    const cg_pass *w = context;
    poisson *s = w->s;
    const level *l = &s->levels[0];
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id)
        for (int h = 0; h < 2; ++h) {
            int here = spot(l, id, h);
            vec8 r = w->to[here], z = r * l->coefs[l->block[id].coefs].side[h].inverse;
            s->z[here] = z;
            dot = dvec8_plus_dot(dot, r, z);
        }
    return dvec8_total(dot);
}

/* ---- between fields and blocks ---- */

INLINE ptrdiff_t block_cell(const poisson *s, int id, int *lanes) {
    const level *l = &s->levels[0];
    int place = l->at[id] % l->row, row = l->at[id] / l->row;
    int left = l->n[0] - place * BLOCK_CELLS;
    *lanes = left < BLOCK_CELLS ? left : BLOCK_CELLS;
    return box_at(&s->b, place * BLOCK_CELLS, row % l->n[1], row / l->n[1]);
}

/* Values of a field at the unknowns, 0 elsewhere. */
HOT static void load_task(void *context, int chunk) {
    const cg_pass *w = context;
    const level *l = &w->s->levels[0];
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        int lanes;
        const float *from = w->field_in + block_cell(w->s, id, &lanes);
        vec8 in[2] = {vec8_of(0), vec8_of(0)};
        if (l->unknowns[id] == 0xffff) memcpy(in, from, sizeof in);
        else
            for (int i = 0; i < lanes; ++i)
                if (l->unknowns[id] >> i & 1) in[i / 8][i % 8] = from[i];
        w->to[spot(l, id, EVEN)] = vec8_evens(in[0], in[1]);
        w->to[spot(l, id, ODD)] = vec8_odds(in[0], in[1]);
    }
}

HOT static void store_task(void *context, int chunk) {
    const cg_pass *w = context;
    const level *l = &w->s->levels[0];
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        int lanes;
        float *to = w->field_out + block_cell(w->s, id, &lanes);
        vec8 even = w->to[spot(l, id, EVEN)], odd = w->to[spot(l, id, ODD)];
        vec8 out[2] = {vec8_lows(even, odd), vec8_highs(even, odd)};
        if (l->unknowns[id] == 0xffff) memcpy(to, out, sizeof out);
        else
            for (int i = 0; i < lanes; ++i) to[i] = l->unknowns[id] >> i & 1 ? out[i / 8][i % 8] : 0;
    }
}

static void clear_row_task(void *context, int row) {
    const cg_pass *w = context;
    const box *b = &w->s->b;
    memset(w->field_out + box_at(b, 0, row % b->n[1], row / b->n[1]), 0, (size_t)b->n[0] * sizeof(float));
}

/* y = x rounded (to return), or x = y (to start) */
HOT static void round_task(void *context, int chunk) {
    poisson *s = ((cg_pass *)context)->s;
    for (int i = chunk * VECTOR_GRAIN; i < vectors_end(s, chunk); ++i) s->y[i] = dvec8_narrow(s->x[i]);
}

HOT static void start_task(void *context, int chunk) {
    poisson *s = ((cg_pass *)context)->s;
    for (int i = chunk * VECTOR_GRAIN; i < vectors_end(s, chunk); ++i) {
        s->x[i] = vec8_wide(s->y[i]);
        s->y[i] = s->search[i] = vec8_of(0);
    }
}

HOT static void zero_task(void *context, int chunk) {
    poisson *s = ((cg_pass *)context)->s;
    for (int i = chunk * VECTOR_GRAIN; i < vectors_end(s, chunk); ++i) {
        s->r[i] = s->rhs[i];
        s->y[i] = s->search[i] = vec8_of(0);
    }
}

/* ---- the solve ---- */

static int chunks_of(const poisson *s) {
    return level_chunks(&s->levels[0]);
}

static pool *workers(const poisson *s) {
    return level_pool(&s->levels[0], s->p);
}

static double squared_norm(poisson *s, vec8 *v) {
    cg_pass w = {.s = s, .to = v};
    return parallel_sum(workers(s), vector_chunks(s), norm_task, &w);
}

/* Moves what is pending into x and computes the residual anew; returns its squared norm. */
static double replace_residual(poisson *s, double *pending) {
    cg_pass w = {.s = s, .alpha = *pending};
    parallel_for(workers(s), vector_chunks(s), gather_task, &w);
    *pending = 0;
    const int ranked = rank_groups(s->rank) > 0;
    if (ranked) rank_exact(s->rank, s->p, (const double *)s->x);
    double rr = parallel_sum(workers(s), chunks_of(s),
                             !ranked          ? residual_task
                             : s->below_float ? residual_ranked_below_task
                                              : residual_ranked_task,
                             &w);
    if (s->leaky) { /* without a term alone */
        leaks_lift(s->leaks, &s->levels[0], s->p, s->x, s->r);
        rr = parallel_sum(workers(s), chunks_of(s), residual_task, &w);
    }
    if (regions_closed(s->regions) == 0) return rr;
    regions_project(s->regions, &s->levels[0], s->p, s->r);
    return squared_norm(s, s->r);
}

/* z = M r, without the means of closed regions and the constants of nearly closed ones; returns r . z */
static double precondition_plainly(poisson *s, vec8 *r, preconditioner by, int rough) {
    cg_pass w = {.s = s, .to = r};
    double rz;
    if (by == BY_MIC) rz = mic_apply(s->mic, &s->levels[0], s->p, s->z, r);
    else if (by == BY_DIAGONAL) rz = parallel_sum(workers(s), chunks_of(s), diagonal_task, &w);
    else
        rz = cycle_apply(s->levels, s->count, s->exact_end ? s->coarsest : NULL, s->rank, s->p, s->z, r,
                         by == BY_W_CYCLE ? 2 : 1);
    if (regions_closed(s->regions)) rank_forget_found(s->rank);
    rz += regions_lift(s->regions, &s->levels[0], s->p, s->z, r);
    regions_project(s->regions, &s->levels[0], s->p, s->z); /* r has no mean, so r . z stays */
    if (s->leaky && rough) rz += leaks_precondition(s->leaks, &s->levels[0], s->p, s->z, r);
    else if (s->leaky) rz += leaks_deflate(s->leaks, &s->levels[0], s->p, s->z, r);
    return rz;
}

/* The same, M with what it lacks of light bodies where that is known. */
static double precondition(poisson *s, preconditioner by, int rough) {
    const double rz = precondition_plainly(s, s->r, by, rough);
    if (!light_known(s->light)) return rz;
    light_take(s->light, s->rank, s->p, &s->levels[0], s->q, s->r, s->z); /* q is free meanwhile */
    return precondition_plainly(s, s->q, by, rough) + light_dot(s->light, s->rank, s->p, s->z);
}

/* What M makes of the columns of light bodies; r is used up. */
static void learn_light(poisson *s, preconditioner by) {
    const int columns = light_begin(s->light, s->rank, &s->levels[0]);
    for (int i = 0; i < columns; ++i) {
        memset(s->r, 0, 2 * (size_t)s->levels[0].stride * sizeof *s->r);
        light_column(s->light, s->rank, i, s->r);
        precondition_plainly(s, s->r, by, 0);
        light_note(s->light, s->rank, s->p, i, s->z);
    }
    if (columns) light_end(s->light);
}

/* A cycle of one level costs next to nothing. */
static int patience(const poisson *s) {
    return s->kind == POISSON_MULTIGRID && s->count == 1 ? 0 : PATIENCE;
}

/* First without the term of low rank, then the same without more. */
static preconditioner weaker(poisson *s, preconditioner by) {
    light_forget(s->light);
    if (by == BY_W_CYCLE) return rank_forget_levels(s->rank) ? BY_W_CYCLE : BY_V_CYCLE;
    return BY_DIAGONAL;
}

/* Directions may lead far off and back again, or not back in time: what was there before they did is kept.
 * Without memory for it the last iterate is as good as any. */
static void keep_iterate(poisson *s, double *least, double rr) {
    const size_t bytes = 2 * (size_t)s->levels[0].stride * sizeof *s->x;
    if (!(rr < *least) || buffer_hold(&s->kept_memory, bytes)) return;
    memcpy(s->kept_memory.data, s->x, bytes);
    *least = rr;
}

/* rough: from zero, r is the right-hand side already, and the recursion's residual is taken at its word. */
static void iterate(poisson *s, poisson_result *out, double bb, double tolerance, int max_iterations,
                    int rough) {
    preconditioner by = s->kind == POISSON_MIC ? BY_MIC : BY_W_CYCLE;
    double goal = tolerance * tolerance * bb, pending = 0, rz_before = 0;
    s->below_float = tolerance < FLOAT_ENOUGH;
    double rr = rough ? bb : replace_residual(s, &pending), rr_exact = rr, rr_least = rr;
    double rr_kept = INFINITY;
    int exact = 1;
    const int ranked = rank_groups(s->rank) > 0;
    for (;;) {
        if (rough) exact = 1;
        const int lost = !(rr <= REPLACE_RISE * REPLACE_RISE * rr_least);
        if (!exact && (rr <= goal || rr <= REPLACE_DROP * REPLACE_DROP * rr_exact || lost ||
                       out->iterations >= max_iterations)) {
            if (!(rr <= rr_exact)) keep_iterate(s, &rr_kept, rr_exact);
            rr = rr_exact = rr_least = replace_residual(s, &pending);
            exact = 1;
            if (lost) rz_before = 0; /* the next direction starts from what is true */
        }
        if (exact && (rr <= goal || !isfinite(rr) || out->iterations >= max_iterations)) break;
        if (ranked && !rough && !light_looked(s->light) && out->iterations >= patience(s)) {
            learn_light(s, by);
            rr = rr_exact = rr_least = replace_residual(s, &pending);
            exact = 1;
            rz_before = 0;
        }
        double rz = precondition(s, by, rough);
        while (!(rz > 0) && by != BY_DIAGONAL) {
            by = weaker(s, by);
            rz_before = 0;
            rz = precondition(s, by, rough);
        }
        if (!(rz > 0)) break;
        cg_pass w = {.s = s, .alpha = pending, .beta = rz_before > 0 ? rz / rz_before : 0};
        parallel_for(workers(s), vector_chunks(s), direct_task, &w);
        pending = 0;
        double pq = ranked ? rank_turn(s->rank, s->p, (const float *)s->search, w.beta) : 0;
        pq += parallel_sum(workers(s), chunks_of(s), ranked ? apply_ranked_task : apply_task, &w);
        if (!(pq > 0)) {
            if (by == BY_DIAGONAL) break;
            by = weaker(s, by);
            rz_before = 0;
            ++out->iterations;
            continue;
        }
        w.alpha = pending = rz / pq;
        rz_before = rz;
        rr = parallel_sum(workers(s), vector_chunks(s), descend_task, &w);
        rr_least = fmin(rr, rr_least);
        exact = 0;
        ++out->iterations;
    }
    if (rough) {
        cg_pass last = {.s = s, .alpha = pending};
        parallel_for(workers(s), vector_chunks(s), direct_task, &last);
    } else if (!exact) rr = replace_residual(s, &pending);
    if (rr_kept < INFINITY && !(rr <= rr_kept)) {
        memcpy(s->x, s->kept_memory.data, 2 * (size_t)s->levels[0].stride * sizeof *s->x);
        rr = rr_kept;
    }
    out->residual = sqrt(rr / bb);
    out->converged = rr <= goal;
}

static poisson_result solve(poisson *s, float *x, const float *b, double tolerance, int max_iterations,
                            int rough) {
    poisson_result out = {
        .unknowns = s->unknowns, .converged = true, .closed_regions = regions_closed(s->regions)};
    level *fine = &s->levels[0];
    cg_pass w = {.s = s, .field_in = b, .field_out = x, .to = s->rhs};
    int chunks = s->count ? chunks_of(s) : 0;
    double bb = 0;
    if (chunks) {
        prepare(s);
        parallel_for(workers(s), chunks, load_task, &w);
        if (out.closed_regions) {
            out.size = parallel_sum(workers(s), vector_chunks(s), size_task, &w);
            double taken = regions_project(s->regions, fine, s->p, s->rhs);
            out.incompatibility = out.size > 0 ? taken / out.size : 0;
        }
        bb = squared_norm(s, s->rhs);
    }
    if (bb > 0) {
        cg_pass start = {.s = s, .field_in = x, .to = s->y};
        if (rough) parallel_for(workers(s), vector_chunks(s), zero_task, &start);
        else {
            parallel_for(workers(s), chunks, load_task, &start);
            regions_project(s->regions, fine, s->p, s->y);
            parallel_for(workers(s), vector_chunks(s), start_task, &start);
        }
        iterate(s, &out, bb, tolerance, max_iterations, rough);
        if (!rough) parallel_for(workers(s), vector_chunks(s), round_task, &start);
        regions_project(s->regions, fine, s->p, s->y);
    }
    parallel_for(workers(s), s->b.n[1] * s->b.n[2], clear_row_task, &w);
    if (bb > 0) {
        w.to = s->y;
        parallel_for(workers(s), chunks, store_task, &w);
    } else if (!(bb <= 0)) {
        out.converged = false; /* not a number */
        out.residual = bb;
    }
    return out;
}

poisson_result poisson_solve(poisson *s, float *x, const float *b, double tolerance, int max_iterations) {
    return solve(s, x, b, tolerance, max_iterations, 0);
}

poisson_result poisson_estimate(poisson *s, float *x, const float *b, double tolerance, int max_iterations) {
    return solve(s, x, b, tolerance, max_iterations, 1);
}

void poisson_cycle(poisson *s, float *x, const float *b) {
    cg_pass w = {.s = s, .field_in = b, .field_out = x, .to = s->r};
    if (!s->count) return;
    prepare(s);
    parallel_for(workers(s), chunks_of(s), load_task, &w);
    regions_project(s->regions, &s->levels[0], s->p, s->r);
    precondition_plainly(s, s->r, s->kind == POISSON_MIC ? BY_MIC : BY_V_CYCLE, 1);
    w.to = s->z;
    parallel_for(workers(s), chunks_of(s), store_task, &w);
}

void poisson_move(poisson *s, const box *b) {
    s->b = *b;
    s->count = 0;
}
