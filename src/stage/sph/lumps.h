/* Lumps of particles that move as rigid bodies: a second level for solves between pairs.
 *
 * For A = I + K / rho, K the sum of k_ij (d_ij . (v_i - v_j)) d_ij over pairs, and P the six motions of each
 * lump, A_c = P' rho A P, and z = r + P A_c^-1 P' rho r is what conjugate gradients go along. Rigid motions
 * of all are among P's, and A leaves them alone, so that they stay out of what is solved to the last bit that
 * sums have: momentum and angular momentum are kept however early the solve stops, also where A_c is solved
 * by conjugate gradients of its own, with P' rho P as the preconditioner. */
#ifndef STAGE_SPH_LUMPS_H
#define STAGE_SPH_LUMPS_H

#include "stage/sph/fluid.h"

enum { LUMP_MOTIONS = 6 };

/* What binds pairs, k_ij = scale w_ij mean(nu_i, nu_j) / |d_ij|^2, w_ij = -V W'/r. */
typedef struct sph_binding {
    const float *nu; /* NULL: 1 */
    double scale;
} sph_binding;

/* Lumps of f's particles, and A_c without walls. -1: no memory. */
int sph_lumps_make(sph_fluid *f, const sph_binding *b);
/* A wall pulls at particle i with k (I - n n'), by mass. */
void sph_lumps_hold(sph_fluid *f, size_t i, double k, const float normal[3]);
/* The lumps' motions of A_c^-1 P' rho r; returns what they make of r . z. */
double sph_lumps_solve(sph_fluid *f, const float (*r)[4]);

/* (P e)_i of the last solve. */
INLINE vec4 sph_lump_motion(const sph_fluid *f, size_t i) {
    const sph_lumps *l = &f->lumps;
    const uint32_t lump = l->of[i];
    const double *e = l->motion[lump];
    float a[3];
    for (int c = 0; c < 3; ++c) a[c] = f->x[i][c] - l->centre[lump][c];
    const float w[3] = {(float)e[3], (float)e[4], (float)e[5]};
    return (vec4){(float)e[0] + w[1] * a[2] - w[2] * a[1], (float)e[1] + w[2] * a[0] - w[0] * a[2],
                  f->dim == 3 ? (float)e[2] + w[0] * a[1] - w[1] * a[0] : 0, 0};
}
#endif
