/* Steps that know what is about to move: bodies as liquid held rigid go at most a cell in one, whatever
 * time.cfl says (Carlson 2004, 5.7.1), in every method; smoke knows of a fast emitter before it has blown. */
#include "check.h"

#include <math.h>
#include "scenes_by_hand.h"
#include "sim/step_limit.h"

enum { CELLS = 16 };
static const double RADIUS = 0.14;

/* Weightless, full of fluid. */
static void make(setup *t, rheo_method method) {
    set_up(t, method, 3, CELLS);
    fill_pool(t, 1);
    t->scene.cfl = 5;
    t->scene.fps = 1; /* no frame ends soon */
    t->gravity[1] = 0;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Six steps; each against what the ball is as fast as when it begins. `binds`: nothing else makes the steps
 * shorter than half of that. */
static void check_ball(rheo_method method, const char *name, double speed, double spin, int binds) {
    setup t;
    double longest = 0, shortest = INFINITY;
    make(&t, method);
    rheo_solid *ball = add_body(&t, ball_at(0.3, 0.5, 0.5, RADIUS), 4000);
    ball->velocity[0] = speed;
    ball->spin[2] = spin;
    t.scene.coupling = RHEO_RIGID_FLUID;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int i = 0; i < 6; ++i) {
        const rheo_body_stats now = body_of(sim, 0);
        const double begun = time_of(sim), fast = length(now.velocity) + RADIUS * length(now.spin);
        step_sim(sim, 0);
        const double cells = (time_of(sim) - begun) * fast * CELLS;
        longest = larger(longest, cells);
        shortest = smaller(shortest, cells);
    }
    print_message("%s, ball at %g m/s and %g rad/s: %.3f to %.3f cells a step\n", name, speed, spin, shortest,
                  longest);
    check_below(longest, 1 + 1e-6);
    if (binds) check_below(0.5, shortest);
    rheo_free_sim(sim);
}

static void test_rigid_fluid(void **state) {
    (void)state;
    static const struct {
        rheo_method method;
        const char *name;
        int binds; /* mac has shorter steps of its own */
    } methods[] = {{RHEO_FLIP, "flip", 1},
                   {RHEO_APIC, "apic", 1},
                   {RHEO_SEMI_LAGRANGIAN, "semi-lagrangian", 1},
                   {RHEO_MAC, "mac", 0},
                   {RHEO_SMOKE, "smoke", 1}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        check_ball(methods[m].method, methods[m].name, 4, 0, methods[m].binds);
        check_ball(methods[m].method, methods[m].name, 0, 60, methods[m].binds);
        check_ball(methods[m].method, methods[m].name, 3, -40, methods[m].binds);
    }
}

/* A step in which an emitter blows that has not yet when it begins. */
static void test_emitters(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_MAC, RHEO_SMOKE};
    static const double starts[] = {0, 0.37};
    for (int m = 0; m < 3; ++m)
        for (int when = 0; when < 2; ++when) {
            setup t;
            make(&t, methods[m]);
            t.fill[0].b[1] = 0.25;
            t.scene.cfl = 2;
            rheo_emitter *jet = add_emitter(&t, ball_at(0.5, 0.5, 0.5, 0.15), 0, 12, 16); /* 20 m/s */
            jet->during[0] = starts[when];
            jet->during[1] = 1;
            rheo_sim *sim = start_sim(&t.scene, 1);
            double dt = 0, time = 0;
            while (!(time > starts[when])) {
                step_sim(sim, 0);
                dt = time_of(sim) - time;
                time += dt;
            }
            print_message("method %d, 20 m/s from %g s on: %.3f cells in the first step\n", methods[m],
                          starts[when], dt * 20 * CELLS);
            check_below(dt * 20 * CELLS, t.scene.cfl * (1 + 1e-6));
            rheo_free_sim(sim);
        }
}

/* What the scheme does to a wave of wavenumber k: h += dt v, v = (v - dt omega^2 h) / (1 + 2 gamma dt), from
 * rest. Returns the largest |h| in the second half of n steps. */
static double wave_left(double k, double gravity, double nu, double dt, int n) {
    double h = 1, v = 0, most = 0;
    for (int i = 0; i < n; ++i) {
        v = (v - dt * gravity * k * h) / (1 + 2 * nu * k * k * dt);
        h += dt * v;
        if (i >= n / 2) most = larger(most, fabs(h));
    }
    return most;
}

/* The longest step lets no wave of the grid grow, is half of sqrt(dx / g) without viscosity, and grows with
 * it. */
static void test_waves(void **state) {
    (void)state;
    const double dx = 0.01, gravity = 9.81, bare = 0.5 * sqrt(dx / gravity);
    double before = bare;
    check_near(step_limit(dx, 100, 0, gravity), bare, 0);
    check_near(step_limit_viscous(dx, 100, 0, gravity, 0), bare, 0);
    for (double nu = 1e-5; nu < 1e4; nu *= 10) {
        const double dt = step_limit_viscous(dx, 1e9, 0, gravity, nu);
        double most = 0;
        for (double share = 1; share > 1e-3; share *= 0.9)
            most = larger(most, wave_left(share * M_PI / dx, gravity, nu, dt, 100000));
        print_message("nu %g m2/s: steps of %.4f s, waves of at most %.4f are left\n", nu, dt, most);
        assert_true(dt >= before);
        check_below(most, 1.2);
        before = dt;
    }
    check_below(10 * bare, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid_fluid), cmocka_unit_test(test_emitters),
                                       cmocka_unit_test(test_waves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
