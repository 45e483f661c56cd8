/* What the projection says of itself, and what it may not add. */
#include "check.h"
#include "../../bench/flow.h"
#include "core/random.h"
#include "grid/rows.h"

/* One face without a number, wherever it is among faces that have one, shows. */
static void no_number_shows_in_the_divergence(void **state) {
    (void)state;
    enum { N = 6 };
    const mac_grid g = {.box = box_make(2, (int[3]){N, N, 1}), .dx = 0.1};
    mac_field u = {{0}};
    openings o = {0};
    float *phi = calloc(g.box.size, sizeof *phi);
    assert_non_null(phi);
    assert_int_equal(mac_field_make(&u, &g) | mac_field_make(&o.open, &g), 0);
    memset(o.open_wall, 1, sizeof o.open_wall);
    for (size_t c = 0; c < g.box.size; ++c) {
        phi[c] = -1;
        for (int a = 0; a < 2; ++a) o.open.value[a][c] = 1;
        u.value[0][c] = sinf((float)c);
    }
    assert_true(isfinite(pressure_divergence(&u, &g, &o, phi, NULL, NULL)));
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            float *face = &u.value[1][box_at(&g.box, i, j, 0)];
            *face = NAN;
            assert_true(isnan(pressure_divergence(&u, &g, &o, phi, NULL, NULL)));
            *face = 0;
        }
    mac_field_free(&u);
    mac_field_free(&o.open);
    free(phi);
}

/* A straight surface that a cell's centre lies a hair's breadth below, gravity across it: pressure is linear
 * and nothing moves. With the bound on theta, face by face, such a cell was pushed sideways by half of it. */
static void a_hair_of_liquid_rests(void **state) {
    (void)state;
    enum { N = 8 };
    const mac_grid g = {.box = box_make(2, (int[3]){N, N, 1}), .dx = 1};
    const float down[2] = {0.0995f, 0.9950f};
    mac_field u = {{0}};
    openings o = {0};
    pressure_work work = {.face = {{0}}};
    poisson *solver = poisson_create(&g.box, NULL, POISSON_MIC);
    float *phi = calloc(g.box.size, sizeof *phi), *q = calloc(g.box.size, sizeof *q);
    work.extra = calloc(g.box.size, sizeof *work.extra);
    work.rhs = calloc(g.box.size, sizeof *work.rhs);
    work.unknown = calloc(g.box.size, 1);
    assert_true(solver && phi && q && work.extra && work.rhs && work.unknown);
    assert_int_equal(mac_field_make(&u, &g) | mac_field_make(&o.open, &g) | mac_field_make(&work.face, &g),
                     0);
    for (int j = -GHOST; j < N + GHOST; ++j)
        for (int i = -GHOST; i < N + GHOST; ++i) {
            const ptrdiff_t c = box_at(&g.box, i, j, 0);
            phi[c] = down[0] * (float)(i - 4) + down[1] * (float)(j - 4) - 1e-6f;
            o.open.value[0][c] = i > 0 && i < N;
            o.open.value[1][c] = j > 0 && j < N;
            for (int a = 0; a < 2; ++a) u.value[a][c] = -down[a] * o.open.value[a][c];
        }
    assert_int_equal(pressure_assemble(solver, &work, &g, &o, phi), 0);
    pressure_project(&u, q, solver, &work, &g, &o, phi, 1e-7, 200);
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            for (int a = 0; a < 2; ++a) check_below(fabs((double)u.value[a][box_at(&g.box, i, j, 0)]), 2e-3);
    mac_field_free(&u);
    mac_field_free(&o.open);
    mac_field_free(&work.face);
    poisson_free(solver);
    free(phi);
    free(q);
    free(work.extra);
    free(work.rhs);
    free(work.unknown);
}

static double ball_distance(const double x[3], const void *dim) {
    const double d[3] = {x[0] - 0.47, x[1] - 0.52, *(const int *)dim == 3 ? x[2] - 0.5 : 0};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.21;
}

static double energy_of(const flow *f) {
    double sum = 0;
    for (int a = 0; a < f->g.box.dim; ++a)
        for (size_t i = 0; i < f->g.box.size; ++i) {
            const double u = (double)f->u.value[a][i];
            sum += (double)f->open.open.value[a][i] * u * u;
        }
    return sum;
}

/* Of any velocity in a full box with a ball, the projection keeps the part without divergence and no more
 * energy than there was, in the norm of open shares in which it is orthogonal. */
static void no_energy_is_added(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        flow f;
        assert_int_equal(flow_make(&f, dim, 20, 2, ball_distance, NULL, &dim), 0);
        for (int a = 0; a < dim; ++a)
            for (size_t i = 0; i < f.g.box.size; ++i)
                f.u.value[a][i] = 2 * random_unit(11, i, (uint64_t)a) - 1;
        const double before = energy_of(&f);
        assert_true(flow_project(&f, 1e-6).converged);
        const double after = energy_of(&f),
                     left = pressure_divergence(&f.u, &f.g, &f.open, f.phi, NULL, NULL);
        print_message("%dD: energy %.4f of what it was, divergence %.1e /s\n", dim, after / before, left);
        assert_true(after < before);
        check_below(left, 1e-3);
        flow_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_number_shows_in_the_divergence),
                                       cmocka_unit_test(a_hair_of_liquid_rests),
                                       cmocka_unit_test(no_energy_is_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
