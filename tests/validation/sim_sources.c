/* Liquid that comes in, and what moves it: an emitter gives v A a second whatever its length, liquid without
 * gravity stays where it is, and a keyed solid carries no particles inside itself. */
#include "check.h"
#include "scenes_by_hand.h"

static void check_flow(rheo_method method, double length) {
    setup t;
    set_up(&t, method, 3, 40);
    t.gravity[1] = 0;
    add_emitter(&t, box_between(0.1, 0.4, 0.4, 0.1 + length, 0.6, 0.6), 1, 0, 0);
    rheo_sim *sim = start_sim(&t.scene, 0);
    const double first = run_frames(sim, 1).fluids[0].volume, last = run_frames(sim, 6).fluids[0].volume;
    print_message("method %d, length %.2f m: %.5f m3/s of %.5f\n", (int)method, length, (last - first) / 0.2,
                  0.04);
    check_near((last - first) / 0.2, 0.04, 0.03 * 0.04);
    check_near(run_frames(sim, 1).speed, 1, 0.15);
    rheo_free_sim(sim);
}

static void test_emitter_flow(void **state) {
    (void)state;
    check_flow(RHEO_FLIP, 0.1);
    check_flow(RHEO_FLIP, 0.4);
    check_flow(RHEO_APIC, 0.2);
    check_flow(RHEO_SEMI_LAGRANGIAN, 0.2);
}

static void test_weightless_drop_stays(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_FLIP, 3, 24);
    t.gravity[1] = 0;
    fill_with(&t, ball_at(0.5, 0.5, 0.5, 0.3));
    rheo_sim *sim = start_sim(&t.scene, 0);
    const rheo_frame_stats stats = run_frames(sim, 10);
    check_below(stats.speed, 1e-6);
    for (int a = 0; a < 3; ++a) check_near(stats.fluids[0].centroid[a], 0.5, 0.01);
    rheo_free_sim(sim);
}

/* A box of water under gravity and a keyed box that moves through two places. */
static rheo_sim *make_keyed(int cells, rheo_shape pool, rheo_shape solid, double time,
                            const double places[6]) {
    const double times[2] = {0, time};
    setup t;
    set_up(&t, RHEO_FLIP, 3, cells);
    fill_with(&t, pool);
    add_keyed(&t, solid, 2, times, places);
    return start_sim(&t.scene, 0);
}

/* A wall of 0.2 m that reaches through the floor crosses a tank; nothing may be left deeper inside than its
 * edges are rounded. */
static void test_nothing_inside_a_moving_wall(void **state) {
    (void)state;
    static const double places[6] = {0.2, 0.5, 0.5, 0.7, 0.5, 0.5};
    rheo_sim *sim = make_keyed(32, box_between(0, 0, 0, 1, 0.4, 1),
                               box_between(0.1, -0.5, 0.2, 0.3, 1.5, 0.8), 0.5, places);
    rheo_particle_view view;
    for (int frame = 1; frame <= 12; ++frame) {
        const rheo_frame_stats stats = run_frames(sim, 1);
        const double x = 0.2 + stats.time, cell = 1.0 / 32;
        double deepest = 0;
        rheo_view_particles(&view, sim);
        for (size_t q = 0; q < view.count; ++q) {
            const double dx = 0.1 - fabs((double)view.position[0][q] * cell - x);
            const double dz = 0.3 - fabs((double)view.position[2][q] * cell - 0.5);
            deepest = larger(deepest, smaller(dx, dz) / cell);
        }
        check_below(deepest, 0.3); /* the distance between nodes rounds the edges */
        check_below(fabs(stats.volume_drift), 0.05);
    }
    rheo_free_sim(sim);
}

/* A piston that moves from the very start pushes the water before it, and does not overrun it. */
static void test_piston_from_the_start(void **state) {
    (void)state;
    static const double places[6] = {-0.3, 0.5, 0.5, 0.1, 0.5, 0.5};
    rheo_sim *sim = make_keyed(24, box_between(0.1, 0, 0, 0.7, 0.5, 1),
                               box_between(-0.7, -0.5, -0.5, 0.1, 1.5, 1.5), 0.2, places);
    for (int frame = 1; frame <= 4; ++frame) check_below(fabs(run_frames(sim, 1).volume_drift), 0.04);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emitter_flow),
        cmocka_unit_test(test_weightless_drop_stays),
        cmocka_unit_test(test_nothing_inside_a_moving_wall),
        cmocka_unit_test(test_piston_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
