/* Liquid that touches nothing falls as a stone does, y = y0 + v t - g t^2 / 2, at whatever step, and neither
 * gains nor loses energy; what something holds does not fall. */
#include "check.h"

#include "scenes_by_hand.h"

enum { CELLS = 32 };
static const double START[3] = {0.3, 0.5, 0.5}, SPEED[3] = {0.6, 1.5, 0}, GRAVITY = 9.81;

static void make(setup *t, rheo_method method, int dim, double radius) {
    set_up(t, method, dim, CELLS);
    fill_with(t, ball_at(START[0], START[1], START[2], radius));
    for (int a = 0; a < dim; ++a) t->fluid[0].velocity[a] = SPEED[a];
}

static double height(rheo_sim *sim, int fluid) {
    return stats_of(sim).fluids[fluid].centroid[1];
}

static double energy(rheo_sim *sim) {
    const rheo_frame_stats stats = stats_of(sim);
    return stats.kinetic + stats.potential;
}

/* In steps of so many frames, which the first cannot know; 0: in as many as the speed asks for, which fall
 * from five a frame to one as the ball slows down. */
static void check_ball(rheo_method method, const char *name, int dim, double radius, double frames) {
    setup t;
    make(&t, method, dim, radius);
    if (frames == 0) t.scene.cfl = 0.4;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const double y0 = height(sim, 0), before = energy(sim), dt = frames / t.scene.fps;
    double most = 0, gained = 0, longest = 0, shortest = 1;
    for (double time = 0; time < 0.3;) {
        const double begun = time;
        step_sim(sim, dt);
        time = time_of(sim);
        longest = larger(longest, time - begun);
        shortest = smaller(shortest, time - begun);
        const double exact = y0 + SPEED[1] * time - 0.5 * GRAVITY * time * time;
        most = larger(most, fabs(height(sim, 0) - exact) * CELLS);
        gained = larger(gained, fabs(energy(sim) / before - 1));
    }
    print_message("%s, %dD, radius %g, %g frames: off by %.4f cells, energy by %.1e\n", name, dim, radius,
                  frames, most, gained);
    check_below(most, frames == 0 ? 0.002 : 0.02);
    check_below(gained, 1e-3);
    if (frames == 0) check_below(2 * shortest, longest);
    rheo_free_sim(sim);
}

static void test_ball(void **state) {
    (void)state;
    check_ball(RHEO_FLIP, "flip", 2, 0.12, 0.9);
    check_ball(RHEO_APIC, "apic", 2, 0.12, 0.3);
    check_ball(RHEO_FLIP, "flip", 3, 0.12, 0.5);
    check_ball(RHEO_APIC, "apic", 3, 0.12, 0.9);
    check_ball(RHEO_SEMI_LAGRANGIAN, "semi-lagrangian", 2, 0.12, 0.5);
    check_ball(RHEO_APIC, "apic", 2, 0.12, 0);
}

/* A ball too small for a liquid cell is spray from the first step on. */
static void test_spray(void **state) {
    (void)state;
    check_ball(RHEO_FLIP, "flip, spray", 3, 0.015, 0.9);
    check_ball(RHEO_APIC, "apic, spray", 2, 0.015, 0.3);
}

/* A pool under the ball, which is another region, stays where it is until it is hit. */
static void test_pool(void **state) {
    (void)state;
    setup t;
    make(&t, RHEO_FLIP, 3, 0.12);
    memset(add_fluid(&t, "pool", box_between(0, 0, 0, 1, 0.125, 1))->velocity, 0, sizeof SPEED);
    rheo_sim *sim = start_sim(&t.scene, 1);
    const double level = height(sim, 1), ball = height(sim, 0);
    for (int i = 0; i < 5; ++i) step_sim(sim, 0.03);
    const double time = time_of(sim), fallen = SPEED[1] * time - 0.5 * GRAVITY * time * time;
    print_message("pool sank by %.1e cells, ball is off by %.1e\n", (level - height(sim, 1)) * CELLS,
                  (height(sim, 0) - ball - fallen) * CELLS);
    check_below(fabs(level - height(sim, 1)) * CELLS, 1e-3);
    check_below(fabs(height(sim, 0) - ball - fallen) * CELLS, 0.02);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball), cmocka_unit_test(test_spray),
                                       cmocka_unit_test(test_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
