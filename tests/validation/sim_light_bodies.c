/* Bodies of a hundredth to a millionth of the water's density rise as fast with the steps that the scene
 * chooses as with short ones. */
#include "check.h"
#include "scenes_by_hand.h"

static double speed_after(int *steps, double density, double dt_max) {
    setup t;
    set_up(&t, RHEO_APIC, 2, 64);
    set_size(&t, 1, 2, 1);
    fill_pool(&t, 2);
    add_body(&t, ball_at(0.5, 0.5, 0, 0.12), density);
    t.scene.fps = 60;
    t.scene.dt_max = dt_max;
    t.scene.pic_blend = 0;
    rheo_sim *sim = start_sim(&t.scene, 1);
    *steps = 0;
    for (int i = 0; i < 16; ++i) *steps += run_frames(sim, 1).steps;
    const double speed = body_of(sim, 0).velocity[1];
    rheo_free_sim(sim);
    return speed;
}

static void steps_do_not_brake(void **state) {
    (void)state;
    static const double densities[] = {10, 1.2, 0.1, 0.001};
    for (int i = 0; i < 4; ++i) {
        int steps, many;
        const double chosen = speed_after(&steps, densities[i], 0),
                     fine = speed_after(&many, densities[i], 0.002);
        print_message("%g kg/m3 after 16 frames: %.3f m/s in %d steps, %.3f in %d\n", densities[i], chosen,
                      steps, fine, many);
        check_near(chosen, fine, 0.03 * fine);
        check_below(steps, many);
    }
}

/* The fastest spin [rad/s] of a ball that rises, leaps and floats. Without friction: walls that it comes to
 * do not turn it either. */
static double spin_of_ball(double density, rheo_method method, rheo_coupling coupling, double dt_max) {
    setup t;
    double most = 0;
    set_up(&t, method, 3, 32);
    set_size(&t, 1, 1.6, 1);
    fill_pool(&t, 0.6);
    rheo_solid *ball = add_body(&t, ball_at(0.513, 0.42, 0.487, 0.15), density);
    ball->friction = ball->static_friction = 0;
    t.scene.fps = 30;
    t.scene.dt_max = dt_max;
    t.scene.coupling = coupling;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int i = 0; i < 30; ++i) {
        run_frames(sim, 1);
        const rheo_body_stats body = body_of(sim, 0);
        for (int a = 0; a < 3; ++a) most = larger(most, fabs(body.spin[a]));
    }
    rheo_free_sim(sim);
    return most;
}

static void balls_do_not_spin(void **state) {
    (void)state;
    static const struct {
        double density, dt_max;
        rheo_method method;
        rheo_coupling coupling;
    } runs[] = {{10, 0, RHEO_APIC, RHEO_MONOLITHIC},
                {10, 0.003, RHEO_FLIP, RHEO_MONOLITHIC},
                {100, 0, RHEO_FLIP, RHEO_MONOLITHIC},
                {100, 0, RHEO_FLIP, RHEO_RIGID_FLUID}};
    for (int i = 0; i < 4; ++i) {
        const double spin = spin_of_ball(runs[i].density, runs[i].method, runs[i].coupling, runs[i].dt_max);
        print_message("ball of %g kg/m3: %.2g rad/s at most\n", runs[i].density, spin);
        check_below(spin, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_do_not_brake),
                                       cmocka_unit_test(balls_do_not_spin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
