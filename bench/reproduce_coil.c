/* A thread of honey that falls on a floor winds itself up: reported, without a verdict.
 *
 * Beside the angular frequency: Q / (H a^2) where viscosity alone decides, and (g Q^3 / (nu a^8))^(1/4) where
 * gravity does too (Ribe 2004), both without the factor of order one; Q is the flow, H the height of the
 * fall, a the thread's radius above the pile, measured. The frequency is the turn of the thread's place just
 * above the pile, about its mean place. */
#include "cases.h"

#include <math.h>
#include "thick.h"

#define RADIUS    0.006 /* m, of the nozzle */
#define HEIGHT    0.11
#define SPEED     0.12 /* m/s */
#define VISCOSITY 40   /* Pa s */
#define DENSITY   1420
#define LOOK      0.03 /* m, where the thread is looked at */
#define SIDE      0.07
enum { FRAMES = 150, FPS = 60, SKIP = 60 };

/* Mean place of the thread in a band, and its radius. */
static void look(double place[2], double *radius, const rheo_sim *s) {
    const markers *m = &liquid_of(s)->markers;
    double sum[2] = {0, 0};
    size_t count = 0;
    for (size_t i = 0; i < m->parts.count; ++i) {
        if (fabs((double)m->parts.x[1][i] * s->g.dx - LOOK) > s->g.dx) continue;
        for (int a = 0; a < 2; ++a) sum[a] += (double)m->parts.x[2 * a][i] * s->g.dx;
        ++count;
    }
    for (int a = 0; a < 2; ++a) place[a] = count ? sum[a] / (double)count : 0;
    *radius = sqrt((double)count * m->particle_volume / (2 * s->g.dx * acos(-1)));
}

/* rad/s */
static double turning(double place[FRAMES][2]) {
    double mean[2] = {0, 0}, turned = 0, before = 0;
    for (int i = SKIP; i < FRAMES; ++i)
        for (int a = 0; a < 2; ++a) mean[a] += place[i][a] / (FRAMES - SKIP);
    for (int i = SKIP; i < FRAMES; ++i) {
        const double angle = atan2(place[i][1] - mean[1], place[i][0] - mean[0]);
        if (i > SKIP) turned += remainder(angle - before, 2 * acos(-1));
        before = angle;
    }
    return fabs(turned) * FPS / (FRAMES - SKIP - 1);
}

static rheo_status coil(rows *out, const char *model, int n) {
    static double place[FRAMES][2];
    double radius = 0, swing = 0;
    char quantity[64];
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { size: [%g, %g, %g], cells: %d }\n"
                   "time: { frames: %d, fps: %d }\n"
                   "solver: { method: apic, viscosity: %s, tolerance: 1e-4 }\n"
                   "fluids: [ { name: honey, density: %d, viscosity: %d } ]\n"
                   "emitters: [ { fluid: honey, velocity: [0, %g, 0],\n"
                   "  shape: { cylinder: { from: [%g, %g, %g], to: [%g, %g, %g], radius: %g } } } ]\n",
                   SIDE, HEIGHT + 0.01, SIDE, n, (int)FRAMES, (int)FPS, model, DENSITY, VISCOSITY, -SPEED,
                   SIDE / 2, HEIGHT - 0.006, SIDE / 2 + 1e-3, SIDE / 2, HEIGHT, SIDE / 2 + 1e-3, RADIUS);
    for (int i = 0; i < FRAMES && !status; ++i) {
        double now = 0;
        status = rheo_advance_frame(t.s, NULL, NULL, out->report);
        if (!status) look(place[i], &now, t.s);
        if (i >= SKIP) radius += now / (FRAMES - SKIP);
        if (i >= SKIP) swing = fmax(swing, hypot(place[i][0] - SIDE / 2, place[i][1] - SIDE / 2));
    }
    thick_close(&t);
    if (status) return status;
    const double flow = acos(-1) * RADIUS * RADIUS * SPEED, nu = (double)VISCOSITY / DENSITY,
                 turns = turning(place);
    const double by_viscosity = flow / (HEIGHT * radius * radius),
                 by_gravity = pow(9.81 * pow(flow, 3) / (nu * pow(radius, 8)), 0.25);
    rows_format(quantity, sizeof quantity, "rad/s, %s; viscous scale", model);
    thick_row(out, "coil", quantity, n, (double[]){turns, by_viscosity, NAN}, NAN, NULL, true);
    rows_format(quantity, sizeof quantity, "rad/s, %s; gravity's scale", model);
    thick_row(out, "coil", quantity, n, (double[]){turns, by_gravity, NAN}, NAN, NULL, true);
    rows_format(quantity, sizeof quantity, "swing of the thread, its radii, %s", model);
    thick_row(out, "coil", quantity, n, (double[]){swing / radius, NAN, NAN}, NAN, NULL, true);
    return RHEO_OK;
}

rheo_status reproduce_coil(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "a thread of honey, beside the scales of its winding");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) status = coil(out, models.names[m], 56);
    return status;
}
