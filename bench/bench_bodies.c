/* What rigid bodies cost: their share of the pressure stage, whole frames of two scenes, cost a cell.
 *
 * The share is measured on one collapsing column of water, three times at once: with bodies that the solve
 * moves, with the same bodies nailed down (the same matrix without the term of low rank) and without any.
 * Steps of the three are taken in turn, so that a noisy machine troubles all alike: a ratio is the median of
 * those of single turns, not the ratio of medians, which may come from different moods of the machine.
 * bandwidth_ratio is the measured time over that of reading and writing all that the simulation holds once a
 * step, at the triad's speed; stages have none. Published beside it: Batty et al. (2007), 25 s a frame;
 * Carlson (2004), 5 h 50 min for the first second of lead-and-wood. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "basin.h"
#include "bench_stream.h"
#include "core/timer.h"
#include "sim/liquid.h"

enum { WARM_STEPS = 4, STEPS = 24, BODIES_MOST = 16, FRAMES_MOST = 600 };
typedef enum { MOVED, NAILED, NONE, KINDS } kind; /* what becomes of the bodies */

/* A column 0.6 m wide and 0.8 m high in the unit cube, and up to 16 balls within it. */
static basin column(int n, int bodies, kind what) {
    static const double density[] = {0.1, 1, 8};
    basin b = basin_make(3, 1, 1, 1, n, 0.8);
    b.fill.b[0] = 0.6;
    b.scene.method = RHEO_FLIP;
    b.scene.fps = 10;
    b.scene.cfl = 20;
    for (int i = 0; i < bodies && what != NONE; ++i) {
        const int place = i * (BODIES_MOST / bodies); /* few bodies are spread as wide as many */
        const rheo_shape ball = basin_ball(0.16 + 0.28 * (place & 1), 0.22 + 0.34 * (place >> 1 & 1),
                                           0.125 + 0.25 * (place >> 2), 0.09);
        basin_add(&b, ball, what == MOVED ? density[i % 3] : 0);
    }
    return b;
}

typedef struct pressure_cost {
    double seconds;     /* median of the pressure stage */
    double over[KINDS]; /* median of its time over that of the others in the same turn */
    double step;        /* median of the whole step */
    int iterations;     /* median */
    double held;        /* bytes */
} pressure_cost;

static double stage_total(const stage_timer *t, const char *name) {
    for (int k = 0; k < t->count; ++k)
        if (!strcmp(t->stage[k].name, name)) return t->stage[k].seconds;
    return 0;
}

static double median_over(const double *a, const double *b) {
    double ratio[STEPS];
    for (int i = 0; i < STEPS; ++i) ratio[i] = a[i] / b[i];
    return rows_median(ratio, STEPS);
}

/* Steps of `count` simulations in turn. */
static rheo_status step_in_turn(pressure_cost *cost, rheo_sim **sims, int count, double dt,
                                rheo_report *report) {
    static double pressure[KINDS][STEPS], whole[KINDS][STEPS], iterations[KINDS][STEPS];
    rheo_status status = RHEO_OK;
    for (int step = -WARM_STEPS; step < STEPS && !status; ++step)
        for (int i = 0; i < count && !status; ++i) {
            rheo_sim *s = sims[i];
            timer_reset(&s->timer); /* so do steps that begin a frame */
            const double since = timer_now();
            s->stats.pressure.iterations = 0;
            status = rheo_advance_step(s, dt, report);
            if (step < 0) continue;
            whole[i][step] = timer_now() - since;
            pressure[i][step] = stage_total(&s->timer, "pressure");
            iterations[i][step] = s->stats.pressure.iterations;
        }
    for (int i = 0; i < count && !status; ++i) /* before medians sort the turns */
        for (int k = 0; k < count; ++k) cost[i].over[k] = median_over(pressure[i], pressure[k]);
    for (int i = 0; i < count && !status; ++i) {
        rheo_frame_stats stats;
        rheo_read_stats(&stats, sims[i]);
        cost[i].seconds = rows_median(pressure[i], STEPS);
        cost[i].step = rows_median(whole[i], STEPS);
        cost[i].iterations = (int)rows_median(iterations[i], STEPS);
        cost[i].held = (double)stats.memory;
    }
    return status;
}

static rheo_status measure_columns(pressure_cost *cost, int n, int bodies, int kinds, rows *out) {
    rheo_sim *sims[KINDS] = {NULL};
    rheo_status status = RHEO_OK;
    for (int i = 0; i < kinds && !status; ++i) {
        basin b = column(n, bodies, (kind)i);
        status = basin_run(&sims[i], &b, out->threads, out->report);
    }
    if (!status) status = step_in_turn(cost, sims, kinds, 0.32 / n, out->report);
    for (int i = 0; i < kinds; ++i) rheo_free_sim(sims[i]);
    return status;
}

/* `steps` is of whole ones; NAN of stages and meshes, whose least traffic is not known. */
static void put(rows *out, const char *what, int n, double seconds, int iterations, double held, double steps,
                double value, const char *unit, const char *beside) {
    rows_put_figure(out, &(figure){.name = "bodies",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = seconds * out->triad[1] / (2 * held * steps),
                                   .iterations = iterations,
                                   .memory = held,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static rheo_status bench_share(rows *out, int n, int bodies) {
    pressure_cost c[KINDS];
    char what[64];
    const rheo_status status = measure_columns(c, n, bodies, KINDS, out);
    if (status) return status;
    rows_format(what, sizeof what, "pressure, %d %s", bodies, bodies == 1 ? "body" : "bodies");
    put(out, what, n, c[MOVED].seconds, c[MOVED].iterations, c[MOVED].held, (double)NAN, c[MOVED].over[NONE],
        "x without them", "asked: <= 1.3");
    put(out, "  nailed down", n, c[NAILED].seconds, c[NAILED].iterations, c[NAILED].held, (double)NAN,
        c[MOVED].over[NAILED], "x: moved over nailed", "");
    put(out, "  no bodies", n, c[NONE].seconds, c[NONE].iterations, c[NONE].held, (double)NAN, (double)NAN,
        "", "");
    return RHEO_OK;
}

static rheo_status bench_cells(rows *out, int n) {
    pressure_cost c;
    const rheo_status status = measure_columns(&c, n, BODIES_MOST, 1, out);
    if (status) return status;
    put(out, "whole step, 16 bodies", n, c.step, c.iterations, c.held, 1, c.step * 1e9 / pow(n, 3),
        "ns a cell", "asked: linear in cells");
    return RHEO_OK;
}

typedef struct run_cost {
    double mean, median, worst, mesh; /* s a frame; mesh: mean of what a drawn surface adds */
    double steps, held;
    int frames, iterations; /* iterations: the most of a step */
    int cells;
} run_cost;

/* A built-in scene as it is, all its frames or the first `most`. */
static rheo_status run_scene(run_cost *cost, const char *name, int most, rows *out) {
    static double seconds[FRAMES_MOST];
    rheo_scene *scene;
    rheo_sim *s;
    rheo_frame_stats stats = {0};
    rheo_status status = rheo_load_scene(&scene, name, NULL, 0, out->report);
    if (status) return status;
    const int asked = most && most < scene->frames ? most : scene->frames;
    *cost = (run_cost){.frames = asked < FRAMES_MOST ? asked : FRAMES_MOST, .cells = scene->cells};
    status = rheo_create_sim(&s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    if (status) return status;
    for (int i = 0; i < cost->frames && !status; ++i) {
        rheo_mesh mesh;
        const double start = timer_now();
        if ((status = rheo_advance_frame(s, NULL, &stats, out->report))) break;
        seconds[i] = timer_now() - start;
        if (!(status = rheo_make_mesh(&mesh, s, out->report))) rheo_free_mesh(&mesh);
        cost->mesh += (timer_now() - start - seconds[i]) / cost->frames;
        cost->mean += seconds[i] / cost->frames;
        cost->worst = fmax(cost->worst, seconds[i]);
        cost->steps += (double)stats.steps / cost->frames;
        if (stats.pressure.iterations > cost->iterations) cost->iterations = stats.pressure.iterations;
    }
    cost->held = (double)stats.memory;
    cost->median = rows_median(seconds, cost->frames);
    rheo_free_sim(s);
    return status;
}

static rheo_status bench_box(rows *out) {
    run_cost c;
    char what[64];
    const rheo_status status = run_scene(&c, "bodies-in-box", 0, out);
    if (status) return status;
    rows_format(what, sizeof what, "bodies-in-box, frame of %.1f steps", c.steps);
    put(out, what, c.cells, c.mean, c.iterations, c.held, c.steps, c.mean * out->triad[1] / 1e9, "GB triad",
        "asked 0.5 s a frame; Batty et al. 25 s");
    put(out, "  the slowest frame", c.cells, c.worst, -1, c.held, c.steps, c.worst / c.mean, "x the mean",
        "");
    put(out, "  its surface, drawn", c.cells, c.mesh, -1, c.held, (double)NAN, c.mesh * out->triad[1] / 1e9,
        "GB triad", "");
    return RHEO_OK;
}

static rheo_status bench_first_second(rows *out) {
    run_cost c;
    const rheo_status status = run_scene(&c, "lead-and-wood", 60, out);
    if (status) return status;
    const double all = c.mean * c.frames;
    put(out, "lead-and-wood, first second", c.cells, all, c.iterations, c.held, c.steps * c.frames,
        all * out->triad[1] / 1e9, "GB triad", "asked 90 s; Carlson 21000 s");
    put(out, "  its surface, drawn", c.cells, c.mesh * c.frames, -1, c.held, (double)NAN,
        c.mesh * c.frames * out->triad[1] / 1e9, "GB triad", "");
    return RHEO_OK;
}

rheo_status bench_bodies(rows *out) {
    static const int shares[] = {64, 96}, counts[] = {1, 4, 16}, sizes[] = {48, 64, 96, 128};
    rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out,
               "balls of 0.1, 1 and 8 times the water's density in a collapsing column of n^3 cells, flip, "
               "tolerance 1e-6; medians of %d steps; triad %.1f GB/s on %d threads",
               STEPS, out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int i = 0; i < 2 && !status; ++i)
        for (int k = 0; k < 3 && !status; ++k) status = bench_share(out, shares[i], counts[k]);
    for (int i = 0; i < 4 && !status; ++i) status = bench_cells(out, sizes[i]);
    if (!status) status = bench_first_second(out);
    return status ? status : bench_box(out);
}
