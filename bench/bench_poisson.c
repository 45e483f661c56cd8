/* Synthetic pressure systems and the time of setup + solve on them.
 *
 * A = open fraction of a face / 1, extra = 1 / theta at air (theta clamped at 0.01) or 2 at an open wall half
 * a cell away. The right-hand side is the divergence of a smooth field plus a rough part. The median of the
 * runs is reported, the first of which warms the buffers up and does not count. */
#include "bench_poisson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"

enum { RUNS = 5 };

/* Signed distance to the liquid, and to the solid sphere, of the dam break at a point of the unit cube. */
static double liquid_distance(const double at[3]) {
    static const double blob[][4] = {{.6, .7, .3, .05}, {.7, .4, .6, .08}, {.55, .2, .8, .06},
                                     {.8, .8, .8, .04}, {.5, .3, .2, .03}, {.9, .1, .4, .07}};
    double distance = fmax(at[0] - 0.4, at[1] - 0.6) + 0.012 * sin(25 * at[2]) * sin(19 * at[0] + 11 * at[1]);
    for (size_t i = 0; i < sizeof blob / sizeof *blob; ++i) {
        double dx = at[0] - blob[i][0], dy = at[1] - blob[i][1], dz = at[2] - blob[i][2];
        distance = fmin(distance, sqrt(dx * dx + dy * dy + dz * dz) - blob[i][3]);
    }
    return distance;
}

static double solid_distance(const double at[3]) {
    double dx = at[0] - 0.25, dy = at[1] - 0.2, dz = at[2] - 0.5;
    return sqrt(dx * dx + dy * dy + dz * dz) - 0.12;
}

static double open_fraction(const double face[3], double cell) {
    double open = 0.5 + solid_distance(face) / cell;
    open = open < 0 ? 0 : open > 1 ? 1 : open;
    return open < 1e-3 ? 0 : open;
}

static void fill_cell(bench_system *s, int n, bench_problem problem, const int at[3]) {
    const box *b = &s->b;
    ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    double cell = 1.0 / n, centre[3], here = -1, extra = 0;
    for (int a = 0; a < 3; ++a) centre[a] = (at[a] + 0.5) * cell;
    if (problem == BENCH_DAM_BREAK) {
        here = liquid_distance(centre);
        if (here >= 0 || solid_distance(centre) < -0.5 * cell) return;
    }
    s->unknown[c] = 1;
    for (int side = 0; side < 6; ++side) {
        int a = side / 2, step = side & 1 ? 1 : -1, next = at[a] + step;
        double other[3] = {centre[0], centre[1], centre[2]}, face[3] = {centre[0], centre[1], centre[2]},
               there = -1;
        other[a] += step * cell;
        face[a] += 0.5 * step * cell;
        if (next < 0 || next >= n) {
            if (problem == BENCH_BOX_OPEN || (problem == BENCH_BOX_OPEN_TOP && side == 3)) extra += 2;
            continue;
        }
        double open = problem == BENCH_DAM_BREAK ? open_fraction(face, cell) : 1;
        if (problem == BENCH_DAM_BREAK) there = liquid_distance(other);
        if (there >= 0) {
            double theta = here / (here - there);
            extra += open / (theta < 0.01 ? 0.01 : theta);
        } else if (side % 2 == 0 && s->unknown[c - b->step[a]]) {
            s->face[a][c] = (float)open;
        }
    }
    s->extra[c] = (float)extra;
    double rough = (double)random_unit(7, (uint64_t)c, 0) - 0.5;
    s->rhs[c] =
        (float)(sin(9 * centre[0]) * cos(7 * centre[1]) + cos(5 * centre[2] + 3 * centre[0]) + 0.2 * rough);
}

int bench_system_make(bench_system *s, int n, bench_problem problem) {
    memset(s, 0, sizeof *s);
    s->b = box_make(3, (int[3]){n, n, n});
    for (int a = 0; a < 3; ++a) s->face[a] = mem_alloc(s->b.size * sizeof(float));
    s->extra = mem_alloc(s->b.size * sizeof(float));
    s->rhs = mem_alloc(s->b.size * sizeof(float));
    s->unknown = mem_alloc(s->b.size);
    if (!s->face[0] || !s->face[1] || !s->face[2] || !s->extra || !s->rhs || !s->unknown) {
        bench_system_free(s);
        return -1;
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) fill_cell(s, n, problem, (int[3]){i, j, k});
    s->system = (poisson_system){{s->face[0], s->face[1], s->face[2]}, s->extra, s->unknown};
    return 0;
}

void bench_system_free(bench_system *s) {
    for (int a = 0; a < 3; ++a) mem_free(s->face[a]);
    mem_free(s->extra);
    mem_free(s->rhs);
    mem_free(s->unknown);
    memset(s, 0, sizeof *s);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(bench_solve *out, poisson *s, const bench_system *problem, float *x) {
    double total[RUNS], setup[RUNS];
    for (int run = -1; run < RUNS; ++run) {
        memset(x, 0, problem->b.size * sizeof *x);
        double start = timer_now();
        if (poisson_setup(s, &problem->system)) return;
        double between = timer_now();
        poisson_result r = poisson_solve(s, x, problem->rhs, 1e-6, 1000);
        if (run < 0) continue;
        total[run] = timer_now() - start;
        setup[run] = between - start;
        out->iterations = r.iterations;
        out->unknowns = r.unknowns;
        out->residual = r.residual;
    }
    qsort(total, RUNS, sizeof *total, by_value);
    qsort(setup, RUNS, sizeof *setup, by_value);
    out->seconds = total[RUNS / 2];
    out->setup_seconds = setup[RUNS / 2];
    out->bytes = poisson_bytes(s);
}

bench_solve bench_poisson_run(int n, bench_problem problem, poisson_kind kind, int threads) {
    bench_solve out = {0};
    bench_system system;
    if (bench_system_make(&system, n, problem)) return out;
    pool *p = pool_create(threads);
    poisson *s = p ? poisson_create(&system.b, p, kind) : NULL;
    float *x = mem_alloc(system.b.size * sizeof *x);
    if (s && x) measure(&out, s, &system, x);
    mem_free(x);
    poisson_free(s);
    pool_free(p);
    bench_system_free(&system);
    return out;
}
