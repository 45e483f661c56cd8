/* Incompressible particles by two projections a step.
 *
 *   (D v)_i = sum_j V (v_i - v_j) . grad W_ij + (v_i - v_wall) . B_i      rate of the density, 1 at rest
 *   v <- v - (1 / rho) D^T q,   A = D (1 / rho) D^T                       q = p dt / rho_0
 *
 * B_i is the slope of the walls' share in density i (kernel.c). D^T is the exact adjoint: forces between
 * pairs are equal, opposite and central, so that momentum and angular momentum are kept, and what walls give
 * particles they lose. A is symmetric and positive semidefinite, and is never stored.
 *
 * 1. velocity: D v = 0 in the liquid (density > full), elsewhere q >= 0 and dt D v <= 1 - density;
 * 2. density:  displacements -(1 / rho) D^T r, r >= 0, so that density + dt D v <= 1; they move positions
 * only.
 *
 * 3. what that does to angular momentum, sum m dx x v, each pair takes back: of a displacement s_ij (x_i -
 * x_j) its relative velocity loses s_ij (v_i - v_j), as a skater's does: where no wall is, for it is viscous.
 *
 * Each is a bounded quadratic minimum, found by FISTA with gradient restart (Beck and Teboulle 2009;
 * O'Donoghue and Candes 2015), Jacobi-scaled, with steps of 1 / L. L is 2.2; where the residual grows it is
 * raised, and the best iterate comes back. Rigid bodies take part by their six motions.
 *
 * Source: Mao 2006, 3.2.4, as density and divergence solves (Bender and Koschier 2015).
 *
 * Or, in place of both, an equation of state (Mao 2006, 3.2.1; Monaghan 1994), p = (rho c^2 / 7) (density^7 -
 * 1), with c ten times as fast as anything moves: what is compressed by a percent pushes back, in steps of
 * sound.
 *
 * Limits: joints and contacts of bodies act after the solve. */
#include "stage/sph/pressure.h"

#include <math.h>
#include <string.h>

#define STEP_FIRST 2.2
#define STEP_MORE  1.3
#define WORSE      1.2
#define BODY_SHARE 0.3 /* how much less what is beside bodies counts */
/* What the second solve could not spread, as under a body that seals a vessel, the first one drives apart by
 * this share a step, bodies included; from so many tolerances of it on, and only where there are bodies: it
 * makes water at rest tremble. */
#define PUSH      0.2
#define SLACK     50
#define UNBOUNDED -1e30f

typedef struct {
    sph_fluid *f;
    sph_bodies *bodies;
    float period[3];
    int wraps;
    float (*v)[4]; /* what the rate is asked of */
    float *rate;
    /* of the solve */
    float *now, *last, *best; /* iterates; x[.][3] holds the extrapolated one */
    const float *b;           /* right-hand side */
    const float *low;         /* bounds */
    float *inverse;           /* of the diagonal */
    float *slope;             /* A z - b */
    float step, momentum;
    double
        tally[3]; /* sums of |projected gradient|, of its product with the step, of the first beside bodies */
    double (*block)[3];
    size_t pressed; /* particles beside bodies that are moved, marked in f->mark */
} job;

static int block_range(size_t from_to[2], const sph_fluid *f, int block) {
    from_to[0] = (size_t)block * SPH_GRAIN;
    from_to[1] = from_to[0] + SPH_GRAIN < f->count ? from_to[0] + SPH_GRAIN : f->count;
    return from_to[0] < from_to[1];
}

/* ---- D and D^T ---- */

/* a = (1 / rho) D^T q of the particles, q in x[.][3]. */
INLINE void force_range(const job *s, size_t from, size_t to, int dim, int wraps) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    for (size_t i = from; i < to; ++i) {
        const float *x = f->x[i], *wall = f->wall[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 at[4];
            gather8(at, (const float(*)[4])f->x, other + n);
            const vec8 w = vec8_load(weight + n) * (at[3] + x[3]);
            for (int c = 0; c < dim; ++c) {
                vec8 d = x[c] - at[c];
                if (wraps) d = nearest8(d, s->period[c]);
                sum[c] += w * d;
            }
        }
        float *a = f->a[i];
        for (int c = 0; c < dim; ++c) a[c] = f->lightness[i] * (sum8(sum[c]) + x[3] * wall[c]);
        if (dim == 2) a[2] = 0;
        a[3] = 0;
        memcpy(f->both[i] + 4, a, sizeof *f->a);
    }
}

HOT static void force_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    if (s->f->dim == 3) {
        if (s->wraps) force_range(s, r[0], r[1], 3, 1);
        else force_range(s, r[0], r[1], 3, 0);
    } else {
        if (s->wraps) force_range(s, r[0], r[1], 2, 1);
        else force_range(s, r[0], r[1], 2, 0);
    }
}

/* D of what f->both has behind x, for one particle, walls at rest. */
INLINE float rate_of(const job *s, size_t i, int dim, int wraps) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    const float *x = f->both[i], *own = x + 4, *wall = f->wall[i];
    const int32_t *other = p->other + p->start[i];
    const float *weight = p->weight + p->start[i];
    vec8 sum = {0};
    for (int n = 0; n < p->length[i]; n += LANES) {
        vec8 at[3], v[3], dot = {0};
        gather8_both(at, v, (const float(*)[8])f->both, other + n);
        for (int c = 0; c < dim; ++c) {
            vec8 d = x[c] - at[c];
            if (wraps) d = nearest8(d, s->period[c]);
            dot += d * (own[c] - v[c]);
        }
        sum += vec8_load(weight + n) * dot;
    }
    float total = sum8(sum);
    for (int c = 0; c < dim; ++c) total += own[c] * wall[c];
    return total;
}

INLINE float rate_any(const job *s, size_t i) {
    if (s->f->dim == 3) return s->wraps ? rate_of(s, i, 3, 1) : rate_of(s, i, 3, 0);
    return s->wraps ? rate_of(s, i, 2, 1) : rate_of(s, i, 2, 0);
}

/* D v with walls that move. */
HOT static void rate_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) s->rate[i] = rate_any(s, i) - s->f->wall[i][3];
}

/* x and v side by side. */
static void join_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        memcpy(s->f->both[i], s->f->x[i], sizeof *s->f->x);
        memcpy(s->f->both[i] + 4, s->v[i], sizeof *s->v);
    }
}

/* ---- the diagonal ---- */

INLINE void diagonal_range(const job *s, size_t from, size_t to, int dim, int wraps) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    for (size_t i = from; i < to; ++i) {
        const float *x = f->x[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}}, squares = {0};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 at[4], d2 = {0};
            gather8(at, (const float(*)[4])f->x, other + n);
            const vec8 w = vec8_load(weight + n);
            for (int c = 0; c < dim; ++c) {
                vec8 d = x[c] - at[c];
                if (wraps) d = nearest8(d, s->period[c]);
                sum[c] += w * d;
                d2 += d * d;
            }
            squares += w * w * d2 * at[3]; /* their lightness */
        }
        float own = 0;
        for (int c = 0; c < dim; ++c) {
            const float g = sum8(sum[c]) + f->wall[i][c];
            own += g * g;
        }
        const float whole = f->lightness[i] * own + sum8(squares);
        s->inverse[i] = whole > 1e-3f ? 1 / whole : 0; /* none: nothing is near */
    }
}

HOT static void diagonal_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    if (s->f->dim == 3) {
        if (s->wraps) diagonal_range(s, r[0], r[1], 3, 1);
        else diagonal_range(s, r[0], r[1], 3, 0);
    } else {
        if (s->wraps) diagonal_range(s, r[0], r[1], 2, 1);
        else diagonal_range(s, r[0], r[1], 2, 0);
    }
}

static void find_diagonal(job *s) {
    sph_fluid *f = s->f;
    for (size_t i = 0; i < f->count; ++i) f->x[i][3] = f->lightness[i];
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), diagonal_task, s);
    for (size_t c = 0; s->bodies && s->bodies->count && c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->inverse[at->particle] == 0) continue;
        const double own = s->bodies->body[at->solid].lightness;
        double g2 = 0;
        for (int a = 0; a < 3; ++a) g2 += (double)(at->slope[a] * at->slope[a]);
        s->inverse[at->particle] = (float)(1 / (1 / (double)s->inverse[at->particle] + own * g2));
    }
}

/* ---- bodies ---- */

static int moves_bodies(const job *s) {
    return s->bodies && s->bodies->count;
}

static void mark_pressed(job *s) {
    sph_fluid *f = s->f;
    if (!moves_bodies(s)) return;
    memset(f->mark, 0, f->count);
    for (size_t c = 0; c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->bodies->body[at->solid].lightness == 0) continue;
        s->pressed += !f->mark[at->particle];
        f->mark[at->particle] = 1;
    }
}

/* What the q in x[.][3] gives bodies. */
static void push_bodies(job *s) {
    const sph_fluid *f = s->f;
    for (int o = 0; o < s->bodies->count; ++o)
        memset(s->bodies->body[o].gain, 0, sizeof s->bodies->body[o].gain);
    for (size_t c = 0; c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->bodies->body[at->solid].lightness == 0) continue;
        double *sum = s->bodies->body[at->solid].gain, j[3];
        for (int a = 0; a < 3; ++a) sum[a] += j[a] = (double)(f->x[at->particle][3] * at->slope[a]);
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, e = (a + 2) % 3;
            sum[3 + a] += (double)at->arm[b] * j[e] - (double)at->arm[e] * j[b];
        }
    }
    for (int o = 0; o < s->bodies->count; ++o) {
        sph_body *b = &s->bodies->body[o];
        double turn[3];
        for (int a = 0; a < 3; ++a) {
            turn[a] = 0;
            for (int e = 0; e < 3; ++e) turn[a] += b->inverse[3 * a + e] * b->gain[3 + e];
        }
        for (int a = 0; a < 3; ++a) {
            b->gain[a] *= b->lightness;
            b->gain[3 + a] = turn[a];
        }
    }
}

/* slope += what that does to the rates. */
static void feel_bodies(job *s) {
    const sph_fluid *f = s->f;
    for (size_t c = 0; c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->bodies->body[at->solid].lightness == 0) continue;
        const double *u = s->bodies->body[at->solid].gain;
        double sum = 0;
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, e = (a + 2) % 3;
            sum +=
                (double)at->slope[a] * (u[a] + u[3 + b] * (double)at->arm[e] - u[3 + e] * (double)at->arm[b]);
        }
        s->slope[at->particle] += (float)sum;
    }
}

/* ---- FISTA ---- */

HOT static void slope_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) s->slope[i] = rate_any(s, i) - s->b[i];
}

/* |gradient| that bounds do not take up, and the descent that the last step made against it. */
HOT static void judge_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    double sum = 0, along = 0, pressed = 0;
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float z = s->f->x[i][3], g = s->slope[i];
        const float to = greater(s->low[i], z - s->step * s->inverse[i] * g);
        const int held = z <= s->low[i] && g > 0;
        const double left = held || s->inverse[i] == 0 ? 0 : (double)fabsf(g);
        sum += left;
        if (s->pressed && s->f->mark[i]) pressed += left;
        along += (double)g * (double)(to - s->now[i]);
        s->last[i] = to;
    }
    s->block[block][0] = sum;
    s->block[block][1] = along;
    s->block[block][2] = pressed;
}

/* The next iterate is in `last`: it becomes `now`, and the extrapolated one follows from both. */
HOT static void extrapolate_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float to = s->last[i], z = to + s->momentum * (to - s->now[i]);
        s->now[i] = to;
        s->f->x[i][3] = greater(z, s->low[i]);
    }
}

static void product(job *s, int blocks) {
    pool *threads = s->f->g->pool;
    parallel_for(threads, blocks, force_task, s);
    if (moves_bodies(s)) push_bodies(s);
    parallel_for(threads, blocks, slope_task, s);
    if (moves_bodies(s)) feel_bodies(s);
}

static void judge(job *s, int blocks) {
    parallel_for(s->f->g->pool, blocks, judge_task, s);
    s->tally[0] = s->tally[1] = s->tally[2] = 0;
    for (int b = 0; b < blocks; ++b) {
        s->tally[0] += s->block[b][0];
        s->tally[1] += s->block[b][1];
        s->tally[2] += s->block[b][2];
    }
    s->tally[0] /= (double)s->f->count;
    /* a body hangs on few particles, which a mean over all would not show */
    if (s->pressed) s->tally[0] = fmax(s->tally[0], BODY_SHARE * s->tally[2] / (double)s->pressed);
}

static void load_iterate(job *s, const float *from) {
    for (size_t i = 0; i < s->f->count; ++i) {
        s->now[i] = s->inverse[i] > 0 ? greater(from[i], s->low[i]) : 0;
        s->f->x[i][3] = s->now[i];
    }
}

/* Leaves the solution in x[.][3], a = (1 / rho) D^T of it, slope = A z - b, and bodies with what they gain.
 */
static sph_solve minimise(job *s, double tolerance, int most, int least) {
    const int blocks = block_count((long)s->f->count, SPH_GRAIN);
    double l = STEP_FIRST, theta = 1, best = INFINITY;
    sph_solve r = {0};
    load_iterate(s, s->now);
    for (;;) {
        s->step = (float)(1 / l);
        product(s, blocks);
        judge(s, blocks);
        r.residual = s->tally[0];
        ++r.iterations;
        if ((r.residual <= tolerance && r.iterations > least) || !(r.residual < INFINITY)) break;
        if (r.iterations >= most) break;
        if (r.residual > WORSE * best) {
            l *= STEP_MORE;
            theta = 1;
            load_iterate(s, s->best);
            best = INFINITY;
            continue;
        }
        if (r.residual < best) {
            best = r.residual;
            for (size_t i = 0; i < s->f->count; ++i) s->best[i] = s->f->x[i][3];
        }
        if (s->tally[1] > 0) theta = 1;
        const double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta));
        s->momentum = (float)((theta - 1) / next);
        theta = next;
        parallel_for(s->f->g->pool, blocks, extrapolate_task, s);
    }
    r.converged = r.residual <= tolerance;
    return r;
}

static job job_of(sph_fluid *f, sph_bodies *bodies) {
    job s = {.f = f, .bodies = bodies};
    periods_of(s.period, f->g);
    s.wraps = wraps_around(f->g);
    s.inverse = f->scalar[0];
    s.slope = f->scalar[1];
    s.best = f->scalar[2];
    s.last = f->scalar[3];
    return s;
}

sph_solve sph_project(float (*v)[4], float *q, float *rate, sph_fluid *f, sph_bodies *bodies, double dt,
                      double full, int leaves, double tolerance, int most) {
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    const float scale = (float)(f->g->dx / dt);
    job s = job_of(f, bodies);
    s.v = v;
    s.rate = rate;
    s.now = q;
    float *b = f->scalar[4], *low = f->scalar[5];
    s.b = b;
    s.low = low;
    s.block = (double(*)[3])f->near; /* free once walls are found */
    find_diagonal(&s);
    mark_pressed(&s);
    parallel_for(f->g->pool, blocks, join_task, &s);
    parallel_for(f->g->pool, blocks, rate_task, &s);
    for (size_t i = 0; i < f->count; ++i) {
        const float gap = greater(0, 1 - f->density[i]);
        const float *wall = f->wall[i];
        const int held = !leaves || (wall[0] == 0 && wall[1] == 0 && wall[2] == 0);
        const int is_full = (double)f->density[i] > full && held;
        low[i] = is_full ? UNBOUNDED : 0;
        const float over = moves_bodies(&s) ? greater(0, f->density[i] - 1 - (float)(SLACK * tolerance)) : 0;
        b[i] = rate[i] + scale * ((float)PUSH * over - (is_full ? 0 : gap));
    }
    sph_solve r = minimise(&s, tolerance * (double)scale, most, 1);
    r.residual /= (double)scale;
    for (size_t i = 0; i < f->count; ++i) {
        for (int a = 0; a < f->dim; ++a) v[i][a] -= f->a[i][a];
        rate[i] -= s.slope[i] + b[i];
        q[i] = f->x[i][3];
    }
    return r;
}

sph_solve sph_spread(float *q, const float *rate, sph_fluid *f, double dt, double tolerance, int most) {
    const float scale = (float)(dt / f->g->dx);
    job s = job_of(f, NULL);
    s.now = q;
    float *b = f->scalar[4], *low = f->scalar[5];
    s.b = b;
    s.low = low;
    s.block = (double(*)[3])f->near;
    for (size_t i = 0; i < f->count; ++i) {
        low[i] = 0;
        b[i] = f->density[i] - 1 + scale * rate[i];
    }
    const sph_solve r = minimise(&s, tolerance, most, 0);
    for (size_t i = 0; i < f->count; ++i) q[i] = f->x[i][3];
    return r;
}

/* ---- an equation of state ---- */

static void state_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float d = s->f->density[i], d2 = d * d;
        s->now[i] = greater(s->step * (d2 * d2 * d2 * d - 1), 0);
    }
}

void sph_apply(float (*v)[4], const float *q, sph_fluid *f, sph_bodies *bodies) {
    job s = job_of(f, bodies);
    for (size_t i = 0; i < f->count; ++i) f->x[i][3] = q[i];
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), force_task, &s);
    if (moves_bodies(&s)) push_bodies(&s);
    for (size_t i = 0; i < f->count; ++i)
        for (int c = 0; c < f->dim; ++c) v[i][c] -= f->a[i][c];
}

void sph_press(float (*v)[4], float *q, sph_fluid *f, sph_bodies *bodies, double dt, double sound) {
    job s = job_of(f, bodies);
    s.now = q;
    s.step = (float)(dt / f->g->dx * sound * sound / 7);
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), state_task, &s);
    sph_apply(v, q, f, bodies);
}

/* ---- angular momentum ---- */

INLINE void slow_range(const job *s, size_t from, size_t to, int dim) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    for (size_t i = from; i < to; ++i) {
        const float *own = s->v[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 v[4];
            gather8(v, (const float(*)[4])s->v, other + n); /* behind them q */
            const vec8 w = vec8_load(weight + n) * (v[3] + own[3]);
            for (int c = 0; c < dim; ++c) sum[c] += w * (own[c] - v[c]);
        }
        for (int c = 0; c < dim; ++c) f->work[0][i][c] = f->lightness[i] * sum8(sum[c]);
    }
}

HOT static void slow_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    if (s->f->dim == 3) slow_range(s, r[0], r[1], 3);
    else slow_range(s, r[0], r[1], 2);
}

void sph_keep_turning(float (*v)[4], const float *q, sph_fluid *f) {
    job s = job_of(f, NULL);
    s.v = v;
    for (size_t i = 0; i < f->count; ++i) v[i][3] = q[i];
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), slow_task, &s);
    for (size_t i = 0; i < f->count; ++i)
        for (int c = 0; c < f->dim; ++c) v[i][c] += f->work[0][i][c];
}
