/* Vessels that are closed and full stay at rest: no surface, so nothing but the solve's tolerance can move
 * them. */
#include "check.h"
#include <rheo/rheo.h>
#include "../../bench/tanks.h"

static void check_rest(int round_tank) {
    rheo_report report = {0};
    tank_result r;
    const tank full = {.round_tank = round_tank, .full = 1};
    assert_int_equal(tank_run(&r, &full, 32, 0, 0, 1, &report), RHEO_OK);
    print_message("full %s, 32^3: speed %.3g m/s, energy gain %.3g m\n", round_tank ? "sphere" : "tilted box",
                  r.speed, r.gain);
    assert_true(r.mass > 0);
    check_below(r.speed, 1e-4);
    check_below(r.gain, 1e-4); /* particles settle a little at the start */
}

static void test_sphere(void **state) {
    (void)state;
    check_rest(1);
}

static void test_tilted_box(void **state) {
    (void)state;
    check_rest(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sphere), cmocka_unit_test(test_tilted_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
