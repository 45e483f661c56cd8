/* Which particles are within a support (a cell) of each other. */
#ifndef STAGE_SPH_PAIRS_H
#define STAGE_SPH_PAIRS_H

#include <stdatomic.h>
#include "particle/particles.h"
#include "stage/sph/kernel.h"

/* Of particle i: other[start[i]] ... other[start[i] + length[i] - 1], a multiple of LANES, filled up with i
 * itself and weight 0. Lists lie in any order, each in that of cells. */
typedef struct sph_pairs {
    uint32_t *start;
    uint16_t *length; /* filled up */
    uint16_t *true_length;
    int32_t *other;
    float *weight;          /* V W'(r) / r, below 0 */
    size_t particles, room; /* room: of other and weight */
    _Atomic size_t used;
    _Atomic int failed;
} sph_pairs;

enum { SPH_NO_MEMORY = -1, SPH_CROWDED = -2 };

void sph_pairs_free(sph_pairs *p);
size_t sph_pairs_bytes(const sph_pairs *p);

/* From sorted particles: x[i] their places with 0 behind them, the pairs, and density[i], the sum of V W. 0,
 * SPH_NO_MEMORY, or SPH_CROWDED: more particles in one place than any liquid has. */
int sph_pairs_find(sph_pairs *pairs, float (*x)[4], float *density, const mac_grid *g, const particles *p,
                   const sph_kernel *k);
#endif
