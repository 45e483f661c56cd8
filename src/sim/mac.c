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
 * Heat goes with the markers, which have the temperature of their cell at the end of each step: upwind
 * convection (equation 50) with the mass that crosses as the flux (stage/heat/heat_blend.c).
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
#include "sim/bodies.h"
#include "sim/clock.h"
#include "sim/definition.h"
#include "sim/drift.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "solid/vector.h"
#include "stage/mac/mac.h"
#include "stage/surface/surface.h"

/* Of velocity around the liquid: a step crosses less than one cell. At the start, when nothing is projected
 * yet, farther: beside solids the liquid is thinner than what has a velocity of its own for some cells. */
enum { LAYERS = 3, FIRST_LAYERS = 4, FIRST_LAYERS_BESIDE = 7 };
#define MARKERS_MOST 4

static const quiet_limits as_solved = {0, 0};

/* Kinematic, m2/s. */
static double viscosity(const rheo_scene *def, double time) {
    return def->fluid_count ? definition_viscosity(&def->fluids[0], time) / def->fluids[0].density : 0;
}

/* Walls are free unless the scene says that they are not. */
static int sticks(const rheo_sim *s) {
    return definition_slip(&s->def, NULL) < RHEO_SLIP_FREE;
}

/* ---- how long ---- */

/* What carries markers: the flow, and the displacement that evens them out. That is as long in a short step
 * as in a long one, so as a speed it grows when steps shrink: it counts up to MARKERS_MOST times the flow, or
 * steps would shrink without end. */
static double carrying_speed(const rheo_sim *s) {
    const mac *m = mac_of(s);
    double flow[3], carry[3];
    mac_speed(flow, &s->g, &m->vel);
    mac_speed(carry, &s->g, &m->carry);
    return fmin(carry[0] + carry[1] + carry[2], MARKERS_MOST * (flow[0] + flow[1] + flow[2]));
}

/* What flow, gravity and viscosity allow. */
static double mac_dt_limit(const rheo_sim *s, double time) {
    double g[3];
    sim_gravity(g, s, time);
    const double flow = fmax(carrying_speed(s), emitters_speed(s, time, curve_largest));
    const double pull = vec_length(g);
    return fmin(
        mac_stable_dt(&s->g, flow + step_wall_speed(s, time), pull, viscosity(&s->def, time), s->def.cfl),
        step_limit_light_bodies(s, pull));
}

/* Steps count the axes' speeds together, about twice the largest. */
static double mac_foretell(const rheo_scene *scene, double dx, double speed, double acceleration) {
    const mac_grid grid = {.box = {.dim = scene->dim}, .dx = dx};
    return mac_stable_dt(
        &grid, 2 * speed, acceleration,
        scene->fluid_count ? definition_thickest(&scene->fluids[0]) / scene->fluids[0].density : 0,
        scene->cfl);
}

/* ---- the stages that are the method's own ---- */

/* Markers of emitters move as these do. */
static rheo_status carry_emitted(mac *m, rheo_sim *s, double dt, rheo_report *report) {
    return s->def.emitter_count ? emitters_carry(&m->markers, &m->emitters, &m->walls, s, dt, report)
                                : RHEO_OK;
}

static void move_markers(mac *m, const uint8_t *cells_before, rheo_sim *s, double dt) {
    mac_move_markers(&m->markers.parts, &s->g, &m->carry, cells_before,
                     s->def.emitter_count ? m->markers.keep : NULL, dt);
}

/* The surface to draw and to measure, from the markers' density as in the other methods. */
static void draw_surface(mac *m, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    mac_field *unused = scratch_faces(&s->scratch), *weight = scratch_faces(&s->scratch);
    particles_to_grid(unused, weight, &s->g, &m->markers.parts, 0);
    markers_surface(&m->markers, weight, &m->walls, s);
    scratch_back(&s->scratch, mine);
}

/* Walls have their velocity, and surface cells no divergence where that is theirs to decide. */
static void close_cells(mac *m, const projecting *on, rheo_sim *s) {
    mac_set_walls(&m->vel, &s->g, on->faces);
    mac_close_surface(&m->vel, &s->g, m->cells, on->faces, on->work.source);
}

static void change_momentum(mac *m, const projecting *on, rheo_sim *s, const double gravity[3], double dt) {
    const scratch_count mine = s->scratch.lent;
    const mac_solids solids = {m->walls.solid, s->solids};
    mac_field *changed = scratch_faces(&s->scratch);
    mac_momentum(changed, &s->g, &m->vel, m->cells, on->faces, s->wall_count ? &m->walls.open.open : NULL,
                 viscosity(&s->def, s->clock.time + 0.5 * dt), gravity, sticks(s),
                 s->wall_count ? &solids : NULL, dt);
    const mac_field old = m->vel;
    m->vel = *changed;
    *changed = old;
    scratch_back(&s->scratch, mine);
}

static void extend(mac_field *u, mac *m, rheo_sim *s) {
    walls_extend(u, LAYERS, NULL, 0, &m->walls, s, m->cell_phi, &as_solved, sticks(s));
    solids_mirror_sides(u, &s->g, &m->walls.open, sticks(s) ? 0 : INFINITY);
}

static void find_carry(mac *m, const projecting *on, rheo_sim *s) {
    const poisson_result drift = drift_correct(&m->carry, &m->vel, on, &m->projection, &m->markers, s);
    projection_keep_worst(&s->stats.density, &drift);
}

/* Every marker follows the grid; spray only says what is drawn. */
static void follow_grid(mac *m, rheo_sim *s) {
    memset(m->markers.parts.spray, 0, m->markers.parts.count);
    particles_from_grid(&m->markers.parts, &s->g, &m->vel, &(mac_field){{0}}, 0, 0, NULL);
    surface_mark_spray(&m->markers.parts, &s->g, m->markers.phi);
}

/* ---- the step ---- */

rheo_status mac_step(rheo_sim *s, double dt, rheo_report *report) {
    mac *m = mac_of(s);
    const mac_grid *g = &s->g;
    const scratch_count mine = s->scratch.lent;
    uint8_t *cells_before = scratch_marks(&s->scratch);
    rheo_status status;
    double gravity[3];
    sim_gravity(gravity, s, s->clock.time + 0.5 * dt);

    timer_stage(&s->timer, "advect");
    emitters_find_vacancy(&m->emitters, &m->markers, &m->walls, s, dt);
    mac_mark_cells(cells_before, g, &m->markers.parts, &m->walls.open);
    TRY(carry_emitted(m, s, dt, report));
    TRY(markers_remember(&m->markers, &m->walls, s, report));
    move_markers(m, cells_before, s, dt);

    timer_stage(&s->timer, "solids");
    TRY(bodies_move(s, dt, report));
    TRY(walls_move(&m->walls, s, s->clock.time + dt, report));
    TRY(markers_boundary(&m->markers, &m->walls, s, report));

    timer_stage(&s->timer, "sort");
    TRY(markers_sort(&m->markers, s, report));
    TRY(markers_appear(&m->markers, &m->walls, s, report));
    TRY(emitters_emit(&m->markers, &m->emitters, &m->walls, s, dt, report));

    timer_stage(&s->timer, "cells");
    mac_mark_cells(m->cells, g, &m->markers.parts, &m->walls.open);
    mac_cell_distance(m->cell_phi, g, m->cells);
    mac_fill_new_cells(&m->vel, g, m->cells, cells_before, &m->markers.parts);
    emitters_give(&m->vel, NULL, &m->emitters, &m->walls, s, dt);
    projecting on = projection_faces(&m->projection, &m->walls, &m->emitters, s, m->cell_phi, dt);
    close_cells(m, &on, s);

    timer_stage(&s->timer, "surface");
    draw_surface(m, s);

    if (m->heat.on) timer_stage(&s->timer, "heat");
    heat_step(&m->heat, &m->markers, &m->walls, s, dt);

    timer_stage(&s->timer, "momentum");
    change_momentum(m, &on, s, gravity, dt);

    timer_stage(&s->timer, "bodies"); /* not before the liquid: momentum would mix their falls */
    TRY(bodies_pull(&m->walls, s, gravity, dt, m->projection.q_dt, report));
    projection_walls(&on, &m->walls, s);
    close_cells(m, &on, s);

    timer_stage(&s->timer, "pressure");
    TRY(projection_solve(&m->vel, &on, &m->projection, &m->walls, s, report));
    TRY(projection_end(&m->vel, &on, &m->projection, &m->walls, &m->emitters, s, report));

    timer_stage(&s->timer, "volume");
    find_carry(m, &on, s);
    scratch_back(&s->scratch, mine);

    timer_stage(&s->timer, "extrapolate");
    extend(&m->vel, m, s);
    extend(&m->carry, m, s);

    timer_stage(&s->timer, "from grid");
    follow_grid(m, s);
out:
    scratch_back(&s->scratch, mine);
    timer_stage(&s->timer, NULL);
    return status;
}

/* ---- the start ---- */

static void mac_list(rheo_sim *s) {
    mac *m = mac_of(s);
    markers_list(&m->markers, s);
    field_kept(&s->fields, "vel", FIELD_FACES, &m->vel);
    field_kept(&s->fields, "carry", FIELD_FACES, &m->carry);
    field_held(&s->fields, FIELD_MARKS, &m->cells);
    field_held(&s->fields, FIELD_CELLS, &m->cell_phi);
    walls_list(&m->walls, s, 1);
    emitters_list(&m->emitters, s);
    projection_list(&m->projection, &m->walls, s);
    heat_list(&m->heat, s);
    m->heat.upwind = 1;
    /* heat comes while the two of projection_faces() are lent, and needs five more (sim/heat.c) */
    s->fields.borrowed = (scratch_count){.faces = 3, .cells = m->heat.on ? 7 : 3, .marks = 3};
}

/* Fields of the markers as they are, without moving anything. */
static rheo_status begin(mac *m, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    mac_field *weight = scratch_faces(&s->scratch);
    rheo_status status;
    TRY(walls_place(&m->walls, s, s->clock.time, report));
    TRY(markers_sort(&m->markers, s, report));
    particles_to_grid(&m->vel, weight, &s->g, &m->markers.parts, 0);
    TRY(markers_surface_at_rest(&m->markers, weight, &m->walls, s, NULL, 0, report));
    pressure_speed(m->projection.speed, &m->vel, &s->g, &m->walls.open, m->markers.phi);
    mac_field_copy(&m->carry, &m->vel, &s->g); /* mac_dt_limit() reads it */
    clock_start(s);
    if (s->keyed) TRY(walls_place(&m->walls, s, s->clock.time, report)); /* as fast as in the first step */
    walls_extend(&m->vel, (s->def.solid_count ? FIRST_LAYERS_BESIDE : FIRST_LAYERS), NULL, 0, &m->walls, s,
                 m->markers.phi, &as_solved, sticks(s));
    mac_field_copy(&m->carry, &m->vel, &s->g);
out:
    scratch_back(&s->scratch, mine);
    return status;
}

static rheo_status mac_start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    mac *m = mac_of(s);
    rheo_status status;
    TRY(heat_make(&m->heat, s, scene, report));
    TRY(markers_make(&m->markers, s, 0, report));
    TRY(emitters_make(&m->emitters, s, report));
    TRY(projection_make(&m->projection, s, report));
    TRY(walls_make(&m->walls, s, report));
    TRY(walls_check_thin(&m->walls, s, report));
    TRY(walls_place(&m->walls, s, 0, report));
    TRY(markers_fill(&m->markers, &m->walls, s, report));
    TRY(begin(m, s, report));
out:
    return status;
}

static rheo_status mac_restored(rheo_sim *s, rheo_report *report) {
    mac *m = mac_of(s);
    const rheo_status status = walls_place(&m->walls, s, s->clock.time, report);
    return status ? status : markers_sort(&m->markers, s, report);
}

static void mac_finish(rheo_sim *s) {
    mac *m = mac_of(s);
    markers_free(&m->markers);
    walls_free(&m->walls);
    emitters_free(&m->emitters);
    projection_free(&m->projection);
    heat_free(&m->heat, s);
}

static size_t mac_bytes(const rheo_sim *s) {
    const mac *m = mac_of(s);
    return markers_bytes(&m->markers) + walls_bytes(&m->walls, s) + emitters_bytes(&m->emitters, s) +
           projection_bytes(&m->projection) + heat_bytes(&m->heat, s);
}

/* ---- what is asked between steps ---- */

static void mac_measure(rheo_sim *s) {
    mac *m = mac_of(s);
    markers_measure(&m->markers, &m->walls, &m->vel, s->stats.steps ? m->cell_phi : m->markers.phi, s);
    heat_measure(&m->heat, &m->markers, &m->walls, s);
}

static void mac_view(rheo_particle_view *view, const rheo_sim *s) {
    markers_view(view, &mac_of(s)->markers);
}

static rheo_status mac_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    mac *m = mac_of(s);
    const rheo_status status =
        markers_mesh(mesh, &m->markers, fluid, &m->walls, &m->vel, m->projection.q, s, report);
    heat_look(&m->heat, &m->markers, &m->walls, s);
    if (!status) heat_paint(mesh, &m->heat, s);
    return status;
}

static void mac_probe(double *values, const rheo_sim *s, unsigned of, const float x[3]) {
    const mac *m = mac_of(s);
    if (of == RHEO_OF_TEMPERATURE && m->heat.on) {
        *values = heat_probe(&m->heat, s, x);
        return;
    }
    markers_probe(values, &m->markers, &m->vel, m->projection.q, m->projection.q_dt, m->cell_phi, s, of, x);
}

static rheo_status place_markers(rheo_sim *s, const sim_particles *from, rheo_report *report) {
    mac *m = mac_of(s);
    const rheo_status status = markers_place(&m->markers, s, from, report);
    return status ? status : begin(m, s, report);
}

const sim_engine mac_engine = {
    .size = sizeof(mac),
    .list = mac_list,
    .start = mac_start,
    .dt_limit = mac_dt_limit,
    .step = mac_step,
    .restored = mac_restored,
    .finish = mac_finish,
    .bytes = mac_bytes,
    .foretell_step = mac_foretell,
    .measure = mac_measure,
    .view_particles = mac_view,
    .mesh = mac_mesh,
    .probe = mac_probe,
    .place = place_markers,
};
