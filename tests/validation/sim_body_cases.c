/* The quick halves of the reproduction cases about solids: every verdict must hold. */
#include "check.h"
#include "../../bench/cases.h"

static void print_line(void *user, const char *line) {
    (void)user;
    print_message("%s\n", line);
}

static void check_case(rheo_status (*run)(rows *out), int verdicts) {
    rheo_report report = {0};
    rows out = {.threads = 2, .quick = 1, .print = print_line, .report = &report};
    if (run(&out)) fail_msg("%s", report.message);
    assert_int_equal(out.failed, 0);
    assert_int_equal(out.passed, verdicts);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(added_mass), cmocka_unit_test(buoyancy),
                                       cmocka_unit_test(plug), cmocka_unit_test(turned_box),
                                       cmocka_unit_test(contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
