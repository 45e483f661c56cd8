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

/* The largest speed from 2 to `end` s of a scene in which nothing should move. */
static double speed_at_rest(const char *text, double end) {
    rheo_scene *scene;
    rheo_sim *sim;
    rheo_report report = {0};
    rheo_frame_stats now = {0};
    double speed = 0;
    if (rheo_parse_scene(&scene, text, strlen(text), "tank", &report)) fail_msg("%s", report.message);
    assert_int_equal(rheo_create_sim(&sim, scene, 2, &report), RHEO_OK);
    while (now.time < end - 1e-9) {
        assert_int_equal(rheo_advance_frame(sim, NULL, &now, &report), RHEO_OK);
        if (now.time > 2 - 1e-9) speed = larger(speed, now.speed);
    }
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return speed;
}

/* The same in 2D, the fill given as what a user sees of it: the tank below a level. It reaches the walls. */
static void test_fill_that_ends_at_walls(void **state) {
    (void)state;
    const double speed =
        speed_at_rest("domain: { dim: 2, size: [1, 1], cells: 40 }\n"
                      "solver: { method: apic }\n"
                      "fluids: [ { fill: [ { intersection: [\n"
                      "  { box: { min: [0.2, 0.2], max: [0.8, 0.8] }, rotate: { degrees: 17 } },\n"
                      "  { box: { min: [0, 0], max: [1, 0.28] } } ] } ] } ]\n"
                      "solids: [ { inside: fluid, shape: { box: { min: [0.2, 0.2], max: [0.8, 0.8] "
                      "}, rotate: { degrees: 17 } } } ]\n",
                      4);
    print_message("fill that ends at walls, 2D, 2 to 4 s: speed %.3g m/s\n", speed);
    check_below(speed, 1e-3);
}

/* Gravity oblique to the grid instead of walls: without quiet corners 0.08 m/s at 36 degrees, 0.04 at 45. */
static void test_oblique_gravity(void **state) {
    (void)state;
    static const double degrees[] = {20, 36, 45, 60};
    for (int i = 0; i < 4; ++i) {
        const double angle = degrees[i] * acos(-1) / 180, x = sin(angle), y = cos(angle);
        char text[512];
        snprintf(text, sizeof text,
                 "domain: { dim: 2, size: [1, 1], cells: 40 }\n"
                 "solver: { method: apic }\n"
                 "gravity: [%.9f, %.9f]\n"
                 "fluids: [ { fill: [ { intersection: [ { plane: { point: [0.5, 0.5], normal: [%.9f, %.9f] } "
                 "}, { box: { min: [0, 0], max: [1, 1] } } ] } ] } ]\n",
                 9.81 * x, -9.81 * y, -x, y);
        const double speed = speed_at_rest(text, 3);
        print_message("gravity at %g degrees, 2D, 2 to 3 s: speed %.3g m/s\n", degrees[i], speed);
        check_below(speed, 5e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tilted),
                                       cmocka_unit_test(test_fill_that_ends_at_walls),
                                       cmocka_unit_test(test_oblique_gravity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
