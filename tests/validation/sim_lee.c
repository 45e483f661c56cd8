/* No voids open behind solids under water.
 *
 * Potential flow around a ball of radius R that goes at U is nowhere faster than U, around one that stands in
 * a stream of U nowhere faster than 1.5 U; around a blade that turns, than its tips, but for its edges. Where
 * particles ran short behind it the liquid used to count as air, and imploded at five to ten times that. */
#include "check.h"
#include "scenes_by_hand.h"

#define FAST 0.3 /* m/s */

/* Nine tenths full. */
static void tank(setup *t, rheo_method method, int cells) {
    set_up(t, method, 3, cells);
    fill_pool(t, 0.9);
}

static double fastest(const setup *t) {
    rheo_sim *sim = start_sim(&t->scene, 0);
    double most = 0;
    for (int f = 0; f < 30; ++f) most = larger(most, run_frames(sim, 1).speed);
    rheo_free_sim(sim);
    return most;
}

static void behind_a_ball(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_APIC};
    double times[] = {0, 1}, places[] = {0.3, 0.4, 0.5, 0.3 + FAST, 0.4, 0.5};
    for (int m = 0; m < 3; ++m) {
        setup t;
        tank(&t, methods[m], 24);
        t.scene.separation = m == 2; /* nothing opens under this much water either */
        add_keyed(&t, ball_at(0.3, 0.4, 0.5, 0.14), 2, times, places);
        const double most = fastest(&t);
        print_message("ball at %.2f m/s: at most %.2f m/s\n", FAST, most);
        check_below(most, 1.2 * FAST);
        check_below(0.5 * FAST, most);
    }
}

static void in_a_stream(void **state) {
    (void)state;
    setup t;
    tank(&t, RHEO_FLIP, 24);
    t.scene.wall[0] = t.scene.wall[1] = RHEO_WALL_PERIODIC;
    t.fluid[0].velocity[0] = FAST;
    add_solid(&t, ball_at(0.5, 0.4, 0.5, 0.14));
    const double most = fastest(&t);
    print_message("ball in a stream of %.2f m/s: at most %.2f m/s\n", FAST, most);
    check_below(most, 1.7 * FAST);
    check_below(FAST, most);
}

/* A blade of 0.5 m by `thick`. */
static void check_blade(double thick) {
    const double times[] = {0, 1}, degrees[] = {0, 120}, middle[] = {0.5, 0.4, 0.5};
    setup t;
    tank(&t, RHEO_APIC, 30);
    rheo_solid *blade = add_keyed(&t, box_between(0.25, 0.4 - 0.5 * thick, 0.3, 0.75, 0.4 + 0.5 * thick, 0.7),
                                  1, times, middle);
    blade->rotation_degrees = (rheo_curve){2, times, degrees, 1};
    blade->rotation_axis[2] = 1;
    const double tip = 0.25 * 2.0944, most = fastest(&t);
    print_message("blade with tips at %.2f m/s: at most %.2f m/s\n", tip, most);
    check_below(most, 1.5 * tip);
}

static void behind_a_blade(void **state) {
    (void)state;
    check_blade(0.1);
    check_blade(0.01); /* 0.3 cells */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(behind_a_ball), cmocka_unit_test(in_a_stream),
                                       cmocka_unit_test(behind_a_blade)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
