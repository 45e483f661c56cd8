/* The lists and runners behind `rheo reproduce` and `rheo bench`: names, strict JSON, orders of the quick
 * cases. */
#include "check.h"
#include <rheo/measure.h>
#include "../../bench/cases.h"

typedef struct seen {
    int lines, orders;
    double worst; /* order of pressure among the verdicts without a flow along the walls */
} seen;

static void read_line(void *user, const char *line) {
    seen *s = user;
    const size_t length = strlen(line);
    s->lines += 1;
    assert_true(length > 2 && line[0] == '{' && line[length - 1] == '}');
    assert_null(strstr(line, "nan"));
    assert_null(strstr(line, ":inf"));
    assert_non_null(strstr(line, "\"case\":"));
    assert_non_null(strstr(line, "\"pass\":"));
    if (strstr(line, "\"pass\":null")) return;
    print_message("%s\n", line);
    const char *order = strstr(line, "\"order\":");
    if (!order || !strstr(line, "pressure") || strstr(line, "with flow")) return;
    s->orders += 1;
    s->worst = smaller(s->worst, atof(order + 8));
}

static rows quick(seen *s) {
    return (rows){.threads = 2, .json = 1, .quick = 1, .print = read_line, .user = s};
}

static void test_lists(void **state) {
    (void)state;
    static const char *const cases[] = {"poisson-order",
                                        "hydrostatic",
                                        "taylor-green",
                                        "dam-break-front",
                                        "volume",
                                        "vortex-in-box",
                                        "momentum",
                                        "wall-separation",
                                        "added-mass",
                                        "buoyancy",
                                        "box-in-channel",
                                        "hourglass-plug",
                                        "tumbling-stones",
                                        "contact",
                                        "poiseuille",
                                        "couette",
                                        "two-layer",
                                        "annular-couette",
                                        "viscous-disk",
                                        "ballistic",
                                        "sag",
                                        "stokes-drag",
                                        "edge-mean",
                                        "explicit-limit",
                                        "fold",
                                        "coil",
                                        "buckling",
                                        "tree-viscosity",
                                        "tree-3d",
                                        "slab-heat",
                                        "lod-order",
                                        "contact-heat",
                                        "stefan",
                                        "cooling",
                                        "insulated",
                                        "power",
                                        "bath",
                                        "upwind-heat",
                                        "melts",
                                        "sets",
                                        "sph-kernels",
                                        "sph-hydrostatic",
                                        "sph-poiseuille",
                                        "sph-couette",
                                        "sph-oscillating-drop",
                                        "sph-float",
                                        "sph-front",
                                        "sph-order",
                                        "sph-volume",
                                        "sph-integrators",
                                        "sph-source",
                                        "shear-startup",
                                        "spin",
                                        "couette-startup",
                                        "sph-elastic-drop"};
    static const char *const figures[] = {"stream", "poisson",   "particles", "separation", "step", "smoke",
                                          "bodies", "viscosity", "tree",      "heat",       "sph"};
    enum { CASES = sizeof cases / sizeof *cases, FIGURES = sizeof figures / sizeof *figures };
    for (int i = 0; i < CASES; ++i) assert_string_equal(rheo_list_reproductions()[i].name, cases[i]);
    for (int i = 0; i < FIGURES; ++i) assert_string_equal(rheo_list_benches()[i].name, figures[i]);
    assert_null(rheo_list_reproductions()[CASES].name);
    assert_null(rheo_list_benches()[FIGURES].name);
}

static void test_unknown_name(void **state) {
    (void)state;
    rheo_report report = {0};
    seen s = {0};
    int passed = 1, failed = 1;
    assert_int_equal(rheo_reproduce(&passed, &failed, "no-such-case", NULL, 1, 1, read_line, &s, &report),
                     RHEO_USAGE);
    assert_int_equal(passed + failed + s.lines, 0);
    assert_non_null(strstr(report.message, "no-such-case"));
    assert_int_equal(rheo_bench("no-such-figure", 1, 1, read_line, &s, &report), RHEO_USAGE);
}

/* Two of the four vessels have a surface, in 2D and in 3D; nothing else is computed. */
static void test_chosen_setups(void **state) {
    (void)state;
    seen s = {.worst = 9};
    rows out = quick(&s);
    out.only = ", surface";
    assert_int_equal(reproduce_hydrostatic(&out), RHEO_OK);
    assert_int_equal(s.lines, 4);
    assert_int_equal(out.chosen, 4);
    assert_int_equal(out.passed_over_count, 4);
    assert_string_equal(out.passed_over[0], "2D tilted box, full");
}

static void test_resting_projection(void **state) {
    (void)state;
    seen s = {.worst = 9};
    rows out = quick(&s);
    assert_int_equal(reproduce_hydrostatic(&out), RHEO_OK);
    assert_int_equal(out.failed, 0);
    assert_int_equal(out.passed, 8);
    assert_int_equal(s.lines, 8);
}

static void test_order(void **state) {
    (void)state;
    seen s = {.worst = 9};
    rows out = quick(&s);
    assert_int_equal(reproduce_poisson_order(&out), RHEO_OK);
    print_message("%d verdicts hold, %d do not; worst order of pressure %.3f\n", out.passed, out.failed,
                  s.worst);
    assert_int_equal(out.failed, 0);
    assert_int_equal(s.orders, 4);
    assert_true(s.worst >= 1.8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_unknown_name),
                                       cmocka_unit_test(test_chosen_setups),
                                       cmocka_unit_test(test_resting_projection),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
