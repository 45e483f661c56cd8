/* Ways to move particles: orders in time, and what a one-shot pressure does. */
#include "quick_case.h"

static void integrators(void **state) {
    (void)state;
    check_case(reproduce_sph_integrators, 3);
}
static void pressures(void **state) {
    (void)state;
    check_case(reproduce_sph_source, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrators), cmocka_unit_test(pressures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
