/* Wall separation in running scenes: water peels off walls, rests as before, cannot part in a full vessel,
 * and carries bodies. */
#include "check.h"
#include "../../bench/separation.h"
#include "scenes_by_hand.h"

static void splash_peels_off(void **state) {
    (void)state;
    rheo_report report = {0};
    splash_result with, without;
    assert_int_equal(splash_run(&without, 48, false, 1, &report), RHEO_OK);
    assert_int_equal(splash_run(&with, 48, true, 1, &report), RHEO_OK);
    for (int t = 0; t < SPLASH_TIMES; ++t) {
        print_message("wetted at %.2f s: %.3f m without, %.3f m with\n", splash_time[t], without.wetted[t],
                      with.wetted[t]);
        check_below(with.wetted[t], without.wetted[t]);
    }
    print_message("rounds %d, violation %.1e\n", with.rounds, with.violation);
    check_below(with.wetted[SPLASH_TIMES - 1], 0.5 * without.wetted[SPLASH_TIMES - 1]);
    assert_true(with.converged);
    check_below(with.violation, 1e-5);
    assert_int_equal(without.rounds, 0);
}

typedef struct vessel {
    int dim, n, tilted, body, frames;
    double level, thrown; /* m, m/s: a disc under water, upwards */
} vessel;

typedef struct outcome {
    double speed, height, rise, violation, drift; /* last frame; of the body */
    int rounds, closed, converged;
    int64_t separated, let_go; /* in the last frame, at most */
    size_t count;
    float *x; /* positions across the first two axes */
} outcome;

static outcome run(const vessel *v, bool separation) {
    setup t;
    outcome out = {.converged = 1};
    set_up(&t, RHEO_APIC, v->dim, v->n);
    fill_pool(&t, v->level);
    t.scene.separation = separation;
    if (v->tilted)
        add_solid(&t, turned(box_between(0.18, 0.18, 0.18, 0.82, 0.82, 0.82), 0, 0, 1, 25))->inside_fluid =
            true;
    else if (v->body)
        add_body(&t, v->thrown > 0 ? ball_at(0.5, 0.3, 0.5, 0.12) : ball_at(0.5, 0.6, 0.5, 0.17), 400)
            ->velocity[1] = v->thrown;
    if (v->thrown > 0) t.scene.fps = 60;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int frame = 1; frame <= v->frames; ++frame) {
        const rheo_frame_stats stats = run_frames(sim, 1);
        out.speed = stats.speed;
        out.drift = stats.volume_drift;
        out.violation = larger(out.violation, stats.pressure.violation);
        out.rounds = stats.pressure.rounds > out.rounds ? stats.pressure.rounds : out.rounds;
        out.closed = stats.pressure.closed_regions;
        out.separated = stats.pressure.separated;
        out.let_go = out.separated > out.let_go ? out.separated : out.let_go;
        out.converged &= stats.pressure.converged;
    }
    if (v->body) {
        const rheo_body_stats body = body_of(sim, 0);
        out.height = body.position[1];
        out.rise = body.velocity[1];
    }
    rheo_particle_view view;
    rheo_view_particles(&view, sim);
    out.count = view.count;
    out.x = malloc(2 * view.count * sizeof *out.x);
    assert_non_null(out.x);
    for (int a = 0; a < 2; ++a)
        memcpy(out.x + (size_t)a * view.count, view.position[a], view.count * sizeof *out.x);
    rheo_free_sim(sim);
    return out;
}

static void say(const char *name, const outcome *without, const outcome *with) {
    print_message("%-20s speed %.2e without, %.2e with; rounds %d, let go %lld, violation %.1e\n", name,
                  without->speed, with->speed, with->rounds, (long long)with->separated, with->violation);
}

/* A pool at rest is the same to the bit: nothing at its walls is ever below zero. */
static void pool_is_unchanged(void **state) {
    (void)state;
    const vessel pool_ = {.dim = 2, .n = 32, .level = 0.5, .frames = 30};
    outcome without = run(&pool_, false), with = run(&pool_, true);
    say("pool", &without, &with);
    assert_int_equal(without.count, with.count);
    assert_memory_equal(without.x, with.x, 2 * with.count * sizeof *with.x);
    free(without.x);
    free(with.x);
}

static void tilted_tank_stays_calm(void **state) {
    (void)state;
    const vessel tank = {.dim = 2, .n = 48, .tilted = 1, .level = 0.5137, .frames = 45};
    outcome without = run(&tank, false), with = run(&tank, true);
    say("tilted, half full", &without, &with);
    check_below(with.speed, 1.5 * without.speed + 1e-3);
    check_below(fabs(with.drift), fabs(without.drift) + 5e-3);
    assert_true(with.converged);
    free(without.x);
    free(with.x);
}

static void full_vessel_stays_still(void **state) {
    (void)state;
    const vessel full = {.dim = 2, .n = 48, .tilted = 1, .level = 1, .frames = 20};
    outcome without = run(&full, false), with = run(&full, true);
    say("tilted, full", &without, &with);
    check_below(with.speed, 1e-4);
    assert_int_equal(with.separated, 0);
    assert_true(with.closed > 0);
    free(without.x);
    free(with.x);
}

static void body_floats(void **state) {
    (void)state;
    const vessel pool_ = {.dim = 2, .n = 40, .body = 1, .level = 0.45, .frames = 60};
    outcome without = run(&pool_, false), with = run(&pool_, true);
    say("floating disc", &without, &with);
    print_message("height %.4f without, %.4f with\n", without.height, with.height);
    assert_true(with.converged);
    check_below(with.violation, 1e-5);
    check_near(with.height, without.height, 0.05);
    free(without.x);
    free(with.x);
}

/* A disc of density 0.4 is thrown up at 6 m/s under still water. It shares its momentum with the water that
 * moves with it: of a disc as much as it displaces, 0.4 / 1.4 of 6 m/s. Water that may let go is pushed but
 * not pulled: it is less, and the disc keeps more. */
static void body_leaves_water(void **state) {
    (void)state;
    for (int n = 40; n <= 43; ++n) {
        const vessel pool_ = {.dim = 2, .n = n, .body = 1, .level = 0.5, .thrown = 6, .frames = 2};
        outcome without = run(&pool_, false), with = run(&pool_, true);
        say("thrown disc", &without, &with);
        print_message("rises at %.3f m/s without, %.3f with; let go at most %lld\n", without.rise, with.rise,
                      (long long)with.let_go);
        assert_true(with.converged && with.let_go > 0);
        check_below(with.violation, 1e-5);
        check_near(without.rise, 6 * 0.4 / 1.4, 0.3); /* 0.19 measured, with its lift for two frames */
        assert_true(with.rise > 1.5 * without.rise && with.rise < 6); /* 1.83 to 1.89 times measured */
        free(without.x);
        free(with.x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splash_peels_off),
        cmocka_unit_test(pool_is_unchanged),
        cmocka_unit_test(tilted_tank_stays_calm),
        cmocka_unit_test(full_vessel_stays_still),
        cmocka_unit_test(body_floats),
        cmocka_unit_test(body_leaves_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
