/* dv_i = e sum_j w_ij (v_j - v_i) 2 / (rho_i + rho_j), w_ij = -V W'/r over its sum on a lattice: what is
 * left of pairs that pressure does not see calms down (XSPH, Monaghan 1989, in the velocity itself).
 *
 * Limits: it is a viscosity of about e d^2 / (4 dt). */
#include <string.h>
#include "stage/sph/smooth.h"

typedef struct {
    sph_fluid *f;
    float (*v)[4];
    float share;
} job;

HOT static void smooth_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t i = from; i < from + SPH_GRAIN && i < f->count; ++i) {
        const float *own = s->v[i];
        const int32_t *other = p->other + p->start[i];
        const float *weight = p->weight + p->start[i];
        vec8 sum[3] = {{0}};
        for (int n = 0; n < p->length[i]; n += LANES) {
            vec8 v[4];
            gather8(v, (const float(*)[4])s->v, other + n); /* behind them 1 / rho */
            const vec8 w = vec8_load(weight + n) * v[3] * own[3] / (v[3] + own[3]);
            for (int c = 0; c < 3; ++c) sum[c] += w * (own[c] - v[c]);
        }
        for (int c = 0; c < 3; ++c) f->a[i][c] = 2 * s->share * sum8(sum[c]);
    }
}

void sph_smooth(float (*v)[4], sph_fluid *f, double share) {
    job s = {.f = f, .v = v, .share = (float)share * f->kernel.smooth};
    for (size_t i = 0; i < f->count; ++i) v[i][3] = f->lightness[i];
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), smooth_task, &s);
    for (size_t i = 0; i < f->count; ++i)
        for (int c = 0; c < f->dim; ++c) v[i][c] += f->a[i][c];
}
