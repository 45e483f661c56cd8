/* What melts runs and what is set stands: the reproduction cases on their small sizes. */
#include "quick_case.h"

static void melts(void **state) {
    (void)state;
    check_case(reproduce_melts, 2);
}
static void sets(void **state) {
    (void)state;
    check_case(reproduce_sets, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(melts), cmocka_unit_test(sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
