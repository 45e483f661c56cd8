/* Stress of liquids of particles that remember how they were deformed. */
#ifndef STAGE_SPH_STRESS_H
#define STAGE_SPH_STRESS_H

#include "stage/sph/law.h"
#include "stage/sph/pressure.h"
#include "stage/sph/viscosity.h"

/* What a step needs beside the fluid. All 0 at first. */
typedef struct sph_stress {
    size_t room, weight_room;
    float (*row[3])[4];  /* rows of velocity gradients, and then of S K */
    float (*inverse)[8]; /* K, six of it */
    float (*base)[4];    /* velocities that the stress acts on */
    float (*delta)[4];   /* what it adds to them */
    float *weight;       /* of pairs, 0 between fluids that do not mix; NULL: as the pairs have them */
} sph_stress;

typedef struct sph_memory {
    float *s[SYM];        /* Pa, columns of the particles; in 2D those of z are NULL */
    const uint8_t *fluid; /* of each particle */
    const sph_law *law;   /* of each fluid; modulus 0: it has no memory */
    int fluids;
    int apart;      /* fluids do not mix: one does not pull at another */
    double density; /* kg/m3 of lightness 1 */
} sph_memory;

int sph_stress_reserve(sph_stress *w, const sph_fluid *f, int apart); /* -1: no memory */
void sph_stress_free(sph_stress *w);
size_t sph_stress_bytes(const sph_stress *w);

/* v and the stresses after dt. q: the last pressure, which goes on acting meanwhile. Where walls hold the
 * fluid they pull at it, and bodies gain what it loses. */
sph_solve sph_stress_step(float (*v)[4], const float *q, const sph_memory *m, sph_stress *w, sph_fluid *f,
                          const sph_sticking *sticking, sph_bodies *bodies, double dt, double tolerance,
                          int most);
/* J; 2D: of a layer one cell deep, as `volume` is, of a particle, m3. */
double sph_elastic_energy(const sph_memory *m, size_t count, double volume);
#endif
