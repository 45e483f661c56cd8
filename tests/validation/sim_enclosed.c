/* The reported volume of shapes just filled is what was put in: round ones, whose smeared surface lies too
 * far in, those too thin to have an inside, and wedges on the floors of vessels. Lengths are in cells, places
 * between the grid's. */
#include "check.h"
#include <rheo/rheo.h>

enum { CELLS = 32 };

/* At the start, or after a frame at rest in a vessel (may be NULL). */
static double drift_in(const rheo_shape *vessel, rheo_shape fill, int dim, const char *what, double size) {
    rheo_fluid water = rheo_default_fluid();
    rheo_scene scene = rheo_default_scene();
    rheo_solid solid = rheo_default_solid();
    rheo_report report = {0};
    rheo_frame_stats f;
    rheo_sim *sim;
    water.fill = &fill;
    water.fill_count = 1;
    scene.dim = dim;
    scene.cells = CELLS;
    scene.fluids = &water;
    scene.fluid_count = 1;
    if (vessel) {
        solid.name = "vessel";
        solid.shape = *vessel;
        solid.inside_fluid = true;
        scene.solids = &solid;
        scene.solid_count = 1;
    }
    if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
    if (vessel) assert_int_equal(rheo_advance_frame(sim, NULL, &f, &report), RHEO_OK);
    else rheo_read_stats(&f, sim);
    rheo_free_sim(sim);
    printf("%s %dD, %.1f cells: drift %.4f\n", what, dim, size, f.volume_drift);
    return fabs(f.volume_drift);
}

static double drift_of(rheo_shape fill, int dim, const char *what, double size) {
    return drift_in(NULL, fill, dim, what, size);
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

/* Little water in a round vessel and in a box that leans: a wedge all along its edge.
 */
static void wedges(void **state) {
    (void)state;
    rheo_shape bowl = rheo_default_shape(RHEO_SHAPE_SPHERE), leaning = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) bowl.a[a] = 0.5, leaning.a[a] = 0.1, leaning.b[a] = 0.9;
    bowl.radius = 0.43;
    leaning.rotate_axis[0] = leaning.rotate_axis[1] = 0, leaning.rotate_axis[2] = 1;
    leaning.rotate_degrees = 8;
    for (int dim = 2; dim <= 3; ++dim)
        for (int i = 0; i < 4; ++i) {
            rheo_shape low = rheo_default_shape(RHEO_SHAPE_BOX);
            const double depth = 3.0 + 0.9 * i;
            low.a[0] = low.a[1] = low.a[2] = 0;
            low.b[0] = low.b[2] = 1, low.b[1] = 0.07 + depth / CELLS;
            check_below(drift_in(&bowl, low, dim, "bowl", depth), dim == 3 ? 0.012 : 0.025);
            low.b[1] = 0.1 + depth / CELLS;
            check_below(drift_in(&leaning, low, dim, "leaning box", depth), dim == 3 ? 0.012 : 0.025);
        }
}

/* Half full at a resolution where two cells beside the wall are half of what there is. Walls that bend or
 * meet hold as much as they leave open. */
static void vessels(void **state) {
    (void)state;
    rheo_shape ball = rheo_default_shape(RHEO_SHAPE_SPHERE), tilted = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_shape ring = rheo_default_shape(RHEO_SHAPE_TORUS), half = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) ball.a[a] = ring.a[a] = 0.5, tilted.a[a] = 0.2, tilted.b[a] = 0.8;
    ball.radius = 0.3;
    ring.b[0] = 1, ring.b[1] = 2, ring.b[2] = 0.5;
    ring.radius = 0.3, ring.tube = 0.14;
    tilted.rotate_axis[0] = 1, tilted.rotate_axis[1] = 0, tilted.rotate_axis[2] = 1;
    for (int i = 0; i < 3; ++i) {
        half.a[0] = half.a[1] = half.a[2] = 0;
        half.b[0] = half.b[2] = 1, half.b[1] = 0.5 + 0.4 * i / CELLS;
        tilted.rotate_degrees = 15 + 20 * i;
        check_below(drift_in(&ball, half, 3, "half a ball", 9.6), 0.006);
        check_below(drift_in(&ring, half, 3, "half a ring", 4.5), 0.006);
        check_below(drift_in(&tilted, half, 3, "half a box", 19.2), 0.006);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls),  cmocka_unit_test(threads), cmocka_unit_test(sheets),
        cmocka_unit_test(wedges), cmocka_unit_test(vessels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
