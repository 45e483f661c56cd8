/* What the projection says of itself. */
#include "check.h"
#include "stage/pressure.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_number_shows_in_the_divergence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
