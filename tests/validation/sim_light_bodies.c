/* Bodies of a hundredth to a millionth of the water's density rise as fast with the steps that the scene
 * chooses as with short ones. */
#include "check.h"
#include <rheo/rheo.h>

static double speed_after(int *steps, double density, double dt_max) {
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    rheo_solid disc = rheo_default_solid();
    rheo_scene scene = rheo_default_scene();
    rheo_report report = {0};
    rheo_frame_stats f = {0};
    rheo_body_stats body;
    const char *name;
    rheo_sim *sim;
    fill.b[0] = fill.b[2] = 1, fill.b[1] = 2;
    water.fill = &fill;
    water.fill_count = 1;
    disc.name = "disc";
    disc.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    disc.shape.a[0] = disc.shape.a[1] = 0.5;
    disc.shape.radius = 0.12;
    disc.motion = RHEO_DYNAMIC;
    disc.density = density;
    scene.dim = 2;
    scene.size[0] = 1, scene.size[1] = 2;
    scene.cells = 64;
    scene.fps = 60;
    scene.dt_max = dt_max;
    scene.method = RHEO_APIC;
    scene.pic_blend = 0;
    scene.fluids = &water;
    scene.solids = &disc;
    scene.fluid_count = scene.solid_count = 1;
    if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
    *steps = 0;
    for (int i = 0; i < 16; ++i) {
        if (rheo_advance_frame(sim, NULL, &f, &report)) fail_msg("%s", report.message);
        *steps += f.steps;
    }
    rheo_read_body(&body, &name, sim, 0);
    rheo_free_sim(sim);
    return body.velocity[1];
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
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    rheo_solid ball = rheo_default_solid();
    rheo_scene scene = rheo_default_scene();
    rheo_report report = {0};
    rheo_frame_stats f = {0};
    rheo_body_stats body;
    const char *name;
    rheo_sim *sim;
    double most = 0;
    memcpy(fill.b, (double[]){1, 0.6, 1}, sizeof fill.b);
    water.fill = &fill;
    water.fill_count = 1;
    ball.name = "ball";
    ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    memcpy(ball.shape.a, (double[]){0.513, 0.42, 0.487}, sizeof ball.shape.a);
    ball.shape.radius = 0.15;
    ball.motion = RHEO_DYNAMIC;
    ball.density = density;
    ball.friction = ball.static_friction = 0;
    memcpy(scene.size, (double[]){1, 1.6, 1}, sizeof scene.size);
    scene.cells = 32;
    scene.fps = 30;
    scene.dt_max = dt_max;
    scene.method = method;
    scene.coupling = coupling;
    scene.fluids = &water;
    scene.solids = &ball;
    scene.fluid_count = scene.solid_count = 1;
    if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
    for (int i = 0; i < 30; ++i) {
        if (rheo_advance_frame(sim, NULL, &f, &report)) fail_msg("%s", report.message);
        rheo_read_body(&body, &name, sim, 0);
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
