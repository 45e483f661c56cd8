/* Laws of heat for eight particles side by side. Only for INLINE code inside functions marked HOT. */
#ifndef STAGE_HEAT_LANES_H
#define STAGE_HEAT_LANES_H

#include "core/lanes.h"
#include "stage/heat/heat.h"

typedef struct law_lanes {
    vec8 capacity, warming, melting_capacity, melting_warming, cold[2], warm[2];
    int melts; /* 0: the last six are not asked for */
} law_lanes;

INLINE law_lanes law_of_all(const heat_law *l, int melts) {
    law_lanes to = {.capacity = vec8_all(l->capacity), .warming = vec8_all(l->warming), .melts = melts};
    if (!melts) return to;
    to.melting_capacity = vec8_all(l->melting_capacity);
    to.melting_warming = vec8_all(l->melting_warming);
    for (int i = 0; i < 2; ++i) {
        to.cold[i] = vec8_all(l->cold[i]);
        to.warm[i] = vec8_all(l->warm[i]);
    }
    return to;
}

/* Of particles of several fluids; those from `left` on have the last one's law. */
INLINE law_lanes law_of_each(const heat_law *laws, const uint8_t *fluid, size_t left, int melts) {
    enum { VALUES = 8 };
    float value[VALUES][LANES];
    vec8 of[VALUES];
    for (size_t q = 0; q < LANES; ++q) {
        const heat_law *l = &laws[fluid[q < left ? q : left - 1]];
        const float own[VALUES] = {l->capacity, l->warming, l->melting_capacity, l->melting_warming,
                                   l->cold[0],  l->cold[1], l->warm[0],          l->warm[1]};
        for (int i = 0; i < VALUES; ++i) value[i][q] = own[i];
    }
    for (int i = 0; i < VALUES; ++i) of[i] = vec8_load(value[i]);
    return (law_lanes){of[0], of[1], of[2], of[3], {of[4], of[5]}, {of[6], of[7]}, melts};
}

/* Whether particles are of one fluid, and so of one law. */
INLINE int law_is_one(const heat_input *in, const uint8_t *fluid, size_t count) {
    int one = 1;
    for (size_t i = 1; in->laws > 1 && i < count; ++i) one &= fluid[i] == fluid[0];
    return one;
}

INLINE int law_melts(const heat_law *law, int laws) {
    int any = 0;
    for (int i = 0; i < laws; ++i) any |= law[i].melting_capacity > law[i].capacity;
    return any;
}

/* Without melting enthalpy is 0 at 0. */
INLINE vec8 lanes_temperature(const law_lanes *l, vec8 h) {
    if (!l->melts) return h * l->warming;
    const vec8 beyond = h - l->cold[1];
    const vec8 cold = l->cold[0] + beyond * l->warming, melting = l->cold[0] + beyond * l->melting_warming;
    const vec8 warm = l->warm[0] + (h - l->warm[1]) * l->warming;
    return vec8_select(h <= l->cold[1], cold, vec8_select(h < l->warm[1], melting, warm));
}

INLINE int8 lanes_melting(const law_lanes *l, vec8 h) {
    return (h > l->cold[1]) & (h < l->warm[1]);
}

INLINE vec8 lanes_capacity(const law_lanes *l, vec8 h) {
    return l->melts ? vec8_select(lanes_melting(l, h), l->melting_capacity, l->capacity) : l->capacity;
}

/* The lanes that hold one of `left` particles. */
INLINE int8 lanes_first(size_t left) {
    return (int8){0, 1, 2, 3, 4, 5, 6, 7} < (int32_t)(left < LANES ? left : LANES);
}

INLINE vec8 lanes_masked(int8 mask, vec8 v) {
    return (vec8)((int8)v & mask);
}

/* Eight doubles, in halves. */
typedef double double4 __attribute__((vector_size(32)));
typedef struct wide {
    double4 half[2];
} wide;

INLINE wide lanes_wide(vec8 v) {
    vec4 half[2];
    memcpy(half, &v, sizeof half);
    return (wide){{__builtin_convertvector(half[0], double4), __builtin_convertvector(half[1], double4)}};
}

INLINE vec8 lanes_narrow(const double *from) {
    double4 half[2];
    memcpy(half, from, sizeof half);
    return vec8_join(__builtin_convertvector(half[0], vec4), __builtin_convertvector(half[1], vec4));
}

INLINE float lanes_sum(vec8 v) {
    float part[LANES];
    vec8_store(part, v);
    const vec4 four = vec4_load(part) + vec4_load(part + 4);
    return (four[0] + four[1]) + (four[2] + four[3]);
}

INLINE float lanes_least(vec8 v) {
    const vec8 four =
        vec8_select(v < SHUFFLE(v, v, 4, 5, 6, 7, 0, 1, 2, 3), v, SHUFFLE(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    return lesser(lesser(four[0], four[1]), lesser(four[2], four[3]));
}
#endif
