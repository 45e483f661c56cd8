/* The quick halves of the reproduction cases about solids: every verdict must hold. */
#include "check.h"
#include "quick_case.h"

static void added_mass(void **state) {
    (void)state;
    check_case(reproduce_added_mass, 4);
}

static void buoyancy(void **state) {
    (void)state;
    check_case(reproduce_buoyancy, 4);
}

static void plug(void **state) {
    (void)state;
    check_case(reproduce_plug, 2);
}

static void turned_box(void **state) {
    (void)state;
    check_case(reproduce_turned_box, 6);
}

static void contact(void **state) {
    (void)state;
    check_case(reproduce_contact, 26);
}

static void gap(void **state) {
    (void)state;
    check_case(reproduce_gap, 4);
}

static void stones(void **state) {
    (void)state;
    check_case(reproduce_stones, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(added_mass), cmocka_unit_test(buoyancy),
                                       cmocka_unit_test(plug),       cmocka_unit_test(turned_box),
                                       cmocka_unit_test(contact),    cmocka_unit_test(gap),
                                       cmocka_unit_test(stones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
