/* Filling cells with jittered particles: one an octant of a cell (8), one a quadrant in 2D (4). */
#ifndef PARTICLE_SEED_H
#define PARTICLE_SEED_H

#include "particle/particles.h"

/* Whether a particle may start at this place, in metres (x[2] is the grid's origin in 2D). Called once a
 * candidate, on the calling thread, in the order of cells and octants. */
typedef int particles_accept(void *context, const double x[3]);

typedef struct particles_seeding {
    int lower[3], upper[3]; /* cells [lower, upper) are looked at; clipped to the box */
    particles_accept *accept;
    void *context;
    double velocity[3]; /* m/s */
    uint8_t fluid;
    uint64_t seed;
    int only_empty; /* 1: skip octants that hold a particle; the set must be sorted and unmoved since */
} particles_seeding;

/* Appends the accepted candidates, and returns how many, or -1 when there is no memory (the set is unchanged
 * then). The place of a candidate depends on (seed, cell, octant) alone. Ids count up from *next_id. Extra
 * columns of new particles are 0, spray too. The set is unsorted afterwards. */
long particles_seed(particles *p, const mac_grid *g, const particles_seeding *s, uint32_t *next_id);

/* A lattice of one candidate an octant that has moved along with liquid. Its layers across `axis` are shifted
 * against each other so that all offsets across the layer come up equally often: as many candidates pass an
 * opening as its area asks for, however its edges lie between octants. */
typedef struct moving_lattice {
    double moved[3]; /* cells */
    int axis;
} moving_lattice;
/* The same with candidates of a moving lattice, which need no jitter: `seed` says where its layers begin.
 * only_empty has no meaning here. */
long particles_seed_moving(particles *p, const mac_grid *g, const particles_seeding *s,
                           const moving_lattice *lattice, uint32_t *next_id);
#endif
