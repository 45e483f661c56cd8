/* Balances of heat in liquid.
 *
 *   cooling:   a ball that conducts well in air: T - Ta = (T0 - Ta) exp(- h A t / (m c))
 *   insulated: warm liquid falls into cold liquid: the heat stays what it was
 *   power:     a source of 500 W: the heat is P t more
 *   bath:      a hot body in a cold tank: both end at the temperature that keeps the heat */
#include "cases.h"

#include <math.h>
#include "core/report.h"
#include "thick.h"

#define PI 3.14159265358979323846

static rheo_frame_stats stats_of(thick *t) {
    rheo_frame_stats stats;
    rheo_read_stats(&stats, t->s);
    return stats;
}

/* ---- cooling ---- */

static rheo_status cooling(rows *out, int dim, int n) {
    const double radius = 0.05, h = 50, density = 1000, capacity = 2000, hot = 80, cold = 20;
    const double rate = h * dim / radius / (density * capacity), until = 0.5 / rate;
    char quantity[64];
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: %d, size: [0.16, 0.16, 0.16], cells: %d }\ntime: { frames: 2, fps: 1 }\n"
                   "gravity: [0, 0, 0]\nsolver: { method: apic, viscosity: none }\n"
                   "fluids: [ { name: ball, density: %g, viscosity: 0, heat_capacity: %g, conductivity: 1e4,"
                   " temperature: %g, fill: [ { sphere: { center: [0.08, 0.08, 0.08], radius: %g } } ] } ]\n"
                   "heat: { ambient: %g, exchange: %g, speed: %.9g }\n",
                   dim, n, density, capacity, hot, radius, cold, h, until);
    if (!status) status = thick_advance(&t, out, 0.02);
    if (!status) {
        const rheo_frame_stats s = stats_of(&t);
        const double ours = log((hot - cold) / (s.fluids[0].temperature - cold));
        rows_format(quantity, sizeof quantity, "%dD, h A t / (m c)", dim);
        thick_row(out, "cooling", quantity, n, (double[]){ours, 0.5, ours / 0.5 - 1}, NAN, "within 4 %",
                  fabs(ours / 0.5 - 1) <= 0.04);
    }
    thick_close(&t);
    return status;
}

rheo_status reproduce_cooling(rows *out) {
    rheo_status status = RHEO_OK;
    rows_title(out, "a ball in colder air: logarithm of what is left of the difference");
    rows_put_header(out);
    for (int dim = 2; dim <= 3 && !status; ++dim) status = cooling(out, dim, out->quick ? 24 : 48);
    return status;
}

/* ---- what is kept ---- */

rheo_status reproduce_insulated(rows *out) {
    const int frames = out->quick ? 120 : 600, n = out->quick ? 24 : 48;
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: 2, size: [0.4, 0.4], cells: %d }\ntime: { frames: 600, fps: 30 }\n"
                   "solver: { method: flip, viscosity: none }\nheat: { ambient: 20, speed: 1000 }\n"
                   "fluids:\n"
                   "  - { name: cold, material: water, temperature: 20, fill: [ { box: { min: [0, 0], max: "
                   "[1, 0.1] } } ] }\n"
                   "  - { name: warm, material: water, temperature: 80, conductivity: 2,"
                   " fill: [ { box: { min: [0, 0.1], max: [0.12, 0.35] } } ] }\n",
                   n);
    rows_title(out, "warm water falls into cold water: heat in J above the cold one's");
    rows_put_header(out);
    if (!status) {
        const double before = stats_of(&t).heat;
        for (int i = 0; i < frames && !status; ++i) status = rheo_advance_frame(t.s, NULL, NULL, out->report);
        const rheo_frame_stats s = stats_of(&t);
        char quantity[64];
        rows_format(quantity, sizeof quantity, "heat after %d frames", frames);
        if (!status)
            thick_row(out, "insulated", quantity, n, (double[]){s.heat, before, s.heat / before - 1}, NAN,
                      "within 1e-5", fabs(s.heat / before - 1) <= 1e-5);
        if (!status)
            thick_row(out, "insulated", "difference of the two, K", n,
                      (double[]){s.temperature[1] - s.temperature[0], NAN, NAN}, NAN, NULL, true);
    }
    thick_close(&t);
    return status;
}

rheo_status reproduce_power(rows *out) {
    const double watts = 500;
    rheo_status status = RHEO_OK;
    rows_title(out, "a source of 500 W in a pool: heat gained in 2 s, J");
    rows_put_header(out);
    for (int dim = 2; dim <= 3 && !status; ++dim) {
        const int n = out->quick ? 16 : 32;
        char quantity[32];
        thick t;
        status = thick_open(
            &t, out,
            "domain: { dim: %d, size: [0.4, 0.4, 0.4], cells: %d }\ntime: { frames: 2, fps: 0.5 }\n"
            "solver: { method: apic, viscosity: none }\n"
            "heat: { ambient: 20, sources: [ { shape: { sphere: { center: [0.2, 0.1, 0.2], radius: 0.05 } },"
            " power: %g } ] }\n"
            "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.2, 1] } } "
            "] } ]\n",
            dim, n, watts);
        if (!status) status = thick_advance(&t, out, 1);
        if (!status) {
            const double ours = stats_of(&t).heat, exact = watts * t.s->clock.time;
            rows_format(quantity, sizeof quantity, "%dD", dim);
            thick_row(out, "power", quantity, n, (double[]){ours, exact, ours / exact - 1}, NAN,
                      "within 1e-5", fabs(ours / exact - 1) <= 1e-5);
        }
        thick_close(&t);
    }
    return status;
}

/* ---- bath ---- */

static rheo_status bath(rows *out, int dim, int n) {
    const double hot = 80, cold = 20, density = 1000, body_capacity = 800, capacity = 4000;
    const double side = 0.2, radius = 0.05;
    const double round = dim == 2 ? PI * radius * radius : 4.0 / 3 * PI * radius * radius * radius;
    const double of_body = density * body_capacity * round; /* J/K, of 2D a metre deep */
    const double of_water = density * capacity * (pow(side, dim) - round);
    char quantity[64];
    rheo_body_stats ball;
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: %d, size: [%g, %g, %g], cells: %d }\ntime: { frames: 2, fps: 1 }\n"
                   "gravity: [0, 0, 0]\nsolver: { method: apic, viscosity: none }\n"
                   "heat: { ambient: %g, speed: 1e5 }\n"
                   "fluids: [ { name: water, density: %g, viscosity: 0, conductivity: 0.6, heat_capacity: %g,"
                   " fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"
                   "solids: [ { name: iron, shape: { sphere: { center: [0.1, 0.1, 0.1], radius: %g } },"
                   " motion: dynamic, density: %g, temperature: %g, heat_capacity: %g } ]\n",
                   dim, side, side, side, n, cold, density, capacity, radius, density, hot, body_capacity);
    if (status) goto out;
    const double before = stats_of(&t).heat;
    if ((status = thick_advance(&t, out, 0.05))) goto out;
    rheo_read_body(&ball, NULL, t.s, 0);
    const rheo_frame_stats s = stats_of(&t);
    const double exact = cold + of_body * (hot - cold) / (of_body + of_water);
    const double gained = s.heat - before, lost = of_body * (hot - ball.temperature);
    rows_format(quantity, sizeof quantity, "%dD, body's temperature", dim);
    thick_row(out, "bath", quantity, n,
              (double[]){ball.temperature, exact, (ball.temperature - exact) / (hot - cold)}, NAN,
              "within 1 % of the difference", fabs(ball.temperature - exact) <= 0.01 * (hot - cold));
    rows_format(quantity, sizeof quantity, "%dD, water's temperature", dim);
    thick_row(out, "bath", quantity, n,
              (double[]){s.fluids[0].temperature, exact, (s.fluids[0].temperature - exact) / (hot - cold)},
              NAN, "within 1 % of the difference",
              fabs(s.fluids[0].temperature - exact) <= 0.01 * (hot - cold));
    rows_format(quantity, sizeof quantity, "%dD, gained and lost, J", dim);
    thick_row(out, "bath", quantity, n, (double[]){gained, lost, gained / lost - 1}, NAN, "within 1e-5",
              fabs(gained / lost - 1) <= 1e-5);
out:
    thick_close(&t);
    return status;
}

rheo_status reproduce_bath(rows *out) {
    rheo_status status = RHEO_OK;
    rows_title(out, "a hot ball in a cold tank: what both come to, degrees C");
    rows_put_header(out);
    for (int dim = 2; dim <= (out->quick ? 2 : 3) && !status; ++dim)
        status = bath(out, dim, dim == 2 ? 32 : 24);
    return status;
}
