/* Periodic sides: a flow does not see where the box begins, vortices turn in place, momentum stays. */
#include "check.h"
#include <rheo/sim.h>
#include "core/random.h"
#include "grid/wrap.h"
#include "sim/smoke.h"

static const double TAU = 6.28318530717958647692;

typedef struct {
    rheo_scene scene;
    rheo_fluid fluid;
    rheo_shape fill;
    rheo_solid solid;
    double gravity[3];
} setup;

/* A unit box that is periodic along the axes of a bit mask, filled by nothing. */
static void prepare(setup *t, rheo_method method, int dim, int cells, int axes) {
    static const double start[1] = {0};
    *t = (setup){.scene = rheo_default_scene(), .fluid = rheo_default_fluid()};
    t->scene.method = method;
    t->scene.output_mesh = method != RHEO_SMOKE;
    t->scene.dim = dim;
    t->scene.cells = cells;
    for (int a = 0; a < 3; ++a) t->scene.size[a] = 1;
    for (int a = 0; a < 3; ++a)
        t->scene.wall[2 * a] = t->scene.wall[2 * a + 1] =
            axes >> a & 1 ? RHEO_WALL_PERIODIC : RHEO_WALL_CLOSED;
    t->scene.gravity = (rheo_curve){.count = 1, .times = start, .values = t->gravity, .width = 3};
    t->scene.fluids = &t->fluid;
    t->scene.fluid_count = 1;
    t->scene.solids = &t->solid;
    t->solid = rheo_default_solid();
}

static void fill_box(setup *t, double x0, double y0, double x1, double y1) {
    t->fill = rheo_default_shape(RHEO_SHAPE_BOX);
    const double a[3] = {x0, y0, -1}, b[3] = {x1, y1, 2};
    memcpy(t->fill.a, a, sizeof a);
    memcpy(t->fill.b, b, sizeof b);
    t->fluid.fill = &t->fill;
    t->fluid.fill_count = 1;
}

static rheo_sim *make(const setup *t, int threads) {
    rheo_sim *sim;
    rheo_report report = {0};
    if (rheo_create_sim(&sim, &t->scene, threads, &report)) fail_msg("%s: %s", report.path, report.message);
    return sim;
}

static void step(rheo_sim *sim, double dt) {
    rheo_report report = {0};
    if (sim->method->step(sim, dt, &report)) fail_msg("%s", report.message);
    sim->time += dt;
}

/* The Taylor-Green vortex, which does not change in time: u = sin 2 pi x cos 2 pi y, v = -cos sin. */
static double vortex(int axis, double x, double y) {
    return axis == 0 ? sin(TAU * x) * cos(TAU * y) : axis == 1 ? -cos(TAU * x) * sin(TAU * y) : 0;
}

/* Sets the velocity, moved by (sx, sy) cells along periodic axes. */
static void set_vortex(rheo_sim *sim, int sx, int sy) {
    const box *b = &sim->g.box;
    for (int a = 0; a < b->dim; ++a)
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1] + (a == 1); ++j)
                for (int i = 0; i < b->n[0] + (a == 0); ++i)
                    sim->vel.value[a][box_at(b, i, j, k)] =
                        (float)vortex(a, (i - sx + (a == 0 ? 0 : 0.5)) * sim->g.dx,
                                      (j - sy + (a == 1 ? 0 : 0.5)) * sim->g.dx);
    wrap_faces(&sim->vel, &sim->g);
    pressure_speed(sim->speed, &sim->vel, &sim->g, &sim->open, sim->phi);
}

/* Root mean square of u - vortex, and the share of the energy that is left. */
static double vortex_error(const rheo_sim *sim, double *energy) {
    const box *b = &sim->g.box;
    double sum = 0, left = 0, all = 0;
    for (int a = 0; a < 2; ++a)
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i) {
                    const double u = (double)sim->vel.value[a][box_at(b, i, j, k)];
                    const double w =
                        vortex(a, (i + (a == 0 ? 0 : 0.5)) * sim->g.dx, (j + (a == 1 ? 0 : 0.5)) * sim->g.dx);
                    sum += (u - w) * (u - w);
                    left += u * u;
                    all += w * w;
                }
    *energy = left / all;
    return sqrt(sum / all);
}

static double vortex_run(rheo_advection advection, int dim, int cells, int steps, double *energy) {
    setup t;
    prepare(&t, RHEO_SMOKE, dim, cells, 7);
    t.scene.advection = advection;
    if (dim == 3) t.scene.size[2] = 16.0 / cells;
    rheo_sim *sim = make(&t, 1);
    set_vortex(sim, 0, 0);
    for (int s = 0; s < steps; ++s) step(sim, 0.25 / steps);
    const double error = vortex_error(sim, energy);
    assert_true(sim->stats.pressure.converged);
    rheo_free_sim(sim);
    return error;
}

/* With dt ~ dx the order is one, that of splitting advection from projection; with dt ~ dx^2 what is left is
 * the order of carrying itself, which is two but for semi-Lagrangian. Energy never grows. */
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

/* The value of a field at a cell of one run and at the same cell, moved, of another. */
static double field_difference(const rheo_sim *a, const rheo_sim *b, const float *fa, const float *fb, int sx,
                               int sy) {
    const box *g = &a->g.box;
    (void)b;
    double most = 0;
    for (int k = 0; k < g->n[2]; ++k)
        for (int j = 0; j < g->n[1]; ++j)
            for (int i = 0; i < g->n[0]; ++i)
                most = larger(most, fabs((double)fa[box_at(g, i, j, k)] -
                                         (double)fb[box_at(g, (i + sx) % g->n[0], (j + sy) % g->n[1], k)]));
    return most;
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
        t.fluid.soot = 0.5 * t.fluid.density;
        if (dim == 3) t.scene.size[2] = 0.5;
        for (int r = 0; r < 2; ++r) {
            sim[r] = make(&t, 1 + r);
            const box *b = &sim[r]->g.box;
            set_vortex(sim[r], r * sx, r * sy);
            for (int k = 0; k < b->n[2]; ++k)
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) {
                        const int ci = (i - r * sx + n) % n - 16, cj = (j - r * sy + n) % n - 14;
                        sim[r]->density[box_at(b, i, j, k)] = (float)exp(-0.04 * (ci * ci + cj * cj));
                    }
            wrap_field(sim[r]->density, &sim[r]->g);
            for (int s = 0; s < 12; ++s) step(sim[r], 0.02);
        }
        const double c = field_difference(sim[0], sim[1], sim[0]->density, sim[1]->density, sx, sy);
        double u = 0;
        for (int a = 0; a < dim; ++a)
            u = larger(u,
                       field_difference(sim[0], sim[1], sim[0]->vel.value[a], sim[1]->vel.value[a], sx, sy));
        printf("%dD smoke moved by %d %d cells: density differs by %.1e, velocity by %.1e\n", dim, sx, sy, c,
               u);
        check_below(c, 2e-4);
        check_below(u, 5e-4);
        rheo_free_sim(sim[0]);
        rheo_free_sim(sim[1]);
    }
}

/* The particles of one run, moved around the box, are another run's. */
static void move_particles(rheo_sim *sim, int sx) {
    rheo_report report = {0};
    for (size_t q = 0; q < sim->parts.count; ++q)
        sim->parts.x[0][q] = wrap_place(sim->parts.x[0][q] + (float)sx, sim->g.box.n[0]);
    assert_int_equal(liquid_begin(sim, &report), RHEO_OK);
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
        fill_box(&t, 0.3, 0, 0.7, 0.6);
        t.fluid.velocity[0] = 1;
        for (int r = 0; r < 2; ++r) {
            sim[r] = make(&t, 1 + r);
            if (r) move_particles(sim[r], sx);
            for (int s = 0; s < 10; ++s) step(sim[r], 0.01);
            assert_true(sim[r]->stats.pressure.converged);
        }
        assert_int_equal(sim[0]->parts.count, sim[1]->parts.count);
        double mean[2] = {0, 0}, energy[2] = {0, 0}, low = 1e9, high = -1e9;
        for (int r = 0; r < 2; ++r)
            for (size_t q = 0; q < sim[r]->parts.count; ++q) {
                for (int a = 0; a < dim; ++a)
                    energy[r] += (double)(sim[r]->parts.v[a][q] * sim[r]->parts.v[a][q]);
                mean[r] += (double)sim[r]->parts.x[1][q];
                if (r)
                    low = fmin(low, (double)sim[r]->parts.x[0][q]),
                    high = larger(high, (double)sim[r]->parts.x[0][q]);
            }
        const double phi = field_difference(sim[0], sim[1], sim[0]->density, sim[1]->density, sx, 0);
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
        fill_box(&t, -1, -1, 2, 2);
        const double v[3] = {3, -2, 1};
        memcpy(t.fluid.velocity, v, sizeof v);
        rheo_sim *sim = make(&t, 1);
        const size_t count = sim->parts.count;
        for (int s = 0; s < 20; ++s) step(sim, 0.06); /* up to 2.9 cells a step */
        assert_int_equal(sim->parts.count, count);
        double worst = 0;
        for (int a = 0; a < dim; ++a)
            for (int k = 0; k < sim->g.box.n[2]; ++k)
                for (int j = 0; j < 16; ++j)
                    for (int i = 0; i < 16; ++i)
                        worst = larger(worst,
                                       fabs((double)sim->vel.value[a][box_at(&sim->g.box, i, j, k)] - v[a]));
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
        fill_box(&t, 0, 0, 1, 0.5);
        t.gravity[1] = -9.81;
        rheo_sim *sim = make(&t, 2);
        double fastest = 0;
        for (int s = 0; s < 15; ++s) {
            step(sim, 0.02);
            for (int a = 0; a < dim; ++a) fastest = larger(fastest, sim->speed[a]);
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
    rheo_shape fill[2] = {rheo_default_shape(RHEO_SHAPE_BOX), rheo_default_shape(RHEO_SHAPE_SPHERE)};
    const double low[3] = {0, 0, -1}, high[3] = {2, 0.4, 2}, middle[3] = {0.4, 0.8, 0};
    prepare(&t, RHEO_FLIP, 2, 48, 1);
    t.scene.size[0] = 2;
    t.scene.fps = 24;
    t.gravity[1] = -9.81;
    memcpy(fill[0].a, low, sizeof low);
    memcpy(fill[0].b, high, sizeof high);
    memcpy(fill[1].a, middle, sizeof middle);
    fill[1].radius = 0.1;
    t.fluid.fill = fill;
    t.fluid.fill_count = 2;
    rheo_sim *sim = make(&t, 1);
    for (int f = 0; f < 48; ++f) {
        rheo_frame_stats stats;
        rheo_report report = {0};
        assert_int_equal(rheo_advance_frame(sim, NULL, &stats, &report), RHEO_OK);
        assert_true(stats.pressure.converged);
    }
    rheo_free_sim(sim);
}

/* What is not in this version says so. */
static void refusals(void **state) {
    (void)state;
    setup t;
    rheo_sim *sim;
    rheo_report report = {0};
    prepare(&t, RHEO_FLIP, 2, 32, 1);
    fill_box(&t, -1, -1, 2, 0.5);
    t.scene.solid_count = 1;
    t.solid.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    const double low[3] = {0.3, -1, -1}, high[3] = {0.31, 0.4, 2};
    memcpy(t.solid.shape.a, low, sizeof low);
    memcpy(t.solid.shape.b, high, sizeof high);
    assert_int_equal(rheo_create_sim(&sim, &t.scene, 1, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "thinner than a cell"));
    assert_string_equal(report.path, "solids[0].shape");
    t.solid.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    const double centre[3] = {0.8, 0.5, 0};
    memcpy(t.solid.shape.a, centre, sizeof centre);
    t.solid.shape.radius = 0.15;
    t.solid.motion = RHEO_DYNAMIC;
    t.solid.velocity[0] = 1;
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

/* ---- bodies ---- */

/* Momentum along the axes and energy of what takes part in the projection. */
static double totals(double momentum[3], rheo_sim *sim) {
    const box *b = &sim->g.box;
    const double mass = sim->fluid_density * pow(sim->g.dx, 3);
    double energy = 0, rigid[POISSON_RANK];
    coupling_momentum(rigid, &sim->coupling, 0);
    const body_state *now = sim->solids[0].body->now;
    for (int a = 0; a < 3; ++a) {
        momentum[a] = rigid[a];
        energy += 0.5 * (rigid[a] * now->velocity[a] + rigid[3 + a] * now->spin[a]);
    }
    for (int a = 0; a < b->dim; ++a)
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i) {
                    const ptrdiff_t f = box_at(b, i, j, k);
                    const double u = (double)sim->vel.value[a][f],
                                 m = mass * (double)sim->open.open.value[a][f];
                    momentum[a] += m * u;
                    energy += 0.5 * m * u * u;
                }
    return energy;
}

/* The momentum of a body and the liquid around it is the same before and after a projection, and their energy
 * has not grown; weightless, periodic. Random velocities on every face. */
static void projection_keeps_momentum(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int heavy = dim == 3; heavy < 4 - dim + 1; ++heavy) {
            setup t;
            rheo_report report = {0};
            prepare(&t, RHEO_FLIP, dim, 32, 7);
            t.scene.tolerance = 1e-7;
            fill_box(&t, -1, -1, 2, 2);
            t.solid.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
            const double centre[3] = {0.47, 0.52, 0.51}, velocity[3] = {2, -1, 0.5};
            memcpy(t.solid.shape.a, centre, sizeof centre);
            t.solid.shape.radius = 0.2;
            t.solid.motion = RHEO_DYNAMIC;
            t.solid.density = heavy == 0 ? 100 : heavy == 1 ? 1000 : 8000;
            memcpy(t.solid.velocity, velocity, sizeof velocity);
            t.scene.solid_count = 1;
            rheo_sim *sim = make(&t, 1);
            const float *phi = sim->phi;
            double before[3], after[3], size = 0, worst = 0;
            for (int round = 0; round < 3; ++round) {
                for (int a = 0; a < dim; ++a)
                    for (size_t f = 0; f < sim->g.box.size; ++f)
                        sim->vel.value[a][f] = random_unit(9, f, (uint64_t)(3 * round + a)) - 0.3f;
                wrap_faces(&sim->vel, &sim->g);
                /* the mass on the grid is known after the first solve at a place */
                const mac_field kept = sim->vel;
                assert_int_equal(mac_field_make(&sim->vel, &sim->g), 0);
                mac_field_copy(&sim->vel, &kept, &sim->g);
                const body_state state0 = *sim->solids[0].body->now;
                assert_int_equal(liquid_project(sim, &sim->open, &phi, 1e-3, &report), RHEO_OK);
                totals(after, sim);
                mac_field_free(&sim->vel);
                sim->vel = kept;
                *sim->solids[0].body->now = state0;
                assert_int_equal(liquid_place_solids(sim, sim->time, NULL), RHEO_OK);
                const double energy = totals(before, sim);
                assert_int_equal(liquid_project(sim, &sim->open, &phi, 1e-3, &report), RHEO_OK);
                const double left = totals(after, sim);
                for (int a = 0; a < dim; ++a) {
                    size = larger(size, fabs(before[a]));
                    worst = larger(worst, fabs(after[a] - before[a]));
                }
                check_below(left, energy);
            }
            printf("%dD body of %g kg/m3: momentum changes by %.1e of %.3g kg m/s\n", dim, t.solid.density,
                   worst, size);
            check_below(worst, 1e-6 * size);
            rheo_free_sim(sim);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vortices_turn_in_place),
        cmocka_unit_test(smoke_does_not_see_the_seam),
        cmocka_unit_test(liquid_does_not_see_the_seam),
        cmocka_unit_test(uniform_motion_stays),
        cmocka_unit_test(pools_rest),
        cmocka_unit_test(solves_converge),
        cmocka_unit_test(projection_keeps_momentum),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
