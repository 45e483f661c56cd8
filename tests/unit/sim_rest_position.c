/* What particles and meshes say about where they began: a drop that has moved as a whole says the same way
 * everywhere, and a jet goes on behind where it comes out. */
#include "check.h"
#include "scenes_by_hand.h"

static rheo_mesh mesh_of(rheo_sim *sim) {
    rheo_mesh mesh;
    rheo_report report = {0};
    if (rheo_make_mesh(&mesh, sim, &report)) fail_msg("%s", report.message);
    assert_true(mesh.vertex_count > 0);
    return mesh;
}

/* The largest difference of rest + way from positions, m, of particles and of the mesh. */
static double worst(rheo_sim *sim, const double way[3], int dim) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    rheo_mesh mesh = mesh_of(sim);
    double most = 0;
    for (int a = 0; a < dim; ++a) {
        for (size_t i = 0; i < v.count; ++i)
            most = fmax(most,
                        fabs(v.origin[a] + v.dx * (double)v.position[a][i] - way[a] - (double)v.rest[a][i]));
        for (size_t i = (size_t)a; i < 3 * mesh.vertex_count; i += 3)
            most = fmax(most, fabs((double)mesh.position[i] - way[a] - (double)mesh.rest[i]));
    }
    rheo_free_mesh(&mesh);
    return most;
}

static void a_drop_takes_it_along(void **state) {
    (void)state;
    for (int method = RHEO_FLIP; method <= RHEO_MAC; ++method)
        for (int dim = 2; dim <= 3; ++dim) {
            setup t;
            set_up(&t, (rheo_method)method, dim, 24);
            t.gravity[1] = 0;
            fill_with(&t, ball_at(0.35, 0.65, 0.5, 0.15));
            t.fluid[0].velocity[0] = 1;
            t.fluid[0].velocity[1] = -1;
            t.scene.output_rest = true;
            t.scene.volume_correction = false;
            rheo_sim *sim = start_sim(&t.scene, 1);
            check_below(worst(sim, (const double[3]){0, 0, 0}, dim), 0.2 / 24); /* settled */
            const double now = run_frames(sim, 8).time;
            check_below(worst(sim, (const double[3]){now, -now, 0}, dim), 0.3 / 24);
            rheo_free_sim(sim);
        }
}

static void a_jet_goes_on_behind(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_APIC, 2, 32);
    t.gravity[1] = 0;
    add_emitter(&t, box_between(0.1, 0.4, 0, 0.2, 0.6, 1), 1, 0, 0);
    t.scene.output_rest = true;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const double now = run_frames(sim, 15).time;
    check_below(worst(sim, (const double[3]){now, 0, 0}, 2), 1.0 / 32);
    rheo_free_sim(sim);
}

static void nothing_else_carries_it(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_APIC, 2, 16);
    fill_pool(&t, 0.5);
    rheo_sim *sim = start_sim(&t.scene, 1);
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    rheo_mesh mesh = mesh_of(sim);
    assert_null(v.rest[0]);
    assert_null(mesh.rest);
    rheo_free_mesh(&mesh);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_takes_it_along),
        cmocka_unit_test(a_jet_goes_on_behind),
        cmocka_unit_test(nothing_else_carries_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
