/* A tank at rest on the grid of the promise: a tilted box half full of water at 48^3, apic, moves at no more
 * than 5e-3 m/s from the second second on. */
#include "check.h"
#include <rheo/rheo.h>
#include "../../bench/tanks.h"

static void test_tilted(void **state) {
    (void)state;
    const tank box = {.level = 0.4637, .degrees = 25};
    rheo_report report = {0};
    tank_result r;
    if (tank_run(&r, &box, 48, 2, 2, 2.5, &report)) fail_msg("%s", report.message);
    print_message("tilted box, 48^3, 2 to 2.5 s: speed %.3g m/s, energy gain %.3g m\n", r.speed, r.gain);
    assert_true(r.mass > 0);
    check_below(r.speed, 5e-3);
    check_below(r.gain, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tilted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
