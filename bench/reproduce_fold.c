/* A sheet of honey that falls on a floor folds to and fro, in the plane: reported, without a verdict.
 *
 * d wide at the nozzle, at speed U from a height H. Beside the count of folds a second: U1 / H with U1 the
 * speed near the floor, measured too, which is the scale of folding where viscosity alone decides (Ribe
 * 2003). A fold is a change of the side on which the stream lies, half-way up, against its mean
 * place over time. */
#include "cases.h"

#include <math.h>
#include "thick.h"

#define WIDE   0.03 /* m */
#define HEIGHT 0.36
#define SPEED  0.8 /* m/s */
#define LOOK   0.2
enum { FRAMES = 120, FPS = 60, SKIP = 40 };

/* Mean place and speed of the particles in a band above the pile. */
static void look(double *place, double *speed, const rheo_sim *s) {
    const particles *p = &liquid_of(s)->markers.parts;
    double x = 0, v = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if (fabs((double)p->x[1][i] * s->g.dx - LOOK) > 2 * s->g.dx) continue;
        x += (double)p->x[0][i] * s->g.dx;
        v -= (double)p->v[1][i];
        ++count;
    }
    *place = count ? x / (double)count : 0;
    *speed = count ? v / (double)count : 0;
}

static int count_changes(const double place[FRAMES]) {
    double mean = 0;
    int changes = 0;
    for (int i = SKIP; i < FRAMES; ++i) mean += place[i] / (FRAMES - SKIP);
    for (int i = SKIP + 1; i < FRAMES; ++i) changes += (place[i] > mean) != (place[i - 1] > mean);
    return changes;
}

static rheo_status fold(rows *out, const char *model, int n) {
    double place[FRAMES] = {0}, speed = 0, swing = 0;
    char quantity[64];
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: 2, size: [0.4, 0.4, 1], cells: %d }\n"
                   "time: { frames: %d, fps: %d }\n"
                   "solver: { method: apic, viscosity: %s, tolerance: 1e-4 }\n"
                   "fluids: [ { name: honey, density: 1400, viscosity: 400 } ]\n"
                   "emitters: [ { fluid: honey, shape: { box: { min: [%g, %g, 0], max: [%g, 0.4, 1] } },"
                   " velocity: [0, %g, 0] } ]\n",
                   n, (int)FRAMES, (int)FPS, model, 0.2 - WIDE / 2, HEIGHT, 0.2 + WIDE / 2, -SPEED);
    for (int i = 0; i < FRAMES && !status; ++i) {
        double now = 0;
        status = rheo_advance_frame(t.s, NULL, NULL, out->report);
        if (!status) look(&place[i], &now, t.s);
        if (i >= SKIP) speed += now / (FRAMES - SKIP);
        if (i >= SKIP) swing = fmax(swing, fabs(place[i] - 0.2));
    }
    thick_close(&t);
    if (status) return status;
    const double folds = 0.5 * count_changes(place) * FPS / (FRAMES - SKIP);
    rows_format(quantity, sizeof quantity, "folds a second, %s", model);
    thick_row(out, "fold", quantity, n, (double[]){folds, speed / HEIGHT, NAN}, NAN, NULL, true);
    rows_format(quantity, sizeof quantity, "swing of the stream, sheets' widths, %s", model);
    thick_row(out, "fold", quantity, n, (double[]){swing / WIDE, NAN, NAN}, NAN, NULL, true);
    return RHEO_OK;
}

rheo_status reproduce_fold(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "a sheet of honey, beside U1 / H");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) status = fold(out, models.names[m], 80);
    return status;
}
