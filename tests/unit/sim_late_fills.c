/* Fills that appear when their time comes: as many particles as at the start, at the end of the step in which
 * it comes, at the fluid's velocity, counted as put in, and only where nothing is yet. */
#include "check.h"
#include "scenes_by_hand.h"

/* Weightless drops at four times, one of them at the start; frames of 0.1 s. */
typedef struct drops {
    setup t;
    rheo_shape fill[4];
} drops;

static const double TIMES[4] = {0, 0.1, 0.25, 0.26};

static void set_up_drops(drops *d, rheo_method method, int dim) {
    set_up(&d->t, method, dim, 32);
    d->t.gravity[1] = 0;
    d->t.scene.fps = 10;
    for (int i = 0; i < 4; ++i) {
        d->fill[i] = ball_at(0.1875 * (i + 1), 0.5, 0.5, 0.08);
        d->fill[i].at = TIMES[i];
    }
    d->t.scene.fluids[0].fill = d->fill;
    d->t.scene.fluids[0].fill_count = 4;
}

/* Numbers of particles at the ends of frames: none is early or late, whatever the method, and the volume that
 * was put in is there. */
static void they_appear_in_their_step(void **state) {
    (void)state;
    for (int method = RHEO_FLIP; method <= RHEO_MAC; ++method)
        for (int dim = 2; dim <= 3; ++dim) {
            static const int there[5] = {1, 2, 2, 4, 4};
            drops d;
            set_up_drops(&d, (rheo_method)method, dim);
            rheo_sim *sim = start_sim(&d.t.scene, 1);
            const int64_t one = stats_of(sim).particles;
            assert_true(one > 0);
            for (int frame = 0; frame < 5; ++frame) {
                const rheo_frame_stats f = run_frames(sim, frame > 0);
                assert_int_equal(f.particles, there[frame] * one);
                assert_true(f.volume_drift < 0.2 && f.volume_drift > -0.2);
            }
            rheo_free_sim(sim);
        }
}

/* The end of the first step at or behind the time: never more than a step late. */
static void steps_do_not_matter(void **state) {
    (void)state;
    for (int steps = 1; steps <= 64; steps *= 2) {
        drops d;
        set_up_drops(&d, RHEO_APIC, 2);
        rheo_sim *sim = start_sim(&d.t.scene, 1);
        const int64_t one = stats_of(sim).particles;
        while (time_of(sim) < 0.35) {
            step_sim(sim, 0.1 / steps);
            const double now = time_of(sim);
            int there = 0;
            for (int i = 0; i < 4; ++i) there += TIMES[i] <= now;
            assert_int_equal(stats_of(sim).particles, there * one);
        }
        rheo_free_sim(sim);
    }
}

static void they_start_at_the_fluids_velocity(void **state) {
    (void)state;
    drops d;
    set_up_drops(&d, RHEO_APIC, 3);
    d.fill[0].at = 0.1;
    d.t.scene.fluids[0].fill_count = 1;
    d.t.scene.fluids[0].velocity[1] = -1;
    rheo_sim *sim = start_sim(&d.t.scene, 1);
    assert_int_equal(stats_of(sim).particles, 0);
    rheo_frame_stats f = run_frames(sim, 1);
    check_near(f.speed, 1, 1e-5);
    check_near(f.fluids[0].centroid[1], 0.5, 1e-3);
    f = run_frames(sim, 2);
    check_near(f.speed, 1, 1e-5);
    check_near(f.fluids[0].centroid[1], 0.3, 2e-3);
    rheo_free_sim(sim);
}

/* A ball of which half is under water by then adds the other half. */
static void they_add_what_has_room(void **state) {
    (void)state;
    drops d;
    set_up_drops(&d, RHEO_APIC, 3);
    d.fill[0] = box_between(0, 0, 0, 1, 0.5, 1);
    d.fill[1] = ball_at(0.5, 0.5, 0.5, 0.25);
    d.fill[1].at = 0.1;
    d.t.scene.fluids[0].fill_count = 2;
    rheo_sim *sim = start_sim(&d.t.scene, 1);
    const double pool = stats_of(sim).fluids[0].volume;
    const rheo_frame_stats f = run_frames(sim, 1);
    check_near(f.fluids[0].volume - pool, 2 * 3.14159265 / 3 * 0.25 * 0.25 * 0.25, 2e-3);
    assert_true(f.volume_drift < 0.02 && f.volume_drift > -0.02);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_appear_in_their_step),
        cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(they_start_at_the_fluids_velocity),
        cmocka_unit_test(they_add_what_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
