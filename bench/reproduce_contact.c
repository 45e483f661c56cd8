/* Contact of bodies against mechanics, first dry (dry_contact.c), then with water around.
 *
 * Dry: a stack rests; a ball rolls down a slope with 5/7 g sin and slips with g (sin - mu cos) beyond the
 * cone; a box is held below tan = mu and slides with g (sin - mu cos) above it; a bounce keeps e^2 of the
 * height; piles of eight kinds of shapes do not sink into each other. Wet: a stack stands under water, heavy
 * or hardly heavier than it; a pile of the same shapes, some of them lighter than water, falls through the
 * surface and onto each other.
 *
 * Overlap: the largest of any pair of solids in any frame, with points a quarter of a cell apart; the grid is
 * that of the liquid, the dry cases have cells of 1/32 m. */
#include "cases.h"

#include <math.h>
#include <unistd.h>
#include "basin.h"
#include "dry_contact.h"
#include "sim/liquid.h"

#define PI             3.14159265358979323846
#define OVERLAP_LIMIT  0.1  /* cells */
#define STILL          0.02 /* cells a second */
#define STILL_IN_WATER 0.1

/* `ours` against a reference, within `limit` of it. */
static void put(rows *out, const char *quantity, int n, double ours, double reference, double limit,
                const char *wanted) {
    const double error = fabs(ours - reference);
    rows_put(out, &(row){.name = "contact",
                         .quantity = quantity,
                         .n = n,
                         .ours = ours,
                         .reference = reference,
                         .error = error,
                         .order = (double)NAN,
                         .wanted = wanted,
                         .pass = error <= limit});
}

static void put_overlap(rows *out, const char *what, int n, double overlap) {
    char quantity[80];
    rows_format(quantity, sizeof quantity, "%s: overlap, cells", what);
    put(out, quantity, n, overlap, 0, OVERLAP_LIMIT, "<= 0.1");
}

/* ---- dry ---- */

static rheo_status stacks(rows *out) {
    rheo_status status = RHEO_OK;
    for (int boxes = 3; boxes <= 5 && !status; ++boxes) {
        stack_result r;
        char what[SETUP_NAME], quantity[80];
        rows_format(what, sizeof what, "dry stack of %d", boxes);
        if (!rows_wants(out, what)) continue;
        if ((status = dry_stack(&r, boxes, 0.1, 0.01, out->report))) break;
        put_overlap(out, what, 32, r.overlap);
        rows_format(quantity, sizeof quantity, "%s: drift, cells/s", what);
        put(out, quantity, 32, r.drift, 0, STILL, "<= 0.02");
    }
    return status;
}

static rheo_status slopes(rows *out) {
    const double mu = 0.5, edge = atan(mu) * 180 / PI;
    static const double steeper[] = {-6, -2, 0.5, 2, 6};
    roll_result roll;
    rheo_status status = dry_roll(&roll, 0, 20, mu, 0, out->report);
    if (status) return status;
    put(out, "ball rolls, 20 degrees: a / (g sin)", 32, roll.acceleration, 5.0 / 7, 0.005, "within 0.005");
    put(out, "ball rolls: radius x spin / speed", 32, roll.spin, 1, 0.005, "within 0.005");
    if ((status = dry_roll(&roll, 0, 45, 0.1, 0, out->report))) return status;
    put(out, "ball slips, mu 0.1, 45 degrees: a / (g sin)", 32, roll.acceleration, 0.9, 0.01, "within 0.01");
    for (size_t i = 0; i < sizeof steeper / sizeof *steeper && !status; ++i) {
        const double degrees = edge + steeper[i], angle = degrees * PI / 180;
        const double wanted = fmax(0, sin(angle) - mu * cos(angle));
        double a = 0;
        char quantity[80];
        status = dry_slide(&a, degrees, mu, 0, out->report);
        rows_format(quantity, sizeof quantity, "box, mu 0.5, %.2f degrees: a / g", degrees);
        if (!status) put(out, quantity, 32, a, wanted, 0.002 + 0.01 * wanted, "within 0.002 + 1 %");
    }
    double held = 0;
    if (!status) status = dry_slide(&held, edge + 4, mu, 0.8, out->report);
    if (!status) put(out, "box, held by static friction 0.8: a / g", 32, held, 0, 1e-4, "<= 1e-4");
    return status;
}

static rheo_status bounces(rows *out) {
    static const double shares[] = {0, 0.5, 0.8, 1};
    rheo_status status = RHEO_OK;
    for (int i = 0; i < 4; ++i) {
        bounce_result r;
        char quantity[80];
        if ((status = dry_bounce(&r, shares[i], out->report))) break;
        rows_format(quantity, sizeof quantity, "bounce, restitution %g: height / drop", shares[i]);
        put(out, quantity, 32, r.height, shares[i] * shares[i], 0.015, "within 0.015");
        rows_format(quantity, sizeof quantity, "bounce, restitution %g", shares[i]);
        put_overlap(out, quantity, 32, r.sunk);
    }
    return status;
}

static rheo_status piles(rows *out) {
    static const char *const names[] = {"dry pile in a box", "dry pile in a bowl", "dry pile in the plane"};
    rheo_status status = RHEO_OK;
    for (int i = 0; i < 3; ++i) {
        pile_result r;
        if (!rows_wants(out, names[i])) continue;
        if ((status = dry_pile(&r, (pile_place)i, out->report))) break;
        put_overlap(out, names[i], 32, r.overlap);
    }
    return status;
}

/* ---- with water ---- */

static double sim_overlap(const rheo_sim *s) {
    return contact_overlap(&s->def, s->solid_shape, s->world, s->g.dx, s->clock.time) / s->g.dx;
}

static rheo_status wet_stack(rows *out, double density, double seconds) {
    enum { BOXES = 4, CELLS = 48 };
    char what[SETUP_NAME], quantity[80];
    rows_format(what, sizeof what, "stack of %d under water, density %g", BOXES, density);
    if (!rows_wants(out, what)) return RHEO_OK;
    basin b = basin_make(3, 0.4, 0.75, 0.4, CELLS, 0.6137);
    rheo_sim *sim;
    for (int i = 0; i < BOXES; ++i)
        basin_add(&b, basin_box(0.2 + 0.004 * i, 0.053 + 0.103 * i, 0.2, 0.05, 0.05, 0.05), density);
    rheo_status status = basin_run(&sim, &b, out->threads, out->report);
    if (status) return status;
    rheo_frame_stats stats = {0};
    rheo_body_stats before[BOXES], now;
    double overlap = 0, drift = 0;
    int watched = 0;
    while (!status && stats.time < seconds - 1e-9) {
        if (!watched && stats.time > seconds - 1 - 1e-9) {
            for (int i = 0; i < BOXES; ++i) rheo_read_body(&before[i], NULL, sim, i);
            watched = 1;
        }
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        overlap = fmax(overlap, sim_overlap(sim));
    }
    for (int i = 0; i < BOXES && !status; ++i) {
        rheo_read_body(&now, NULL, sim, i);
        for (int a = 0; a < 3; ++a)
            drift = fmax(drift, fabs(now.position[a] - before[i].position[a]) / sim->g.dx);
    }
    rheo_free_sim(sim);
    if (status) return status;
    put_overlap(out, what, CELLS, overlap);
    rows_format(quantity, sizeof quantity, "%s: drift, cells/s", what);
    put(out, quantity, CELLS, drift, 0, STILL_IN_WATER, "<= 0.1");
    return RHEO_OK;
}

static rheo_status wet_pile(rows *out, double seconds) {
    enum { CELLS = 112 };
    static const char *const what = "pile dropped through water";
    static const double densities[3] = {2.5, 0.6, 4};
    if (!rows_wants(out, what)) return RHEO_OK;
    basin b = basin_make(3, 0.35, 1.75, 0.35, CELLS, 0.6137);
    rheo_shape parts[PILE_KINDS][PILE_PARTS];
    char mesh[PILE_PATH];
    rheo_sim *sim;
    rheo_status status = pile_mesh_write(mesh, out->report);
    if (status) return status;
    for (int i = 0; i < PILE_KINDS; ++i) {
        const double x = 0.175 + 0.05 * ((i * 3) % 4 - 1.5) / 1.5, z = 0.175 + 0.05 * ((i * 5) % 3 - 1);
        rheo_shape s = pile_shape(i, x, 0.7 + 0.13 * i, z, mesh, parts[i]);
        s.rotate_axis[0] = 1;
        s.rotate_degrees = 17 * i;
        basin_add(&b, s, densities[i % 3]);
    }
    b.scene.fps = 60;
    status = basin_run(&sim, &b, out->threads, out->report);
    unlink(mesh);
    if (status) return status;
    rheo_frame_stats stats = {0};
    double overlap = 0;
    while (!status && stats.time < seconds - 1e-9) {
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
        overlap = fmax(overlap, sim_overlap(sim));
    }
    rheo_free_sim(sim);
    if (!status) put_overlap(out, what, CELLS, overlap);
    return status;
}

rheo_status reproduce_contact(rows *out) {
    static const double densities[] = {2.5, 1.1, 8};
    rows_title(out, "%s", "bodies against mechanics, dry (n: cells a metre) and in water");
    rows_put_header(out);
    rheo_status status = stacks(out);
    if (!status && rows_wants(out, "slopes")) status = slopes(out);
    if (!status && rows_wants(out, "bounces")) status = bounces(out);
    if (!status && !out->quick) status = piles(out);
    for (int i = 0; i < (out->quick ? 1 : 3) && !status; ++i)
        status = wet_stack(out, densities[i], out->quick ? 1.2 : 3);
    if (!status) status = wet_pile(out, out->quick ? 0.4 : 2.5);
    return status;
}
