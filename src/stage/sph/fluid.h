/* Liquid of particles within a step: sorted, with their pairs, and what walls are beside them. */
#ifndef STAGE_SPH_FLUID_H
#define STAGE_SPH_FLUID_H

#include <rheo/scene.h>
#include "solid/obstacle.h"
#include "stage/sph/pairs.h"

enum { SPH_CONTACTS = 3, SPH_SCALARS = 5, SPH_GRAIN = 256 };

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

/* Lumps of particles (lumps.h). */
typedef struct sph_lumps {
    size_t count, room, particle_room, cell_room;
    int n[3];               /* cubes */
    int32_t *at;            /* the lump of a cube; -1: none */
    uint32_t *of, *member;  /* the lump of each particle; the particles of each lump */
    uint32_t *first;        /* member of each */
    float (*centre)[4];     /* cells */
    int32_t (*next)[27];    /* around each, itself at 13; -1: none */
    float (*block)[27][36]; /* A_c, by those */
    double (*mass)[36];     /* inverse of P' rho P */
    double (*motion)[6];    /* m/s, m/s a cell; then the work of the solve */
} sph_lumps;

void sph_lumps_free(sph_lumps *l);
size_t sph_lumps_bytes(const sph_lumps *l);

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
    float (*wall)[4];           /* sum of the walls' slopes, and of (slope . their velocity) */
    float *density;             /* 1: at rest */
    float *rate;                /* of it, m/s a cell */
    float *lightness;           /* the first fluid's density over its own */
    float *scalar[SPH_SCALARS]; /* of solves */
    uint32_t *near;             /* particles beside solids */
    uint8_t *mark;
    sph_contact *contact; /* in the order of particles */
    size_t contacts, contact_room;
    sph_lumps lumps; /* of solves that need them */
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

/* Rows of four of eight neighbours: r[l] has that of the l-th and of the (l + 4)-th. */
INLINE void rows8(vec8 r[4], const float (*from)[4], const int32_t *index) {
    for (int l = 0; l < 4; ++l) r[l] = vec8_join(vec4_load(from[index[l]]), vec4_load(from[index[l + 4]]));
}

/* to[c]: column c of such rows. */
INLINE void columns8(vec8 to[4], const vec8 r[4]) {
    const vec8 low01 = SHUFFLE(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const vec8 low23 = SHUFFLE(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const vec8 high01 = SHUFFLE(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const vec8 high23 = SHUFFLE(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    to[0] = SHUFFLE(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    to[1] = SHUFFLE(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    to[2] = SHUFFLE(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    to[3] = SHUFFLE(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Sum of the columns: with products of rows, eight dot products. */
INLINE vec8 row_sums8(const vec8 r[4]) {
    const vec8 two01 =
        SHUFFLE(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13) + SHUFFLE(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const vec8 two23 =
        SHUFFLE(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13) + SHUFFLE(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    return SHUFFLE(two01, two23, 0, 1, 8, 9, 4, 5, 12, 13) +
           SHUFFLE(two01, two23, 2, 3, 10, 11, 6, 7, 14, 15);
}

INLINE void gather8(vec8 to[4], const float (*from)[4], const int32_t *index) {
    vec8 r[4];
    rows8(r, from, index);
    columns8(to, r);
}

INLINE float sum8(vec8 v) {
    v += SHUFFLE(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += SHUFFLE(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return v[0] + v[1];
}

/* The sums of three, and 0. */
INLINE vec4 sums8(const vec8 v[3]) {
    const vec8 four[4] = {v[0], v[1], v[2], {0}};
    vec8 column[4];
    columns8(column, four);
    const vec8 sum = (column[0] + column[1]) + (column[2] + column[3]);
    vec4 low, high;
    vec8_halves(&low, &high, sum);
    return low + high;
}

/* The shortest way around periodic axes; period 0: there is none. */
INLINE vec8 nearest8_of(vec8 d, vec8 period) {
    const vec8 half = 0.5f * period;
    d = vec8_select(d > half, d - period, d);
    return vec8_select(d < -half, d + period, d);
}

INLINE vec8 nearest8(vec8 d, float period) {
    return nearest8_of(d, vec8_all(period));
}

INLINE void periods_of(float period[3], const mac_grid *g) {
    for (int a = 0; a < 3; ++a) period[a] = g->box.periodic[a] ? (float)g->box.n[a] : 0;
}

INLINE int wraps_around(const mac_grid *g) {
    return g->box.periodic[0] | g->box.periodic[1] | g->box.periodic[2];
}
#endif
