/* Viscous liquid that nothing touches.
 *
 *   viscous-disk: a weightless disc of liquid that turns as if rigid has no strain, so nothing slows it: its
 *                 angular momentum stays. Where each component diffuses alone (laplacian) a free surface
 * holds it instead, however viscous it is: shown beside it. ballistic:    a ball that flies keeps its speed
 * sideways and falls with g, whatever its viscosity. */
#include "cases.h"

#include <math.h>
#include "thick.h"

/* ---- viscous-disk ---- */

static double turning(const double x[3], int axis, const void *of) {
    (void)of;
    return axis == 0 ? -(x[1] - 0.503) : axis == 1 ? x[0] - 0.497 : 0;
}

/* Of the particles about their centre of mass, over their number; with what affine velocities add. */
static double angular_momentum(const rheo_sim *s) {
    const particles *p = &liquid_of(s)->markers.parts;
    double centre[2] = {0, 0}, drift[2] = {0, 0}, sum = 0;
    for (int a = 0; a < 2; ++a) {
        for (size_t i = 0; i < p->count; ++i) {
            centre[a] += (double)p->x[a][i];
            drift[a] += (double)p->v[a][i];
        }
        centre[a] /= (double)p->count;
        drift[a] /= (double)p->count;
    }
    for (size_t i = 0; i < p->count; ++i) {
        const double x = (double)p->x[0][i] - centre[0], y = (double)p->x[1][i] - centre[1];
        sum += (x * ((double)p->v[1][i] - drift[1]) - y * ((double)p->v[0][i] - drift[0])) * s->g.dx;
        if (p->extra_count >= 4)
            sum += 0.25 * s->g.dx * s->g.dx * ((double)p->extra[2][i] - (double)p->extra[1][i]);
    }
    return sum / (double)p->count;
}

static rheo_status turn(double *kept, rows *out, const char *model, double mu, int n) {
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: 2, size: [1, 1, 1], cells: %d }\n"
                   "time: { frames: 1, fps: 1 }\n"
                   "gravity: [0, 0, 0]\n"
                   "solver: { method: apic, viscosity: %s, pic_blend: 0 }\n"
                   "fluids: [ { name: honey, density: 1000, viscosity: %g,"
                   " fill: [ { sphere: { center: [0.497, 0.503, 0.5], radius: 0.3 } } ] } ]\n",
                   n, model, mu);
    if (status) goto out;
    thick_set(&t, turning, NULL);
    const double before = angular_momentum(t.s);
    if ((status = thick_advance(&t, out, 1.0 / 120))) goto out;
    *kept = angular_momentum(t.s) / before;
out:
    thick_close(&t);
    return status;
}

rheo_status reproduce_viscous_disk(rows *out) {
    static const double mu[] = {1e2, 1e5, 1e8};
    const thick_models models = thick_coupled();
    const int n = out->quick ? 24 : 48;
    rheo_status status = RHEO_OK;
    rows_title(out, "share of the angular momentum left after 1 s at 1 rad/s");
    rows_put_header(out);
    for (int m = -1; m <= models.count; ++m)
        for (int i = m < 0 ? 2 : 0; i < 3 && !status; ++i) {
            const bool alone = m == models.count;
            const char *model = alone ? "laplacian" : m < 0 ? "none" : models.names[m];
            char quantity[64];
            double kept = NAN;
            if ((status = turn(&kept, out, model, mu[i], n))) break;
            rows_format(quantity, sizeof quantity, "%s, nu %g m2/s", model, mu[i] / 1000);
            thick_row(out, "viscous-disk", quantity, n, (double[]){kept, 1, kept - 1}, NAN,
                      m < 0   ? NULL
                      : alone ? "lost: <= 0.2"
                              : "within 1 %",
                      alone ? kept <= 0.2 : fabs(kept - 1) <= 0.01);
        }
    return status;
}

/* ---- ballistic ---- */

static rheo_status fly(double error[2], rows *out, const char *model, double mu, int dim, int n) {
    static const double velocity[2] = {1.5, 1}, end = 0.3, g = 9.81;
    static const double step = 1.0 / 30; /* s: the scene says so, as what flies moves by the step to come */
    thick t;
    rheo_frame_stats before, after;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: %d, size: [1, 1, 0.5], cells: %d }\n"
                   "time: { frames: 1, fps: %.17g, dt_max: %.17g }\n"
                   "solver: { method: apic, viscosity: %s }\n"
                   "fluids: [ { name: honey, density: 1000, viscosity: %g, velocity: [%g, %g, 0],"
                   " fill: [ { sphere: { center: [0.21, 0.63, 0.25], radius: 0.15 } } ] } ]\n",
                   dim, n, 1 / end, step, model, mu, velocity[0], velocity[1]);
    if (status) goto out;
    rheo_read_stats(&before, t.s);
    if ((status = thick_advance(&t, out, step))) goto out;
    rheo_read_stats(&after, t.s);
    const double *from = before.fluids[0].centroid, *to = after.fluids[0].centroid;
    error[0] = (velocity[1] * end - (to[1] - from[1])) / (0.5 * g * end * end) - 1;
    error[1] = (to[0] - from[0]) / (velocity[0] * end) - 1;
out:
    thick_close(&t);
    return status;
}

rheo_status reproduce_ballistic(rows *out) {
    static const double mu[] = {1e2, 1e7};
    const char *const names[] = {thick_coupled().names[0], "laplacian"};
    const int n = out->quick ? 24 : 32;
    rheo_status status = RHEO_OK;
    rows_title(out, "acceleration over g and way sideways over the exact one, less 1, in 0.3 s of flight");
    rows_put_header(out);
    for (int dim = 2; dim <= 3; ++dim)
        for (int m = 0; m < 2; ++m)
            for (int i = 0; i < 2 && !status; ++i) {
                char quantity[64];
                double error[2] = {NAN, NAN};
                if ((status = fly(error, out, names[m], mu[i], dim, n))) break;
                for (int a = 0; a < 2; ++a) {
                    rows_format(quantity, sizeof quantity, "%dD, %s, nu %g m2/s: %s", dim, names[m],
                                mu[i] / 1000, a ? "sideways" : "falls");
                    thick_row(out, "ballistic", quantity, n, (double[]){1 + error[a], 1, error[a]}, NAN,
                              "within 0.1 %", fabs(error[a]) <= 1e-3);
                }
            }
    return status;
}
