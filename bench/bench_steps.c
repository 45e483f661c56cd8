/* Figures of `rheo bench`: pressure systems, particle kernels, whole steps.
 *
 * bandwidth_ratio is the measured time over the time that the least traffic would take at the triad's speed
 * on as many threads, so 1 is what bandwidth allows and less means that caches helped. Least traffic: a solve
 * reads what its solver holds once an iteration; a particle kernel reads and writes its columns once; a step
 * reads and writes all that the simulation holds once. Stages of a step have none: which part of that is
 * theirs is not known. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include <rheo/sim.h>
#include "bench_particles.h"
#include "bench_poisson.h"
#include "bench_stream.h"
#include "peak_memory.h"
#include "sim/liquid.h"

enum { STEPS = 20, LATE_STEPS = 10, GROWTH_SIZES = 3, GROWTH_TURNS = 20 };
#define DT 0.01

static double triad_of(const rows *out, int threads) {
    return threads == 1 ? out->triad[0] : out->triad[1];
}

static void put_solve(rows *out, const char *what, int n, int threads, const bench_solve *s, double value,
                      const char *unit, const char *beside) {
    const double traffic = (double)s->bytes * (s->iterations + 1) / triad_of(out, threads);
    rows_put_figure(out, &(figure){.name = "poisson",
                                   .what = what,
                                   .n = n,
                                   .threads = threads,
                                   .seconds = s->seconds > 0 ? s->seconds : (double)NAN,
                                   .bandwidth_ratio = s->bytes ? s->seconds / traffic : (double)NAN,
                                   .iterations = s->iterations,
                                   .memory = s->bytes ? (double)s->bytes : (double)NAN,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static void compare_box(rows *out, int n) {
    bench_solve ours = bench_poisson_run(n, BENCH_BOX_OPEN_TOP, POISSON_MULTIGRID, 1), peer;
    const int have_peer = !peer_hypre_run(&peer, n, BENCH_BOX_OPEN_TOP);
    put_solve(out, "full box", n, 1, &ours, have_peer ? peer.seconds / ours.seconds : (double)NAN,
              have_peer ? "x as fast" : "", n == 128 ? "asked: 4 x hypre PCG+PFMG" : "as hypre below");
    if (have_peer)
        put_solve(out, "  hypre PCG+PFMG", n, 1, &peer, (double)NAN, "", n == 128 ? "was 1.25 s" : "");
    if (out->threads > 1) {
        ours = bench_poisson_run(n, BENCH_BOX_OPEN_TOP, POISSON_MULTIGRID, out->threads);
        put_solve(out, "full box", n, out->threads, &ours, ours.seconds * out->triad[1] / 1e9, "GB triad",
                  "");
    }
}

static void compare_dam(rows *out, int n) {
    bench_solve ours = bench_poisson_run(n, BENCH_DAM_BREAK, POISSON_MULTIGRID, 1), peer;
    const int have_peer = !peer_hypre_run(&peer, n, BENCH_DAM_BREAK);
    put_solve(out, "dam break", n, 1, &ours, have_peer ? peer.seconds / ours.seconds : (double)NAN,
              have_peer ? "x as fast" : "", "iterations asked: <= 15 at all n");
    if (have_peer) put_solve(out, "  hypre PCG+PFMG", n, 1, &peer, (double)NAN, "", "");
    if (out->threads > 1) {
        ours = bench_poisson_run(n, BENCH_DAM_BREAK, POISSON_MULTIGRID, out->threads);
        put_solve(out, "dam break", n, out->threads, &ours, ours.seconds * out->triad[1] / 1e9, "GB triad",
                  n == 128 ? "asked: 0.10 s, 2.6 GB" : "");
    }
}

rheo_status bench_poisson(rows *out) {
    static const int sizes[] = {32, 64, 128, 192};
    const rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out,
               "setup and solve to 1e-6 from zero, medians after one to warm up, memory kept; triad %.1f "
               "GB/s on 1 thread, %.1f on %d",
               out->triad[0] / 1e9, out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int i = 0; i < 4; ++i) compare_box(out, sizes[i]);
    for (int i = 0; i < 4; ++i) compare_dam(out, sizes[i]);
    return RHEO_OK;
}

static void put_kernel(rows *out, const char *what, int n, int threads, size_t count, double ns, double bytes,
                       const char *beside) {
    const double seconds = ns * 1e-9 * (double)count, least = bytes * (double)count / triad_of(out, threads);
    rows_put_figure(out, &(figure){.name = "particles",
                                   .what = what,
                                   .n = n,
                                   .threads = threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = seconds / least,
                                   .iterations = -1,
                                   .memory = (double)NAN,
                                   .value = ns,
                                   .unit = "ns a particle",
                                   .beside = beside});
}

static void put_kernels(rows *out, int n, int threads, size_t count, const bench_particles_times *t,
                        int affine) {
    /* position and velocity 24 bytes, id and two flags 6, gradients 36 */
    const double gradient = affine ? 36 : 0;
    const int one = threads == 1;
    put_kernel(out, affine ? "apic sort" : "flip sort", n, threads, count, t->sort, 2 * (30 + gradient),
               affine ? ""
               : one  ? "prototype 12.5"
                      : "prototype 6.7");
    put_kernel(out, affine ? "apic to grid" : "flip to grid", n, threads, count, t->to_grid, 24 + gradient,
               affine ? ""
               : one  ? "prototype 11.5"
                      : "prototype 6.0");
    put_kernel(out, affine ? "apic from grid" : "flip from grid", n, threads, count, t->from_grid,
               12 + 24 + gradient,
               affine ? ""
               : one  ? "prototype 8.9"
                      : "prototype 4.8");
    put_kernel(out, affine ? "apic advect" : "flip advect", n, threads, count, t->advect, 24,
               affine ? ""
               : one  ? "prototype 12.3"
                      : "prototype 6.2");
}

rheo_status bench_particles(rows *out) {
    const rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out, "a stirred dam-break column, 8 particles a cell; triad %.1f GB/s on 1 thread, %.1f on %d",
               out->triad[0] / 1e9, out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int all = 0; all < (out->threads > 1 ? 2 : 1); ++all) {
        bench_particles_result r;
        const int threads = all ? out->threads : 1, n = 128;
        if (bench_particles_run(n, threads, &r)) continue;
        put_kernels(out, n, threads, r.particles, &r.flip, 0);
        put_kernels(out, n, threads, r.particles, &r.apic, 1);
    }
    return RHEO_OK;
}

typedef struct step_times {
    double total, stage[TIMER_STAGES];
    const char *name[TIMER_STAGES];
    int stages;
    double held, peak; /* bytes: what the simulation says, and the most that its process held for it */
    int iterations;
} step_times;

/* Medians over `count` steps of the whole and of every stage. */
static rheo_status time_steps(step_times *t, rheo_sim *s, int count, int with_mesh, rheo_report *report) {
    static double total[STEPS], stage[TIMER_STAGES][STEPS];
    t->iterations = 0;
    for (int i = 0; i < count; ++i) {
        timer_reset(&s->timer); /* so do steps that begin a frame */
        const double since = timer_now();
        s->stats.pressure.iterations = 0;
        rheo_status status = rheo_advance_step(s, DT, report);
        if (!status && with_mesh) {
            rheo_mesh mesh;
            if (!(status = rheo_make_mesh(&mesh, s, report))) rheo_free_mesh(&mesh);
        }
        if (status) return status;
        total[i] = timer_now() - since;
        if (s->stats.pressure.iterations > t->iterations) t->iterations = s->stats.pressure.iterations;
        for (int k = 0; k < s->timer.count; ++k) stage[k][i] = s->timer.stage[k].seconds;
    }
    t->total = rows_median(total, count);
    t->stages = s->timer.count;
    for (int k = 0; k < t->stages; ++k) {
        t->stage[k] = rows_median(stage[k], count);
        t->name[k] = s->timer.stage[k].name;
    }
    return RHEO_OK;
}

static double stage_seconds(const step_times *t, const char *name) {
    for (int k = 0; k < t->stages; ++k)
        if (!strcmp(t->name[k], name)) return t->stage[k];
    return (double)NAN;
}

/* `traffic`: the least bytes it has to move; NAN where that is not known, as of stages. */
static void put_step(rows *out, const char *what, int n, double seconds, double traffic, double peak,
                     int iterations, double value, const char *unit, const char *beside) {
    rows_put_figure(out, &(figure){.name = "step",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = seconds * out->triad[1] / traffic,
                                   .iterations = iterations,
                                   .memory = peak,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static void put_steps(rows *out, int n, int late, const step_times *t) {
    const double gigabytes = out->triad[1] / 1e9, pressure = stage_seconds(t, "pressure"), all = 2 * t->held;
    char what[64];
    rows_format(what, sizeof what, "whole step%s%s", n == 32 ? " + mesh" : "",
                late ? ", after 0.5 s" : ", first 20");
    if (n == 32) {
        put_step(out, what, n, t->total, all, t->peak, -1, 1 / t->total, "steps/s", "asked: >= 150");
        return;
    }
    put_step(out, what, n, t->total, all, t->peak, -1, t->total * gigabytes, "GB triad",
             n == 64    ? "asked 0.04 s; Mantaflow 0.21, FLIP Fluids 0.68"
             : n == 128 ? "asked 0.3 s, 8 GB, 600 MB; Mantaflow 2.10 s, 697 MB; FLIP Fluids 6.23 s, 859 MB"
                        : "asked: linear in cells from 64");
    put_step(out, "  pressure", n, pressure, (double)NAN, t->peak, t->iterations, pressure * gigabytes,
             "GB triad",
             n == 128 ? "asked 0.10 s, 2.6 GB, <= 15 its; Mantaflow 0.84 s, FLIP Fluids 1.64 s" : "");
    for (int k = 0; k < t->stages; ++k) {
        if (!strcmp(t->name[k], "pressure")) continue;
        rows_format(what, sizeof what, "  %s", t->name[k]);
        put_step(out, what, n, t->stage[k], (double)NAN, t->peak, -1, t->stage[k] * gigabytes, "GB triad",
                 "");
    }
}

static rheo_status make_dam(rheo_sim **s, int n, rows *out) {
    char cells[32];
    const char *set[] = {cells, "time.fps=100", "time.cfl=20", "time.frames=1000"};
    rheo_scene *scene;
    rows_format(cells, sizeof cells, "domain.cells=%d", n);
    rheo_status status = rheo_load_scene(&scene, "dam-break", set, 4, out->report);
    if (status) return status;
    status = rheo_create_sim(s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    return status;
}

static rheo_status bench_size(rows *out, int n) {
    rheo_sim *s;
    step_times t = {0};
    rheo_frame_stats stats;
    const double before = peak_memory_begin();
    rheo_status status = make_dam(&s, n, out);
    if (status) return status;
    for (int late = 0; late < 2 && !status; ++late) {
        while (late && s->clock.time < 0.5 && !status) status = rheo_advance_step(s, DT, out->report);
        if (!status) status = time_steps(&t, s, late ? LATE_STEPS : STEPS, n == 32, out->report);
        rheo_read_stats(&stats, s);
        t.held = (double)stats.memory;
        t.peak = peak_memory_since(before);
        if (!(t.peak > 0)) t.peak = t.held; /* the system does not say */
        if (!status) put_steps(out, n, late, &t);
    }
    rheo_free_sim(s);
    return status;
}

/* One step to warm the caches, which the other sizes' steps have filled, and one that counts. */
static rheo_status time_second(double *seconds, rheo_sim *s, rheo_report *report) {
    rheo_status status = rheo_advance_step(s, DT, report);
    const double since = timer_now();
    if (!status) status = rheo_advance_step(s, DT, report);
    *seconds = timer_now() - since;
    return status;
}

/* Time a cell beside that of the smallest: steps of all sizes are taken in turn, so that a noisy machine
 * troubles all alike, and ratios are medians of those of single turns. */
static rheo_status bench_growth(rows *out) {
    static const int sizes[GROWTH_SIZES] = {64, 128, 192};
    double seconds[GROWTH_SIZES][GROWTH_TURNS], ratio[GROWTH_TURNS];
    rheo_sim *sims[GROWTH_SIZES] = {NULL};
    rheo_status status = RHEO_OK;
    for (int i = 0; i < GROWTH_SIZES && !status; ++i) status = make_dam(&sims[i], sizes[i], out);
    for (int turn = 0; turn < GROWTH_TURNS && !status; ++turn)
        for (int i = 0; i < GROWTH_SIZES && !status; ++i)
            status = time_second(&seconds[i][turn], sims[i], out->report);
    for (int i = 1; i < GROWTH_SIZES && !status; ++i) { /* ratios first: a median sorts its turns */
        const double cells = pow((double)sizes[i] / sizes[0], 3);
        for (int turn = 0; turn < GROWTH_TURNS; ++turn)
            ratio[turn] = seconds[i][turn] / seconds[0][turn] / cells;
        put_step(out, "growth from 64, in turn", sizes[i], rows_median(seconds[i], GROWTH_TURNS), (double)NAN,
                 (double)NAN, -1, rows_median(ratio, GROWTH_TURNS), "x a cell", "asked: linear in cells");
    }
    for (int i = 0; i < GROWTH_SIZES; ++i) rheo_free_sim(sims[i]);
    return status;
}

rheo_status bench_step(rows *out) {
    static const int sizes[] = {32, 64, 128, 192};
    rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(
        out,
        "dam break in the unit cube, flip, dt %g s, tolerance 1e-6; medians; triad %.1f GB/s on %d threads",
        DT, out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int i = 0; i < 4 && !status; ++i) status = bench_size(out, sizes[i]);
    return status ? status : bench_growth(out);
}
