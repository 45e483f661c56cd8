/* L D L^T without pivots (Carlson 2004, table 5; Golub and Van Loan, 4.3.6):
 *
 *   l_k = e_k / d_k,   d_k+1 -= l_k e_k,   then L y = b, D z = y, L^T x = z
 *
 * Eight systems run side by side, as each unknown waits for the one before it. Limits: a diagonal that is not
 * dominant may lose digits; a system with a part of no meaning has d = 1, e = 0 and b = 0 there. */
#include "linear/tridiagonal.h"

#include "core/hot.h"

enum { L = TRIDIAGONAL_LANES };

HOT void tridiagonal_solve(double *restrict b, double *restrict d, double *restrict e, int n) {
    for (int k = 1; k < n; ++k) {
        double *below = e + (k - 1) * L;
        for (int l = 0; l < L; ++l) {
            const double joined = below[l], share = joined / d[(k - 1) * L + l];
            below[l] = share;
            d[k * L + l] -= share * joined;
            b[k * L + l] -= share * b[(k - 1) * L + l];
        }
    }
    for (int l = 0; l < L; ++l) b[(n - 1) * L + l] /= d[(n - 1) * L + l];
    for (int k = n - 2; k >= 0; --k)
        for (int l = 0; l < L; ++l)
            b[k * L + l] = b[k * L + l] / d[k * L + l] - e[k * L + l] * b[(k + 1) * L + l];
}
