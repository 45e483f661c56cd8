/* The unit-cube dam break, liquid in [0, .4] x [0, .6] x [0, 1], stirred by a smooth swirl of at most 2 cells
 * a step: each round sorts, goes to the grid and back, and moves, so that every kernel meets the disorder it
 * has in a run. */
#include "bench_particles.h"

#include <math.h>
#include "core/timer.h"
#include "particle/seed.h"
#include "particle/transfer.h"

enum { WARM = 3, ROUNDS = 7 };

typedef struct bench {
    mac_grid g;
    particles p;
    mac_field u, weight, before;
    double dt;
} bench;

static int in_column(void *context, const double x[3]) {
    (void)context;
    return x[0] < 0.4 && x[1] < 0.6;
}

/* A swirl that does not cross the walls. */
static void set_swirl(mac_field *f, const mac_grid *g) {
    const box *b = &g->box;
    const double pi = 3.14159265358979;
    for (int axis = 0; axis < b->dim; ++axis)
        for (int k = -GHOST; k <= b->n[2] + GHOST; ++k)
            for (int j = -GHOST; j <= b->n[1] + GHOST; ++j)
                for (int i = -GHOST; i <= b->n[0] + GHOST; ++i) {
                    double x[3] = {i + 0.5, j + 0.5, k + 0.5};
                    x[axis] -= 0.5;
                    double u = 0.6 * sin(pi * x[axis] * g->dx);
                    for (int a = 0; a < 3; ++a)
                        if (a != axis) u *= cos(pi * x[a] * g->dx) * (a > axis ? 1 : -1.5);
                    f->value[axis][box_at(b, i, j, k)] = (float)u;
                }
}

static void stay_inside(particles *p, const box *b) {
    for (int a = 0; a < p->dim; ++a) {
        float last = nextafterf((float)b->n[a], 0);
        for (size_t i = 0; i < p->count; ++i) {
            float x = p->x[a][i] > 0 ? p->x[a][i] : 0;
            p->x[a][i] = x < last ? x : last;
        }
    }
}

static void keep_least(double *least, double since, int round, size_t count) {
    double ns = (timer_now() - since) * 1e9 / (double)count;
    if (round == WARM || ns < *least) *least = ns;
}

static int measure(bench_particles_times *t, bench *b, int affine) {
    for (int round = 0; round < WARM + ROUNDS; ++round) {
        double since = timer_now();
        if (particles_sort(&b->p, &b->g)) return -1;
        keep_least(&t->sort, since, round, b->p.count);
        since = timer_now();
        particles_to_grid(&b->before, &b->weight, &b->g, &b->p, affine);
        keep_least(&t->to_grid, since, round, b->p.count);
        since = timer_now();
        particles_from_grid(&b->p, &b->g, &b->u, &b->before, 0.97, affine, NULL);
        keep_least(&t->from_grid, since, round, b->p.count);
        since = timer_now();
        particles_advect(&b->p, &b->g, &b->u, (const double[3]){0, -9.81, 0}, b->dt);
        keep_least(&t->advect, since, round, b->p.count);
        stay_inside(&b->p, &b->g.box);
    }
    t->bytes = particles_bytes(&b->p);
    return 0;
}

static int run_method(bench_particles_result *result, int n, pool *threads, int affine) {
    static const char *const names[9] = {"c00", "c01", "c02", "c10", "c11", "c12", "c20", "c21", "c22"};
    int cells[3] = {n, n, n}, failed = 1;
    bench b = {.g = {.box = box_make(3, cells), .dx = 1.0 / n, .pool = threads}, .dt = 2.0 / n};
    uint32_t id = 0;
    particles_seeding column = {.upper = {n, n, n}, .accept = in_column, .seed = 1};
    if (!particles_make(&b.p, &b.g, names, affine ? 9 : 0) && !mac_field_make(&b.u, &b.g) &&
        !mac_field_make(&b.weight, &b.g) && !mac_field_make(&b.before, &b.g) &&
        particles_seed(&b.p, &b.g, &column, &id) > 0) {
        set_swirl(&b.u, &b.g);
        result->particles = b.p.count;
        failed = measure(affine ? &result->apic : &result->flip, &b, affine) != 0;
    }
    particles_free(&b.p);
    mac_field_free(&b.u);
    mac_field_free(&b.weight);
    mac_field_free(&b.before);
    return failed ? -1 : 0;
}

int bench_particles_run(int n, int threads, bench_particles_result *result) {
    *result = (bench_particles_result){0};
    pool *workers = pool_create(threads);
    if (!workers) return -1;
    int failed = run_method(result, n, workers, 0) || run_method(result, n, workers, 1);
    pool_free(workers);
    return failed ? -1 : 0;
}
