/* The reported volume of shapes just filled is what was put in: round ones, whose smeared surface lies too
 * far in, those too thin to have an inside, and wedges on the floors of vessels. Lengths are in cells, places
 * between the grid's. */
#include "check.h"
#include "scenes_by_hand.h"

enum { CELLS = 32 };

/* At the start, or after a frame at rest in a vessel (may be NULL). */
static double drift_in(const rheo_shape *vessel, rheo_shape fill, int dim, const char *what, double size) {
    setup t;
    set_up(&t, RHEO_FLIP, dim, CELLS);
    fill_with(&t, fill);
    if (vessel) add_solid(&t, *vessel)->inside_fluid = true;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats f = run_frames(sim, vessel ? 1 : 0);
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
            off[r] = drift_of(ball_at(0.51, 0.507, 0.49, (double)r / CELLS), dim, "ball", r);
            check_below(off[r], 0.04);
        }
        check_below(off[8], 0.01);
        check_below(off[8], off[4] / 2.8);
    }
}

static void threads(void **state) {
    (void)state;
    for (int r = 1; r <= 8; ++r) {
        const rheo_shape thread =
            cylinder_between((double[]){0.51, 0.2, 0.49}, (double[]){0.51, 0.83, 0.49}, 0.5 * r / CELLS);
        check_below(drift_of(thread, 3, "thread", 0.5 * r), 0.04);
    }
}

static void sheets(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int t = 1; t <= 8; ++t) {
            const rheo_shape sheet = box_between(0, 0.51, 0, 1, 0.51 + 0.5 * t / CELLS, 1);
            check_below(drift_of(sheet, dim, "sheet", 0.5 * t), 0.01);
        }
}

/* Little water in a round vessel and in a box that leans: a wedge all along its edge.
 */
static void wedges(void **state) {
    (void)state;
    const rheo_shape bowl = ball_at(0.5, 0.5, 0.5, 0.43),
                     leaning = turned(box_between(0.1, 0.1, 0.1, 0.9, 0.9, 0.9), 0, 0, 1, 8);
    for (int dim = 2; dim <= 3; ++dim)
        for (int i = 0; i < 4; ++i) {
            const double depth = 3.0 + 0.9 * i;
            rheo_shape low = box_between(0, 0, 0, 1, 0.07 + depth / CELLS, 1);
            check_below(drift_in(&bowl, low, dim, "bowl", depth), dim == 3 ? 0.012 : 0.025);
            low.b[1] = 0.1 + depth / CELLS;
            check_below(drift_in(&leaning, low, dim, "leaning box", depth), dim == 3 ? 0.012 : 0.025);
        }
}

/* Half full at a resolution where two cells beside the wall are half of what there is. Walls that bend or
 * meet hold as much as they leave open. */
static void vessels(void **state) {
    (void)state;
    const rheo_shape ball = ball_at(0.5, 0.5, 0.5, 0.3), cube = box_between(0.2, 0.2, 0.2, 0.8, 0.8, 0.8);
    rheo_shape ring = rheo_default_shape(RHEO_SHAPE_TORUS);
    for (int a = 0; a < 3; ++a) ring.a[a] = 0.5;
    ring.b[0] = 1, ring.b[1] = 2, ring.b[2] = 0.5;
    ring.radius = 0.3, ring.tube = 0.14;
    for (int i = 0; i < 3; ++i) {
        const rheo_shape half = box_between(0, 0, 0, 1, 0.5 + 0.4 * i / CELLS, 1);
        const rheo_shape tilted = turned(cube, 1, 0, 1, 15 + 20 * i);
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
