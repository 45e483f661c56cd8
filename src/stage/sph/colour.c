/* Surface tension as a force sigma kappa n on the particles of the surface.
 *
 *   g_i = sum_j V grad W_ij + walls,   n = -g / |g| smoothed once,
 *   kappa_i = (dim - 1) sum_j w_ij (n_j - n_i) . x_ji / sum_j w_ij |x_ji - (x_ji . n_i) n_i|^2
 *   dv_i/dt = (sigma / (rho d)) kappa_i g_i / g_0
 *
 * over neighbours that have a normal; g_0 is that of the first layer of a lattice that ends, so that the
 * force on a piece of surface is sigma kappa times its area (its width is a spacing). kappa is smoothed once
 * as well.
 *
 * Source: the colour field of Mao 2006, 3.1.6 (Mueller et al. 2003), whose Laplacian of the colour, divided
 * by a gradient that vanishes inside, is replaced by the turn of normals along the surface.
 *
 * Limits: drops of 12 to 24 particles across a radius swing at .93 to 1.4 times their frequency; what lasts
 * long gains energy (twice the amplitude in two periods at 24). Momentum is kept as well as the surface is
 * resolved, 1e-3 of sigma times its size; interfaces of fluids have none. */
#include "stage/sph/colour.h"

#include <math.h>

#define LEAST_GRADIENT                                                                                       \
    0.4f /* of g_0, from which on a particle is of the surface: within, packing makes up to 0.2 */

/* Where fluids with a memory are stretched their particles draw together into clumps: each step moves them
 * apart by this share of d^2 grad C, at most so many spacings. */
#define EVEN_SHARE 0.3f
#define EVEN_MOST  0.02f

#define MOST_CURVED 1.0f /* of a cell's inverse: drops that are smaller are no rounder */

typedef struct {
    sph_fluid *f;
    float (*g)[4]; /* gradients, then with their curvature behind them */
    float (*n)[4]; /* normals, and 1 where there is one */
    float period[3], least;
    int wraps;
} job;

static void range_of(size_t r[2], const sph_fluid *f, int block) {
    r[0] = (size_t)block * SPH_GRAIN;
    r[1] = r[0] + SPH_GRAIN < f->count ? r[0] + SPH_GRAIN : f->count;
}

INLINE float size_of(const float g[3]) {
    return sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

INLINE void displacement(vec8 d[3], const job *s, const float *x, const vec8 at[4]) {
    for (int a = 0; a < 3; ++a) {
        d[a] = x[a] - at[a];
        if (s->wraps) d[a] = nearest8(d[a], s->period[a]);
    }
}

HOT static void gradient_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    size_t r[2];
    range_of(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int32_t *other = f->pairs.other + f->pairs.start[i];
        const float *weight = f->pairs.weight + f->pairs.start[i];
        vec8 sum[3] = {{0}};
        for (int q = 0; q < f->pairs.length[i]; q += LANES) {
            vec8 at[4], d[3];
            gather8(at, (const float(*)[4])f->x, other + q);
            displacement(d, s, f->x[i], at);
            for (int a = 0; a < 3; ++a) sum[a] += vec8_load(weight + q) * d[a];
        }
        for (int a = 0; a < 3; ++a) s->g[i][a] = sum8(sum[a]) + 0.5f * f->wall[i][a]; /* of images, half */
        s->g[i][3] = 0;
    }
}

/* The smoothed gradient's direction, outwards. */
HOT static void normal_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    size_t r[2];
    range_of(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int32_t *other = f->pairs.other + f->pairs.start[i];
        const float *weight = f->pairs.weight + f->pairs.start[i];
        vec8 sum[3] = {{0}};
        for (int q = 0; q < f->pairs.length[i]; q += LANES) {
            vec8 g[4];
            gather8(g, (const float(*)[4])s->g, other + q);
            for (int a = 0; a < 3; ++a) sum[a] -= vec8_load(weight + q) * g[a];
        }
        float n[3];
        for (int a = 0; a < 3; ++a) n[a] = s->g[i][a] + f->kernel.smooth * sum8(sum[a]);
        const float size = size_of(n);
        const int is = size > s->least && size_of(s->g[i]) > s->least;
        for (int a = 0; a < 3; ++a) s->n[i][a] = is ? -n[a] / size : 0;
        s->n[i][3] = (float)is;
    }
}

HOT static void curvature_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    size_t r[2];
    range_of(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int32_t *other = f->pairs.other + f->pairs.start[i];
        const float *weight = f->pairs.weight + f->pairs.start[i], *own = s->n[i];
        vec8 turn = {0}, way = {0};
        s->g[i][3] = 0;
        if (own[3] == 0) continue;
        for (int q = 0; q < f->pairs.length[i]; q += LANES) {
            vec8 at[4], n[4], d[3], dot = {0}, along = {0}, square = {0};
            gather8(at, (const float(*)[4])f->x, other + q);
            gather8(n, (const float(*)[4])s->n, other + q);
            displacement(d, s, f->x[i], at);
            for (int a = 0; a < 3; ++a) {
                dot += (own[a] - n[a]) * d[a];
                along += own[a] * d[a];
                square += d[a] * d[a];
            }
            const vec8 w = -vec8_load(weight + q) * n[3];
            turn += w * dot;
            way += w * (square - along * along);
        }
        const float over = sum8(way);
        const float bend = over > 0 ? sum8(turn) / over : 0;
        s->g[i][3] = (float)(f->dim - 1) * greater(lesser(bend, MOST_CURVED), -MOST_CURVED);
    }
}

/* a = mean curvature around, times the gradient. */
HOT static void force_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    size_t r[2];
    range_of(r, f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int32_t *other = f->pairs.other + f->pairs.start[i];
        const float *weight = f->pairs.weight + f->pairs.start[i];
        vec8 sum = {0}, all = {0};
        for (int q = 0; q < f->pairs.length[i]; q += LANES) {
            vec8 g[4], n[4];
            gather8(g, (const float(*)[4])s->g, other + q);
            gather8(n, (const float(*)[4])s->n, other + q);
            const vec8 w = -vec8_load(weight + q) * n[3];
            sum += w * g[3];
            all += w;
        }
        const float mean = (s->g[i][3] + f->kernel.smooth * sum8(sum)) / (1 + f->kernel.smooth * sum8(all));
        for (int a = 0; a < 3; ++a) f->a[i][a] = s->n[i][3] > 0 ? mean * s->g[i][a] : 0;
    }
}

static job find_normals(float (*g)[4], float (*n)[4], sph_fluid *f) {
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    float share, slope;
    job s = {.f = f, .g = g, .n = n};
    sph_kernel_wall(&share, &slope, &f->kernel, (float)(0.5 * SPH_SPACING));
    s.least = -0.5f * slope * LEAST_GRADIENT;
    periods_of(s.period, f->g);
    s.wraps = wraps_around(f->g);
    parallel_for(f->g->pool, blocks, gradient_task, &s);
    parallel_for(f->g->pool, blocks, normal_task, &s);
    return s;
}

void sph_find_evening(float (*to)[4], sph_fluid *f) {
    float(*g)[4] = f->work[0], (*n)[4] = f->work[1];
    find_normals(g, n, f);
    for (size_t i = 0; i < f->count; ++i) {
        to[i][3] = n[i][3];
        const float scale = EVEN_SHARE * (float)(SPH_SPACING * SPH_SPACING),
                    most = EVEN_MOST * (float)SPH_SPACING;
        const float out = g[i][0] * n[i][0] + g[i][1] * n[i][1] + g[i][2] * n[i][2];
        for (int a = 0; a < 3; ++a) to[i][a] = scale * (g[i][a] - out * n[i][a]);
        const float size = size_of(to[i]);
        for (int a = 0; a < 3 && size > most; ++a) to[i][a] *= most / size;
    }
}

void sph_curve(float (*v)[4], sph_fluid *f, const uint8_t *fluid, const sph_tensions *t, double density,
               double dt) {
    const double dx = f->g->dx;
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    float share, slope;
    sph_kernel_wall(&share, &slope, &f->kernel, (float)(0.5 * SPH_SPACING));
    job s = find_normals(f->work[0], f->work[1], f);
    parallel_for(f->g->pool, blocks, curvature_task, &s);
    parallel_for(f->g->pool, blocks, force_task, &s);
    const double factor = dt / (density * SPH_SPACING * dx * dx * 0.5 * fabs((double)slope));
    for (size_t i = 0; i < f->count; ++i) {
        const float pull = (float)(factor * t->sigma[fluid[i]][fluid[i]]) * f->lightness[i];
        for (int a = 0; a < f->dim; ++a) v[i][a] += pull * f->a[i][a];
    }
}
