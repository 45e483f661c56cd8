/* The quick halves of the reproduction cases about flow without bodies: every verdict must hold. */
#include "check.h"
#include "quick_case.h"

static void front(void **state) {
    (void)state;
    check_case(reproduce_dam_break_front, 12);
}

static void vortex(void **state) {
    (void)state;
    check_case(reproduce_taylor_green, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(front), cmocka_unit_test(vortex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
