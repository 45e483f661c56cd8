/* How far volume drifts. Of the dam break: by 5 % at most in any frame of ten seconds of splashing, by 1 % in
 * the last second, flip and apic. Of a column that stood in the middle, and of a film, which the grid hardly
 * knows: by 6 % at most. */
#include "check.h"
#include <rheo/rheo.h>

static void watch(const char *method) {
    const char *set[] = {"domain.cells=32", method};
    rheo_scene *scene;
    rheo_sim *sim;
    rheo_report report = {0};
    double most = 0, at = 0, late = 0;
    assert_int_equal(rheo_load_scene(&scene, "dam-break", set, 2, &report), RHEO_OK);
    assert_int_equal(rheo_create_sim(&sim, scene, 0, &report), RHEO_OK);
    rheo_free_scene(scene);
    for (int frame = 1; frame <= 300; ++frame) {
        rheo_frame_stats stats;
        assert_int_equal(rheo_advance_frame(sim, NULL, &stats, &report), RHEO_OK);
        if (!(fabs(stats.volume_drift) <= most)) { /* what is not a number too */
            most = fabs(stats.volume_drift);
            at = stats.time;
        }
        if (frame > 270) late = larger(late, fabs(stats.volume_drift));
    }
    rheo_free_sim(sim);
    print_message("%s 32^3: largest |drift| %.4f at %.2f s, in the last second %.4f\n", method, most, at,
                  late);
    check_below(most, 0.05);
    check_below(late, 0.01);
}

static void test_flip(void **state) {
    (void)state;
    watch("solver.method=flip");
}

static void test_apic(void **state) {
    (void)state;
    watch("solver.method=apic");
}

static double largest_drift(const rheo_scene *scene, int frames) {
    rheo_sim *sim;
    rheo_report report = {0};
    double most = 0;
    assert_int_equal(rheo_create_sim(&sim, scene, 0, &report), RHEO_OK);
    for (int frame = 0; frame < frames; ++frame) {
        rheo_frame_stats stats;
        assert_int_equal(rheo_advance_frame(sim, NULL, &stats, &report), RHEO_OK);
        most = larger(most, fabs(stats.volume_drift));
    }
    rheo_free_sim(sim);
    return most;
}

static double drift_of_fill(const rheo_shape *fill, const double velocity[3], rheo_method method, int cells,
                            int frames) {
    rheo_fluid water = rheo_default_fluid();
    water.fill = fill;
    water.fill_count = 1;
    for (int a = 0; a < 3; ++a) water.velocity[a] = velocity[a];
    rheo_scene scene = rheo_default_scene();
    scene.cells = cells;
    scene.method = method;
    scene.fluids = &water;
    scene.fluid_count = 1;
    return largest_drift(&scene, frames);
}

/* A film thrown at walls is heaped up there and spreads again: of one cell into a corner it lost 16 % for a
 * second when cells beside air were never thinned; of half a cell, which has no pressure, up to 23 % when all
 * of it lay on the floor itself. */
static void test_film(void **state) {
    (void)state;
    enum { CELLS = 20, FINE = 36 };
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    fill.b[0] = fill.b[2] = 1;
    fill.b[1] = 1.0 / CELLS;
    const double whole = drift_of_fill(&fill, (const double[3]){1, 0, 0.7}, RHEO_APIC, CELLS, 60);
    fill.b[1] = 0.5 / FINE;
    const double half = drift_of_fill(&fill, (const double[3]){1.2, 0, 0}, RHEO_APIC, FINE, 40);
    print_message("film into a corner: largest |drift| %.3f; of half a cell at a wall %.3f\n", whole, half);
    check_below(whole, 0.06);
    check_below(half, 0.06);
}

/* Thin films run back from all four walls, fly into each other on the floor and are heaped up: columns of 0.4
 * and 0.3 m lost 8 and 10 % for moments while the grid took no note of it. */
static void test_column(void **state) {
    (void)state;
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int narrow = 0; narrow < 2; ++narrow)
        for (int m = 0; m < 2; ++m) {
            const double half = narrow ? 0.15 : 0.2, still[3] = {0, 0, 0};
            fill.a[0] = fill.a[2] = 0.5 - half, fill.a[1] = 0;
            fill.b[0] = fill.b[2] = 0.5 + half, fill.b[1] = 0.7;
            const double most = drift_of_fill(&fill, still, m ? RHEO_FLIP : RHEO_APIC, 32, 36);
            print_message("column %.1f wide, %s: largest |drift| %.3f\n", 2 * half, m ? "flip" : "apic",
                          most);
            check_below(most, 0.045);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flip), cmocka_unit_test(test_apic),
                                       cmocka_unit_test(test_column), cmocka_unit_test(test_film)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
