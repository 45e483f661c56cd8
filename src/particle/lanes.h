/* Vectors of floats through the compilers' own extension: the same source on x86-64 and arm64, and the same
 * bits. */
#ifndef PARTICLE_LANES_H
#define PARTICLE_LANES_H

#include <stdint.h>
#include <string.h>
#include "core/hot.h"

typedef float vec4 __attribute__((vector_size(16)));
typedef float vec8 __attribute__((vector_size(32)));

INLINE vec4 vec4_load(const float *from) {
    vec4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void vec4_store(float *to, vec4 v) {
    memcpy(to, &v, sizeof v);
}
#endif
