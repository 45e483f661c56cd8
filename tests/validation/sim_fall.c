/* Liquid that touches nothing falls as a stone does, y = y0 + v t - g t^2 / 2, at whatever step, and neither
 * gains nor loses energy; what something holds does not fall. */
#include "check.h"

#include <rheo/rheo.h>
#include "sim/liquid.h"

enum { CELLS = 32 };
static const double START[3] = {0.3, 0.5, 0.5}, SPEED[3] = {0.6, 1.5, 0}, GRAVITY = 9.81;

typedef struct setup {
    rheo_scene scene;
    rheo_fluid fluids[2];
    rheo_shape ball, pool;
} setup;

static void make(setup *t, rheo_method method, int dim, double radius) {
    *t = (setup){.scene = rheo_default_scene(),
                 .fluids = {rheo_default_fluid(), rheo_default_fluid()},
                 .ball = rheo_default_shape(RHEO_SHAPE_SPHERE),
                 .pool = rheo_default_shape(RHEO_SHAPE_BOX)};
    for (int a = 0; a < 3; ++a) {
        t->ball.a[a] = START[a];
        t->fluids[0].velocity[a] = a < dim ? SPEED[a] : 0;
        t->pool.a[a] = 0;
        t->pool.b[a] = a == 1 ? 0.125 : 1;
    }
    t->ball.radius = radius;
    t->fluids[0].name = "ball";
    t->fluids[0].fill = &t->ball;
    t->fluids[1].name = "pool";
    t->fluids[1].fill = &t->pool;
    t->fluids[0].fill_count = t->fluids[1].fill_count = 1;
    t->scene.method = method;
    t->scene.dim = dim;
    t->scene.cells = CELLS;
    t->scene.fluids = t->fluids;
    t->scene.fluid_count = 1;
}

static rheo_sim *begin(const setup *t) {
    rheo_report report = {0};
    rheo_sim *sim;
    if (rheo_create_sim(&sim, &t->scene, 1, &report)) fail_msg("%s", report.message);
    return sim;
}

static void step(rheo_sim *sim, double dt) {
    rheo_report report = {0};
    if (rheo_advance_step(sim, dt, &report)) fail_msg("%s", report.message);
}

static double height(rheo_sim *sim, int fluid) {
    rheo_frame_stats stats;
    rheo_read_stats(&stats, sim);
    return stats.fluids[fluid].centroid[1];
}

static double energy(rheo_sim *sim) {
    rheo_frame_stats stats;
    rheo_read_stats(&stats, sim);
    return stats.kinetic + stats.potential;
}

/* In steps of so many frames, which the first cannot know; 0: in as many as the speed asks for, which fall
 * from five a frame to one as the ball slows down. */
static void check_ball(rheo_method method, const char *name, int dim, double radius, double frames) {
    setup t;
    make(&t, method, dim, radius);
    if (frames == 0) t.scene.cfl = 0.4;
    rheo_sim *sim = begin(&t);
    const double y0 = height(sim, 0), before = energy(sim), dt = frames / t.scene.fps;
    double most = 0, gained = 0, longest = 0, shortest = 1;
    while (sim->time < 0.3) {
        const double begun = sim->time;
        step(sim, dt);
        longest = larger(longest, sim->time - begun);
        shortest = fmin(shortest, sim->time - begun);
        const double exact = y0 + SPEED[1] * sim->time - 0.5 * GRAVITY * sim->time * sim->time;
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
    t.scene.fluid_count = 2;
    rheo_sim *sim = begin(&t);
    const double level = height(sim, 1), ball = height(sim, 0);
    for (int i = 0; i < 5; ++i) step(sim, 0.03);
    const double fallen = SPEED[1] * sim->time - 0.5 * GRAVITY * sim->time * sim->time;
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
