/* Elastic fluids of particles against answers that are known.
 *
 * sph-elastic-drop  a drop without weight that was set swinging: omega R / sqrt(G / rho) = 2.666 for a ball
 * (Lamb 1882), 2.354 for a disc
 */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include <stdlib.h>
#include <string.h>
#include "sim/state.h"
#include "stage/sph/law.h"

static const double pi = 3.14159265358979323846;

typedef struct {
    rheo_scene scene;
    rheo_fluid fluid;
    rheo_shape fill;
    double gravity[3];
} setup;

static void prepare(setup *t, int dim, int cells, double radius) {
    *t = (setup){.scene = rheo_default_scene(), .fluid = rheo_default_fluid()};
    t->fill = rheo_default_shape(RHEO_SHAPE_SPHERE);
    for (int a = 0; a < 3; ++a) t->fill.a[a] = 0.5;
    t->fill.radius = radius;
    t->fluid.fill = &t->fill;
    t->fluid.fill_count = 1;
    t->fluid.density = 1000;
    t->fluid.viscosity = 0;
    t->fluid.elasticity = 1000;
    t->scene.dim = dim;
    t->scene.cells = cells;
    t->scene.method = RHEO_SPH;
    t->scene.sph.calm = 0;
    t->scene.sph.density_error = 5e-5;
    t->scene.fluids = &t->fluid;
    t->scene.fluid_count = 1;
    t->scene.gravity = (rheo_curve){.count = 1, .values = t->gravity, .width = 3};
}

static double bessel2(double x) { /* spherical */
    return (3 / (x * x) - 1) * sin(x) / x - 3 * cos(x) / (x * x);
}

/* The lowest mode of a free incompressible body of radius 1 at (x, y): potential flow and shear waves, whose
 * shear at the surface cancels. In the plane psi = (A r^2 + J2(k r)) sin 2 t; of a ball about the x axis u =
 * grad (A r^2 P2) + curl curl (r j2(k r) P2). */
static void lowest_mode(double u[2], int dim, double x, double y) {
    const double k = dim == 3 ? 2.666 : 2.354, h = 1e-4, r = fmax(sqrt(x * x + y * y), 1e-6), c = x / r,
                 s = y / r;
    double radial, around;
    if (dim == 2) {
        const double curve = (jn(2, k + h) - 2 * jn(2, k) + jn(2, k - h)) / (h * h),
                     slope = (jn(2, k + h) - jn(2, k - h)) / (2 * h);
        const double a = (-k * k * curve + k * slope - 4 * jn(2, k)) / 4;
        const double f = a * r * r + jn(2, k * r),
                     rise = 2 * a * r + k * (jn(2, k * r + h) - jn(2, k * r - h)) / (2 * h);
        radial = 2 * f / r * (c * c - s * s);
        around = -rise * 2 * s * c;
    } else {
        const double curve = (bessel2(k + h) - 2 * bessel2(k) + bessel2(k - h)) / (h * h);
        const double a = -0.5 * (k * k * curve + 4 * bessel2(k)), q = bessel2(fmax(k * r, 1e-3)),
                     rise = k * (bessel2(fmax(k * r, 1e-3) + h) - bessel2(fmax(k * r, 1e-3) - h)) / (2 * h);
        radial = (2 * a * r + 6 * q / r) * (1.5 * c * c - 0.5);
        around = (a * r + q / r + rise) * -3 * s * c;
    }
    u[0] = radial * c - around * s;
    u[1] = radial * s + around * c;
}

/* Particles where they are, at `speed` times that mode. */
static rheo_status set_swinging(rheo_sim *sim, int dim, double radius, double speed, rheo_report *report) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    float(*x)[3] = malloc(v.count * sizeof *x), (*u)[3] = malloc(v.count * sizeof *u);
    uint32_t *id = malloc(v.count * sizeof *id);
    uint8_t *fluid = malloc(v.count);
    for (size_t i = 0; x && u && id && fluid && i < v.count; ++i) {
        double d[3], mode[2];
        for (int a = 0; a < 3; ++a) {
            const double at = v.position[a] ? v.origin[a] + v.dx * (double)v.position[a][i] : 0.5;
            x[i][a] = (float)at;
            d[a] = (at - 0.5) / radius;
        }
        const double off = dim == 3 ? sqrt(d[1] * d[1] + d[2] * d[2]) : d[1];
        lowest_mode(mode, dim, d[0], off);
        u[i][0] = (float)(speed * mode[0]);
        u[i][1] = (float)(speed * mode[1] * (off != 0 ? d[1] / off : 0));
        u[i][2] = (float)(speed * mode[1] * (off != 0 ? d[2] / off : 0));
        id[i] = v.id[i];
        fluid[i] = v.fluid[i];
    }
    const sim_particles from = {.count = v.count,
                                .position = (const float(*)[3])x,
                                .velocity = (const float(*)[3])u,
                                .id = id,
                                .fluid = fluid};
    const rheo_status status =
        x && u && id && fluid ? sim_place_particles(sim, 0, &from, report) : RHEO_INTERNAL;
    free(x), free(u), free(id), free(fluid);
    return status;
}

/* How fast it stretches, 1/s. */
static double stretching(const rheo_sim *sim) {
    rheo_particle_view v;
    double sum = 0, all = 0;
    rheo_view_particles(&v, sim);
    for (size_t i = 0; i < v.count; ++i) {
        const double x = v.origin[0] + v.dx * (double)v.position[0][i] - 0.5;
        sum += x * (double)v.velocity[0][i];
        all += x * x;
    }
    return sum / all;
}

static rheo_status swing(rows *out, int dim, int cells) {
    const double radius = 0.25, exact = (dim == 3 ? 2.666 : 2.354) / radius;
    setup t;
    rheo_sim *sim;
    rheo_frame_stats stats;
    double before = 1, time = 0, crossing[3] = {0}, first = 0, last = 0, most = 0;
    int crossings = 0;
    char quantity[64];
    prepare(&t, dim, cells, radius);
    t.scene.fps = 60;
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    if (!status) status = set_swinging(sim, dim, radius, 0.05, out->report);
    rheo_read_stats(&stats, sim);
    first = stats.kinetic;
    while (!status && crossings < 3 && time < 10 * pi / exact) {
        status = rheo_advance_step(sim, 0, out->report);
        if (status) break;
        rheo_read_stats(&stats, sim);
        const double now = stretching(sim);
        if ((now > 0) != (before > 0))
            crossing[crossings++] = time + (stats.time - time) * before / (before - now);
        before = now;
        time = stats.time;
        last = stats.kinetic + stats.elastic;
        most = fmax(most, last);
    }
    rheo_free_sim(sim);
    if (status) return status;
    const double ours = crossings == 3 ? 2 * pi / (crossing[2] - crossing[0]) : 0;
    const double error = fabs(ours / exact - 1);
    rows_format(quantity, sizeof quantity, "%s: omega R / c, radius in spacings %g",
                dim == 3 ? "ball" : "disc", 2 * cells * radius);
    rows_put(out, &(row){.name = "sph-elastic-drop",
                         .quantity = quantity,
                         .n = cells,
                         .ours = ours * radius,
                         .reference = exact * radius,
                         .error = error,
                         .order = (double)NAN,
                         .wanted = "within 3 %",
                         .pass = error < 0.03});
    rows_format(quantity, sizeof quantity, "%s: energy left after %.2f periods", dim == 3 ? "ball" : "disc",
                time * exact / (2 * pi));
    rows_put(out, &(row){.name = "sph-elastic-drop",
                         .quantity = quantity,
                         .n = cells,
                         .ours = last / first,
                         .reference = 1,
                         .error = fabs(1 - last / first),
                         .order = (double)NAN,
                         .wanted = "at no step more than 1",
                         .pass = most / first < 1.001});
    return RHEO_OK;
}

rheo_status reproduce_sph_elastic_drop(rows *out) {
    rows_put_header(out);
    rheo_status status = swing(out, 2, 24);
    if (!status && !out->quick) status = swing(out, 2, 48);
    if (!status && !out->quick) status = swing(out, 3, 24);
    return status;
}

/* ---- one particle ---- */

static void shear(double s[SYM], const sph_law *law, double rate, double time) {
    const law_matrix l = {{{0, rate, 0}, {0, 0, 0}, {0, 0, 0}}};
    const int steps = (int)(200 * time);
    memset(s, 0, SYM * sizeof *s);
    for (int i = 0; i < steps; ++i) law_advance(s, law, &l, time / steps);
}

static void put_stress(rows *out, const char *law, const char *what, double w, double ours, double exact,
                       double least) {
    char quantity[64];
    const double error = fabs(ours - exact) / fmax(fabs(exact), least);
    rows_format(quantity, sizeof quantity, "%s, W %.1f: %s", law, w, what);
    rows_put(out, &(row){.name = "shear-startup",
                         .quantity = quantity,
                         .n = 200,
                         .ours = ours,
                         .reference = exact,
                         .error = error,
                         .order = (double)NAN,
                         .wanted = "within 1 %",
                         .pass = error < 0.01});
}

rheo_status reproduce_shear_startup(rows *out) {
    static const double times[] = {0.5, 1, 3, 12};
    rows_title(out, "Shear from rest, eta = l = 1: stress at t = 0.5, 1, 3, 12");
    rows_put_header(out);
    for (int law = 0; law < 2; ++law)
        for (int r = 0; r < 3; ++r)
            for (int i = 0; i < 4; ++i) {
                static const double rates[] = {0.2, 0.5, 0.9};
                const double g = rates[r], t = times[i], e = exp(-t), over = g / (1 + g * g);
                const sph_law of = {law ? SPH_CONVECTED : SPH_COROTATIONAL, 3, 1, 1, INFINITY, 0, 0};
                const char *name = law ? "upper-convected" : "corotational";
                const double exact = law ? g * (1 - e) : over * (1 - e * (cos(g * t) - g * sin(g * t)));
                const double normal = law ? 2 * g * g * (1 - e * (1 + t))
                                          : 2 * g * over * (1 - e * (cos(g * t) + sin(g * t) / g));
                double s[SYM];
                shear(s, &of, g, t);
                put_stress(out, name, "sigma_xy", g, s[3], exact, 0);
                put_stress(out, name, "N1", g, s[0] - s[1], normal, 0);
                put_stress(out, name, "N2", g, s[1] - s[2], law ? 0 : -0.5 * normal, normal);
            }
    return RHEO_OK;
}

/* The largest error of the stress over ten turns of 200 steps, relative to its norm. */
static double spin_error(const sph_law *law, double *at_whole) {
    const double start[SYM] = {1, -0.4, -0.6, 0.3, -0.2, 0.5}, angle = 2 * pi / 200, dt = 0.01;
    const law_matrix r = {{{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}}};
    const law_matrix l = law_sum(-1 / dt, 1 / dt, &r);
    law_matrix whole = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double s[SYM], most = 0;
    memcpy(s, start, sizeof s);
    for (int n = 1; n <= 2000; ++n) {
        double own[SYM], error[SYM];
        law_advance(s, law, &l, dt);
        whole = law_times(&r, &whole);
        const law_matrix back = law_transposed(&whole), m = law_unpack(s), here = law_carried(&m, &back);
        law_pack(own, &here);
        for (int c = 0; c < SYM; ++c) error[c] = own[c] - start[c];
        most = fmax(most, law_norm(error) / law_norm(start));
        if (n % 200 == 0) *at_whole = law_norm(error) / law_norm(start);
    }
    return most;
}

rheo_status reproduce_spin(rows *out) {
    static const struct {
        const char *name;
        sph_law law;
    } laws[] = {{"corotational", {SPH_COROTATIONAL, 3, 1, INFINITY, INFINITY, 0, 0}},
                {"corotational, below its yield", {SPH_COROTATIONAL, 3, 1, 0.1, 5, 0, 0}},
                {"upper-convected", {SPH_CONVECTED, 3, 4, INFINITY, INFINITY, 0, 0}},
                {"without the turn", {SPH_FIXED_AXES, 3, 1, INFINITY, INFINITY, 0, 0}}};
    rows_title(out, "Ten turns: the largest error of the stress in axes that turn along");
    rows_put_header(out);
    for (int i = 0; i < 4; ++i) {
        double whole = 0;
        const int wrong = laws[i].law.kind == SPH_FIXED_AXES;
        const double most = spin_error(&laws[i].law, &whole);
        rows_put(out, &(row){.name = "spin",
                             .quantity = laws[i].name,
                             .n = 200,
                             .ours = most,
                             .reference = 0,
                             .error = wrong ? whole : most,
                             .order = (double)NAN,
                             .wanted = wrong ? "> 0.5, and < 1e-6 after whole turns" : "<= 1e-6",
                             .pass = wrong ? most > 0.5 && whole < 1e-6 : most <= 1e-6});
    }
    return RHEO_OK;
}

/* ---- a plate that starts ---- */

static rheo_status plate(rows *out, int across) {
    static const double times[] = {0.25, 1, 3}, exact[] = {0.0880, 0.7316, 0.5286};
    const double speed = 0.1, gap = 1;
    static const double when[2] = {0, 10};
    double places[6] = {0, 1.2, 0.5, speed * when[1], 1.2, 0.5};
    setup t;
    rheo_sim *sim;
    rheo_solid lid = rheo_default_solid();
    rheo_shape pool = rheo_default_shape(RHEO_SHAPE_BOX);
    prepare(&t, 2, (int)(0.6 * across + 0.5), 0.1);
    t.scene.size[0] = 0.8;
    t.scene.size[1] = 1.2;
    for (int a = 0; a < 3; ++a) pool.a[a] = a == 2 ? -1 : 0, pool.b[a] = a == 1 ? gap : 2;
    t.fill = pool;
    t.fluid.viscosity = 0.1 * gap * gap * 1000; /* of rho L^2 / l, l = 1 s: E = 1 */
    t.fluid.elasticity = 0.9 * gap * gap * 1000;
    t.fluid.relaxation_time = 1;
    t.scene.sph.stress = RHEO_SPH_CONVECTED;
    t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_PERIODIC;
    t.scene.slip = 0;
    t.scene.dt_max = 0.01;
    lid.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) lid.shape.a[a] = a == 1 ? gap : -20, lid.shape.b[a] = a == 1 ? 1.4 : 20;
    lid.motion = RHEO_KEYED;
    lid.slip = 0;
    lid.position = (rheo_curve){.count = 2, .times = when, .values = places, .width = 3};
    t.scene.solids = &lid;
    t.scene.solid_count = 1;
    t.scene.fps = 20;
    rheo_frame_stats stats = {0};
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    const rheo_probe probe = {
        .from = {0.5, 0.5 * gap, 0}, .to = {0.5, 0.5 * gap, 0}, .samples = 1, .of = RHEO_OF_VELOCITY};
    for (int i = 0; i < (out->quick ? 2 : 3) && !status; ++i) {
        double got[6];
        char quantity[64];
        while (!status && stats.time < times[i] - 1e-9)
            status = rheo_advance_frame(sim, NULL, &stats, out->report);
        if (status) break;
        rheo_sample_probe(got, sim, &probe);
        const double ours = got[3] / speed, error = fabs(ours - exact[i]);
        rows_format(quantity, sizeof quantity, "u / U in the middle at t / l = %g, %d across", times[i],
                    across);
        rows_put(out, &(row){.name = "couette-startup",
                             .quantity = quantity,
                             .n = across,
                             .ours = ours,
                             .reference = exact[i],
                             .error = error,
                             .order = (double)NAN,
                             .wanted = "within 0.015",
                             .informative = across < 40,
                             .pass = error < 0.015});
    }
    rheo_free_sim(sim);
    return status;
}

rheo_status reproduce_couette_startup(rows *out) {
    rows_title(out, "Oldroyd-B between plates, elasticity number 1, a tenth of solvent");
    rows_put_header(out);
    rheo_status status = RHEO_OK;
    for (int across = out->quick ? 40 : 20; across <= (out->quick ? 40 : 80) && !status; across *= 2)
        status = plate(out, across);
    return status;
}
