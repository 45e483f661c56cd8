/* What viscosity leaves alone: bodies too small for it fall freely, solids in the air feel nothing; and what
 * is known of it before the first step. */
#include "check.h"
#include "scenes_by_hand.h"

static const rheo_viscosity models[] = {RHEO_VISCOSITY_FULL, RHEO_VISCOSITY_STOKES};

/* Honey on the floor, a speck and a lamp in the air above it. */
static void the_air_is_left_alone(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        setup t;
        set_up(&t, RHEO_APIC, 2, 48);
        fill_pool(&t, 0.2);
        t.fluid[0].viscosity = 10;
        t.scene.viscosity = models[m];
        add_body(&t, ball_at(0.5, 0.8, 0.5, 0.006), 2000);
        add_solid(&t, ball_at(0.2, 0.8, 0.5, 0.1));
        rheo_sim *sim = start_sim(&t.scene, 1);
        const rheo_frame_stats stats = run_frames(sim, 6);
        check_near(body_of(sim, 0).velocity[1], t.gravity[1] * stats.time, 1e-6);
        assert_true(stats.viscosity.unknowns > 0 && stats.viscosity.converged);
        for (int solid = 0; solid < 2; ++solid) {
            rheo_solid_stats felt;
            rheo_read_solid(&felt, sim, solid);
            for (int a = 0; a < 3; ++a) assert_true(felt.force[a] == 0 && felt.torque[a] == 0);
        }
        rheo_free_sim(sim);
    }
}

/* A ball sinks in a pool on a tree as it does on the grid. */
static void trees_agree_with_the_grid(void **state) {
    (void)state;
    double depth[2], turned[2], lowest[2];
    for (int m = 0; m < 2; ++m) {
        setup t;
        set_up(&t, RHEO_APIC, 2, 64);
        fill_pool(&t, 0.7);
        t.fluid[0].viscosity = 500;
        t.scene.viscosity = m ? RHEO_VISCOSITY_TREE : RHEO_VISCOSITY_FULL;
        t.scene.viscous_levels = 4;
        add_body(&t, ball_at(0.3, 0.5, 0.5, 0.08), 4000);
        rheo_sim *sim = start_sim(&t.scene, 1);
        const rheo_frame_stats stats = run_frames(sim, 6);
        const rheo_body_stats body = body_of(sim, 0);
        assert_true(stats.viscosity.converged);
        depth[m] = body.position[1];
        turned[m] = body.spin[2];
        lowest[m] = (double)stats.viscosity.unknowns;
        rheo_free_sim(sim);
    }
    print_message("ball at %.6f on the grid, %.6f on a tree; spin %.5f, %.5f; unknowns %.0f, %.0f\n",
                  depth[0], depth[1], turned[0], turned[1], lowest[0], lowest[1]);
    check_near((depth[1] - 0.5) / (depth[0] - 0.5), 1, 0.02);
    check_below(lowest[1], 0.6 * lowest[0]);
}

/* A block of stone stands on a tree, too: what its leaves do not see is damped. */
static void stone_stands_on_a_tree(void **state) {
    (void)state;
    double kinetic[2];
    for (int m = 0; m < 2; ++m) {
        setup t;
        set_up(&t, RHEO_APIC, 2, 48);
        fill_with(&t, flat_box(0.3, 0, 0.7, 0.5));
        t.fluid[0].viscosity = 1e7;
        t.scene.viscosity = m ? RHEO_VISCOSITY_TREE : RHEO_VISCOSITY_FULL;
        t.scene.viscous_levels = 4;
        rheo_sim *sim = start_sim(&t.scene, 1);
        kinetic[m] = run_frames(sim, 6).kinetic;
        rheo_free_sim(sim);
    }
    print_message("kinetic energy %.3g J on the grid, %.3g J on a tree\n", kinetic[0], kinetic[1]);
    check_below(kinetic[1], 2 * kinetic[0]);
}

/* A jet that has not arrived does not press. */
static void what_is_on_its_way_is_not_felt(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_APIC, 2, 32);
    t.fluid[0].viscosity = 10;
    t.scene.viscosity = RHEO_VISCOSITY_FULL;
    add_emitter(&t, flat_box(0.4, 0.85, 0.6, 0.95), 0, -1, 0);
    add_solid(&t, flat_box(0.2, 0.1, 0.8, 0.2));
    rheo_sim *sim = start_sim(&t.scene, 1);
    run_frames(sim, 1);
    rheo_solid_stats felt;
    rheo_read_solid(&felt, sim, 0);
    for (int a = 0; a < 3; ++a) assert_true(felt.force[a] == 0 && felt.torque[a] == 0);
    rheo_free_sim(sim);
}

static void viscosity_is_known_before_the_first_step(void **state) {
    (void)state;
    setup t;
    set_up(&t, RHEO_APIC, 2, 16);
    fill_with(&t, flat_box(0, 0, 0.5, 0.5));
    t.fluid[0].viscosity = 1;
    t.scene.viscosity = RHEO_VISCOSITY_FULL;
    add_fluid(&t, "honey", flat_box(0.5, 0, 1, 0.5))->viscosity = 100;
    rheo_sim *sim = start_sim(&t.scene, 1);
    check_near(probe_one(sim, RHEO_OF_VISCOSITY, 0.2, 0.2, 0), 1, 1e-6);
    check_near(probe_one(sim, RHEO_OF_VISCOSITY, 0.8, 0.2, 0), 100, 1e-4);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_air_is_left_alone),
        cmocka_unit_test(trees_agree_with_the_grid),
        cmocka_unit_test(stone_stands_on_a_tree),
        cmocka_unit_test(what_is_on_its_way_is_not_felt),
        cmocka_unit_test(viscosity_is_known_before_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
