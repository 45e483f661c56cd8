/* Elastic and viscoelastic stress, implicit.
 *
 *   L_i = sum_j (v_j - v_i) K_i g_ij,   K_i = (sum_j (x_j - x_i) g_ij)^-1,   g_ij = V grad W_ij
 *   rho dv_i/dt = sum_j (S_i K_i + S_j K_j) g_ij
 *
 * The gradient is exact for linear velocities also at surfaces, and the force is its exact adjoint: pairs
 * pull equally and oppositely, and S being symmetric, rigid motions feel nothing: momentum and angular
 * momentum are kept. A wall that holds the fluid is one more neighbour on it, at the velocity and with the
 * slope (kernel.c) that it has there, for what is tangential; slip lengths put it that much farther away.
 *
 * A step is one of the implicit midpoint rule, a little beyond the middle (theta): with td = theta dt
 *
 *   (1 - (td / rho) div 2 (eta + mu) e') v = v* + (td / rho) div S(td),   eta and S(td) from the law (law.h),
 *
 * mu being the solvent's viscosity, by conjugate gradients in the inner product of mass, from which rigid
 * motions stay out; then v* moves by 1 / theta of the difference, and S goes on by the law with the velocity
 * of the middle. v* has felt the last pressure already: without it all that pressure undoes afterwards would
 * be strain in between.
 *
 * Source: Mao 2006, 4.2.2, with the gradient corrected (Bonet and Lok 1999), and as an implicit viscosity.
 *
 * Limits: threads of particles in single file bear nothing (no K). */
#include "stage/sph/stress.h"

#include <string.h>
#include "core/memory.h"
#include "stage/sph/motion.h"

#define THETA 0.52
/* Of the stress' viscosity: gradients do not see rows of particles that zigzag. A twentieth of it takes 2.5 %
 * of a swing of 40 steps a period. */
#define CENTRAL      0.05
#define LEAST_DET    0.02   /* of the moments: less is a thread or a sheet */
#define NEAREST_WALL 0.125f /* cells */

typedef struct {
    sph_fluid *f;
    sph_stress *w;
    const sph_memory *m;
    const sph_sticking *sticking;
    sph_bodies *bodies;
    const float *weight;
    float period[3];
    int wraps, moving; /* walls as they move, or at rest */
    const float (*of)[4];
    float (*to)[4];
    float (*r)[4], (*p)[4];
    double dt, per_dx, scale, central; /* 1 / dx; td / (rho dx); of central forces for a viscosity */
    int with_memory;                   /* S(td) whole, or what the velocity adds to it */
    float alpha, beta;
} job;

static void range_of(size_t r[2], const sph_fluid *f, int block) {
    r[0] = (size_t)block * SPH_GRAIN;
    r[1] = r[0] + SPH_GRAIN < f->count ? r[0] + SPH_GRAIN : f->count;
}

static void run(job *s, void (*task)(void *context, int block)) {
    parallel_for(s->f->g->pool, block_count((long)s->f->count, SPH_GRAIN), task, s);
}

/* ---- memory ---- */

void sph_stress_free(sph_stress *w) {
    for (int a = 0; a < 3; ++a) mem_free(w->row[a]);
    mem_free(w->inverse);
    mem_free(w->base);
    mem_free(w->delta);
    mem_free(w->weight);
    *w = (sph_stress){0};
}

size_t sph_stress_bytes(const sph_stress *w) {
    return w->room * (5 * sizeof *w->base + sizeof *w->inverse) + w->weight_room * sizeof *w->weight;
}

int sph_stress_reserve(sph_stress *w, const sph_fluid *f, int apart) {
    if (w->room < f->room) {
        sph_stress_free(w);
        w->room = f->room;
        for (int a = 0; a < 3; ++a) w->row[a] = mem_alloc(w->room * sizeof *w->row[a]);
        w->inverse = mem_alloc(w->room * sizeof *w->inverse);
        w->base = mem_alloc(w->room * sizeof *w->base);
        w->delta = mem_alloc(w->room * sizeof *w->delta);
        if (!w->row[0] || !w->row[1] || !w->row[2] || !w->inverse || !w->base || !w->delta)
            return w->room = 0, -1;
    }
    if (apart && w->weight_room < f->pairs.room) {
        mem_free(w->weight);
        w->weight_room = f->pairs.room;
        w->weight = mem_alloc(w->weight_room * sizeof *w->weight);
        if (!w->weight) return w->weight_room = 0, -1;
    }
    return 0;
}

/* ---- pairs ---- */

/* Between fluids that do not mix, and with fluids that have no memory, pairs have no weight. */
static void part_task(void *context, int block) {
    const job *s = context;
    const sph_pairs *p = &s->f->pairs;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const uint32_t from = p->start[i];
        for (uint32_t n = from; n < from + p->length[i]; ++n)
            s->w->weight[n] = s->m->fluid[p->other[n]] == s->m->fluid[i] ? p->weight[n] : 0;
    }
}

INLINE void way8(vec8 d[3], const job *s, const float *x, const int32_t *other) {
    vec8 at[4];
    gather8(at, (const float(*)[4])s->f->x, other);
    for (int c = 0; c < 3; ++c) {
        d[c] = x[c] - at[c];
        if (s->wraps) d[c] = nearest8(d[c], s->period[c]);
    }
}

/* Sums of w d d^T, six of them. */
HOT static void moment_task(void *context, int block) {
    const job *s = context;
    const sph_pairs *p = &s->f->pairs;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        vec8 sum[SYM] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 d[3];
            way8(d, s, s->f->x[i], p->other + p->start[i] + n);
            const vec8 w = -vec8_load(s->weight + p->start[i] + n);
            for (int a = 0; a < 3; ++a) sum[a] += w * d[a] * d[a];
            sum[3] += w * d[0] * d[1];
            sum[4] += w * d[0] * d[2];
            sum[5] += w * d[1] * d[2];
        }
        for (int c = 0; c < SYM; ++c) s->w->inverse[i][c] = sum8(sum[c]);
        if (s->f->dim == 2) s->w->inverse[i][2] = 1;
    }
}

/* sum_j w d_b (v_j - v_i)_a into rows a. */
HOT static void gradient_task(void *context, int block) {
    const job *s = context;
    const sph_pairs *p = &s->f->pairs;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float *own = s->of[i];
        vec8 sum[3][3] = {{{0}}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 d[3], v[4];
            way8(d, s, s->f->x[i], p->other + p->start[i] + n);
            gather8(v, s->of, p->other + p->start[i] + n);
            const vec8 w = vec8_load(s->weight + p->start[i] + n);
            for (int b = 0; b < 3; ++b) {
                const vec8 g = w * d[b];
                for (int a = 0; a < 3; ++a) sum[a][b] += g * (v[a] - own[a]);
            }
        }
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) s->w->row[a][i][b] = sum8(sum[a][b]);
    }
}

/* to = (td / rho dx) sum_j w [(T_i + T_j) d + (m_i + m_j) / 2 (d . (v_i - v_j)) d / d^2], m behind the first
 * row */
HOT static void force_task(void *context, int block) {
    const job *s = context;
    const sph_pairs *p = &s->f->pairs;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const float scale = (float)s->scale * s->f->lightness[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            const int32_t *other = p->other + p->start[i] + n;
            vec8 d[3], v[4], t[4], dot = {0}, d2 = vec8_all(1e-12f);
            way8(d, s, s->f->x[i], other);
            gather8(v, s->of, other);
            for (int c = 0; c < 3; ++c) {
                dot += d[c] * (s->of[i][c] - v[c]);
                d2 += d[c] * d[c];
            }
            const vec8 w = vec8_load(s->weight + p->start[i] + n);
            for (int a = 0; a < 3; ++a) {
                const float *own = s->w->row[a][i];
                gather8(t, (const float(*)[4])s->w->row[a], other);
                if (a == 0) dot *= 0.5f * (t[3] + own[3]) / d2;
                for (int b = 0; b < 3; ++b) sum[a] += w * (t[b] + own[b]) * d[b];
                sum[a] += w * dot * d[a];
            }
        }
        for (int a = 0; a < 3; ++a) s->to[i][a] = scale * sum8(sum[a]);
        s->to[i][3] = 0;
    }
}

/* ---- walls ---- */

/* Whether a wall holds the fluid, and how far away what holds it lies, cells. */
static int holds(float *off, const job *s, const sph_contact *c) {
    const double slip = c->solid < 0 ? s->sticking->sides : s->sticking->solids[c->solid];
    *off = greater(c->distance, NEAREST_WALL) + (float)slip;
    return slip < SPH_SLIPS;
}

static void add_wall_moments(const job *s) {
    for (size_t n = 0; n < s->f->contacts; ++n) {
        const sph_contact *c = &s->f->contact[n];
        float off, *m = s->w->inverse[c->particle];
        if (!holds(&off, s, c)) continue;
        for (int a = 0; a < 3; ++a) m[a] -= off * c->normal[a] * c->slope[a];
        m[3] -= off * c->normal[0] * c->slope[1];
        m[4] -= off * c->normal[0] * c->slope[2];
        m[5] -= off * c->normal[1] * c->slope[2];
    }
}

/* What of u lies in the wall. */
static void flatten(float u[3], const sph_contact *c) {
    const float along = u[0] * c->normal[0] + u[1] * c->normal[1] + u[2] * c->normal[2];
    for (int a = 0; a < 3; ++a) u[a] -= along * c->normal[a];
}

/* A wall's velocity: as it moves with what its body has gained, or its body's p. */
static void wall_velocity(float u[3], const job *s, const sph_contact *c) {
    const sph_body *b = motion_body(s->bodies, c);
    for (int a = 0; a < 3; ++a) u[a] = s->moving ? c->velocity[a] : 0;
    if (b) motion_at(u, s->moving ? &b->x : &b->p, c);
}

static void add_wall_gradients(const job *s) {
    for (size_t n = 0; n < s->f->contacts; ++n) {
        const sph_contact *c = &s->f->contact[n];
        const float *own = s->of[c->particle];
        float off, u[3];
        if (!holds(&off, s, c)) continue;
        wall_velocity(u, s, c);
        for (int a = 0; a < 3; ++a) u[a] -= own[a];
        flatten(u, c);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) s->w->row[a][c->particle][b] += u[a] * c->slope[b];
    }
}

/* What a wall gives its particle, of the T in the rows: m/s. */
static void wall_pull(float pull[3], const job *s, const sph_contact *c) {
    const size_t i = c->particle;
    for (int a = 0; a < 3; ++a) {
        const float *t = s->w->row[a][i];
        pull[a] = (float)s->scale * s->f->lightness[i] *
                  (t[0] * c->slope[0] + t[1] * c->slope[1] + t[2] * c->slope[2]);
    }
    flatten(pull, c);
}

/* What walls give goes into `to`, and with the other sign into bodies' q. */
static void add_wall_forces(const job *s) {
    motions_clear_product(s->bodies);
    for (size_t n = 0; n < s->f->contacts; ++n) {
        const sph_contact *c = &s->f->contact[n];
        sph_body *b = motion_body(s->bodies, c);
        float off, pull[3];
        double impulse[3];
        if (!holds(&off, s, c)) continue;
        wall_pull(pull, s, c);
        for (int a = 0; a < 3; ++a) {
            s->to[c->particle][a] += pull[a];
            impulse[a] = -(double)(pull[a] / s->f->lightness[c->particle]);
        }
        if (b) motion_push(&b->q, c, impulse);
    }
}

/* ---- one particle ---- */

static void invert_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        float *m = s->w->inverse[i];
        double sym[SYM];
        law_matrix k;
        for (int c = 0; c < SYM; ++c) sym[c] = (double)m[c];
        const law_matrix moments = law_unpack(sym);
        const double det = law_invert(&k, &moments);
        law_pack(sym, &k);
        for (int c = 0; c < SYM; ++c) m[c] = det > LEAST_DET ? (float)sym[c] : 0;
    }
}

static law_matrix matrix_k(const job *s, size_t i) {
    double sym[SYM];
    for (int c = 0; c < SYM; ++c) sym[c] = (double)s->w->inverse[i][c];
    return law_unpack(sym);
}

/* 1/s, from the sums in the rows. */
static law_matrix gradient_of(const job *s, size_t i) {
    const law_matrix k = matrix_k(s, i);
    law_matrix sums;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) sums.m[a][b] = (double)s->w->row[a][i][b] * s->per_dx;
    return law_times(&sums, &k);
}

static void load_stress(double to[SYM], const sph_memory *m, size_t i) {
    for (int c = 0; c < SYM; ++c) to[c] = m->s[c] ? (double)m->s[c][i] : 0;
}

/* How much stiffer a stretched liquid is against further strain. */
static double stiffness(const double stress[SYM], const sph_law *law) {
    if (law->kind != SPH_CONVECTED) return 1;
    return fmax(1, 1 + (stress[0] + stress[1] + stress[2]) / (law->dim * law->modulus));
}

/* Rows: T = S K from the gradient sums that stand there, S(td) or its rate of growth. */
static void stress_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const sph_law *law = &s->m->law[s->m->fluid[i]];
        const law_matrix l = gradient_of(s, i), k = matrix_k(s, i);
        double stress[SYM], rate[SYM], trace = 0;
        law_pack(rate, &l);
        for (int a = 0; a < law->dim; ++a) trace += rate[a] / law->dim;
        for (int a = 0; a < law->dim; ++a) rate[a] -= trace;
        load_stress(stress, s->m, i);
        const double grow =
            law->modulus > 0 ? 2 * (law_viscosity(law, s->dt) * stiffness(stress, law) + law->solvent) : 0;
        const double share = s->with_memory ? law_share(law, law_norm(stress), s->dt) : 0;
        for (int c = 0; c < SYM; ++c) stress[c] = share * stress[c] + grow * rate[c];
        const law_matrix now = law_unpack(stress), t = law_times(&now, &k);
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) s->w->row[a][i][b] = (float)t.m[a][b];
            s->w->row[a][i][3] = (float)(2 * CENTRAL * s->central *
                                         sqrt(law->modulus * s->m->density / (double)s->f->lightness[i]));
        }
    }
}

static void advance_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const sph_law *law = &s->m->law[s->m->fluid[i]];
        double stress[SYM];
        if (!(law->modulus > 0)) continue;
        const law_matrix l = gradient_of(s, i);
        load_stress(stress, s->m, i);
        law_advance(stress, law, &l, s->dt);
        for (int c = 0; c < SYM; ++c)
            if (s->m->s[c]) s->m->s[c][i] = (float)stress[c];
    }
}

/* ---- conjugate gradients ---- */

/* to = of - (td / rho) div T(of), T as with_memory and moving say. */
static void find_gradients(job *s, const float (*of)[4]) {
    s->of = of;
    run(s, gradient_task);
    add_wall_gradients(s);
}

static void find_force(job *s, const float (*of)[4], float (*to)[4]) {
    find_gradients(s, of);
    run(s, stress_task);
    s->to = to;
    run(s, force_task);
    add_wall_forces(s);
}

static double dot_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    double sum = 0;
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        double one = 0;
        for (int a = 0; a < 3; ++a) one += (double)(s->of[i][a] * s->to[i][a]);
        sum += one / (double)s->f->lightness[i];
    }
    return sum;
}

static double dot(job *s, const float (*a)[4], float (*b)[4]) {
    s->of = a;
    s->to = b;
    return parallel_sum(s->f->g->pool, block_count((long)s->f->count, SPH_GRAIN), dot_task, s);
}

/* q = p - force, in place of the force. */
HOT static void product_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i)
        for (int a = 0; a < 3; ++a) s->to[i][a] = s->p[i][a] - s->to[i][a];
}

HOT static void move_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i)
        for (int a = 0; a < 3; ++a) {
            s->w->delta[i][a] += s->alpha * s->p[i][a];
            s->r[i][a] -= s->alpha * s->to[i][a];
        }
}

HOT static void turn_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i)
        for (int a = 0; a < 3; ++a) s->p[i][a] = s->r[i][a] + s->beta * s->p[i][a];
}

/* The first residual of bodies is what they are pushed with. */
static void ask_bodies(job *s) {
    for (int o = 0; o < s->bodies->count; ++o) {
        sph_body *b = &s->bodies->body[o];
        b->r = b->p = b->q;
        motion_follow(&b->r, b);
        b->p = b->r;
    }
}

/* q = A p of particles and bodies; the inner product of both. */
static double product(job *s, float (*q)[4]) {
    find_force(s, (const float(*)[4])s->p, q);
    run(s, product_task);
    for (int o = 0; o < s->bodies->count; ++o) /* pushes are forces: A has them with the other sign */
        for (int c = 0; c < 6; ++c) s->bodies->body[o].q.j[c] *= -1;
    const double bodies = motions_product(s->bodies);
    return dot(s, (const float(*)[4])s->p, q) + bodies;
}

/* delta = (1 - (td / rho) div 2 eta e')^-1 r, and the x of bodies. */
static sph_solve solve(job *s, float (*q)[4], double tolerance, int most) {
    sph_solve result = {.converged = 1};
    double still[2] = {0, 0};
    memset(s->w->delta, 0, s->f->count * sizeof *s->w->delta);
    memcpy(s->p, s->r, s->f->count * sizeof *s->p);
    motions_advance(still, s->bodies, 0);
    double rr = dot(s, (const float(*)[4])s->r, s->r) + still[0];
    const double first = rr;
    s->with_memory = s->moving = 0;
    while (rr > tolerance * tolerance * first && result.iterations < most && rr > 0) {
        const double pq = product(s, q);
        double next[2] = {0, 0};
        if (!(pq > 0)) break;
        s->alpha = (float)(rr / pq);
        s->to = q;
        run(s, move_task);
        motions_advance(next, s->bodies, (double)s->alpha);
        next[0] += dot(s, (const float(*)[4])s->r, s->r);
        s->beta = (float)(next[0] / rr);
        rr = next[0];
        run(s, turn_task);
        motions_turn(s->bodies, (double)s->beta);
        ++result.iterations;
    }
    result.residual = first > 0 ? sqrt(rr / first) : 0;
    result.converged = result.residual <= tolerance;
    return result;
}

/* ---- the step ---- */

static void find_moments(job *s) {
    if (s->m->apart) run(s, part_task);
    s->weight = s->m->apart ? s->w->weight : s->f->pairs.weight;
    run(s, moment_task);
    add_wall_moments(s);
    run(s, invert_task);
}

sph_solve sph_stress_step(float (*v)[4], const float *q, const sph_memory *m, sph_stress *w, sph_fluid *f,
                          const sph_sticking *sticking, sph_bodies *bodies, double dt, double tolerance,
                          int most) {
    job s = {
        .f = f, .w = w, .m = m, .sticking = sticking, .bodies = bodies, .r = f->work[0], .p = f->work[1]};
    const size_t bytes = f->count * sizeof *v;
    periods_of(s.period, f->g);
    s.wraps = wraps_around(f->g);
    s.per_dx = 1 / f->g->dx;
    s.dt = THETA * dt;
    s.scale = s.dt / (m->density * f->g->dx);
    s.central = SPH_SPACING * f->kernel.shear;
    memcpy(w->base, v, bytes);
    sph_apply(w->base, q, f, NULL);
    for (size_t i = 0; i < f->count; ++i)
        for (int a = 0; a < 3; ++a) w->base[i][a] = v[i][a] + (float)THETA * (w->base[i][a] - v[i][a]);
    find_moments(&s);
    s.with_memory = s.moving = 1;
    motions_begin(bodies);
    find_force(&s, (const float(*)[4])w->base, s.r);
    ask_bodies(&s);
    const sph_solve result = solve(&s, f->a, tolerance, most);
    for (size_t i = 0; i < f->count; ++i)
        for (int a = 0; a < 3; ++a) {
            w->base[i][a] += w->delta[i][a];
            v[i][a] += (float)(1 / THETA) * w->delta[i][a];
        }
    s.moving = 1;
    motions_gain(bodies, 1 / THETA);
    find_gradients(&s, (const float(*)[4])w->base);
    s.dt = dt;
    run(&s, advance_task);
    return result;
}

double sph_elastic_energy(const sph_memory *m, size_t count, double volume) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        double stress[SYM];
        load_stress(stress, m, i);
        sum += law_energy(stress, &m->law[m->fluid[i]]);
    }
    return sum * volume;
}
