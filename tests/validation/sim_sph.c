/* Fluids of particles alone, as whole simulations. */
#include "check.h"
#include "scenes_by_hand.h"
#include "sim/state.h"
#include "stored_state.h"

/* Water at rest stays: its level, its pressure, and how little it trembles. */
static void rests(void **state) {
    setup t;
    (void)state;
    set_up(&t, RHEO_SPH, 2, 24);
    fill_pool(&t, 0.5);
    rheo_probe probe = {.from = {0.5, 0.1, 0}, .to = {0.5, 0.4, 0}, .samples = 4, .of = RHEO_OF_PRESSURE};
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats start = stats_of(sim);
    const rheo_frame_stats end = run_frames(sim, 60);
    double rows[4][4];
    printf("speed %.4f m/s, centroid %.5f -> %.5f, volume %+.4f\n", end.speed, start.fluids[0].centroid[1],
           end.fluids[0].centroid[1], end.volume_drift);
    check_below(end.speed, 0.04);
    check_near(end.fluids[0].centroid[1], start.fluids[0].centroid[1], 0.002);
    rheo_sample_probe(rows[0], sim, &probe);
    for (int i = 0; i < 4; ++i) {
        const double p = t.fluid[0].density * 9.81 * (0.5 - rows[i][1]);
        printf("  p(%.1f) = %.0f, %.0f\n", rows[i][1], rows[i][3], p);
        check_near(rows[i][3], p, 0.03 * t.fluid[0].density * 9.81 * 0.5);
    }
    rheo_free_sim(sim);
}

static void fill_dam(setup *t, int dim) {
    set_up(t, RHEO_SPH, dim, dim == 3 ? 12 : 20);
    fill_with(t, box_between(0, 0, 0, 0.4, 0.6, 1));
    add_solid(t, ball_at(0.7, 0.1, 0.5, 0.15));
    add_body(t, ball_at(0.75, 0.6, 0.5, 0.1), 400);
}

/* The same bits for any number of threads, and after a checkpoint within a frame. */
static void repeats(void **state) {
    (void)state;
    for (int which = 0; which < 3; ++which) { /* in the plane, in space, and so thick that lumps help */
        setup t;
        fill_dam(&t, which ? 3 : 2);
        if (which == 2) t.fluid[0].viscosity = 1e4;
        check_repeats(&t.scene);
    }
}

/* Flow between walls that it sticks to. */
static double poiseuille_error(int cells) {
    setup t;
    const double nu = 0.1, pull = 0.8; /* m2/s, m/s2: 1 m/s in the middle */
    set_up(&t, RHEO_SPH, 2, cells);
    fill_pool(&t, 1);
    t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_PERIODIC;
    t.scene.slip = 0;
    t.scene.dt_max = 0.01;
    t.gravity[0] = pull;
    t.gravity[1] = 0;
    t.fluid[0].viscosity = nu * t.fluid[0].density;
    rheo_sim *sim = start_sim(&t.scene, 1);
    rheo_probe probe = {
        .from = {0.5, 0.125, 0}, .to = {0.5, 0.875, 0}, .samples = 13, .of = RHEO_OF_VELOCITY};
    double rows[13][6], sum = 0;
    run_frames(sim, 135); /* 4.5 L^2 / (pi^2 nu) */
    rheo_sample_probe(rows[0], sim, &probe);
    for (int i = 0; i < 13; ++i) {
        const double y = rows[i][1], exact = 0.5 * pull / nu * y * (1 - y) * (1 - 0.0117);
        sum += (rows[i][3] - exact) * (rows[i][3] - exact) / 13;
    }
    rheo_free_sim(sim);
    return sqrt(sum);
}

static void sticks_to_walls(void **state) {
    const double coarse = poiseuille_error(16), fine = poiseuille_error(24);
    (void)state;
    printf("poiseuille: %.4f at 32 particles across, %.4f at 48\n", coarse, fine);
    check_below(coarse, 0.03);
    check_below(fine, 0.02);
}

/* Two blobs of different fluids that collide keep what momentum they have; thick ones are solved by lumps. */
static void collide(double thickness) {
    setup t;
    set_up(&t, RHEO_SPH, 3, 20);
    t.gravity[1] = 0;
    fill_with(&t, ball_at(0.35, 0.5, 0.5, 0.13));
    t.fluid[0].velocity[0] = 1;
    t.fluid[0].viscosity = thickness;
    rheo_fluid *other = add_fluid(&t, "other", ball_at(0.63, 0.56, 0.5, 0.13));
    other->velocity[0] = -1;
    other->velocity[2] = 0.1;
    other->density = 500;
    other->viscosity = 10 * thickness;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats start = stats_of(sim), end = run_frames(sim, 6);
    const double size = start.fluids[0].mass;
    check_below(end.kinetic, 0.9 * start.kinetic);
    for (int a = 0; a < 3; ++a) {
        check_near(end.momentum[a] / size, start.momentum[a] / size, 1e-6);
        check_near(end.angular_momentum[a] / size, start.angular_momentum[a] / size, 1e-6);
    }
    rheo_free_sim(sim);
}

static void keeps_momentum(void **state) {
    (void)state;
    collide(1);
    collide(1e3);
}

/* A box floats as deep as it is heavy, and one of lead lies on the floor. */
static void floats(void **state) {
    setup t;
    (void)state;
    set_up(&t, RHEO_SPH, 2, 24);
    fill_pool(&t, 0.5);
    add_body(&t, box_between(0.2, 0.36, 0, 0.5, 0.66, 1), 600);
    add_body(&t, box_between(0.7, 0.2, 0, 0.8, 0.3, 1), 8000);
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats start = stats_of(sim);
    rheo_body_stats box, lead;
    double middle = 0;
    run_frames(sim, 75);
    for (int i = 0; i < 30; ++i) { /* it still bobs */
        run_frames(sim, 1);
        rheo_read_body(&box, NULL, sim, 0);
        middle += box.position[1] / 30;
    }
    rheo_read_body(&lead, NULL, sim, 1);
    const double share = 600 / t.fluid[0].density; /* of the box that is under water, and all of the lead */
    const double level = (start.fluids[0].volume / (1.0 / 24) + share * 0.09 + 0.01);
    printf("draught %.4f, wanted %.4f; lead at %.4f\n", level - (middle - 0.15), share * 0.3,
           lead.position[1]);
    check_near(level - (middle - 0.15), share * 0.3, 0.03 * 0.3);
    check_near(lead.position[1], 0.05, 0.005);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests),          cmocka_unit_test(repeats), cmocka_unit_test(sticks_to_walls),
        cmocka_unit_test(keeps_momentum), cmocka_unit_test(floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
