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
    double before = 1, time = 0, crossing[3] = {0}, first = 0, last = 0;
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
                         .wanted = "never more than 1",
                         .pass = last / first < 1.001});
    return RHEO_OK;
}

rheo_status reproduce_sph_elastic_drop(rows *out) {
    rows_put_header(out);
    rheo_status status = swing(out, 2, 24);
    if (!status && !out->quick) status = swing(out, 2, 48);
    if (!status && !out->quick) status = swing(out, 3, 24);
    return status;
}
