/* Smoothing kernels of support 1 (a cell), their gradients and Laplacians, and what they sum to on a lattice.
 */
#ifndef STAGE_SPH_KERNEL_H
#define STAGE_SPH_KERNEL_H

#include <math.h>
#include "core/lanes.h"

typedef enum sph_kernel_kind {
    SPH_WENDLAND,
    SPH_CUBIC,
    SPH_POLY6,
    SPH_SPIKY,
    SPH_VISCOSITY,
    SPH_KERNELS
} sph_kernel_kind;

enum { SPH_WALL_TABLE = 128 };
/* Supports from one particle of the lattice to the next. */
#define SPH_SPACING 0.5
/* Supports: nearer ones count as this far apart where a kernel is not smooth at 0. */
#define SPH_NEAREST 1e-3f

typedef struct sph_kernel {
    sph_kernel_kind kind;
    int dim;
    float scale;  /* so that the integral is 1 */
    float volume; /* of a particle: a lattice then has density 1 */
    float self;   /* what a particle adds to its own density */
    float smooth; /* a lattice's sum of -volume W'/r; its inverse */
    float moment; /* a lattice's sum of -volume x dW/dx: what of a pressure its gradient sees */
    float shear;  /* the sum of -volume (W'/r) x^2 y^2 / r^2 over layers that slide past each other; its
                     inverse */
    /* share of a wall in the density of a particle s off it, and its slope, at s = -1/2 + i / table */
    float wall[SPH_WALL_TABLE + 1], wall_slope[SPH_WALL_TABLE + 1];
    /* how much more what runs along a wall must count there: 1 / (1 - the wall's share of the moment) */
    float along[SPH_WALL_TABLE + 1];
} sph_kernel;

sph_kernel sph_kernel_make(sph_kernel_kind kind, int dim);
double sph_kernel_value(const sph_kernel *k, double r);
double sph_kernel_over_r(const sph_kernel *k, double r); /* W'(r) / r */
double sph_kernel_laplacian(const sph_kernel *k, double r);
/* The wall's share in the density, and its slope by the distance (below 0), from the table. */
void sph_kernel_wall(float *share, float *slope, const sph_kernel *k, float s);
float sph_kernel_along(const sph_kernel *k, float s);

/* W / scale and W' / (r scale) for eight distances below 1. */
INLINE void sph_shape8(vec8 *w, vec8 *g, sph_kernel_kind kind, vec8 r) {
    const vec8 t = 1 - r;
    if (kind == SPH_WENDLAND) {
        const vec8 t2 = t * t;
        *w = t2 * t2 * (1 + 4 * r);
        *g = -20 * t2 * t;
    } else if (kind == SPH_POLY6) {
        const vec8 u = 1 - r * r;
        *w = u * u * u;
        *g = -6 * u * u;
    } else {
        const vec8 far = vec8_select(r > SPH_NEAREST, r, vec8_all(SPH_NEAREST));
        if (kind == SPH_CUBIC) {
            const int8 near = r <= 0.5f;
            *w = vec8_select(near, 1 + 6 * r * r * (r - 1), 2 * t * t * t);
            *g = vec8_select(near, 6 * (3 * r - 2), -6 * t * t / far);
        } else if (kind == SPH_SPIKY) {
            *w = t * t * t;
            *g = -3 * t * t / far;
        } else {
            *w = -0.5f * r * r * r + r * r + 0.5f / far - 1;
            *g = -1.5f * r + 2 - 0.5f / (far * far * far);
        }
    }
}
#endif
