/* Liquid between two plane walls that hold it, through whole steps of the engine.
 *
 * A tall slug of liquid, open at both ends, which is so slow that it stays where it is; velocities are looked
 * at around its middle, where the ends are three widths away (what they do fades as exp(-4 y / H)).
 *
 *   poiseuille: gravity along the walls, u = (g - p' / rho) x (H - x) / (2 nu)
 *   couette:    one wall moves, u = U x / H
 *   two-layer:  the same with two liquids: stress is one, so each bears velocity in proportion to 1 / mu
 *
 * Walls lie between the grid's planes, except where a row says so. */
#include "cases.h"

#include <math.h>
#include "thick.h"

#define SPEED 1e-3 /* m/s, of the wall */
#define TALL  5.0  /* m */
#define END   0.8  /* s, steady by then */
#define DT    0.01

typedef struct channel {
    double left, right; /* m, the walls */
    double split;       /* m, where the second liquid begins; 0: there is one */
    double gravity;     /* m/s2 */
    double speed;       /* m/s, of the right wall */
    double mu[2];       /* Pa s */
    const char *model;
} channel;

static rheo_status open_channel(thick *t, rows *out, const channel *c, int n) {
    const double split = c->split > 0 ? c->split : 0.5 * (c->left + c->right); /* of one liquid too */
    return thick_open(t, out,
                      "domain: { dim: 2, size: [1, %g, 1], cells: %d }\n"
                      "time: { frames: 1, fps: %.17g }\n"
                      "gravity: [0, %.17g, 0]\n"
                      "solver: { method: apic, viscosity: %s, pic_blend: 0, tolerance: 1e-7 }\n"
                      "fluids:\n"
                      "  - { name: left, density: 1000, viscosity: %.17g,"
                      " fill: [ { box: { min: [0, 0.5, 0], max: [%.17g, %g, 1] } } ] }\n"
                      "  - { name: right, density: 1000, viscosity: %.17g,"
                      " fill: [ { box: { min: [%.17g, 0.5, 0], max: [1, %g, 1] } } ] }\n"
                      "solids:\n"
                      "  - { name: still, shape: { box: { min: [-1, -1, -1], max: [%.17g, 6, 2] } } }\n"
                      "  - { name: moving, shape: { box: { min: [%.17g, -1, -1], max: [2, 6, 2] } },"
                      " position: { keys: [[0, [%.17g, 2.5, 0.5]], [100, [%.17g, %.17g, 0.5]]] } }\n",
                      TALL, (int)lround(TALL) * n, 1 / END, -c->gravity, c->model, c->mu[0], split,
                      TALL - 0.5, c->mu[1], split, TALL - 0.5, c->left, c->right, 0.5 * (c->right + 2),
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
    const double at = (x[0] - c->left) / (c->right - c->left);
    return axis == 1 ? c->speed * at : 0;
}

static double layers(const double x[3], int axis, const void *of) {
    const channel *c = of;
    const double a = (c->split - c->left) / c->mu[0], b = (c->right - c->split) / c->mu[1];
    const double here = x[0] < c->split ? (x[0] - c->left) / c->mu[0] : a + (x[0] - c->split) / c->mu[1];
    return axis == 1 ? c->speed * here / (a + b) : 0;
}

/* What is left of gravity around the middle [m/s2]: the ends of the slug, where the flow turns, keep a
 * gradient of pressure along all of it. */
static double driving(const thick *t, const channel *c) {
    const liquid *l = liquid_of(t->s);
    const box *b = &t->s->g.box;
    const int j = b->n[1] / 2, reach = b->n[1] / 20, i = (int)(0.5 * (c->left + c->right) / t->s->g.dx);
    const double rise = (double)l->projection.q[box_at(b, i, j + reach, 0)] -
                        (double)l->projection.q[box_at(b, i, j - reach, 0)];
    return c->gravity + rise / (2 * reach * l->projection.q_dt);
}

/* Splitting pressure from viscosity lets the pressure of the ends move liquid along walls, by an error of
 * first order in time: two runs, extrapolated. */
static rheo_status measure(thick_error *e, rows *out, const channel *c, thick_velocity *exact, int n) {
    thick t[2] = {{0}};
    rheo_status status = RHEO_OK;
    const int runs = c->gravity > 0 ? 2 : 1;
    for (int i = 0; i < runs && !status; ++i) {
        if ((status = open_channel(&t[i], out, c, n))) break;
        status = thick_advance(&t[i], out, DT / (runs > 1 ? 1 + i : 0.2));
    }
    channel now = *c;
    if (!status && runs > 1) now.gravity = 2 * driving(&t[1], c) - driving(&t[0], c);
    if (!status) *e = thick_compare(&t[0], runs > 1 ? &t[1] : NULL, exact, in_middle, &now);
    thick_close(&t[0]);
    thick_close(&t[1]);
    return status;
}

typedef struct wanted {
    double order;    /* over both halvings; 0: not asked */
    double relative; /* at every size, of the velocity */
    double cells;    /* at every size, of a velocity that is as many cells out of place */
} wanted;

static rheo_status refine(rows *out, const char *name, const char *quantity, const channel *c,
                          thick_velocity *exact, int coarsest, wanted asked) {
    double first = 0, before = 0;
    char text[64], condition[64];
    rows_format(text, sizeof text, "%s, %s", quantity, c->model);
    if (asked.order > 0) rows_format(condition, sizeof condition, "order >= %g over both", asked.order);
    else if (asked.cells > 0) rows_format(condition, sizeof condition, "<= %g dx / H", asked.cells);
    else rows_format(condition, sizeof condition, "<= %g", asked.relative);
    for (int n = coarsest; n <= 4 * coarsest; n *= 2) {
        thick_error e;
        const rheo_status status = measure(&e, out, c, exact, n);
        if (status) return status;
        const double error = e.rms / e.scale,
                     most = asked.cells / (n * (c->right - c->left)) + asked.relative;
        if (n == coarsest) first = error;
        const bool verdict = asked.order <= 0 || n == 4 * coarsest;
        const bool holds = asked.order > 0 ? rows_order(first, error, 4) >= asked.order : error <= most;
        thick_row(out, name, text, n, (double[]){error, 0, error}, rows_order(before, error, 2),
                  verdict ? condition : NULL, holds);
        before = error;
    }
    return RHEO_OK;
}

static const channel between = {.left = 0.137, .right = 0.871, .mu = {1000, 1000}};

rheo_status reproduce_poiseuille(rows *out) {
    const thick_models models = thick_coupled();
    rheo_status status = RHEO_OK;
    rows_title(out, "relative velocity error (rms) around the middle of a slug between walls");
    rows_put_header(out);
    for (int m = 0; m < models.count && !status; ++m) {
        channel c = between;
        c.model = models.names[m];
        c.gravity = 0.01;
        status = refine(out, "poiseuille", "walls anywhere", &c, poiseuille, 8, (wanted){.order = 1.8});
        c.left = 0.125;
        c.right = 0.875;
        if (!status && !out->quick)
            status = refine(out, "poiseuille", "walls on faces", &c, poiseuille, 8, (wanted){.order = 1.8});
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
        status = refine(out, "couette", "steady", &c, couette, out->quick ? 8 : 16,
                        (wanted){.relative = out->quick ? 2e-3 : 1e-3});
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
        status = refine(out, "two-layer", "1 to 1e4, on a face's plane", &c, layers, coarsest,
                        (wanted){.relative = 2e-3});
        c.split = 7.0 / 12;
        if (!status)
            status =
                refine(out, "two-layer", "1 to 1e4, elsewhere", &c, layers, coarsest, (wanted){.cells = 0.3});
        c.mu[1] = 1e4;
        if (!status && !out->quick)
            status =
                refine(out, "two-layer", "1 to 10, elsewhere", &c, layers, coarsest, (wanted){.cells = 0.3});
    }
    return status;
}
