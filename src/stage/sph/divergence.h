/* What velocities do to densities, D, and what pressures do to velocities, D^T / rho, a particle at a time:
 *
 *   (D v)_i = sum_j V W'/r (v_i - v_j) . T_i (x_i - x_j) + (v_i - v_wall) . B_i
 *
 * Beside walls neighbours are missing. Across a wall B_i, the slope of its share in the density, stands for
 * them; along it the sum over neighbours is short by a share m of its second moment (kernel.c), and so T = I
 * + m / (1 - m) (I - n n'). Without T the water along a wall feels that much less of a pressure gradient, and
 * runs down it as soon as there is gravity: a corner's column at 0.2 m/s where with T nothing moves.
 *
 * T is one for all directions, t, but for one, u: T = t I +- r r', r along u: the row kept is r and +-(t -
 * 1). One wall: u is its normal, which T leaves alone; two: what runs along both; three: none. */
#ifndef STAGE_SPH_DIVERGENCE_H
#define STAGE_SPH_DIVERGENCE_H

#include <math.h>
#include "stage/sph/fluid.h"

/* In sph_fluid.mark. */
enum { SPH_PRESSED = 1, SPH_TILTED = 2, SPH_BY_TILTED = 4 };

typedef struct sph_divergence {
    sph_fluid *f;
    const float (*tilt)[4]; /* rows of T, as above; 0: T = I */
    const float (*of)[4];   /* what the rate is asked of; 0 behind it */
    float period[3];
    int wraps;
} sph_divergence;

INLINE vec8 twice(const float *from) {
    const vec4 v = vec4_load(from);
    return vec8_join(v, v);
}

INLINE vec8 rows_of_period(const sph_divergence *s) {
    const float *p = s->period;
    return (vec8){p[0], p[1], p[2], 0, p[0], p[1], p[2], 0};
}

INLINE vec8 size8(vec8 v) {
    return (vec8)((int8)v & 0x7fffffff);
}

/* v with its sign changed where s is below 0. */
INLINE vec8 turn8(vec8 v, vec8 s) {
    return (vec8)((int8)v ^ ((int8)s & (int)0x80000000u));
}

/* (T - I) g */
INLINE vec4 tilt_of(const float *row, vec4 g) {
    const vec4 r = vec4_load(row);
    const float along = r[0] * g[0] + r[1] * g[1] + r[2] * g[2];
    return fabsf(row[3]) * g + (row[3] < 0 ? -along : along) * r;
}

/* (D^T q / rho)_i, q in x[.][3]; 0 behind it. beside: whether a neighbour's T, or its own, is not I. */
INLINE vec4 force_of(const sph_divergence *s, size_t i, int wraps, int beside) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    const float *x = f->x[i];
    const int32_t *other = p->other + p->start[i];
    const float *weight = p->weight + p->start[i];
    vec8 sum[3] = {{0}}, plain[3] = {{0}};
    for (int n = 0; n < p->length[i]; n += LANES) {
        vec8 at[4], row[4], d[3];
        const vec8 w = vec8_load(weight + n);
        gather8(at, (const float(*)[4])f->x, other + n);
        for (int c = 0; c < 3; ++c) {
            d[c] = x[c] - at[c];
            if (wraps) d[c] = nearest8(d[c], s->period[c]);
        }
        vec8 both = w * (at[3] + x[3]);
        if (beside) {
            gather8(row, s->tilt, other + n);
            const vec8 of_other = w * at[3], along = row[0] * d[0] + row[1] * d[1] + row[2] * d[2];
            const vec8 to = turn8(of_other * along, row[3]);
            both += of_other * size8(row[3]);
            for (int c = 0; c < 3; ++c) {
                sum[c] += to * row[c];
                plain[c] += w * d[c];
            }
        }
        for (int c = 0; c < 3; ++c) sum[c] += both * d[c];
    }
    vec4 total = sums8(sum) + x[3] * vec4_load(f->wall[i]);
    if (beside) total += x[3] * tilt_of(s->tilt[i], sums8(plain));
    return f->lightness[i] * total * (vec4){1, 1, 1, 0};
}

/* Of the diagonal of A: the sum of V W'/r (x_i - x_j), that of (V W'/r)^2 |x_i - x_j|^2 / rho_j, and whether
 * a neighbour's T is not I. */
typedef struct sph_slopes {
    vec4 sum;
    float squares;
    int beside;
} sph_slopes;

/* D of s->of for one particle, walls at rest. Where T is I rows are multiplied as they are; what is behind x
 * meets 0. slopes: NULL, or with 1 / rho behind x, below 0 where T is not I. */
INLINE float rate_of(const sph_divergence *s, size_t i, int wraps, int tilted, sph_slopes *slopes) {
    const sph_fluid *f = s->f;
    const sph_pairs *p = &f->pairs;
    const float *own = s->of[i], *wall = f->wall[i], *r = s->tilt[i];
    const vec8 x = twice(f->x[i]), v = twice(own), period = rows_of_period(s);
    const int32_t *other = p->other + p->start[i];
    const float *weight = p->weight + p->start[i];
    vec8 sum = {0}, along = {0}, slope[3] = {{0}}, squares = {0};
    int8 signs = {0};
    for (int n = 0; n < p->length[i]; n += LANES) {
        vec8 row[4], d[4], u[4], d2 = {0};
        const vec8 w = vec8_load(weight + n);
        rows8(row, (const float(*)[4])f->x, other + n);
        rows8(u, s->of, other + n);
        for (int l = 0; l < 4; ++l) {
            row[l] = x - row[l];
            if (wraps) row[l] = nearest8_of(row[l], period);
            u[l] = v - u[l];
        }
        if (tilted || slopes) columns8(d, row);
        if (tilted) {
            columns8(u, u);
            sum += w * (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]);
            along +=
                w * (r[0] * d[0] + r[1] * d[1] + r[2] * d[2]) * (r[0] * u[0] + r[1] * u[1] + r[2] * u[2]);
        } else {
            for (int l = 0; l < 4; ++l) u[l] *= row[l];
            sum += w * row_sums8(u);
        }
        if (!slopes) continue;
        for (int c = 0; c < 3; ++c) {
            slope[c] += w * d[c];
            d2 += d[c] * d[c];
        }
        const vec8 lightness = f->x[i][3] - d[3];
        squares += w * w * d2 * size8(lightness);
        signs |= (int8)lightness;
    }
    if (slopes) *slopes = (sph_slopes){sums8(slope), sum8(squares), mask_bits(signs < 0) != 0};
    float total = sum8(sum);
    if (tilted) total += fabsf(r[3]) * total + (r[3] < 0 ? -sum8(along) : sum8(along));
    return total + (own[0] * wall[0] + own[1] * wall[1] + own[2] * wall[2]);
}
#endif
