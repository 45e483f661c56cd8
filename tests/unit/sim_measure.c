/* Statistics of states whose answer is known without a run. */
#include "check.h"
#include <rheo/rheo.h>

static const double WEIGHTLESS[3] = {0, 0, 0};

static rheo_shape box_shape(double x0, double y0, double x1, double y1) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    s.a[0] = x0, s.a[1] = y0, s.a[2] = 0.3;
    s.b[0] = x1, s.b[1] = y1, s.b[2] = 0.7;
    return s;
}

/* Two blocks fly apart, one along x and one along y: the largest |u| is that of one block, 1 m/s. The root of
 * the axes' largest would be sqrt(2). */
static void check_two_blocks(int dim, rheo_method method) {
    rheo_fluid blocks[2] = {rheo_default_fluid(), rheo_default_fluid()};
    const rheo_shape fills[2] = {box_shape(0.1, 0.1, 0.4, 0.4), box_shape(0.6, 0.6, 0.8, 0.8)};
    rheo_scene scene = rheo_default_scene();
    rheo_frame_stats stats;
    rheo_report report = {0};
    rheo_sim *sim;
    for (int i = 0; i < 2; ++i) {
        blocks[i].name = i ? "b" : "a";
        blocks[i].fill = &fills[i];
        blocks[i].fill_count = 1;
        blocks[i].velocity[i] = 1;
    }
    scene.dim = dim;
    scene.cells = 20;
    scene.fps = 100;
    scene.method = method;
    scene.gravity = (rheo_curve){.count = 1, .values = WEIGHTLESS, .width = 3};
    scene.fluids = blocks;
    scene.fluid_count = 2;
    assert_int_equal(rheo_create_sim(&sim, &scene, 1, &report), RHEO_OK);
    rheo_read_stats(&stats, sim);
    check_near(stats.speed, 1, 1e-6);
    assert_int_equal(rheo_advance_frame(sim, NULL, &stats, &report), RHEO_OK);
    print_message("%dD method %d: speed %.4f m/s of 1\n", dim, (int)method, stats.speed);
    check_near(stats.speed, 1, 0.05);
    rheo_free_sim(sim);
}

static void test_speed_is_of_one_place(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        check_two_blocks(dim, RHEO_APIC);
        check_two_blocks(dim, RHEO_MAC);
    }
}

/* A block that flies along the diagonal has a speed of sqrt(dim) times its components. */
static void test_speed_is_a_length(void **state) {
    (void)state;
    rheo_fluid water = rheo_default_fluid();
    const rheo_shape fill = box_shape(0, 0, 0.5, 0.5);
    rheo_scene scene = rheo_default_scene();
    rheo_frame_stats stats;
    rheo_report report = {0};
    rheo_sim *sim;
    water.fill = &fill;
    water.fill_count = 1;
    water.velocity[0] = water.velocity[1] = water.velocity[2] = 1;
    scene.cells = 16;
    scene.fluids = &water;
    scene.fluid_count = 1;
    assert_int_equal(rheo_create_sim(&sim, &scene, 1, &report), RHEO_OK);
    rheo_read_stats(&stats, sim);
    check_near(stats.speed, sqrt(3), 1e-6);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed_is_of_one_place),
        cmocka_unit_test(test_speed_is_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
