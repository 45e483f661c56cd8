/* A viscous step on a graded tree beside the regular one, from the same fields to the same tolerance: free
 * discs and balls that fill most of a box (radius .45), and a pool as deep as that of `buckling-deep`.
 * Velocities are smooth waves. Distances are known to one cell, as in a simulation. The least of the runs
 * counts.
 *
 * And what both are worth: the root mean square distance from the regular step at 1e-9, relative to what the
 * step changes, after so many iterations. */
#include <math.h>
#include <string.h>
#include "cases.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/timer.h"
#include "stage/viscosity/viscosity.h"

enum { RUNS = 15, MOST = 1000, LEVELS = 5 };

typedef struct setting {
    const char *name, *asked;
    int dim, n, pool; /* pool: lower half of the box, between walls; else a free ball */
} setting;

typedef struct scene {
    mac_grid g;
    float *phi, *mu;
    mac_field start, u;
    viscosity_input in;
} scene;

static void scene_free(scene *s) {
    mem_free(s->phi);
    mem_free(s->mu);
    mac_field_free(&s->start);
    mac_field_free(&s->u);
}

static double distance_at(const setting *how, const double x[3]) {
    double square = 0;
    for (int a = 0; a < how->dim; ++a) square += (x[a] - 0.5) * (x[a] - 0.5);
    return how->pool ? x[1] - 0.52 - 0.02 * cos(9 * x[0]) : sqrt(square) - 0.45;
}

static int scene_make(scene *s, const setting *how, pool *p) {
    const int n = how->n;
    *s = (scene){.g = {.box = box_make(how->dim, (int[3]){n, n, n}), .dx = 1.0 / n, .pool = p}};
    if (field_make(&s->phi, &s->g) || field_make(&s->mu, &s->g) || mac_field_make(&s->start, &s->g) ||
        mac_field_make(&s->u, &s->g))
        return -1;
    for (int k = 0; k <= s->g.box.n[2] - (how->dim == 2); ++k)
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) {
                const double x[3] = {(i + 0.5) / n, (j + 0.5) / n, how->dim == 3 ? (k + 0.5) / n : 0};
                const ptrdiff_t q = box_at(&s->g.box, i, j, k);
                s->phi[q] = (float)fmin(fmax(distance_at(how, x), -s->g.dx), s->g.dx);
                s->mu[q] = 1;
                for (int c = 0; c < how->dim; ++c)
                    s->start.value[c][q] = (float)(sin(7 * x[0] + c) * cos(5 * x[1]) * sin(4 * x[2] + 1));
            }
    s->in = (viscosity_input){.dt = 0.002, .density = 1, .phi = s->phi, .mu = s->mu};
    return 0;
}

typedef struct cost {
    double assemble, solve; /* s */
    viscous_result r;
    size_t bytes;
} cost;

/* One step; the least of its times so far. */
static int take_step(cost *c, scene *s, viscosity *v, int levels, double tolerance, int most) {
    s->in.levels = levels;
    s->in.scheme = TREE_QUADRATIC;
    mac_field_copy(&s->u, &s->start, &s->g);
    const double start = timer_now();
    if (!v || viscosity_assemble(v, &s->g, &s->in)) return -1;
    const double between = timer_now();
    c->r = viscosity_solve(&s->u, NULL, NULL, v, &s->g, &s->in, tolerance, most);
    c->assemble = fmin(c->assemble, between - start);
    c->solve = fmin(c->solve, timer_now() - between);
    c->bytes = viscosity_bytes(v);
    return 0;
}

static int measure(cost *c, scene *s, int levels, double tolerance, int most, int runs) {
    viscosity *v = viscosity_create(&s->g, VISCOUS_MULTIGRID);
    int bad = 0;
    *c = (cost){.assemble = INFINITY, .solve = INFINITY};
    for (int run = 0; run < runs && !bad; ++run) bad = take_step(c, s, v, levels, tolerance, most);
    viscosity_free(v);
    return bad;
}

/* In turn, so that both meet the machine as it is. */
static int measure_both(cost *regular, cost *graded, scene *s, int runs) {
    viscosity *one = viscosity_create(&s->g, VISCOUS_MULTIGRID),
              *other = viscosity_create(&s->g, VISCOUS_MULTIGRID);
    int bad = 0;
    *regular = *graded = (cost){.assemble = INFINITY, .solve = INFINITY};
    for (int run = 0; run < runs && !bad; ++run)
        bad = take_step(regular, s, one, 0, 1e-6, MOST) || take_step(graded, s, other, LEVELS, 1e-6, MOST);
    viscosity_free(one);
    viscosity_free(other);
    return bad;
}

static void put(rows *out, const char *what, int n, const cost *c, double value, const char *unit,
                const char *beside) {
    rows_put_figure(out, &(figure){.name = "tree",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = c->assemble + c->solve,
                                   .bandwidth_ratio = (double)NAN,
                                   .iterations = c->r.iterations,
                                   .memory = (double)c->bytes,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static rheo_status compare(rows *out, const setting *how) {
    pool *p = pool_create(out->threads);
    scene s;
    cost regular = {0}, graded = {0};
    char what[64];
    const int runs = how->dim == 3 ? 4 : RUNS;
    const int bad = !p || scene_make(&s, how, p) || measure_both(&regular, &graded, &s, runs);
    if (p) scene_free(&s);
    pool_free(p);
    if (bad) return report_no_memory(out->report, "the tree benchmark");
    rows_format(what, sizeof what, "%s regular", how->name);
    put(out, what, how->n, &regular, (double)regular.r.unknowns, "unknowns", "");
    rows_format(what, sizeof what, "%s tree", how->name);
    put(out, what, how->n, &graded, (double)graded.r.unknowns, "unknowns", "");
    put(out, "  times as fast", how->n, &graded,
        (regular.assemble + regular.solve) / (graded.assemble + graded.solve), "x", how->asked);
    return RHEO_OK;
}

/* ---- what the steps are worth ---- */

static double distance_of(const scene *s, const mac_field *best) {
    double off = 0, change = 0;
    for (int c = 0; c < s->g.box.dim; ++c)
        for (int j = 0; j < s->g.box.n[1]; ++j)
            for (int i = 0; i < s->g.box.n[0]; ++i) {
                const ptrdiff_t q = box_at(&s->g.box, i, j, 0);
                if (!(s->phi[q] < 0)) continue;
                off += pow((double)(s->u.value[c][q] - best->value[c][q]), 2);
                change += pow((double)(s->start.value[c][q] - best->value[c][q]), 2);
            }
    return sqrt(off / change);
}

static rheo_status worth(rows *out, const setting *how) {
    pool *p = pool_create(out->threads);
    scene s;
    cost c;
    mac_field best = {{NULL, NULL, NULL}};
    int bad =
        !p || scene_make(&s, how, p) || mac_field_make(&best, &s.g) || measure(&c, &s, 0, 1e-9, MOST, 1);
    if (!bad) mac_field_copy(&best, &s.u, &s.g);
    for (int most = 1; most <= 4 && !bad; ++most) {
        bad = measure(&c, &s, 0, 1e-6, most, 3);
        put(out, "off the converged step, regular", how->n, &c, distance_of(&s, &best), "", "");
    }
    for (int levels = LEVELS + 2; levels >= LEVELS - 2 && !bad; levels -= 2) {
        char what[64];
        bad = measure(&c, &s, levels, 1e-6, MOST, 3);
        rows_format(what, sizeof what, "off the converged step, %d levels", levels);
        put(out, what, how->n, &c, distance_of(&s, &best), "", "");
    }
    mac_field_free(&best);
    if (p) scene_free(&s);
    pool_free(p);
    return bad ? report_no_memory(out->report, "the tree benchmark") : RHEO_OK;
}

rheo_status bench_tree(rows *out) {
    static const setting settings[] = {
        {"disc", "asked 1.2", 2, 256, 0}, {"disc", "asked 2", 2, 512, 0},   {"disc", "asked 3", 2, 1024, 0},
        {"pool", "asked 1.2", 2, 256, 1}, {"pool", "asked 2", 2, 512, 1},   {"pool", "asked 3", 2, 1024, 1},
        {"ball", "", 3, 64, 0},           {"ball", "asked 1.3", 3, 128, 0},
    };
    rheo_status status = RHEO_OK;
    rows_title(out, "whole viscous steps (assembly and solve to 1e-6), nu dt = .002");
    rows_put_figure_header(out);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; ++i)
        status = compare(out, &settings[i]);
    for (size_t i = 0; i < 3 && !status; ++i) status = worth(out, &settings[i]);
    return status;
}
