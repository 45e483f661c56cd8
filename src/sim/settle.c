/* Settling a fill before time begins.
 *
 * A fill of one particle an octant shows a surface that is uneven: by a tenth of a cell where walls cut it,
 * by less elsewhere (jitter). Released as it is, this becomes waves, and a scheme that keeps momentum well
 * carries them for many seconds. Now let a force field - grad d act, with d the distance to the fill's own
 * surface (stage/fill.h): in it that surface is level and the filled shape, whatever it is, at rest; only
 * what is uneven moves. Each round finds the particles' surface, adds the field to what is left of the last
 * round's velocity, makes it free of divergence and moves the particles. For a wave of height h and wave
 * number k, h' - h = HELD (h - h_before) - k dt^2 h,   k dt^2 <= pi STEP^2 < 2 (1 + HELD), a heavy ball
 * (Polyak 1964) that loses about sqrt(HELD) of every wave a round, long ones more slowly. Particles move by
 * fractions of a cell; their velocities, the time and the volume stay.
 *
 * Limits: one field for all fills, so fills that touch settle as one; a thin sheet beside a pool is moved
 * with it, and its surface then encloses some percent less. A fill that is nowhere deep is left as it is.
 * What a fill level does not touch, the few particles that cut cells hold along walls, is settled only as far
 * as their own density shows it. */
#include "sim/settle.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "particle/transfer.h"
#include "stage/fill.h"
#include "stage/forces.h"
#include "stage/surface.h"

enum { ROUNDS = 16, ITERATIONS = 50, LAYERS = 3 };
#define HELD      0.6  /* of the velocity, from round to round */
#define STEP      0.6  /* of sqrt(dx / 1 m/s2), the field's strength */
#define DEEP      2.5f /* cells */
#define TOLERANCE 1e-4 /* of the solve */

/* The particles' surface; what they bring as a velocity goes nowhere. */
static void find_surface(rheo_sim *s, mac_field *unused) {
    particles_to_grid(unused, &s->carry, &s->g, &s->parts, 0);
    surface_from_weights(s->density, s->phi, &s->g, &s->carry, s->room, s->full);
    if (s->def.solid_count) surface_beside_walls(s->phi, &s->g, s->density, s->room, s->solid, &s->open);
    if (s->def.solid_count) surface_into_solids(s->phi, &s->front, &s->g, s->room, NULL);
}

static rheo_status settle_round(rheo_sim *s, mac_field *unused, const float *level, rheo_report *report) {
    const mac_grid *g = &s->g;
    const double dt = STEP * sqrt(g->dx);
    if (particles_sort(&s->parts, g)) return report_no_memory(report, "particles");
    find_surface(s, unused);
    forces_add_field(&s->vel, g, level, HELD, dt);
    wrap_faces(&s->vel, g);
    if (pressure_assemble(s->solver, &s->work, g, &s->open, s->phi))
        return report_no_memory(report, "the pressure solve");
    pressure_project(&s->vel, s->q, s->solver, &s->work, g, &s->open, s->phi, TOLERANCE, ITERATIONS);
    liquid_correct_drift(s, &s->open, s->phi, dt);
    liquid_extrapolate(&s->vel, LAYERS, &s->carry, LAYERS, s, s->phi);
    particles_remember(&s->parts, s->g.pool);
    particles_advect(&s->parts, g, &s->carry, dt);
    return liquid_hold_particles(s, report);
}

/* Whether some cell lies well below the level: drops and sheets of a few cells have no inside to settle on.
 */
static int is_deep(const float *level, const mac_grid *g) {
    float deepest = 0;
    for (size_t c = 0; c < g->box.size; ++c) deepest = fminf(deepest, level[c]);
    return deepest < -DEEP * (float)g->dx;
}

/* Keyed solids stand still until time begins; liquid_begin() lets them go. */
static void hold_solids(rheo_sim *s) {
    for (int i = 0; i < s->def.solid_count; ++i)
        for (int a = 0; a < 3; ++a) s->solids[i].now.velocity[a] = s->solids[i].now.spin[a] = 0;
    if (s->moving) solids_wall_velocity(&s->open, &s->g, s->solids, s->walls);
}

rheo_status settle_fill(rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    mac_field unused = {{0}};
    float *level = mem_alloc(g->box.size * sizeof *level);
    rheo_status status = RHEO_OK;
    if (mac_field_make(&unused, g) || !level) status = report_no_memory(report, "the fill");
    if (!status)
        fill_level(level, s->front.layer, g, &s->open, s->def.solid_count ? s->solid : NULL, s->fill,
                   s->fill_count);
    hold_solids(s);
    const int rounds = !status && is_deep(level, g) ? ROUNDS : 0;
    for (int round = 0; round < rounds && !status; ++round) status = settle_round(s, &unused, level, report);
    memset(s->q, 0, g->box.size * sizeof *s->q);
    mac_field_free(&unused);
    mem_free(level);
    return status;
}
