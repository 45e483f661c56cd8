/* A body released from rest in still liquid: (rho_s + C rho) V a = (rho_s - rho) V g, so its first
 * acceleration tells the added mass C: 1/2 for a sphere, 1 for a disc in a plane, in liquid without end.
 *
 * A closed box makes C larger. Its sides are mirrors: images of the body's dipole mu at all places that
 * reflections give, turned over by each reflection in the floor or the top. They make a stream k mu along g
 * at the body, mu answers U - k mu, and C follows from mu (Milne-Thomson, the dipole and its impulse):
 *
 *   sphere, radius a    mu = a^3/2 (U - k mu),   C = 3/2 / (1 + k a^3 / 2) - 1,   k = sum s (3 y^2/r^2 - 1) /
 * r^3 disc                mu = a^2 (U - k mu),     C = 2 / (1 + k a^2) - 1,         k = sum s (2 y^2/r^2 - 1)
 * / r^2
 *
 * The next terms are of fifth (fourth) order in a over the distance to the sides. */
#include "cases.h"

#include <math.h>
#include "basin.h"

#define RADIUS    0.11 /* of a unit box, which adds 1.9 % to the sphere's C */
#define TOLERANCE 0.05
enum { REACH = 24, STEPS = 3 }; /* images an axis; steps of at most DT */
#define DT 1e-3

static const double place[3] = {0.5137, 0.4929, 0.5043}; /* of no special kind on any grid used */

/* Images of x in [0, 1]: 2 m + x and 2 m - x. */
static double image(double x, int m) {
    return m % 2 ? (m + 1) - x : m + x;
}

static double stream_of_images(int dim) {
    double k = 0;
    for (int j = -REACH; j <= REACH; ++j) {
        const double y = image(place[1], j) - place[1], sign = j % 2 ? -1 : 1;
        double plane = 0;
        for (int l = dim == 3 ? -REACH : 0; l <= (dim == 3 ? REACH : 0); ++l)
            for (int i = -REACH; i <= REACH; ++i) {
                const double x = image(place[0], i) - place[0],
                             z = dim == 3 ? image(place[2], l) - place[2] : 0;
                const double across = sqrt(x * x + z * z), r = sqrt(across * across + y * y);
                if (across >= REACH - 1 || r < 1e-12) continue;
                plane += (dim * y * y / (r * r) - 1) / pow(r, dim);
            }
        const double far = REACH - 1,
                     r = sqrt(far * far + y * y); /* the rest of the plane, or line, as one */
        plane += dim == 3 ? 2 * 3.14159265358979 * (y * y / (r * r * r) - 1 / r) : -2 * far / (r * r);
        k += sign * plane;
    }
    return k;
}

static double exact_in_box(int dim) {
    const double k = stream_of_images(dim);
    return dim == 3 ? 1.5 / (1 + 0.5 * k * RADIUS * RADIUS * RADIUS) - 1 : 2 / (1 + k * RADIUS * RADIUS) - 1;
}

static rheo_status released(double *added, int dim, int n, double density, int threads, rheo_report *report) {
    basin b = basin_make(dim, 1, 1, 1, n, 1);
    rheo_sim *sim;
    basin_add(&b, basin_ball(place[0], place[1], place[2], RADIUS), density);
    b.scene.tolerance = 1e-7;
    rheo_status status = basin_run(&sim, &b, threads, report);
    if (status) return status;
    for (int i = 0; i < STEPS && !status; ++i) status = rheo_advance_step(sim, DT, report);
    rheo_body_stats body;
    rheo_frame_stats stats;
    rheo_read_body(&body, NULL, sim, 0);
    rheo_read_stats(&stats, sim);
    *added = (1 - density) * BASIN_GRAVITY * stats.time / body.velocity[1] - density;
    rheo_free_sim(sim);
    return status;
}

static rheo_status refine(rows *out, int dim, double density, const int *sizes, int count) {
    const double exact = exact_in_box(dim);
    double before = (double)NAN;
    char quantity[SETUP_NAME];
    rows_format(quantity, sizeof quantity, "%s, density %g", dim == 3 ? "sphere" : "2D disc", density);
    if (!rows_wants(out, quantity)) return RHEO_OK;
    for (int i = 0; i < count; ++i) {
        double added = 0;
        const rheo_status status = released(&added, dim, sizes[i], density, out->threads, out->report);
        if (status) return status;
        const double error = fabs(added / exact - 1);
        rows_put(out, &(row){.name = "added-mass",
                             .quantity = quantity,
                             .n = sizes[i],
                             .ours = added,
                             .reference = exact,
                             .error = error,
                             .order = rows_order(before, error, 2),
                             .wanted = "within 5 %",
                             .informative = i < count - 1,
                             .pass = error <= TOLERANCE});
        before = error;
    }
    return RHEO_OK;
}

rheo_status reproduce_added_mass(rows *out) {
    static const int solid_sizes[] = {24, 48, 96}, plane_sizes[] = {48, 96, 192};
    static const double density[] = {0.1, 0.5, 2, 8};
    const int skip = out->quick ? 3 : 1; /* the lightest and the heaviest */
    rows_title(
        out,
        "radius %g in a closed unit box full of water, released off the grid's planes; exact: %.4f and "
        "%.4f with the images of the box, 0.5 and 1 without it; densities in that of the water",
        RADIUS, exact_in_box(3), exact_in_box(2));
    rows_put_header(out);
    rheo_status status = RHEO_OK;
    for (int i = 0; i < 4 && !status; i += skip)
        status = refine(out, 3, density[i], out->quick ? solid_sizes + 1 : solid_sizes, out->quick ? 1 : 3);
    for (int i = 0; i < 4 && !status; i += skip)
        status = refine(out, 2, density[i], plane_sizes, out->quick ? 1 : 3);
    return status;
}
