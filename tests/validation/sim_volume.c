/* How far volume drifts. Of the dam break: by 5 % at most in any frame of ten seconds of splashing, by 1 % in
 * the last second, flip and apic. Of a column that stood in the middle, and of a film, which the grid hardly
 * knows: by 6 % at most. */
#include "check.h"
#include "scenes_by_hand.h"

static void watch(const char *method) {
    const char *set[] = {"domain.cells=32", method};
    rheo_scene *scene;
    rheo_report report = {0};
    double most = 0, at = 0, late = 0;
    assert_int_equal(rheo_load_scene(&scene, "dam-break", set, 2, &report), RHEO_OK);
    rheo_sim *sim = start_sim(scene, 0);
    rheo_free_scene(scene);
    for (int frame = 1; frame <= 300; ++frame) {
        const rheo_frame_stats stats = run_frames(sim, 1);
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

static double drift_of_fill(rheo_shape fill, const double velocity[3], rheo_method method, int cells,
                            int frames) {
    setup t;
    double most = 0;
    set_up(&t, method, 3, cells);
    fill_with(&t, fill);
    memcpy(t.fluid[0].velocity, velocity, sizeof t.fluid[0].velocity);
    rheo_sim *sim = start_sim(&t.scene, 0);
    for (int frame = 0; frame < frames; ++frame) most = larger(most, fabs(run_frames(sim, 1).volume_drift));
    rheo_free_sim(sim);
    return most;
}

/* A film thrown at walls is heaped up there and spreads again: of one cell into a corner it lost 16 % for a
 * second when cells beside air were never thinned; of half a cell, which has no pressure, up to 23 % when all
 * of it lay on the floor itself. */
static void test_film(void **state) {
    (void)state;
    enum { CELLS = 20, FINE = 36 };
    const rheo_shape film = box_between(0, 0, 0, 1, 1.0 / CELLS, 1),
                     thin = box_between(0, 0, 0, 1, 0.5 / FINE, 1);
    const double whole = drift_of_fill(film, (const double[3]){1, 0, 0.7}, RHEO_APIC, CELLS, 60);
    const double half = drift_of_fill(thin, (const double[3]){1.2, 0, 0}, RHEO_APIC, FINE, 40);
    print_message("film into a corner: largest |drift| %.3f; of half a cell at a wall %.3f\n", whole, half);
    check_below(whole, 0.06);
    check_below(half, 0.06);
}

/* Thin films run back from all four walls, fly into each other on the floor and are heaped up: columns of 0.4
 * and 0.3 m lost 8 and 10 % for moments while the grid took no note of it. */
static void test_column(void **state) {
    (void)state;
    for (int narrow = 0; narrow < 2; ++narrow)
        for (int m = 0; m < 2; ++m) {
            const double half = narrow ? 0.15 : 0.2, still[3] = {0, 0, 0};
            const rheo_shape column = box_between(0.5 - half, 0, 0.5 - half, 0.5 + half, 0.7, 0.5 + half);
            const double most = drift_of_fill(column, still, m ? RHEO_FLIP : RHEO_APIC, 32, 36);
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
