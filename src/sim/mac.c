/* The marker-and-cell method (Carlson 2004, chapter 3; Harlow and Welch 1965).
 *
 *   du/dt + div(u u) = - grad p / rho + nu lap u + g,   div u = 0,   p = 0 in the air
 *
 * The grid alone carries velocity. Markers say which cells are liquid and bring velocity into cells that
 * fill; convection and diffusion are explicit, and the projection makes the result divergence-free. The steps
 * below are Carlson's 1-5 in his order.
 *
 * Where we depart, and why: p = 0 lies on the faces towards air, not in the air cell's centre
 * (stage/mac/cells.c); low viscosities get the diffusion that forward Euler lacks (stage/mac/momentum.c);
 * velocity beyond the surface is carried out by layers, not copied from the nearest face; the markers'
 * density is evened out by moving them as in the other methods (solver.volume_correction: false leaves that
 * out).
 *
 * An emitter that runs is a boundary: faces in its shape are closed to the pressure and move at its velocity,
 * markers in it move at exactly that, and the cells through which its liquid enters are sources of v A in all
 * (stage/transport/emit.c).
 *
 * Limits: one viscosity, that of the first fluid; the step shrinks with dx^2 / nu. */
#include "sim/mac.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "particle/transfer.h"
#include "solid/curve.h"
#include "stage/mac/mac.h"
#include "stage/surface/surface.h"

enum { LAYERS = 3 }; /* of velocity around the liquid: a step crosses less than one cell */
#define MARKERS_MOST 4

/* Kinematic, m2/s. */
static double viscosity(const rheo_sim *s) {
    return s->def.fluid_count ? s->def.fluids[0].viscosity / s->def.fluids[0].density : 0;
}

/* What carries markers: the flow, and the displacement that evens them out. That is as long in a short step
 * as in a long one, so as a speed it grows when steps shrink: it counts up to MARKERS_MOST times the flow, or
 * steps would shrink without end. */
static double carrying_speed(const rheo_sim *s) {
    double flow[3], carry[3];
    mac_speed(flow, &s->g, &s->vel);
    mac_speed(carry, &s->g, &s->carry);
    return fmin(carry[0] + carry[1] + carry[2], MARKERS_MOST * (flow[0] + flow[1] + flow[2]));
}

double mac_dt_limit(const rheo_sim *s, double time) {
    double g[3];
    rheo_evaluate_curve(g, &s->def.gravity, time);
    const double flow = fmax(carrying_speed(s), liquid_emitter_speed(s, time, curve_largest));
    const double pull = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return fmin(mac_stable_dt(&s->g, flow + liquid_wall_speed(s, time), pull, viscosity(s), s->def.cfl),
                liquid_light_body_limit(s, pull));
}

/* The surface to draw and to measure, from the markers' density as in the other methods. */
static void draw_surface(rheo_sim *s) {
    mac_field *unused = &s->before, *weight = &s->carry;
    particles_to_grid(unused, weight, &s->g, &s->parts, 0);
    surface_from_weights(s->density, s->phi, &s->g, weight, s->room, s->full);
    if (s->def.solid_count) surface_into_solids(s->phi, &s->front, &s->g, s->room, NULL);
}

static void extend_velocity(mac_field *u, rheo_sim *s) {
    liquid_extrapolate(u, LAYERS, NULL, 0, s, s->cell_phi);
    mac_mirror_walls(u, &s->g, &s->open, s->def.no_slip);
}

static void swap_fields(mac_field *a, mac_field *b) {
    const mac_field kept = *a;
    *a = *b;
    *b = kept;
}

/* Markers and bodies to where they are at the end of the step; markers of emitters too. */
static rheo_status move_all(rheo_sim *s, uint8_t *cells_before, double dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    rheo_status status;
    timer_stage(&s->timer, "advect");
    liquid_find_room(s, dt);
    mac_mark_cells(cells_before, g, &s->parts, &s->open);
    if (s->source && (status = liquid_carry_emitted(s, dt, report))) return status;
    if ((status = liquid_remember(s, report))) return status;
    mac_move_markers(&s->parts, g, &s->carry, cells_before, s->source ? s->keep : NULL, dt);

    timer_stage(&s->timer, "solids");
    if ((status = liquid_move_bodies(s, dt, report))) return status;
    if (s->moving && (status = liquid_place_solids(s, s->time + dt, report))) return status;
    if ((status = liquid_hold_particles(s, report))) return status;

    timer_stage(&s->timer, "sort");
    if (particles_sort(&s->parts, g)) return report_no_memory(report, "particles");
    return liquid_emit(s, dt, report);
}

/* Faces of walls and bodies take their velocity; returns the openings that emitters have closed. */
static openings *set_walls(rheo_sim *s, double dt) {
    openings *open = liquid_close_emitters(s, dt);
    mac_set_walls(&s->vel, &s->g, open);
    return open;
}

rheo_status mac_step(rheo_sim *s, double dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    uint8_t *cells_before = s->front.layer;
    double gravity[3];
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time + 0.5 * dt);
    rheo_status status = move_all(s, cells_before, dt, report);
    if (status) return status;

    timer_stage(&s->timer, "cells");
    mac_mark_cells(s->cells, g, &s->parts, &s->open);
    mac_cell_distance(s->cell_phi, g, s->cells);
    mac_fill_new_cells(&s->vel, g, s->cells, cells_before, &s->parts);
    liquid_drive_emitters(&s->vel, s, dt);
    openings *open = set_walls(s, dt);
    mac_close_surface(&s->vel, g, s->cells, open, s->source);

    timer_stage(&s->timer, "surface");
    draw_surface(s);

    timer_stage(&s->timer, "momentum");
    const mac_solids solids = {s->solid, s->solids};
    mac_momentum(&s->before, g, &s->vel, s->cells, open, s->walls ? &s->open.open : NULL, viscosity(s),
                 gravity, s->def.no_slip, s->walls ? &solids : NULL, dt);
    swap_fields(&s->vel, &s->before);
    /* bodies not before the liquid: momentum would mix their falls */
    if ((status = liquid_pull_bodies(s, gravity, dt, report))) return status;
    open = set_walls(s, dt);
    mac_close_surface(&s->vel, g, s->cells, open, s->source);

    timer_stage(&s->timer, "pressure");
    const float *phi = s->cell_phi;
    if ((status = liquid_project(s, open, &phi, dt, report))) return status;
    if ((status = liquid_end_projection(s, open, phi, dt, report))) return status;

    timer_stage(&s->timer, "extrapolate");
    extend_velocity(&s->vel, s);
    extend_velocity(&s->carry, s);

    timer_stage(&s->timer, "from grid");
    memset(s->parts.spray, 0,
           s->parts.count); /* every marker follows the grid; spray only says what is drawn */
    particles_from_grid(&s->parts, g, &s->vel, &s->before, 0, 0, NULL);
    surface_mark_spray(&s->parts, g, s->phi);
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}
