/* Frames of the paddle that stirs smoke, whole and by stage.
 *
 * bandwidth_ratio is the measured time over that of reading and writing all that the simulation holds once a
 * step, at the triad's speed; stages have none. The first frames are left out: the flow is not stirred yet.
 * Published beside it: Batty et al. (2007), figure 4, 3 s and 0.2 s a frame on their machine. */
#include "cases.h"

#include <math.h>
#include "bench_stream.h"
#include "core/timer.h"
#include "sim/smoke.h"

enum { WARM_FRAMES = 15, FRAMES = 31 };

typedef struct frame_times {
    double total, stage[RHEO_STAGES_MAX], steps;
    const char *name[RHEO_STAGES_MAX];
    int stages, iterations;
    double held; /* bytes */
} frame_times;

/* Medians over frames; steps is the mean. */
static rheo_status time_frames(frame_times *t, rheo_sim *s, rheo_report *report) {
    static double total[FRAMES], stage[RHEO_STAGES_MAX][FRAMES];
    rheo_frame_stats stats;
    rheo_status status = RHEO_OK;
    for (int i = 0; i < WARM_FRAMES && !status; ++i) status = rheo_advance_frame(s, NULL, &stats, report);
    for (int i = 0; i < FRAMES && !status; ++i) {
        const double since = timer_now();
        status = rheo_advance_frame(s, NULL, &stats, report);
        total[i] = timer_now() - since;
        t->steps += (double)stats.steps / FRAMES;
        t->stages = stats.stage_count;
        for (int k = 0; k < stats.stage_count; ++k) {
            stage[k][i] = stats.stages[k].seconds;
            t->name[k] = stats.stages[k].name;
        }
        if (stats.pressure.iterations > t->iterations) t->iterations = stats.pressure.iterations;
    }
    t->held = (double)stats.memory;
    t->total = rows_median(total, FRAMES);
    for (int k = 0; k < t->stages; ++k) t->stage[k] = rows_median(stage[k], FRAMES);
    return status;
}

/* `traffic`: the least bytes it has to move; NAN where that is not known, as of stages. */
static void put(rows *out, const char *what, int n, double seconds, double traffic, double held,
                int iterations, double value, const char *unit, const char *beside) {
    rows_put_figure(out, &(figure){.name = "smoke",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = seconds * out->triad[1] / traffic,
                                   .iterations = iterations,
                                   .memory = held,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static rheo_status bench_size(rows *out, int n) {
    char cells[32], what[64];
    const char *set[] = {cells};
    rheo_scene *scene;
    rheo_sim *s;
    frame_times t = {0};
    rows_format(cells, sizeof cells, "domain.cells=%d", n);
    rheo_status status = rheo_load_scene(&scene, "paddle-smoke", set, 1, out->report);
    if (status) return status;
    status = rheo_create_sim(&s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    if (status) return status;
    status = time_frames(&t, s, out->report);
    rheo_free_sim(s);
    if (status) return status;
    rows_format(what, sizeof what, "frame of %.1f steps", t.steps);
    put(out, what, n, t.total, 2 * t.held * t.steps, t.held, t.iterations, 1 / t.total, "frames/s",
        n == 80   ? "asked 0.08 s; Batty et al. 3 s"
        : n == 40 ? "asked 60 frames/s; Batty et al. 5"
                  : "");
    for (int k = 0; k < t.stages; ++k) {
        rows_format(what, sizeof what, "  %s", t.name[k]);
        put(out, what, n, t.stage[k], (double)NAN, t.held, -1, t.stage[k] * out->triad[1] / 1e9, "GB triad",
            "");
    }
    return RHEO_OK;
}

rheo_status bench_smoke(rows *out) {
    static const int sizes[] = {40, 80};
    rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out, "paddle-smoke, n x n/2 x 3n/4 cells; medians over frames; triad %.1f GB/s on %d threads",
               out->triad[1] / 1e9, out->threads);
    rows_put_figure_header(out);
    for (int i = 0; i < 2 && !status; ++i) status = bench_size(out, sizes[i]);
    return status;
}
