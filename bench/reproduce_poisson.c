/* Order of the projection with curved solids and a curved free surface.
 *
 *   u* = v + grad P,  div v = 0,  v . n = 0 on walls and solids,  P = 0 on the surface
 *
 * so the projection must return v, and P as its pressure. v is zero (the Poisson problem by itself) or curl(B
 * F) with a B that vanishes on every wall (a flow along the walls); P = phi times a smooth factor. Both are
 * differentiated numerically in double by an eighth-order formula, far below the grid's error. Two vessels: a
 * ball in a box, and liquid in a round tank; both under a wavy surface.
 *
 * Expected without v: pressure second order (2-norm), velocity second order in the mean and first at the
 * worst face of the surface (Gibou et al. 2002; Ng, Min and Gibou 2009), so its max is shown but not judged.
 * With a flow along the walls the velocity of a cut face is sampled at the middle of the whole face and not
 * of its open part, which lets a flux of O(dx) through curved walls in 3D: the mean velocity stays near
 * second order, the pressure falls to first there. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "flow.h"
#include "grid/extrapolate.h"
#include "grid/rows.h"

#define TOLERANCE 1e-7

typedef struct vessel {
    int dim, round_tank, swirl; /* swirl: v is not zero */
    double centre[3], radius;
} vessel;

static double beyond(const double x[3], const vessel *v) {
    double square = 0;
    for (int a = 0; a < v->dim; ++a) square += (x[a] - v->centre[a]) * (x[a] - v->centre[a]);
    return sqrt(square) - v->radius;
}

static double solid_at(const double x[3], const void *context) {
    const vessel *v = context;
    return v->round_tank ? -beyond(x, v) : beyond(x, v);
}

static double surface_at(const double x[3], const void *context) {
    const vessel *v = context;
    return x[1] - 0.6137 - 0.07 * cos(5 * x[0] + 0.4) * (v->dim == 3 ? cos(4 * x[2]) : 1);
}

static double potential_at(const double x[3], const void *context) {
    return surface_at(x, context) * (1 + 0.5 * sin(2 * x[0] + x[1]) + 0.3 * x[2] * x[2]);
}

/* Zero on every wall; scaled to velocities of about one. */
static double stream_at(const double x[3], const void *context) {
    const vessel *v = context;
    const double r = beyond(x, v) + v->radius;
    double b = (r * r - v->radius * v->radius) * (1 + 0.3 * sin(3 * x[0] + 2 * x[1] + x[2]));
    for (int a = 0; a < v->dim && !v->round_tank; ++a) b *= 4 * x[a] * (1 - x[a]);
    return b;
}

static double slope(space_function f, const double x[3], int axis, const void *context) {
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 1e-2;
    double sum = 0, at[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 4; ++i) {
        at[axis] = x[axis] + (i + 1) * h;
        const double high = f(at, context);
        at[axis] = x[axis] - (i + 1) * h;
        sum += weight[i] * (high - f(at, context)) / h;
    }
    return sum;
}

static double velocity_at(const double x[3], int axis, const vessel *v) {
    if (!v->swirl) return 0;
    static const double along[2][3] = {{0, 0, 1}, {0.6, -0.5, 1}};
    const double *f = along[v->dim == 3];
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double to_b = b < v->dim ? slope(stream_at, x, b, v) : 0,
                 to_c = c < v->dim ? slope(stream_at, x, c, v) : 0;
    return to_b * f[c] - to_c * f[b];
}

typedef struct errors {
    double pressure, velocity, worst;
} errors;

static void set_velocity(flow *f, const vessel *v) {
    for (int a = 0; a < v->dim; ++a) {
        const cell_range r = range_faces(&f->g, a);
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    double x[3];
                    flow_face(x, f, a, i, j, k);
                    f->u.value[a][box_at(&f->g.box, i, j, k)] =
                        (float)(velocity_at(x, a, v) + slope(potential_at, x, a, v));
                }
    }
}

static double pressure_error(const flow *f, const vessel *v) {
    double sum = 0, count = 0;
    const cell_range r = range_cells(&f->g);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&f->g.box, i, j, k);
                double x[3];
                if (!f->work.unknown[c]) continue;
                flow_cell(x, f, i, j, k);
                const double e = (double)f->q[c] * f->g.dx - potential_at(x, v);
                sum += e * e;
                count += 1;
            }
    return sqrt(sum / count);
}

static void velocity_error(errors *e, const flow *f, const vessel *v, uint8_t *layer) {
    double sum = 0, count = 0;
    for (int a = 0; a < v->dim; ++a) {
        const cell_range r = range_faces(&f->g, a);
        memset(layer, EXTRAPOLATE_UNKNOWN, f->g.box.size);
        pressure_known_faces(layer, &f->g, &f->open, f->phi, a);
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    const ptrdiff_t c = box_at(&f->g.box, i, j, k);
                    double x[3];
                    if (layer[c] || !(f->open.open.value[a][c] > 0)) continue;
                    flow_face(x, f, a, i, j, k);
                    const double off = fabs((double)f->u.value[a][c] - velocity_at(x, a, v));
                    sum += off;
                    count += 1;
                    e->worst = fmax(e->worst, off);
                }
    }
    e->velocity = sum / count;
}

static rheo_status solve(errors *e, rows *out, const vessel *v, int n) {
    flow f;
    *e = (errors){0};
    if (flow_make(&f, v->dim, n, out->threads, solid_at, surface_at, v))
        return report_no_memory(out->report, "the grid");
    uint8_t *layer = mem_alloc(f.g.box.size);
    if (layer) {
        set_velocity(&f, v);
        flow_project(&f, TOLERANCE);
        e->pressure = pressure_error(&f, v);
        velocity_error(e, &f, v, layer);
    }
    const rheo_status status = layer ? RHEO_OK : report_no_memory(out->report, "the grid");
    mem_free(layer);
    flow_free(&f);
    return status;
}

static void put(rows *out, const char *quantity, int n, double error, double order, const char *wanted,
                int pass) {
    rows_put(out, &(row){.name = "poisson-order",
                         .quantity = quantity,
                         .n = n,
                         .ours = error,
                         .reference = 0,
                         .error = error,
                         .order = order,
                         .wanted = wanted,
                         .informative = wanted == NULL,
                         .pass = pass});
}

static rheo_status refine(rows *out, const vessel *v, const char *const quantity[3], int finest) {
    errors before = {0}, coarsest = {0}, e;
    int n = 16;
    for (; n <= finest; n *= 2) {
        const rheo_status status = solve(&e, out, v, n);
        if (status) return status;
        if (n == 16) coarsest = e;
        put(out, quantity[0], n, e.pressure, rows_order(before.pressure, e.pressure, 2), NULL, 0);
        put(out, quantity[1], n, e.velocity, rows_order(before.velocity, e.velocity, 2), NULL, 0);
        put(out, quantity[2], n, e.worst, rows_order(before.worst, e.worst, 2), NULL, 0);
        before = e;
    }
    const double over = finest / 16.0, pressure = rows_order(coarsest.pressure, e.pressure, over),
                 velocity = rows_order(coarsest.velocity, e.velocity, over);
    const double asked = v->swirl && v->dim == 3 ? 0.9 : 1.8, mean = v->swirl ? 1.7 : 1.8;
    put(out, quantity[0], finest, e.pressure, pressure,
        asked < 1 ? "order >= 0.9 over all n" : "order >= 1.8 over all n", pressure >= asked);
    put(out, quantity[1], finest, e.velocity, velocity,
        v->swirl ? "order >= 1.7 over all n" : "order >= 1.8 over all n", velocity >= mean);
    return RHEO_OK;
}

rheo_status reproduce_poisson_order(rows *out) {
    static const char *const measured[3] = {"pressure, 2-norm", "velocity, mean", "velocity, max"};
    rows_title(out,
               "ball in a box, and a round tank, under a wavy surface; manufactured pressure and velocity");
    rows_put_header(out);
    for (int i = 0; i < 8; ++i) {
        const int swirl = i / 4, dim = i % 4 < 2 ? 2 : 3, tank = i % 2;
        const vessel v = {.dim = dim,
                          .round_tank = tank,
                          .swirl = swirl,
                          .centre = {tank ? 0.503 : 0.431, tank ? 0.497 : 0.287, tank ? 0.501 : 0.52},
                          .radius = tank ? 0.447 : 0.193};
        char name[3][64];
        for (int q = 0; q < 3; ++q)
            rows_format(name[q], sizeof name[q], "%dD %s%s: %s", dim, tank ? "tank" : "ball",
                        swirl ? " with flow" : "", measured[q]);
        const rheo_status status = refine(out, &v, (const char *const[3]){name[0], name[1], name[2]},
                                          dim == 2     ? 128
                                          : out->quick ? 32
                                                       : 64);
        if (status) return status;
    }
    return RHEO_OK;
}
