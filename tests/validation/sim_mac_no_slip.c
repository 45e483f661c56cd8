/* Liquid that sticks to solids (slip: no), wherever they are on the grid: shear that dies out between walls,
 * a belt that drags, a disc that turns in a round vessel. */
#include "check.h"
#include "scenes_by_hand.h"

#define PI 3.14159265358979323846

/* A weightless tank of liquid with the density of water. */
static void set(setup *s, double length, int cells, double viscosity) {
    set_up(s, RHEO_MAC, 2, cells);
    set_size(s, length, 1, 1);
    s->scene.slip = 0;
    s->gravity[1] = 0;
    s->fluid[0].viscosity = viscosity;
}

static double x_velocity(const rheo_sim *sim, double x, double y) {
    return probe_one(sim, RHEO_OF_VELOCITY, x, y, 0); /* its first component */
}

/* The halves of a channel of height h at +-1 m/s: u = sum over odd n of 4 / (n pi) sin(2 pi n y / h) exp(-nu
 * (2 pi n / h)^2 t), after 0.3 s the first alone, in the middle of a channel whose ends have not been felt
 * there at 1 s. The rate at which it goes until then. */
static double decay_rate(int cells, double bottom, rheo_frame_stats *last) {
    const double h = 0.5;
    setup s;
    set(&s, 4, cells, 10);
    s.scene.fps = 10;
    fill_with(&s, flat_box(0, bottom, 4, bottom + h / 2));
    add_fluid(&s, "other", flat_box(0, bottom + h / 2, 4, bottom + h));
    s.fluid[0].velocity[0] = 1;
    s.fluid[1].velocity[0] = -1;
    add_solid(&s, flat_box(-1, -1, 5, bottom));
    add_solid(&s, flat_box(-1, bottom + h, 5, 3));
    rheo_sim *sim = start_sim(&s.scene, 1);
    double early = 0;
    for (int frame = 1; frame <= 10; ++frame) {
        *last = run_frames(sim, 1);
        if (frame == 3) early = x_velocity(sim, 2, bottom + h / 4) - x_velocity(sim, 2, bottom + 3 * h / 4);
    }
    const double late = x_velocity(sim, 2, bottom + h / 4) - x_velocity(sim, 2, bottom + 3 * h / 4);
    rheo_free_sim(sim);
    return log(early / late) / 0.7;
}

static void shear_dies_out_between_walls_anywhere(void **state) {
    (void)state;
    const double exact = 0.01 * 4 * PI * PI / 0.25, bottoms[] = {0.25, 0.2499, 0.265, 0.2775};
    const int cells = 128; /* 16 across the channel */
    for (int i = 0; i < 4; ++i) {
        rheo_frame_stats last;
        const double rate = decay_rate(cells, bottoms[i], &last);
        printf("walls from %.4f m: rate %.4f, exact %.4f (%+.2f %%)\n", bottoms[i], rate, exact,
               100 * (rate / exact - 1));
        check_near(rate / exact, 1, 0.02);
        if (i) continue;
        assert_int_equal(last.liquid_cells, cells * 16); /* on grid lines nothing behind walls takes part */
        assert_int_equal(last.pressure.unknowns, cells * 16);
    }
}

/* A belt at 1 m/s above a long trough: what it drags along returns below, u = 3 (y/h)^2 - 2 y/h. */
static double belt_error(int cells, double height) {
    const double times[2] = {0, 10}, middle = 0.5 * (height + 2);
    const double places[6] = {0, middle, 0, 10, middle, 0};
    setup s;
    set(&s, 4, cells, 200);
    s.scene.fps = 1;
    fill_with(&s, flat_box(0, 0, 4, height));
    add_keyed(&s, flat_box(-20, height, 20, 2), 2, times, places);
    rheo_sim *sim = start_sim(&s.scene, 1);
    run_frames(sim, 2);
    double worst = 0;
    for (double y = 0.02; y < height; y += 0.03) {
        const double exact = 3 * y * y / (height * height) - 2 * y / height;
        worst = larger(worst, fabs(x_velocity(sim, 2, y) - exact));
    }
    rheo_free_sim(sim);
    return worst;
}

static void belt_drags_as_far_as_it_should(void **state) {
    (void)state;
    const double coarse = belt_error(32, 0.75), fine = belt_error(64, 0.75);
    printf("belt: error %.4f at 32 cells, %.4f at 64, order %.2f\n", coarse, fine, log2(coarse / fine));
    check_below(fine, 0.02);
    assert_true(log2(coarse / fine) > 1.7);
}

/* A disc of radius a turns at 10 rad/s in a vessel of radius b: u = A r + B / r. The largest error between
 * them, over the speed of the disc's rim, 2 m/s. */
static double couette_error(int cells, double *at_quarter) {
    const double times[2] = {0, 10}, turns[2] = {0, 100 * 180 / PI};
    setup s;
    set(&s, 1, cells, 50);
    s.scene.fps = 1;
    fill_with(&s, flat_box(0, 0, 1, 1));
    rheo_solid *disc = add_solid(&s, ball_at(0.5, 0.5, 0, 0.2));
    disc->motion = RHEO_KEYED;
    disc->rotation_degrees = (rheo_curve){2, times, turns, 1};
    add_solid(&s, ball_at(0.5, 0.5, 0, 0.45))->inside_fluid = true;
    rheo_sim *sim = start_sim(&s.scene, 1);
    run_frames(sim, 1); /* the slowest mode is at exp(-7.9) then */
    const double a = 0.2, b = 0.45, turn = 10 * a * a / (a * a - b * b);
    double worst = 0;
    for (double r = 0.21; r < b; r += 0.01) {
        const double exact = turn * r - turn * b * b / r, u = -x_velocity(sim, 0.5, 0.5 + r);
        worst = larger(worst, fabs(u - exact) / 2);
    }
    *at_quarter = -x_velocity(sim, 0.5, 0.75);
    rheo_free_sim(sim);
    return worst;
}

static void disc_turns_what_is_around_it(void **state) {
    (void)state;
    const int cells[] = {16, 24, 32};
    const double most[] = {0.05, 0.02, 0.01};
    for (int i = 0; i < 3; ++i) {
        double quarter;
        const double error = couette_error(cells[i], &quarter);
        printf("disc, %d cells: error %.4f, at r = 0.25 %.4f (1.3785)\n", cells[i], error, quarter);
        check_below(error, most[i]);
    }
}

static double energy_of(rheo_frame_stats f) {
    return f.kinetic + f.potential;
}

/* Water that breaks over a round sill loses energy, whatever it does at the wall. */
static void water_gains_no_energy_at_walls(void **state) {
    (void)state;
    setup s;
    set(&s, 1, 40, 0.001);
    s.gravity[1] = -9.81;
    s.scene.fps = 6;
    fill_with(&s, flat_box(0, 0, 0.4, 0.6));
    add_solid(&s, ball_at(0.6, 0.1, 0, 0.23));
    rheo_sim *sim = start_sim(&s.scene, 1);
    const double first = energy_of(run_frames(sim, 1));
    const double last = energy_of(run_frames(sim, 11));
    printf("sill: energy %.2f J at 0.2 s, %.2f J at 2 s\n", first, last);
    check_below(last, 0.8 * first);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_dies_out_between_walls_anywhere),
        cmocka_unit_test(belt_drags_as_far_as_it_should),
        cmocka_unit_test(disc_turns_what_is_around_it),
        cmocka_unit_test(water_gains_no_energy_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
