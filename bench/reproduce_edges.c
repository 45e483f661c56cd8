/* What the source says of explicit and implicit viscosity and of means (A 4.1, 4.3).
 *
 *   explicit-limit: nu dt / dx^2 < 1 / (2 d): with dx 0.1 m an explicit scheme takes 6000 steps a second at
 *                   nu 10 and 60,000 at nu 100; the implicit one 30. Ours are counted.
 *   edge-mean:      a film of one cell runs down beside what has set on a cold wall, two cells that are 1e4
 *                   times as thick. With the arithmetic mean the edge between them is 5000 times as thick as
 *                   the film and stops it; with the geometric one 100 times, and drips run; the harmonic one
 *                   is right: g d^2 / (2 nu) at the surface, here 3/8 g d^2 / nu in the middle of the cell,
 *                   which half a cell of an edge makes 1/2. */
#include "cases.h"

#include <math.h>
#include "thick.h"

/* ---- explicit-limit ---- */

static rheo_status count_steps(double *steps, rows *out, const char *method, double nu, double seconds) {
    thick t;
    int count = 0;
    rheo_status status = thick_open(&t, out,
                                    "domain: { size: [0.8, 0.8, 0.8], cells: 8, slip: no }\n"
                                    "time: { frames: 30, fps: 30 }\n"
                                    "solver: { method: %s }\n"
                                    "fluids: [ { name: honey, density: 1000, viscosity: %g,"
                                    " fill: [ { box: { min: [0, 0, 0], max: [0.8, 0.4, 0.8] } } ] } ]\n",
                                    method, 1000 * nu);
    for (; !status && t.s->clock.time < seconds * (1 - 1e-9); ++count)
        status = rheo_advance_step(t.s, 0, out->report);
    *steps = count / seconds;
    thick_close(&t);
    return status;
}

rheo_status reproduce_explicit_limit(rows *out) {
    static const struct {
        const char *name, *method;
        double nu, seconds, asked;
    } runs[] = {{"explicit (mac), nu 10", "mac", 10, 1.0 / 30, 6000},
                {"explicit (mac), nu 100", "mac", 100, 1.0 / 30, 60000},
                {"implicit (apic, full), nu 10", "{}", 10, 1, 30},
                {"implicit (apic, full), nu 100", "{}", 100, 1, 30}};
    rheo_status status = RHEO_OK;
    rows_title(out, "steps a second, dx 0.1 m");
    rows_put_header(out);
    for (int i = 0; i < 4 && !status; ++i) {
        double steps = NAN;
        const bool explicit_one = runs[i].asked > 100;
        if (explicit_one && out->quick && runs[i].nu > 10) continue;
        status = count_steps(&steps, out, explicit_one ? "mac" : "apic", runs[i].nu, runs[i].seconds);
        if (status) break;
        const double off = steps / runs[i].asked - 1;
        rows_put(out, &(row){.name = "explicit-limit",
                             .quantity = runs[i].name,
                             .n = 8,
                             .ours = steps,
                             .reference = runs[i].asked,
                             .error = off,
                             .order = NAN,
                             .kind = ROW_PUBLISHED,
                             .wanted = explicit_one ? "at least 90 %" : "as many",
                             .pass = explicit_one ? off > -0.1 : fabs(off) < 1e-6});
    }
    return status;
}

/* ---- edge-mean ---- */

#define THIN 1.0 /* Pa s */
#define SET  2   /* cells */
#define FILM 1
#define PULL 1e-3

/* Speed of the outermost faces of the film halfway up, over the exact one. */
static double film_speed(const thick *t, double exact) {
    const box *b = &t->s->g.box;
    return -(double)liquid_of(t->s)->vel.value[1][box_at(b, SET, b->n[1] / 2, 0)] / exact;
}

static rheo_status drip(double *speed, rows *out, const char *model, const char *mean) {
    enum { TALL = 48 };
    const double dx = 1.0 / TALL, film = FILM * dx, nu = THIN / 1000;
    const double y = 0.5 * dx, exact = PULL * (film * y - 0.5 * y * y) / nu, end = 2 * film * film / nu;
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: 2, size: [0.25, 1, 1], cells: %d }\n"
                   "time: { frames: 1, fps: %.17g }\n"
                   "gravity: [0, %g, 0]\n"
                   "solver: { method: apic, viscosity: %s, viscous_mean: %s }\n"
                   "fluids:\n"
                   "  - { name: set, density: 1000, viscosity: 1e4,"
                   " fill: [ { box: { min: [0, 0.1, 0], max: [%.17g, 0.9, 1] } } ] }\n"
                   "  - { name: drip, density: 1000, viscosity: %g,"
                   " fill: [ { box: { min: [%.17g, 0.1, 0], max: [%.17g, 0.9, 1] } } ] }\n",
                   TALL, 1 / end, -PULL, model, mean, SET * dx, THIN, SET * dx, SET * dx + film);
    if (!status) status = thick_advance(&t, out, end / 40);
    if (!status) *speed = film_speed(&t, exact);
    thick_close(&t);
    return status;
}

rheo_status reproduce_edge_mean(rows *out) {
    static const char *const means[] = {"harmonic", "geometric", "arithmetic"};
    static const char *const models[] = {"full", "laplacian"};
    rheo_status status = RHEO_OK;
    double speed[3] = {NAN, NAN, NAN};
    rows_title(out, "speed of a film of one cell on a layer 1e4 times as thick, over the exact one");
    rows_put_header(out);
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 3 && !status; ++i) status = drip(&speed[i], out, models[m], means[i]);
        for (int i = 0; i < 3 && !status; ++i) {
            static const char *const wanted[] = {"within 40 %", "10 times the arithmetic", "stops: <= 2e-3"};
            const bool holds[] = {fabs(speed[0] - 1) <= 0.4, speed[1] >= 10 * speed[2], speed[2] <= 2e-3};
            char quantity[64];
            rows_format(quantity, sizeof quantity, "%s, %s", means[i], models[m]);
            thick_row(out, "edge-mean", quantity, 48, (double[]){speed[i], 1, speed[i] - 1}, NAN, wanted[i],
                      holds[i]);
        }
    }
    return status;
}
