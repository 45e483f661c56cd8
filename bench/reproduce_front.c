/* Collapse of a liquid column on a dry floor: the front against the experiment of Martin and Moyce
 * (Phil. Trans. R. Soc. A 244, 312-324, 1952).
 *
 * A column of base a and height n2 a at the left wall of a long plane tank. T = t sqrt(n2 g / a), Z = front /
 * a; without viscosity and surface tension the answer does not depend on a. The front is where the depth of
 * the layer on the floor, followed from the wall, first falls below 0.03 a: the bulk, not a drop that flies
 * ahead.
 *
 * The experiment pulls a gate, which holds the first points back by an unknown time; so one shift in T (the
 * median over all points of a column) is taken out before positions are compared. A column holds when, over
 * the points, the slope dZ/dT lies within the two sizes' slopes widened by 10 %, and the mean distance after
 * the shift is within the spread between the two sizes (n2 = 1 was tabulated for one size: the same spread,
 * relative to Z, is used). The model has no friction on the floor, so it can be expected at the fast side. */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include "core/memory.h"
#include "core/report.h"
#include "front_data.h"

#define BASE       0.05715 /* m, 2.25 inch */
#define GRAVITY    9.81
#define FRONT_DEEP 0.03 /* of the base */
enum { SAMPLES_MAX = 512, POINTS_MAX = 64 };

typedef struct point {
    double T, Z;
} point;

/* The points of one size of one column. */
typedef struct series {
    int n2;
    double inch;
    point points[POINTS_MAX];
    int count;
} series;

static series experiment(int n2, double inch) {
    series e = {.n2 = n2, .inch = inch};
    for (int i = 0; i < front_data_count && e.count < POINTS_MAX; ++i) {
        const front_row *r = &front_data[i];
        if (r->n2 == n2 && r->inch == inch) e.points[e.count++] = (point){r->T, r->Z};
    }
    return e;
}

/* Linear between points; the ends go on with their slopes. */
static double position_at(const point *p, int count, double T) {
    int i = 0;
    while (i < count - 2 && T > p[i + 1].T) ++i;
    return p[i].Z + (T - p[i].T) * (p[i + 1].Z - p[i].Z) / (p[i + 1].T - p[i].T);
}

static double time_at(const point *p, int count, double Z) {
    int i = 0;
    while (i < count - 2 && Z > p[i + 1].Z) ++i;
    const double rise = p[i + 1].Z - p[i].Z;
    return rise > 0 ? p[i].T + (Z - p[i].Z) * (p[i + 1].T - p[i].T) / rise : p[i].T;
}

/* Least squares dZ/dT of the positions at the times `at`. */
static double mean_slope(const point *p, int count, const point *at, int at_count, double shift) {
    double t = 0, z = 0, tt = 0, tz = 0;
    for (int i = 0; i < at_count; ++i) {
        const double T = at[i].T, Z = position_at(p, count, T - shift);
        t += T;
        z += Z;
        tt += T * T;
        tz += T * Z;
    }
    return (at_count * tz - t * z) / (at_count * tt - t * t);
}

static double front(const rheo_sim *sim, double *depth, int columns) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    for (int i = 0; i < columns; ++i) depth[i] = 0;
    for (size_t i = 0; i < v.count; ++i)
        if (!v.spray[i] && v.position[0][i] >= 0 && v.position[0][i] < (float)columns)
            depth[(int)v.position[0][i]] += 0.25 * v.dx;
    int last = 0;
    while (last < columns && depth[last] >= FRONT_DEEP * BASE) ++last;
    /* between the last deep column and the next, where the depth crosses */
    const double high = last ? depth[last - 1] : 0, low = last < columns ? depth[last] : 0;
    const double share = high > low ? (high - FRONT_DEEP * BASE) / (high - low) : 0;
    return (last - 0.5 + share) * v.dx;
}

static int base_cells(const rows *out) {
    return out->quick ? 16 : 32;
}

static rheo_status collapse(point *ours, int *count, rows *out, rheo_method method, int n2, double T_end,
                            double Z_end) {
    rheo_scene scene = rheo_default_scene();
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    rheo_sim *sim;
    const double unit = sqrt(BASE / (n2 * GRAVITY)); /* s for T = 1 */
    const int columns = (int)ceil(Z_end) * base_cells(out);
    fill.a[0] = fill.a[1] = fill.a[2] = 0;
    fill.b[0] = BASE;
    fill.b[1] = n2 * BASE;
    fill.b[2] = 1;
    water.fill = &fill;
    water.fill_count = 1;
    scene.dim = 2;
    scene.size[0] = columns * BASE / base_cells(out);
    scene.size[1] = (n2 + 0.5) * BASE;
    scene.size[2] = 1;
    scene.cells = columns;
    scene.method = method;
    scene.cfl = rheo_describe_method(method)->gridless ? 3 : 1;
    scene.fps = 10 / unit; /* a frame is 0.1 in T */
    scene.frames = (int)ceil(T_end * 10);
    scene.fluids = &water;
    scene.fluid_count = 1;
    double *depth = mem_alloc((size_t)columns * sizeof *depth);
    if (!depth) return report_no_memory(out->report, "the front");
    rheo_status status = rheo_create_sim(&sim, &scene, out->threads, out->report);
    *count = 0;
    ours[(*count)++] = (point){0, 1};
    for (int frame = 1; frame <= scene.frames && frame < SAMPLES_MAX && !status; ++frame) {
        status = rheo_advance_frame(sim, NULL, NULL, out->report);
        if (!status) ours[(*count)++] = (point){0.1 * frame, front(sim, depth, columns) / BASE};
    }
    rheo_free_sim(sim);
    mem_free(depth);
    return status;
}

/* The largest gap between the two sizes of n2 = 2 where both were measured, relative to Z. */
static double measured_spread(void) {
    const series small = experiment(2, 1.125), large = experiment(2, 2.25);
    double most = 0;
    for (int i = 0; i < small.count; ++i) {
        const double other = position_at(large.points, large.count, small.points[i].T);
        most = fmax(most, fabs(small.points[i].Z - other) / other);
    }
    return most;
}

static double own_slope(const series *e) {
    return mean_slope(e->points, e->count, e->points, e->count, 0);
}

/* The range of slopes of the sizes of a column, widened by a tenth. */
static void slope_range(double range[2], const series *e) {
    range[0] = range[1] = own_slope(e);
    if (e->n2 == 2) {
        const series small = experiment(2, 1.125), large = experiment(2, 2.25);
        range[0] = fmin(own_slope(&small), own_slope(&large));
        range[1] = fmax(own_slope(&small), own_slope(&large));
    }
    range[0] *= 0.9;
    range[1] *= 1.1;
}

static void compare(rows *out, const point *ours, int count, const series *e, const char *const names[3]) {
    double late[POINTS_MAX], range[2], off = 0;
    for (int i = 0; i < e->count; ++i) late[i] = e->points[i].T - time_at(ours, count, e->points[i].Z);
    const double shift = rows_median(late, e->count);
    for (int i = 0; i < e->count; ++i) {
        const double Z = position_at(ours, count, e->points[i].T - shift), error = Z - e->points[i].Z;
        off += fabs(error) / e->points[i].Z / e->count;
        char quantity[96];
        rows_format(quantity, sizeof quantity, "%s at T = %.3f", names[0], e->points[i].T);
        rows_put(out, &(row){.name = "dam-break-front",
                             .quantity = quantity,
                             .n = base_cells(out),
                             .ours = Z,
                             .reference = e->points[i].Z,
                             .error = error,
                             .order = (double)NAN,
                             .kind = ROW_PUBLISHED,
                             .informative = 1});
    }
    const double slope = mean_slope(ours, count, e->points, e->count, shift), theirs = own_slope(e);
    slope_range(range, e);
    char wanted[96];
    rows_format(wanted, sizeof wanted, "%.3f to %.3f; T shifted by %.3f", range[0], range[1], shift);
    rows_put(out, &(row){.name = "dam-break-front",
                         .quantity = names[1],
                         .n = base_cells(out),
                         .ours = slope,
                         .reference = theirs,
                         .error = slope - theirs,
                         .order = (double)NAN,
                         .kind = ROW_PUBLISHED,
                         .wanted = wanted,
                         .pass = slope >= range[0] && slope <= range[1]});
    rows_format(wanted, sizeof wanted, "mean |dZ|/Z <= %.3f", measured_spread());
    rows_put(out, &(row){.name = "dam-break-front",
                         .quantity = names[2],
                         .n = base_cells(out),
                         .ours = off,
                         .reference = 0,
                         .error = off,
                         .order = (double)NAN,
                         .kind = ROW_PUBLISHED,
                         .wanted = wanted,
                         .pass = off <= measured_spread()});
}

static rheo_status compare_methods(rows *out, const rheo_method methods[2],
                                   const char *const method_name[2]) {
    rows_title(out, "Z = front / base against T; rows at one T are not judged alone, slope and distance are");
    rows_put_header(out);
    for (int m = 0; m < 2; ++m)
        for (int n2 = 2; n2 >= 1; --n2) {
            point ours[SAMPLES_MAX];
            int count = 0;
            const rheo_status status =
                collapse(ours, &count, out, methods[m], n2, n2 == 2 ? 9.3 : 2.5, n2 == 2 ? 19 : 6);
            if (status) return status;
            for (int i = 0; i < 2; ++i) {
                static const double sizes[2] = {1.125, 2.25};
                char name[3][64];
                const series e = experiment(n2, sizes[i]);
                if (e.count == 0) continue;
                rows_format(name[0], sizeof name[0], "%s n2=%d a=%g in: Z", method_name[m], n2, e.inch);
                rows_format(name[1], sizeof name[1], "%s n2=%d a=%g in: dZ/dT", method_name[m], n2, e.inch);
                rows_format(name[2], sizeof name[2], "%s n2=%d a=%g in: distance", method_name[m], n2,
                            e.inch);
                compare(out, ours, count, &e, (const char *const[3]){name[0], name[1], name[2]});
            }
        }
    return RHEO_OK;
}

rheo_status reproduce_dam_break_front(rows *out) {
    return compare_methods(out, (const rheo_method[2]){RHEO_FLIP, RHEO_APIC},
                           (const char *const[2]){"flip", "apic"});
}

rheo_status reproduce_sph_front(rows *out) {
    return compare_methods(out, (const rheo_method[2]){RHEO_SPH, RHEO_FLIP},
                           (const char *const[2]){"sph", "flip"});
}
