/* Incompressible particles by two projections a step.
 *
 *   v <- v - (1 / rho) D^T q,   A = D (1 / rho) D^T,   q = p dt / rho_0,   D v: the rate of the density
 *
 * D^T is the exact adjoint (divergence.h): forces between pairs are equal, opposite and, but for beside
 * walls, central, so that momentum and angular momentum are kept, and what walls give particles they lose. A
 * is symmetric and positive semidefinite, and is never stored.
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
#include "stage/sph/divergence.h"

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
/* cells^2: what particles of a full vessel push each other away with, places only. There pressure is known
 * but for a constant and below 0 in vortices, which tear open without it (a Taylor-Green vortex of 128
 * particles a side does within half a second; from 0.01 on it does not). */
#define APART 0.02f

typedef struct {
    sph_fluid *f;
    sph_bodies *bodies;
    const float (*skin)[4]; /* of stressed fluid: what lies within, 0 behind it, is held from both sides */
    sph_divergence by;
    float (*v)[4];
    float *rate;
    /* of the solve */
    float *now, *best; /* iterates; x[.][3] holds the extrapolated one */
    float *b;          /* right-hand side */
    float *low;        /* bounds */
    float *inverse;    /* of the diagonal */
    float *slope;      /* A z - b */
    float step, momentum;
    int better;      /* than all so far */
    double tally[3]; /* sums of |projected gradient|, of its product with the step, of the first by bodies */
    double (*block)[3];
    size_t pressed; /* particles beside bodies that are moved */
    /* of what is asked */
    float scale, slack, least;
    double full;
    int leaves;
} job;

static void block_range(size_t from_to[2], const sph_fluid *f, int block) {
    from_to[0] = (size_t)block * SPH_GRAIN;
    from_to[1] = from_to[0] + SPH_GRAIN < f->count ? from_to[0] + SPH_GRAIN : f->count;
}

static void over_blocks(job *s, void (*task)(void *, int)) {
    parallel_for(s->f->g->pool, block_count((long)s->f->count, SPH_GRAIN), task, s);
}

/* ---- D and D^T of all ---- */

INLINE void force_range(const job *s, size_t from, size_t to, int wraps) {
    for (size_t i = from; i < to; ++i)
        vec4_store(s->f->a[i], s->f->mark[i] & SPH_BY_TILTED ? force_of(&s->by, i, wraps, 1)
                                                             : force_of(&s->by, i, wraps, 0));
}

/* a = (1 / rho) D^T q of the particles, q in x[.][3]. */
HOT static void force_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    if (s->by.wraps) force_range(s, r[0], r[1], 1);
    else force_range(s, r[0], r[1], 0);
}

INLINE float rate_at(const job *s, size_t i) {
    const int tilted = s->f->mark[i] & SPH_TILTED;
    if (s->by.wraps) return tilted ? rate_of(&s->by, i, 1, 1, NULL) : rate_of(&s->by, i, 1, 0, NULL);
    return tilted ? rate_of(&s->by, i, 0, 1, NULL) : rate_of(&s->by, i, 0, 0, NULL);
}

INLINE void begin_range(const job *s, size_t from, size_t to, int wraps) {
    sph_fluid *f = s->f;
    for (size_t i = from; i < to; ++i) {
        const int tilted = f->mark[i] & SPH_TILTED;
        const float *wall = f->wall[i];
        sph_slopes slopes;
        const float rate =
            tilted ? rate_of(&s->by, i, wraps, 1, &slopes) : rate_of(&s->by, i, wraps, 0, &slopes);
        vec4 g = slopes.sum;
        float whole = slopes.squares;
        if (tilted) {
            g += tilt_of(s->by.tilt[i], g);
            whole *= (1 + fabsf(s->by.tilt[i][3])) * (1 + fabsf(s->by.tilt[i][3]));
        }
        g += vec4_load(wall);
        whole += f->lightness[i] * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s->rate[i] = rate - wall[3];
        s->inverse[i] = whole > 1e-3f ? 1 / whole : 0; /* none: nothing is near */
        if (tilted || slopes.beside) f->mark[i] |= SPH_BY_TILTED;
    }
}

/* D v with walls that move, the diagonal of A, and who is beside whom. */
HOT static void begin_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    if (s->by.wraps) begin_range(s, r[0], r[1], 1);
    else begin_range(s, r[0], r[1], 0);
}

/* ---- walls ---- */

/* T of a particle from its walls. */
static void tilt_by(float row[4], const sph_kernel *k, const sph_contact *c, int count, int dim) {
    float t[SPH_CONTACTS], mean = 0, u[3] = {0, 0, 0}, more;
    for (int w = 0; w < count; ++w) t[w] = sph_kernel_along(k, c[w].distance);
    if (count == 1) {
        mean = t[0];
        more = 1 - mean;
        memcpy(u, c->normal, sizeof u);
    } else if (count == 2) {
        mean = 0.5f * (t[0] + t[1]);
        more = dim == 3 ? t[0] * t[1] - mean : 0;
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, e = (a + 2) % 3;
            u[a] = c[0].normal[b] * c[1].normal[e] - c[0].normal[e] * c[1].normal[b];
        }
        const float size = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        for (int a = 0; a < 3; ++a) u[a] = size > 0 ? u[a] / size : 0;
    } else {
        mean = (t[0] * t[1] + t[1] * t[2] + t[2] * t[0]) / 3;
        more = 0;
    }
    const float long_ = sqrtf(fabsf(more));
    for (int a = 0; a < 3; ++a) row[a] = long_ * u[a];
    row[3] = more < 0 ? 1 - mean : mean - 1;
}

/* Contacts from block x SPH_GRAIN on, of particles whose first one is among them. */
static void tilt_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t c = from; c < from + SPH_GRAIN && c < f->contacts; ++c) {
        const uint32_t i = f->contact[c].particle;
        if (c > 0 && f->contact[c - 1].particle == i) continue;
        int count = 1;
        while (c + (size_t)count < f->contacts && f->contact[c + (size_t)count].particle == i) ++count;
        tilt_by(f->work[0][i], &f->kernel, &f->contact[c], count, f->dim);
        if (f->work[0][i][3] != 0) f->mark[i] |= SPH_TILTED;
    }
}

static void mark_pressed(job *s) {
    sph_fluid *f = s->f;
    for (size_t c = 0; s->bodies && s->bodies->count && c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->bodies->body[at->solid].lightness == 0) continue;
        s->pressed += !(f->mark[at->particle] & SPH_PRESSED);
        f->mark[at->particle] |= SPH_PRESSED;
    }
}

static void lay_out_task(void *context, int block) {
    const job *s = context;
    sph_fluid *f = s->f;
    size_t r[2];
    block_range(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        for (int c = f->dim; c < 4; ++c) s->v[i][c] = 0;
        f->x[i][3] = f->mark[i] & SPH_TILTED ? -f->lightness[i] : f->lightness[i];
    }
}

/* What walls do to all the rest, the rate of v, and the diagonal. */
static void begin(job *s, float (*v)[4], float *rate) {
    sph_fluid *f = s->f;
    s->v = v;
    s->rate = rate;
    s->by.of = (const float(*)[4])v;
    parallel_zero(f->g->pool, f->work[0], f->count * sizeof *f->work[0]);
    parallel_zero(f->g->pool, f->mark, f->count);
    parallel_for(f->g->pool, block_count((long)f->contacts, SPH_GRAIN), tilt_task, s);
    mark_pressed(s);
    over_blocks(s, lay_out_task);
    over_blocks(s, begin_task);
}

/* ---- bodies ---- */

static int moves_bodies(const job *s) {
    return s->bodies && s->bodies->count;
}

/* What bodies add to the diagonal. */
static void feel_own_push(job *s) {
    const sph_fluid *f = s->f;
    for (size_t c = 0; moves_bodies(s) && c < f->contacts; ++c) {
        const sph_contact *at = &f->contact[c];
        if (at->solid < 0 || s->inverse[at->particle] == 0) continue;
        const double own = s->bodies->body[at->solid].lightness;
        double g2 = 0;
        for (int a = 0; a < 3; ++a) g2 += (double)(at->slope[a] * at->slope[a]);
        s->inverse[at->particle] = (float)(1 / (1 / (double)s->inverse[at->particle] + own * g2));
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

/* Where a gradient step leads from the extrapolated iterate. */
INLINE float step_to(const job *s, size_t i) {
    return greater(s->low[i], s->f->x[i][3] - s->step * s->inverse[i] * s->slope[i]);
}

/* |gradient| that bounds do not take up, and the descent that the last step made against it. */
INLINE void judge(const job *s, int block, size_t from, size_t to) {
    double sum = 0, along = 0, pressed = 0;
    for (size_t i = from; i < to; ++i) {
        const float z = s->f->x[i][3], g = s->slope[i];
        const int held = z <= s->low[i] && g > 0;
        const double left = held || s->inverse[i] == 0 ? 0 : (double)fabsf(g);
        sum += left;
        if (s->pressed && s->f->mark[i] & SPH_PRESSED) pressed += left;
        along += (double)g * (double)(step_to(s, i) - s->now[i]);
    }
    s->block[block][0] = sum;
    s->block[block][1] = along;
    s->block[block][2] = pressed;
}

HOT static void slope_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) s->slope[i] = rate_at(s, i) - s->b[i];
    if (!moves_bodies(s)) judge(s, block, r[0], r[1]);
}

HOT static void judge_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    judge(s, block, r[0], r[1]);
}

/* To the next iterate, and on from there. */
HOT static void extrapolate_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float to = step_to(s, i), z = to + s->momentum * (to - s->now[i]);
        if (s->better) s->best[i] = s->f->x[i][3];
        s->now[i] = to;
        s->f->x[i][3] = greater(z, s->low[i]);
    }
}

static void load_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        s->now[i] = s->inverse[i] > 0 ? greater(s->now[i], s->low[i]) : 0;
        s->f->x[i][3] = s->now[i];
    }
}

static void go_back_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) s->now[i] = s->f->x[i][3] = s->best[i];
}

/* The slope where x[.][3] is, and what is to be said of it. */
static void look(job *s) {
    const int blocks = block_count((long)s->f->count, SPH_GRAIN);
    s->by.of = (const float(*)[4])s->f->a;
    over_blocks(s, force_task);
    if (moves_bodies(s)) push_bodies(s);
    over_blocks(s, slope_task);
    if (moves_bodies(s)) {
        feel_bodies(s);
        over_blocks(s, judge_task);
    }
    s->tally[0] = s->tally[1] = s->tally[2] = 0;
    for (int b = 0; b < blocks; ++b)
        for (int n = 0; n < 3; ++n) s->tally[n] += s->block[b][n];
    s->tally[0] /= (double)s->f->count;
    /* a body hangs on few particles, which a mean over all would not show */
    if (s->pressed) s->tally[0] = fmax(s->tally[0], BODY_SHARE * s->tally[2] / (double)s->pressed);
}

/* Leaves the solution in x[.][3], a = (1 / rho) D^T of it, slope = A z - b, and bodies with what they gain.
 */
static sph_solve minimise(job *s, double tolerance, int most, int least) {
    double l = STEP_FIRST, theta = 1, best = INFINITY;
    sph_solve r = {0};
    s->block = (double(*)[3])s->f->near; /* free once walls are found */
    over_blocks(s, load_task);
    for (;;) {
        s->step = (float)(1 / l);
        look(s);
        r.residual = s->tally[0];
        ++r.iterations;
        if ((r.residual <= tolerance && r.iterations > least) || !(r.residual < INFINITY)) break;
        if (r.iterations >= most) break;
        if (r.residual > WORSE * best) {
            l *= STEP_MORE;
            theta = 1;
            over_blocks(s, go_back_task);
            best = INFINITY;
            continue;
        }
        s->better = r.residual < best;
        if (s->better) best = r.residual;
        if (s->tally[1] > 0) theta = 1;
        const double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta));
        s->momentum = (float)((theta - 1) / next);
        theta = next;
        over_blocks(s, extrapolate_task);
    }
    r.converged = r.residual <= tolerance;
    return r;
}

static job job_of(sph_fluid *f, sph_bodies *bodies) {
    job s = {.f = f, .bodies = bodies};
    s.by = (sph_divergence){.f = f, .tilt = (const float(*)[4])f->work[0], .wraps = wraps_around(f->g)};
    periods_of(s.by.period, f->g);
    s.inverse = f->scalar[0];
    s.slope = f->scalar[1];
    s.best = f->scalar[2];
    s.b = f->scalar[3];
    s.low = f->scalar[4];
    return s;
}

static void ask_rate_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    size_t r[2];
    block_range(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float gap = greater(0, 1 - f->density[i]);
        const float *wall = f->wall[i];
        const int held = !s->leaves || (wall[0] == 0 && wall[1] == 0 && wall[2] == 0);
        const int is_full = (double)f->density[i] > s->full && held;
        const float over = moves_bodies(s) ? greater(0, f->density[i] - 1 - s->slack) : 0;
        s->low[i] = is_full ? UNBOUNDED : 0;
        s->b[i] = s->rate[i] + s->scale * ((float)PUSH * over - (is_full ? 0 : gap));
    }
}

static void give_velocity_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        for (int a = 0; a < 3; ++a) s->v[i][a] -= s->f->a[i][a];
        s->rate[i] -= s->slope[i] + s->b[i];
        s->now[i] = s->f->x[i][3];
    }
}

sph_solve sph_project(float (*v)[4], float *q, float *rate, sph_fluid *f, sph_bodies *bodies, double dt,
                      double full, int leaves, double tolerance, int most) {
    const double scale = f->g->dx / dt;
    job s = job_of(f, bodies);
    s.scale = (float)scale;
    s.slack = (float)(SLACK * tolerance);
    s.full = full;
    s.leaves = leaves;
    s.now = q;
    begin(&s, v, rate);
    feel_own_push(&s);
    over_blocks(&s, ask_rate_task);
    sph_solve r = minimise(&s, tolerance * scale, most, 1);
    r.residual /= scale;
    over_blocks(&s, give_velocity_task);
    return r;
}

static double hollow_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    double count = 0;
    for (size_t i = r[0]; i < r[1]; ++i) count += !((double)s->f->density[i] > s->full);
    return count;
}

static void ask_density_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int within = s->skin && s->skin[i][3] == 0 && (double)s->f->density[i] > s->full;
        s->low[i] = within ? UNBOUNDED : s->least;
        s->b[i] = s->f->density[i] - 1 + s->scale * s->rate[i];
    }
}

static void keep_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    block_range(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) s->now[i] = s->f->x[i][3];
}

sph_solve sph_spread(float *q, float *rate, sph_fluid *f, const float (*skin)[4], double dt, double full,
                     double tolerance, int most) {
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    job s = job_of(f, NULL);
    s.full = full;
    s.least = parallel_sum(f->g->pool, blocks, hollow_task, &s) > 0 ? 0 : APART;
    s.scale = (float)(dt / f->g->dx);
    s.skin = skin;
    s.now = q;
    s.rate = rate;
    over_blocks(&s, ask_density_task);
    const sph_solve r = minimise(&s, tolerance, most, 0);
    over_blocks(&s, keep_task);
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
    begin(&s, v, f->rate);
    for (size_t i = 0; i < f->count; ++i) f->x[i][3] = q[i];
    over_blocks(&s, force_task);
    if (moves_bodies(&s)) push_bodies(&s);
    for (size_t i = 0; i < f->count; ++i)
        for (int c = 0; c < f->dim; ++c) v[i][c] -= f->a[i][c];
}

void sph_press(float (*v)[4], float *q, sph_fluid *f, sph_bodies *bodies, double dt, double sound) {
    job s = job_of(f, bodies);
    s.now = q;
    s.step = (float)(dt / f->g->dx * sound * sound / 7);
    over_blocks(&s, state_task);
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
