/* A wave that hits a light body on the floor carries it away and does not throw it. What pressure does to a
 * body that its contacts hold is no measure of what it does once they let go: boards came off the floor at 37
 * and 52 m/s, and brought up to twice the energy that was there.
 *
 * Plane dam breaks, 32 cells: all that is there may not gain energy beyond what the splitting of a step lets
 * it (1 % in the first frames, without a body too), and no body is much faster than the water, 5 m/s. */
#include "check.h"

#include "../../bench/basin.h"

enum { CELLS = 32, FRAMES = 45 };

typedef struct {
    const char *what;
    rheo_method method;
    double density;     /* of the water's */
    double width, high; /* m */
    double fastest;     /* m/s: asked */
} thrown_case;

static void is_not_thrown(const thrown_case *c) {
    basin b = basin_make(2, 1, 1, 1, CELLS, 0.6);
    b.fill.b[0] = 0.3;
    b.scene.method = c->method;
    basin_add(&b, basin_box(0.5 + 0.5 * c->width, 0.5 * c->high, 0.5, 0.5 * c->width, 0.5 * c->high, 0.5),
              c->density);
    const double mass = c->density * BASIN_DENSITY * c->width * c->high / CELLS;
    double first = 0, most = 0, fastest = 0;
    rheo_sim *sim;
    rheo_report report = {0};
    rheo_frame_stats f = {0};
    if (basin_run(&sim, &b, 1, &report)) fail_msg("%s", report.message);
    for (int i = 0; i < FRAMES; ++i) {
        rheo_body_stats body;
        if (rheo_advance_frame(sim, NULL, &f, &report)) fail_msg("%s", report.message);
        rheo_read_body(&body, NULL, sim, 0);
        const double *v = body.velocity, speed2 = v[0] * v[0] + v[1] * v[1];
        const double energy =
            f.kinetic + f.potential + mass * (0.5 * speed2 + BASIN_GRAVITY * body.position[1]);
        if (i == 0) first = energy;
        most = fmax(most, energy);
        fastest = fmax(fastest, sqrt(speed2));
    }
    rheo_free_sim(sim);
    print_message("%s: energy %.3f of the first frame's at most, body %.1f m/s\n", c->what, most / first,
                  fastest);
    check_below(most, 1.035 * first);
    check_below(fastest, c->fastest);
}

static void waves_do_not_throw_bodies(void **state) {
    (void)state;
    static const double thin = 0.3 / CELLS, half = 0.7 / CELLS;
    const thrown_case cases[] = {
        {"board of a tenth, flip", RHEO_FLIP, 0.1, 0.2, thin, 7},
        {"board of a tenth, apic", RHEO_APIC, 0.1, 0.2, thin, 7},
        {"board of a half, flip", RHEO_FLIP, 0.5, 0.2, thin, 4},
        {"board of a half, apic", RHEO_APIC, 0.5, 0.2, half, 4},
        {"board of a hundredth, flip", RHEO_FLIP, 0.01, 0.2, half, 7},
        {"thin board of a hundredth, flip", RHEO_FLIP, 0.01, 0.2, thin, 10},
        {"block of a tenth, apic", RHEO_APIC, 0.1, 0.1, 0.1, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) is_not_thrown(&cases[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_do_not_throw_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
