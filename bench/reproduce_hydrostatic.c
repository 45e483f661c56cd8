/* Liquid at rest: du/dt = g - grad p / rho with p = rho |g| depth has u = 0 as its answer.
 *
 * First the projection alone: u = g dt everywhere, the exact surface. Pressure is linear, so a second-order
 * surface and cut faces reproduce it and what is left is the tolerance of the solve. */
#include "cases.h"

#include <math.h>
#include "core/report.h"
#include "flow.h"

#define GRAVITY   9.81
#define DT        0.01
#define TOLERANCE 1e-6

static const double level = 0.5137; /* of the surface; not on a cell centre of any size used */

static double below_level(const double x[3], const void *context) {
    (void)context;
    return x[1] - level;
}

/* Outside of a sphere that fills most of the cube. */
static double round_tank(const double x[3], const void *context) {
    const int dim = *(const int *)context;
    double square = 0;
    for (int a = 0; a < dim; ++a) square += (x[a] - 0.5) * (x[a] - 0.5);
    return 0.43 - sqrt(square);
}

/* Outside of a box turned by 23 degrees about z. */
static double tilted_tank(const double x[3], const void *context) {
    const int dim = *(const int *)context;
    const double angle = 23 * 3.14159265358979 / 180, c = cos(angle), s = sin(angle);
    const double along[3] = {c * (x[0] - 0.5) + s * (x[1] - 0.5), c * (x[1] - 0.5) - s * (x[0] - 0.5),
                             x[2] - 0.5};
    double inside = 1;
    for (int a = 0; a < dim; ++a) inside = fmin(inside, (a == 0 ? 0.37 : 0.33) - fabs(along[a]));
    return inside;
}

static rheo_status project_at_rest(rows *out, const char *quantity, int dim, int n, space_function solid,
                                   space_function phi) {
    flow f;
    if (!rows_wants(out, quantity)) return RHEO_OK;
    if (flow_make(&f, dim, n, out->threads, solid, phi, &dim))
        return report_no_memory(out->report, "the grid");
    for (size_t c = 0; c < f.g.box.size; ++c) f.u.value[1][c] = (float)(-GRAVITY * DT);
    const poisson_result r = flow_project(&f, TOLERANCE);
    double axis[3] = {0, 0, 0};
    pressure_speed(axis, &f.u, &f.g, &f.open, f.phi);
    const double speed = fmax(axis[0], fmax(axis[1], axis[2])), limit = 2e-4 * GRAVITY * DT;
    rows_put(out, &(row){.name = "hydrostatic",
                         .quantity = quantity,
                         .n = n,
                         .ours = speed,
                         .reference = 0,
                         .error = speed,
                         .order = (double)NAN,
                         .pass = r.converged && speed <= limit,
                         .wanted = "speed <= 2e-4 g dt"});
    flow_free(&f);
    return RHEO_OK;
}

static rheo_status projections(rows *out, int dim, int n) {
    static const char *const name[2][4] = {
        {"2D tilted box, surface", "2D circle, surface", "2D tilted box, full", "2D circle, full"},
        {"3D tilted box, surface", "3D sphere, surface", "3D tilted box, full", "3D sphere, full"}};
    for (int i = 0; i < 4; ++i) {
        const rheo_status status = project_at_rest(
            out, name[dim == 3][i], dim, n, i % 2 ? round_tank : tilted_tank, i < 2 ? below_level : NULL);
        if (status) return status;
    }
    return RHEO_OK;
}

rheo_status reproduce_hydrostatic(rows *out) {
    rows_title(out, "projection of u = g dt, dt = %g s, exact surface, tolerance %g; speed left in m/s", DT,
               TOLERANCE);
    rows_put_header(out);
    rheo_status status = projections(out, 2, 64);
    if (!status) status = projections(out, 3, out->quick ? 24 : 48);
    if (!status && !out->quick) status = reproduce_tanks(out, "hydrostatic");
    return status;
}
