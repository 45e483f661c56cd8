/* Ways to move particles, side by side.
 *
 * sph-integrators  two discs that hit each other, with an equation of state: where particles are after 0.05
 * s, against steps of a quarter of the shortest ones; leap-frog is of second order, the others of first
 * sph-source       a dam break by Mao's one-shot Poisson system (4.2.1), beside both other pressures: how
 * long it lasts and how compressed it is. It clumps: shown, not asked for
 *
 * Source: Mao 2006, 3.2 (3-41 to 3-47) and 4.2.1 (4-2 to 4-11). */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include <stdlib.h>

enum { CELLS = 24, COARSE = 12, FEWEST = 220, LEVELS = 2 };

typedef struct {
    rheo_scene scene;
    rheo_fluid fluid[2];
    rheo_shape fill[2];
    double gravity[3];
} setup;

static void prepare(setup *t, int cells, rheo_sph_pressure pressure) {
    *t = (setup){.scene = rheo_default_scene()};
    t->scene.dim = 2;
    t->scene.cells = cells;
    t->scene.method = RHEO_SPH;
    t->scene.sph.pressure = pressure;
    t->scene.fluids = t->fluid;
    t->scene.gravity = (rheo_curve){.count = 1, .values = t->gravity, .width = 3};
}

static void add_fluid(setup *t, const char *name, rheo_shape shape, double speed) {
    const int i = t->scene.fluid_count++;
    t->fill[i] = shape;
    t->fluid[i] = rheo_default_fluid();
    t->fluid[i].name = name;
    t->fluid[i].fill = &t->fill[i];
    t->fluid[i].fill_count = 1;
    t->fluid[i].velocity[0] = speed;
}

static rheo_shape disc_at(double x, double y) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_SPHERE);
    s.a[0] = x;
    s.a[1] = y;
    s.radius = 0.15;
    return s;
}

/* Places by the particles' numbers; NULL: what went wrong is reported. */
static float *places(size_t *count, rheo_sph_integrator integrator, int steps, const rows *out) {
    const double time = 0.1;
    setup t;
    rheo_sim *sim;
    rheo_particle_view v;
    float *x = NULL;
    prepare(&t, COARSE, RHEO_SPH_STATE);
    add_fluid(&t, "left", disc_at(0.33, 0.48), 1);
    add_fluid(&t, "right", disc_at(0.67, 0.52), -1);
    t.scene.sph.integrator = integrator;
    t.scene.sph.calm = 0;
    t.scene.fps = 1 / time;
    t.gravity[1] = -10;
    rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
    for (int i = 0; i < steps && !status; ++i) status = rheo_advance_step(sim, time / steps, out->report);
    rheo_view_particles(&v, sim);
    *count = v.count;
    if (!status) x = malloc(2 * v.count * sizeof *x);
    for (size_t i = 0; x && i < v.count; ++i)
        for (int a = 0; a < 2; ++a) x[2 * (size_t)v.id[i] + (size_t)a] = v.position[a][i];
    rheo_free_sim(sim);
    return x;
}

static double difference(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < 2 * count; ++i) sum += (double)(a[i] - b[i]) * (double)(a[i] - b[i]);
    return sqrt(sum / (double)count);
}

/* Against steps of half the length: with many more the rounding of places would be all there is to see. */
static rheo_status compare(rows *out, rheo_sph_integrator integrator, const char *name, double least,
                           double most, const char *wanted) {
    size_t count = 0;
    double before = (double)NAN;
    float *coarse = places(&count, integrator, FEWEST, out);
    for (int level = 0; level < LEVELS && coarse; ++level) {
        const int steps = FEWEST << level, last = level == LEVELS - 1;
        float *fine = places(&count, integrator, 2 * steps, out);
        const double error = fine ? difference(coarse, fine, count) : (double)NAN;
        const double order = rows_order(before, error, 2);
        free(coarse);
        coarse = fine;
        if (fine)
            rows_put(out, &(row){.name = "sph-integrators",
                                 .quantity = name,
                                 .n = steps,
                                 .ours = error,
                                 .reference = 0,
                                 .error = error,
                                 .order = order,
                                 .wanted = wanted,
                                 .informative = !last,
                                 .pass = order > least && order < most});
        before = error;
    }
    free(coarse);
    return out->report->status;
}

rheo_status reproduce_sph_integrators(rows *out) {
    rows_title(out, "Two discs collide: places after 0.05 s by the number of steps [cells]");
    rows_put_header(out);
    rheo_status status = compare(out, RHEO_SPH_LEAP_FROG, "leap-frog", 1.8, 2.6, "order 2");
    if (!status) status = compare(out, RHEO_SPH_EULER, "euler", 0.8, 1.4, "order 1");
    if (!status)
        status = compare(out, RHEO_SPH_PREDICTION_RELAXATION, "prediction-relaxation", 0.6, 1.4, "order 1");
    return status;
}

rheo_status reproduce_sph_source(rows *out) {
    static const char *const names[] = {"projection", "state", "source"};
    const int frames = out->quick ? 6 : 30;
    rows_title(
        out,
        "A dam break by three kinds of pressure: what they leave of compression, and how long they last");
    rows_put_header(out);
    for (int p = RHEO_SPH_PROJECTION; p <= RHEO_SPH_SOURCE; ++p) {
        setup t;
        rheo_sim *sim;
        rheo_frame_stats stats = {0};
        double mean = 0, most = 0, lasted = 0;
        rheo_report why = {0};
        rheo_shape box = rheo_default_shape(RHEO_SHAPE_BOX);
        box.b[0] = 0.4, box.b[1] = 0.6;
        box.a[2] = -1, box.b[2] = 2;
        prepare(&t, CELLS, (rheo_sph_pressure)p);
        t.gravity[1] = -9.81;
        add_fluid(&t, "water", box, 0);
        rheo_status status = rheo_create_sim(&sim, &t.scene, out->threads, out->report);
        if (status) return status;
        for (int i = 0; i < frames && !rheo_advance_frame(sim, NULL, &stats, &why); ++i) {
            mean = fmax(mean, stats.compression[0]);
            most = fmax(most, stats.compression[1]);
            lasted = stats.time;
        }
        rheo_free_sim(sim);
        const double figures[3] = {lasted, mean, most};
        static const char *const what[3] = {"frames that it lasts [s]", "compression, mean",
                                            "compression, most"};
        for (int i = 0; i < 3; ++i) {
            char quantity[64];
            rows_format(quantity, sizeof quantity, "%s: %s", names[p], what[i]);
            rows_put(out, &(row){.name = "sph-source",
                                 .quantity = quantity,
                                 .n = CELLS,
                                 .ours = figures[i],
                                 .reference = i ? 0 : frames / t.scene.fps,
                                 .error = (double)NAN,
                                 .order = (double)NAN,
                                 .wanted = i ? "shown" : "to the end, but for source",
                                 .informative = i || p == RHEO_SPH_SOURCE,
                                 .pass = i || lasted > frames / t.scene.fps - 1e-9});
        }
    }
    return RHEO_OK;
}
