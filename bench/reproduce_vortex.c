/* The Taylor-Green vortex in a closed square: u = sin(pi x) cos(pi y), v = -cos(pi x) sin(pi y).
 *
 * It slips along the walls and is a steady flow without viscosity (Taylor and Green 1937, the inviscid
 * limit), so the exact answer at any time is the start. Error: 2-norm over the faces, relative to that of the
 * velocity, at t = 0.5 s (the fastest parcels have gone half the box).
 *
 * Splitting advection from pressure is first order in time, and that error hides the one in space. So the
 * rows `in space` take it out: two runs with dt and dt / 2, the same for all sizes, extrapolated to dt = 0 (2
 * u(dt/2) - u(dt)). The rows `dt with dx` refine both together and are shown without a verdict, but that of
 * mac. What is asked in space: better than first order of apic and flip (jittered particles sample the flow:
 * the affine part is exact for linear velocities, the rest is noise that falls slower than dx^2), and first
 * of semi-lagrangian (linear interpolation at every step).
 *
 * mac: centred differences of this flow are the gradient of a pressure on the grid as well, so there is no
 * error in space to measure (9e-6 at 16 cells, extrapolated) until markers leave a cell of their own, which
 * is air then for some steps: 5e-3 and 3e-3 at 32 and 64 cells, of no order. What is asked is the first order
 * of the whole. (With viscosity, where space matters, it is second: tests/validation/stage_mac_momentum.c.)
 *
 * Particles fill the box: no air, one closed region. Methods with a limit of their own take more steps. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"
#include "sim/liquid.h"
#include "sim/mac.h"

#define PI  3.14159265358979323846
#define END 0.5 /* s */
enum { STEPS = 128 };

static double exact(const double x[2], int axis) {
    return axis == 0 ? sin(PI * x[0]) * cos(PI * x[1]) : -cos(PI * x[0]) * sin(PI * x[1]);
}

/* d u_axis / d x_along */
static double exact_slope(const double x[2], int axis, int along) {
    const double straight = PI * cos(PI * x[0]) * cos(PI * x[1]),
                 across = PI * sin(PI * x[0]) * sin(PI * x[1]);
    return axis == along ? (axis == 0 ? straight : -straight) : axis == 0 ? -across : across;
}

/* What the two engines both have. */
typedef struct {
    particles *parts;
    mac_field *vel, *carry;
} parts_of;

static parts_of look_into(rheo_sim *s) {
    liquid *l = liquid_of(s);
    mac *m = mac_of(s);
    if (s->engine == &mac_engine) return (parts_of){&m->markers.parts, &m->vel, &m->carry};
    return (parts_of){&l->markers.parts, &l->vel, &l->carry};
}

static void set_vortex(rheo_sim *s) {
    particles *p = look_into(s).parts;
    for (size_t i = 0; i < p->count; ++i) {
        const double x[2] = {(double)p->x[0][i] * s->g.dx, (double)p->x[1][i] * s->g.dx};
        for (int a = 0; a < 2; ++a) {
            p->v[a][i] = (float)exact(x, a);
            for (int b = 0; b < 2 && p->extra_count; ++b)
                p->extra[2 * a + b][i] = (float)exact_slope(x, a, b);
        }
    }
}

/* The grid's own velocity, which the semi-Lagrangian method advances. */
static void set_faces(rheo_sim *s) {
    const parts_of in = look_into(s);
    for (int a = 0; a < 2; ++a)
        for (int j = -GHOST; j < s->g.box.n[1] + GHOST; ++j)
            for (int i = -GHOST; i < s->g.box.n[0] + GHOST; ++i) {
                double x[2] = {(i + 0.5) * s->g.dx, (j + 0.5) * s->g.dx};
                x[a] -= 0.5 * s->g.dx;
                const ptrdiff_t c = box_at(&s->g.box, i, j, 0);
                in.vel->value[a][c] = in.carry->value[a][c] = (float)exact(x, a);
            }
}

/* Relative error of sum of share[i] * velocity of run i. */
static double vortex_error(const mac_grid *g, const mac_field *runs, const double *share, int count) {
    double off = 0, all = 0;
    for (int a = 0; a < 2; ++a) {
        const cell_range r = range_faces(g, a);
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                double x[2] = {(i + 0.5) * g->dx, (j + 0.5) * g->dx}, e;
                x[a] -= 0.5 * g->dx;
                const double u = e = exact(x, a);
                for (int m = 0; m < count; ++m)
                    e -= share[m] * (double)runs[m].value[a][box_at(&g->box, i, j, 0)];
                off += e * e;
                all += u * u;
            }
    }
    return sqrt(off / all);
}

static rheo_status run(rheo_sim **sim, rows *out, rheo_method method, int n, int steps) {
    static const double none[3] = {0, 0, 0}, start[1] = {0};
    rheo_scene scene = rheo_default_scene();
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    fill.a[0] = fill.a[1] = fill.a[2] = 0;
    fill.b[0] = fill.b[1] = fill.b[2] = 1;
    water.fill = &fill;
    water.fill_count = 1;
    scene.dim = 2;
    for (int a = 0; a < 3; ++a) scene.size[a] = 1;
    scene.cells = n;
    scene.gravity = (rheo_curve){.count = 1, .times = start, .values = none, .width = 3};
    scene.method = method;
    scene.cfl = 20;
    scene.fps = 1 / END;
    scene.frames = 1;
    scene.pic_blend = 0;
    scene.fluids = &water;
    scene.fluid_count = 1;
    rheo_status status = rheo_create_sim(sim, &scene, out->threads, out->report);
    if (status) return status;
    rheo_sim *s = *sim;
    set_vortex(s);
    set_faces(s);
    while (s->clock.frame == 0 && !status) status = rheo_advance_step(s, END / steps, out->report);
    return status;
}

static rheo_status measure(double *error, rows *out, rheo_method method, int n, int steps, int extrapolate) {
    static const double shares[2][2] = {{1, 0}, {-1, 2}};
    rheo_sim *s[2] = {NULL, NULL};
    rheo_status status = run(&s[0], out, method, n, steps);
    if (!status && extrapolate) status = run(&s[1], out, method, n, 2 * steps);
    if (!status)
        *error = vortex_error(&s[0]->g, (mac_field[2]){*look_into(s[0]).vel, *look_into(s[extrapolate]).vel},
                              shares[extrapolate], 1 + extrapolate);
    rheo_free_sim(s[0]);
    rheo_free_sim(s[1]);
    return status;
}

/* Three sizes from `coarsest` on; steps at 32 cells, or of all. */
static rheo_status refine(rows *out, rheo_method method, const char *quantity, int coarsest, int steps,
                          int with_dx, double wanted) {
    double before = 0, first = 0, error = 0;
    for (int n = coarsest; n <= 4 * coarsest; n *= 2) {
        const rheo_status status =
            measure(&error, out, method, n, with_dx ? steps * n / 32 : steps, !with_dx);
        if (status) return status;
        if (n == coarsest) first = error;
        const int last = n == 4 * coarsest;
        const double order = rows_order(before, error, 2);
        rows_put(out, &(row){.name = "taylor-green",
                             .quantity = quantity,
                             .n = n,
                             .ours = error,
                             .reference = 0,
                             .error = error,
                             .order = order,
                             .informative = !last || wanted <= 0,
                             .wanted = last && wanted > 0 ? "order over both halvings, see docs" : NULL,
                             .pass = rows_order(first, error, 4) >= wanted});
        before = error;
    }
    return RHEO_OK;
}

rheo_status reproduce_taylor_green(rows *out) {
    static const struct {
        rheo_method method;
        const char *fixed, *moving;
        double order;
    } methods[] = {{RHEO_APIC, "apic, in space", "apic, dt with dx", 1.1},
                   {RHEO_FLIP, "flip, in space", "flip, dt with dx", 1.1},
                   {RHEO_SEMI_LAGRANGIAN, "semi-lagrangian, in space", "semi-lagrangian, dt with dx", 0.9}};
    const int coarsest = out->quick ? 16 : 32;
    rheo_status status = RHEO_OK;
    rows_title(out, "relative velocity error after %g s; exact: steady", END);
    rows_put_header(out);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !status; ++i) {
        status = refine(out, methods[i].method, methods[i].fixed, coarsest, STEPS, 0, methods[i].order);
        if (!status && !out->quick)
            status = refine(out, methods[i].method, methods[i].moving, coarsest, 16, 1, 0);
    }
    return status ? status : refine(out, RHEO_MAC, "mac, dt with dx", coarsest, STEPS, 1, 0.9);
}
