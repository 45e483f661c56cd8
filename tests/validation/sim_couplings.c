/* The four couplings on one scene: what moves what, and how fast a body starts. */
#include "check.h"

#include "scenes_by_hand.h"

static const double G = 9.81;

/* A box of water of 1000 kg/m3. */
static void water_box(setup *t, rheo_coupling coupling, int dim, int cells) {
    set_up(t, RHEO_FLIP, dim, cells);
    t->scene.coupling = coupling;
    t->fluid[0].density = 1000;
}

/* A closed box full of liquid with one ball in it; the ball's velocity after `frames` of 1/250 s. */
static double ball_speed(rheo_coupling coupling, double density, int frames, double *liquid_speed) {
    setup t;
    water_box(&t, coupling, 3, 24);
    fill_pool(&t, 1);
    t.scene.fps = 250;
    add_body(&t, ball_at(0.503, 0.497, 0.511, 0.15), density);
    rheo_sim *sim = start_sim(&t.scene, 2);
    const rheo_frame_stats stats = run_frames(sim, frames);
    const double speed = body_of(sim, 0).velocity[1];
    if (liquid_speed) *liquid_speed = stats.speed;
    rheo_free_sim(sim);
    return speed;
}

static double starts(double density) { /* with the added mass of a sphere, m/s2 */
    return G * (1000 - density) / (density + 500);
}

static void both_ways_start_with_added_mass(void **state) {
    (void)state;
    static const double densities[] = {100, 500, 2000, 8000};
    /* of the exact start, an exchange in turns: the wake is reckoned a step late, and the remedy for very
     * light bodies takes four tenths of it (measured: 0.545, 1.07, 1.04, 1.01; nearer to 1 is welcome) */
    static const double least[] = {0.53, 0.99, 0.99, 0.96};
    for (int i = 0; i < 4; ++i) {
        const double one = ball_speed(RHEO_MONOLITHIC, densities[i], 1, NULL) * 250;
        const double rigid = ball_speed(RHEO_RIGID_FLUID, densities[i], 5, NULL) * 50;
        print_message("density %5.0f: %.3f m/s2 monolithic, %.3f rigid fluid, %.3f exact\n", densities[i],
                      one, rigid, starts(densities[i]));
        assert_true(fabs(one / starts(densities[i]) - 1) < 0.08);
        check_below(least[i], rigid / starts(densities[i]));
        check_below(rigid / starts(densities[i]), 1.1);
    }
}

static void neutral_bodies_rest(void **state) {
    (void)state;
    assert_true(fabs(ball_speed(RHEO_MONOLITHIC, 1000, 5, NULL)) < 1e-5);
    assert_true(fabs(ball_speed(RHEO_RIGID_FLUID, 1000, 5, NULL)) < 1e-3);
    assert_true(fabs(ball_speed(RHEO_FLUID_TO_SOLID, 1000, 5, NULL)) < 1e-3);
}

static void one_way_is_one_way(void **state) {
    (void)state;
    double stirred, still;
    const double falls = ball_speed(RHEO_SOLID_TO_FLUID, 2000, 5, &stirred) * 50;
    const double carried = ball_speed(RHEO_FLUID_TO_SOLID, 2000, 5, &still) * 50;
    print_message(
        "solid to fluid: %.4f m/s2, liquid at %.2e m/s; fluid to solid: %.4f m/s2, liquid at %.2e m/s\n",
        falls, stirred, carried, still);
    assert_true(fabs(falls + G) < 1e-3); /* feels nothing */
    assert_true(stirred > 0.02);
    assert_true(fabs(carried + G / 2) < 0.05 * G); /* feels the pressure of liquid at rest, no more */
    assert_true(still < 1e-4);
}

/* The share of a square that is under water (2D), meant over the third and fourth second, and how far it
 * bobs then; its left side starts at x. */
static double floats(double *way, double density, int cells, double x) {
    setup t;
    double sum = 0, low = 1, high = 0;
    water_box(&t, RHEO_RIGID_FLUID, 2, cells);
    t.scene.method = RHEO_APIC;
    fill_pool(&t, 0.5);
    add_body(&t, box_between(x, 0.45, 0, x + 0.2, 0.65, 0), density);
    rheo_sim *sim = start_sim(&t.scene, 2);
    for (int i = 0; i < 120; ++i) {
        run_frames(sim, 1);
        const double y = body_of(sim, 0).position[1];
        if (i < 60) continue;
        sum += y / 60;
        low = smaller(low, y);
        high = larger(high, y);
    }
    *way = high - low;
    rheo_free_sim(sim);
    const double level =
        0.49 + 0.04 * density / 1000; /* it starts a quarter under water, and displaces the rest */
    return (level - (sum - 0.1)) / 0.2;
}

/* The remedy for light bodies must not change where they float. A face that an underside crosses has the
 * velocity of body or liquid, so that draughts are off by a part of a cell, and by which depends on the place
 * along the water: at a tenth of the density by 0.23 cells too little to 0.03 too much in a dozen runs that
 * differ by next to nothing. So a mean over places is asked, in cells (of the 6.4 that the box is high;
 * measured: 0.15, 0.11, 0.04, 0.26). */
static void rigid_fluid_floats(void **state) {
    (void)state;
    static const double densities[] = {100, 300, 440, 600}, places[] = {0.4, 0.401, 0.41, 0.42};
    for (int i = 0; i < 4; ++i) {
        double way, off = 0;
        for (int k = 0; k < 4; ++k)
            off += (floats(&way, densities[i], 32, places[k]) - densities[i] / 1000) * 6.4 / 4;
        print_message("density %5.0f: %+.2f cells too deep\n", densities[i], off);
        check_below(fabs(off), 0.3);
    }
}

/* A light body bobs without leaping out of the water (measured: 4 % too deep, 0.013 m to and fro; with all of
 * the added mass whatever is wet, 32 % too deep and 0.14 m, seven times what it draws). */
static void rigid_fluid_does_not_leap(void **state) {
    (void)state;
    double way;
    const double off = floats(&way, 100, 64, 0.4) / 0.1 - 1;
    print_message("density 100 at 64 cells: %+.1f %% under water, %.3f m to and fro\n", 100 * off, way);
    check_below(fabs(off), 0.3);
    check_below(way, 0.05);
}

/* A ball of three thousandths of the water's density touches the surface and moves along it. Where there is
 * only air beside it, faces have its own velocity; with a part of what the air is said to have, pressure
 * drove it on, by a third of its speed in every step. */
static void rigid_fluid_does_not_drive(void **state) {
    (void)state;
    setup t;
    double fastest = 0;
    set_up(&t, RHEO_APIC, 3, 30);
    set_size(&t, 1, 1.5, 1);
    fill_pool(&t, 0.667);
    t.scene.coupling = RHEO_RIGID_FLUID;
    add_body(&t, ball_at(0.3237, 0.7693, 0.6942, 0.1092), 2.746)->velocity[0] = 0.3;
    rheo_sim *sim = start_sim(&t.scene, 2);
    for (int i = 0; i < 15; ++i) {
        run_frames(sim, 1);
        const rheo_body_stats body = body_of(sim, 0);
        fastest = larger(fastest, larger(fabs(body.velocity[0]), fabs(body.velocity[2])));
    }
    print_message("sent along the surface at 0.3 m/s: %.2f at most\n", fastest);
    check_below(fastest, 0.4);
    rheo_free_sim(sim);
}

/* Where a ball of a hundredth of the water's density is and how fast it goes, upwards: after some frames of
 * 1/60 s, and the highest that it has been. */
static rheo_body_stats light_ball(double *highest, rheo_shape fill, double from, int frames) {
    setup t;
    rheo_body_stats body = {0};
    water_box(&t, RHEO_RIGID_FLUID, 3, 20);
    set_size(&t, 0.5, 1, 0.5);
    t.scene.fps = 60;
    fill_with(&t, fill);
    add_body(&t, ball_at(0.25, from, 0.25, 0.1), 10);
    rheo_sim *sim = start_sim(&t.scene, 2);
    *highest = 0;
    for (int i = 0; i < frames; ++i) {
        run_frames(sim, 1);
        body = body_of(sim, 0);
        *highest = larger(*highest, body.position[1]);
    }
    rheo_free_sim(sim);
    return body;
}

/* Liquid that falls holds nothing up, neither in a drop with the ball in it nor as what flies along with one
 * that leaps out of the water (measured: 1.000 g, 0.559 m and 0.472 m; with the liquid around taken to be at
 * rest 0.36 g and 0.733 m). */
static void rigid_fluid_falls_wet(void **state) {
    (void)state;
    double highest;
    const rheo_body_stats drop = light_ball(&highest, ball_at(0.25, 0.75, 0.25, 0.16), 0.75, 12);
    const rheo_body_stats afloat = light_ball(&highest, box_between(0, 0, 0, 0.5, 0.4, 0.5), 0.2, 100);
    print_message("in a falling drop: %.3f g; from under water to %.3f m, after 5/3 s at %.3f m\n",
                  -drop.velocity[1] / (G * 12 / 60), highest, afloat.position[1]);
    check_below(fabs(drop.velocity[1] / (G * 12 / 60) + 1), 0.01);
    check_below(highest, 0.6);
    check_below(fabs(afloat.position[1] - 0.48), 0.05);
}

/* In each of the first three frames, 1/s. */
static void check_free_of_divergence(const setup *t) {
    rheo_sim *sim = start_sim(&t->scene, 2);
    for (int i = 0; i < 3; ++i) check_below(run_frames(sim, 1).divergence, 1e-3);
    rheo_free_sim(sim);
}

/* An emitter that is not running must not keep the walls of bodies as they were before the solve. */
static void emitters_know_bodies(void **state) {
    (void)state;
    setup t;
    water_box(&t, RHEO_MONOLITHIC, 2, 32);
    t.scene.method = RHEO_MAC;
    t.scene.fps = 60;
    fill_pool(&t, 0.5);
    rheo_emitter *emitter = add_emitter(&t, box_between(0, 0.8, 0, 0.1, 0.9, 0), 1, 0, 0);
    emitter->during[0] = 100, emitter->during[1] = 101;
    add_body(&t, box_between(0.4, 0.4, 0, 0.6, 0.6, 0), 300);
    check_free_of_divergence(&t);
}

/* Asked for more than floats can give, a solve with a body stays at what they hold: it went on from there to
 * residuals of 1 and took the liquid along. */
static void more_than_floats_hold_does_no_harm(void **state) {
    (void)state;
    setup t;
    double residual = 0, divergence = 0;
    set_up(&t, RHEO_FLIP, 3, 22);
    set_size(&t, 1, 0.7, 0.3);
    fill_with(&t, box_between(0, 0, 0, 0.4, 0.5, 0.3));
    add_body(&t, ball_at(0.7, 0.1, 0.15, 0.08), 100);
    t.scene.tolerance = 1e-8;
    rheo_sim *sim = start_sim(&t.scene, 2);
    for (int i = 0; i < 15; ++i) {
        const rheo_frame_stats stats = run_frames(sim, 1);
        residual = larger(residual, stats.pressure.residual);
        divergence = larger(divergence, stats.divergence);
    }
    print_message("tolerance 1e-8 with a body: residual %.1e, divergence %.1e 1/s\n", residual, divergence);
    check_below(residual, 3e-7);
    check_below(divergence, 1e-3);
    rheo_free_sim(sim);
}

/* A light box half outside of an open side: what it pushes through the faces there is part of the solve, too.
 * Without that the cells beside it were left with divergences of 4 per second. */
static void bodies_through_open_sides(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_FLIP, 3, 16);
    t.scene.wall[RHEO_LEFT] = RHEO_WALL_OPEN;
    fill_pool(&t, 0.9);
    add_body(&t, box_between(-0.3, 0.2, 0.2, 0.3, 0.8, 0.8), 100);
    check_free_of_divergence(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_start_with_added_mass),
        cmocka_unit_test(neutral_bodies_rest),
        cmocka_unit_test(one_way_is_one_way),
        cmocka_unit_test(rigid_fluid_floats),
        cmocka_unit_test(rigid_fluid_does_not_leap),
        cmocka_unit_test(rigid_fluid_does_not_drive),
        cmocka_unit_test(rigid_fluid_falls_wet),
        cmocka_unit_test(emitters_know_bodies),
        cmocka_unit_test(bodies_through_open_sides),
        cmocka_unit_test(more_than_floats_hold_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
