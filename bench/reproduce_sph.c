/* Fluids of particles alone against answers that are known.
 *
 * sph-kernels      integrals of five kernels, and the density of a lattice beside a wall
 * sph-hydrostatic  water at rest after two seconds: how fast, how dense at the floor, what pressure
 * sph-poiseuille   flow between two walls that it sticks to, pulled along: (g / 2 nu) y (h - y)
 * sph-couette      between a wall at rest and one that moves: linear
 * sph-oscillating-drop  a disc with surface tension, omega^2 = 6 sigma / (rho R^3) (Rayleigh 1879, in the
 * plane) sph-float        a floating box is as deep as it is heavy sph-order        a Taylor-Green vortex
 * with viscosity in a closed square with sides that it slides along sph-volume       ten seconds of a dam
 * break: energy, height, leaks */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include <string.h>
#include "stage/sph/kernel.h"

static const double pi = 3.14159265358979323846;

typedef struct sph_setup {
    rheo_scene scene;
    rheo_fluid fluid;
    rheo_shape fill;
    rheo_solid solid;
    double gravity[3];
} sph_setup;

static rheo_shape box_to(double x, double y) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) s.a[a] = a == 2 ? -1 : 0;
    s.b[0] = x;
    s.b[1] = y;
    s.b[2] = 2;
    return s;
}

static void prepare(sph_setup *t, int cells, double x, double y) {
    *t = (sph_setup){
        .scene = rheo_default_scene(), .fluid = rheo_default_fluid(), .solid = rheo_default_solid()};
    t->fill = box_to(x, y);
    t->fluid.fill = &t->fill;
    t->fluid.fill_count = 1;
    t->fluid.density = 1000;
    t->gravity[1] = -9.81;
    t->scene.dim = 2;
    t->scene.cells = cells;
    t->scene.method = RHEO_SPH;
    t->scene.fluids = &t->fluid;
    t->scene.fluid_count = 1;
    t->scene.gravity = (rheo_curve){.count = 1, .values = t->gravity, .width = 3};
}

static rheo_status run_to(rheo_sim *sim, double time, rheo_frame_stats *stats, const rows *out) {
    rheo_status status = RHEO_OK;
    do status = rheo_advance_frame(sim, NULL, stats, out->report);
    while (!status && stats->time < time - 1e-9);
    return status;
}

static void put(rows *out, const char *name, const char *quantity, int n, double ours, double exact,
                double error, double order, const char *wanted, int pass) {
    rows_put(out, &(row){.name = name,
                         .quantity = quantity,
                         .n = n,
                         .ours = ours,
                         .reference = exact,
                         .error = error,
                         .order = order,
                         .wanted = wanted,
                         .pass = pass});
}

/* ---- kernels ---- */

rheo_status reproduce_sph_kernels(rows *out) {
    static const char *const names[] = {"wendland", "cubic", "poly6", "spiky", "viscosity"};
    enum { N = 20000 };
    rows_put_header(out);
    for (int dim = 2; dim <= 3; ++dim)
        for (int kind = 0; kind < SPH_KERNELS; ++kind) {
            const sph_kernel k = sph_kernel_make((sph_kernel_kind)kind, dim);
            double whole = 0, stretch = 0, second = 0;
            char quantity[64];
            for (int i = 0; i < N; ++i) {
                const double r = (i + 0.5) / N, shell = (dim == 3 ? 4 * pi * r * r : 2 * pi * r) / N;
                whole += sph_kernel_value(&k, r) * shell;
                stretch -= sph_kernel_over_r(&k, r) * r * r * shell / dim;
                second += sph_kernel_laplacian(&k, r) * r * r * shell / (2 * dim);
            }
            const double values[3] = {whole, stretch, second};
            static const char *const what[3] = {"integral", "first moment of the gradient",
                                                "second moment of the Laplacian"};
            for (int i = 0; i < 3; ++i) {
                const double error = fabs(values[i] - 1);
                rows_format(quantity, sizeof quantity, "%s, %dD: %s", names[kind], dim, what[i]);
                put(out, "sph-kernels", quantity, N, values[i], 1, error, (double)NAN, "within 0.5 %",
                    error < 5e-3);
            }
        }
    return RHEO_OK;
}

/* ---- at rest ---- */

rheo_status reproduce_sph_hydrostatic(rows *out) {
    const int cells = out->quick ? 16 : 24;
    const double depth = 0.5;
    rows_put_header(out);
    for (int dim = 2; dim <= (out->quick ? 2 : 3); ++dim) {
        sph_setup t;
        rheo_sim *sim;
        rheo_frame_stats stats;
        char quantity[64];
        prepare(&t, cells, 1, depth);
        t.scene.dim = dim;
        rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
        if (!status) status = run_to(sim, 2, &stats, out);
        if (status) {
            rheo_free_sim(sim);
            return status;
        }
        rows_format(quantity, sizeof quantity, "%dD: fastest particle after 2 s, m/s", dim);
        put(out, "sph-hydrostatic", quantity, cells, stats.speed, 0, stats.speed, (double)NAN, "<= 0.02",
            stats.speed <= 0.02);
        rows_format(quantity, sizeof quantity, "%dD: mean compression", dim);
        put(out, "sph-hydrostatic", quantity, cells, stats.compression[0], 0, stats.compression[0],
            (double)NAN, "<= 0.006", stats.compression[0] <= 6e-3);
        enum { PLACES = 9 };
        double worst = 0, floor_error = 0, rows_of[PLACES][4];
        for (int i = 0; i < PLACES; ++i) {
            const double x = 0.1 + 0.1 * i;
            rheo_probe probe = {
                .from = {x, 0.02, 0.5}, .to = {x, 0.42, 0.5}, .samples = PLACES, .of = RHEO_OF_PRESSURE};
            rheo_sample_probe(rows_of[0], sim, &probe);
            for (int k = 1; k < PLACES; ++k) /* within the water, a support off floor and surface */
                worst =
                    fmax(worst, fabs(rows_of[k][3] - 9810 * (depth - rows_of[k][1])) / (9810 * depth) / 1);
            probe.of = RHEO_OF_DENSITY;
            rheo_sample_probe(rows_of[0], sim, &probe);
            floor_error = fmax(floor_error, fabs(rows_of[0][3] / 1000 - 1));
        }
        rows_format(quantity, sizeof quantity, "%dD: pressure, worst of 72 places over rho g h", dim);
        put(out, "sph-hydrostatic", quantity, cells, worst, 0, worst, (double)NAN, "<= 3 %", worst <= 0.03);
        rows_format(quantity, sizeof quantity, "%dD: density at the floor", dim);
        put(out, "sph-hydrostatic", quantity, cells, 1 + floor_error, 1, floor_error, (double)NAN,
            "within 1 %", floor_error <= 0.01);
        rheo_free_sim(sim);
    }
    return RHEO_OK;
}

/* ---- viscous flow ---- */

/* Root mean square of u - exact over the middle three quarters. */
static rheo_status flow_error(double *error, rows *out, int cells, int driven) {
    sph_setup t;
    rheo_sim *sim;
    rheo_frame_stats stats;
    static const double times[2] = {0, 100}, places[6] = {0.5, 1.05, 0.5, 100.5, 1.05, 0.5};
    const double nu = 0.1;
    prepare(&t, cells, 1, 1);
    t.gravity[1] = 0;
    t.fluid.viscosity = 1000 * nu;
    t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_PERIODIC;
    t.scene.slip = 0;
    t.scene.dt_max = 0.01;
    if (!driven) t.gravity[0] = 8 * nu;
    if (driven) { /* a plate over the top quarter that moves at 1 m/s, wider than the box by far */
        t.solid.shape = box_to(0, 0);
        for (int a = 0; a < 3; ++a) {
            t.solid.shape.a[a] = a == 1 ? 0.75 : -300;
            t.solid.shape.b[a] = a == 1 ? 1.35 : 301;
        }
        t.solid.motion = RHEO_KEYED;
        t.solid.position = (rheo_curve){.count = 2, .times = times, .values = places, .width = 3};
        t.scene.solids = &t.solid;
        t.scene.solid_count = 1;
        t.fill = box_to(1, 0.75);
    }
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    if (!status) status = run_to(sim, 5, &stats, out);
    const double height = driven ? 0.75 : 1;
    rheo_probe probe = {.from = {0.5, 0.125 * height, 0}, .to = {0.5, 0.875 * height, 0}, .samples = 13};
    double got[13][6], sum = 0;
    probe.of = RHEO_OF_VELOCITY;
    if (!status) rheo_sample_probe(got[0], sim, &probe);
    for (int i = 0; i < 13 && !status; ++i) {
        const double y = got[i][1] / height,
                     exact = driven ? y : 4 * y * (1 - y) * (1 - exp(-pi * pi * nu * 5) * 1.03);
        sum += (got[i][3] - exact) * (got[i][3] - exact) / 13;
    }
    *error = sqrt(sum);
    rheo_free_sim(sim);
    return status;
}

static rheo_status flow_case(rows *out, const char *name, int driven) {
    double before = (double)NAN;
    rows_put_header(out);
    for (int cells = 16; cells <= (out->quick ? 16 : 32); cells *= 2) {
        double error;
        const rheo_status status = flow_error(&error, out, cells, driven);
        if (status) return status;
        const double order = rows_order(before, error, 2);
        put(out, name, "rms error of the velocity, m/s of 1", cells, error, 0, error, order,
            cells == 16 ? "<= 0.03" : "<= 0.015, falling",
            error <= (cells == 16 ? 0.03 : 0.015) && !(order < 0));
        before = error;
    }
    return RHEO_OK;
}

rheo_status reproduce_sph_poiseuille(rows *out) {
    return flow_case(out, "sph-poiseuille", 0);
}

rheo_status reproduce_sph_couette(rows *out) {
    return flow_case(out, "sph-couette", 1);
}

/* ---- surface tension ---- */

/* From when it is round, twice a period. */
static rheo_status drop_period(double *period, rows *out, int cells) {
    sph_setup t;
    rheo_sim *sim;
    rheo_frame_stats stats;
    double last = 0, last_time = 0, first = (double)NAN;
    int crossings = 0;
    prepare(&t, cells, 1, 1);
    t.gravity[1] = 0;
    t.fill = rheo_default_shape(RHEO_SHAPE_SPHERE);
    t.fill.a[0] = t.fill.a[1] = 0.5;
    t.fill.radius = 0.25;
    t.fill.scale[0] = 1.1;
    t.fill.scale[1] = 1 / 1.1;
    t.fluid.surface_tension = 10;
    t.fluid.viscosity = 0;
    t.scene.sph.tension = RHEO_SPH_CURVATURE;
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    *period = (double)NAN;
    while (!status && crossings < 3) {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        const rheo_fluid_stats *f = &stats.fluids[0];
        const double flat = (f->upper[0] - f->lower[0]) - (f->upper[1] - f->lower[1]);
        if (!status && stats.frame > 1 && flat * last < 0) { /* through round */
            const double at = last_time + (stats.time - last_time) * last / (last - flat);
            if (crossings++ == 0) first = at;
            else *period = 2 * (at - first) / (crossings - 1);
        }
        last = flat;
        last_time = stats.time;
        if (stats.time > 8) break;
    }
    rheo_free_sim(sim);
    return status;
}

rheo_status reproduce_sph_drop(rows *out) {
    const double exact = 2 * pi / sqrt(6 * 10 / (1000 * 0.25 * 0.25 * 0.25));
    rows_put_header(out);
    double period;
    const int cells = 32;
    const rheo_status status = drop_period(&period, out, cells);
    if (status) return status;
    const double error = fabs(period / exact - 1);
    put(out, "sph-oscillating-drop", "period, s", cells, period, exact, error, (double)NAN, "within 3 %",
        error <= 0.03);
    return RHEO_OK;
}

/* ---- bodies ---- */

rheo_status reproduce_sph_float(rows *out) {
    static const double densities[] = {300, 600, 900};
    rows_put_header(out);
    for (int d = 0; d < (out->quick ? 1 : 3); ++d) {
        sph_setup t;
        rheo_sim *sim;
        rheo_frame_stats stats;
        rheo_body_stats body;
        char quantity[64];
        double middle = 0;
        int count = 0;
        const double share = densities[d] / 1000;
        prepare(&t, 32, 1, 0.5);
        t.solid.shape = box_to(0, 0);
        for (int a = 0; a < 2; ++a) {
            t.solid.shape.a[a] = a ? 0.5 - 0.3 * share : 0.35;
            t.solid.shape.b[a] = t.solid.shape.a[a] + 0.3;
        }
        t.solid.motion = RHEO_DYNAMIC;
        t.solid.density = densities[d];
        t.scene.solids = &t.solid;
        t.scene.solid_count = 1;
        rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
        if (!status) rheo_read_stats(&stats, sim);
        const double volume = status ? 0 : stats.fluids[0].volume * 32;
        if (!status) status = run_to(sim, 2, &stats, out);
        while (!status && stats.time < 5) {
            status = rheo_advance_frame(sim, NULL, &stats, out->report);
            rheo_read_body(&body, NULL, sim, 0);
            middle += body.position[1];
            ++count;
        }
        rheo_free_sim(sim);
        if (status) return status;
        const double draught = volume + share * 0.09 - (middle / count - 0.15);
        const double error = fabs(draught / 0.3 - share);
        rows_format(quantity, sizeof quantity, "draught over height, density %g", densities[d]);
        put(out, "sph-float", quantity, 32, draught / 0.3, share, error, (double)NAN,
            "within 3 % of the height", error <= 0.03);
    }
    return RHEO_OK;
}

/* ---- order ---- */

/* Largest and mean loss of a viscous vortex: kinetic energy after a while against exp(-4 nu k^2 t). */
static rheo_status vortex_error(double *error, rows *out, int cells) {
    sph_setup t;
    rheo_sim *sim;
    rheo_frame_stats stats;
    const double nu = 0.01;
    prepare(&t, cells, 1, 1);
    t.gravity[1] = 0;
    t.fluid.viscosity = 1000 * nu;
    t.scene.fps = 20;
    t.scene.dt_max = 0.2 / cells; /* the engine does not know yet how fast it is */
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    rheo_particle_view view = {0};
    if (!status) {
        rheo_view_particles(&view, sim);
        for (size_t i = 0; i < view.count;
             ++i) { /* the state is the engine's: who starts it may set velocities */
            const double x = pi * (double)view.position[0][i] / cells,
                         y = pi * (double)view.position[1][i] / cells;
            ((float *)view.velocity[0])[i] = (float)(sin(x) * cos(y));
            ((float *)view.velocity[1])[i] = (float)(-cos(x) * sin(y));
        }
        status = run_to(sim, 0.5, &stats, out);
    }
    double sum = 0;
    if (!status) {
        const double decay = exp(-2 * nu * pi * pi * 0.5);
        rheo_view_particles(&view, sim);
        for (size_t i = 0; i < view.count; ++i) {
            const double x = pi * (double)view.position[0][i] / cells,
                         y = pi * (double)view.position[1][i] / cells;
            const double du = (double)view.velocity[0][i] - decay * sin(x) * cos(y);
            const double dv = (double)view.velocity[1][i] + decay * cos(x) * sin(y);
            sum += du * du + dv * dv;
        }
        sum /= (double)view.count;
    }
    *error = sqrt(sum);
    rheo_free_sim(sim);
    return status;
}

rheo_status reproduce_sph_order(rows *out) {
    double before = (double)NAN;
    rows_put_header(out);
    for (int cells = 16; cells <= (out->quick ? 16 : 64); cells *= 2) {
        double error;
        const rheo_status status = vortex_error(&error, out, cells);
        if (status) return status;
        const double order = rows_order(before, error, 2);
        put(out, "sph-order", "rms error of the velocity at 0.5 s, m/s of 1", cells, error, 0, error, order,
            "falls with the spacing", !(order < 0.2));
        before = error;
    }
    return RHEO_OK;
}

/* ---- ten seconds ---- */

rheo_status reproduce_sph_volume(rows *out) {
    const int cells = out->quick ? 16 : 40;
    sph_setup t;
    rheo_sim *sim;
    rheo_frame_stats start, stats;
    double most = 0;
    int64_t least;
    rows_put_header(out);
    prepare(&t, cells, 0.4, 0.6);
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    if (status) return status;
    rheo_read_stats(&start, sim);
    least = start.particles;
    do {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        most = fmax(most, (stats.kinetic + stats.potential) / (start.kinetic + start.potential) - 1);
        if (stats.particles < least) least = stats.particles;
    } while (!status && stats.time < 10 - 1e-9);
    if (!status) {
        const double height = 2 * stats.fluids[0].centroid[1], error = fabs(height / 0.24 - 1);
        put(out, "sph-volume", "energy above the start", cells, most, 0, most, (double)NAN, "<= 0.1 %",
            most <= 1e-3);
        put(out, "sph-volume", "height after 10 s, m", cells, height, 0.24, error, (double)NAN, "within 1 %",
            error <= 0.01);
        put(out, "sph-volume", "particles lost", cells, (double)(start.particles - least), 0,
            (double)(start.particles - least), (double)NAN, "none", least == start.particles);
    }
    rheo_free_sim(sim);
    return status;
}
