/* Cases of `rheo reproduce` about viscosity, on small grids. */
#include "quick_case.h"

static void test_poiseuille(void **state) {
    (void)state;
    check_case(reproduce_poiseuille, 2);
}

static void test_couette(void **state) {
    (void)state;
    check_case(reproduce_couette, 6);
}

static void test_two_layer(void **state) {
    (void)state;
    check_case(reproduce_two_layer, 12);
}

static void test_annular_couette(void **state) {
    (void)state;
    check_case(reproduce_annular_couette, 3);
}

static void test_viscous_disk(void **state) {
    (void)state;
    check_case(reproduce_viscous_disk, 9);
}

static void test_ballistic(void **state) {
    (void)state;
    check_case(reproduce_ballistic, 16);
}

static void test_sag(void **state) {
    (void)state;
    check_case(reproduce_sag, 5);
}

static void test_edge_mean(void **state) {
    (void)state;
    check_case(reproduce_edge_mean, 6);
}

static void test_explicit_limit(void **state) {
    (void)state;
    check_case(reproduce_explicit_limit, 3);
}

static void test_tree_viscosity(void **state) {
    (void)state;
    check_case(reproduce_tree_viscosity, 57);
}

static void test_tree_3d(void **state) {
    (void)state;
    check_case(reproduce_tree_3d, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poiseuille),
        cmocka_unit_test(test_couette),
        cmocka_unit_test(test_two_layer),
        cmocka_unit_test(test_annular_couette),
        cmocka_unit_test(test_viscous_disk),
        cmocka_unit_test(test_ballistic),
        cmocka_unit_test(test_sag),
        cmocka_unit_test(test_edge_mean),
        cmocka_unit_test(test_explicit_limit),
        cmocka_unit_test(test_tree_viscosity),
        cmocka_unit_test(test_tree_3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
