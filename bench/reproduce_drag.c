/* Slow flow around a ball in the middle of a round vessel of b = 0.45 m, a = 0.3 b (Happel and Brenner 1965,
 * 4-22: exact for both walls, without inertia):
 *
 *   F = 6 pi mu a U K,   K = (1 - l^5) / (1 - 9/4 l + 5/2 l^3 - 9/4 l^5 + l^6),   l = a / b
 *
 * moved:   the ball is carried along with U; what the liquid does to it. (A ball that is held in a vessel
 * that moves, seen from the vessel.) falling: its own weight drives it, 4/3 pi a^3 (rho_s - rho) g = F, and
 * it is an unknown of the solves.
 *
 * Both move by less than a hundredth of a cell. With pressure and viscosity apart (`full`) these are figures
 * without a verdict: a third of the drag is pressure's, which they lose with long steps
 * (docs/reproduction.md). */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "thick.h"

#define PI      3.14159265358979323846
#define VESSEL  0.45 /* m, radius */
#define BALL    0.135
#define MU      1e4
#define DENSITY 1000.0
#define SOLID   1100.0
#define GRAVITY 9.81
#define SPEED   1e-4 /* m/s */

static double resistance(void) {
    const double l = BALL / VESSEL, l3 = l * l * l, l5 = l3 * l * l;
    return 6 * PI * MU * BALL * (1 - l5) / (1 - 2.25 * l + 2.5 * l3 - 2.25 * l5 + l3 * l3);
}

/* Speed of the ball downwards and the force on it upwards after the start has died away. */
static rheo_status run(double *speed, double *force, rows *out, const char *model, int n, double step,
                       bool falls) {
    const double nu = MU / DENSITY, dt = step * BALL * BALL / nu,
                 end = fmax(0.3 * VESSEL * VESSEL / nu, 3 * dt);
    char motion[160];
    thick t;
    rheo_body_stats ball;
    rheo_solid_stats felt;
    rows_format(motion, sizeof motion,
                falls ? "motion: dynamic, density: %g"
                      : "position: { keys: [[0, [0.503, 0.51, 0.497]], [100, [0.503, %.17g, 0.497]]] }",
                falls ? SOLID : 0.51 - 100 * SPEED);
    rheo_status status = thick_open(
        &t, out,
        "domain: { dim: 3, size: [1, 1, 1], cells: %d }\n"
        "time: { frames: 1, fps: %.17g }\n"
        "gravity: [0, %g, 0]\n"
        "solver: { method: apic, viscosity: %s, tolerance: 1e-7 }\n"
        "fluids: [ { name: oil, density: %g, viscosity: %g,"
        " fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"
        "solids:\n"
        "  - { name: vessel, inside: fluid,"
        " shape: { sphere: { center: [0.503, 0.51, 0.497], radius: %g } } }\n"
        "  - { name: ball, shape: { sphere: { center: [0.503, 0.51, 0.497], radius: %g } }, %s }\n",
        n, 1 / end, falls ? -GRAVITY : 0, model, DENSITY, MU, VESSEL, BALL, motion);
    if (!status) status = thick_advance(&t, out, dt);
    if (!status) {
        rheo_read_body(&ball, NULL, t.s, 0);
        rheo_read_solid(&felt, t.s, 1);
        *speed = -ball.velocity[1];
        *force = felt.force[1];
    }
    thick_close(&t);
    return status;
}

static rheo_status put(rows *out, const char *model, int n, double step, bool verdict) {
    const double weight = 4.0 / 3 * PI * BALL * BALL * BALL * (SOLID - DENSITY) * GRAVITY;
    const double exact[2] = {SPEED * resistance(), weight / resistance()};
    for (int falls = 0; falls < 2; ++falls) {
        double speed, force;
        char quantity[64];
        const rheo_status status = run(&speed, &force, out, model, n, step, falls);
        if (status) return status;
        const double ours = falls ? speed : force, off = ours / exact[falls] - 1;
        rows_format(quantity, sizeof quantity, "%s, nu dt/a^2 %g, %s",
                    falls ? "falling: speed" : "moved: drag", step, model);
        thick_row(out, "stokes-drag", quantity, n, (double[]){ours, exact[falls], off}, NAN,
                  verdict ? "within 5 %" : NULL, fabs(off) <= 0.05);
    }
    return RHEO_OK;
}

rheo_status reproduce_stokes_drag(rows *out) {
    static const double steps[] = {0.1, 1};
    const thick_models models = thick_coupled();
    const int n = out->quick ? 20 : 24;
    rheo_status status = RHEO_OK;
    rows_title(out, "a ball in a round vessel: drag [N], speed [m/s]");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m)
        for (int i = 0; i < 2 && !status; ++i)
            status = put(out, models.names[m], n, steps[i], strcmp(models.names[m], "full") != 0);
    return status;
}
