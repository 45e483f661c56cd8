/* No voids open behind solids under water.
 *
 * Potential flow around a ball of radius R that goes at U is nowhere faster than U, around one that stands in
 * a stream of U nowhere faster than 1.5 U; around a blade that turns, than its tips, but for its edges. Where
 * particles ran short behind it the liquid used to count as air, and imploded at five to ten times that. */
#include "check.h"
#include <math.h>
#include <rheo/rheo.h>

#define FAST 0.3 /* m/s */

/* Nine tenths full, with one solid. */
static rheo_scene tank(rheo_fluid *water, rheo_shape *fill, rheo_solid *solid, int cells) {
    rheo_scene scene = rheo_default_scene();
    scene.size[0] = scene.size[1] = scene.size[2] = 1;
    scene.cells = cells;
    scene.frames = 30;
    *fill = rheo_default_shape(RHEO_SHAPE_BOX);
    fill->b[0] = fill->b[2] = 1;
    fill->b[1] = 0.9;
    *water = rheo_default_fluid();
    water->fill = fill;
    water->fill_count = 1;
    scene.fluids = water;
    scene.fluid_count = 1;
    *solid = rheo_default_solid();
    solid->name = "solid";
    scene.solids = solid;
    scene.solid_count = 1;
    return scene;
}

static double fastest(const rheo_scene *scene) {
    rheo_sim *sim = NULL;
    rheo_report report;
    rheo_frame_stats now;
    double most = 0;
    if (rheo_create_sim(&sim, scene, 0, &report)) fail_msg("%s", report.message);
    for (int f = 0; f < scene->frames; ++f) {
        if (rheo_advance_frame(sim, NULL, &now, &report)) fail_msg("%s", report.message);
        most = larger(most, now.speed);
    }
    rheo_free_sim(sim);
    return most;
}

static rheo_shape ball(double x) {
    rheo_shape b = rheo_default_shape(RHEO_SHAPE_SPHERE);
    b.a[0] = x;
    b.a[1] = 0.4;
    b.a[2] = 0.5;
    b.radius = 0.14;
    return b;
}

static void behind_a_ball(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_APIC};
    double times[] = {0, 1}, places[] = {0.3, 0.4, 0.5, 0.3 + FAST, 0.4, 0.5};
    for (int m = 0; m < 3; ++m) {
        rheo_fluid water;
        rheo_shape fill;
        rheo_solid solid;
        rheo_scene scene = tank(&water, &fill, &solid, 24);
        scene.method = methods[m];
        scene.separation = m == 2; /* nothing opens under this much water either */
        solid.shape = ball(0.3);
        solid.motion = RHEO_KEYED;
        solid.position = (rheo_curve){2, times, places, 3};
        const double most = fastest(&scene);
        print_message("ball at %.2f m/s: at most %.2f m/s\n", FAST, most);
        check_below(most, 1.2 * FAST);
        check_below(0.5 * FAST, most);
    }
}

static void in_a_stream(void **state) {
    (void)state;
    rheo_fluid water;
    rheo_shape fill;
    rheo_solid solid;
    rheo_scene scene = tank(&water, &fill, &solid, 24);
    scene.wall[0] = scene.wall[1] = RHEO_WALL_PERIODIC;
    water.velocity[0] = FAST;
    solid.shape = ball(0.5);
    const double most = fastest(&scene);
    print_message("ball in a stream of %.2f m/s: at most %.2f m/s\n", FAST, most);
    check_below(most, 1.7 * FAST);
    check_below(FAST, most);
}

/* A blade of 0.5 m by `thick`. */
static void check_blade(double thick) {
    double times[] = {0, 1}, degrees[] = {0, 120}, middle[] = {0.5, 0.4, 0.5};
    rheo_fluid water;
    rheo_shape fill;
    rheo_solid solid;
    rheo_scene scene = tank(&water, &fill, &solid, 30);
    scene.method = RHEO_APIC;
    solid.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    const double low[3] = {0.25, 0.4 - 0.5 * thick, 0.3}, high[3] = {0.75, 0.4 + 0.5 * thick, 0.7};
    for (int a = 0; a < 3; ++a) {
        solid.shape.a[a] = low[a];
        solid.shape.b[a] = high[a];
    }
    solid.motion = RHEO_KEYED;
    solid.position = (rheo_curve){.count = 1, .values = middle, .width = 3};
    solid.rotation_degrees = (rheo_curve){2, times, degrees, 1};
    solid.rotation_axis[2] = 1;
    const double tip = 0.25 * 2.0944, most = fastest(&scene);
    print_message("blade with tips at %.2f m/s: at most %.2f m/s\n", tip, most);
    check_below(most, 1.5 * tip);
}

static void behind_a_blade(void **state) {
    (void)state;
    check_blade(0.1);
    check_blade(0.01); /* 0.3 cells */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(behind_a_ball), cmocka_unit_test(in_a_stream),
                                       cmocka_unit_test(behind_a_blade)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
