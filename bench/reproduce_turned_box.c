/* A vortex in a box that is turned against the grid (Batty et al. 2007, figure 2).
 *
 *   v = curl psi,   psi = (side / pi) sin(pi X / side) sin(pi Y / side)
 *
 * with X, Y along the sides of the box slips along its walls and is steady without viscosity. Two questions:
 *
 *   projection: u* = v + grad P, with a smooth P whose gradient crosses the walls, must come back as v;
 *   running:    smoke's step (advection by BFECC, pressure) from v must still be v after END seconds.
 *
 * Each in three boxes on the same grid: along it (what the paper calls ground truth), turned with cut cells,
 * and turned and voxelised, made of the cells whose middle is in the box, where a face is open or closed and
 * nothing between.
 *
 * Error: 2-norm of u - v relative to that of v over the faces that the voxelised box leaves open, which are
 * open with cut cells too, so that neither is charged for faces that the other does not have. The order is
 * asked over these, and over all faces with an opening whose middle is in the box. Running, the step's
 * splitting of advection from pressure is first order in time, also along the grid; dt is refined with dx.
 * The paper shows streamlines and says that voxelised walls do not converge: their largest error is shown
 * beside. */
#include "cases.h"

#include <math.h>
#include "basin.h"
#include "core/report.h"
#include "flow.h"
#include "grid/rows.h"
#include "sim/smoke.h"

#define PI        3.14159265358979323846
#define SIDE      0.5 /* m, of the box */
#define TOLERANCE 1e-7
#define FEWER     5.0                             /* times smaller than voxelised */
#define END       0.5                             /* s */
enum { COARSEST = 32, FINEST = 256, STEPS = 64 }; /* cells a metre; steps to END at the coarsest */

typedef struct turned {
    double middle[2], c, s; /* cosine and sine of the angle */
} turned;

static turned turned_box(double degrees) {
    const double angle = degrees * PI / 180;
    /* Along the grid its sides are on planes of the grid; turned, its middle is nowhere special. */
    return (turned){
        .middle = {degrees > 0 ? 0.5071 : 0.5, degrees > 0 ? 0.4953 : 0.5}, .c = cos(angle), .s = sin(angle)};
}

/* Along the sides, from the box's corner. */
static void to_box(double at[2], const double x[3], const turned *b) {
    const double d[2] = {x[0] - b->middle[0], x[1] - b->middle[1]};
    at[0] = b->c * d[0] + b->s * d[1] + 0.5 * SIDE;
    at[1] = b->c * d[1] - b->s * d[0] + 0.5 * SIDE;
}

static double solid_at(const double x[3], const void *context) {
    double at[2];
    to_box(at, x, context);
    return fmin(fmin(at[0], SIDE - at[0]), fmin(at[1], SIDE - at[1]));
}

static double vortex_at(const double x[3], int axis, const turned *b) {
    double at[2];
    to_box(at, x, b);
    const double k = PI / SIDE, along = sin(k * at[0]) * cos(k * at[1]),
                 across = -cos(k * at[0]) * sin(k * at[1]);
    return axis == 0 ? b->c * along - b->s * across : b->s * along + b->c * across;
}

/* grad of P = 0.3 sin(5 x + 1) cos(4 y) + 0.4 x y + 0.2 y, which is about as fast as the vortex. */
static double push_at(const double x[3], int axis) {
    return axis == 0 ? 1.5 * cos(5 * x[0] + 1) * cos(4 * x[1]) + 0.4 * x[1]
                     : -1.2 * sin(5 * x[0] + 1) * sin(4 * x[1]) + 0.4 * x[0] + 0.2;
}

static void face_place(double x[3], const mac_grid *g, int axis, int i, int j) {
    x[0] = (i + 0.5 * (axis != 0)) * g->dx;
    x[1] = (j + 0.5 * (axis != 1)) * g->dx;
    x[2] = 0;
}

static int cell_inside(const turned *b, double dx, int i, int j) {
    return solid_at((double[3]){(i + 0.5) * dx, (j + 0.5) * dx, 0}, b) > 0;
}

static int voxel_open(const turned *b, double dx, int axis, int i, int j) {
    return cell_inside(b, dx, i, j) && cell_inside(b, dx, i - (axis == 0), j - (axis == 1));
}

static void set_start(flow *f, const turned *b, int voxelised) {
    for (int a = 0; a < 2; ++a) {
        const cell_range r = range_faces(&f->g, a);
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&f->g.box, i, j, 0);
                double x[3];
                face_place(x, &f->g, a, i, j);
                f->u.value[a][c] = (float)(vortex_at(x, a, b) + push_at(x, a));
                if (voxelised) f->open.open.value[a][c] = (float)voxel_open(b, f->g.dx, a, i, j);
            }
    }
}

typedef struct errors {
    double common, all, worst; /* over the faces of both solves; over all open ones; the largest of both's */
} errors;

static errors measure(const mac_grid *g, const mac_field *u, const openings *o, const turned *b) {
    errors e = {0};
    double off[2] = {0}, size[2] = {0};
    for (int a = 0; a < 2; ++a) {
        const cell_range r = range_faces(g, a);
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&g->box, i, j, 0);
                double x[3];
                face_place(x, g, a, i, j);
                if (!(o->open.value[a][c] > 0) || solid_at(x, b) < 0) continue;
                const int shared = voxel_open(b, g->dx, a, i, j);
                const double v = vortex_at(x, a, b), d = (double)u->value[a][c] - v;
                off[0] += d * d;
                size[0] += v * v;
                off[1] += shared * d * d;
                size[1] += shared * v * v;
                if (shared) e.worst = fmax(e.worst, fabs(d));
            }
    }
    e.all = sqrt(off[0] / size[0]);
    e.common = sqrt(off[1] / size[1]);
    return e;
}

static rheo_status project(errors *e, rows *out, double degrees, int n, int voxelised) {
    const turned b = turned_box(degrees);
    flow f;
    if (flow_make(&f, 2, n, out->threads, solid_at, NULL, &b))
        return report_no_memory(out->report, "the grid");
    set_start(&f, &b, voxelised);
    flow_project(&f, TOLERANCE);
    *e = measure(&f.g, &f.u, &f.open, &b);
    flow_free(&f);
    return RHEO_OK;
}

/* The cells in the box as shapes: each row, and what it has in common with the one before, which closes the
 * joint between them. All a hair smaller than the cells, so that nodes on walls count as walls. */
static int voxel_rows(rheo_shape *parts, const turned *b, int n) {
    const double dx = 1.0 / n, hair = 1e-4 * dx;
    int count = 0, from[2] = {n, n}, to[2] = {0, 0}; /* of the row before, of this one */
    for (int j = 0; j < n; ++j) {
        from[0] = from[1], to[0] = to[1];
        for (from[1] = 0; from[1] < n && !cell_inside(b, dx, from[1], j); ++from[1]) {
        }
        for (to[1] = n; to[1] > from[1] && !cell_inside(b, dx, to[1] - 1, j); --to[1]) {
        }
        for (int joint = 0; joint < 2; ++joint) {
            const int low = joint && from[0] > from[1] ? from[0] : from[1],
                      high = joint && to[0] < to[1] ? to[0] : to[1];
            if (low >= high) continue;
            rheo_shape *part = &parts[count++];
            *part = rheo_default_shape(RHEO_SHAPE_BOX);
            part->a[0] = low * dx + hair;
            part->b[0] = high * dx - hair;
            part->a[1] = (j - joint) * dx + hair;
            part->b[1] = (j + 1) * dx - hair;
            part->b[2] = 1;
        }
    }
    return count;
}

static void set_vortex(rheo_sim *s, const turned *b) {
    for (int a = 0; a < 2; ++a)
        for (int j = -GHOST; j < s->g.box.n[1] + GHOST; ++j)
            for (int i = -GHOST; i < s->g.box.n[0] + GHOST; ++i) {
                double x[3];
                face_place(x, &s->g, a, i, j);
                smoke_of(s)->vel.value[a][box_at(&s->g.box, i, j, 0)] = (float)vortex_at(x, a, b);
            }
}

static rheo_status carry_on(errors *e, rows *out, double degrees, int n, int voxelised) {
    static const double none[3] = {0, 0, 0}, start[1] = {0};
    static rheo_shape parts[2 * FINEST];
    const turned b = turned_box(degrees);
    basin run = basin_make(2, 1, 1, 1, n, 1);
    rheo_solid *around = basin_add(
        &run,
        basin_turned(basin_box(b.middle[0], b.middle[1], 0, 0.5 * SIDE, 0.5 * SIDE, 1), 0, 0, 1, degrees), 0);
    around->inside_fluid = true;
    if (voxelised) {
        around->shape = rheo_default_shape(RHEO_SHAPE_UNION);
        around->shape.children = parts;
        around->shape.child_count = voxel_rows(parts, &b, n);
    }
    run.scene.gravity = (rheo_curve){.count = 1, .times = start, .values = none, .width = 3};
    run.scene.method = RHEO_SMOKE;
    run.scene.output_mesh = false;
    run.scene.cfl = 20; /* the steps are given */
    run.scene.fps = 1 / END;
    rheo_sim *sim;
    rheo_status status = basin_run(&sim, &run, out->threads, out->report);
    if (status) return status;
    set_vortex(sim, &b);
    const int steps = STEPS * n / COARSEST;
    for (int i = 0; i < steps && !status; ++i) status = rheo_advance_step(sim, END / steps, out->report);
    *e = measure(&sim->g, &smoke_of(sim)->vel, &smoke_of(sim)->walls.open, &b);
    rheo_free_sim(sim);
    return status;
}

typedef rheo_status (*experiment)(errors *e, rows *out, double degrees, int n, int voxelised);

/* An error, with a verdict on its order over all n unless `wanted` is NULL. */
static void put_error(rows *out, const char *what, double degrees, const char *quantity, int n, double error,
                      double order, const char *wanted) {
    char text[96];
    rows_format(text, sizeof text, "%s, %g degrees: %s", what, degrees, quantity);
    rows_put(out, &(row){.name = "vortex-in-box",
                         .quantity = text,
                         .n = n,
                         .ours = error,
                         .reference = 0,
                         .error = error,
                         .order = order,
                         .wanted = wanted,
                         .informative = wanted == NULL,
                         .pass = order >= 1});
}

static void put_ratio(rows *out, const char *what, double degrees, int n, double ratio) {
    char text[96];
    rows_format(text, sizeof text, "%s, %g degrees: voxelised / cut, least", what, degrees);
    rows_put(out, &(row){.name = "vortex-in-box",
                         .quantity = text,
                         .n = n,
                         .ours = ratio,
                         .reference = (double)NAN,
                         .error = (double)NAN,
                         .order = (double)NAN,
                         .wanted = ">= 5 at every n",
                         .pass = ratio >= FEWER});
}

/* From COARSEST to `finest` at one angle. Along the grid there is nothing to judge. */
static rheo_status refine(rows *out, const char *what, experiment run, double degrees, int finest) {
    errors cut = {0}, first = {0}, voxels = {0};
    double least = INFINITY, over = 1;
    for (int n = COARSEST; n <= finest; n *= 2, over = n / 2.0 / COARSEST) {
        const errors before = cut;
        rheo_status status = run(&cut, out, degrees, n, 0);
        if (!status && degrees > 0) status = run(&voxels, out, degrees, n, 1);
        if (status) return status;
        if (n == COARSEST) first = cut;
        put_error(out, what, degrees, "cut cells", n, cut.common, rows_order(before.common, cut.common, 2),
                  NULL);
        if (degrees > 0) put_error(out, what, degrees, "voxelised", n, voxels.common, (double)NAN, NULL);
        least = fmin(least, voxels.common / cut.common);
    }
    if (!(degrees > 0)) return RHEO_OK;
    static const char *const wanted = "order >= 1 over all n";
    put_error(out, what, degrees, "largest, cut", finest, cut.worst, (double)NAN, NULL);
    put_error(out, what, degrees, "largest, voxelised", finest, voxels.worst, (double)NAN, NULL);
    put_ratio(out, what, degrees, finest, least);
    put_error(out, what, degrees, "cut cells", finest, cut.common, rows_order(first.common, cut.common, over),
              wanted);
    put_error(out, what, degrees, "cut, all faces", finest, cut.all, rows_order(first.all, cut.all, over),
              wanted);
    return RHEO_OK;
}

rheo_status reproduce_turned_box(rows *out) {
    static const double angles[] = {0, 10, 22.5, 30, 45};
    rheo_status status = RHEO_OK;
    rows_title(out, "box of %g m in a square of 1 m; relative velocity error, 2-norm; running: after %g s",
               SIDE, END);
    rows_put_header(out);
    for (int i = out->quick ? 2 : 0; i < (out->quick ? 3 : 5) && !status; ++i)
        status = refine(out, "projection", project, angles[i], out->quick ? 128 : FINEST);
    for (int i = out->quick ? 2 : 0; i < (out->quick ? 3 : 5) && !status; ++i)
        status = refine(out, "running", carry_on, angles[i], out->quick ? 64 : 128);
    return status;
}
