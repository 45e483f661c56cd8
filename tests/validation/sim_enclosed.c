/* The reported volume of shapes just filled is what was put in: round ones, whose smeared surface lies too
 * far in, and those too thin to have an inside. Lengths are in cells, places between the grid's. */
#include "check.h"
#include <rheo/rheo.h>

enum { CELLS = 32 };

static double drift_of(rheo_shape fill, int dim, const char *what, double size) {
    rheo_fluid water = rheo_default_fluid();
    rheo_scene scene = rheo_default_scene();
    rheo_report report = {0};
    rheo_frame_stats f;
    rheo_sim *sim;
    water.fill = &fill;
    water.fill_count = 1;
    scene.dim = dim;
    scene.cells = CELLS;
    scene.fluids = &water;
    scene.fluid_count = 1;
    if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
    rheo_read_stats(&f, sim);
    rheo_free_sim(sim);
    printf("%s %dD, %.1f cells: drift %.4f\n", what, dim, size, f.volume_drift);
    return fabs(f.volume_drift);
}

static void balls(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double off[9];
        for (int r = 1; r <= 8; ++r) {
            rheo_shape ball = rheo_default_shape(RHEO_SHAPE_SPHERE);
            ball.a[0] = 0.51, ball.a[1] = 0.507, ball.a[2] = 0.49;
            ball.radius = (double)r / CELLS;
            off[r] = drift_of(ball, dim, "ball", r);
            check_below(off[r], 0.04);
        }
        check_below(off[8], 0.01);
        check_below(off[8], off[4] / 2.8);
    }
}

static void threads(void **state) {
    (void)state;
    for (int r = 1; r <= 8; ++r) {
        rheo_shape thread = rheo_default_shape(RHEO_SHAPE_CYLINDER);
        thread.a[0] = thread.b[0] = 0.51, thread.a[2] = thread.b[2] = 0.49;
        thread.a[1] = 0.2, thread.b[1] = 0.83;
        thread.radius = 0.5 * r / CELLS;
        check_below(drift_of(thread, 3, "thread", 0.5 * r), 0.04);
    }
}

static void sheets(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int t = 1; t <= 8; ++t) {
            rheo_shape sheet = rheo_default_shape(RHEO_SHAPE_BOX);
            sheet.a[0] = sheet.a[2] = 0, sheet.a[1] = 0.51;
            sheet.b[0] = sheet.b[2] = 1, sheet.b[1] = 0.51 + 0.5 * t / CELLS;
            check_below(drift_of(sheet, dim, "sheet", 0.5 * t), 0.01);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls),
        cmocka_unit_test(threads),
        cmocka_unit_test(sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
