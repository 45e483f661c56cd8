/* Stiff liquid that stands: how fast it sags, and that it rests.
 *
 *   sag:  a block of height H on a floor that it slides on. Take the power of gravity and of stress on the
 *         velocity w = (x/2, -y, z/2) (in the plane (x, -y)), which has no divergence and does not cross the
 *         floor: int 2 mu e : e(w) = int rho g . w says that the mean of dv/dy is exactly -rho g H / (6 mu)
 *         (in the plane / (8 mu)), whatever the block's shape in plan. The mean sinking of its top over H is
 *         that mean. On a floor that holds it, it sags more slowly: shown without a verdict.
 *   rest: less than a cell in a minute.
 *
 * Viscosity by itself does not know of the pressure to come, and where nu dt / L^2 is large what pressure
 * corrects is not small: models that solve both together do not need short steps. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "thick.h"

#define SIDE    0.1 /* m, of the block */
#define DENSITY 1000.0
#define GRAVITY 9.81

typedef struct block {
    int dim, n; /* cells along .4 m */
    double mu;  /* Pa s */
    const char *slip, *model;
} block;

static rheo_status open_block(thick *t, rows *out, const block *b, double end) {
    return thick_open(t, out,
                      "domain: { dim: %d, size: [0.4, 0.2, 0.4], cells: %d, slip: %s }\n"
                      "time: { frames: 1, fps: %.17g }\n"
                      "solver: { method: apic, viscosity: %s }\n"
                      "fluids: [ { name: clay, density: %g, viscosity: %g,"
                      " fill: [ { box: { min: [0.15, 0, 0.15], max: [0.25, 0.1, 0.25] } } ] } ]\n",
                      b->dim, b->n, b->slip, 1 / end, b->model, DENSITY, b->mu);
}

/* Mean vertical velocity of the faces on which the block's top lies, over its height [1/s]. */
static double sinking(const thick *t) {
    const mac_grid *g = &t->s->g;
    const liquid *l = liquid_of(t->s);
    const int j = (int)lround(SIDE / g->dx);
    double sum = 0;
    int count = 0;
    for (int k = 0; k < g->box.n[2]; ++k)
        for (int i = 0; i < g->box.n[0]; ++i) {
            const ptrdiff_t q = box_at(&g->box, i, j, k);
            if (!(l->markers.phi[q - g->box.step[1]] < 0)) continue;
            sum -= (double)l->vel.value[1][q];
            ++count;
        }
    return sum / count / SIDE;
}

static double exact_rate(const block *b) {
    return DENSITY * GRAVITY * SIDE / ((b->dim == 3 ? 6 : 8) * b->mu);
}

/* The rate when what gravity has begun is what stress holds: after L^2 / nu, or some steps. */
static rheo_status sag(double *rate, rows *out, const block *b, double dt) {
    thick t;
    rheo_status status = open_block(&t, out, b, fmax(4 * dt, SIDE * SIDE * DENSITY / b->mu));
    if (!status) status = thick_advance(&t, out, dt);
    if (!status) *rate = sinking(&t);
    thick_close(&t);
    return status;
}

static rheo_status put_sag(rows *out, const block *b, double step, const char *wanted) {
    const double nu = b->mu / DENSITY, exact = exact_rate(b);
    double rate = NAN;
    char quantity[64];
    const rheo_status status = sag(&rate, out, b, step * SIDE * SIDE / nu);
    if (status) return status;
    rows_format(quantity, sizeof quantity, "%dD, slip %s, nu dt/L^2 %g, %s", b->dim, b->slip, step, b->model);
    thick_row(out, "sag", quantity, b->n, (double[]){rate / exact, 1, rate / exact - 1}, NAN, wanted,
              fabs(rate / exact - 1) <= 0.2);
    return RHEO_OK;
}

static rheo_status put_rest(rows *out, const char *model, int n) {
    const block b = {.dim = 3, .n = n, .mu = 1e7, .slip = "no", .model = model};
    thick t;
    rheo_frame_stats before, after;
    char quantity[64];
    rheo_status status = open_block(&t, out, &b, 60);
    if (status) goto out;
    rheo_read_stats(&before, t.s);
    if ((status = thick_advance(&t, out, 0.5))) goto out;
    rheo_read_stats(&after, t.s);
    const double cells = (before.fluids[0].upper[1] - after.fluids[0].upper[1]) / t.s->g.dx;
    rows_format(quantity, sizeof quantity, "1e7 Pa s: cells that the top sinks in 60 s, %s", model);
    thick_row(out, "sag", quantity, n, (double[]){cells, 0, cells}, NAN, "at most 1", fabs(cells) <= 1);
out:
    thick_close(&t);
    return status;
}

rheo_status reproduce_sag(rows *out) {
    static const double steps[] = {0.02, 0.1, 1, 1e5};
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "rate of sagging over rho g H / (6 mu) (2D: 8 mu), exact where a block of 10 cm slides");
    rows_put_header(out);
    for (int m = 0; m < models.count; ++m)
        for (int dim = 2; dim <= (out->quick ? 2 : 3); ++dim) {
            for (int i = 0; i < 4 && !status; ++i) {
                const block b = {dim, 32, steps[i] > 10 ? 1e7 : 1e4, "free", models.names[m]};
                const bool short_enough = i == 0 || strcmp(b.model, "full") != 0;
                status = put_sag(out, &b, steps[i], short_enough ? "within 20 %" : NULL);
            }
            for (int i = 0; i < 4 && !status; i += 3) {
                const block held = {dim, 32, steps[i] > 10 ? 1e7 : 1e4, "no", models.names[m]};
                status = put_sag(out, &held, steps[i], NULL);
            }
        }
    for (int m = 0; m < models.count && !status && !out->quick; ++m)
        status = put_rest(out, models.names[m], 32);
    return status;
}
