/* Surface tension as cohesion of pairs: central forces, equal and opposite, so that momentum and angular
 * momentum are kept, where a colour field's (Mao 2006, 3.1.6) add to both.
 *
 *   m dv_i/dt = - sum_j c_ab f(r) (x_i - x_j) / r,   f(r) = (1 - r)^2 (r - r0),   r in supports
 *
 * It draws together what is farther apart than r0, a little less than a spacing, and holds apart what is
 * nearer: neither pairs nor scattered particles have less energy than a liquid (as with W itself, or the
 * square of its gradient, both of which were tried and fell apart). Within a liquid it is a pressure that the
 * pressure solve takes back. A surface lacks the energy of pairs across it; on a lattice that is c/2 times
 * the sum U of one layer's potential in the next one's field, on d^(dim - 1): so c_aa = FACTOR 2 sigma d^(dim
 * - 1) / U, FACTOR from the frequency of drops. Where two fluids meet pairs lack (c_aa + c_bb) / 2 - c_ab,
 * which is the interface's. Walls count with their share of the density as adhesion says.
 *
 * Source: Tartakovsky and Meakin 2005; Akinci et al. 2013.
 *
 * Limits: it reaches two spacings, so drops of less than six are too stiff. */
#include "stage/sph/tension.h"

#include <math.h>
#include <string.h>

#define NEUTRAL 0.45 /* supports; 0.5 sets as a crystal with facets, 0.3 hardly gets round */
#define FACTOR  1.0

typedef struct {
    sph_fluid *f;
    const uint8_t *fluid;
    float pair[SPH_FLUIDS_MOST][SPH_FLUIDS_MOST]; /* m/s in the step */
    float period[3];
    int wraps, count;
} job;

INLINE void cohere_range(const job *s, size_t from, size_t end, int dim, int wraps) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    for (size_t i = from; i < end; ++i) {
        const float *x = f->x[i], *pair = s->pair[s->fluid[i]];
        const int32_t *other = p->other + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 at[4], d[3], r2 = vec8_all(1e-12f), r, c = vec8_all(pair[0]);
            gather8(at, (const float(*)[4])f->x, other + n);
            for (int l = 0; s->count > 1 && l < LANES; ++l) c[l] = pair[s->fluid[other[n + l]]];
            for (int a = 0; a < dim; ++a) {
                d[a] = x[a] - at[a];
                if (wraps) d[a] = nearest8(d[a], s->period[a]);
                r2 += d[a] * d[a];
            }
            for (int l = 0; l < LANES; ++l) r[l] = __builtin_sqrtf(r2[l]);
            const vec8 w = c * (1 - r) * (1 - r) * (r - (float)NEUTRAL) / r;
            for (int a = 0; a < dim; ++a) sum[a] += w * d[a];
        }
        for (int a = 0; a < dim; ++a) f->a[i][a] = f->lightness[i] * sum8(sum[a]);
    }
}

HOT static void cohere_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * SPH_GRAIN;
    const size_t end = from + SPH_GRAIN < s->f->count ? from + SPH_GRAIN : s->f->count;
    if (s->f->dim == 3) {
        if (s->wraps) cohere_range(s, from, end, 3, 1);
        else cohere_range(s, from, end, 3, 0);
    } else {
        if (s->wraps) cohere_range(s, from, end, 2, 1);
        else cohere_range(s, from, end, 2, 0);
    }
}

/* Of a particle in the field of a layer of the lattice, a spacing off: -potential. */
static double layer_energy(int dim) {
    double sum = 0;
    for (int j = -(dim == 3); j <= (dim == 3); ++j)
        for (int i = -1; i <= 1; ++i) {
            const double t = 1 - SPH_SPACING * sqrt(1 + i * i + j * j);
            sum += t > 0 ? (1 - NEUTRAL) * t * t * t / 3 - t * t * t * t / 4 : 0;
        }
    return sum;
}

void sph_cohere(float (*v)[4], sph_fluid *f, const uint8_t *fluid, const sph_tensions *t, const double *wets,
                double density, double dt) {
    const double d = SPH_SPACING * f->g->dx;
    job s = {.f = f, .fluid = fluid, .count = t->count};
    periods_of(s.period, f->g);
    s.wraps = wraps_around(f->g);
    const double per_sigma = FACTOR * 2 / layer_energy(f->dim) * dt / (density * d * f->g->dx);
    for (int a = 0; a < t->count; ++a)
        for (int b = 0; b < t->count; ++b) {
            const double mean = 0.5 * (t->sigma[a][a] + t->sigma[b][b]);
            s.pair[a][b] = (float)((a == b ? t->sigma[a][a] : mean - t->sigma[a][b]) * per_sigma);
        }
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), cohere_task, &s);
    for (size_t i = 0; i < f->count; ++i)
        for (int a = 0; a < f->dim; ++a) v[i][a] -= f->a[i][a];
    for (size_t n = 0; wets && n < f->contacts; ++n) {
        const sph_contact *c = &f->contact[n];
        if (c->solid < 0 || wets[c->solid] == 0) continue;
        const uint8_t own = fluid[c->particle];
        const float draw =
            (float)(wets[c->solid] * layer_energy(f->dim)) * s.pair[own][own] * f->lightness[c->particle];
        for (int a = 0; a < f->dim; ++a) v[c->particle][a] += draw * c->slope[a];
    }
}
