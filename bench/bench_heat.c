/* What heat adds to a step, and the scenes of wax.
 *
 * A column of a dam break at 64^3, warm, with a hot floor and air that cools it: steps with heat and without
 * it in turn, so that a noisy machine troubles both alike. The ratio is that of the stage to the rest of its
 * own step, median over steps. `water` is a step of flip; the other, in which viscosity is solved, is what
 * scenes that melt take. `melting`: all of the column is in its melting zone.
 *
 * Scenes count the processor's seconds of all threads, without pictures and files. */
#include "bench_stream.h"
#include "cases.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include "core/timer.h"
#include "sim/sim.h"

enum { CELLS = 64, WARM_UP = 3, STEPS = 15 };
#define DT 0.01

typedef struct column {
    const char *what, *warm, *fluid, *solver; /* keys: of the warm fluid, of both, of the solver */
} column;

static rheo_status open_column(rheo_sim **s, rows *out, const column *c, int warm) {
    char text[1024];
    rheo_scene *scene;
    rows_format(text, sizeof text,
                "domain: { size: [1, 1, 1], cells: %d }\n"
                "time: { frames: 1000, fps: 100, cfl: 20 }\n"
                "solver: { method: flip%s }\n"
                "fluids: [ { name: water, density: 1000, conductivity: 0.6, heat_capacity: 4186%s%s%s,\n"
                "  fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] } ]\n"
                "%s",
                CELLS, c->solver, c->fluid, warm ? ", temperature: 60" : "", warm ? c->warm : "",
                warm ? "heat: { ambient: 20, exchange: 20, speed: 100, walls: { bottom: 90 } }\n" : "");
    rheo_status status = rheo_parse_scene(&scene, text, strlen(text), "bench", out->report);
    if (status) return status;
    status = rheo_create_sim(s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    return status;
}

typedef struct cost {
    double with[STEPS], without[STEPS], heat[STEPS], ratio[STEPS];
} cost;

static double stage_seconds(const rheo_sim *s, const char *name) {
    for (int k = 0; k < s->timer.count; ++k)
        if (!strcmp(s->timer.stage[k].name, name)) return s->timer.stage[k].seconds;
    return 0;
}

static rheo_status time_step(double *seconds, rheo_sim *s, rheo_report *report) {
    timer_reset(&s->timer);
    const double since = timer_now();
    const rheo_status status = rheo_advance_step(s, DT, report);
    *seconds = timer_now() - since;
    return status;
}

static rheo_status take_turns(cost *c, rheo_sim *warm, rheo_sim *plain, rheo_report *report) {
    rheo_status status = RHEO_OK;
    for (int i = -WARM_UP; i < STEPS && !status; ++i) {
        const int at = i < 0 ? 0 : i;
        if ((status = time_step(&c->without[at], plain, report))) break;
        status = time_step(&c->with[at], warm, report);
        c->heat[at] = stage_seconds(warm, "heat");
        c->ratio[at] = c->heat[at] / (c->with[at] - c->heat[at]);
    }
    return status;
}

static void put(rows *out, const char *what, int n, double seconds, double value, const char *unit,
                const char *beside) {
    rows_put_figure(out, &(figure){.name = "heat",
                                   .what = what,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = seconds,
                                   .bandwidth_ratio = (double)NAN,
                                   .iterations = -1,
                                   .memory = (double)NAN,
                                   .value = value,
                                   .unit = unit,
                                   .beside = beside});
}

static rheo_status bench_column(rows *out, const column *c) {
    static cost took;
    rheo_sim *warm = NULL, *plain = NULL;
    char what[64];
    rheo_status status = open_column(&warm, out, c, 1);
    if (!status) status = open_column(&plain, out, c, 0);
    if (!status) status = take_turns(&took, warm, plain, out->report);
    rheo_free_sim(warm);
    rheo_free_sim(plain);
    if (status) return status;
    rows_format(what, sizeof what, "%s: step without heat", c->what);
    put(out, what, CELLS, rows_median(took.without, STEPS), (double)NAN, "", "");
    put(out, "  with heat", CELLS, rows_median(took.with, STEPS), (double)NAN, "", "");
    put(out, "  heat itself", CELLS, rows_median(took.heat, STEPS), 100 * rows_median(took.ratio, STEPS),
        "% of the rest", "asked: 15 %");
    return RHEO_OK;
}

static rheo_status bench_scene(rows *out, const char *name, const char *beside) {
    rheo_scene *scene;
    rheo_sim *s = NULL;
    rheo_frame_stats stats = {0};
    rheo_status status = rheo_load_scene(&scene, name, NULL, 0, out->report);
    if (status) return status;
    const int frames = scene->frames, cells = scene->cells;
    status = rheo_create_sim(&s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    const double since = timer_now();
    const clock_t begun = clock();
    for (int i = 0; i < frames && !status; ++i) status = rheo_advance_frame(s, NULL, &stats, out->report);
    const double worked = (double)(clock() - begun) / CLOCKS_PER_SEC;
    rheo_free_sim(s);
    if (!status) put(out, name, cells, timer_now() - since, worked, "s of processors", beside);
    return status;
}

rheo_status bench_heat(rows *out) {
    static const column columns[] = {{"water", "", "", ""},
                                     {"melting", ", latent_heat: 2e5, melting: [55, 65]", "", ""},
                                     {"viscous", "", ", viscosity: 10", ", viscosity: full"}};
    rheo_status status = stream_measure(out);
    if (status) return status;
    rows_title(out, "a warm column on a hot floor, %d^3, steps of %g s; medians", CELLS, DT);
    rows_put_figure_header(out);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !status; ++i)
        status = bench_column(out, &columns[i]);
    if (!status) status = bench_scene(out, "wax-block", "asked: 10 s");
    if (!status) status = bench_scene(out, "bunny-melt", "asked: 20 s");
    return status;
}
