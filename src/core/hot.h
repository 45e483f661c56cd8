/* Marks a kernel for function multiversioning: a plain build then uses AVX2 where the CPU has it. Without
 * contraction of products and sums both versions give the same bits. Sanitizers start too late for the
 * resolvers gcc makes, so RHEO_NO_CLONES turns it off there. clang refuses calls with 32-byte vectors from a
 * clone into a function that is not one, even where it is always inlined, so there kernels stay plain. */
#ifndef CORE_HOT_H
#define CORE_HOT_H

#if defined(__x86_64__) && !defined(__clang__) && !defined(RHEO_NO_CLONES)
#define HOT __attribute__((target_clones("avx2", "default")))
#else
#define HOT
#endif

#define INLINE static inline __attribute__((always_inline))

/* One instruction, and no obstacle to vectors, where fminf() and fmaxf() are calls. NaN gives the second. */
INLINE float lesser(float a, float b) {
    return a < b ? a : b;
}

INLINE float greater(float a, float b) {
    return a > b ? a : b;
}
#endif
