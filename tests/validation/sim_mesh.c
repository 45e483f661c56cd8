/* The drawn mesh encloses the liquid: a tank at rest, a column in a corner, water on a slope along walls, and
 * a ball and a vessel at an angle to the grid. The exact volume is what was put in: its particles'. Every
 * mesh is closed and manifold by index, splashes beside solids too. */
#include "check.h"
#include "manifold.h"
#include <rheo/rheo.h>

enum { CELLS = 24 };

static double volume_of(const rheo_mesh *m) {
    double volume = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double p[3][3];
        for (size_t e = 0; e < 3; ++e)
            for (size_t a = 0; a < 3; ++a) p[e][a] = (double)m->position[3 * m->triangle[3 * t + e] + a];
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            volume += p[0][a] * (p[1][b] * p[2][c] - p[1][c] * p[2][b]) / 6;
        }
    }
    return volume;
}

static double mesh_of(rheo_mesh *m, double *exact, rheo_scene *scene, rheo_shape fill, int cells) {
    rheo_fluid water = rheo_default_fluid();
    rheo_report report = {0};
    rheo_sim *sim;
    water.fill = &fill;
    water.fill_count = 1;
    scene->cells = cells;
    scene->fluids = &water;
    scene->fluid_count = 1;
    if (rheo_create_sim(&sim, scene, 1, &report)) fail_msg("%s", report.message);
    if (rheo_make_mesh(m, sim, &report)) fail_msg("%s", report.message);
    rheo_frame_stats stats;
    rheo_read_stats(&stats, sim);
    *exact = stats.fluids[0].volume;
    rheo_free_sim(sim);
    check_manifold(m);
    return volume_of(m);
}

static rheo_shape box_between(double x, double y, double z, double to_x, double to_y, double to_z) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    s.a[0] = x, s.a[1] = y, s.a[2] = z;
    s.b[0] = to_x, s.b[1] = to_y, s.b[2] = to_z;
    return s;
}

static double error_of(rheo_scene *scene, rheo_shape fill, const char *what) {
    rheo_mesh m;
    double exact;
    const double volume = mesh_of(&m, &exact, scene, fill, CELLS);
    rheo_free_mesh(&m);
    printf("%-34s volume %.5f of %.5f: %+.4f\n", what, volume, exact, volume / exact - 1);
    return fabs(volume / exact - 1);
}

static void still_tanks(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int quarter = 0; quarter < 4; ++quarter) {
            rheo_scene scene = rheo_default_scene();
            scene.dim = dim;
            const double level = (10 + 0.25 * quarter) / CELLS;
            check_below(error_of(&scene, box_between(0, 0, 0, 1, level, 1), "tank"), 2e-4);
        }
}

static void columns(void **state) {
    (void)state;
    rheo_scene scene = rheo_default_scene();
    /* its free edge is round by half a cell, as the density has it */
    check_below(error_of(&scene, box_between(0, 0, 0, 0.4, 0.8, 1), "column"), 4e-3);
    rheo_shape slope = box_between(-1, -1, -1, 2, 0.5, 2);
    slope.rotate_axis[0] = 0.3, slope.rotate_axis[2] = 1;
    slope.rotate_degrees = 20;
    check_below(error_of(&scene, slope, "slope"), 1e-3);
}

static void among_solids(void **state) {
    (void)state;
    rheo_scene scene = rheo_default_scene();
    rheo_solid ball = rheo_default_solid();
    ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    ball.shape.a[0] = ball.shape.a[1] = ball.shape.a[2] = 0.5;
    ball.shape.radius = 0.3;
    scene.solids = &ball;
    scene.solid_count = 1;
    check_below(error_of(&scene, box_between(0, 0, 0, 1, 0.5, 1), "ball"), 2e-3);
    ball.shape = box_between(0.2, 0.2, 0.2, 0.8, 0.8, 0.8);
    ball.shape.rotate_axis[0] = 0, ball.shape.rotate_axis[1] = 0, ball.shape.rotate_axis[2] = 1;
    ball.shape.rotate_degrees = 25;
    ball.inside_fluid = true;
    check_below(error_of(&scene, box_between(0, 0, 0, 1, 0.5, 1), "vessel"), 6e-3);
}

/* Cut at periodic and open sides as at walls: both ends of a periodic axis show the same outline. */
static void other_sides(void **state) {
    (void)state;
    for (int kind = RHEO_WALL_OPEN; kind <= RHEO_WALL_PERIODIC; ++kind) {
        rheo_scene scene = rheo_default_scene();
        rheo_mesh m;
        double exact, area[2] = {0, 0};
        scene.wall[RHEO_LEFT] = scene.wall[RHEO_RIGHT] = (rheo_wall)kind;
        const double volume = mesh_of(&m, &exact, &scene, box_between(0, 0, 0.25, 1, 0.5, 0.75), 32);
        check_near(volume / exact, 1, 8e-3); /* two round edges */
        for (size_t t = 0; t < m.triangle_count; ++t) {
            const float *p[3];
            for (size_t e = 0; e < 3; ++e) p[e] = m.position + 3 * m.triangle[3 * t + e];
            for (int side = 0; side < 2; ++side)
                if (fabs((double)p[0][0] - side) + fabs((double)p[1][0] - side) +
                        fabs((double)p[2][0] - side) <
                    1e-3)
                    area[side] += 0.5 * fabs((double)((p[1][1] - p[0][1]) * (p[2][2] - p[0][2]) -
                                                      (p[1][2] - p[0][2]) * (p[2][1] - p[0][1])));
        }
        rheo_free_mesh(&m);
        printf("ends of a bar, sides of kind %d: %.5f and %.5f m2\n", kind, area[0], area[1]);
        check_near(area[0], exact, 8e-3 * exact); /* the bar is 1 m long */
        check_near(area[1], area[0], (kind == RHEO_WALL_PERIODIC ? 1e-6 : 1e-3) * exact);
    }
}

/* Water in bowls whose walls are 1.8 to 6 cells thick, with air around them: it is drawn up to the wall's
 * inner face, neither before it nor in it. */
static void bowls_of_any_thickness(void **state) {
    (void)state;
    const double inner = 0.3, dx = 1.0 / 40, walls[] = {1.8, 2, 2.4, 3.2, 6};
    for (size_t w = 0; w < sizeof walls / sizeof *walls; ++w) {
        rheo_scene scene = rheo_default_scene();
        rheo_solid bowl = rheo_default_solid();
        rheo_shape parts[3], pool[2];
        parts[0] = parts[1] = rheo_default_shape(RHEO_SHAPE_SPHERE);
        for (int a = 0; a < 3; ++a) parts[0].a[a] = parts[1].a[a] = 0.5;
        parts[0].radius = inner + walls[w] * dx;
        parts[1].radius = inner;
        parts[2] = box_between(0, 0.6, 0, 1, 1, 1);
        pool[0] = parts[1];
        pool[1] = box_between(0, 0, 0, 1, 0.45, 1);
        bowl.shape = rheo_default_shape(RHEO_SHAPE_DIFFERENCE);
        bowl.shape.children = parts;
        bowl.shape.child_count = 3;
        scene.solids = &bowl;
        scene.solid_count = 1;
        rheo_shape fill = rheo_default_shape(RHEO_SHAPE_INTERSECTION);
        fill.children = pool;
        fill.child_count = 2;
        rheo_mesh m;
        double exact, worst = 0;
        const double volume = mesh_of(&m, &exact, &scene, fill, 40);
        for (size_t v = 0; v < m.vertex_count; ++v) {
            double square = 0;
            for (size_t a = 0; a < 3; ++a) square += pow((double)m.position[3 * v + a] - 0.5, 2);
            if (m.position[3 * v + 1] < 0.42f) worst = larger(worst, fabs(sqrt(square) - inner) / dx);
        }
        rheo_free_mesh(&m);
        printf("bowl of %.1f cells: the face missed by %.3f cells, volume %+.4f\n", walls[w], worst,
               volume / exact - 1);
        check_below(worst, walls[w] < 2.4 ? 0.2 : 0.05); /* thinner ones have no side at a few nodes */
        check_near(volume / exact, 1, 0.01);
    }
}

/* Drawn where the pressure is none, a still tank has its level and its volume, to half a cell. */
static void still_tanks_by_pressure(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_MAC};
    for (int dim = 2; dim <= 3; ++dim)
        for (int run = 0; run < 12; ++run) {
            const double level = (10 + 0.25 * (run % 4)) / CELLS;
            rheo_scene scene = rheo_default_scene();
            rheo_fluid water = rheo_default_fluid();
            rheo_shape fill = box_between(0, 0, 0, 1, level, 1);
            rheo_report report = {0};
            rheo_sim *sim;
            rheo_mesh m;
            double lowest = 1, highest = 0, exact = 0; /* m, m, m3 */
            water.fill = &fill;
            water.fill_count = 1;
            scene.dim = dim;
            scene.cells = CELLS;
            scene.method = methods[run / 4];
            scene.surface = RHEO_SURFACE_PRESSURE;
            scene.fluids = &water;
            scene.fluid_count = 1;
            if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
            for (int frame = 0; frame < 4; ++frame) {
                rheo_frame_stats stats;
                if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
                exact = stats.fluids[0].volume;
            }
            if (rheo_make_mesh(&m, sim, &report)) fail_msg("%s", report.message);
            check_manifold(&m);
            const double volume = volume_of(&m);
            for (size_t v = 0; v < m.vertex_count; ++v) {
                if (m.normal[3 * v + 1] < 0.9f) continue; /* sides and floor */
                lowest = smaller(lowest, (double)m.position[3 * v + 1]);
                highest = larger(highest, (double)m.position[3 * v + 1]);
            }
            printf("pressure, %dD, method %d, level %.2f cells: %+.3f to %+.3f cells, volume %+.4f\n", dim,
                   scene.method, level * CELLS, (lowest - level) * CELLS, (highest - level) * CELLS,
                   volume / exact - 1);
            check_below((highest - level) * CELLS, 0.5);
            check_below((level - lowest) * CELLS, 0.5);
            /* mac's surface lies on faces: a quarter of a cell */
            check_near(volume / exact, 1, scene.method == RHEO_MAC ? 0.025 : 1e-3);
            rheo_free_mesh(&m);
            rheo_free_sim(sim);
        }
}

static void splashes(void **state) {
    (void)state;
    rheo_scene scene = rheo_default_scene();
    rheo_fluid water = rheo_default_fluid();
    rheo_solid post = rheo_default_solid();
    rheo_shape fill = box_between(0, 0, 0, 0.4, 0.8, 1);
    rheo_report report = {0};
    water.fill = &fill;
    post.name = "post";
    post.shape = box_between(0.6, -0.1, 0.4, 0.75, 0.4, 0.6);
    post.shape.rotate_axis[0] = 1, post.shape.rotate_axis[1] = 2;
    post.shape.rotate_degrees = 25;
    scene.cells = CELLS;
    scene.fluids = &water;
    scene.solids = &post;
    scene.fluid_count = water.fill_count = scene.solid_count = 1;
    for (int surface = RHEO_SURFACE_DENSITY; surface <= RHEO_SURFACE_PRESSURE; ++surface) {
        rheo_sim *sim;
        scene.surface = (rheo_surface)surface;
        if (rheo_create_sim(&sim, &scene, 2, &report)) fail_msg("%s", report.message);
        for (int frame = 0; frame < 15; ++frame) {
            rheo_mesh m;
            if (rheo_advance_frame(sim, NULL, NULL, &report)) fail_msg("%s", report.message);
            if (rheo_make_mesh(&m, sim, &report)) fail_msg("%s", report.message);
            assert_true(m.triangle_count > 0);
            check_manifold(&m);
            rheo_free_mesh(&m);
        }
        rheo_free_sim(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_tanks),
        cmocka_unit_test(columns),
        cmocka_unit_test(among_solids),
        cmocka_unit_test(other_sides),
        cmocka_unit_test(bowls_of_any_thickness),
        cmocka_unit_test(still_tanks_by_pressure),
        cmocka_unit_test(splashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
