/* Heat in liquids: the reproduction cases on their small sizes. */
#include "quick_case.h"

static void slab(void **state) {
    (void)state;
    check_case(reproduce_slab_heat, 1);
}
static void sweeps(void **state) {
    (void)state;
    check_case(reproduce_lod_order, 1);
}
static void contact(void **state) {
    (void)state;
    check_case(reproduce_contact_heat, 3);
}
static void melting(void **state) {
    (void)state;
    check_case(reproduce_stefan, 1);
}
static void air(void **state) {
    (void)state;
    check_case(reproduce_cooling, 2);
}
static void kept(void **state) {
    (void)state;
    check_case(reproduce_insulated, 1);
}
static void power(void **state) {
    (void)state;
    check_case(reproduce_power, 2);
}
static void bath(void **state) {
    (void)state;
    check_case(reproduce_bath, 3);
}
static void carried(void **state) {
    (void)state;
    check_case(reproduce_upwind_heat, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slab),    cmocka_unit_test(sweeps), cmocka_unit_test(contact),
        cmocka_unit_test(melting), cmocka_unit_test(air),    cmocka_unit_test(kept),
        cmocka_unit_test(power),   cmocka_unit_test(bath),   cmocka_unit_test(carried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
