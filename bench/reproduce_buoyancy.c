/* Archimedes: a floating body displaces its own mass, so the share of its volume below the water is its
 * density over the water's; a body of the water's density, at rest anywhere below the surface, stays there.
 *
 * Floating: released a little above its place, watched while it bobs, for nothing but the grid damps it; the
 * level is that at four places near the corners of the tank, the share below it a mean over whole bobs: from
 * the first to the last time that it rises through its mean. Neutral: the largest distance from where it
 * began in any frame. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include "basin.h"
#include "lobed_mesh.h"

#define LEVEL       0.5137 /* m, on no plane of the grid */
#define LIFT        0.015  /* m above its place when it is released */
#define WATCH_FROM  1.5    /* s */
#define WATCH_TO    3.5
#define SHARE_LIMIT 0.03
#define DRIFT_LIMIT 0.1 /* cells */
#define DRIFT_TIME  5.0 /* s */
enum { FRAMES_MAX = 256 };

typedef enum { BALL, TILTED_BOX, RING, LOBES } form;
static const char *const form_names[] = {"sphere", "tilted box", "torus", "concave mesh"};

typedef struct floater {
    form form;
    double density;
    double at[3]; /* m; of floating ones the height is found */
} floater;

static rheo_shape make_form(const floater *f, double y, const char *mesh) {
    if (f->form == BALL) return basin_ball(f->at[0], y, f->at[2], 0.15);
    if (f->form == TILTED_BOX)
        return basin_turned(basin_box(f->at[0], y, f->at[2], 0.17, 0.07, 0.12), 1, 0.2, 1, 25);
    rheo_shape s = rheo_default_shape(f->form == RING ? RHEO_SHAPE_TORUS : RHEO_SHAPE_MESH);
    if (f->form == RING) {
        for (int a = 0; a < 3; ++a) s.a[a] = a == 1 ? y : f->at[a];
        s.b[0] = 0.2;
        s.b[1] = 1;
        s.b[2] = 0.1;
        s.radius = 0.18;
        s.tube = 0.07;
    } else {
        s.file = mesh;
        s.file_scale = 1;
        s = basin_turned(s, 1, 0.3, 0.2, 20);
        for (int a = 0; a < 3; ++a) s.move[a] = a == 1 ? y : f->at[a];
    }
    return s;
}

static rheo_status start(rheo_sim **sim, const floater *f, double y, int n, const char *mesh,
                         const rows *out) {
    basin b = basin_make(3, 1, 1, 1, n, LEVEL);
    basin_add(&b, make_form(f, y, mesh), f->density);
    return basin_run(sim, &b, out->threads, out->report);
}

/* The height at which as much of it is below LEVEL as must be, and its volume. */
static rheo_status find_height(double *y, basin_volume *v, const floater *f, const char *mesh,
                               const rows *out) {
    rheo_sim *sim;
    rheo_status status = start(&sim, f, LEVEL, 16, mesh, out);
    if (status) return status;
    if ((status = basin_measure(v, sim, 0, out->report))) {
        rheo_free_sim(sim);
        return status;
    }
    double low = -0.3, high = 0.3; /* of the level above the body's place */
    for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        if (basin_submerged(v, sim, 0, LEVEL + middle) < f->density) low = middle;
        else high = middle;
    }
    *y = LEVEL - low;
    rheo_free_sim(sim);
    return RHEO_OK;
}

static double mean_level(const rheo_sim *sim) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += basin_level(sim, i % 2 ? 0.06 : 0.94, i / 2 ? 0.06 : 0.94);
    return 0.25 * sum;
}

/* The mean over whole bobs, or over everything when there is not one. */
static double mean_of_bobs(const double *share, int count) {
    int first = 0, last = count;
    double mean = 0;
    for (int pass = 0; pass < 4; ++pass) {
        mean = 0;
        for (int i = first; i < last; ++i) mean += share[i] / (last - first);
        int low = -1, high = -1;
        for (int i = 1; i < count; ++i)
            if (share[i - 1] < mean && share[i] >= mean) {
                if (low < 0) low = i;
                high = i;
            }
        if (low == high) break;
        first = low;
        last = high;
    }
    return mean;
}

static rheo_status floats(rows *out, const floater *f, int n, double from, double to, const char *mesh) {
    static double shares[FRAMES_MAX];
    rheo_sim *sim;
    double y = 0, lowest = 1, highest = 0;
    int frames = 0;
    char setup[SETUP_NAME], quantity[64];
    rows_format(setup, sizeof setup, "%s, density %g", form_names[f->form], f->density);
    if (!rows_wants(out, setup)) return RHEO_OK;
    basin_volume volume = {0};
    rheo_status status = find_height(&y, &volume, f, mesh, out);
    if (!status) status = start(&sim, f, y + LIFT, n, mesh, out);
    if (status) {
        basin_volume_free(&volume);
        return status;
    }
    rheo_frame_stats stats = {0};
    while (!status && stats.time < to - 1e-9 && frames < FRAMES_MAX) {
        if ((status = rheo_advance_frame(sim, NULL, &stats, out->report)) || stats.time < from) continue;
        const double now = shares[frames++] = basin_submerged(&volume, sim, 0, mean_level(sim));
        lowest = fmin(lowest, now);
        highest = fmax(highest, now);
    }
    rheo_free_sim(sim);
    basin_volume_free(&volume);
    if (status) return status;
    const double share = mean_of_bobs(shares, frames);
    rows_format(quantity, sizeof quantity, "%s: share below", setup);
    const double error = fabs(share / f->density - 1);
    rows_put(out, &(row){.name = "buoyancy",
                         .quantity = quantity,
                         .n = n,
                         .ours = share,
                         .reference = f->density,
                         .error = error,
                         .order = (double)NAN,
                         .wanted = "within 3 %",
                         .pass = error <= SHARE_LIMIT});
    rows_format(quantity, sizeof quantity, "  and how far it still bobs");
    rows_put(out, &(row){.name = "buoyancy",
                         .quantity = quantity,
                         .n = n,
                         .ours = highest - lowest,
                         .reference = 0,
                         .error = highest - lowest,
                         .order = (double)NAN,
                         .wanted = "",
                         .informative = 1});
    return RHEO_OK;
}

static rheo_status rests(rows *out, const floater *f, int n, double seconds, const char *mesh) {
    rheo_sim *sim;
    rheo_body_stats first, now;
    double drift = 0;
    char setup[SETUP_NAME], quantity[64];
    rows_format(setup, sizeof setup, "neutral %s at (%.3f %.3f %.3f)", form_names[f->form], f->at[0],
                f->at[1], f->at[2]);
    if (!rows_wants(out, setup)) return RHEO_OK;
    rheo_status status = start(&sim, f, f->at[1], n, mesh, out);
    if (status) return status;
    rheo_read_body(&first, NULL, sim, 0);
    rheo_frame_stats stats = {0};
    while (!status && stats.time < seconds - 1e-9) {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        rheo_read_body(&now, NULL, sim, 0);
        double moved = 0;
        for (int a = 0; a < 3; ++a)
            moved += (now.position[a] - first.position[a]) * (now.position[a] - first.position[a]);
        drift = fmax(drift, sqrt(moved) * n);
    }
    rheo_free_sim(sim);
    if (status) return status;
    rows_format(quantity, sizeof quantity, "%s: drift, cells", setup);
    rows_put(out, &(row){.name = "buoyancy",
                         .quantity = quantity,
                         .n = n,
                         .ours = drift,
                         .reference = 0,
                         .error = drift,
                         .order = (double)NAN,
                         .wanted = "<= 0.1 cell in 5 s",
                         .pass = drift <= DRIFT_LIMIT});
    return RHEO_OK;
}

rheo_status reproduce_buoyancy(rows *out) {
    static const floater floating[] = {
        {BALL, 0.5, {0.4937, 0, 0.5053}},       {BALL, 0.1, {0.5071, 0, 0.4913}},
        {TILTED_BOX, 0.6, {0.5021, 0, 0.4967}}, {BALL, 0.95, {0.5019, 0, 0.5087}},
        {TILTED_BOX, 0.3, {0.5021, 0, 0.4967}}, {TILTED_BOX, 0.9, {0.4981, 0, 0.5043}},
        {TILTED_BOX, 0.1, {0.5021, 0, 0.4967}}, {TILTED_BOX, 0.95, {0.4981, 0, 0.5043}},
        {RING, 0.25, {0.5033, 0, 0.4979}},      {RING, 0.75, {0.5033, 0, 0.4979}},
        {RING, 0.1, {0.5033, 0, 0.4979}},       {RING, 0.95, {0.5033, 0, 0.4979}},
        {LOBES, 0.1, {0.5011, 0, 0.5063}},      {LOBES, 0.3, {0.5011, 0, 0.5063}},
        {LOBES, 0.5, {0.5011, 0, 0.5063}},      {LOBES, 0.8, {0.5011, 0, 0.5063}},
        {LOBES, 0.95, {0.5011, 0, 0.5063}}};
    static const floater neutral[] = {
        {BALL, 1, {0.5013, 0.2531, 0.4971}},       {BALL, 1, {0.4877, 0.2793, 0.5119}},
        {TILTED_BOX, 1, {0.5013, 0.2531, 0.4971}}, {TILTED_BOX, 1, {0.4877, 0.2793, 0.5119}},
        {LOBES, 1, {0.5013, 0.2531, 0.4971}},      {LOBES, 1, {0.4877, 0.2793, 0.5119}}};
    const int n = out->quick ? 32 : 64;
    const double from = out->quick ? 1 : WATCH_FROM, to = out->quick ? 1.8 : WATCH_TO;
    char mesh[LOBED_PATH];
    rheo_status status = lobed_mesh_write(mesh, 0.14, out->report);
    if (status) return status;
    rows_title(out, "unit tank, water to %g m, apic; means from %g to %g s, densities in that of the water",
               LEVEL, from, to);
    rows_put_header(out);
    const int last = (int)(sizeof floating / sizeof *floating);
    for (int i = 0; i < (out->quick ? 1 : last) && !status; ++i)
        status = floats(out, &floating[i], n, from, to, mesh);
    for (int i = 0; i < 6 && !status; i += out->quick ? 2 : 1)
        status = rests(out, &neutral[i], out->quick ? 24 : n, out->quick ? 0.5 : DRIFT_TIME, mesh);
    remove(mesh);
    return status;
}
