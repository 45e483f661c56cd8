/* Vessels at rest stay at rest: closed and full ones have no surface, so nothing but the solve's tolerance
 * can move them; half-full ones are as quiet as the particles' surface is even. */
#include "check.h"
#include "../../bench/tanks.h"
#include "scenes_by_hand.h"

static tank_result run(const tank *t, int n, double from, double to) {
    rheo_report report = {0};
    tank_result r;
    assert_int_equal(tank_run(&r, t, n, 0, from, to, &report), RHEO_OK);
    print_message("%s, %g degrees, level %g, %d^3: speed %.3g m/s, energy gain %.3g m\n",
                  t->round_tank ? "sphere" : "box", t->degrees, t->full ? 1 : t->level, n, r.speed, r.gain);
    assert_true(r.mass > 0);
    return r;
}

static void check_full(const tank *t) {
    const tank_result r = run(t, 32, 0, 1);
    check_below(r.speed, 1e-4);
    check_below(r.gain, 1e-4); /* particles settle a little at the start */
}

static void test_full(void **state) {
    (void)state;
    check_full(&(tank){.round_tank = 1, .full = 1});
    check_full(&(tank){.full = 1, .degrees = 25});
}

/* Without the settling of the fill: 0.018, 0.021, 0.027 and 0.012 m/s. */
static void check_half_full(const tank *t, double limit) {
    const tank_result r = run(t, 24, 0.5, 1);
    check_below(r.speed, limit);
    check_below(r.gain, 1e-4);
}

/* The level of the first box lies in the middle of a layer of octants, where jitter would take half of them.
 */
static void test_half_full(void **state) {
    (void)state;
    check_half_full(&(tank){.level = 12.25 / 24}, 5e-3);
    check_half_full(&(tank){.level = 0.5137, .degrees = 20}, 8e-3);
    check_half_full(&(tank){.level = 0.47, .degrees = 30}, 8e-3);
    check_half_full(&(tank){.level = 0.4, .degrees = 45}, 4e-3);
    check_half_full(&(tank){.level = 0.5, .degrees = 45}, 4e-3);
    check_half_full(&(tank){.level = 0.53, .round_tank = 1}, 8e-3);
}

/* Little water in a bowl: narrow faces of a pocket below the contact line drained it for ever, at 0.03 m/s.
 */
static void test_bowl(void **state) {
    (void)state;
    const tank_result r = run(&(tank){.level = 0.2, .round_tank = 1}, 48, 1, 1.5);
    check_below(r.speed, 5e-3);
    check_below(r.gain, 1e-5);
}

/* What is solved through the wider faces of a pocket at the contact line leads nowhere either: 0.0037 m/s and
 * growing. */
static void test_pocket(void **state) {
    (void)state;
    const tank_result r = run(&(tank){.level = 0.35, .degrees = 33}, 48, 1.5, 2);
    check_below(r.speed, 3e-3);
    check_below(r.gain, 1e-5);
}

/* A puddle on a floor of small slope: 0.53 m/s as long as single particles switched its edge on and off, and
 * flow was sent through slivers of faces that lets no particle pass. */
static void test_puddle(void **state) {
    (void)state;
    const tank_result r = run(&(tank){.level = 0.22, .degrees = 12, .about = {1, 0, 0.4}}, 32, 1, 1.5);
    check_below(r.speed, 0.03);
    check_below(r.gain, 3e-5);
}

/* Shallow water: the fill's longest wave was left to go to and fro, at 0.0065 m/s where it ran up the floor.
 */
static void test_shallow(void **state) {
    (void)state;
    const tank_result r = run(&(tank){.level = 0.24, .degrees = 9, .about = {1, 0, 1}}, 24, 0.5, 1.5);
    check_below(r.speed, 3e-3);
    check_below(r.gain, 1e-5);
}

/* The tip of a wedge over a floor of slope 0.2: out of reach of what has a velocity, it took what is solved
 * for hardly any liquid, and single particles flew off (0.02 to 0.5 m/s). */
static void test_wedge(void **state) {
    (void)state;
    const tank_result r = run(&(tank){.level = 0.24, .degrees = 11.31, .flat = 1}, 48, 0.5, 3);
    check_below(r.speed, 5e-3);
    check_below(r.gain, 1e-5);
}

/* The drift correction lifted water that stood still: by 2.3e-6 m in the first of these. */
static void test_energy(void **state) {
    (void)state;
    static const tank tanks[] = {{.level = 0.5137, .degrees = 25}, {.level = 0.5, .degrees = 37},
                                 {.level = 0.45, .degrees = 45},   {.level = 0.55, .degrees = 62},
                                 {.level = 0.4, .degrees = 75},    {.level = 0.35, .degrees = 33}};
    for (int i = 0; i < (int)(sizeof tanks / sizeof *tanks); ++i) {
        tank t = tanks[i];
        t.flat = 1;
        const tank_result r = run(&t, 48, 2, 4);
        check_below(r.gain, 2e-7);
    }
    check_below(run(&(tank){.level = 0.5137, .degrees = 25}, 32, 2, 3).gain, 3e-8);
    check_below(run(&(tank){.level = 0.45, .round_tank = 1}, 24, 2, 3).gain, 3e-8);
    check_below(run(&(tank){.full = 1, .degrees = 25}, 24, 0, 1).gain, 3e-8);
}

/* A film of 0.6 cells on the upper half of a floor of slope 0.1 runs down. It hung there where no velocity
 * reached it: after three seconds its centroid stood at x = 0.30. */
static void test_film(void **state) {
    (void)state;
    const double slope = 0.1, thick = 0.6 / 48, angle = atan(slope), x = 0.175, y = -0.2 + 0.5 * thick;
    const double middle[2] = {0.5 + x * cos(angle) - y * sin(angle), 0.5 + x * sin(angle) + y * cos(angle)};
    const double turn = angle * 180 / acos(-1);
    setup t;
    set_up(&t, RHEO_APIC, 2, 48);
    fill_with(&t, turned(flat_box(middle[0] - 0.175, middle[1] - 0.5 * thick - 0.01, /* down into the floor */
                                  middle[0] + 0.175, middle[1] + 0.5 * thick),
                         0, 0, 1, turn));
    add_solid(&t, turned(flat_box(0.08, 0.3, 0.92, 0.7), 0, 0, 1, turn))->inside_fluid = true;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats stats = run_frames(sim, 90);
    print_message("film: centroid at %.3f %.4f\n", stats.fluids[0].centroid[0], stats.fluids[0].centroid[1]);
    check_below(stats.fluids[0].centroid[0], 0.285);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),   cmocka_unit_test(test_half_full), cmocka_unit_test(test_bowl),
        cmocka_unit_test(test_pocket), cmocka_unit_test(test_puddle),    cmocka_unit_test(test_shallow),
        cmocka_unit_test(test_wedge),  cmocka_unit_test(test_energy),    cmocka_unit_test(test_film)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
