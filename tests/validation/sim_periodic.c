/* Periodic sides: a flow does not see where the box begins, vortices turn in place, momentum stays. */
#include "check.h"
#include "core/box.h"
#include "scenes_by_hand.h"
#include "sim/state.h"

static const double TAU = 6.28318530717958647692;

/* A unit box without weight that is periodic along the axes of a bit mask, filled by nothing. */
static void prepare(setup *t, rheo_method method, int dim, int cells, int axes) {
    set_up(t, method, dim, cells);
    for (int a = 0; a < 3; ++a)
        t->scene.wall[2 * a] = t->scene.wall[2 * a + 1] =
            axes >> a & 1 ? RHEO_WALL_PERIODIC : RHEO_WALL_CLOSED;
    t->gravity[1] = 0;
    t->scene.fps = 1; /* no frame ends within the steps that are asked for */
}

/* A field of the state by the name that checkpoints have for it, and how it lies in memory. */
static float *field_of(rheo_sim *sim, const char *name) {
    state_array list[STATE_ARRAYS_MAX];
    const int count = sim_list_state(list, sim);
    for (int i = 0; i < count; ++i)
        if (strcmp(list[i].name, name) == 0) return list[i].data;
    fail_msg("no field is called %s", name);
    return NULL;
}

static const char *const velocity[3] = {"vel_x", "vel_y", "vel_z"};

static box box_of(const rheo_sim *sim, int dim) {
    rheo_volume_view v;
    rheo_view_volume(&v, sim);
    return box_make(dim, v.cells);
}

/* Sets a field that is periodic in the plane, border included: `value` of the cell, moved back by (sx, sy).
 */
static void set_field(rheo_sim *sim, int dim, const char *name, double (*value)(int i, int j, int n), int sx,
                      int sy) {
    const box b = box_of(sim, dim);
    const int n = b.n[0], deep = dim == 3 ? GHOST : 0;
    float *field = field_of(sim, name);
    for (int k = -deep; k < b.n[2] + deep; ++k)
        for (int j = -GHOST; j < n + GHOST; ++j)
            for (int i = -GHOST; i < n + GHOST; ++i)
                field[box_at(&b, i, j, k)] = (float)value((i - sx + 2 * n) % n, (j - sy + 2 * n) % n, n);
}

/* The Taylor-Green vortex, which does not change in time: u = sin 2 pi x cos 2 pi y, v = -cos sin. */
static double vortex(int axis, double x, double y) {
    return axis == 0 ? sin(TAU * x) * cos(TAU * y) : axis == 1 ? -cos(TAU * x) * sin(TAU * y) : 0;
}

static double vortex_along(int i, int j, int n) {
    return vortex(0, (double)i / n, (j + 0.5) / n);
}

static double vortex_across(int i, int j, int n) {
    return vortex(1, (i + 0.5) / n, (double)j / n);
}

/* Moved by (sx, sy) cells along periodic axes. */
static void set_vortex(rheo_sim *sim, int dim, int sx, int sy) {
    set_field(sim, dim, velocity[0], vortex_along, sx, sy);
    set_field(sim, dim, velocity[1], vortex_across, sx, sy);
}

/* Root mean square of u - vortex, and the share of the energy that is left. */
static double vortex_error(rheo_sim *sim, int dim, double *energy) {
    const box b = box_of(sim, dim);
    const double dx = 1.0 / b.n[0];
    double sum = 0, left = 0, all = 0;
    for (int a = 0; a < 2; ++a) {
        const float *field = field_of(sim, velocity[a]);
        for (int k = 0; k < b.n[2]; ++k)
            for (int j = 0; j < b.n[1]; ++j)
                for (int i = 0; i < b.n[0]; ++i) {
                    const double u = (double)field[box_at(&b, i, j, k)];
                    const double w = vortex(a, (i + (a == 0 ? 0 : 0.5)) * dx, (j + (a == 1 ? 0 : 0.5)) * dx);
                    sum += (u - w) * (u - w);
                    left += u * u;
                    all += w * w;
                }
    }
    *energy = left / all;
    return sqrt(sum / all);
}

static double vortex_run(rheo_advection advection, int dim, int cells, int steps, double *energy) {
    setup t;
    prepare(&t, RHEO_SMOKE, dim, cells, 7);
    t.scene.advection = advection;
    if (dim == 3) t.scene.size[2] = 16.0 / cells;
    rheo_sim *sim = start_sim(&t.scene, 1);
    set_vortex(sim, dim, 0, 0);
    for (int s = 0; s < steps; ++s) step_sim(sim, 0.25 / steps);
    const double error = vortex_error(sim, dim, energy);
    const rheo_frame_stats stats = stats_of(sim);
    check_near(stats.time, 0.25, 1e-12);
    assert_true(stats.steps == steps && stats.pressure.converged);
    rheo_free_sim(sim);
    return error;
}

/* With dt ~ dx the order is one, that of splitting advection from projection; with dt ~ dx^2 what is left is
 * the order of carrying itself, which is two but for semi-Lagrangian. Energy grows by 1e-4
 * at most. */
static void vortices_turn_in_place(void **state) {
    (void)state;
    static const struct {
        rheo_advection advection;
        const char *name;
        double order, energy, fine_order;
    } runs[] = {{RHEO_ADVECT_SEMI_LAGRANGIAN, "semi-lagrangian", 0.9, 0.94, -1},
                {RHEO_ADVECT_MACCORMACK, "maccormack", 0.9, 0.96, 1.8},
                {RHEO_ADVECT_BFECC, "bfecc", 0.9, 0.96, 1.8}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
        double error[3], energy[3], fine[2], rest;
        for (int i = 0; i < 3; ++i) error[i] = vortex_run(runs[r].advection, 2, 32 << i, 8 << i, &energy[i]);
        for (int i = 0; i < 2; ++i) fine[i] = vortex_run(runs[r].advection, 2, 32 << i, 16 << 2 * i, &rest);
        const double order = log2(error[1] / error[2]);
        printf("%-16s error %.2e %.2e %.2e, order %.2f, energy %.4f %.4f %.4f; dt ~ dx^2: %.2e %.2e, %.2f\n",
               runs[r].name, error[0], error[1], error[2], order, energy[0], energy[1], energy[2], fine[0],
               fine[1], log2(fine[0] / fine[1]));
        check_below(runs[r].fine_order, log2(fine[0] / fine[1]));
        check_below(runs[r].order, order);
        check_below(runs[r].energy, energy[2]);
        check_below(energy[2], 1.0001);
    }
    double energy;
    const double flat = vortex_run(RHEO_ADVECT_MACCORMACK, 2, 32, 8, &energy);
    check_near(vortex_run(RHEO_ADVECT_MACCORMACK, 3, 32, 8, &energy), flat, 1e-4);
}

/* The largest difference between a field at a cell of one run and at the same cell, moved, of another. */
static double field_difference(rheo_sim *const sim[2], int dim, const char *name, int sx, int sy) {
    const box g = box_of(sim[0], dim);
    const float *one = field_of(sim[0], name), *other = field_of(sim[1], name);
    double most = 0;
    for (int k = 0; k < g.n[2]; ++k)
        for (int j = 0; j < g.n[1]; ++j)
            for (int i = 0; i < g.n[0]; ++i)
                most = larger(most, fabs((double)one[box_at(&g, i, j, k)] -
                                         (double)other[box_at(&g, (i + sx) % g.n[0], (j + sy) % g.n[1], k)]));
    return most;
}

static double puff(int i, int j, int n) {
    (void)n;
    return exp(-0.04 * ((i - 16) * (i - 16) + (j - 14) * (j - 14)));
}

/* Smoke rises and is confined the same wherever the box begins. */
static void smoke_does_not_see_the_seam(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        rheo_sim *sim[2];
        const int n = 32, sx = 12, sy = 20;
        prepare(&t, RHEO_SMOKE, dim, n, 7);
        t.gravity[1] = -3;
        t.scene.confinement = 0.3;
        t.fluid[0].soot = 0.5 * t.fluid[0].density;
        if (dim == 3) t.scene.size[2] = 0.5;
        for (int r = 0; r < 2; ++r) {
            sim[r] = start_sim(&t.scene, 1 + r);
            set_vortex(sim[r], dim, r * sx, r * sy);
            set_field(sim[r], dim, "density", puff, r * sx, r * sy);
            for (int s = 0; s < 12; ++s) step_sim(sim[r], 0.02);
        }
        const double c = field_difference(sim, dim, "density", sx, sy);
        double u = 0;
        for (int a = 0; a < dim; ++a) u = larger(u, field_difference(sim, dim, velocity[a], sx, sy));
        printf("%dD smoke moved by %d %d cells: density differs by %.1e, velocity by %.1e\n", dim, sx, sy, c,
               u);
        check_below(c, 2e-4);
        check_below(u, 5e-4);
        rheo_free_sim(sim[0]);
        rheo_free_sim(sim[1]);
    }
}

/* The particles of one run, moved around the box of 32 cells, are another run's. */
static void move_particles(rheo_sim *sim, int sx) {
    rheo_report report = {0};
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    float(*place)[3] = calloc(v.count, sizeof *place), (*speed)[3] = calloc(v.count, sizeof *speed);
    uint32_t *id = malloc(v.count * sizeof *id);
    uint8_t *fluid = malloc(v.count * sizeof *fluid);
    assert_true(place && speed && id && fluid);
    for (size_t q = 0; q < v.count; ++q)
        for (int a = 0; a < 3 && v.position[a]; ++a) {
            const float cells = v.position[a][q] + (a == 0 ? (float)sx : 0);
            place[q][a] = (cells >= 32 ? cells - 32 : cells) / 32; /* exact */
            speed[q][a] = v.velocity[a][q];
        }
    memcpy(id, v.id, v.count * sizeof *id);
    memcpy(fluid, v.fluid, v.count * sizeof *fluid);
    const sim_particles moved = {.count = v.count,
                                 .position = (const float(*)[3])place,
                                 .velocity = (const float(*)[3])speed,
                                 .id = id,
                                 .fluid = fluid};
    assert_int_equal(sim_place_particles(sim, 0, &moved, &report), RHEO_OK);
    free(place);
    free(speed);
    free(id);
    free(fluid);
}

/* A column collapses in a box that is periodic along x: where the box begins does not matter. */
static void liquid_does_not_see_the_seam(void **state) {
    (void)state;
    static const rheo_method method[] = {RHEO_FLIP, RHEO_APIC, RHEO_PIC, RHEO_SEMI_LAGRANGIAN};
    for (int m = 0; m < 8; ++m) {
        setup t;
        rheo_sim *sim[2];
        const int dim = m < 4 ? 2 : 3, sx = 15;
        prepare(&t, method[m % 4], dim, 32, 1);
        t.gravity[1] = -9.81;
        if (dim == 3) t.scene.size[2] = 0.25;
        fill_with(&t, flat_box(0.3, 0, 0.7, 0.6));
        t.fluid[0].velocity[0] = 1;
        for (int r = 0; r < 2; ++r) {
            sim[r] = start_sim(&t.scene, 1 + r);
            if (r) move_particles(sim[r], sx);
            for (int s = 0; s < 10; ++s) step_sim(sim[r], 0.01);
            assert_true(stats_of(sim[r]).pressure.converged);
        }
        double mean[2] = {0, 0}, energy[2] = {0, 0}, low = 1e9, high = -1e9;
        rheo_particle_view v[2];
        for (int r = 0; r < 2; ++r) {
            rheo_view_particles(&v[r], sim[r]);
            for (size_t q = 0; q < v[r].count; ++q) {
                for (int a = 0; a < dim; ++a)
                    energy[r] += (double)(v[r].velocity[a][q] * v[r].velocity[a][q]);
                mean[r] += (double)v[r].position[1][q];
                if (r) low = smaller(low, (double)v[r].position[0][q]);
                if (r) high = larger(high, (double)v[r].position[0][q]);
            }
        }
        assert_int_equal(v[0].count, v[1].count);
        const double phi = field_difference(sim, dim, "density", sx, 0);
        printf("%dD method %d moved by %d cells: density differs by %.1e, energy by %.1e, height by %.1e\n",
               dim, m % 4, sx, phi, energy[1] / energy[0] - 1, mean[1] / mean[0] - 1);
        check_below(low, 1);
        check_below(31, high); /* it does lie across the side */
        check_near(energy[1] / energy[0], 1, 2e-3);
        check_near(mean[1] / mean[0], 1, 2e-4);
        rheo_free_sim(sim[0]);
        rheo_free_sim(sim[1]);
    }
}

/* Liquid that fills a periodic box and moves as a whole goes on so. */
static void uniform_motion_stays(void **state) {
    (void)state;
    static const rheo_method method[] = {RHEO_FLIP, RHEO_APIC, RHEO_PIC, RHEO_SEMI_LAGRANGIAN};
    for (int m = 0; m < 8; ++m) {
        setup t;
        const int dim = m < 4 ? 2 : 3;
        prepare(&t, method[m % 4], dim, 16, 7);
        fill_with(&t, flat_box(-1, -1, 2, 2));
        const double v[3] = {3, -2, 1};
        memcpy(t.fluid[0].velocity, v, sizeof v);
        t.scene.fps = 1 / 1.2;
        t.scene.cfl = 4;
        rheo_sim *sim = start_sim(&t.scene, 1);
        const int64_t count = stats_of(sim).particles;
        for (int s = 0; s < 20; ++s) step_sim(sim, 0.06); /* up to 2.9 cells a step */
        const rheo_frame_stats stats = stats_of(sim);
        assert_int_equal(stats.particles, count);
        check_near(stats.time, 1.2, 1e-12);
        double worst = 0;
        for (int a = 0; a < dim; ++a)
            for (int k = 0; k < (dim == 3 ? 16 : 1); ++k)
                for (int j = 0; j < 16; ++j)
                    for (int i = 0; i < 16; ++i)
                        worst = larger(worst, fabs(face_velocity(sim, a, i, j, k) - v[a]));
        printf("%dD method %d: velocity off by %.1e\n", dim, m % 4, worst);
        check_below(worst, 1e-4);
        rheo_free_sim(sim);
    }
}

/* A pool that ends at periodic sides has no surface there. */
static void pools_rest(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        prepare(&t, RHEO_APIC, dim, 16, 5);
        fill_with(&t, flat_box(0, 0, 1, 0.5));
        t.gravity[1] = -9.81;
        rheo_sim *sim = start_sim(&t.scene, 2);
        double fastest = 0;
        for (int s = 0; s < 15; ++s) {
            step_sim(sim, 0.02);
            fastest = larger(fastest, stats_of(sim).speed);
        }
        printf("%dD: %.1e m/s\n", dim, fastest);
        check_below(fastest, 5e-3);
        rheo_free_sim(sim);
    }
}

/* A drop falls into a pool whose coarser grids end within a block of the solver: every solve converges. */
static void solves_converge(void **state) {
    (void)state;
    setup t;
    const rheo_shape fill[2] = {box_between(0, 0, -1, 2, 0.4, 2), ball_at(0.4, 0.8, 0, 0.1)};
    prepare(&t, RHEO_FLIP, 2, 48, 1);
    t.scene.size[0] = 2;
    t.scene.fps = 24;
    t.gravity[1] = -9.81;
    t.fluid[0].fill = fill;
    t.fluid[0].fill_count = 2;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int f = 0; f < 48; ++f) assert_true(run_frames(sim, 1).pressure.converged);
    rheo_free_sim(sim);
}

/* What is not in this version says so. */
static void refusals(void **state) {
    (void)state;
    setup t;
    rheo_sim *sim;
    rheo_report report = {0};
    prepare(&t, RHEO_FLIP, 2, 32, 1);
    fill_with(&t, flat_box(-1, -1, 2, 0.5));
    t.scene.fps = rheo_default_scene().fps;
    add_solid(&t, flat_box(0.3, -1, 0.31, 0.4));
    assert_int_equal(rheo_create_sim(&sim, &t.scene, 1, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "thinner than a cell"));
    assert_string_equal(report.path, "solids[0].shape");
    t.scene.solid_count = 0;
    add_body(&t, ball_at(0.8, 0.5, 0, 0.15), rheo_default_solid().density)->velocity[0] = 1;
    assert_int_equal(rheo_create_sim(&sim, &t.scene, 1, &report), RHEO_OK);
    rheo_status status = RHEO_OK;
    int steps = 0;
    for (; steps < 30 && !status; ++steps) status = rheo_advance_step(sim, 0.01, &report);
    assert_int_equal(status, RHEO_INVALID);
    assert_true(steps >
                5); /* 0.05 m of room at 1 m/s: the disc's own radius counts, not its bounds' diagonal */
    assert_non_null(strstr(report.message, "reaches a periodic side along x"));
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vortices_turn_in_place),
        cmocka_unit_test(smoke_does_not_see_the_seam),
        cmocka_unit_test(liquid_does_not_see_the_seam),
        cmocka_unit_test(uniform_motion_stays),
        cmocka_unit_test(pools_rest),
        cmocka_unit_test(solves_converge),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
