/* The particle set: columns of floats, sorted by cell.
 *
 * Positions are in cells from the domain's low corner, so that floats resolve 2^-16 of a cell at 256 cells
 * and the cell of a particle is its truncated position. Optional attributes are further columns that travel
 * along. particles_sort() and particles_reserve() may move the columns: do not keep their addresses across
 * them. */
#ifndef PARTICLE_PARTICLES_H
#define PARTICLE_PARTICLES_H

#include <stddef.h>
#include <stdint.h>
#include "grid/mac.h"

enum { PARTICLE_EXTRA_MAX = 16 };

typedef struct particles {
    size_t count, capacity;
    int dim;
    float *x[3]; /* cells, strictly inside [0, n); x[2] is NULL in 2D */
    float *v[3]; /* m/s */
    uint32_t *id;
    uint8_t *fluid;                   /* index of the scene's fluid */
    uint8_t *spray;                   /* 1: outside the liquid's surface, ballistic */
    float *extra[PARTICLE_EXTRA_MAX]; /* optional attributes */
    const char *extra_name[PARTICLE_EXTRA_MAX];
    int extra_count;
    size_t cells;
    uint32_t *cell_start;    /* [cells + 1] by box_dense(): valid after particles_sort() */
    uint32_t *order;         /* of the sort: which particle comes to each place */
    void *spare[2];          /* of the sort: columns that change places with the set's */
    uint8_t *spare_bytes[2]; /* of the sort: likewise for fluid and spray */
    uint32_t *tally;         /* of the sort: particles of each block in each bucket of cells */
} particles;

/* Particles that are looked at together, from the first on: a mark of a group is its first particle's. */
enum { PARTICLE_GROUP = 32 };

/* -1 when there is no memory; the set is unchanged then. */
int particles_make(particles *p, const mac_grid *g, const char *const *extra_names, int extra_count);
void particles_free(particles *p);
int particles_reserve(particles *p, size_t capacity);
size_t particles_bytes(const particles *p);

/* Stable counting sort by cell (box_dense order) of all columns; fills cell_start. Needs no memory beyond
 * what particles_reserve() took, so it returns 0; -1 is kept for a set that was never made. */
int particles_sort(particles *p, const mac_grid *g);
/* Where the particles are now, for after they have moved: in the sort's scratch, so it is lost with the next
 * sort or reserve. */
void particles_remember(particles *p, pool *workers);
const float *particles_before(const particles *p, int axis);
/* Drops the particles whose keep[] is 0, in order, before the next sort. */
void particles_compact(particles *p, const uint8_t *keep);
#endif
