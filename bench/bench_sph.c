/* Fluids of particles alone: neighbours of a shaken lattice (the least of several rounds after one to warm
 * up), and a dam of 50,653 particles (a cube of 37 a side, 1/37 m apart, in a tank four metres long and one
 * wide): steps of 1 ms, a second at steps of its own, and steps of thick liquids. */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>
#include <string.h>
#include "core/random.h"
#include "core/timer.h"
#include "sim/sph.h"

enum { ROUNDS = 5, STEPS = 400, THICK_STEPS = 20 };
#define STEP_DT 1e-3

static void put(rows *out, const char *what, int n, int threads, double seconds, int iterations,
                double memory, double value, const char *unit, const char *beside) {
    rows_put_figure(out, &(figure){.name = "sph",
                                   .what = what,
                                   .n = n,
                                   .threads = threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = (double)NAN,
                                   .iterations = iterations,
                                   .memory = memory,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

/* A cube of n^3 particles, each up to a fifth of a spacing off its place. */
static int fill(particles *p, const mac_grid *g, int n) {
    if (particles_make(p, g, NULL, 0) || particles_reserve(p, (size_t)n * (size_t)n * (size_t)n)) return -1;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const int at[3] = {i, j, k};
                const size_t q = p->count++;
                for (int a = 0; a < 3; ++a)
                    p->x[a][q] = 0.5f * ((float)at[a] + 0.3f + 0.4f * random_unit(1, q, (uint64_t)a));
                p->id[q] = (uint32_t)q;
                p->fluid[q] = p->spray[q] = 0;
            }
    return particles_sort(p, g);
}

static rheo_status neighbours(rows *out, int n, int threads, const char *beside) {
    const int cells[3] = {(n + 1) / 2, (n + 1) / 2, (n + 1) / 2};
    pool *workers = pool_create(threads);
    const mac_grid g = {.box = box_make(3, cells), .dx = 1, .pool = workers};
    const sph_kernel k = sph_kernel_make(SPH_WENDLAND, 3);
    sph_fluid f = {.dim = 3, .g = &g, .kernel = k};
    particles p = {0};
    double least = INFINITY, around = 0;
    int bad = !workers || fill(&p, &g, n) || sph_fluid_reserve(&f, p.count);
    for (int round = 0; round <= ROUNDS && !bad; ++round) {
        const double since = timer_now();
        bad = sph_pairs_find(&f.pairs, f.x, f.density, &g, &p, &k);
        if (round) least = fmin(least, timer_now() - since);
    }
    for (size_t i = 0; i < p.count && !bad; ++i) around += f.pairs.true_length[i];
    if (!bad)
        put(out, "neighbours", (int)p.count, threads, least, -1, (double)sph_pairs_bytes(&f.pairs),
            around / (double)p.count, "neighbours each", beside);
    sph_fluid_free(&f);
    particles_free(&p);
    pool_free(workers);
    return bad ? RHEO_INVALID : RHEO_OK;
}

static rheo_status begin_dam(rheo_sim **sim, double viscosity, int threads, rows *out) {
    rheo_scene scene = rheo_default_scene();
    rheo_fluid water = rheo_default_fluid();
    rheo_shape fill_shape = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) fill_shape.b[a] = 1;
    water.fill = &fill_shape;
    water.fill_count = 1;
    water.viscosity = viscosity;
    scene.method = RHEO_SPH;
    scene.size[0] = 4;
    scene.size[1] = 2;
    scene.size[2] = 1;
    scene.cells = 74;
    scene.fluids = &water;
    scene.fluid_count = 1;
    return rheo_create_sim(sim, &scene, threads, out->report);
}

/* Steps of 1 ms: the mean, the fastest, and the worst compression of a step. */
static rheo_status dam(rows *out, int threads) {
    rheo_sim *sim;
    rheo_status status = begin_dam(&sim, 1e-3, threads, out);
    if (status) return status;
    double least = INFINITY, sum = 0, worst = 0, iterations = 0;
    for (int step = 0; step < STEPS && !status; ++step) {
        const double since = timer_now();
        status = rheo_advance_step(sim, STEP_DT, out->report);
        const double took = timer_now() - since;
        least = fmin(least, took);
        sum += took / STEPS;
        worst = fmax(worst, sim->stats.compression[0]);
        iterations += sim->stats.pressure.iterations / (double)STEPS;
    }
    if (!status) {
        const sph *e = sph_of(sim);
        const double count = (double)e->markers.parts.count;
        const double own = (double)(particles_bytes(&e->markers.parts) + sph_fluid_bytes(&e->fluid));
        const char *asked = threads == 1 ? "" : "asked: 12 ms, 500 bytes";
        put(out, "dam, step of 1 ms, mean", (int)count, threads, sum, (int)lround(iterations), own,
            own / count, "bytes a particle", asked);
        put(out, "  fastest; worst step", (int)count, threads, least, -1, (double)NAN, 100 * worst,
            "% compression", threads == 1 ? "" : "asked: 0.06 %");
    }
    rheo_free_sim(sim);
    return status;
}

/* One second. */
static rheo_status dam_by_itself(rows *out, int threads) {
    rheo_sim *sim;
    rheo_frame_stats stats = {0};
    rheo_status status = begin_dam(&sim, 1e-3, threads, out);
    if (status) return status;
    double most = 0;
    const double since = timer_now();
    int64_t steps = 0;
    while (!status && stats.time < 1 - 1e-9) {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        steps += stats.steps;
        most = fmax(most, stats.compression[0]);
    }
    if (!status)
        put(out, "dam, a second by cfl", (int)stats.particles, threads, timer_now() - since, (int)steps,
            (double)stats.memory, 100 * most, "% compression", threads == 1 ? "" : "asked: 10 s");
    rheo_free_sim(sim);
    return status;
}

/* The viscous solve of a step of 1 ms. */
static rheo_status thick_dam(rows *out, double viscosity, int threads, const char *asked) {
    rheo_sim *sim;
    char what[40];
    rheo_status status = begin_dam(&sim, viscosity, threads, out);
    if (status) return status;
    double took = 0, iterations = 0;
    for (int step = 0; step < THICK_STEPS && !status; ++step) {
        timer_reset(&sim->timer);
        sim->stats.viscosity.iterations = 0;
        status = rheo_advance_step(sim, STEP_DT, out->report);
        iterations += sim->stats.viscosity.iterations / (double)THICK_STEPS;
        for (int i = 0; i < sim->timer.count; ++i)
            if (!strcmp(sim->timer.stage[i].name, "viscosity"))
                took += sim->timer.stage[i].seconds / THICK_STEPS;
    }
    rows_format(what, sizeof what, "viscosity of %g Pa s", viscosity);
    if (!status)
        put(out, what, (int)sph_of(sim)->markers.parts.count, threads, took, (int)lround(iterations),
            (double)NAN, sim->stats.viscosity.residual, "residual", asked);
    rheo_free_sim(sim);
    return status;
}

rheo_status bench_sph(rows *out) {
    const int many = out->threads;
    rows_title(out, "neighbours and steps of particles alone; asked of 2 threads");
    rows_put_figure_header(out);
    rheo_status status = neighbours(out, 47, 1, "");
    if (!status && many > 1) status = neighbours(out, 47, many, "asked: 4 ms");
    if (!status) status = neighbours(out, 100, 1, "");
    if (!status && many > 1) status = neighbours(out, 100, many, "asked: 40 ms");
    if (!status) status = dam(out, 1);
    if (!status && many > 1) status = dam(out, many);
    if (!status) status = dam_by_itself(out, many);
    if (!status) status = thick_dam(out, 1e3, many, "asked: 20 ms");
    if (!status) status = thick_dam(out, 1e5, many, "asked: 200 ms");
    return status;
}
