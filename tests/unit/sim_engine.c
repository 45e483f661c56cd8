/* An engine of its own, made of the table alone: points that fly through the air and bounce off the floor. It
 * has neither a grid nor a surface. What stands around engines (clock, frames, checkpoints, statistics,
 * views) must serve it as it is. */
#include "check.h"
#include <rheo/rheo.h>
#include "sim/sim.h"
#include "stored_state.h"
#include "solid/vector.h"

enum { POINTS = 1000, GRAIN = 64, FRAMES = 6 };

typedef struct points {
    double x[POINTS][3], v[POINTS][3]; /* m, m/s */
    double fastest;                    /* m/s */
} points;

static points *points_of(const rheo_sim *s) {
    return s->state;
}

static void points_list(rheo_sim *s) {
    points *p = points_of(s);
    field_kept_reals(&s->fields, "places", p->x[0], 3 * POINTS);
    field_kept_reals(&s->fields, "velocities", p->v[0], 3 * POINTS);
    field_kept_reals(&s->fields, "fastest", &p->fastest, 1);
}

static rheo_status points_start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    points *p = points_of(s);
    (void)scene, (void)report;
    for (int i = 0; i < POINTS; ++i)
        for (int a = 0; a < 3; ++a) {
            p->x[i][a] = 0.5 + 0.001 * (double)((i * (7 + a)) % 97);
            p->v[i][a] = a == 1 ? 0.01 * (i % 13) : 0;
        }
    p->fastest = 1;
    return RHEO_OK;
}

static double points_dt_limit(const rheo_sim *s, double time) {
    (void)time;
    return s->def.cfl * s->g.dx / points_of(s)->fastest;
}

typedef struct {
    points *p;
    double gravity[3], dt;
} flight;

static void fly(void *context, int block) {
    const flight *f = context;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < POINTS; ++i)
        for (int a = 0; a < 3; ++a) {
            double *x = &f->p->x[i][a], *v = &f->p->v[i][a];
            *x += f->dt * *v + 0.5 * f->dt * f->dt * f->gravity[a];
            *v += f->dt * f->gravity[a];
            if (*x < 0) *x = -*x, *v = -*v;
        }
}

static rheo_status points_step(rheo_sim *s, double dt, rheo_report *report) {
    points *p = points_of(s);
    flight f = {.p = p, .dt = dt};
    (void)report;
    timer_stage(&s->timer, "fly");
    sim_gravity(f.gravity, s, s->clock.time);
    parallel_for(s->g.pool, (POINTS + GRAIN - 1) / GRAIN, fly, &f);
    p->fastest = 0;
    for (int i = 0; i < POINTS; ++i) p->fastest = fmax(p->fastest, vec_length(p->v[i]));
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}

static rheo_status points_restored(rheo_sim *s, rheo_report *report) {
    (void)s, (void)report;
    return RHEO_OK;
}

static size_t points_bytes(const rheo_sim *s) {
    (void)s;
    return sizeof(points);
}

static void points_measure(rheo_sim *s) {
    s->stats.particles = POINTS;
    s->stats.speed = points_of(s)->fastest;
}

static const sim_engine points_engine = {
    .size = sizeof(points),
    .list = points_list,
    .start = points_start,
    .dt_limit = points_dt_limit,
    .step = points_step,
    .restored = points_restored,
    .bytes = points_bytes,
    .measure = points_measure,
};

static rheo_sim *make(int threads) {
    rheo_scene scene = rheo_default_scene();
    rheo_fluid fluid = rheo_default_fluid();
    rheo_report report = {0};
    rheo_sim *sim;
    scene.fluids = &fluid;
    scene.fluid_count = 1;
    scene.cells = 4096; /* as no grid is made of them */
    if (sim_create(&sim, &points_engine, &scene, threads, &report)) fail_msg("%s", report.message);
    return sim;
}

static void run(rheo_sim *sim, int frames, rheo_frame_stats *stats) {
    rheo_report report = {0};
    for (int i = 0; i < frames; ++i)
        if (rheo_advance_frame(sim, NULL, stats, &report)) fail_msg("%s", report.message);
}

static void frames_and_statistics(void **state) {
    rheo_sim *sim = make(1);
    rheo_frame_stats stats;
    (void)state;
    run(sim, FRAMES, &stats);
    assert_int_equal(stats.frame, FRAMES);
    check_near(stats.time, FRAMES / sim->def.fps, 1e-12);
    assert_int_equal(stats.particles, POINTS);
    assert_int_equal(stats.stage_count, 1);
    assert_string_equal(stats.stages[0].name, "fly");
    assert_true(stats.steps > 1 && stats.speed > 1);
    assert_true(stats.memory >= sizeof(points) && stats.memory < (size_t)4 << 20); /* no grid */
    rheo_free_sim(sim);
}

static void views_of_what_is_not_there(void **state) {
    rheo_sim *sim = make(1);
    rheo_report report = {0};
    rheo_particle_view seen;
    rheo_volume_view volume;
    rheo_mesh mesh = {0};
    rheo_probe probe = {.samples = 2, .of = RHEO_OF_VELOCITY | RHEO_OF_DENSITY, .to = {1, 0, 0}};
    double rows[2][7];
    (void)state;
    rheo_view_particles(&seen, sim);
    assert_int_equal(seen.count, 0);
    rheo_view_volume(&volume, sim);
    assert_null(volume.density);
    assert_int_equal(rheo_make_mesh(&mesh, sim, &report), RHEO_USAGE);
    assert_int_equal(sim_place_particles(sim, 1, &(sim_particles){0}, &report), RHEO_USAGE);
    rheo_sample_probe(rows[0], sim, &probe);
    for (int i = 0; i < 2; ++i) {
        assert_true(rows[i][0] == i);
        for (int c = 3; c < 7; ++c) assert_true(rows[i][c] == 0);
    }
    rheo_free_sim(sim);
}

static void threads_change_nothing(void **state) {
    rheo_sim *one = make(1);
    (void)state;
    run(one, FRAMES, NULL);
    for (int threads = 2; threads <= 5; threads += 3) {
        rheo_sim *other = make(threads);
        run(other, FRAMES, NULL);
        assert_memory_equal(points_of(one), points_of(other), sizeof(points));
        rheo_free_sim(other);
    }
    rheo_free_sim(one);
}

/* From inside a frame. */
static void goes_on_from_a_checkpoint(void **state) {
    rheo_sim *whole = make(2), *first = make(1), *second = make(1);
    rheo_report report = {0};
    stored_state s;
    (void)state;
    run(whole, FRAMES, NULL);
    run(first, FRAMES / 2, NULL);
    if (rheo_advance_step(first, 0, &report)) fail_msg("%s", report.message);
    s.count = sim_list_state(s.list, first);
    if (sim_restore_state(second, read_stored, &s, &report)) fail_msg("%s", report.message);
    run(second, FRAMES - FRAMES / 2, NULL);
    assert_memory_equal(points_of(whole), points_of(second), sizeof(points));
    s.count -= 1; /* without its last array */
    assert_int_equal(sim_restore_state(first, read_stored, &s, &report), RHEO_INVALID);
    rheo_free_sim(whole);
    rheo_free_sim(first);
    rheo_free_sim(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_and_statistics),
        cmocka_unit_test(views_of_what_is_not_there),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(goes_on_from_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
