/* Fluids of particles alone, as whole simulations. */
#include "check.h"
#include "scenes_by_hand.h"
#include "sim/state.h"
#include "stored_state.h"

/* Water at rest stays: its level, its pressure, and how little it trembles. */
static void rests(void **state) {
    setup t;
    (void)state;
    set_up(&t, RHEO_SPH, 2, 24);
    fill_pool(&t, 0.5);
    rheo_probe probe = {.from = {0.5, 0.1, 0}, .to = {0.5, 0.4, 0}, .samples = 4, .of = RHEO_OF_PRESSURE};
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats start = stats_of(sim);
    const rheo_frame_stats end = run_frames(sim, 60);
    double rows[4][4];
    printf("speed %.4f m/s, centroid %.5f -> %.5f, volume %+.4f\n", end.speed, start.fluids[0].centroid[1],
           end.fluids[0].centroid[1], end.volume_drift);
    check_below(end.speed, 0.04);
    check_near(end.fluids[0].centroid[1], start.fluids[0].centroid[1], 0.002);
    rheo_sample_probe(rows[0], sim, &probe);
    for (int i = 0; i < 4; ++i) {
        const double p = t.fluid[0].density * 9.81 * (0.5 - rows[i][1]);
        printf("  p(%.1f) = %.0f, %.0f\n", rows[i][1], rows[i][3], p);
        check_near(rows[i][3], p, 0.03 * t.fluid[0].density * 9.81 * 0.5);
    }
    rheo_free_sim(sim);
}

static void fill_dam(setup *t, int dim) {
    set_up(t, RHEO_SPH, dim, dim == 3 ? 12 : 20);
    fill_with(t, box_between(0, 0, 0, 0.4, 0.6, 1));
    add_solid(t, ball_at(0.7, 0.1, 0.5, 0.15));
    add_body(t, ball_at(0.75, 0.6, 0.5, 0.1), 400);
}

/* The same bits for any number of threads, and after a checkpoint within a frame. */
static void repeats(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        fill_dam(&t, dim);
        rheo_sim *whole = start_sim(&t.scene, 1), *first = start_sim(&t.scene, 2),
                 *second = start_sim(&t.scene, 5);
        rheo_report report = {0};
        stored_state stored;
        run_frames(whole, 6);
        run_frames(first, 3);
        step_sim(first, 0);
        stored.count = sim_list_state(stored.list, first);
        if (sim_restore_state(second, read_stored, &stored, &report)) fail_msg("%s", report.message);
        run_frames(second, 3);
        state_array a[STATE_ARRAYS_MAX], b[STATE_ARRAYS_MAX];
        const int count = sim_list_state(a, whole);
        static const size_t width[] = {[STATE_F32] = 4, [STATE_F64] = 8, [STATE_U32] = 4,
                                       [STATE_U8] = 1,  [STATE_I32] = 4, [STATE_I64] = 8};
        assert_int_equal(count, sim_list_state(b, second));
        for (int i = 0; i < count; ++i) {
            assert_int_equal(a[i].count, b[i].count);
            if (memcmp(a[i].data, b[i].data, a[i].count * width[a[i].type]))
                fail_msg("%s differs", a[i].name);
        }
        rheo_free_sim(whole);
        rheo_free_sim(first);
        rheo_free_sim(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests),
        cmocka_unit_test(repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
