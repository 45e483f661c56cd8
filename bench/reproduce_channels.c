/* Liquid between two plane walls that hold it, through whole steps of the engine.
 *
 * A tall slug of liquid, open at both ends, which is so slow that it stays where it is; velocities are looked
 * at around its middle, where the ends are three widths away (what they do fades as exp(-4 y / H)).
 *
 *   poiseuille: gravity along the walls, u = g x (H - x) / (2 nu)
 *   couette:    one wall moves, u = U x / H; and its start, against the exact solution of implicit Euler in
 *               time: u = U x / H + sum of 2 U (-1)^k / (k pi) sin(k pi x / H) (1 + nu dt (k pi / H)^2)^-m
 *   two-layer:  the same with two liquids: stress is one, so each bears velocity in proportion to 1 / mu
 *
 * Walls lie between the grid's planes, except where a row says so. */
#include "cases.h"

#include <math.h>
#include "thick.h"

#define PI    3.14159265358979323846
#define SPEED 1e-3 /* m/s, of the wall */
#define TALL  5.0  /* m */

typedef struct channel {
    double left, right; /* m, the walls */
    double split;       /* m, where the second liquid begins; 0: there is one */
    double gravity;     /* m/s2 */
    double speed;       /* m/s, of the right wall */
    double mu[2];       /* Pa s */
    const char *model;
    int steps; /* of `dt` since the start, of couette's beginning; 0: steady */
    double dt;
} channel;

static rheo_status open_channel(thick *t, rows *out, const channel *c, int n) {
    const double split = c->split > 0 ? c->split : 0.5 * (c->left + c->right); /* of one liquid too */
    return thick_open(t, out,
                      "domain: { dim: 2, size: [1, %g, 1], cells: %d }\n"
                      "time: { frames: 1, fps: 0.01 }\n"
                      "gravity: [0, %.17g, 0]\n"
                      "solver: { method: apic, viscosity: %s, tolerance: 1e-7 }\n"
                      "fluids:\n"
                      "  - { name: left, density: 1000, viscosity: %.17g,"
                      " fill: [ { box: { min: [0, 0.5, 0], max: [%.17g, %g, 1] } } ] }\n"
                      "  - { name: right, density: 1000, viscosity: %.17g,"
                      " fill: [ { box: { min: [%.17g, 0.5, 0], max: [1, %g, 1] } } ] }\n"
                      "solids:\n"
                      "  - { name: still, shape: { box: { min: [-1, -1, -1], max: [%.17g, 6, 2] } } }\n"
                      "  - { name: moving, shape: { box: { min: [%.17g, -1, -1], max: [2, 6, 2] } },"
                      " position: { keys: [[0, [%.17g, 2.5, 0.5]], [100, [%.17g, %.17g, 0.5]]] } }\n",
                      TALL, (int)lround(TALL) * n, -c->gravity, c->model, c->mu[0], split, TALL - 0.5,
                      c->mu[1], split, TALL - 0.5, c->left, c->right, 0.5 * (c->right + 2),
                      0.5 * (c->right + 2), 2.5 + 100 * c->speed);
}

static bool in_middle(const double x[3], const void *of) {
    (void)of;
    return fabs(x[1] - 0.5 * TALL) < 0.25;
}

static double poiseuille(const double x[3], int axis, const void *of) {
    const channel *c = of;
    return axis == 1 ? -c->gravity * (x[0] - c->left) * (c->right - x[0]) * 1000 / (2 * c->mu[0]) : 0;
}

static double couette(const double x[3], int axis, const void *of) {
    const channel *c = of;
    const double H = c->right - c->left, at = (x[0] - c->left) / H;
    double u = at;
    for (int k = 1; k <= 200 && c->steps; ++k) {
        const double wave = k * PI / H, nu = c->mu[0] / 1000;
        u +=
            2 * (k % 2 ? -1 : 1) / (k * PI) * sin(k * PI * at) * pow(1 + nu * c->dt * wave * wave, -c->steps);
    }
    return axis == 1 ? c->speed * u : 0;
}

static double layers(const double x[3], int axis, const void *of) {
    const channel *c = of;
    const double a = (c->split - c->left) / c->mu[0], b = (c->right - c->split) / c->mu[1];
    const double here = x[0] < c->split ? (x[0] - c->left) / c->mu[0] : a + (x[0] - c->split) / c->mu[1];
    return axis == 1 ? c->speed * here / (a + b) : 0;
}

static rheo_status measure(thick_error *e, rows *out, const channel *c, thick_velocity *exact, int n) {
    thick t;
    rheo_status status = open_channel(&t, out, c, n);
    if (!status) status = thick_advance(&t, out, (c->steps ? c->steps : 40) * c->dt, c->dt);
    if (!status) *e = thick_compare(&t, exact, in_middle, c);
    thick_close(&t);
    return status;
}

/* Three sizes; the order over both halvings has the verdict, `most` (relative) where it is given instead. */
static rheo_status refine(rows *out, const char *name, const char *quantity, const channel *c,
                          thick_velocity *exact, int coarsest, double order, double most) {
    double first = 0, before = 0;
    char text[64];
    rows_format(text, sizeof text, "%s, %s", quantity, c->model);
    for (int n = coarsest; n <= 4 * coarsest; n *= 2) {
        thick_error e;
        const rheo_status status = measure(&e, out, c, exact, n);
        if (status) return status;
        const double error = e.rms / e.scale;
        if (n == coarsest) first = error;
        const bool last = n == 4 * coarsest;
        const double all = rows_order(first, error, 4);
        char wanted[64];
        if (most > 0) rows_format(wanted, sizeof wanted, "<= %g", most);
        else rows_format(wanted, sizeof wanted, "order >= %g over both", order);
        thick_row(out, name, text, n, (double[]){error, 0, error}, rows_order(before, error, 2),
                  most > 0 || (last && order > 0) ? wanted : NULL, most > 0 ? error <= most : all >= order);
        before = error;
    }
    return RHEO_OK;
}

static const channel between = {.left = 0.137, .right = 0.871, .mu = {1000, 1000}, .dt = 0.02};

rheo_status reproduce_poiseuille(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "relative velocity error (rms) around the middle of a slug between walls");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) {
        channel c = between;
        c.model = models.names[m];
        c.gravity = 0.01;
        status = refine(out, "poiseuille", "walls anywhere", &c, poiseuille, out->quick ? 8 : 16, 1.8, 0);
        c.left = 0.125;
        c.right = 0.875;
        if (!status)
            status = refine(out, "poiseuille", "walls on faces", &c, poiseuille, out->quick ? 8 : 16, 1.8, 0);
    }
    return status;
}

rheo_status reproduce_couette(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "relative velocity error (rms) around the middle of a slug, one wall moves");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) {
        channel c = between;
        c.model = models.names[m];
        c.speed = SPEED;
        status = refine(out, "couette", "steady", &c, couette, out->quick ? 8 : 16, 0, 1e-3);
        c.steps = 8;
        c.dt = 0.005;
        if (!status)
            status =
                refine(out, "couette", "eight steps from rest", &c, couette, out->quick ? 8 : 16, 1.8, 0);
    }
    return status;
}

rheo_status reproduce_two_layer(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "the same with two liquids");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) {
        channel c = between;
        const int coarsest = out->quick ? 8 : 16;
        c.model = models.names[m];
        c.speed = SPEED;
        c.mu[1] = 1e7;
        c.split = 0.5;
        status = refine(out, "two-layer", "1 to 1e4, on a face's plane", &c, layers, coarsest, 0, 1e-3);
        c.split = 0.537;
        if (!status) status = refine(out, "two-layer", "1 to 1e4, elsewhere", &c, layers, coarsest, 1, 0);
        c.mu[1] = 1e4;
        if (!status) status = refine(out, "two-layer", "1 to 10, elsewhere", &c, layers, coarsest, 1, 0);
    }
    return status;
}
