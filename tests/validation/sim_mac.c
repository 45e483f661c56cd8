#include "check.h"
#include <rheo/rheo.h>

static const double none[3] = {0, 0, 0}, down[3] = {0, -9.81, 0};

/* A box of liquid in the corner of a tank of 1 m. The caller keeps what the scene points to. */
typedef struct {
    rheo_shape fill;
    rheo_fluid fluid;
    rheo_solid ball;
    rheo_scene scene;
} setting;

static void set(setting *s, int dim, int cells, double width, double height) {
    s->fill = rheo_default_shape(RHEO_SHAPE_BOX);
    s->fill.b[0] = width;
    s->fill.b[1] = height;
    s->fill.b[2] = 1;
    s->fluid = rheo_default_fluid();
    s->fluid.fill = &s->fill;
    s->fluid.fill_count = 1;
    s->scene = rheo_default_scene();
    s->scene.dim = dim;
    s->scene.size[0] = s->scene.size[1] = 1;
    s->scene.size[2] = 0.5;
    s->scene.cells = cells;
    s->scene.method = RHEO_MAC;
    s->scene.gravity = (rheo_curve){1, none, down, 3};
    s->scene.fluids = &s->fluid;
    s->scene.fluid_count = 1;
}

static void add_ball(setting *s, double x, double y, double radius) {
    s->ball = rheo_default_solid();
    s->ball.name = "ball";
    s->ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    s->ball.shape.a[0] = x;
    s->ball.shape.a[1] = y;
    s->ball.shape.a[2] = 0.25;
    s->ball.shape.radius = radius;
    s->scene.solids = &s->ball;
    s->scene.solid_count = 1;
}

static rheo_sim *start(const setting *s, int threads) {
    rheo_report report = {0};
    rheo_sim *sim;
    if (rheo_create_sim(&sim, &s->scene, threads, &report)) fail_msg("%s", report.message);
    return sim;
}

static rheo_frame_stats advance(rheo_sim *sim) {
    rheo_report report = {0};
    rheo_frame_stats f;
    if (rheo_advance_frame(sim, NULL, &f, &report)) fail_msg("%s", report.message);
    return f;
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
        setting s;
        set(&s, dim, 16, 1, 0.5);
        s.scene.volume_correction = false;
        rheo_sim *sim = start(&s, 1);
        rheo_frame_stats f = {0};
        for (int i = 0; i < 30; ++i) f = advance(sim);
        const rheo_probe depth = {"depth", {0.5, 1 / 32.0, 0.25}, {0.5, 1 / 32.0, 0.25}, 1, RHEO_OF_PRESSURE};
        double row[4];
        rheo_sample_probe(row, sim, &depth);
        const double exact = s.fluid.density * 9.81 * (0.5 - 1 / 32.0);
        printf("rest %dD: speed %.2e m/s, pressure %.2f Pa of %.2f, volume drift %.4f\n", dim, f.speed,
               row[3], exact, f.volume_drift);
        check_below(f.speed, 1e-4);
        check_near(row[3] / exact, 1, 1e-4);
        rheo_free_sim(sim);
    }
}

/* Evening out the markers' density must not set a pool in motion that anybody would see. */
static void pool_stays_calm_with_volume_correction(void **state) {
    (void)state;
    setting s;
    set(&s, 2, 32, 1, 0.5);
    rheo_sim *sim = start(&s, 1);
    rheo_frame_stats f = {0};
    for (int i = 0; i < 60; ++i) f = advance(sim);
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
        setting s;
        set(&s, dim, 16, 1, 0.53);
        add_ball(&s, 0.55, 0.22, 0.13);
        rheo_sim *sim = start(&s, 1);
        rheo_frame_stats f = {0};
        for (int i = 0; i < 30; ++i) f = advance(sim);
        printf("ball %dD: speed %.2e m/s, drift %.4f\n", dim, f.speed, f.volume_drift);
        check_below(f.speed, 1e-4);
        check_near(f.volume_drift, 0, 0.01);
        rheo_free_sim(sim);
    }
}

/* Two seconds of a breaking dam: markers are neither lost nor made, energy never exceeds that of the start,
 * and the volume that markers enclose keeps. */
/* As heavy as the liquid, wholly under it: neither begins to move the other. */
static void neutral_body_rests(void **state) {
    (void)state;
    enum { CELLS = 24 };
    setting s;
    set(&s, 2, CELLS, 1, 0.75);
    add_ball(&s, 0.47, 0.31, 0.13);
    s.ball.motion = RHEO_DYNAMIC;
    s.ball.density = s.fluid.density;
    rheo_sim *sim = start(&s, 2);
    rheo_frame_stats f = {0};
    for (int frame = 0; frame < 60; ++frame) f = advance(sim);
    rheo_body_stats body;
    const char *name;
    rheo_read_body(&body, &name, sim, 0);
    const double drift = hypot(body.position[0] - 0.47, body.position[1] - 0.31) * CELLS;
    print_message("neutral ball, mac: %.1e cells and %.1e m/s after 2 s\n", drift, f.speed);
    check_below(drift, 1e-3);
    check_below(f.speed, 1e-4);
    rheo_free_sim(sim);
}

static void dam_breaks(int dim, int cells, int with_ball, double drift_allowed) {
    setting s;
    set(&s, dim, cells, 0.4, 0.6);
    if (with_ball) add_ball(&s, 0.65, 0.2, 0.15);
    rheo_sim *sim = start(&s, 1);
    rheo_frame_stats f;
    rheo_read_stats(&f, sim);
    const int64_t markers = f.particles;
    const double energy = f.kinetic + f.potential;
    double drift = 0, speed = 0, most = 0, divergence = 0;
    int steps = 0;
    for (int i = 0; i < 60; ++i) {
        f = advance(sim);
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
            setting s;
            set(&s, dim, dim == 2 ? 32 : 12, 0.4, 0.6);
            s.scene.no_slip = true;
            s.fluid.viscosity = 0.5;
            rheo_sim *sim = start(&s, threads[t]);
            for (int i = 0; i < 8; ++i) advance(sim);
            h[t] = hash_state(sim);
            rheo_free_sim(sim);
        }
        printf("threads %dD: %016llx\n", dim, (unsigned long long)h[0]);
        assert_true(h[0] == h[1] && h[0] == h[2]);
    }
}

/* How far a dam has run along the floor after a time. */
static double front(double viscosity, int no_slip) {
    setting s;
    set(&s, 2, 32, 0.4, 0.6);
    s.fluid.viscosity = viscosity;
    s.scene.no_slip = no_slip;
    rheo_sim *sim = start(&s, 1);
    rheo_frame_stats f = {0};
    for (int i = 0; i < 7; ++i) f = advance(sim);
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
        cmocka_unit_test(dam_breaks_in_the_plane),
        cmocka_unit_test(dam_breaks_in_space),
        cmocka_unit_test(dam_breaks_over_a_ball),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(viscosity_and_slip_slow_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
