/* The four couplings on one scene: what moves what, and how fast a body starts. */
#include "check.h"

#include <rheo/rheo.h>
#include <stdlib.h>

static const double G = 9.81;

/* A closed box full of liquid with one ball in it; the ball's velocity after `frames` of 1/250 s. */
static double ball_speed(const char *coupling, double density, int frames, double *liquid_speed) {
    char set[3][64];
    const char *const all[] = {set[0], set[1], set[2]};
    static const char *const text =
        "domain: { size: [1, 1, 1], cells: 24, walls: closed }\n"
        "time: { frames: 10, fps: 250 }\n"
        "fluids: [ { name: water, material: water, density: 1000,\n"
        "            fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"
        "solids: [ { name: ball, motion: dynamic, density: 1000,\n"
        "            shape: { sphere: { center: [0.503, 0.497, 0.511], radius: 0.15 } } } ]\n";
    char name[] = "couplings_XXXXXX.yaml";
    const int file = mkstemps(name, 5);
    assert_true(file >= 0);
    FILE *f = fdopen(file, "w");
    fputs(text, f);
    fclose(f);
    snprintf(set[0], sizeof set[0], "solver.coupling=%s", coupling);
    snprintf(set[1], sizeof set[1], "solids[0].density=%g", density);
    snprintf(set[2], sizeof set[2], "output.mesh=false");
    rheo_report report = {0};
    rheo_scene *scene;
    rheo_sim *sim;
    rheo_frame_stats stats;
    assert_int_equal(rheo_load_scene(&scene, name, all, 3, &report), RHEO_OK);
    remove(name);
    assert_int_equal(rheo_create_sim(&sim, scene, 2, &report), RHEO_OK);
    for (int i = 0; i < frames; ++i)
        assert_int_equal(rheo_advance_frame(sim, NULL, &stats, &report), RHEO_OK);
    rheo_body_stats body;
    const char *who;
    rheo_read_body(&body, &who, sim, 0);
    if (liquid_speed) *liquid_speed = stats.speed;
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return body.velocity[1];
}

static double starts(double density) { /* with the added mass of a sphere, m/s2 */
    return G * (1000 - density) / (density + 500);
}

static void both_ways_start_with_added_mass(void **state) {
    (void)state;
    static const double densities[] = {100, 500, 2000, 8000};
    for (int i = 0; i < 4; ++i) {
        const double one = ball_speed("monolithic", densities[i], 1, NULL) * 250;
        const double rigid = ball_speed("rigid-fluid", densities[i], 5, NULL) * 50;
        print_message("density %5.0f: %.3f m/s2 monolithic, %.3f rigid fluid, %.3f exact\n", densities[i],
                      one, rigid, starts(densities[i]));
        assert_true(fabs(one / starts(densities[i]) - 1) < 0.08);
        /* an exchange in turns: the wake is reckoned a step late; the remedy for very light bodies halves the
         * start */
        assert_true(rigid / starts(densities[i]) > (densities[i] < 450 ? 0.4 : 0.88));
        assert_true(rigid / starts(densities[i]) < 1.12);
    }
}

static void neutral_bodies_rest(void **state) {
    (void)state;
    assert_true(fabs(ball_speed("monolithic", 1000, 5, NULL)) < 1e-5);
    assert_true(fabs(ball_speed("rigid-fluid", 1000, 5, NULL)) < 1e-3);
    assert_true(fabs(ball_speed("fluid-to-solid", 1000, 5, NULL)) < 1e-3);
}

static void one_way_is_one_way(void **state) {
    (void)state;
    double stirred, still;
    const double falls = ball_speed("solid-to-fluid", 2000, 5, &stirred) * 50;
    const double carried = ball_speed("fluid-to-solid", 2000, 5, &still) * 50;
    print_message(
        "solid to fluid: %.4f m/s2, liquid at %.2e m/s; fluid to solid: %.4f m/s2, liquid at %.2e m/s\n",
        falls, stirred, carried, still);
    assert_true(fabs(falls + G) < 1e-3); /* feels nothing */
    assert_true(stirred > 0.02);
    assert_true(fabs(carried + G / 2) < 0.05 * G); /* feels the pressure of liquid at rest, no more */
    assert_true(still < 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_start_with_added_mass),
        cmocka_unit_test(neutral_bodies_rest),
        cmocka_unit_test(one_way_is_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
