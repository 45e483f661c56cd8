/* Bodies about as large as a cell rise in water when they are lighter than it, wherever they are on the grid.
 * A ball of 1 to 1.7 cells may lie between nodes, where it closes no face; it had no lift there, and balls of
 * a tenth of the density fell to the floor and stayed.
 *
 * Balls by nines at places off the grid's planes, at density 0.1 and 60 frames a second: all are above where
 * they were after a tenth of a second, by a quarter of what added mass allows at least (15 m/s2: 73 mm).
 * Pebbles of half the density are at the surface after two seconds. */
#include "check.h"

#include "../../bench/basin.h"

enum { CELLS = 24, BALLS = 9, FRAMES = 6 };

/* Two that do not fit: places within a cell, the same in every run. */
static double off(int i, int axis) {
    const double x = 0.754877666 * (i + 1) + 0.569840291 * (i + 1) * (axis + 1);
    return x - floor(x);
}

static void add_balls(basin *b, double radius, double density) {
    for (int i = 0; i < BALLS; ++i)
        basin_add(b,
                  basin_ball(0.2 + 0.3 * (i % 3) + off(i, 0) / CELLS, 0.2 + off(i, 1) / CELLS,
                             0.2 + 0.3 * (double)(i / 3) + off(i, 2) / CELLS, radius / CELLS),
                  density);
}

static double height_of(const rheo_sim *sim, int body) {
    rheo_body_stats s;
    rheo_read_body(&s, NULL, sim, body);
    return s.position[1];
}

static void run_frames(rheo_sim *sim, int frames) {
    rheo_report report = {0};
    rheo_frame_stats stats;
    for (int i = 0; i < frames; ++i)
        if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
}

static void light_balls_rise(void **state) {
    (void)state;
    static const double radii[] = {0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9};
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) {
        basin b = basin_make(3, 1, 1, 1, CELLS, 0.5);
        rheo_sim *sim;
        rheo_report report = {0};
        double start[BALLS], least = INFINITY, most = -INFINITY;
        b.scene.fps = 60;
        add_balls(&b, radii[k], 0.1);
        if (basin_run(&sim, &b, 2, &report)) fail_msg("%s", report.message);
        for (int i = 0; i < BALLS; ++i) start[i] = height_of(sim, i);
        run_frames(sim, FRAMES);
        for (int i = 0; i < BALLS; ++i) {
            least = smaller(least, height_of(sim, i) - start[i]);
            most = larger(most, height_of(sim, i) - start[i]);
        }
        rheo_free_sim(sim);
        print_message("radius %.2f cells: risen by %.3f to %.3f m\n", radii[k], least, most);
        assert_true(least > 0.02);
        assert_true(most < 0.2);
    }
}

static void pebbles_float(void **state) {
    (void)state;
    basin b = basin_make(3, 1, 1, 1, CELLS, 0.3);
    rheo_sim *sim;
    rheo_report report = {0};
    double least = INFINITY, most = -INFINITY;
    b.scene.fps = 30;
    add_balls(&b, 0.576, 0.5);
    if (basin_run(&sim, &b, 2, &report)) fail_msg("%s", report.message);
    run_frames(sim, 60);
    for (int i = 0; i < BALLS; ++i) {
        least = smaller(least, height_of(sim, i));
        most = larger(most, height_of(sim, i));
    }
    rheo_free_sim(sim);
    print_message("pebbles between %.3f and %.3f m, the water at 0.3 m\n", least, most);
    assert_true(least > 0.3 - 1.0 / CELLS);
    assert_true(most < 0.3 + 1.0 / CELLS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_balls_rise), cmocka_unit_test(pebbles_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
