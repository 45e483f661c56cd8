/* Symmetric positive definite tridiagonal systems, eight side by side. */
#ifndef LINEAR_TRIDIAGONAL_H
#define LINEAR_TRIDIAGONAL_H

enum { TRIDIAGONAL_LANES = 8 };

/* Unknown k of system l is at [k * TRIDIAGONAL_LANES + l]: d holds the diagonal, e[k] what joins k and k + 1
 * (the last is not read). b, the right side, becomes the solution; d and e are overwritten. */
void tridiagonal_solve(double *b, double *d, double *e, int n);
#endif
