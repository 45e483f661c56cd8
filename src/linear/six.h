/* Symmetric positive matrices of order six, row-major: rigid motions (v, omega). */
#ifndef LINEAR_SIX_H
#define LINEAR_SIX_H

#include <math.h>
#include <string.h>

enum { SIX = 6 };

/* Lower triangle of the Cholesky factor; 0 when the matrix is not positive definite. */
static inline int six_factorise(double l[SIX * SIX], const double m[SIX * SIX]) {
    memset(l, 0, SIX * SIX * sizeof *l);
    for (int r = 0; r < SIX; ++r)
        for (int c = 0; c <= r; ++c) {
            double sum = m[SIX * r + c];
            for (int k = 0; k < c; ++k) sum -= l[SIX * r + k] * l[SIX * c + k];
            if (r > c) l[SIX * r + c] = sum / l[SIX * c + c];
            else if (sum > 0) l[SIX * r + r] = sqrt(sum);
            else return 0;
        }
    return 1;
}

/* y <- L^-1 y and y <- L^-T y */
static inline void six_solve_lower(double y[SIX], const double l[SIX * SIX]) {
    for (int r = 0; r < SIX; ++r) {
        for (int c = 0; c < r; ++c) y[r] -= l[SIX * r + c] * y[c];
        y[r] /= l[SIX * r + r];
    }
}
static inline void six_solve_upper(double y[SIX], const double l[SIX * SIX]) {
    for (int r = SIX - 1; r >= 0; --r) {
        for (int c = r + 1; c < SIX; ++c) y[r] -= l[SIX * c + r] * y[c];
        y[r] /= l[SIX * r + r];
    }
}
#endif
