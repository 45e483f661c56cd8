/* What a splash does to the volume of its water: the dam break of the built-in scene for ten seconds, from
 * the fall to the rest.
 *
 * A closed box keeps what was put in, so volume_drift (sim/measure_liquid.c: the volume under the surface
 * over that of the particles, less 1) is 0 in every frame. Asked is no more than 5 % while it splashes and 1
 * % in the last second, when the water is nearly level. */
#include "cases.h"

#include <math.h>
#include <rheo/rheo.h>

enum { SECONDS = 10 };
#define ALWAYS 0.05
#define AT_END 0.01

typedef struct {
    double ever, end; /* the largest |volume_drift| in any frame, in those of the last second */
} drifts;

static rheo_status run_dam(drifts *d, const rows *out, const rheo_scene *scene) {
    rheo_sim *sim = NULL;
    const int frames = (int)round(SECONDS * scene->fps), last = frames - (int)round(scene->fps);
    rheo_status status = rheo_create_sim(&sim, scene, out->threads, out->report);
    *d = (drifts){0, 0};
    for (int frame = 1; frame <= frames && !status; ++frame) {
        rheo_frame_stats stats;
        if ((status = rheo_advance_frame(sim, NULL, &stats, out->report))) break;
        const double drift = fabs(stats.volume_drift);
        d->ever = fmax(d->ever, drift);
        if (frame > last) d->end = fmax(d->end, drift);
    }
    rheo_free_sim(sim);
    return status;
}

static void put_drift(rows *out, const char *set_up, const char *when, int n, double drift, double most) {
    char quantity[64], wanted[32];
    rows_format(quantity, sizeof quantity, "%s: drift %s", set_up, when);
    rows_format(wanted, sizeof wanted, "at most %g", most);
    rows_put(out, &(row){.name = "volume",
                         .quantity = quantity,
                         .n = n,
                         .ours = drift,
                         .reference = 0,
                         .error = drift,
                         .order = (double)NAN,
                         .wanted = wanted,
                         .pass = drift <= most});
}

static rheo_status dam_break(rows *out, const char *method, int n) {
    char set_up[SETUP_NAME], cells[32], solver[32];
    rows_format(set_up, sizeof set_up, "%s, %d cells", method, n);
    if (!rows_wants(out, set_up)) return RHEO_OK;
    rows_format(cells, sizeof cells, "domain.cells=%d", n);
    rows_format(solver, sizeof solver, "solver.method=%s", method);
    rheo_scene *scene = NULL;
    drifts d;
    rheo_status status =
        rheo_load_scene(&scene, "dam-break", (const char *const[]){cells, solver}, 2, out->report);
    if (!status) status = run_dam(&d, out, scene);
    rheo_free_scene(scene);
    if (status) return status;
    put_drift(out, set_up, "in any frame", n, d.ever, ALWAYS);
    put_drift(out, set_up, "in the last second", n, d.end, AT_END);
    return RHEO_OK;
}

rheo_status reproduce_volume(rows *out) {
    static const char *const methods[] = {"flip", "apic"};
    static const int sizes[] = {32, 64, 96};
    rows_title(out, "the built-in dam break for %d s; largest |volume_drift|", SECONDS);
    rows_put_header(out);
    rheo_status status = RHEO_OK;
    for (int i = 0; i < (out->quick ? 1 : 3) && !status; ++i)
        for (int m = 0; m < 2 && !status; ++m) status = dam_break(out, methods[m], sizes[i]);
    return status;
}
