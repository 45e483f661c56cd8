/* Steps that know what is about to move: bodies as liquid held rigid go at most a cell in one, whatever
 * time.cfl says (Carlson 2004, 5.7.1), in every method; smoke knows of a fast emitter before it has blown. */
#include "check.h"

#include <rheo/rheo.h>
#include "sim/liquid.h"

enum { CELLS = 16 };
static const double RADIUS = 0.14;

typedef struct setup {
    rheo_scene scene;
    rheo_fluid fluid;
    rheo_shape fill;
    rheo_solid ball;
    rheo_emitter emitter;
} setup;

static const double weightless[3] = {0, 0, 0};

static void make(setup *t, rheo_method method) {
    *t = (setup){.scene = rheo_default_scene(),
                 .fluid = rheo_default_fluid(),
                 .fill = rheo_default_shape(RHEO_SHAPE_BOX),
                 .ball = rheo_default_solid(),
                 .emitter = rheo_default_emitter()};
    for (int a = 0; a < 3; ++a) {
        t->fill.a[a] = 0;
        t->fill.b[a] = 1;
    }
    t->fluid.name = "fluid";
    t->fluid.fill = &t->fill;
    t->fluid.fill_count = 1;
    if (method == RHEO_SMOKE) t->fluid.density = 1.2;
    t->scene.method = method;
    t->scene.output_mesh = method != RHEO_SMOKE;
    t->scene.cells = CELLS;
    t->scene.cfl = 5;
    t->scene.fps = 1; /* no frame ends soon */
    t->scene.gravity = (rheo_curve){.count = 1, .values = weightless, .width = 3};
    t->scene.fluids = &t->fluid;
    t->scene.fluid_count = 1;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Six steps; each against what the ball is as fast as when it begins. `binds`: nothing else makes the steps
 * shorter than half of that. */
static void check_ball(rheo_method method, const char *name, double speed, double spin, int binds) {
    setup t;
    rheo_sim *sim;
    rheo_report report = {0};
    double longest = 0, shortest = INFINITY;
    make(&t, method);
    t.ball.name = "ball";
    t.ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    t.ball.shape.a[0] = 0.3, t.ball.shape.a[1] = t.ball.shape.a[2] = 0.5;
    t.ball.shape.radius = RADIUS;
    t.ball.motion = RHEO_DYNAMIC;
    t.ball.density = 4000;
    t.ball.velocity[0] = speed;
    t.ball.spin[2] = spin;
    t.scene.coupling = RHEO_RIGID_FLUID;
    t.scene.solids = &t.ball;
    t.scene.solid_count = 1;
    if (rheo_create_sim(&sim, &t.scene, 1, &report)) fail_msg("%s", report.message);
    for (int i = 0; i < 6; ++i) {
        rheo_body_stats ball;
        rheo_read_body(&ball, NULL, sim, 0);
        const double begun = sim->time, fast = length(ball.velocity) + RADIUS * length(ball.spin);
        if (rheo_advance_step(sim, 0, &report)) fail_msg("%s", report.message);
        const double cells = (sim->time - begun) * fast * CELLS;
        longest = larger(longest, cells);
        shortest = fmin(shortest, cells);
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
    static const double velocity[3] = {0, 12, 16}; /* 20 m/s */
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_MAC, RHEO_SMOKE};
    static const double starts[] = {0, 0.37};
    for (int m = 0; m < 3; ++m)
        for (int when = 0; when < 2; ++when) {
            setup t;
            rheo_sim *sim;
            rheo_report report = {0};
            make(&t, methods[m]);
            t.fill.b[1] = 0.25;
            t.scene.cfl = 2;
            t.emitter.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
            t.emitter.shape.a[0] = t.emitter.shape.a[1] = t.emitter.shape.a[2] = 0.5;
            t.emitter.shape.radius = 0.15;
            t.emitter.velocity = (rheo_curve){.count = 1, .values = velocity, .width = 3};
            t.emitter.during[0] = starts[when];
            t.emitter.during[1] = 1;
            t.scene.emitters = &t.emitter;
            t.scene.emitter_count = 1;
            if (rheo_create_sim(&sim, &t.scene, 1, &report)) fail_msg("%s", report.message);
            double dt = 0;
            while (!(sim->time > starts[when])) {
                const double begun = sim->time;
                if (rheo_advance_step(sim, 0, &report)) fail_msg("%s", report.message);
                dt = sim->time - begun;
            }
            print_message("method %d, 20 m/s from %g s on: %.3f cells in the first step\n", methods[m],
                          starts[when], dt * 20 * CELLS);
            check_below(dt * 20 * CELLS, t.scene.cfl * (1 + 1e-6));
            rheo_free_sim(sim);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid_fluid), cmocka_unit_test(test_emitters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
