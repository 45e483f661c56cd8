/* Liquid of particles within a step: sorted, with their pairs, and what walls are beside them. */
#ifndef STAGE_SPH_FLUID_H
#define STAGE_SPH_FLUID_H

#include <rheo/scene.h>
#include "solid/obstacle.h"
#include "stage/sph/pairs.h"

enum { SPH_CONTACTS = 3, SPH_GRAIN = 256 };

/* One wall within a spacing of a particle. */
typedef struct sph_contact {
    uint32_t particle;
    int32_t solid;  /* its place among the obstacles; -1: a side of the domain */
    float distance; /* cells, below 0 inside */
    float normal[3];
    float slope[3];    /* of what the particle's density has of it, 1 / cell */
    float velocity[3]; /* m/s, of the wall there */
    float arm[3];      /* m, from the centre of mass of a body */
} sph_contact;

typedef struct sph_fluid {
    size_t count, room;
    int dim;
    const mac_grid *g;
    sph_kernel kernel;
    sph_pairs pairs;
    float (*x)[4]; /* cells; behind them what a pass looks up of neighbours */
    float (*v)[4]; /* m/s */
    float (*a)[4]; /* what a pass makes of them */
    float (*work[2])[4];
    float (*both)[8]; /* x and a side by side: one look finds both */
    float (*wall)[4]; /* sum of the walls' slopes, and of (slope . their velocity) */
    float *density;   /* 1: at rest */
    float *rate;      /* of it, m/s a cell */
    float *lightness; /* the first fluid's density over its own */
    float *scalar[6]; /* of solves */
    uint32_t *near;   /* particles beside solids */
    uint8_t *mark;
    sph_contact *contact; /* in the order of particles */
    size_t contacts, contact_room;
} sph_fluid;

/* Room for so many particles; -1: no memory. What is in it is lost. */
int sph_fluid_reserve(sph_fluid *f, size_t count);
void sph_fluid_free(sph_fluid *f);
size_t sph_fluid_bytes(const sph_fluid *f);

/* What the walls of closed sides and solids add to densities: fills wall and contact, adds to density.
 * node_solid and, at cells, thin_distance tell where solids are near (NULL: none are). -1: no memory. */
int sph_find_walls(sph_fluid *f, const uint8_t open_side[6], const obstacle *solids, int solid_count,
                   const float *node_solid, const float *thin_distance);
/* Again, what walls that follow bodies move at. */
void sph_drive_walls(sph_fluid *f, const obstacle *solids);

/* ---- passes over pairs, for stages ---- */

INLINE void gather8(vec8 to[4], const float (*from)[4], const int32_t *index) {
    vec4 low[4], high[4];
    for (int l = 0; l < 4; ++l) {
        low[l] = vec4_load(from[index[l]]);
        high[l] = vec4_load(from[index[l + 4]]);
    }
    vec4_transpose(low);
    vec4_transpose(high);
    for (int c = 0; c < 4; ++c) to[c] = vec8_join(low[c], high[c]);
}

/* Elements 0 to 2 and 4 to 6 of eight rows; to[3] is left. */
INLINE void gather8_both(vec8 x[3], vec8 a[3], const float (*from)[8], const int32_t *index) {
    vec8 r[LANES], low[4], high[4], one[3], two[3];
    for (int l = 0; l < LANES; ++l) r[l] = vec8_load(from[index[l]]);
    for (int l = 0; l < 4; ++l) {
        low[l] = SHUFFLE(r[2 * l], r[2 * l + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        high[l] = SHUFFLE(r[2 * l], r[2 * l + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    one[0] = SHUFFLE(low[0], low[1], 0, 1, 8, 9, 4, 5, 12, 13);
    one[1] = SHUFFLE(low[0], low[1], 2, 3, 10, 11, 6, 7, 14, 15);
    one[2] = SHUFFLE(high[0], high[1], 0, 1, 8, 9, 4, 5, 12, 13);
    two[0] = SHUFFLE(low[2], low[3], 0, 1, 8, 9, 4, 5, 12, 13);
    two[1] = SHUFFLE(low[2], low[3], 2, 3, 10, 11, 6, 7, 14, 15);
    two[2] = SHUFFLE(high[2], high[3], 0, 1, 8, 9, 4, 5, 12, 13);
    for (int c = 0; c < 3; ++c) {
        x[c] = SHUFFLE(one[c], two[c], 0, 1, 2, 3, 8, 9, 10, 11);
        a[c] = SHUFFLE(one[c], two[c], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

INLINE float sum8(vec8 v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/* The shortest way around periodic axes; period 0: there is none. */
INLINE vec8 nearest8(vec8 d, float period) {
    const float half = 0.5f * period;
    d = vec8_select(d > half, d - period, d);
    return vec8_select(d < -half, d + period, d);
}

INLINE void periods_of(float period[3], const mac_grid *g) {
    for (int a = 0; a < 3; ++a) period[a] = g->box.periodic[a] ? (float)g->box.n[a] : 0;
}

INLINE int wraps_around(const mac_grid *g) {
    return g->box.periodic[0] | g->box.periodic[1] | g->box.periodic[2];
}
#endif
