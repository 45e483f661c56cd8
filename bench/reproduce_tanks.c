/* Tanks that stand still, run for three seconds.
 *
 * Liquid fills a box at several tilts or a sphere to a level, or to the top, and starts at rest, where it
 * belongs: its speed should stay zero. What is measured: the largest speed in any frame from 2 s on, and the
 * most energy that is gained after then, from the lowest so far. */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include "core/report.h"
#include "tanks.h"

#define SPEED_LIMIT  5e-3 /* m/s */
#define ENERGY_LIMIT 3e-8 /* of what lifting the liquid by the tank's height takes */
#define WATCH_FROM   2.0  /* s */
#define WATCH_TO     3.0

rheo_status tank_run(tank_result *r, const tank *t, int n, int threads, double watch_from, double watch_to,
                     rheo_report *report) {
    rheo_scene scene = rheo_default_scene();
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    rheo_solid vessel = rheo_default_solid();
    rheo_sim *sim;
    fill.b[0] = fill.b[2] = 1;
    fill.b[1] = t->full ? 1 : t->level;
    fill.a[0] = fill.a[1] = fill.a[2] = 0;
    water.fill = &fill;
    water.fill_count = 1;
    vessel.name = "tank";
    vessel.inside_fluid = true;
    vessel.shape = rheo_default_shape(t->round_tank ? RHEO_SHAPE_SPHERE : RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) {
        vessel.shape.a[a] = t->round_tank ? 0.5 : 0.18;
        vessel.shape.b[a] = 0.82;
        scene.size[a] = 1;
    }
    if (t->flat) {
        scene.dim = 2;
        vessel.shape.a[2] = -1;
        vessel.shape.b[2] = 2;
    }
    vessel.shape.radius = 0.43;
    if (!t->round_tank) {
        const int given = t->about[0] != 0 || t->about[1] != 0 || t->about[2] != 0;
        for (int a = 0; a < 3; ++a) vessel.shape.rotate_axis[a] = given ? t->about[a] : a == 2;
        vessel.shape.rotate_degrees = t->degrees;
    }
    scene.cells = n;
    scene.method = RHEO_APIC;
    scene.frames = (int)ceil(watch_to * scene.fps);
    scene.fluids = &water;
    scene.fluid_count = 1;
    scene.solids = &vessel;
    scene.solid_count = 1;
    *r = (tank_result){0};
    rheo_status status = rheo_create_sim(&sim, &scene, threads, report);
    double lowest = 0;
    for (int frame = 1; frame <= scene.frames && !status; ++frame) {
        rheo_frame_stats stats;
        if ((status = rheo_advance_frame(sim, NULL, &stats, report))) break;
        const double energy = stats.kinetic + stats.potential;
        if (stats.time < watch_from - 1e-9) continue;
        lowest = r->mass > 0 ? fmin(lowest, energy) : energy;
        r->mass = stats.fluids[0].mass;
        r->speed = fmax(r->speed, stats.speed);
        r->gain = fmax(r->gain, (energy - lowest) / (r->mass * 9.81));
        r->last_speed = stats.speed;
    }
    rheo_free_sim(sim);
    return status;
}

rheo_status reproduce_tanks(rows *out, const char *name) {
    static const tank tanks[] = {{.degrees = 25, .level = 0.5137}, {.degrees = 12, .level = 0.46},
                                 {.degrees = 37, .level = 0.5},    {.round_tank = 1, .level = 0.5137},
                                 {.full = 1, .degrees = 25},       {.round_tank = 1, .full = 1}};
    enum { TANKS = sizeof tanks / sizeof *tanks };
    static const char *const setups[TANKS] = {
        "box at 25 degrees, half full, apic", "box at 12 degrees, less, apic",
        "box at 37 degrees, half full, apic", "sphere, half full, apic",
        "box at 25 degrees, full, apic",      "sphere, full, apic"};
    rows_title(out,
               "running tanks: largest speed [m/s] from %g to %g s; energy gained since %g s as height [m]",
               WATCH_FROM, WATCH_TO, WATCH_FROM);
    rows_put_header(out);
    for (int i = 0; i < TANKS; ++i) {
        tank_result r;
        char quantity[64];
        const int n = 48;
        if (!rows_wants(out, setups[i])) continue;
        const rheo_status status =
            tank_run(&r, &tanks[i], n, out->threads, WATCH_FROM, WATCH_TO, out->report);
        if (status) return status;
        rows_format(quantity, sizeof quantity, "%s: speed", setups[i]);
        row line = {.name = name,
                    .quantity = quantity,
                    .n = n,
                    .ours = r.speed,
                    .error = r.speed,
                    .order = (double)NAN,
                    .pass = r.speed <= SPEED_LIMIT,
                    .wanted = "<= 5e-3 m/s"};
        rows_put(out, &line);
        rows_format(quantity, sizeof quantity, "%s: energy gain", setups[i]);
        line.ours = line.error = r.gain;
        line.pass = r.gain <= ENERGY_LIMIT;
        line.wanted = "<= 3e-8 m";
        rows_put(out, &line);
    }
    return RHEO_OK;
}
