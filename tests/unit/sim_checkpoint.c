/* A state taken inside a frame and given to a fresh simulation: the frame ends as if nothing had happened,
 * and says so. */
#include "check.h"
#include <rheo/rheo.h>
#include "stored_state.h"

enum { INSIDE = 3 /* steps into the second frame */ };

static rheo_sim *make(const rheo_scene *scene) {
    rheo_report report = {0};
    rheo_sim *sim;
    if (rheo_create_sim(&sim, scene, 1, &report)) fail_msg("%s", report.message);
    return sim;
}

static void end_frame(rheo_frame_stats *stats, rheo_sim *sim) {
    rheo_report report = {0};
    if (rheo_advance_frame(sim, NULL, stats, &report)) fail_msg("%s", report.message);
}

static void same_solve(const rheo_solve_stats *a, const rheo_solve_stats *b) {
    assert_int_equal(a->unknowns, b->unknowns);
    assert_int_equal(a->iterations, b->iterations);
    assert_true(a->residual == b->residual && a->converged == b->converged);
    assert_true(a->incompatible == b->incompatible && a->violation == b->violation);
    assert_true(a->closed_regions == b->closed_regions && a->rounds == b->rounds &&
                a->separated == b->separated);
}

/* A dam break against a keyed wall: it counts rescues too. */
static void resume_inside(rheo_method method) {
    static const double times[3] = {0, 0.017, 0.1},
                        places[9] = {0.725, 0.5, 0.5, 0.68, 0.5, 0.5, 0.5, 0.5, 0.5};
    rheo_scene *scene = NULL;
    rheo_report report = {0};
    rheo_solid wall = rheo_default_solid();
    if (rheo_load_scene(&scene, "dam-break", NULL, 0, &report)) fail_msg("%s", report.message);
    wall.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) wall.shape.a[a] = a == 0 ? 0.45 : -0.1, wall.shape.b[a] = a == 0 ? 1 : 1.1;
    wall.motion = RHEO_KEYED;
    wall.position = (rheo_curve){3, times, places, 3};
    rheo_scene own = *scene;
    own.cells = 16;
    own.dt_max = 0.004;
    own.method = method;
    own.output_mesh = false;
    own.solids = &wall;
    own.solid_count = 1;
    rheo_sim *whole = make(&own), *other = make(&own);
    rheo_frame_stats a, b;
    stored_state s;
    end_frame(&a, whole);
    for (int i = 0; i < INSIDE; ++i) assert_int_equal(rheo_advance_step(whole, 0, &report), RHEO_OK);
    s.count = sim_list_state(s.list, whole);
    if (sim_restore_state(other, read_stored, &s, &report)) fail_msg("%s", report.message);
    end_frame(&a, whole);
    end_frame(&b, other);
    print_message("method %d: %d steps, %lld rescued\n", (int)method, a.steps, (long long)a.counts.rescued);
    assert_true(a.steps > INSIDE);
    assert_int_equal(a.steps, b.steps);
    assert_true(a.kinetic == b.kinetic && a.volume == b.volume && a.time == b.time);
    assert_memory_equal(&a.counts, &b.counts, sizeof a.counts);
    same_solve(&a.pressure, &b.pressure);
    same_solve(&a.density, &b.density);
    rheo_free_sim(whole);
    rheo_free_sim(other);
    rheo_free_scene(scene);
}

static void a_frame_in_two_parts_counts_both(void **state) {
    (void)state;
    resume_inside(RHEO_FLIP);
    resume_inside(RHEO_MAC);
    resume_inside(RHEO_SMOKE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_frame_in_two_parts_counts_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
