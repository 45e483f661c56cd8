/* A ball of one fluid within a box of another: their meshes are closed, together they hold what both hold,
 * and where they touch each has the other's triangles' vertices, to the bit. */
#include "check.h"
#include "manifold.h"
#include "render/touching.h"
#include "scenes_by_hand.h"

enum { CELLS = 24 };

/* The share of a mesh's triangles that another one has too. */
static double shared(const rheo_mesh mesh[2], int own) {
    int16_t *beyond = malloc((mesh[own].triangle_count + 1) * sizeof *beyond);
    size_t count = 0;
    assert_int_equal(touching_find(beyond, mesh, 2, own), 0);
    for (size_t t = 0; t < mesh[own].triangle_count; ++t) {
        assert_true(beyond[t] == -1 || beyond[t] == 1 - own);
        count += beyond[t] >= 0;
    }
    free(beyond);
    return (double)count / (double)mesh[own].triangle_count;
}

static void two_fluids(setup *t, rheo_method method, rheo_shape boxes[3]) {
    set_up(t, method, 3, CELLS);
    boxes[0] = box_between(0.2, 0, 0.2, 0.8, 0.5, 0.8);
    boxes[1] = ball_at(0.5, 0.28, 0.5, 0.15);
    boxes[2] = rheo_default_shape(RHEO_SHAPE_DIFFERENCE);
    boxes[2].children = boxes;
    boxes[2].child_count = 2;
    fill_with(t, boxes[2]);
    add_fluid(t, "ball", boxes[1]);
}

static void meshes_of_fluids_meet(void **state) {
    (void)state;
    const rheo_method methods[] = {RHEO_FLIP, RHEO_SPH};
    for (int i = 0; i < 2; ++i) {
        setup t;
        rheo_shape shapes[3];
        rheo_report report = {0};
        rheo_mesh all, mesh[2];
        two_fluids(&t, methods[i], shapes);
        rheo_sim *sim = start_sim(&t.scene, 1);
        for (int frame = 0; frame < 2; ++frame) {
            const double inside[2] = {stats_of(sim).fluids[0].volume, stats_of(sim).fluids[1].volume};
            assert_int_equal(rheo_make_mesh(&all, sim, &report), RHEO_OK);
            for (int f = 0; f < 2; ++f) {
                assert_int_equal(rheo_make_fluid_mesh(&mesh[f], sim, f, &report), RHEO_OK);
                check_manifold(&mesh[f]);
                printf("fluid %d: %.5f m3 of %.5f, shared %.3f\n", f, volume_of(&mesh[f]), inside[f],
                       f ? shared(mesh, 1) : 0);
            }
            check_near(volume_of(&mesh[0]) + volume_of(&mesh[1]), volume_of(&all), 1e-4);
            check_near(volume_of(&mesh[1]), inside[1],
                       0.08 * inside[1]);        /* a radius of 3.6 cells: drawn too small */
            assert_true(shared(mesh, 1) > 0.99); /* the ball is within the box */
            check_near(shared(mesh, 0) * (double)mesh[0].triangle_count, (double)mesh[1].triangle_count,
                       0.02 * (double)mesh[1].triangle_count);
            for (int f = 0; f < 2; ++f) rheo_free_mesh(&mesh[f]);
            rheo_free_mesh(&all);
            run_frames(sim, 1);
        }
        rheo_free_sim(sim);
    }
}

static void a_fluid_that_is_not_there(void **state) {
    (void)state;
    setup t;
    rheo_mesh mesh;
    rheo_report report = {0};
    set_up(&t, RHEO_FLIP, 2, 8);
    fill_pool(&t, 0.5);
    rheo_sim *sim = start_sim(&t.scene, 1);
    assert_int_equal(rheo_make_fluid_mesh(&mesh, sim, 1, &report), RHEO_USAGE);
    assert_int_equal(rheo_make_fluid_mesh(&mesh, sim, -1, &report), RHEO_USAGE);
    assert_int_equal(rheo_make_fluid_mesh(&mesh, sim, 0, &report), RHEO_OK);
    rheo_free_mesh(&mesh);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_of_fluids_meet),
        cmocka_unit_test(a_fluid_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
