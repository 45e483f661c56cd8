/* Eight floats (and eight doubles) at a time with the vector extensions of gcc and clang: plain C wherever
 * the machine has no such registers. Only for INLINE code inside functions marked HOT. */
#ifndef LINEAR_VEC8_H
#define LINEAR_VEC8_H

#include <stdint.h>
#include "core/hot.h"

typedef float vec8 __attribute__((vector_size(32), may_alias));
typedef float vec4 __attribute__((vector_size(16), may_alias));
typedef double dvec4 __attribute__((vector_size(32), may_alias));
typedef int32_t mask8 __attribute__((vector_size(32), may_alias));
typedef uint32_t bits8 __attribute__((vector_size(32), may_alias));

/* Two registers rather than one wide vector: compilers handle vectors wider than the machine's badly. */
typedef struct dvec8 {
    dvec4 low, high;
} dvec8;

#if defined(__clang__) || __GNUC__ >= 12
#define VEC8_PICK(a, b, ...)  __builtin_shufflevector(a, b, __VA_ARGS__)
#define DVEC4_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define VEC8_LOW(v)           __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define VEC8_HIGH(v)          __builtin_shufflevector(v, v, 4, 5, 6, 7)
#define VEC8_JOIN(a, b)       __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#else
typedef long long dvec4_places __attribute__((vector_size(32)));
typedef union vec8_parts {
    vec8 whole;
    vec4 part[2];
} vec8_parts;
#define VEC8_PICK(a, b, ...)  __builtin_shuffle(a, b, (mask8){__VA_ARGS__})
#define DVEC4_PICK(a, b, ...) __builtin_shuffle(a, b, (dvec4_places){__VA_ARGS__})
#define VEC8_LOW(v)           ((vec8_parts){.whole = (v)}.part[0])
#define VEC8_HIGH(v)          ((vec8_parts){.whole = (v)}.part[1])
#define VEC8_JOIN(a, b)       ((vec8_parts){.part = {a, b}}.whole)
#endif

/* [first, v0 .. v6] and [v1 .. v7, last] */
INLINE vec8 vec8_after(float first, vec8 v) {
    return VEC8_PICK(v, ((vec8){first}), 8, 0, 1, 2, 3, 4, 5, 6);
}
INLINE vec8 vec8_before(vec8 v, float last) {
    return VEC8_PICK(v, ((vec8){last}), 1, 2, 3, 4, 5, 6, 7, 8);
}
INLINE dvec8 dvec8_after(double first, dvec8 v) {
    return (dvec8){DVEC4_PICK(v.low, ((dvec4){first}), 4, 0, 1, 2), DVEC4_PICK(v.low, v.high, 3, 4, 5, 6)};
}
INLINE dvec8 dvec8_before(dvec8 v, double last) {
    return (dvec8){DVEC4_PICK(v.low, v.high, 1, 2, 3, 4), DVEC4_PICK(v.high, ((dvec4){last}), 1, 2, 3, 4)};
}
/* Cells 0..15 in order, as low and high eight, against even and odd cells. */
INLINE vec8 vec8_evens(vec8 low, vec8 high) {
    return VEC8_PICK(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
}
INLINE vec8 vec8_odds(vec8 low, vec8 high) {
    return VEC8_PICK(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}
INLINE vec8 vec8_lows(vec8 even, vec8 odd) {
    return VEC8_PICK(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
}
INLINE vec8 vec8_highs(vec8 even, vec8 odd) {
    return VEC8_PICK(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
}
INLINE vec8 vec8_of(float a) {
    return (vec8){a, a, a, a, a, a, a, a};
}
/* Two to a lane in 16 bits each, the upper half of a float: of values >= 0, rounded to nearest. */
INLINE bits8 vec8_pair(vec8 high, vec8 low) {
    const bits8 half = (bits8){0} + 0x8000u;
    return (((bits8)high + half) & 0xffff0000u) | (((bits8)low + half) >> 16);
}
INLINE vec8 pair_high(bits8 pair) {
    return (vec8)(pair & 0xffff0000u);
}
INLINE vec8 pair_low(bits8 pair) {
    return (vec8)(pair << 16);
}
INLINE dvec8 vec8_wide(vec8 v) {
    return (dvec8){__builtin_convertvector(VEC8_LOW(v), dvec4), __builtin_convertvector(VEC8_HIGH(v), dvec4)};
}
INLINE vec8 dvec8_narrow(dvec8 v) {
    return VEC8_JOIN(__builtin_convertvector(v.low, vec4), __builtin_convertvector(v.high, vec4));
}
INLINE dvec8 dvec8_of(double a) {
    dvec4 all = {a, a, a, a};
    return (dvec8){all, all};
}
INLINE dvec8 dvec8_minus(dvec8 a, dvec8 b) {
    return (dvec8){a.low - b.low, a.high - b.high};
}
/* sum + a b */
INLINE dvec8 dvec8_plus_product(dvec8 sum, dvec8 a, dvec8 b) {
    return (dvec8){sum.low + a.low * b.low, sum.high + a.high * b.high};
}
/* sum + a b, the product taken in double */
INLINE dvec8 dvec8_plus_dot(dvec8 sum, vec8 a, vec8 b) {
    return dvec8_plus_product(sum, vec8_wide(a), vec8_wide(b));
}
INLINE double dvec8_total(dvec8 v) {
    dvec4 four = v.low + v.high;
    return (four[0] + four[1]) + (four[2] + four[3]);
}
#endif
