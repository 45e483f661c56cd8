/* Viscosity as central forces between pairs, solved implicitly.
 *
 *   rho_i v_i + dt sum_j k_ij (n_ij . (v_i - v_j)) n_ij = rho_i v*_i,   n_ij along x_i - x_j
 *   k_ij = 2 mu_ij c (-V W'/r) / dx^2,   mu_ij the harmonic mean
 *
 * (Monaghan 2005; Weiler et al. 2018). Forces are equal, opposite and central, so momentum and angular
 * momentum are kept; c is such that layers that slide past each other have the viscosity. Where walls are not
 * slippery they pull at the tangential velocity of what is less than a spacing d away, by mu / (s d), s the
 * distance: half a spacing off that is a difference quotient to the wall.
 *
 * Conjugate gradients in the inner product of mass, without any other preconditioner: rigid motions, which
 * are no part of the first residual, then never enter, however early it stops.
 *
 * Source: Mao 2006, 3.1.4 and 3.1.7, for which this is the symmetric, implicit form.
 *
 * Rigid bodies that walls belong to are unknowns too (motion.h): a wall as light as what it holds would
 * otherwise be thrown by it.
 *
 * Limits: central forces have a bulk viscosity of 5/3 mu. */
#include "stage/sph/viscosity.h"

#include <math.h>
#include <string.h>
#include "stage/sph/lumps.h"
#include "stage/sph/motion.h"

#define NEAREST_WALL 0.125f /* cells */
#define LUMPED_FROM  10     /* 2 viscosity dt / dx^2 from which on lumps of particles pay */

typedef struct {
    sph_fluid *f;
    const float *nu;
    const sph_sticking *sticking;
    sph_bodies *bodies; /* NULL while they are at rest */
    float period[3], scale, wall_scale;
    int wraps, even; /* even: one viscosity for all, and it is in scale */
    int lumped;
    const float (*from)[4];
    float (*to)[4];
    float (*x)[4], (*r)[4], (*p)[4], (*q)[4];
    float alpha, beta, own; /* own: how much of a residual particles go along by themselves */
} job;

static void range_of(size_t r[2], const sph_fluid *f, int block) {
    r[0] = (size_t)block * SPH_GRAIN;
    r[1] = r[0] + SPH_GRAIN < f->count ? r[0] + SPH_GRAIN : f->count;
}

INLINE double dot3(vec4 a, vec4 b) {
    const vec4 product = a * b;
    return (double)product[0] + (double)product[1] + (double)product[2];
}

/* to = from + dt K from / rho, without walls, and the sum by mass of both; behind x is nu, of first-fluid
 * density. */
INLINE double product_range(const job *s, size_t from, size_t end, int wraps, int even) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    double total = 0;
    for (size_t i = from; i < end; ++i) {
        const float *x = f->x[i], *own = s->from[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 at[4], v[4], d[3], dot = {0}, r2 = vec8_all(1e-12f);
            gather8(at, (const float(*)[4])f->x, other + n);
            gather8(v, s->from, other + n);
            for (int c = 0; c < 3; ++c) {
                d[c] = x[c] - at[c];
                if (wraps) d[c] = nearest8(d[c], s->period[c]);
                dot += d[c] * (own[c] - v[c]);
                r2 += d[c] * d[c];
            }
            vec8 w = vec8_load(weight + n) * dot;
            if (even) w = w / r2;
            else w = w * (2 * at[3] * x[3]) / (r2 * (at[3] + x[3] + 1e-30f));
            for (int c = 0; c < 3; ++c) sum[c] += w * d[c];
        }
        const vec4 u = vec4_load(own) * (vec4){1, 1, 1, 0};
        const vec4 to = u - s->scale * f->lightness[i] * sums8(sum);
        vec4_store(s->to[i], to);
        total += dot3(u, to) / (double)f->lightness[i];
    }
    return total;
}

HOT static double product_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    if (s->even) return s->wraps ? product_range(s, r[0], r[1], 1, 1) : product_range(s, r[0], r[1], 0, 1);
    return s->wraps ? product_range(s, r[0], r[1], 1, 0) : product_range(s, r[0], r[1], 0, 0);
}

static double slip_of(const job *s, const sph_contact *c) {
    return c->solid < 0 ? s->sticking->sides : s->sticking->solids[c->solid];
}

/* How much of its tangential velocity relative to a wall a particle loses. */
static float wall_share(const job *s, const sph_contact *c) {
    const double slip = slip_of(s, c);
    const size_t i = c->particle;
    const float off = c->distance > NEAREST_WALL ? c->distance : NEAREST_WALL;
    return slip < SPH_SLIPS ? s->wall_scale * s->nu[i] * s->f->lightness[i] / (off + (float)slip) : 0;
}

/* Tangential pull of a wall on a velocity relative to it, m/s in the step. */
static int wall_pull(float pull[3], const job *s, const sph_contact *c, const float u[3]) {
    const float k = wall_share(s, c);
    if (k == 0) return 0;
    float along = 0;
    for (int a = 0; a < 3; ++a) along += u[a] * c->normal[a];
    for (int a = 0; a < 3; ++a) pull[a] = k * (u[a] - along * c->normal[a]);
    return 1;
}

static double over_blocks(job *s, double (*task)(void *, int)) {
    return parallel_sum(s->f->g->pool, block_count((long)s->f->count, SPH_GRAIN), task, s);
}

/* to = A from, and q of bodies from their p; the sum of both by mass. */
static double product(job *s, const float (*from)[4], float (*to)[4]) {
    s->from = from;
    s->to = to;
    double sum = over_blocks(s, product_task);
    motions_clear_product(s->bodies);
    for (size_t c = 0; c < s->f->contacts; ++c) {
        const sph_contact *at = &s->f->contact[c];
        const float *own = from[at->particle];
        sph_body *b = motion_body(s->bodies, at);
        float pull[3], wall[3] = {0, 0, 0}, u[3];
        if (b) motion_at(wall, &b->p, at);
        for (int a = 0; a < 3; ++a) u[a] = own[a] - wall[a];
        if (!wall_pull(pull, s, at, u)) continue;
        const double mass = 1 / (double)s->f->lightness[at->particle];
        double impulse[3];
        for (int a = 0; a < 3; ++a) {
            to[at->particle][a] += pull[a];
            impulse[a] = -mass * (double)pull[a];
            sum -= (double)own[a] * impulse[a];
        }
        if (b) motion_push(&b->q, at, impulse);
    }
    return sum + motions_product(s->bodies);
}

/* The residual of where x is, from q = A x, walls at rest. */
static void residual_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i)
        vec4_store(s->r[i], (vec4_load(s->x[i]) - vec4_load(s->q[i])) * (vec4){1, 1, 1, 0});
}

HOT static double advance_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    double sum = 0;
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const vec4 left = vec4_load(s->r[i]) - s->alpha * vec4_load(s->q[i]);
        vec4_store(s->x[i], vec4_load(s->x[i]) + s->alpha * vec4_load(s->p[i]));
        vec4_store(s->r[i], left);
        sum += dot3(left, left) / (double)s->f->lightness[i];
    }
    return sum;
}

HOT static void turn_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        vec4 z = s->own * vec4_load(s->r[i]);
        if (s->lumped) z += sph_lump_motion(s->f, i);
        vec4_store(s->p[i], z + s->beta * vec4_load(s->p[i]));
    }
}

/* A step of alpha along p; |r|^2 by mass, and *rz = r . z. */
static double advance(job *s, double *rz) {
    double sum[2] = {0, 0};
    const double rr = over_blocks(s, advance_task);
    motions_advance(sum, s->bodies, (double)s->alpha);
    *rz = (double)s->own * rr + sum[1];
    if (s->lumped) *rz += sph_lumps_solve(s->f, (const float(*)[4])s->r);
    return rr + sum[0];
}

static void turn(job *s) {
    parallel_for(s->f->g->pool, block_count((long)s->f->count, SPH_GRAIN), turn_task, s);
    motions_turn(s->bodies, (double)s->beta);
}

/* What walls that belong to bodies take at first, and how firmly they are held. */
static void ask_bodies(job *s) {
    sph_fluid *f = s->f;
    motions_begin(s->bodies);
    for (size_t n = 0; n < f->contacts; ++n) {
        const sph_contact *c = &f->contact[n];
        sph_body *b = motion_body(s->bodies, c);
        float u[3], pull[3];
        if (!b) continue;
        for (int a = 0; a < 3; ++a) u[a] = s->x[c->particle][a] - c->velocity[a];
        if (!wall_pull(pull, s, c, u)) continue;
        const double mass = 1 / (double)f->lightness[c->particle];
        const double impulse[3] = {mass * (double)pull[0], mass * (double)pull[1], mass * (double)pull[2]};
        motion_push(&b->r, c, impulse);
        b->share += b->lightness * mass * (double)wall_share(s, c);
    }
    for (int o = 0; s->bodies && o < s->bodies->count; ++o) {
        sph_body *b = &s->bodies->body[o];
        motion_follow(&b->r, b);
        b->share = 1 / b->share;
    }
}

/* Whether what moves together in a step is worth a second level. */
static int take_lumps(job *s) {
    sph_fluid *f = s->f;
    float most = s->even ? 1 : 0;
    for (size_t i = 0; i < f->count && !s->even; ++i) most = greater(most, s->nu[i]);
    if (!(s->scale * most > LUMPED_FROM)) return 0;
    s->own = 1 / (1 + s->scale * most / ((float)f->dim * f->kernel.smooth));
    const sph_binding b = {s->even ? NULL : s->nu, (double)s->scale};
    if (sph_lumps_make(f, &b)) return 0; /* without memory for it the solve is slower, and the same */
    for (size_t n = 0; n < f->contacts; ++n) {
        const sph_contact *c = &f->contact[n];
        const float k = wall_share(s, c);
        if (k > 0) sph_lumps_hold(f, c->particle, (double)(k / f->lightness[c->particle]), c->normal);
    }
    return 1;
}

sph_solve sph_viscosity(float (*v)[4], float (*const work[3])[4], const float *nu, sph_fluid *f,
                        const sph_sticking *sticking, sph_bodies *bodies, double dt, double tolerance,
                        int most) {
    const double dx = f->g->dx;
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    job s = {.f = f, .nu = nu, .sticking = sticking, .x = v, .r = work[0], .p = work[1], .q = work[2]};
    sph_solve result = {.converged = 1};
    s.even = 1;
    for (size_t i = 0; i < f->count; ++i) {
        f->x[i][3] = nu[i];
        for (int c = f->dim; c < 4; ++c) v[i][c] = 0;
        s.even = s.even && nu[i] == nu[0];
    }
    s.scale = (float)(2 * dt / (dx * dx)) * f->kernel.shear;
    if (s.even && f->count) s.scale *= nu[0];
    s.wall_scale = (float)(dt / (dx * dx * SPH_SPACING));
    periods_of(s.period, f->g);
    s.wraps = wraps_around(f->g);
    product(&s, (const float(*)[4])v, s.q);
    parallel_for(f->g->pool, blocks, residual_task, &s);
    for (size_t n = 0; n < f->contacts; ++n) { /* walls that move */
        const sph_contact *c = &f->contact[n];
        float pull[3];
        if (wall_pull(pull, &s, c, c->velocity))
            for (int a = 0; a < 3; ++a) s.r[c->particle][a] += pull[a];
    }
    s.bodies = bodies;
    ask_bodies(&s);
    s.own = 1;
    s.lumped = take_lumps(&s);
    s.alpha = s.beta = 0;
    parallel_zero(f->g->pool, s.p, f->count * sizeof *s.p);
    double rz, rr = advance(&s, &rz);
    const double first = rr;
    turn(&s);
    while (rr > tolerance * tolerance * first && result.iterations < most && rr > 0) {
        const double pq = product(&s, (const float(*)[4])s.p, s.q), before = rz;
        if (!(pq > 0)) break;
        s.alpha = (float)(rz / pq);
        rr = advance(&s, &rz);
        s.beta = (float)(rz / before);
        turn(&s);
        ++result.iterations;
    }
    result.residual = first > 0 ? sqrt(rr / first) : 0;
    result.converged = result.residual <= tolerance;
    motions_gain(bodies, 1);
    return result;
}
