/* Statistics of states whose answer is known without a run. */
#include "check.h"
#include "core/timer.h"
#include "scenes_by_hand.h"

static rheo_shape box_shape(double x0, double y0, double x1, double y1) {
    return box_between(x0, y0, 0.3, x1, y1, 0.7);
}

static void fill_box(setup *t, rheo_method method, int dim, int cells, rheo_shape fill) {
    set_up(t, method, dim, cells);
    fill_with(t, fill);
}

/* Two blocks fly apart, one along x and one along y: the largest |u| is that of one block, 1 m/s. The root of
 * the axes' largest would be sqrt(2). */
static void check_two_blocks(int dim, rheo_method method) {
    setup t;
    fill_box(&t, method, dim, 20, box_shape(0.1, 0.1, 0.4, 0.4));
    add_fluid(&t, "b", box_shape(0.6, 0.6, 0.8, 0.8))->velocity[1] = 1;
    t.fluid[0].velocity[0] = 1;
    t.scene.fps = 100;
    t.gravity[1] = 0;
    rheo_sim *sim = start_sim(&t.scene, 1);
    rheo_frame_stats stats = stats_of(sim);
    check_near(stats.speed, 1, 1e-6);
    stats = run_frames(sim, 1);
    print_message("%dD method %d: speed %.4f m/s of 1\n", dim, (int)method, stats.speed);
    check_near(stats.speed, 1, 0.05);
    rheo_free_sim(sim);
}

static void test_speed_is_of_one_place(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        check_two_blocks(dim, RHEO_APIC);
        check_two_blocks(dim, RHEO_MAC);
    }
}

/* A block that flies along the diagonal has a speed of sqrt(dim) times its components. */
static void test_speed_is_a_length(void **state) {
    (void)state;
    setup t;
    fill_box(&t, RHEO_FLIP, 3, 16, box_shape(0, 0, 0.5, 0.5));
    for (int a = 0; a < 3; ++a) t.fluid[0].velocity[a] = 1;
    rheo_sim *sim = start_sim(&t.scene, 1);
    check_near(stats_of(sim).speed, sqrt(3), 1e-6);
    rheo_free_sim(sim);
}

/* A heavy block lies over the floor on a gap of an eighth of a cell, which no particle is in: what flows
 * there is no speed of the liquid. */
static void test_speed_is_of_liquid(void **state) {
    (void)state;
    setup t;
    rheo_frame_stats stats;
    rheo_particle_view view;
    set_up(&t, RHEO_APIC, 3, 24);
    fill_pool(&t, 0.4);
    add_body(&t, box_between(0.2, 0.005, 0.2, 0.8, 0.3, 0.8), 5000);
    rheo_sim *sim = start_sim(&t.scene, 1);
    double most = 0;
    for (int f = 0; f < 12; ++f) {
        stats = run_frames(sim, 1);
        double fastest = 0;
        rheo_view_particles(&view, sim);
        for (size_t q = 0; q < view.count; ++q) {
            double v2 = 0;
            for (int a = 0; a < 3; ++a) v2 += (double)view.velocity[a][q] * (double)view.velocity[a][q];
            fastest = larger(fastest, sqrt(v2));
        }
        most = larger(most, stats.speed / fastest);
    }
    print_message("block on the floor: speed %.4f m/s, up to %.3f of the fastest particle's\n", stats.speed,
                  most);
    check_below(most, 1.5);
    rheo_free_sim(sim);
}

/* Two fluids that have mixed: sums and bounds are those of their particles, one by one, and the same for any
 * number of threads. */
static void check_sums(int dim) {
    setup t;
    rheo_frame_stats stats[2];
    rheo_particle_view p;
    double x[2][3] = {{0}}, lower[2][3], upper[2][3], kinetic = 0, count[2] = {0, 0};
    for (int f = 0; f < 2; ++f)
        for (int a = 0; a < 3; ++a) lower[f][a] = INFINITY, upper[f][a] = -INFINITY;
    fill_box(&t, RHEO_FLIP, dim, 24, box_shape(0.1, 0.1, 0.45, 0.63));
    add_fluid(&t, "b", box_shape(0.45, 0.1, 0.71, 0.5))->velocity[0] = -1;
    t.fluid[0].velocity[0] = 1;
    for (int threads = 1; threads <= 2; ++threads) {
        rheo_sim *sim = start_sim(&t.scene, threads);
        stats[threads - 1] = run_frames(sim, 2);
        rheo_view_particles(&p, sim);
        for (size_t q = 0; q < p.count && threads == 1; ++q) {
            const int f = p.fluid[q];
            count[f] += 1;
            for (int a = 0; a < dim; ++a) {
                const double at = p.origin[a] + p.dx * (double)p.position[a][q], v = (double)p.velocity[a][q];
                x[f][a] += at;
                lower[f][a] = smaller(lower[f][a], at);
                upper[f][a] = larger(upper[f][a], at);
                kinetic += 0.5 * v * v * stats[0].fluids[f].mass / (double)stats[0].fluids[f].particles;
            }
        }
        rheo_free_sim(sim);
    }
    assert_true(count[0] > 100 && count[1] > 100);
    for (int f = 0; f < 2; ++f) {
        assert_int_equal(stats[0].fluids[f].particles, (int)count[f]);
        for (int a = 0; a < dim; ++a) {
            check_near(stats[0].fluids[f].centroid[a], x[f][a] / count[f], 1e-9);
            check_near(stats[0].fluids[f].lower[a], lower[f][a], 1e-12);
            check_near(stats[0].fluids[f].upper[a], upper[f][a], 1e-12);
        }
        assert_memory_equal(&stats[0].fluids[f], &stats[1].fluids[f], sizeof stats[0].fluids[f]);
    }
    check_near(stats[0].kinetic / kinetic, 1, 1e-9);
    assert_true(stats[0].kinetic == stats[1].kinetic && stats[0].volume == stats[1].volume &&
                stats[0].speed == stats[1].speed && stats[0].counts.spray == stats[1].counts.spray);
}

static void test_sums_over_particles(void **state) {
    (void)state;
    check_sums(2);
    check_sums(3);
}

/* Water at rest: pressure is rho g times the depth, up to walls, floor and surface. */
static void test_probes_reach_the_walls(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_APIC, RHEO_MAC};
    for (int m = 0; m < 2; ++m) {
        setup t;
        set_up(&t, methods[m], 3, 16);
        fill_pool(&t, 0.5);
        rheo_sim *sim = start_sim(&t.scene, 1);
        run_frames(sim, 1);
        rheo_probe up = {.name = "up", .from = {0.5, 0, 0.5}, .to = {0.5, 0.6, 0.5}, .samples = 13};
        rheo_probe side = {.name = "side", .from = {0, 0.2, 0}, .to = {1, 0.2, 1}, .samples = 5};
        up.of = side.of = RHEO_OF_PRESSURE | RHEO_OF_PHI | RHEO_OF_DENSITY;
        double row[13][6];
        rheo_sample_probe(row[0], sim, &up);
        for (int i = 0; i < 13; ++i) {
            const double depth = fmax(0.5 - row[i][1], 0);
            check_near(row[i][3], 1000 * 9.81 * depth, 0.004 * 4905);
            assert_true((row[i][4] < 0) == (depth > 1e-3) || fabs(row[i][1] - 0.5) < 0.01);
            if (depth > 0.1) check_near(row[i][5], 1000, 30);
        }
        rheo_sample_probe(row[0], sim, &side);
        for (int i = 0; i < 5; ++i) check_near(row[i][3], 1000 * 9.81 * 0.3, 0.004 * 4905);
        rheo_free_sim(sim);
    }
}

/* A tank full to the top, a block in it that stands still or comes in through the wall. */
static rheo_solve_stats full_tank(bool squeezed) {
    static const double times[2] = {0, 1}, places[6] = {0.5, 1.2, 0.5, 0.5, 0.7, 0.5};
    setup t;
    set_up(&t, RHEO_FLIP, 2, 16);
    fill_pool(&t, 1);
    const rheo_shape block = box_about(places, (double[]){0.25, 0.25, 0.25});
    if (squeezed) add_keyed(&t, block, 2, times, places);
    else add_solid(&t, block);
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats stats = run_frames(sim, 1);
    rheo_free_sim(sim);
    return stats.pressure;
}

/* What a wall presses into a space without air cannot go anywhere: the solve leaves it out and says so. */
static void test_incompatible_is_reported(void **state) {
    (void)state;
    const rheo_solve_stats still = full_tank(false), squeezed = full_tank(true);
    print_message("full tank: %d closed, incompatible %.2g; squeezed: %d closed, %.2g\n",
                  still.closed_regions, still.incompatible, squeezed.closed_regions, squeezed.incompatible);
    assert_int_equal(still.closed_regions, 1);
    assert_int_equal(squeezed.closed_regions, 1);
    check_below(still.incompatible, 1e-5);
    assert_true(squeezed.incompatible > 0.01);
    assert_true(squeezed.converged);
}

/* A round vessel, full, that moves with its water as one: nothing is asked of pressure but to mend how the
 * grid cuts the walls, and all of the flow has a place to go. */
static void test_a_vessel_that_moves_with_its_water(void **state) {
    (void)state;
    static const double times[2] = {0, 2}, places[6] = {0.5, 0.5, 0, 1.5, 0.5, 0};
    setup t;
    set_up(&t, RHEO_APIC, 2, 40);
    set_size(&t, 2, 1, 1);
    fill_pool(&t, 1);
    t.fluid[0].velocity[0] = 0.5;
    t.gravity[1] = 0;
    add_keyed(&t, ball_at(0.5, 0.5, 0, 0.3), 2, times, places)->inside_fluid = true;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int frame = 0; frame < 4; ++frame) {
        const rheo_frame_stats stats = run_frames(sim, 1);
        print_message("vessel: %d closed, incompatible %.2g\n", stats.pressure.closed_regions,
                      stats.pressure.incompatible);
        assert_int_equal(stats.pressure.closed_regions, 1);
        check_below(stats.pressure.incompatible, 1e-3);
    }
    rheo_free_sim(sim);
}

/* What makes no sense is refused with a message, and changes nothing. */
static void test_senseless_calls_are_usage_errors(void **state) {
    (void)state;
    static const char *const nothing[1] = {NULL};
    setup t;
    rheo_scene *loaded;
    rheo_frame_stats before, after;
    rheo_report report = {0};
    rheo_sim *sim;
    fill_box(&t, RHEO_FLIP, 2, 16, box_shape(0, 0, 0.5, 0.5));
    assert_int_equal(rheo_create_sim(&sim, &t.scene, -3, &report), RHEO_USAGE);
    assert_null(sim);
    assert_true(strstr(report.message, "-3 threads"));
    assert_int_equal(rheo_create_sim(&sim, &t.scene, RHEO_THREADS_MAX + 1, &report), RHEO_USAGE);
    assert_int_equal(rheo_create_sim(&sim, &t.scene, 2, &report), RHEO_OK);
    rheo_read_stats(&before, sim);
    assert_int_equal(rheo_count_threads(sim), 2);
    assert_int_equal(rheo_advance_step(sim, (double)NAN, &report), RHEO_USAGE);
    assert_int_equal(rheo_advance_step(sim, -1, &report), RHEO_USAGE);
    assert_true(strstr(report.message, "-1 s"));
    rheo_read_stats(&after, sim);
    assert_true(after.steps == before.steps && after.time == before.time);
    rheo_free_sim(sim);
    assert_int_equal(rheo_load_scene(&loaded, NULL, NULL, 0, &report), RHEO_USAGE);
    assert_int_equal(rheo_load_scene(&loaded, "dam-break", nothing, 1, &report), RHEO_USAGE);
    assert_int_equal(rheo_load_scene(&loaded, "dam-break", NULL, 1, &report), RHEO_USAGE);
    assert_null(loaded);
}

static void count_stage(void *user, const char *stage, double time) {
    double *seen = user; /* steps, the last time, all */
    seen[0] += strcmp(stage, "advect") == 0;
    seen[1] = time;
    seen[2] += 1;
}

/* Who watches is told of every stage of every step, in this frame and the next, until it ends. */
static void test_stages_are_told(void **state) {
    (void)state;
    setup t;
    double seen[3] = {0, -1, 0};
    int steps = 0;
    fill_box(&t, RHEO_FLIP, 2, 16, box_shape(0, 0, 0.5, 0.5));
    rheo_sim *sim = start_sim(&t.scene, 1);
    rheo_watch_stages(sim, count_stage, seen);
    for (int frame = 0; frame < 2; ++frame) {
        const rheo_frame_stats stats = run_frames(sim, 1);
        steps += stats.steps;
        assert_int_equal((int)seen[0], steps);
        assert_true(seen[1] >= 0 && seen[1] < stats.time);
    }
    rheo_watch_stages(sim, NULL, NULL);
    const double told = seen[2];
    assert_true(told > 5 * steps);
    run_frames(sim, 1);
    assert_true(seen[2] == told);
    rheo_free_sim(sim);
}

/* Statistics of a frame that was interrupted are those of the state it is in. */
static void test_an_interrupted_frame_has_statistics(void **state) {
    (void)state;
    const volatile int cancel = 1;
    setup t;
    rheo_frame_stats stats, read;
    rheo_report report = {0};
    memset(&stats, 0x55, sizeof stats);
    fill_box(&t, RHEO_FLIP, 2, 16, box_shape(0, 0, 0.5, 0.5));
    rheo_sim *sim = start_sim(&t.scene, 1);
    step_sim(sim, 1e-3);
    assert_int_equal(rheo_advance_frame(sim, &cancel, &stats, &report), RHEO_INTERRUPTED);
    rheo_read_stats(&read, sim);
    assert_int_equal(stats.steps, 1);
    assert_true(stats.frame == 0 && stats.time > 0 && stats.time == read.time);
    assert_true(stats.particles == read.particles && stats.volume == read.volume);
    rheo_free_sim(sim);
}

/* The memory of a state after its first step, when all that grows has grown: MAC holds what its cells are and
 * the distance they stand for (five bytes a cell) beyond the fields of FLIP. */
static void test_memory_counts_the_method(void **state) {
    (void)state;
    const rheo_method methods[2] = {RHEO_FLIP, RHEO_MAC};
    size_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        setup t;
        fill_box(&t, methods[i], 3, 16, box_shape(0, 0, 0.5, 0.5));
        rheo_sim *sim = start_sim(&t.scene, 1);
        bytes[i] = run_frames(sim, 1).memory;
        rheo_free_sim(sim);
    }
    assert_true(bytes[1] >= bytes[0] + 5 * 16 * 16 * 16);
}

/* A fill that starts towards a wall must not be pressed into it by its first step. */
static void test_a_start_against_a_wall(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_SEMI_LAGRANGIAN};
    for (int m = 0; m < 3; ++m) {
        setup t;
        fill_box(&t, methods[m], 2, 32, box_shape(0, 0.5, 1, 1));
        t.fluid[0].velocity[1] = 3;
        rheo_sim *sim = start_sim(&t.scene, 1);
        const rheo_frame_stats stats = run_frames(sim, 1);
        print_message("method %d: volume drift %.5f\n", (int)methods[m], stats.volume_drift);
        assert_true(fabs(stats.volume_drift) < 2e-3);
        rheo_free_sim(sim);
    }
}

/* Steps give the statistics of frames: what frames count anew, steps do. */
static void test_steps_count_frames_anew(void **state) {
    (void)state;
    setup t;
    rheo_frame_stats frame, stats = {0};
    rheo_sim *sims[2];
    int all_steps = 0;
    fill_box(&t, RHEO_FLIP, 2, 24, box_shape(0, 0, 0.4, 0.8));
    t.scene.cfl = 1;
    for (int i = 0; i < 2; ++i) sims[i] = start_sim(&t.scene, 1);
    for (int f = 1; f <= 12; ++f) {
        frame = run_frames(sims[0], 1);
        const double since = timer_now();
        for (int steps = 1; stats.frame < f; ++steps) {
            step_sim(sims[1], 0);
            stats = stats_of(sims[1]);
            assert_int_equal(stats.steps, steps);
        }
        check_below(stats.seconds, timer_now() - since);
        assert_int_equal(stats.steps, frame.steps);
        assert_int_equal(stats.counts.rescued, frame.counts.rescued);
        assert_int_equal(stats.pressure.iterations, frame.pressure.iterations);
        assert_true(stats.divergence == frame.divergence &&
                    stats.pressure.residual == frame.pressure.residual);
        all_steps += stats.steps;
    }
    print_message("%d steps of 12 frames, %d of the last\n", all_steps, stats.steps);
    assert_true(all_steps > 2 * frame.steps);
    for (int i = 0; i < 2; ++i) rheo_free_sim(sims[i]);
}

/* A liquid is as warm as the air around it, in statistics and probes. */
static void test_liquids_have_the_ambient_temperature(void **state) {
    (void)state;
    setup t;
    fill_box(&t, RHEO_FLIP, 2, 16, box_shape(0, 0, 1, 0.5));
    t.scene.ambient = t.fluid[0].temperature = 37.5;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats stats = stats_of(sim);
    assert_true(stats.temperature[0] == 37.5 && stats.temperature[1] == 37.5);
    assert_true(probe_one(sim, RHEO_OF_TEMPERATURE, 0.5, 0.2, 0) == 37.5);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed_is_of_one_place),
        cmocka_unit_test(test_speed_is_a_length),
        cmocka_unit_test(test_speed_is_of_liquid),
        cmocka_unit_test(test_sums_over_particles),
        cmocka_unit_test(test_probes_reach_the_walls),
        cmocka_unit_test(test_incompatible_is_reported),
        cmocka_unit_test(test_a_vessel_that_moves_with_its_water),
        cmocka_unit_test(test_senseless_calls_are_usage_errors),
        cmocka_unit_test(test_stages_are_told),
        cmocka_unit_test(test_an_interrupted_frame_has_statistics),
        cmocka_unit_test(test_memory_counts_the_method),
        cmocka_unit_test(test_a_start_against_a_wall),
        cmocka_unit_test(test_steps_count_frames_anew),
        cmocka_unit_test(test_liquids_have_the_ambient_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
