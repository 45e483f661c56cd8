/* A stopper in a closed tube: water sealed in below it, water and air above it. Neither can the column below
 * be compressed nor can anything pass, so the plug and all the water stay where they are whatever it weighs;
 * schemes that solve for liquid and bodies in turn fail here or leak (Batty et al. 2007, 1.1). */
#include "cases.h"

#include <math.h>
#include "basin.h"

#define PLUG_LOW    0.4137 /* m; the tube's sides are on no plane of the grid either */
#define PLUG_HIGH   0.5521
#define DRIFT_LIMIT 0.1 /* cells */

/* Particles above the middle of the plug. */
static long count_above(const rheo_sim *sim, double middle) {
    rheo_particle_view view;
    long above = 0;
    rheo_view_particles(&view, sim);
    for (size_t i = 0; i < view.count; ++i)
        above += view.origin[1] + view.dx * (double)view.position[1][i] > middle;
    return above;
}

static void put(rows *out, const char *quantity, int n, double ours, double limit, const char *wanted) {
    rows_put(out, &(row){.name = "hourglass-plug",
                         .quantity = quantity,
                         .n = n,
                         .ours = ours,
                         .reference = 0,
                         .error = ours,
                         .order = (double)NAN,
                         .wanted = wanted,
                         .pass = ours <= limit});
}

static rheo_status hold_plug(rows *out, double density, int n, double seconds) {
    char setup[SETUP_NAME], quantity[64];
    rows_format(setup, sizeof setup, "density %g", density);
    if (!rows_wants(out, setup)) return RHEO_OK;
    basin b = basin_make(3, 0.5, 1, 0.5, n, 0.8137);
    const double middle = 0.5 * (PLUG_LOW + PLUG_HIGH);
    rheo_solid *tube = basin_add(&b, basin_box(0.2513, 0.5, 0.2471, 0.0913, 0.47, 0.0913), 0);
    tube->inside_fluid = true;
    basin_add(&b, basin_box(0.2513, middle, 0.2471, 0.0913, 0.5 * (PLUG_HIGH - PLUG_LOW), 0.0913), density)
        ->friction = 0;
    tube->friction = 0;
    rheo_sim *sim;
    rheo_status status = basin_run(&sim, &b, out->threads, out->report);
    if (status) return status;
    rheo_body_stats first, now;
    rheo_frame_stats stats = {0};
    const long above = count_above(sim, middle);
    double drift = 0;
    rheo_read_body(&first, NULL, sim, 0);
    while (!status && stats.time < seconds - 1e-9) {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        rheo_read_body(&now, NULL, sim, 0);
        for (int a = 0; a < 3; ++a) drift = fmax(drift, fabs(now.position[a] - first.position[a]) * n);
    }
    const double leaked = fabs((double)(count_above(sim, middle) - above));
    rheo_free_sim(sim);
    if (status) return status;
    rows_format(quantity, sizeof quantity, "%s: drift, cells", setup);
    put(out, quantity, n, drift, DRIFT_LIMIT, "<= 0.1 cell");
    rows_format(quantity, sizeof quantity, "%s: particles past the plug", setup);
    put(out, quantity, n, leaked, 0, "none");
    return RHEO_OK;
}

rheo_status reproduce_plug(rows *out) {
    static const double density[] = {2.5, 0.3, 8};
    const double seconds = out->quick ? 0.5 : 3;
    rheo_status status = RHEO_OK;
    rows_title(out, "a tube 1 m high with a plug in its middle, water below and 0.26 m above it; %g s",
               seconds);
    rows_put_header(out);
    for (int i = 0; i < (out->quick ? 1 : 3) && !status; ++i)
        status = hold_plug(out, density[i], out->quick ? 32 : 64, seconds);
    return status;
}
