/* Eight floats side by side, with the compilers' own vectors: the same source on x86-64 and arm64, and the
 * same bits. Only for INLINE code inside functions marked HOT. */
#ifndef CORE_LANES_H
#define CORE_LANES_H

#include <stdint.h>
#include <string.h>
#include "core/hot.h"

enum { LANES = 8 };

typedef float vec4 __attribute__((vector_size(16)));
typedef float vec8 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef uint64_t word4 __attribute__((vector_size(32)));

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...)  __builtin_shufflevector(a, b, __VA_ARGS__)
#define SHUFFLE4(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...)  __builtin_shuffle(a, b, (int8){__VA_ARGS__})
#define SHUFFLE4(a, b, ...) __builtin_shuffle(a, b, (int4){__VA_ARGS__})
#endif

INLINE vec4 vec4_load(const float *from) {
    vec4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void vec4_store(float *to, vec4 v) {
    memcpy(to, &v, sizeof v);
}

/* Element j of vector i becomes element i of vector j. */
INLINE void vec4_transpose(vec4 v[4]) {
    const vec4 low01 = SHUFFLE4(v[0], v[1], 0, 4, 1, 5), high01 = SHUFFLE4(v[0], v[1], 2, 6, 3, 7);
    const vec4 low23 = SHUFFLE4(v[2], v[3], 0, 4, 1, 5), high23 = SHUFFLE4(v[2], v[3], 2, 6, 3, 7);
    v[0] = SHUFFLE4(low01, low23, 0, 1, 4, 5);
    v[1] = SHUFFLE4(low01, low23, 2, 3, 6, 7);
    v[2] = SHUFFLE4(high01, high23, 0, 1, 4, 5);
    v[3] = SHUFFLE4(high01, high23, 2, 3, 6, 7);
}

INLINE vec8 vec8_load(const float *from) {
    vec8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Not an initialiser of eight: gcc would insert them one by one. */
INLINE vec8 vec8_join(vec4 low, vec4 high) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    vec8 v;
    memcpy(&v, &low, sizeof low);
    memcpy((char *)&v + sizeof low, &high, sizeof high);
    return v;
#endif
}

INLINE void vec8_halves(vec4 *low, vec4 *high, vec8 v) {
#if defined(__clang__) || __GNUC__ >= 12
    *low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    *high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    memcpy(low, &v, sizeof *low);
    memcpy(high, (const char *)&v + sizeof *low, sizeof *high);
#endif
}

INLINE void vec8_store(float *to, vec8 v) {
    memcpy(to, &v, sizeof v);
}

/* Not an initialiser of eight: gcc would insert them one by one. */
INLINE vec8 vec8_all(float a) {
    return a - (vec8){0};
}

/* a where the mask is set, else b */
INLINE vec8 vec8_select(int8 mask, vec8 a, vec8 b) {
    return (vec8)(((int8)a & mask) | ((int8)b & ~mask));
}

/* Within [low, high]; NaN becomes low. */
INLINE vec8 vec8_clamp(vec8 x, vec8 low, vec8 high) {
    x = vec8_select(x > low, x, low);
    return vec8_select(x < high, x, high);
}

/* All bits set in the lanes whose byte is not 0. Each lane looks at its own byte of a whole word: widening
 * bytes one by one is what compilers make of a conversion. */
INLINE int8 mask_load(const uint8_t *from) {
    const int8 own = {0xff, 0xff00, 0xff0000, (int)0xff000000u, 0xff, 0xff00, 0xff0000, (int)0xff000000u};
    uint64_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    const int8 all = (int8)(bytes - (word4){0});
    return (SHUFFLE(all, all, 0, 0, 0, 0, 1, 1, 1, 1) & own) != 0;
}

/* All bits set in the lanes that hold the value. */
INLINE int8 mask_equal(const uint16_t *from, uint16_t value) {
    typedef int16_t short8 __attribute__((vector_size(16)));
    short8 have;
    memcpy(&have, from, sizeof have);
    return __builtin_convertvector(have == (int16_t)value, int8);
}

/* Bit i: lane i of a mask is set. */
INLINE unsigned mask_bits(int8 mask) {
#if defined(__SSE__) /* of a clone, too: compilers do not find it by themselves */
    vec4 half[2];
    memcpy(half, &mask, sizeof half);
    return (unsigned)(__builtin_ia32_movmskps(half[0]) | __builtin_ia32_movmskps(half[1]) << 4);
#else
    const int8 bits = mask & (int8){1, 2, 4, 8, 16, 32, 64, 128};
    uint64_t word[4];
    memcpy(word, &bits, sizeof word);
    const uint64_t all = (word[0] | word[1]) | (word[2] | word[3]);
    return (unsigned)((all | all >> 32) & 0xff);
#endif
}
#endif
