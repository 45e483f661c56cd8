/* Eight floats (and eight doubles) at a time with the vector extensions of gcc and clang: plain C wherever
 * the machine has no such registers. Only for INLINE code inside functions marked HOT. */
#ifndef LINEAR_VEC8_H
#define LINEAR_VEC8_H

#include "core/hot.h"

typedef float vec8 __attribute__((vector_size(32), may_alias));
typedef double dvec8 __attribute__((vector_size(64), may_alias));

#if defined(__clang__) || __GNUC__ >= 12
#define VEC8_PICK(a, b, ...)  __builtin_shufflevector(a, b, __VA_ARGS__)
#define DVEC8_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int vec8_places __attribute__((vector_size(32)));
typedef long long dvec8_places __attribute__((vector_size(64)));
#define VEC8_PICK(a, b, ...)  __builtin_shuffle(a, b, (vec8_places){__VA_ARGS__})
#define DVEC8_PICK(a, b, ...) __builtin_shuffle(a, b, (dvec8_places){__VA_ARGS__})
#endif

/* [first, v0 .. v6] and [v1 .. v7, last] */
INLINE vec8 vec8_after(float first, vec8 v) {
    return VEC8_PICK(v, ((vec8){first}), 8, 0, 1, 2, 3, 4, 5, 6);
}
INLINE vec8 vec8_before(vec8 v, float last) {
    return VEC8_PICK(v, ((vec8){last}), 1, 2, 3, 4, 5, 6, 7, 8);
}
INLINE dvec8 dvec8_after(double first, dvec8 v) {
    return DVEC8_PICK(v, ((dvec8){first}), 8, 0, 1, 2, 3, 4, 5, 6);
}
INLINE dvec8 dvec8_before(dvec8 v, double last) {
    return DVEC8_PICK(v, ((dvec8){last}), 1, 2, 3, 4, 5, 6, 7, 8);
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
INLINE dvec8 vec8_wide(vec8 v) {
    return __builtin_convertvector(v, dvec8);
}
INLINE vec8 dvec8_narrow(dvec8 v) {
    return __builtin_convertvector(v, vec8);
}
INLINE double dvec8_total(dvec8 v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}
#endif
