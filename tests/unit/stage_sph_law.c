/* Stress of one particle in prescribed flow: the start of shear against its exact courses, and rigid turns.
 */
#include "check.h"
#include "stage/sph/law.h"

static void shear(double s[SYM], const sph_law *law, double rate, double time, int steps) {
    const law_matrix l = {{{0, rate, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int c = 0; c < SYM; ++c) s[c] = 0;
    for (int i = 0; i < steps; ++i) law_advance(s, law, &l, time / steps);
}

/* sigma_xy = eta g / (1 + W^2) [1 - e^(-t/l) (cos gt - W sin gt)], and N1. */
static void corotational(void **state) {
    (void)state;
    const double rates[] = {0.2, 0.5, 0.9}, times[] = {0.5, 1, 3, 12};
    for (int r = 0; r < 3; ++r)
        for (int t = 0; t < 4; ++t) {
            const double g = rates[r], w = g, time = times[t], e = exp(-time);
            const double shared = g / (1 + w * w);
            const double exact = shared * (1 - e * (cos(g * time) - w * sin(g * time)));
            const double normal = 2 * w * shared * (1 - e * (cos(g * time) + sin(g * time) / w));
            const sph_law law = {SPH_COROTATIONAL, 3, 1, 1, INFINITY, 0, 0};
            double s[SYM];
            shear(s, &law, g, time, (int)(50 * time)); /* dt / l = .02 */
            check_near(s[3], exact, 1e-3 * exact);
            check_near(s[0] - s[1], normal, 2e-3 * normal);
            check_near(s[1] - s[2], -0.5 * normal, 2e-3 * normal);
            if (r != 2 || t != 1) continue;
            check_near(exact, 0.5125, 1e-4);
            check_near(normal, 0.4038, 1e-4);
        }
}

/* sigma_xy = eta g (1 - e^(-t/l)), N1 = 2 eta l g^2 [1 - e^(-t/l) (1 + t/l)]. */
static void upper_convected(void **state) {
    (void)state;
    for (double time = 0.5; time < 13; time *= 2) {
        const double g = 0.9, e = exp(-time);
        const sph_law law = {SPH_CONVECTED, 3, 1, 1, INFINITY, 0, 0};
        double s[SYM];
        shear(s, &law, g, time, (int)(500 * time));
        check_near(s[3], g * (1 - e), 2e-3 * g);
        check_near(s[0] - s[1], 2 * g * g * (1 - e * (1 + time)), 4e-3 * g * g);
        check_near(s[1] - s[2], 0, 1e-9);
    }
}

/* A yield is of the corotational law alone: what is drawn along relaxes as if it had none. */
static void no_yield_when_drawn_along(void **state) {
    (void)state;
    const sph_law none = {SPH_CONVECTED, 3, 10, 1, INFINITY, 0, 0}, has = {SPH_CONVECTED, 3, 10, 1, 5, 0, 0},
                  turns = {SPH_COROTATIONAL, 3, 10, 1, 5, 0, 0};
    double with[SYM], without[SYM];
    shear(without, &none, 0.9, 1, 20);
    shear(with, &has, 0.9, 1, 20);
    assert_memory_equal(with, without, sizeof with);
    for (double norm = 1; norm < 20; norm *= 3)
        check_near(law_share(&has, norm, 0.5), law_share(&none, norm, 0.5), 0);
    check_near(law_share(&turns, 1, 0.5), 1, 0);
}

/* Giesekus: steady shear against its viscosity function (Bird, Armstrong and Hassager, table 7.3-3). */
static void giesekus(void **state) {
    (void)state;
    const double g = 2, a = 0.3;
    const double chi2 = (sqrt(1 + 16 * a * (1 - a) * g * g) - 1) / (8 * a * (1 - a) * g * g);
    const double chi = sqrt(chi2), f = (1 - chi) / (1 + (1 - 2 * a) * chi);
    const double exact = g * (1 - f) * (1 - f) / (1 + (1 - 2 * a) * f);
    const sph_law law = {SPH_CONVECTED, 3, 1, 1, INFINITY, a, 0};
    double s[SYM];
    shear(s, &law, g, 20, 20000);
    check_near(s[3], exact, 2e-3 * exact);
}

/* Ten turns of 200 steps, stress in axes that turn along: it stays, below yield too; without the turn it is
 * wrong in between, but not after whole ones. */
static double turned(const sph_law *law, double *at_whole) {
    const double pi = acos(-1), start[SYM] = {1, -0.4, -0.6, 0.3, -0.2, 0.5}, angle = 2 * pi / 200;
    const double axis[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0};
    double s[SYM], most = 0;
    law_matrix r, l, whole = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double dt = 0.01;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -axis[3 - i - j] : axis[3 - i - j]);
            r.m[i][j] = cos(angle) * (i == j) + sin(angle) * cross + (1 - cos(angle)) * axis[i] * axis[j];
        }
    l = law_sum(-1 / dt, 1 / dt, &r); /* along chords */
    memcpy(s, start, sizeof s);
    for (int n = 1; n <= 2000; ++n) {
        double own[SYM], error = 0;
        law_advance(s, law, &l, dt);
        whole = law_times(&r, &whole);
        const law_matrix back = law_transposed(&whole), m = law_unpack(s), here = law_carried(&m, &back);
        law_pack(own, &here);
        for (int c = 0; c < SYM; ++c) error = fmax(error, fabs(own[c] - start[c]));
        most = fmax(most, error);
        if (n % 200 == 0) *at_whole = error;
    }
    return most;
}

static void turns(void **state) {
    (void)state;
    double whole;
    const sph_law elastic = {SPH_COROTATIONAL, 3, 1, INFINITY, INFINITY, 0, 0},
                  yields = {SPH_COROTATIONAL, 3, 1, 0.1, 5, 0, 0},
                  fixed = {SPH_FIXED_AXES, 3, 1, INFINITY, INFINITY, 0, 0},
                  convected = {SPH_CONVECTED, 3, 4, INFINITY, INFINITY, 0, 0};
    check_below(turned(&elastic, &whole), 1e-9);
    check_below(turned(&yields, &whole), 1e-9);
    check_below(turned(&convected, &whole), 1e-9);
    assert_true(turned(&fixed, &whole) > 0.5);
    check_below(whole, 1e-6);
}

/* Above its yield a stress relaxes to it and no further; energy is what the work was. */
static void yielding(void **state) {
    (void)state;
    const law_matrix still = {{{0}}};
    const sph_law law = {SPH_COROTATIONAL, 3, 100, 0.1, 2, 0, 0};
    double s[SYM] = {0, 0, 0, 3, 0, 0};
    check_near(law_norm(s), 3 * sqrt(2), 1e-12);
    for (int i = 0; i < 100; ++i) law_advance(s, &law, &still, 0.01);
    check_near(law_norm(s), 2 + (3 * sqrt(2) - 2) * exp(-10), 1e-6);
    check_near(s[3], law_norm(s) / sqrt(2), 1e-9); /* shear yield */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corotational),
        cmocka_unit_test(upper_convected),
        cmocka_unit_test(no_yield_when_drawn_along),
        cmocka_unit_test(giesekus),
        cmocka_unit_test(turns),
        cmocka_unit_test(yielding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
