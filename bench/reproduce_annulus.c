/* Liquid between a wheel that turns and a round vessel (Couette 1890): curved walls that hold it.
 *
 * u_theta = A r + B / r,  A = -W a^2 / (b^2 - a^2),  B = W a^2 b^2 / (b^2 - a^2), torque on the wheel
 * -4 pi mu B a metre of depth, radii a and b off the grid's planes. It starts at rest; what is left of that
 * fades as exp(-nu (pi / (b - a))^2 t), and the engine's steps are long beside it. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "thick.h"

#define PI    3.14159265358979323846
#define INNER 0.17 /* m */
#define OUTER 0.41
#define TURN  1e-3 /* rad/s */
#define MU    1000.0
#define END   0.3    /* s */
enum { PLACES = 5 }; /* of the centre on the grid, which matters as much as its size: errors are means */

static const double centres[PLACES][2] = {
    {0.5, 0.5}, {0.5035, 0.5035}, {0.507, 0.507}, {0.5105, 0.5105}, {0.514, 0.514}};

static double exact(const double x[3], int axis, const void *of) {
    const double *c = of, r2 = (x[0] - c[0]) * (x[0] - c[0]) + (x[1] - c[1]) * (x[1] - c[1]);
    const double turn = TURN * INNER * INNER / (OUTER * OUTER - INNER * INNER) * (OUTER * OUTER / r2 - 1);
    return axis == 0 ? -turn * (x[1] - c[1]) : turn * (x[0] - c[0]);
}

static rheo_status run(thick_error *e, double *torque, rows *out, const char *model, int n,
                       const double c[2]) {
    thick t;
    rheo_status status = thick_open(
        &t, out,
        "domain: { dim: 2, size: [1, 1, 1], cells: %d }\n"
        "time: { frames: 1, fps: %g }\n"
        "gravity: [0, 0, 0]\n"
        "solver: { method: apic, viscosity: %s, pic_blend: 0, tolerance: 1e-7 }\n"
        "fluids: [ { name: honey, density: 1000, viscosity: %g,"
        " fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"
        "solids:\n"
        "  - { name: vessel, inside: fluid, shape: { sphere: { center: [%g, %g, 0.5], radius: %g } } }\n"
        "  - { name: wheel, shape: { sphere: { center: [%g, %g, 0.5], radius: %g } },"
        " rotation: { axis: [0, 0, 1], degrees: { keys: [[0, 0], [100, %.17g]] } } }\n",
        n, 1 / END, model, MU, c[0], c[1], OUTER, c[0], c[1], INNER, 100 * TURN * 180 / PI);
    if (!status) status = thick_advance(&t, out, 0.02);
    if (!status) {
        rheo_solid_stats wheel;
        rheo_read_solid(&wheel, t.s, 1);
        *torque = wheel.torque[2];
        *e = thick_compare(&t, NULL, exact, NULL, c);
    }
    thick_close(&t);
    return status;
}

static rheo_status refine(rows *out, const char *model) {
    const int coarsest = 16, finest = out->quick ? 64 : 128;
    static const double all = OUTER * OUTER - INNER * INNER;
    const double drag = -4 * PI * MU * TURN * INNER * INNER * OUTER * OUTER / all;
    double first = 0, before = 0;
    /* the pressure of stokes is told by other shares of faces than it acts on: a figure without a verdict */
    const bool balances = strcmp(model, "stokes") != 0;
    char quantity[64];
    for (int n = coarsest; n <= finest; n *= 2) {
        double error = 0, off = 0;
        for (int i = 0; i < PLACES; ++i) {
            thick_error e;
            double torque;
            const rheo_status status = run(&e, &torque, out, model, n, centres[i]);
            if (status) return status;
            error += e.rms / PLACES;
            off += fabs(torque / drag - 1) / PLACES;
        }
        error /= TURN * INNER;
        const double order = rows_order(first, error, (double)n / coarsest);
        if (n == coarsest) first = error;
        rows_format(quantity, sizeof quantity, "velocity, rms, %s", model);
        thick_row(out, "annular-couette", quantity, n, (double[]){error, 0, error},
                  rows_order(before, error, 2), n == 64 ? "order >= 1.5 since 16" : NULL, order >= 1.5);
        rows_format(quantity, sizeof quantity, "torque on the wheel, %s", model);
        thick_row(out, "annular-couette", quantity, n, (double[]){off, 0, off}, NAN,
                  n >= 64 && balances ? "within 1 %" : NULL, off <= 0.01);
        before = error;
    }
    return RHEO_OK;
}

rheo_status reproduce_annular_couette(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "error relative to the wheel's speed at its rim");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) status = refine(out, models.names[m]);
    return status;
}
