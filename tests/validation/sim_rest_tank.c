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

/* The same in 2D, the fill given as what a user sees of it: the tank below a level. It reaches the walls. */
static void test_fill_that_ends_at_walls(void **state) {
    (void)state;
    static const char text[] = "domain: { dim: 2, size: [1, 1], cells: 40 }\n"
                               "solver: { method: apic }\n"
                               "fluids: [ { fill: [ { intersection: [\n"
                               "  { box: { min: [0.2, 0.2], max: [0.8, 0.8] }, rotate: { degrees: 17 } },\n"
                               "  { box: { min: [0, 0], max: [1, 0.28] } } ] } ] } ]\n"
                               "solids: [ { inside: fluid, shape: { box: { min: [0.2, 0.2], max: [0.8, 0.8] "
                               "}, rotate: { degrees: 17 } } } ]\n";
    rheo_scene *scene;
    rheo_sim *sim;
    rheo_report report = {0};
    rheo_frame_stats now = {0};
    double speed = 0;
    if (rheo_parse_scene(&scene, text, strlen(text), "tank", &report)) fail_msg("%s", report.message);
    assert_int_equal(rheo_create_sim(&sim, scene, 2, &report), RHEO_OK);
    while (now.time < 4 - 1e-9) {
        assert_int_equal(rheo_advance_frame(sim, NULL, &now, &report), RHEO_OK);
        if (now.time > 2 - 1e-9) speed = larger(speed, now.speed);
    }
    print_message("fill that ends at walls, 2D, 2 to 4 s: speed %.3g m/s\n", speed);
    check_below(speed, 1e-3);
    rheo_free_sim(sim);
    rheo_free_scene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tilted),
                                       cmocka_unit_test(test_fill_that_ends_at_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
