/* Free-surface liquid on a MAC grid with particles: PIC, FLIP, APIC and semi-Lagrangian steps.
 *
 *   du/dt + (u . grad) u = - grad p / rho + g,   div u = 0,   p = 0 on the surface
 *
 * Particles carry the liquid and (but for the semi-Lagrangian method) its velocity (Sommer 2018; Zhu and
 * Bridson 2005; Jiang et al. 2015); the grid makes the velocity divergence-free with cut cells at solids and
 * a ghost-fluid surface (Batty et al. 2007; Wang 2017, 2.3-2.5). Volume is kept by moving particles, never
 * their velocity (stage/volume/volume.c).
 *
 * Limits: viscosity is not solved here; the air is empty. */
#include "sim/liquid.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/extrapolate.h"
#include "grid/wrap.h"
#include "particle/transfer.h"
#include "sim/clock.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "stage/transport/advect.h"
#include "stage/walls/boundary.h"
#include "stage/transport/fall.h"
#include "stage/transport/forces.h"
#include "stage/walls/squeeze.h"
#include "stage/surface/surface.h"
#include "stage/volume/volume.h"

#define WAVE_STEP 0.5 /* of sqrt(dx / g): omega dt = 0.9 */
/* Beside walls particles are too few to tell the surface to less than about a fifth of a cell, and so the
 * velocity to less than this part of what gravity gives in a step (docs/decisions/0011-rest.md). */
#define QUIET 0.2
#define QUIET_CORNER                                                                                         \
    0.1 /* likewise at corners of a surface oblique to the grid; more would damp small waves */
#define OBLIQUE           1.0005 /* 1 / cosine: 1.8 degrees, a cell in 32 */
#define CROWDED           2e-3   /* of the liquid */
#define LEAST_CFL         0.2
#define VOLUME_TOLERANCE  0.05
#define VOLUME_ITERATIONS 12 /* it takes 2 to 4, up to 9 where walls thinner than a cell part the water */
/* Of extrapolation around the liquid, beyond what particles can cross in a step; and of these. Beside solids
 * it must reach to the tip of a wedge: over a floor of slope s liquid is thinner than what has a velocity of
 * its own (a quarter of a cell) for 1 / (4 s) cells, and faces that are not reached keep what is solved,
 * which means nothing, or nothing at all: tips trembled, films hung on slopes. */
enum { NEAR_LAYERS = 3, WEDGE_LAYERS = 6, LAYERS_MOST = 64 };

static double length3(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Whether water at rest has a surface across no axis. */
static int is_oblique(const double gravity[3]) {
    const double most = fmax(fabs(gravity[0]), fmax(fabs(gravity[1]), fabs(gravity[2])));
    return length3(gravity) > OBLIQUE * most;
}

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

/* Whether particles that are heaped up tell of liquid without pressure: not of gaps beside solids that move,
 * nor of markers. */
static int may_crowd(const rheo_sim *s) {
    return !s->moving && s->def.method != RHEO_MAC;
}

void liquid_extrapolate(mac_field *u, int layers, mac_field *far, int far_layers, rheo_sim *s,
                        const float *phi) {
    for (int axis = 0; axis < s->g.box.dim; ++axis) {
        pressure_known_faces(s->front.layer, &s->g, &s->open, phi, axis);
        const int quiet = s->quiet > 0 || s->quiet_air > 0;
        if (quiet)
            pressure_forget_quiet(s->front.layer, s->psi, &s->g, &s->open, phi, u, s->quiet, s->quiet_air,
                                  axis);
        extrapolate(u->value[axis], layers, far ? far->value[axis] : NULL, far_layers, &s->front, &s->g,
                    axis);
        if (quiet) pressure_recall_quiet(u, far, s->psi, &s->g, phi, axis);
    }
    float *const scratch[3] = {s->work.rhs, s->work.extra, s->psi};
    const int sticks = s->def.no_slip && s->def.method == RHEO_MAC; /* without viscosity nothing can stick */
    if (s->walls == 0) return;
    solids_constrain(u, scratch, &s->g, &s->open, s->solid, s->solids, s->walls, sticks);
    if (far) solids_constrain(far, scratch, &s->g, &s->open, s->solid, s->solids, s->walls, sticks);
    wrap_faces(u, &s->g);
    if (far) wrap_faces(far, &s->g);
    if (s->thin.count == 0) return;
    thin_constrain(u, scratch, &s->thin, &s->g, &s->open, s->solids, s->walls);
    if (far) thin_constrain(far, scratch, &s->thin, &s->g, &s->open, s->solids, s->walls);
}

double step_limit(double dx, double cfl, double speed, double acceleration) {
    const double reach = cfl * dx; /* m a step */
    const double fast = speed + sqrt(reach * acceleration);
    const double flow = fast > 0 ? reach / fast : INFINITY;
    /* The surface follows the velocity explicitly, so the shortest waves of the grid, omega^2 = pi g / dx,
     * must be resolved: a longer step keeps a resting surface trembling. */
    const double wave = acceleration > 0 ? WAVE_STEP * sqrt(dx / acceleration) : INFINITY;
    return fmin(flow, wave);
}

/* What part of time.cfl liquid may move by in a step: less while it is crowded, as only steps show it. */
static double crowded_share(const rheo_sim *s) {
    return s->crowded > CROWDED ? fmax(CROWDED / s->crowded, LEAST_CFL) : 1;
}

double liquid_dt_limit(const rheo_sim *s, double time) {
    double g[3];
    rheo_evaluate_curve(g, &s->def.gravity, time);
    /* an emitter that begins or quickens does not show in the liquid's speed yet */
    const double flow = fmax(length3(s->speed), liquid_emitter_speed(s, time, curve_longest));
    const double fast = liquid_wall_speed(s, time) + flow, pull = length3(g);
    const double cfl = s->def.cfl * crowded_share(s);
    const double dt = fmin(step_limit(s->g.dx, cfl, fast, pull), liquid_light_body_limit(s, pull));
    return fmin(dt, liquid_rigid_limit(s));
}

int liquid_near_layers(const rheo_sim *s) {
    return s->def.solid_count ? WEDGE_LAYERS : NEAR_LAYERS;
}

/* How far the velocity must be known around the liquid: what particles can cross in the next step, which may
 * be longer than this one. */
static int layers_to_cross(const rheo_sim *s) {
    const double fastest = fmax(s->speed[0], fmax(s->speed[1], s->speed[2])), frame = 1 / s->def.fps;
    const double longest = s->def.dt_max > 0 ? fmin(s->def.dt_max, frame) : frame;
    const double most = fmin(fastest * longest / s->g.dx, s->def.cfl);
    return liquid_near_layers(s) + (most < LAYERS_MOST ? (int)most : LAYERS_MOST);
}

rheo_status liquid_reserve_marks(rheo_sim *s, rheo_report *report) {
    if (s->keep_room >= s->parts.count) return RHEO_OK;
    mem_free(s->keep);
    s->keep_room = s->parts.capacity;
    s->keep = mem_alloc(s->keep_room);
    if (s->keep) return RHEO_OK;
    s->keep_room = 0;
    return report_no_memory(report, "particles");
}

rheo_status liquid_remember(rheo_sim *s, rheo_report *report) {
    if (s->def.solid_count) particles_remember(&s->parts, s->g.pool);
    if (s->thin.count == 0) return RHEO_OK;
    return thin_remember(&s->thin, &s->g, &s->parts, s->solids, s->walls)
               ? report_no_memory(report, "particles")
               : RHEO_OK;
}

rheo_status liquid_hold_particles(rheo_sim *s, rheo_report *report) {
    const rheo_status status = liquid_reserve_marks(s, report);
    if (status) return status;
    const int marked = s->moving && s->thin.count == 0; /* no mark tells what is beside a thin solid */
    if (marked) boundary_mark(s->keep, &s->parts, &s->g, s->solid);
    if (s->moving)
        squeeze_particles(&s->parts, s->work.unknown, &s->g, &s->open, s->solids, s->walls,
                          marked ? s->keep : NULL);
    if (s->thin.count) thin_keep_sides(&s->parts, &s->thin, &s->g, s->solids, s->walls);
    /* with thin solids a film on a side may be another one's, behind a wall */
    const float *density = may_crowd(s) && s->thin.count == 0 ? s->density : NULL;
    const int64_t rescued = boundary_particles(&s->parts, s->keep, marked, &s->g, &s->open,
                                               s->def.solid_count ? s->solid : NULL, density);
    if (s->thin.count && rescued) /* out of a thick solid, but not through a thin one */
        thin_keep_sides(&s->parts, &s->thin, &s->g, s->solids, s->walls);
    const int64_t outflow = boundary_outflow(&s->parts, s->keep, &s->g, &s->open);
    s->stats.counts.rescued += rescued;
    s->stats.counts.outflow += outflow;
    s->outflow += (double)outflow * s->particle_volume;
    s->volume_put_in -= (double)outflow * s->particle_volume;
    return RHEO_OK;
}

rheo_status liquid_reject_particles(rheo_sim *s, rheo_report *report) {
    const rheo_status status = s->thin.count ? liquid_reserve_marks(s, report) : RHEO_OK;
    if (status || s->thin.count == 0) return status;
    const size_t before = s->parts.count;
    thin_reject(s->keep, &s->g, &s->parts, s->solids, s->walls);
    particles_compact(&s->parts, s->keep);
    s->stats.counts.rejected += (int64_t)(before - s->parts.count);
    s->volume_put_in -= (double)(before - s->parts.count) * s->particle_volume;
    return RHEO_OK;
}

/* Films that lack particles, not liquid. Bodies lighter than the liquid that are held as such leap out of it,
 * and what opens under them is air (stage/coupling/rigid_fluid.c). */
static void fill_voids(rheo_sim *s) {
    double gravity[3];
    for (int i = 0; s->domain && i < s->def.solid_count; ++i)
        if (s->def.solids[i].motion == RHEO_DYNAMIC && s->def.solids[i].density < s->fluid_density) return;
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time);
    surface_fill_voids(s->phi, s->front.layer, &s->g, s->density, s->room, &s->open,
                       s->separation ? s->q : NULL, length3(gravity) * s->q_dt); /* a cell's head */
}

/* What lies between faces that touch, and gaps that have just opened. */
static int find_films(rheo_sim *s) {
    double gravity[3];
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time);
    return films_find(&s->films, &s->open, s->phi, s->front.layer, &s->g, s->room, gravity);
}

/* The surface, and the velocity that the particles bring. */
static rheo_status fields_from_particles(rheo_sim *s, mac_field *velocity, rheo_report *report) {
    mac_field *weight = &s->carry;
    timer_stage(&s->timer, "to grid");
    particles_to_grid(velocity, weight, &s->g, &s->parts, is_affine(s));
    timer_stage(&s->timer, "surface");
    surface_from_weights(s->density, s->phi, &s->g, weight, s->room, s->full);
    if (s->thin.count) {
        if (thin_density(s->density, &s->thin, &s->g, &s->parts, s->solids, s->walls, s->room, s->full))
            return report_no_memory(report, "particles");
        surface_from_density(s->phi, &s->g, s->density);
    }
    if (s->def.solid_count) surface_beside_walls(s->phi, &s->g, s->density, s->room, s->solid, &s->open);
    if (s->def.solid_count) fill_voids(s);
    if (s->def.solid_count) surface_into_solids(s->phi, &s->front, &s->g, s->room, NULL);
    if (s->moving && find_films(s)) return report_no_memory(report, "moving solids");
    surface_mark_spray(&s->parts, &s->g, s->phi);
    return RHEO_OK;
}

const uint8_t *liquid_voids(const rheo_sim *s) {
    return s->separation ? lcp_active(s->separation) : NULL;
}

/* What carries the particles through the next step: the velocity, and a displacement that evens out their
 * density. */
poisson_result liquid_correct_drift(rheo_sim *s, const openings *o, const float *phi, double dt) {
    if (!s->def.volume_correction) {
        mac_field_copy(&s->carry, &s->vel, &s->g);
        return (poisson_result){.converged = true};
    }
    volume_outflow(s->work.rhs, s->front.layer, &s->g, o, s->density, phi, liquid_voids(s), !may_crowd(s),
                   dt);
    if (s->domain) rigid_fluid_clear(s->work.rhs, &s->rigid);
    const poisson_result r = pressure_displace(&s->carry, &s->vel, s->psi, s->solver, &s->work, &s->g, o, phi,
                                               s->work.rhs, VOLUME_TOLERANCE, VOLUME_ITERATIONS);
    if (s->separation) pressure_release(&s->carry, &s->g, o, liquid_voids(s));
    return r;
}

void liquid_keep_worst(rheo_solve_stats *stats, const poisson_result *r) {
    stats->unknowns = r->unknowns;
    if (r->iterations > stats->iterations) stats->iterations = r->iterations;
    if (!(r->residual <= stats->residual)) stats->residual = r->residual; /* also what is not a number */
    stats->converged = stats->converged && r->converged;
    if (r->closed_regions > stats->closed_regions) stats->closed_regions = r->closed_regions;
    if (r->incompatibility > stats->incompatible) stats->incompatible = r->incompatibility;
}

/* What flies gets half of gravity's share of the step to come, from `time` on, before it moves. */
static rheo_status let_fall(rheo_sim *s, const openings *open, double time, double dt, rheo_report *report) {
    double by[3];
    rheo_evaluate_curve(by, &s->def.gravity, time + 0.5 * dt);
    for (int a = 0; a < 3; ++a) by[a] *= 0.5 * dt;
    if (s->domain || length3(by) == 0)
        return RHEO_OK; /* in the domain bodies are liquid, and move otherwise */
    if (fall_freely(&s->carry, s->front.layer, &s->g, open, s->solver, s->work.unknown, by))
        return report_no_memory(report, "the pressure solve");
    return RHEO_OK;
}

rheo_status liquid_end_projection(rheo_sim *s, const openings *open, const float *phi, double dt,
                                  rheo_report *report) {
    const rheo_status status = liquid_hold_bodies(s, dt, report);
    if (status) return status;
    s->q_dt = dt;
    if (s->closing_step)
        s->stats.divergence = pressure_divergence(&s->vel, &s->g, open, phi, s->source, liquid_voids(s));
    liquid_drive_emitters(&s->vel, s, dt);
    pressure_speed(s->speed, &s->vel, &s->g, open, phi);
    const double speed = s->speed[0] + s->speed[1] + s->speed[2] + world_speed(s->world);
    if (!isfinite(speed) || !isfinite(s->stats.pressure.residual))
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "%s is not finite at t = %g s", isfinite(speed) ? "pressure" : "velocity",
                           s->time + dt);
    timer_stage(&s->timer, "volume");
    const poisson_result drift = liquid_correct_drift(s, open, phi, dt);
    s->crowded = 0;
    if (may_crowd(s) && s->parts.count)
        s->crowded = volume_crowding(&s->g, open, s->density) / ((double)s->parts.count * s->particle_volume);
    liquid_keep_worst(&s->stats.density, &drift);
    return RHEO_OK;
}

static int starts_moving(const rheo_sim *s) {
    for (int i = 0; i < s->def.fluid_count; ++i)
        for (int a = 0; a < s->g.box.dim; ++a)
            if (s->def.fluids[i].velocity[a] != 0) return 1;
    for (int i = 0; i < s->walls; ++i)
        for (int a = 0; a < 3; ++a)
            if (s->solids[i].now.velocity[a] != 0 || s->solids[i].now.spin[a] != 0) return 1;
    return 0;
}

/* The velocity that particles bring, made free of divergence, so that a fill that starts towards a wall, or a
 * wall towards it, is not pressed into it. They themselves keep theirs until the step's own pressure changes
 * it. */
static rheo_status project_start(rheo_sim *s, rheo_report *report) {
    mac_field given = {{0}};
    if (mac_field_make(&given, &s->g)) return report_no_memory(report, "the pressure solve");
    mac_field_copy(&given, &s->vel, &s->g);
    pressure_project(&s->vel, s->q, s->solver, &s->work, &s->g, &s->open, s->phi, s->def.tolerance,
                     s->def.max_iterations);
    memset(s->q, 0, s->g.box.size * sizeof *s->q);
    mac_field_copy(&s->carry, &s->vel, &s->g);
    if (!marks_only(s)) mac_field_copy(&s->vel, &given, &s->g);
    mac_field_free(&given);
    return RHEO_OK;
}

/* What carries particles through the first step, of dt if nothing limits it. */
static rheo_status begin_carry(rheo_sim *s, double dt, rheo_report *report) {
    rheo_status status = RHEO_OK;
    films_open(&s->open, &s->films, &s->g, s->walls);
    if (pressure_assemble(s->solver, &s->work, &s->g, &s->open, s->phi))
        status = report_no_memory(report, "the pressure solve");
    else if (starts_moving(s)) status = project_start(s, report);
    else mac_field_copy(&s->carry, &s->vel, &s->g); /* the system's coefficients were there */
    if (!status) status = let_fall(s, &s->open, s->time, dt, report);
    films_close(&s->open, &s->films, &s->g, s->walls);
    const int layers = liquid_near_layers(s) + 1;
    if (marks_only(s)) liquid_extrapolate(&s->vel, layers, NULL, 0, s, s->phi);
    liquid_extrapolate(&s->carry, layers, NULL, 0, s, s->phi);
    return status;
}

rheo_status liquid_begin(rheo_sim *s, rheo_report *report) {
    rheo_status status = liquid_place_solids(s, s->time, report);
    if (status) return status;
    if (particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
    if ((status = fields_from_particles(s, &s->vel, report))) return status;
    pressure_speed(s->speed, &s->vel, &s->g, &s->open, s->phi);
    mac_field_copy(&s->carry, &s->vel, &s->g); /* mac_dt_limit() reads it */
    const double dt = clock_start(s);
    if (s->keyed && (status = liquid_place_solids(s, s->time, report))) return status; /* as fast as in it */
    liquid_extrapolate(&s->vel, liquid_near_layers(s) + 1, NULL, 0, s, s->phi);
    if (s->def.method == RHEO_MAC) mac_field_copy(&s->carry, &s->vel, &s->g);
    else status = begin_carry(s, dt, report);
    timer_stage(&s->timer, NULL);
    return status;
}

/* The velocity made free of divergence, and what carries the particles; *phi: where liquid and bodies are. */
static rheo_status project(rheo_sim *s, const float **phi, double dt, rheo_report *report) {
    slivers_close(&s->open, &s->slivers, &s->g, s->phi);
    films_open(&s->open, &s->films, &s->g, s->walls);
    openings *open = liquid_close_emitters(s, dt);
    rheo_status status = liquid_project(s, open, phi, dt, report);
    if (!status) status = liquid_end_projection(s, open, *phi, dt, report);
    if (!status) status = let_fall(s, open, s->time + dt, clock_ahead(s), report);
    films_close(&s->open, &s->films, &s->g, s->walls);
    slivers_open(&s->open, &s->slivers);
    return status;
}

rheo_status liquid_step(rheo_sim *s, double dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    rheo_status status;
    double gravity[3];
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time + 0.5 * dt);

    s->quiet = s->def.solid_count ? QUIET * length3(gravity) * dt : 0;
    s->quiet_air = is_oblique(gravity) ? QUIET_CORNER * length3(gravity) * dt : 0;
    timer_stage(&s->timer, "advect");
    liquid_find_room(s, dt);
    if ((status = liquid_remember(s, report))) return status;
    particles_advect(&s->parts, g, &s->carry, gravity, dt);
    if (marks_only(s)) advect_velocity(&s->vel, &s->work.face, g, dt);
    if (marks_only(s)) liquid_drive_emitters(&s->vel, s, dt);

    timer_stage(&s->timer, "solids");
    if ((status = liquid_move_bodies(s, dt, report))) return status;
    if (s->moving && (status = liquid_place_solids(s, s->time + dt, report))) return status;
    if ((status = liquid_hold_particles(s, report))) return status;

    timer_stage(&s->timer, "sort");
    if (particles_sort(&s->parts, g)) return report_no_memory(report, "particles");
    if ((status = liquid_emit(s, dt, report))) return status;
    if ((status = fields_from_particles(s, marks_only(s) ? &s->before : &s->vel, report))) return status;

    timer_stage(&s->timer, "forces");
    forces_add(&s->vel, is_flip(s) ? &s->before : &(mac_field){{0}}, g, gravity, dt);
    films_pull(&s->vel, &s->open, &s->films, g,
               (const double[3]){gravity[0] * dt, gravity[1] * dt, gravity[2] * dt});

    timer_stage(&s->timer, "bodies");
    if ((status = liquid_pull_bodies(s, gravity, dt, report))) return status;

    timer_stage(&s->timer, "pressure");
    const float *phi = s->phi;
    if ((status = project(s, &phi, dt, report))) return status;

    timer_stage(&s->timer, "extrapolate");
    const int far = layers_to_cross(s); /* particles only read the velocity where they are */
    liquid_extrapolate(&s->vel, marks_only(s) ? far : liquid_near_layers(s), &s->carry, far, s, phi);
    if (s->moving || liquid_emitters_drive(s, dt)) s->risen = 0;
    else /* what stands still is known as far as it goes */
        volume_limit_lift(&s->carry, &s->risen, s->psi, g, &s->vel, &s->parts, gravity, length3(s->speed),
                          dt);

    timer_stage(&s->timer, "from grid");
    const double keep = is_flip(s) || is_affine(s) ? pow(1 - s->def.pic_blend, 30 * dt) : 0;
    const double kick[3] = {gravity[0] * dt, gravity[1] * dt, gravity[2] * dt};
    particles_from_grid(&s->parts, g, &s->vel, &s->before, keep, is_affine(s), kick);
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}
