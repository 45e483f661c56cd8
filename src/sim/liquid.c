/* Free-surface liquid on a MAC grid with particles: PIC, FLIP, APIC and semi-Lagrangian steps.
 *
 *   du/dt + (u . grad) u = - grad p / rho + g,   div u = 0,   p = 0 on the surface
 *
 * Particles carry the liquid and (but for the semi-Lagrangian method) its velocity (Sommer 2018; Zhu and
 * Bridson 2005; Jiang et al. 2015); the grid makes the velocity divergence-free with cut cells at solids and
 * a ghost-fluid surface (Batty et al. 2007; Wang 2017, 2.3-2.5). Volume is kept by moving particles, never
 * their velocity (sim/drift.c).
 *
 * Limits: the air is empty. */
#include "sim/liquid.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "particle/transfer.h"
#include "sim/bodies.h"
#include "sim/clock.h"
#include "sim/definition.h"
#include "sim/drift.h"
#include "sim/probe.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "solid/vector.h"
#include "stage/transport/advect.h"
#include "stage/transport/fall.h"
#include "stage/transport/forces.h"
#include "stage/volume/volume.h"

#define CROWDED   2e-3 /* of the liquid */
#define LEAST_CFL 0.2
static const quiet_limits as_solved = {0, 0}; /* no face is quiet */

static int is_flip(const rheo_sim *s) {
    return s->def.method == RHEO_FLIP;
}

static int is_affine(const rheo_sim *s) {
    return s->def.method == RHEO_APIC;
}

/* Particles only mark the liquid; the grid carries the velocity. */
static int marks_only(const rheo_sim *s) {
    return s->def.method == RHEO_SEMI_LAGRANGIAN;
}

/* ---- how long, how far ---- */

/* What part of time.cfl liquid may move by in a step: less while it is crowded, as only steps show it. */
static double crowded_share(const liquid *l) {
    return l->crowded > CROWDED ? fmax(CROWDED / l->crowded, LEAST_CFL) : 1;
}

static double liquid_dt_limit(const rheo_sim *s, double time) {
    const liquid *l = liquid_of(s);
    double g[3];
    sim_gravity(g, s, time);
    /* an emitter that begins or quickens does not show in the liquid's speed yet */
    const double flow = fmax(vec_length(l->projection.speed), emitters_speed(s, time, curve_longest));
    const double fast = step_wall_speed(s, time) + flow, pull = vec_length(g);
    const double cfl = s->def.cfl * crowded_share(l);
    const double dt = fmin(step_limit_viscous(s->g.dx, cfl, fast, pull, definition_thinnest(&s->def)),
                           step_limit_light_bodies(s, pull));
    return fmin(dt, step_limit_rigid(s));
}

static double liquid_foretell(const rheo_scene *scene, double dx, double speed, double acceleration) {
    return step_limit_viscous(dx, scene->cfl, speed, acceleration, definition_thinnest(scene));
}

/* ---- the stages that are the liquid's own ---- */

/* Where the grid carries the velocity. */
static void carry_velocity(liquid *l, rheo_sim *s, double dt) {
    const scratch_count mine = s->scratch.lent;
    if (!marks_only(s)) return;
    advect_velocity(&l->vel, scratch_faces(&s->scratch), &s->g, dt);
    emitters_give(&l->vel, NULL, &l->emitters, &l->walls, s, dt);
    scratch_back(&s->scratch, mine);
}

/* The velocity that particles bring, and the weight that they leave on faces. */
static void to_grid(liquid *l, mac_field *unused, mac_field *weight, rheo_sim *s) {
    particles_to_grid(marks_only(s) ? unused : &l->vel, weight, &s->g, &l->markers.parts, is_affine(s));
}

/* Gravity; before: what flip compares with. */
static void accelerate(liquid *l, mac_field *before, rheo_sim *s, const double gravity[3], double dt) {
    const double kick[3] = {gravity[0] * dt, gravity[1] * dt, gravity[2] * dt};
    forces_add(&l->vel, is_flip(s) ? before : &(mac_field){{0}}, &s->g, gravity, dt);
    films_pull(&l->vel, &l->walls.open, &l->walls.films, &s->g, kick);
}

static rheo_status find_surface(liquid *l, const mac_field *weight, rheo_sim *s, rheo_report *report) {
    const projection *p = &l->projection;
    return markers_surface_at_rest(&l->markers, weight, &l->walls, s, p->separation ? p->q : NULL, p->q_dt,
                                   report);
}

/* What flies gets half of gravity's share of the step to come, from `time` on, before it moves. */
static rheo_status let_fall(liquid *l, const openings *faces, rheo_sim *s, double time, double dt,
                            rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    projection *p = &l->projection;
    double by[3];
    sim_gravity(by, s, time + 0.5 * dt);
    for (int a = 0; a < 3; ++a) by[a] *= 0.5 * dt;
    if (p->domain || vec_length(by) == 0) return RHEO_OK; /* bodies that are liquid move otherwise */
    const int bad =
        fall_freely(&l->carry, scratch_marks(&s->scratch), &s->g, faces, p->solver, p->unknown, by);
    scratch_back(&s->scratch, mine);
    return bad ? report_no_memory(report, "the pressure solve") : RHEO_OK;
}

static rheo_status find_carry(liquid *l, const projecting *on, rheo_sim *s, rheo_report *report) {
    const poisson_result drift = drift_correct(&l->carry, &l->vel, on, &l->projection, &l->markers, s);
    projection_keep_worst(&s->stats.density, &drift);
    l->crowded = drift_crowding(on, &l->markers, s);
    return let_fall(l, on->faces, s, s->clock.time + on->dt, clock_ahead(s), report);
}

/* What of their own velocity, or of its gradient, particles keep in a step. */
static double kept_share(const rheo_sim *s, double dt) {
    return is_flip(s) || is_affine(s) ? pow(1 - s->def.pic_blend, 30 * dt) : 0;
}

static void from_grid(liquid *l, const mac_field *before, rheo_sim *s, const double gravity[3], double dt) {
    const double kick[3] = {gravity[0] * dt, gravity[1] * dt, gravity[2] * dt};
    particles_from_grid(&l->markers.parts, &s->g, &l->vel, before, kept_share(s, dt), is_affine(s), kick);
    stress_calm(&l->markers, &l->vel, &l->stress, s, dt, is_flip(s));
}

/* ---- the step ---- */

rheo_status liquid_step(rheo_sim *s, double dt, rheo_report *report) {
    liquid *l = liquid_of(s);
    const mac_grid *g = &s->g;
    const scratch_count mine = s->scratch.lent;
    mac_field *before = scratch_faces(&s->scratch);
    rheo_status status;
    double gravity[3];
    sim_gravity(gravity, s, s->clock.time + 0.5 * dt);

    timer_stage(&s->timer, "advect");
    emitters_find_vacancy(&l->emitters, &l->markers, &l->walls, s, dt);
    TRY(markers_remember(&l->markers, &l->walls, s, report));
    particles_advect(&l->markers.parts, g, &l->carry, gravity, dt);
    carry_velocity(l, s, dt);

    timer_stage(&s->timer, "solids");
    TRY(bodies_move(s, dt, report));
    TRY(walls_move(&l->walls, s, s->clock.time + dt, report));
    TRY(markers_boundary(&l->markers, &l->walls, s, report));

    timer_stage(&s->timer, "sort");
    TRY(markers_sort(&l->markers, s, report));
    TRY(markers_appear(&l->markers, &l->walls, s, report));
    TRY(emitters_emit(&l->markers, &l->emitters, &l->walls, s, dt, report));

    timer_stage(&s->timer, "to grid");
    const scratch_count held = s->scratch.lent;
    mac_field *weight = scratch_faces(&s->scratch);
    to_grid(l, before, weight, s);

    timer_stage(&s->timer, "surface");
    TRY(find_surface(l, weight, s, report));
    scratch_back(&s->scratch, held);

    if (l->heat.on) timer_stage(&s->timer, "heat");
    heat_step(&l->heat, &l->markers, &l->walls, s, dt);

    timer_stage(&s->timer, "forces");
    accelerate(l, before, s, gravity, dt);

    timer_stage(&s->timer, "bodies");
    TRY(bodies_pull(&l->walls, s, gravity, dt, l->projection.q_dt, report));

    timer_stage(&s->timer, "pressure");
    projecting on = projection_faces(&l->projection, &l->walls, &l->emitters, s, l->markers.phi, dt);
    TRY(stress_balance(&l->vel, &on, &l->stress, &l->projection, &l->walls, s, report));

    timer_stage(&s->timer, "viscosity");
    TRY(stress_solve(&l->vel, &on, &l->stress, &l->projection, &l->markers, &l->walls, &l->emitters, s,
                     report));

    timer_stage(&s->timer, "pressure");
    TRY(stress_project(&l->vel, &on, &l->stress, &l->projection, &l->walls, s, report));
    TRY(projection_end(&l->vel, &on, &l->projection, &l->walls, &l->emitters, s, report));

    timer_stage(&s->timer, "volume");
    TRY(find_carry(l, &on, s, report));
    scratch_back(&s->scratch, held);

    timer_stage(&s->timer, "extrapolate");
    liquid_rest(l, &on, s, gravity, marks_only(s));

    timer_stage(&s->timer, "from grid");
    from_grid(l, before, s, gravity, dt);
out:
    scratch_back(&s->scratch, mine);
    timer_stage(&s->timer, NULL);
    return status;
}

/* ---- the start ---- */

static void liquid_list(rheo_sim *s) {
    liquid *l = liquid_of(s);
    l->walls.by_particles = l->markers.may_crowd = 1;
    if (s->moving) l->markers.may_crowd = 0;
    markers_list(&l->markers, s);
    field_kept(&s->fields, "vel", FIELD_FACES, &l->vel);
    field_kept(&s->fields, "carry", FIELD_FACES, &l->carry);
    field_kept_reals(&s->fields, "crowded", &l->crowded, 1);
    field_kept_reals(&s->fields, "risen", &l->risen, 1);
    walls_list(&l->walls, s, 1);
    emitters_list(&l->emitters, s);
    projection_list(&l->projection, &l->walls, s);
    stress_list(&l->stress, s);
    heat_list(&l->heat, s);
    l->markers.stiff = l->stress.model != RHEO_VISCOSITY_NONE;
    s->fields.borrowed = (scratch_count){.faces = 2, .cells = l->heat.on ? 5 : 3, .marks = 2};
}

static int starts_moving(const rheo_sim *s) {
    for (int i = 0; i < s->def.fluid_count; ++i)
        for (int a = 0; a < s->g.box.dim; ++a)
            if (s->def.fluids[i].velocity[a] != 0) return 1;
    for (int i = 0; i < s->wall_count; ++i)
        for (int a = 0; a < 3; ++a)
            if (s->solids[i].now.velocity[a] != 0 || s->solids[i].now.spin[a] != 0) return 1;
    return 0;
}

/* The velocity that particles bring, made free of divergence, so that a fill that starts towards a wall, or a
 * wall towards it, is not pressed into it. They themselves keep theirs until the step's own pressure changes
 * it. */
static void project_start(liquid *l, projecting *on, mac_field *given, rheo_sim *s) {
    const mac_grid *g = &s->g;
    projection *p = &l->projection;
    mac_field_copy(given, &l->vel, g);
    pressure_project(&l->vel, p->q, p->solver, &on->work, g, on->faces, on->phi, s->def.tolerance,
                     s->def.max_iterations);
    memset(p->q, 0, g->box.size * sizeof *p->q);
    mac_field_copy(&l->carry, &l->vel, g);
    if (!marks_only(s)) mac_field_copy(&l->vel, given, g);
}

/* What carries particles through the first step, of dt if nothing limits it. */
static rheo_status begin_carry(liquid *l, mac_field *given, rheo_sim *s, double dt, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    const int layers = liquid_near_layers(s) + 1;
    projection *p = &l->projection;
    rheo_status status;
    projecting on = projection_faces(p, &l->walls, NULL, s, l->markers.phi, dt);
    if (pressure_assemble(p->solver, &on.work, &s->g, on.faces, on.phi))
        TRY(report_no_memory(report, "the pressure solve"));
    if (starts_moving(s)) project_start(l, &on, given, s);
    else mac_field_copy(&l->carry, &l->vel, &s->g);
    TRY(let_fall(l, on.faces, s, s->clock.time, dt, report));
    scratch_back(&s->scratch, mine);
    if (marks_only(s)) walls_extend(&l->vel, layers, NULL, 0, &l->walls, s, on.phi, &as_solved, 0);
    walls_extend(&l->carry, layers, NULL, 0, &l->walls, s, on.phi, &as_solved, 0);
out:
    scratch_back(&s->scratch, mine);
    return status;
}

/* Fields of the particles as they are, without moving anything. */
static rheo_status begin(liquid *l, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    mac_field *weight = scratch_faces(&s->scratch);
    rheo_status status;
    TRY(walls_place(&l->walls, s, s->clock.time, report));
    TRY(markers_sort(&l->markers, s, report));
    particles_to_grid(&l->vel, weight, &s->g, &l->markers.parts, is_affine(s));
    TRY(find_surface(l, weight, s, report));
    pressure_speed(l->projection.speed, &l->vel, &s->g, &l->walls.open, l->markers.phi);
    const double dt = clock_start(s);
    if (s->keyed) TRY(walls_place(&l->walls, s, s->clock.time, report)); /* as fast as in it */
    walls_extend(&l->vel, liquid_near_layers(s) + 1, NULL, 0, &l->walls, s, l->markers.phi, &as_solved, 0);
    stress_begin(&l->stress, &l->markers, s);
    TRY(begin_carry(l, weight, s, dt, report));
out:
    scratch_back(&s->scratch, mine);
    return status;
}

static rheo_status liquid_start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    liquid *l = liquid_of(s);
    rheo_status status;
    TRY(heat_make(&l->heat, s, scene, report));
    TRY(markers_make(&l->markers, s, is_affine(s), report));
    TRY(emitters_make(&l->emitters, s, report));
    TRY(projection_make(&l->projection, s, report));
    TRY(walls_make(&l->walls, s, report));
    TRY(walls_check_thin(&l->walls, s, report));
    TRY(stress_make(&l->stress, s, report)); /* it asks which solids are thin */
    TRY(walls_place(&l->walls, s, 0, report));
    TRY(markers_fill(&l->markers, &l->walls, s, report));
    TRY(liquid_settle(l, s, report));
    TRY(begin(l, s, report));
out:
    return status;
}

static rheo_status liquid_restored(rheo_sim *s, rheo_report *report) {
    liquid *l = liquid_of(s);
    rheo_status status;
    TRY(stress_restored(&l->stress, report));
    TRY(walls_place(&l->walls, s, s->clock.time, report));
    TRY(markers_sort(&l->markers, s, report));
    stress_begin(&l->stress, &l->markers, s);
out:
    return status;
}

static void liquid_finish(rheo_sim *s) {
    liquid *l = liquid_of(s);
    markers_free(&l->markers);
    walls_free(&l->walls);
    emitters_free(&l->emitters);
    projection_free(&l->projection);
    stress_free(&l->stress);
    heat_free(&l->heat, s);
}

static size_t liquid_bytes(const rheo_sim *s) {
    const liquid *l = liquid_of(s);
    return markers_bytes(&l->markers) + walls_bytes(&l->walls, s) + emitters_bytes(&l->emitters, s) +
           projection_bytes(&l->projection) + stress_bytes(&l->stress, s) + heat_bytes(&l->heat, s);
}

/* ---- what is asked between steps ---- */

static void liquid_measure(rheo_sim *s) {
    liquid *l = liquid_of(s);
    markers_measure(&l->markers, &l->walls, &l->vel, l->markers.phi, s);
    heat_measure(&l->heat, &l->markers, &l->walls, s);
}

static void liquid_view(rheo_particle_view *view, const rheo_sim *s) {
    markers_view(view, &liquid_of(s)->markers);
}

static rheo_status liquid_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    liquid *l = liquid_of(s);
    const rheo_status status =
        markers_mesh(mesh, &l->markers, fluid, &l->walls, &l->vel, l->projection.q, s, report);
    heat_look(&l->heat, &l->markers, &l->walls, s);
    if (!status) heat_paint(mesh, &l->heat, s);
    return status;
}

static void liquid_probe(double *values, const rheo_sim *s, unsigned of, const float x[3]) {
    const liquid *l = liquid_of(s);
    if (of == RHEO_OF_TEMPERATURE && l->heat.on) {
        *values = heat_probe(&l->heat, s, x);
        return;
    }
    if (of == RHEO_OF_VISCOSITY && stress_probe(values, &l->stress, s, x)) return;
    markers_probe(values, &l->markers, &l->vel, l->projection.q, l->projection.q_dt, l->markers.phi, s, of,
                  x);
}

static rheo_status liquid_place(rheo_sim *s, const sim_particles *from, rheo_report *report) {
    liquid *l = liquid_of(s);
    const rheo_status status = markers_place(&l->markers, s, from, report);
    return status ? status : begin(l, s, report);
}

const sim_engine liquid_engine = {
    .size = sizeof(liquid),
    .list = liquid_list,
    .start = liquid_start,
    .dt_limit = liquid_dt_limit,
    .step = liquid_step,
    .restored = liquid_restored,
    .finish = liquid_finish,
    .bytes = liquid_bytes,
    .foretell_step = liquid_foretell,
    .measure = liquid_measure,
    .view_particles = liquid_view,
    .mesh = liquid_mesh,
    .probe = liquid_probe,
    .place = liquid_place,
};
