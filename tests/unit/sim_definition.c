/* The domain in cells: sides become whole numbers of them, and liquid and bodies live in that one box. */
#include "check.h"
#include "scenes_by_hand.h"
#include "sim/definition.h"

static void sides_become_whole_cells(void **state) {
    (void)state;
    rheo_scene s = rheo_default_scene();
    int n[3];
    s.cells = 10;
    s.size[0] = 0.54, s.size[1] = 1.7, s.size[2] = 0.3;
    check_near(definition_cells(n, &s), 0.17, 1e-15);
    assert_int_equal(n[0], 3);
    assert_int_equal(n[1], 10);
    assert_int_equal(n[2], 2);
    definition_fit_sides(&s);
    assert_true(s.size[1] == 1.7); /* to the last bit: dx comes from it */
    check_near(s.size[0], 0.51, 1e-15);
    check_near(s.size[2], 0.34, 1e-15);
    const rheo_scene once = s;
    definition_fit_sides(&s);
    assert_memory_equal(once.size, s.size, sizeof s.size);
    s.dim = 2, s.size[2] = 50; /* means nothing in a plane */
    check_near(definition_cells(n, &s), 0.17, 1e-15);
    assert_int_equal(n[2], 1);
}

/* For any sides: fitting twice is fitting once, and keeps the cells. */
static void fitting_is_done_once(void **state) {
    (void)state;
    rheo_scene s = rheo_default_scene();
    for (int cells = 4; cells < 400; cells += 3)
        for (int i = 1; i <= 40; ++i) {
            int n[3], again[3];
            s.cells = cells;
            s.size[0] = 0.1 * i, s.size[1] = 1.3, s.size[2] = 3.7 / i;
            const double dx = definition_cells(n, &s);
            definition_fit_sides(&s);
            assert_true(definition_cells(again, &s) == dx);
            assert_memory_equal(n, again, sizeof n);
            for (int a = 0; a < 3; ++a) check_near(s.size[a], n[a] * dx, 1e-12);
        }
}

/* Cells are numbered by 32 bits: what has more is refused before anything is made. */
static void too_many_cells_are_refused(void **state) {
    (void)state;
    setup t;
    rheo_report report = {0};
    rheo_sim *sim;
    set_up(&t, RHEO_FLIP, 3, 1300); /* 2.2e9 */
    fill_with(&t, box_between(0, 0, 0, 0.5, 0.5, 0.5));
    assert_int_equal(rheo_create_sim(&sim, &t.scene, 1, &report), RHEO_INVALID);
    assert_null(sim);
    assert_non_null(strstr(report.message, "1300 x 1300 x 1300"));
}

typedef struct box_case {
    double width, height;
    rheo_shape fill, body;
    double density, gravity[3];
    double seconds;
} box_case;

/* Where the only body of a plane scene of ten cells is in the end. */
static rheo_body_stats run_case(const box_case *c) {
    setup t;
    set_up(&t, RHEO_FLIP, 2, 10);
    set_size(&t, c->width, c->height, 1);
    memcpy(t.gravity, c->gravity, sizeof t.gravity);
    fill_with(&t, c->fill);
    add_body(&t, c->body, c->density);
    rheo_sim *sim = start_sim(&t.scene, 1);
    run_frames(sim, (int)(c->seconds * t.scene.fps + 0.5));
    const rheo_body_stats body = body_of(sim, 0);
    rheo_free_sim(sim);
    return body;
}

/* A side of 5.4 cells is 5 cells: what floats up in a full tank comes to rest below the liquid's own lid. */
static void a_light_disc_rests_below_the_lid(void **state) {
    (void)state;
    const box_case c = {.width = 1,
                        .height = 0.54,
                        .fill = flat_box(0, 0, 1, 0.54),
                        .body = ball_at(0.5, 0.25, 0, 0.1),
                        .density = 300,
                        .gravity = {0, -9.81, 0},
                        .seconds = 1};
    const double top = run_case(&c).position[1] + 0.1;
    print_message("light disc: its top at %.4f m, the lid at 0.5 m\n", top);
    check_near(top, 0.5, 0.005);
}

/* A side of 9.55 cells is 10 cells: what falls along x stops where the liquid does. */
static void a_falling_box_reaches_the_wall(void **state) {
    (void)state;
    const box_case c = {.width = 0.955,
                        .height = 1,
                        .fill = flat_box(0.8, 0, 1, 0.2),
                        .body = flat_box(0.3, 0.6, 0.5, 0.8),
                        .density = 3000,
                        .gravity = {9.81, 0, 0},
                        .seconds = 1};
    const double right = run_case(&c).position[0] + 0.1;
    print_message("falling box: its side at %.4f m, the wall at 1 m\n", right);
    check_near(right, 1, 0.005);
}

/* The doctor counts in the box that is simulated, and says once that it was fitted. */
static void the_doctor_has_the_same_box(void **state) {
    (void)state;
    setup t;
    rheo_preflight p;
    rheo_report report = {0};
    set_up(&t, RHEO_FLIP, 2, 10);
    set_size(&t, 1, 0.54, 1);
    fill_pool(&t, 0.54);
    assert_int_equal(rheo_check_scene(&p, &t.scene, NULL, &report), RHEO_OK);
    check_near(p.fluid_volume, 0.5, 1e-9);
    check_near(p.particles, 200, 0.5);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.findings[0].report.path, "domain.size");
}

/* Everything that can be given a z, with one or without: what a plane scene makes of it. */
static void run_plane(rheo_frame_stats *stats, rheo_body_stats *body, rheo_method method, double z) {
    const double times[2] = {0, 1};
    const double gravity[6] = {0, -9.81, -500 * z, 0, -9.81, 700 * z};
    const double places[6] = {0.9, 0.5, 0, 0.8, 0.5, 40 * z};
    setup t;
    set_up(&t, method, 2, 16);
    t.fluid[0].density = rheo_default_fluid().density;
    t.scene.gravity = (rheo_curve){2, times, gravity, 3};
    fill_with(&t, flat_box(0, 0, 0.4, 0.4));
    t.fluid[0].velocity[0] = 0.5, t.fluid[0].velocity[2] = 20 * z;
    add_emitter(&t, flat_box(0.1, 0.7, 0.3, 0.8), 1, 0, 30 * z);
    add_keyed(&t, flat_box(0.8, 0, 1, 1), 2, times, places);
    add_body(&t, flat_box(0.5, 0.6, 0.6, 0.7), rheo_default_solid().density)->velocity[2] = 10 * z;
    rheo_sim *sim = start_sim(&t.scene, 1);
    *stats = run_frames(sim, 3);
    *body = body_of(sim, 1);
    rheo_free_sim(sim);
}

static void a_plane_has_no_third_component(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_MAC, RHEO_SMOKE};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        rheo_frame_stats with, without;
        rheo_body_stats body, same;
        run_plane(&without, &same, methods[m], 0);
        run_plane(&with, &body, methods[m], 1);
        assert_int_equal(with.steps, without.steps);
        assert_true(with.kinetic == without.kinetic && with.potential == without.potential);
        assert_true(with.speed == without.speed && with.volume == without.volume);
        assert_memory_equal(&body, &same, sizeof body);
    }
}

/* Whatever their motion, solids are told in the order of the scene: pictures and caches count on it. */
static void bodies_are_in_the_scenes_order(void **state) {
    (void)state;
    static const rheo_motion motions[] = {RHEO_DYNAMIC, RHEO_KEYED, RHEO_STATIC, RHEO_DYNAMIC, RHEO_KEYED};
    static const char *const names[] = {"first", "second", "post", "third", "fourth"};
    enum { COUNT = sizeof motions / sizeof *motions };
    setup t;
    double place[COUNT][3];
    set_up(&t, RHEO_FLIP, 2, 16);
    fill_pool(&t, 0.3);
    for (int i = 0; i < COUNT; ++i) {
        rheo_solid *solid = add_solid(&t, flat_box(0.1 + 0.17 * i, 0.6, 0.2 + 0.17 * i, 0.7));
        solid->name = names[i];
        solid->motion = motions[i];
        place[i][0] = 0.15 + 0.17 * i, place[i][1] = 0.65, place[i][2] = 0;
        if (motions[i] == RHEO_KEYED) solid->position = steady_vector(place[i]);
    }
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int i = 0, body = 0; i < COUNT; ++i) {
        rheo_body_stats now;
        const char *name;
        if (motions[i] == RHEO_STATIC) continue;
        rheo_read_body(&now, &name, sim, body++);
        assert_string_equal(name, names[i]);
        check_near(now.position[0], place[i][0], 1e-9);
    }
    rheo_free_sim(sim);
}

/* A tank filled to its sides is full, also where these moved out to whole cells. */
static void fills_reach_fitted_sides(void **state) {
    (void)state;
    rheo_scene given = rheo_default_scene();
    given.cells = 8;
    given.size[0] = 1, given.size[1] = 0.57, given.size[2] = 0.55; /* 8, 4.56 and 4.4 cells */
    rheo_scene fitted = given;
    definition_fit_sides(&fitted);
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) fill.b[a] = given.size[a];
    const rheo_shape fit = definition_fit_fill(&fill, &given, &fitted);
    check_near(fit.b[0], 1, 0);
    check_near(fit.b[1], 0.625, 1e-15);
    check_near(fit.b[2], 0.55, 0); /* beyond the side already */
    fill.b[1] = 0.56;
    check_near(definition_fit_fill(&fill, &given, &fitted).b[1], 0.56, 0); /* a gap that was asked for */
    fill.b[1] = 0.57;
    fill.rotate_degrees = 5;
    check_near(definition_fit_fill(&fill, &given, &fitted).b[1], 0.57, 0);

    rheo_fluid water = rheo_default_fluid();
    rheo_frame_stats stats;
    rheo_report report = {0};
    rheo_sim *sim;
    fill.rotate_degrees = 0;
    fill.b[0] = 0.5;
    water.fill = &fill;
    water.fill_count = 1;
    given.fluids = &water;
    given.fluid_count = 1;
    if (rheo_create_sim(&sim, &given, 1, &report)) fail_msg("%s", report.message);
    rheo_read_stats(&stats, sim);
    assert_int_equal(stats.particles, 8 * 4 * 5 * 4);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_cells_are_refused),       cmocka_unit_test(bodies_are_in_the_scenes_order),
        cmocka_unit_test(sides_become_whole_cells),         cmocka_unit_test(fitting_is_done_once),
        cmocka_unit_test(a_light_disc_rests_below_the_lid), cmocka_unit_test(a_falling_box_reaches_the_wall),
        cmocka_unit_test(the_doctor_has_the_same_box),      cmocka_unit_test(a_plane_has_no_third_component),
        cmocka_unit_test(fills_reach_fitted_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
