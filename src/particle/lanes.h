/* Eight particles side by side, and trilinear lookups for them.
 *
 * Vectors come from the compilers' own extension: the same source on x86-64 and arm64, and the same bits. A
 * lookup takes the two neighbours along x in one 8-byte load a particle and row, blends rows while four
 * particles share a vector, and sorts into lanes last: hardware gathers are slower. No shuffle crosses the
 * middle of a vector. */
#ifndef PARTICLE_LANES_H
#define PARTICLE_LANES_H

#include <stddef.h>
#include <stdint.h>
#include "core/lanes.h"

typedef double double4 __attribute__((vector_size(32)));

/* Lanes 0 1 4 5 and 2 3 6 7 of a, each twice. */
#define SPREAD_LOW(a)  SHUFFLE(a, a, 0, 0, 1, 1, 4, 4, 5, 5)
#define SPREAD_HIGH(a) SHUFFLE(a, a, 2, 2, 3, 3, 6, 6, 7, 7)
/* From pairs of particles 0 1 4 5 and 2 3 6 7: the first and the second of each pair. */
#define FIRSTS(a, b)  SHUFFLE(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define SECONDS(a, b) SHUFFLE(a, b, 1, 3, 9, 11, 5, 7, 13, 15)

INLINE vec8 vec8_mix(vec8 a, vec8 b, vec8 f) {
    return a + f * (b - a);
}

/* s >= 0 into its whole part and the rest. */
INLINE vec8 vec8_split(int8 *whole, vec8 s) {
    *whole = __builtin_convertvector(s, int8);
    return s - __builtin_convertvector(*whole, vec8);
}

INLINE double pair_load(const float *from) {
    double pair;
    memcpy(&pair, from, sizeof pair);
    return pair;
}

/* The pairs from[at], from[at + 1] of particles 0 1 4 5 (low) or 2 3 6 7: moved as doubles, never computed
 * with. */
INLINE vec8 pairs_load(const float *from, const uint32_t at[LANES], int high) {
    const uint32_t *a = at + 2 * high;
    return (vec8)(double4){pair_load(from + a[0]), pair_load(from + a[1]), pair_load(from + a[4]),
                           pair_load(from + a[5])};
}

/* The faces around the particles for one component: index of the lowest, and the place between them. */
typedef struct spot {
    uint32_t at[LANES];
    vec8 f[3];
} spot;

/* Two lanes a word: loads of single lanes would wait for the store of all. */
INLINE void spot_at(spot *s, int8 at) {
    const word4 pairs = (word4)at;
    for (int q = 0; q < LANES; q += 2) {
        const uint64_t two = pairs[q / 2];
        s->at[q] = (uint32_t)two;
        s->at[q + 1] = (uint32_t)(two >> 32);
    }
}

/* Cells and places of particles: [axis][along it: 0 face centres, 1 the component's own faces]; `at` is
 * multiplied by the step along its axis. */
typedef struct places {
    vec8 f[3][2];
    int8 at[3][2];
} places;

INLINE void spot_of(spot *s, const places *l, int axis, int dim) {
    int8 sum = l->at[0][axis == 0] + l->at[1][axis == 1];
    s->f[0] = l->f[0][axis == 0];
    s->f[1] = l->f[1][axis == 1];
    if (dim == 3) {
        s->f[2] = l->f[2][axis == 2];
        sum += l->at[2][axis == 2];
    }
    spot_at(s, sum);
}

typedef struct lookup {
    vec8 value, slope[3]; /* slopes per cell, only when asked for */
} lookup;

INLINE lookup look(const float *field, const spot *s, ptrdiff_t row, ptrdiff_t plane, int dim, int slopes) {
    vec8 line[2], up[2], back[2]; /* [half]: at the particle's y and z; differences along y; along z */
    for (int half = 0; half < 2; ++half) {
        vec8 side[2], rise[2]; /* [y]: at the particle's z; differences along z */
        for (int y = 0; y < 2; ++y) {
            side[y] = pairs_load(field + y * row, s->at, half);
            if (dim == 3) {
                vec8 fz = half ? SPREAD_HIGH(s->f[2]) : SPREAD_LOW(s->f[2]);
                rise[y] = pairs_load(field + y * row + plane, s->at, half) - side[y];
                side[y] += fz * rise[y];
            }
        }
        vec8 fy = half ? SPREAD_HIGH(s->f[1]) : SPREAD_LOW(s->f[1]);
        up[half] = side[1] - side[0];
        line[half] = side[0] + fy * up[half];
        if (slopes && dim == 3) back[half] = vec8_mix(rise[0], rise[1], fy);
    }
    lookup l = {0};
    vec8 first = FIRSTS(line[0], line[1]);
    l.slope[0] = SECONDS(line[0], line[1]) - first;
    l.value = first + s->f[0] * l.slope[0];
    if (slopes) {
        l.slope[1] = vec8_mix(FIRSTS(up[0], up[1]), SECONDS(up[0], up[1]), s->f[0]);
        if (dim == 3) l.slope[2] = vec8_mix(FIRSTS(back[0], back[1]), SECONDS(back[0], back[1]), s->f[0]);
    }
    return l;
}

/* The same where a field lies with its rows in pairs, a sample and the one above it side by side: the corners
 * of a square are one load of four. Particles q and q + 4 share a vector until corners are sorted into lanes.
 */
#define SPREAD(a, q) SHUFFLE(a, a, q, q, q, q, 4 + q, 4 + q, 4 + q, 4 + q)

INLINE vec8 squares_load(const float *pairs, const uint32_t at[LANES], int q) {
    return vec8_join(vec4_load(pairs + 2 * (size_t)at[q]), vec4_load(pairs + 2 * (size_t)at[q + 4]));
}

/* In both halves, element j of vector i becomes element i of vector j. */
INLINE void halves_transpose(vec8 v[4]) {
    const vec8 low01 = SHUFFLE(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13),
               high01 = SHUFFLE(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15),
               low23 = SHUFFLE(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13),
               high23 = SHUFFLE(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = SHUFFLE(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = SHUFFLE(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = SHUFFLE(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = SHUFFLE(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
}

INLINE lookup look_paired(const float *pairs, const spot *s, ptrdiff_t plane, int dim, int slopes) {
    vec8 corner[4], rise[4]; /* x0y0 x0y1 x1y0 x1y1: at the particle's z; differences along z */
    for (int q = 0; q < 4; ++q) corner[q] = squares_load(pairs, s->at, q);
    if (dim == 3) {
        const vec8 z = s->f[2], fz[4] = {SPREAD(z, 0), SPREAD(z, 1), SPREAD(z, 2), SPREAD(z, 3)};
        for (int q = 0; q < 4; ++q) {
            rise[q] = squares_load(pairs + 2 * plane, s->at, q) - corner[q];
            corner[q] += fz[q] * rise[q];
        }
    }
    halves_transpose(corner);
    lookup l = {0};
    const vec8 up0 = corner[1] - corner[0], up1 = corner[3] - corner[2];
    const vec8 near = corner[0] + s->f[1] * up0, far = corner[2] + s->f[1] * up1;
    l.slope[0] = far - near;
    l.value = near + s->f[0] * l.slope[0];
    if (slopes) l.slope[1] = vec8_mix(up0, up1, s->f[0]);
    if (slopes && dim == 3) {
        halves_transpose(rise);
        l.slope[2] =
            vec8_mix(vec8_mix(rise[0], rise[1], s->f[1]), vec8_mix(rise[2], rise[3], s->f[1]), s->f[0]);
    }
    return l;
}
#endif
