/* Heat that is carried: liquid in flight at one velocity, hot behind and cold in front.
 *
 * Exactly, the step between them stays one. Upwind differences (Carlson 2004, equation 50) smear it as a
 * diffusivity of u dx / 2 (1 - C) would, C the share of a cell that crosses at a time: sigma^2 = dx X (1 - C)
 * after a way X. `mac` has that scheme, with markers' mass as the flux, so that heat is kept and nothing
 * becomes hotter or colder: markers lie two along a cell, and half of them cross at a time. Other methods
 * carry heat with particles, and keep the step. sigma is sqrt(pi) times the integral of y (1 - y), y the
 * temperature between the two. */
#include "cases.h"

#include <math.h>
#include "sim/mac.h"
#include "thick.h"

#define WAY  1.0 /* m */
#define HIGH 0.3 /* m, of the liquid */
#define WARM 60.0
#define COOL 20.0

typedef struct carried {
    double variance; /* m2 */
    double kept;     /* heat over what it was, less 1 */
    double beyond;   /* K by which anything is out of what meets */
} carried;

static double variance_of(const thick *t, const markers *m) {
    const particles *p = &m->parts;
    const double share = t->s->g.dx * t->s->g.dx / (double)m->full / HIGH;
    double sum = 0;
    for (size_t i = 0; i < p->count; ++i) {
        const double y = ((double)p->extra[m->warmth.temperature][i] - COOL) / (WARM - COOL);
        sum += y * (1 - y) * share;
    }
    return M_PI * sum * sum;
}

static rheo_status carry(carried *c, rows *out, const char *method, int n) {
    thick t;
    rheo_frame_stats before, after;
    rheo_status status = thick_open(
        &t, out,
        "domain: { dim: 2, size: [2, 0.5], cells: %d }\ntime: { frames: 1, fps: %.17g }\ngravity: [0, 0, 0]\n"
        "solver: { method: %s }\nheat: { ambient: %g }\n"
        "fluids:\n"
        "  - { name: hot, density: 1000, viscosity: 0, conductivity: 0, heat_capacity: 4000, temperature: %g,"
        " velocity: [1, 0, 0], fill: [ { box: { min: [0.2, 0.1, 0], max: [0.5, 0.4, 1] } } ] }\n"
        "  - { name: cold, density: 1000, viscosity: 0, conductivity: 0, heat_capacity: 4000, temperature: "
        "%g,"
        " velocity: [1, 0, 0], fill: [ { box: { min: [0.5, 0.1, 0], max: [0.8, 0.4, 1] } } ] }\n",
        n, 1 / WAY, method, COOL, WARM, COOL);
    if (status) goto out;
    rheo_read_stats(&before, t.s);
    if ((status = thick_advance(&t, out, 0))) goto out;
    rheo_read_stats(&after, t.s);
    const int grid = t.s->def.method == RHEO_MAC;
    c->variance = variance_of(&t, grid ? &mac_of(t.s)->markers : &liquid_of(t.s)->markers);
    c->kept = after.heat / before.heat - 1;
    c->beyond = fmax(COOL - after.temperature[0], after.temperature[1] - WARM);
out:
    thick_close(&t);
    return status;
}

static void put(rows *out, const char *method, const char *what, int n, double ours, double exact,
                double error, double order, const char *wanted, int pass) {
    char quantity[64];
    rows_format(quantity, sizeof quantity, "%s: %s", method, what);
    thick_row(out, "upwind-heat", quantity, n, (double[]){ours, exact, error}, order, wanted, pass);
}

static rheo_status carry_by(rows *out, const char *method, int upwind) {
    double before = NAN;
    carried c = {0};
    const int most = out->quick ? 80 : 160;
    rheo_status status = RHEO_OK;
    for (int n = 40; n <= most && !status; n *= 2) {
        if ((status = carry(&c, out, method, n))) break;
        const double smeared = 2.0 / n * WAY, ratio = c.variance / smeared,
                     order = rows_order(before, c.variance, 2);
        const int last = n == most;
        if (upwind)
            put(out, method, "sigma^2 over dx X", n, ratio, 0.5, ratio / 0.5 - 1, order,
                last ? "0.4 to 1.1, order 1 (0.8 to 1.2)" : NULL,
                ratio >= 0.4 && ratio <= 1.1 && order >= 0.8 && order <= 1.2);
        else
            put(out, method, "sigma^2 over dx X", n, ratio, 0, ratio, NAN, last ? "0: at most 0.01" : NULL,
                ratio <= 0.01);
        before = c.variance;
    }
    if (status) return status;
    put(out, method, "heat kept", most, 1 + c.kept, 1, c.kept, NAN, "within 1e-6", fabs(c.kept) <= 1e-6);
    put(out, method, "K beyond what meets", most, c.beyond, 0, c.beyond, NAN, "at most 1e-4",
        c.beyond <= 1e-4);
    return RHEO_OK;
}

rheo_status reproduce_upwind_heat(rows *out) {
    rows_title(out, "liquid in flight, hot behind and cold in front: how wide the step between them becomes");
    rows_put_header(out);
    const rheo_status status = carry_by(out, "mac", 1);
    return status ? status : carry_by(out, "flip", 0);
}
