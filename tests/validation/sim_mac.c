/* The marker-and-cell method: pools and bodies rest, dams break, whatever the threads. */
#include "check.h"
#include "scenes_by_hand.h"

/* A box of liquid in the corner of a tank of 1 m. */
static void set(setup *t, int dim, int cells, double width, double height) {
    set_up(t, RHEO_MAC, dim, cells);
    set_size(t, 1, 1, 0.5);
    fill_with(t, box_between(0, 0, 0, width, height, 1));
}

static uint64_t hash(uint64_t h, const void *data, size_t bytes) {
    const unsigned char *b = data;
    for (size_t i = 0; i < bytes; ++i) h = (h ^ b[i]) * 1099511628211u;
    return h;
}

static uint64_t hash_state(const rheo_sim *sim) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    uint64_t h = 14695981039346656037u;
    for (int a = 0; a < 3; ++a)
        if (v.position[a]) {
            h = hash(h, v.position[a], v.count * sizeof(float));
            h = hash(h, v.velocity[a], v.count * sizeof(float));
        }
    return hash(h, v.id, v.count * sizeof *v.id);
}

/* A pool filled to the brim of its cells stays where it is, and its pressure is rho g depth. */
static void pool_rests(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        set(&s, dim, 16, 1, 0.5);
        s.scene.volume_correction = false;
        rheo_sim *sim = start_sim(&s.scene, 1);
        const rheo_frame_stats f = run_frames(sim, 30);
        const double pressure = probe_one(sim, RHEO_OF_PRESSURE, 0.5, 1 / 32.0, 0.25);
        const double exact = s.fluid[0].density * 9.81 * (0.5 - 1 / 32.0);
        printf("rest %dD: speed %.2e m/s, pressure %.2f Pa of %.2f, volume drift %.4f\n", dim, f.speed,
               pressure, exact, f.volume_drift);
        check_below(f.speed, 1e-4);
        check_near(pressure / exact, 1, 1e-4);
        rheo_free_sim(sim);
    }
}

/* Evening out the markers' density must not set a pool in motion that anybody would see. */
static void pool_stays_calm_with_volume_correction(void **state) {
    (void)state;
    setup s;
    set(&s, 2, 32, 1, 0.5);
    rheo_sim *sim = start_sim(&s.scene, 1);
    const rheo_frame_stats f = run_frames(sim, 60);
    printf("calm: kinetic %.2e of potential %.3g J, speed %.3f m/s, drift %.4f\n", f.kinetic, f.potential,
           f.speed, f.volume_drift);
    check_below(f.kinetic, 1e-3 * f.potential);
    check_near(f.volume_drift, 0, 0.01);
    rheo_free_sim(sim);
}

/* A ball under water leaves it at rest, whatever the water's height. */
static void pool_rests_around_a_ball(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        set(&s, dim, 16, 1, 0.53);
        add_solid(&s, ball_at(0.55, 0.22, 0.25, 0.13));
        rheo_sim *sim = start_sim(&s.scene, 1);
        const rheo_frame_stats f = run_frames(sim, 30);
        printf("ball %dD: speed %.2e m/s, drift %.4f\n", dim, f.speed, f.volume_drift);
        check_below(f.speed, 1e-4);
        check_near(f.volume_drift, 0, 0.01);
        rheo_free_sim(sim);
    }
}

/* As heavy as the liquid, wholly under it: neither begins to move the other. */
static void neutral_body_rests(void **state) {
    (void)state;
    enum { CELLS = 24 };
    setup s;
    set(&s, 2, CELLS, 1, 0.75);
    add_body(&s, ball_at(0.47, 0.31, 0.25, 0.13), s.fluid[0].density);
    rheo_sim *sim = start_sim(&s.scene, 2);
    const rheo_frame_stats f = run_frames(sim, 60);
    const rheo_body_stats body = body_of(sim, 0);
    const double drift = hypot(body.position[0] - 0.47, body.position[1] - 0.31) * CELLS;
    print_message("neutral ball, mac: %.1e cells and %.1e m/s after 2 s\n", drift, f.speed);
    check_below(drift, 1e-3);
    check_below(f.speed, 1e-4);
    rheo_free_sim(sim);
}

/* Air, a solid held at a temperature and a body with one of its own, all at once: what the hottest has ends
 * between the coldest and the hottest of them. */
static void heat_meets_air_solids_and_bodies(void **state) {
    (void)state;
    const double hot = 90;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        set(&s, dim, 12, 1, 0.6);
        s.scene.ambient = 20;
        s.scene.exchange = 10;
        s.scene.heat_speed = 1e4;
        s.fluid[0].temperature = 50;
        add_solid(&s, ball_at(0.3, 0.25, 0.25, 0.13))->temperature = steady(&hot);
        rheo_solid *body = add_body(&s, ball_at(0.7, 0.3, 0.25, 0.13), s.fluid[0].density);
        body->temperature = steady(&hot);
        body->heat_capacity = 800;
        rheo_sim *sim = start_sim(&s.scene, 1);
        const rheo_frame_stats f = run_frames(sim, 6);
        const double own = body_of(sim, 0).temperature;
        printf("heat %dD: %.2f to %.2f degrees, the body %.2f\n", dim, f.temperature[0], f.temperature[1],
               own);
        assert_true(f.temperature[0] >= 20 && f.temperature[0] < 50);
        assert_true(f.temperature[1] > 50 && f.temperature[1] <= hot + 1e-4);
        assert_true(own > 20 && own < hot);
        rheo_free_sim(sim);
    }
}

/* Two seconds of a breaking dam: markers are neither lost nor made, energy exceeds that of the start by 2 %
 * at most, and the volume that markers enclose keeps. */
static void dam_breaks(int dim, int cells, int with_ball, double drift_allowed) {
    setup s;
    set(&s, dim, cells, 0.4, 0.6);
    if (with_ball) add_solid(&s, ball_at(0.65, 0.2, 0.25, 0.15));
    rheo_sim *sim = start_sim(&s.scene, 1);
    rheo_frame_stats f = stats_of(sim);
    const int64_t markers = f.particles;
    const double energy = f.kinetic + f.potential;
    double drift = 0, speed = 0, most = 0, divergence = 0;
    int steps = 0;
    for (int i = 0; i < 60; ++i) {
        f = run_frames(sim, 1);
        assert_int_equal(f.particles, markers);
        assert_true(f.pressure.converged);
        drift = larger(drift, fabs(f.volume_drift));
        speed = larger(speed, f.speed);
        divergence = larger(divergence, f.divergence);
        most = larger(most, (f.kinetic + f.potential) / energy);
        steps += f.steps;
    }
    printf("dam %dD: %lld markers, %d steps, drift at most %.4f, at the end %.4f, speed at most %.2f m/s, "
           "energy at most %.3f, at the end %.3f of the start, divergence %.1e 1/s\n",
           dim, (long long)markers, steps, drift, f.volume_drift, speed, most,
           (f.kinetic + f.potential) / energy, divergence);
    check_below(drift, drift_allowed);
    check_below(most, 1.02);
    check_below(speed, 15); /* free fall over the tank's height gives 4.4; jets add some */
    check_below(divergence, 1e-3);
    check_below(f.fluids[0].centroid[1], 0.3);
    rheo_free_sim(sim);
}

static void dam_breaks_in_the_plane(void **state) {
    (void)state;
    dam_breaks(2, 24, 0, 0.03);
}
static void dam_breaks_in_space(void **state) {
    (void)state;
    dam_breaks(3, 12, 0, 0.05);
}
static void dam_breaks_over_a_ball(void **state) {
    (void)state;
    dam_breaks(2, 24, 1, 0.05);
    dam_breaks(3, 12, 1, 0.05);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    for (int dim = 2; dim <= 3; ++dim) {
        uint64_t h[3];
        for (int t = 0; t < 3; ++t) {
            setup s;
            set(&s, dim, dim == 2 ? 32 : 12, 0.4, 0.6);
            s.scene.slip = 0;
            s.fluid[0].viscosity = 0.5;
            rheo_sim *sim = start_sim(&s.scene, threads[t]);
            run_frames(sim, 8);
            h[t] = hash_state(sim);
            rheo_free_sim(sim);
        }
        printf("threads %dD: %016llx\n", dim, (unsigned long long)h[0]);
        assert_true(h[0] == h[1] && h[0] == h[2]);
    }
}

/* How far a dam has run along the floor after a time. */
static double front(double viscosity, int no_slip) {
    setup s;
    set(&s, 2, 32, 0.4, 0.6);
    s.fluid[0].viscosity = viscosity;
    s.scene.slip = no_slip ? 0 : RHEO_SLIP_FREE;
    rheo_sim *sim = start_sim(&s.scene, 1);
    const rheo_frame_stats f = run_frames(sim, 7);
    rheo_free_sim(sim);
    return f.fluids[0].upper[0];
}

static void viscosity_and_slip_slow_the_front(void **state) {
    (void)state;
    const double water = front(0.001, 0), thick = front(20, 0), sticking = front(20, 1);
    printf("front after 0.23 s: water %.3f m, 20 Pa s sliding %.3f m, sticking %.3f m\n", water, thick,
           sticking);
    check_below(thick, water - 0.03);
    check_below(sticking, thick - 0.03);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_rests),
        cmocka_unit_test(pool_stays_calm_with_volume_correction),
        cmocka_unit_test(pool_rests_around_a_ball),
        cmocka_unit_test(neutral_body_rests),
        cmocka_unit_test(heat_meets_air_solids_and_bodies),
        cmocka_unit_test(dam_breaks_in_the_plane),
        cmocka_unit_test(dam_breaks_in_space),
        cmocka_unit_test(dam_breaks_over_a_ball),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(viscosity_and_slip_slow_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
