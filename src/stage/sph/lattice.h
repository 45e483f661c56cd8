/* The particles that a fluid starts with. */
#ifndef STAGE_SPH_LATTICE_H
#define STAGE_SPH_LATTICE_H

#include "particle/particles.h"
#include "solid/obstacle.h"

typedef struct sph_filling {
    shape *const *shapes; /* of all fluids in turn; where two overlap the first counts */
    int before, count;    /* shapes of earlier fluids; of this one, after them */
    const obstacle *solids;
    int solid_count;
    double velocity[3]; /* m/s */
    uint8_t fluid;
    unsigned seed;
    double jitter; /* of half a spacing */
} sph_filling;

/* Appends a particle at the middle of every octant (a quadrant in 2D) of a cell that lies in the shapes and
 * outside solids. Returns how many, -1: no memory; rejected: those in solids. The set is unsorted then. */
long sph_fill(particles *p, long *rejected, uint32_t *next_id, const mac_grid *g, const sph_filling *s);
#endif
