/* v loses e (I - S)^2 v, (I - S) v_i = sum_j w_ij (v_i - v_j) 2 / (rho_i + rho_j), w_ij = -V W'/r over its
 * sum on a lattice: motion of single particles, which pressure does not see, calms down, and what is many
 * spacings long does not know of it (XSPH, Monaghan 1989, in the velocity itself, and twice). Momentum is
 * kept.
 *
 * Limits: of waves L long it takes about e (pi d / L)^4 a step. */
#include <string.h>
#include "stage/sph/smooth.h"

typedef struct {
    sph_fluid *f;
    const float (*from)[4]; /* behind them 1 / rho */
    float (*v)[4];
    float share;
    int first;
} job;

HOT static void difference_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t i = from; i < from + SPH_GRAIN && i < f->count; ++i) {
        const float *own = s->from[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 v[4];
            gather8(v, s->from, other + n);
            const vec8 w = vec8_load(weight + n) * v[3] * own[3] / (v[3] + own[3]);
            for (int c = 0; c < 3; ++c) sum[c] += w * (own[c] - v[c]);
        }
        const vec4 d = -2 * f->kernel.smooth * sums8(sum);
        if (s->first) {
            vec4_store(f->a[i], d);
            f->a[i][3] = own[3];
        } else vec4_store(s->v[i], vec4_load(s->v[i]) - s->share * d);
    }
}

static void lightness_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t i = from; i < from + SPH_GRAIN && i < s->f->count; ++i) s->v[i][3] = s->f->lightness[i];
}

void sph_smooth(float (*v)[4], sph_fluid *f, double share) {
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    job s = {.f = f, .v = v, .from = (const float(*)[4])v, .share = (float)share, .first = 1};
    parallel_for(f->g->pool, blocks, lightness_task, &s);
    parallel_for(f->g->pool, blocks, difference_task, &s);
    s.from = (const float(*)[4])f->a;
    s.first = 0;
    parallel_for(f->g->pool, blocks, difference_task, &s);
}
