/* Eight tridiagonal systems at a time, against products with what they are made of. */
#include <math.h>
#include "check.h"
#include "linear/tridiagonal.h"

enum { N = 37, L = TRIDIAGONAL_LANES };

static double some(int k, int l) {
    return 0.5 + fabs(sin(1.7 * k + 0.9 * l));
}

static void solves(void **state) {
    (void)state;
    static double b[N * L], d[N * L], e[N * L], x[N * L];
    for (int i = 0; i < N * L; ++i) x[i] = some(i / L, i % L) - 1;
    for (int k = 0; k < N; ++k)
        for (int l = 0; l < L; ++l) {
            const double up = k + 1 < N ? some(k, l) : 0, down = k > 0 ? some(k - 1, l) : 0;
            const int i = k * L + l;
            d[i] = up + down + 0.1;
            e[i] = -up;
            b[i] = d[i] * x[i] - (up > 0 ? up * x[i + L] : 0) - (down > 0 ? down * x[i - L] : 0);
        }
    tridiagonal_solve(b, d, e, N);
    for (int i = 0; i < N * L; ++i) assert_true(fabs(b[i] - x[i]) < 1e-12);
}

static void one_unknown(void **state) {
    (void)state;
    double b[L], d[L], e[L] = {0};
    for (int l = 0; l < L; ++l) b[l] = l, d[l] = 2;
    tridiagonal_solve(b, d, e, 1);
    for (int l = 0; l < L; ++l) assert_true(b[l] == 0.5 * l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(one_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
