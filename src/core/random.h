/* Counter-based random numbers: a value depends on (seed, a, b) alone, so order and threads do not matter. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t seed, uint64_t a, uint64_t b) {
    uint64_t x =
        seed * 0x9E3779B97F4A7C15u + a * 0xBF58476D1CE4E5B9u + b * 0x94D049BB133111EBu + 0x2545F4914F6CDD1Du;
    for (int round = 0; round < 2; ++round) { /* the finaliser of splitmix64, twice */
        x ^= x >> 30;
        x *= 0xBF58476D1CE4E5B9u;
        x ^= x >> 27;
        x *= 0x94D049BB133111EBu;
        x ^= x >> 31;
    }
    return x;
}

/* Uniform in [0, 1), 24 bits: exact in float. */
static inline float random_unit(uint64_t seed, uint64_t a, uint64_t b) {
    return (float)(random_bits(seed, a, b) >> 40) * 0x1p-24f;
}
#endif
