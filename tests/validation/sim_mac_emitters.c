/* Emitters of the marker-and-cell method: they give v A a second, drive a jet at their speed and no faster,
 * let go of it to fall with g, and feed a pool from inside. Two seconds each, in the plane and in space. */
#include "check.h"
#include "scenes_by_hand.h"

static void set(setup *t, int dim, int cells) {
    set_up(t, RHEO_MAC, dim, cells);
    set_size(t, 1, 1, 0.5);
}

/* A jet along x without weight, out through the open right side: v A t is put in, nothing moves faster. */
static void jet_keeps_its_speed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        set(&s, dim, dim == 2 ? 40 : 20);
        s.gravity[1] = 0;
        add_emitter(&s, box_between(0.1, 0.4, 0.15, 0.3, 0.6, 0.35), 1, 0, 0);
        s.scene.wall[RHEO_RIGHT] = RHEO_WALL_OPEN;
        rheo_sim *sim = start_sim(&s.scene, 1);
        const double dx = 1.0 / s.scene.cells, marker = dx * dx * dx / (dim == 2 ? 4 : 8);
        const double area = 0.2 * (dim == 2 ? dx : 0.2);
        rheo_frame_stats f = run_frames(sim, 1);
        const int64_t first = f.counts.emitted;
        double speed = 0, divergence = 0;
        for (int i = 1; i < 60; ++i) {
            f = run_frames(sim, 1);
            speed = larger(speed, f.speed);
            divergence = larger(divergence, f.divergence);
        }
        const double volume = (double)(f.counts.emitted - first) * marker, exact = area * 59 / 30.0;
        printf("jet %dD: %.6f m3 in 2 s of %.6f, speed at most %.4f of 1 m/s, divergence %.1e 1/s\n", dim,
               volume, exact, speed, divergence);
        check_near(volume / exact, 1, 0.01);
        check_below(speed, 1.05);
        check_near(f.fluids[0].centroid[1], 0.5, 0.01);
        check_below(divergence, 1e-3);
        rheo_free_sim(sim);
    }
}

/* How fast a piece of jet, left behind by an emitter that stops, falls after a tenth of a second. */
static double fall_of_jet(int dim, unsigned seed) {
    setup s;
    set(&s, dim, dim == 2 ? 40 : 20);
    s.scene.seed = seed;
    add_emitter(&s, box_between(0.1, 0.6, 0.15, 0.3, 0.8, 0.35), 1, 1, 0);
    s.emitter.during[1] = 0.1;
    rheo_sim *sim = start_sim(&s.scene, 1);
    double y[10], v[10];
    for (int i = 0; i < 10; ++i) {
        y[i] = run_frames(sim, 1).fluids[0].centroid[1];
        v[i] = i ? (y[i] - y[i - 1]) * 30 : 0;
    }
    rheo_free_sim(sim);
    return -(v[9] - v[5]) * 30 / 4;
}

/* It falls freely. The markers' jitter alone moves the number by 0.02 (deviation over seeds, 3D): the mean.
 */
static void jet_falls_with_g(void **state) {
    (void)state;
    enum { SEEDS = 4 };
    for (int dim = 2; dim <= 3; ++dim) {
        double g = 0;
        for (unsigned seed = 0; seed < SEEDS; ++seed) g += fall_of_jet(dim, seed) / SEEDS;
        printf("fall %dD: %.3f m/s2\n", dim, g);
        check_near(g, 9.81, 0.1);
    }
}

/* Under water the inflow raises the pool by its volume, and stirs it no faster than it comes in. */
static void pool_is_fed_from_inside(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        set(&s, dim, dim == 2 ? 32 : 16);
        fill_pool(&s, 0.4);
        add_emitter(&s, box_between(0.4, 0.1, 0.15, 0.6, 0.2, 0.35), 0, 1, 0);
        rheo_sim *sim = start_sim(&s.scene, 1);
        const double dx = 1.0 / s.scene.cells, area = 0.2 * (dim == 2 ? dx : 0.2);
        rheo_frame_stats f = run_frames(sim, 1);
        const double before = f.volume;
        double speed = 0, drift = 0;
        for (int i = 1; i < 30; ++i) {
            f = run_frames(sim, 1);
            speed = larger(speed, f.speed);
            drift = larger(drift, fabs(f.volume_drift));
        }
        printf("pool %dD: %.5f m3 more of %.5f, speed at most %.3f m/s, drift at most %.4f\n", dim,
               f.volume - before, area * 29 / 30.0, speed, drift);
        check_below(drift, 0.05);
        check_below(speed, 5);
        rheo_free_sim(sim);
    }
}

/* Liquid that is blown at a closed side, into a pool and into air, and at a plate that the emitter reaches
 * into: it turns aside, and is neither pressed together nor thrown off at many times its speed. */
static void walls_turn_the_inflow_aside(void **state) {
    (void)state;
    static const struct {
        const char *at;
        int pool, plate;
        double centre[2], radius, velocity[2];
    } blown[] = {{"a side, half in a pool", 1, 0, {0.05, 0.3}, 0.15, {-3, 0}},
                 {"the same, upwards", 1, 0, {0.05, 0.3}, 0.15, {-3, 1}},
                 {"a side", 0, 0, {0.1, 0.6}, 0.1, {-3, 0}},
                 {"a plate", 0, 1, {0.5, 0.6}, 0.1, {0, -3}}};
    for (int i = 0; i < 4; ++i) {
        setup s;
        set(&s, 2, 32);
        if (blown[i].pool) fill_pool(&s, 0.3);
        if (blown[i].plate) add_solid(&s, box_between(0.2, 0.4, 0, 0.8, 0.52, 1));
        add_emitter(&s, ball_at(blown[i].centre[0], blown[i].centre[1], 0, blown[i].radius),
                    blown[i].velocity[0], blown[i].velocity[1], 0);
        rheo_sim *sim = start_sim(&s.scene, 1);
        double speed = 0, drift = 0;
        for (int k = 0; k < 10; ++k) {
            const rheo_frame_stats f = run_frames(sim, 1);
            speed = larger(speed, f.speed);
            drift = larger(drift, fabs(f.volume_drift));
        }
        printf("blown at %s: speed at most %.2f m/s, drift at most %.3f\n", blown[i].at, speed, drift);
        check_below(speed, 12);
        check_below(drift, 0.05);
        rheo_free_sim(sim);
    }
}

/* A jet that turns aside over a plate which leaves a fifth of its cells open, or four fifths: the film there
 * spreads at about the jet's speed. */
static void film_on_a_plate_spreads(void **state) {
    (void)state;
    static const double tops[] = {4.8, 4.2};
    for (int i = 0; i < 2; ++i) {
        setup s;
        const double dx = 1.0 / 24;
        set(&s, 3, 24);
        s.scene.size[2] = 1;
        add_emitter(&s, box_between(9 * dx, 12 * dx, 9 * dx, 15 * dx, 21 * dx, 15 * dx), 0, -3, 0);
        add_solid(&s, box_between(5 * dx, 2 * dx, 5 * dx, 19 * dx, tops[i] * dx, 19 * dx));
        rheo_sim *sim = start_sim(&s.scene, 2);
        double speed = 0;
        for (int k = 0; k < 9; ++k) speed = larger(speed, run_frames(sim, 1).speed);
        printf("film on a plate at %.1f cells: speed at most %.2f m/s\n", tops[i], speed);
        check_below(speed, 10);
        rheo_free_sim(sim);
    }
}

/* Liquid that is blown obliquely into the air, along no plane of the grid, from a box whose edges lie within
 * cells: until it comes to a wall, after 0.3 s, nothing is faster than what falls from there (4.1 m/s). Faces
 * at the edge once gathered momentum, 20 m/s by then, until the step vanished. */
static void oblique_jets_stay_calm(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        double speed = 0;
        set(&s, dim, dim == 2 ? 48 : 24);
        s.scene.fps = 30;
        add_emitter(&s, box_between(0.55, 0.7, 0.1, 0.7, 0.8, 0.27), 1, -1, 0);
        rheo_sim *sim = start_sim(&s.scene, 2);
        for (int k = 0; k < 9; ++k) speed = larger(speed, run_frames(sim, 1).speed);
        printf("oblique jet %dD: speed at most %.2f m/s\n", dim, speed);
        check_below(speed, 4.2);
        rheo_free_sim(sim);
    }
}

static double sum_of_places(const rheo_sim *sim) {
    rheo_particle_view v;
    double sum = 0;
    rheo_view_particles(&v, sim);
    for (size_t q = 0; q < v.count; ++q)
        for (int a = 0; a < 3; ++a) sum += (double)v.position[a][q] * (double)(1 + (v.id[q] % 97));
    return sum;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    double sum[2];
    for (int t = 0; t < 2; ++t) {
        setup s;
        set(&s, 3, 16);
        add_emitter(&s, box_between(0.2, 0.1, 0.15, 0.4, 0.3, 0.35), 1, 2, 0);
        rheo_sim *sim = start_sim(&s.scene, t ? 5 : 1);
        run_frames(sim, 15);
        sum[t] = sum_of_places(sim);
        rheo_free_sim(sim);
    }
    assert_true(sum[0] == sum[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jet_keeps_its_speed),     cmocka_unit_test(jet_falls_with_g),
        cmocka_unit_test(pool_is_fed_from_inside), cmocka_unit_test(walls_turn_the_inflow_aside),
        cmocka_unit_test(film_on_a_plate_spreads), cmocka_unit_test(oblique_jets_stay_calm),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
