/* Implicit viscosity on scene S: a ball of liquid (radius .23 at (.55, .55, .4)) inside a round container
 * (radius .35 around the middle of the unit cube), dt .01 s, to a true residual of 1e-4. Velocities are
 * smooth waves and noise. The least of the runs counts: a solve takes no longer than it must. */
#include <math.h>
#include <string.h>
#include "bench_stream.h"
#include "cases.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/report.h"
#include "core/timer.h"
#include "stage/viscosity/viscosity.h"

enum { RUNS = 5, MOST = 5000 };
typedef enum { MULTIGRID, JACOBI, STOKES, METHODS } method;

typedef struct setting {
    const char *name;
    double nu, jump; /* m2/s; below y = .55 it is nu / jump */
    const char *asked;
} setting;

typedef struct scene {
    mac_grid g;
    float *phi, *node_phi, *mu, *q;
    mac_field start, u;
    viscosity_input in;
} scene;

static void scene_free(scene *s) {
    mem_free(s->phi);
    mem_free(s->node_phi);
    mem_free(s->mu);
    mem_free(s->q);
    mac_field_free(&s->start);
    mac_field_free(&s->u);
}

static double from_point(const double x[3], double a, double b, double c) {
    return sqrt((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) + (x[2] - c) * (x[2] - c));
}

static void fill_sample(scene *s, const setting *how, int i, int j, int k) {
    const double dx = s->g.dx, node[3] = {i * dx, j * dx, k * dx};
    const double cell[3] = {node[0] + 0.5 * dx, node[1] + 0.5 * dx, node[2] + 0.5 * dx};
    const ptrdiff_t q = box_at(&s->g.box, i, j, k);
    s->node_phi[q] = (float)(0.35 - from_point(node, 0.5, 0.5, 0.5));
    s->phi[q] = (float)(from_point(cell, 0.55, 0.55, 0.4) - 0.23);
    s->mu[q] = (float)(cell[1] < 0.55 ? how->nu / how->jump : how->nu);
    for (int c = 0; c < 3; ++c)
        s->start.value[c][q] = (float)(sin(7 * node[0] + c) * cos(5 * node[1]) * sin(4 * node[2] + 1)) +
                               0.3f * (random_unit(1, (uint64_t)q, (uint64_t)c) - 0.5f);
}

static int scene_make(scene *s, const setting *how, int n, pool *p) {
    *s = (scene){.g = {.box = box_make(3, (int[3]){n, n, n}), .dx = 1.0 / n, .pool = p}};
    if (field_make(&s->phi, &s->g) || field_make(&s->node_phi, &s->g) || field_make(&s->mu, &s->g) ||
        field_make(&s->q, &s->g) || mac_field_make(&s->start, &s->g) || mac_field_make(&s->u, &s->g))
        return -1;
    for (int k = -GHOST; k <= n + GHOST; ++k)
        for (int j = -GHOST; j <= n + GHOST; ++j)
            for (int i = -GHOST; i <= n + GHOST; ++i) fill_sample(s, how, i, j, k);
    s->in = (viscosity_input){.dt = 0.01, .density = 1, .phi = s->phi, .mu = s->mu, .node_phi = s->node_phi};
    return 0;
}

typedef struct cost {
    double assemble, solve; /* s */
    viscous_result r;
    size_t bytes;
} cost;

static viscous_result solve(viscosity *v, scene *s, method how) {
    mac_field_copy(&s->u, &s->start, &s->g);
    memset(s->q, 0, s->g.box.size * sizeof *s->q);
    if (how != STOKES) return viscosity_solve(&s->u, NULL, NULL, v, &s->g, &s->in, 1e-4, MOST);
    return viscosity_solve_stokes(&s->u, s->q, NULL, NULL, v, &s->g, &s->in, 1e-4, MOST);
}

static int measure(cost *c, scene *s, method how) {
    viscosity *v = viscosity_create(&s->g, how == JACOBI ? VISCOUS_JACOBI : VISCOUS_MULTIGRID);
    *c = (cost){.assemble = INFINITY, .solve = INFINITY};
    if (how == STOKES) s->in.model = VISCOSITY_STOKES;
    for (int run = 0; run < RUNS && v; ++run) {
        const double start = timer_now();
        if (viscosity_assemble(v, &s->g, &s->in)) {
            viscosity_free(v);
            return -1;
        }
        const double between = timer_now();
        c->r = solve(v, s, how);
        const double end = timer_now();
        c->assemble = fmin(c->assemble, between - start);
        c->solve = fmin(c->solve, end - between);
        if (how == JACOBI) break;
    }
    c->bytes = v ? viscosity_bytes(v) : 0;
    viscosity_free(v);
    return v ? 0 : -1;
}

static void put(rows *out, const char *what, int n, double seconds, int iterations, double memory,
                const char *beside) {
    rows_put_figure(out, &(figure){.name = "viscosity",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = (double)NAN,
                                   .iterations = iterations,
                                   .memory = memory,
                                   .value = seconds * out->triad[1] / 1e9,
                                   .unit = "GB triad",
                                   .beside = beside});
}

static rheo_status bench_method(rows *out, const setting *how, int n, method by) {
    static const char *const names[] = {"multigrid", "jacobi", "stokes"};
    pool *p = pool_create(out->threads);
    scene s;
    cost c = {0};
    char what[64];
    const int bad = !p || scene_make(&s, how, n, p) || measure(&c, &s, by);
    if (p) scene_free(&s);
    pool_free(p);
    if (bad) return report_no_memory(out->report, "the viscosity benchmark");
    rows_format(what, sizeof what, "%s %s", how->name, names[by]);
    put(out, what, n, c.solve, c.r.iterations, (double)c.bytes,
        by == MULTIGRID ? how->asked
        : by == STOKES  ? "asked 5 x multigrid"
                        : "");
    if (by != JACOBI) put(out, "  assembly and setup", n, c.assemble, -1, (double)NAN, "");
    return RHEO_OK;
}

rheo_status bench_viscosity(rows *out) {
    static const setting settings[] = {{"nu 1", 1, 1, "asked 3.6 GB at 128, 12 its"},
                                       {"nu 1e4", 1e4, 1, "asked 28 its"},
                                       {"jump 1e6", 1, 1e6, "asked 28 its"}};
    rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out, "a ball of liquid in a round container, to 1e-4; triad %.1f GB/s on %d threads",
               out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int i = 0; i < 3; ++i)
        for (int n = 32; n <= 128; n *= 2)
            for (int by = 0; by < METHODS && !status; ++by)
                status = bench_method(out, &settings[i], n, (method)by);
    return status;
}
