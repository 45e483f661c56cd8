/* Elastic fluids of particles, as whole simulations. */
#include "quick_case.h"
#include "scenes_by_hand.h"
#include "sim/state.h"
#include "stored_state.h"

static void flows(void **state) {
    (void)state;
    check_case(reproduce_shear_startup, 72);
    check_case(reproduce_spin, 4);
    check_case(reproduce_couette_startup, 2);
}

static void swings(void **state) {
    (void)state;
    check_case(reproduce_sph_elastic_drop, 2);
}

/* Two balls that hit each other obliquely keep what momentum they have, gain no energy, and bounce. */
static void collides(void **state) {
    setup t;
    (void)state;
    set_up(&t, RHEO_SPH, 3, 20);
    t.gravity[1] = 0;
    fill_with(&t, ball_at(0.33, 0.5, 0.5, 0.14));
    t.fluid[0].velocity[0] = 0.3;
    t.fluid[0].elasticity = 2e4;
    rheo_fluid *other = add_fluid(&t, "other", ball_at(0.67, 0.56, 0.5, 0.14));
    other->velocity[0] = -0.3;
    other->elasticity = 1e4;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats start = stats_of(sim);
    const double size = start.fluids[0].mass;
    double most = 0, stored = 0;
    rheo_frame_stats end = start;
    for (int frame = 0; frame < 15; ++frame) {
        end = run_frames(sim, 1);
        most = fmax(most, end.kinetic + end.elastic);
        stored = fmax(stored, end.elastic);
        printf("%.3f s: kinetic %.3f, elastic %.3f, momentum %.2g, turn %.2g\n", end.time, end.kinetic,
               end.elastic, end.momentum[0] / size,
               (end.angular_momentum[2] - start.angular_momentum[2]) / size);
    }
    assert_true(stored > 0.1 * start.kinetic);
    assert_true(end.kinetic > 0.25 * start.kinetic);
    check_below(most, 1.002 * start.kinetic);
    for (int a = 0; a < 3; ++a) {
        check_near(end.momentum[a] / size, start.momentum[a] / size, 1e-6);
        check_near(end.angular_momentum[a] / size, start.angular_momentum[a] / size, 2e-4);
    }
    rheo_free_sim(sim);
}

/* The same bits for any number of threads, and after a checkpoint within a frame, where two stressed fluids
 * lie on a wall that holds them and a body. */
static void repeats(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        set_up(&t, RHEO_SPH, dim, 14);
        fill_with(&t, ball_at(0.4, 0.2, 0.5, 0.18));
        t.fluid[0].elasticity = 5e3;
        t.fluid[0].relaxation_time = 0.2;
        add_fluid(&t, "other", ball_at(0.7, 0.24, 0.5, 0.15))->yield_stress = 100;
        add_body(&t, ball_at(0.45, 0.55, 0.5, 0.12), 400);
        t.scene.slip = 0;
        check_repeats(&t.scene);
    }
}

/* Stretched, let go and left alone: no stress below its yield is forgotten, all of it without one. */
static void forgets(void **state) {
    (void)state;
    double left[2];
    for (int yields = 0; yields < 2; ++yields) {
        setup t;
        set_up(&t, RHEO_SPH, 2, 16);
        fill_pool(&t, 0.5);
        t.fluid[0].elasticity = 1e4;
        t.fluid[0].relaxation_time = 0.05;
        if (yields) t.fluid[0].yield_stress = 1e5;
        add_body(&t, box_between(0.3, 0.5, 0, 0.7, 0.8, 1), 2000);
        rheo_sim *sim = start_sim(&t.scene, 2);
        run_frames(sim, 30);
        left[yields] = stats_of(sim).elastic;
        rheo_free_sim(sim);
    }
    printf("elastic energy %g J, with a yield %g J\n", left[0], left[1]);
    assert_true(left[1] > 4 * left[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows),   cmocka_unit_test(swings),  cmocka_unit_test(collides),
        cmocka_unit_test(repeats), cmocka_unit_test(forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
