/* A reproduction case on its small sizes, as a test: it runs, and every verdict holds. */
#ifndef TESTS_QUICK_CASE_H
#define TESTS_QUICK_CASE_H

#include "check.h"
#include "../bench/cases.h"

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
#endif
