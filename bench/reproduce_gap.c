/* Sub-grid flow: a heavy box sinks in a channel one cell wider than itself (Batty et al. 2007, figure 5), the
 * built-in scene `box-in-channel`, on the grid of the paper's picture and on four times as fine a one, where
 * the gaps are two cells wide (quick: on twice as fine a one, where they are one).
 *
 * What the box displaces must pass the gaps: flow = width of the box times the distance sunk [m2]. It is
 * compared at the times at which the fine box has sunk by a quarter, a half and all of its way to the floor.
 * The paper has a picture and no numbers: the reference is the fine grid. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include <rheo/sim.h>

enum { COARSE = 64, MIDDLE = 128, FINE = 256, FRAMES = 90 };
#define WIDTH 0.234375 /* m, of the box */
#define FLOOR 0.1      /* m, height of its centre on the floor */
#define AGREE 0.25     /* of the resolved flow */

static rheo_status sink(double height[FRAMES + 1], double *drift, int cells, rows *out) {
    char set[40];
    const char *const sets[] = {set};
    rheo_scene *scene = NULL;
    rheo_sim *sim = NULL;
    rheo_frame_stats stats;
    rheo_body_stats body;
    const char *name;
    rows_format(set, sizeof set, "domain.cells=%d", cells);
    rheo_status status = rheo_load_scene(&scene, "box-in-channel", sets, 1, out->report);
    if (!status) status = rheo_create_sim(&sim, scene, out->threads, out->report);
    *drift = 0;
    for (int f = 0; f <= FRAMES && !status; ++f) {
        if (f) status = rheo_advance_frame(sim, NULL, &stats, out->report);
        if (status) break;
        rheo_read_body(&body, &name, sim, 0);
        height[f] = body.position[1];
        if (f) *drift = fmax(*drift, fabs(stats.volume_drift));
    }
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return status;
}

static double height_at(const double *height, double frame) {
    const int f = frame < FRAMES ? (int)frame : FRAMES - 1;
    return height[f] + (frame - f) * (height[f + 1] - height[f]);
}

/* The frame, with a fraction, at which the box has come down to `level`. */
static double frame_of(const double *height, double level) {
    for (int f = 0; f < FRAMES; ++f)
        if (height[f + 1] <= level) return f + (height[f] - level) / fmax(height[f] - height[f + 1], 1e-12);
    return FRAMES;
}

rheo_status reproduce_gap(rows *out) {
    static double coarse[FRAMES + 1], fine[FRAMES + 1];
    static const double parts[3] = {0.25, 0.5, 0.95};
    double drift[2];
    rheo_status status = sink(coarse, &drift[0], COARSE, out);
    if (!status) status = sink(fine, &drift[1], out->quick ? MIDDLE : FINE, out);
    if (status) return status;
    rows_put_header(out);
    for (int p = 0; p < 3; ++p) {
        const double frame = frame_of(fine, fine[0] - parts[p] * (fine[0] - FLOOR));
        char quantity[80];
        rows_format(quantity, sizeof quantity, "flow through the gaps until %.2f s, m2", frame / 30);
        row r = {.name = "box-in-channel", .quantity = quantity, .n = COARSE, .order = NAN};
        r.ours = WIDTH * (coarse[0] - height_at(coarse, frame));
        r.reference = WIDTH * (fine[0] - height_at(fine, frame));
        r.error = fabs(r.ours / r.reference - 1);
        r.wanted = out->quick ? "within 25 % of the flow with gaps of a cell"
                              : "within 25 % of the flow with gaps of two cells";
        r.pass = r.error <= AGREE;
        rows_put(out, &r);
    }
    row lost = {.name = "box-in-channel", .quantity = "largest volume drift", .n = COARSE, .order = NAN};
    lost.ours = lost.error = drift[0];
    lost.reference = 0;
    lost.wanted = "at most 5 %";
    lost.pass = drift[0] <= 0.05;
    rows_put(out, &lost);
    return RHEO_OK;
}
