/* Free-surface liquid on a MAC grid with particles: PIC, FLIP, APIC and semi-Lagrangian steps.
 *
 *   du/dt + (u . grad) u = - grad p / rho + g,   div u = 0,   p = 0 on the surface
 *
 * Particles carry the liquid and (but for the semi-Lagrangian method) its velocity (Sommer 2018; Zhu and
 * Bridson 2005; Jiang et al. 2015); the grid makes the velocity divergence-free with cut cells at solids and
 * a ghost-fluid surface (Batty et al. 2007; Wang 2017, 2.3-2.5). Volume is kept by moving particles, never
 * their velocity (stage/volume.c).
 *
 * Limits: viscosity is not solved here; the air is empty. */
#include "sim/liquid.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/extrapolate.h"
#include "particle/transfer.h"
#include "stage/advect.h"
#include "stage/boundary.h"
#include "stage/emit.h"
#include "stage/forces.h"
#include "stage/surface.h"
#include "stage/volume.h"

#define WAVE_STEP         0.5 /* of sqrt(dx / g): omega dt = 0.9 */
#define VOLUME_TOLERANCE  0.05
#define VOLUME_ITERATIONS 6
enum { NEAR_LAYERS = 3 }; /* of extrapolation around the liquid, beyond what particles can cross in a step */

static int is_flip(const rheo_sim *s) {
    return s->def.method == RHEO_FLIP;
}

static int is_affine(const rheo_sim *s) {
    return s->def.method == RHEO_APIC;
}

void liquid_extrapolate(mac_field *u, mac_field *also, rheo_sim *s, const float *phi, int layers) {
    for (int axis = 0; axis < s->g.box.dim; ++axis) {
        memset(s->front.layer, EXTRAPOLATE_UNKNOWN, s->g.box.size);
        pressure_known_faces(s->front.layer, &s->g, &s->open, phi, axis);
        extrapolate(u->value[axis], also ? also->value[axis] : NULL, &s->front, &s->g, axis, layers);
    }
    float *const scratch[3] = {s->work.rhs, s->work.extra, s->psi};
    if (s->def.solid_count) solids_constrain(u, scratch, &s->g, &s->open, s->solid, s->def.no_slip);
    if (s->def.solid_count && also)
        solids_constrain(also, scratch, &s->g, &s->open, s->solid, s->def.no_slip);
}

void liquid_place_solids(rheo_sim *s, double time) {
    int still = 0;
    for (int i = 0; i < s->def.solid_count; ++i) {
        s->solids[i].now = placement_of_solid(s->solids[i].def, s->solids[i].shape, time);
        still += s->solids[i].def->motion == RHEO_STATIC; /* static ones come first */
    }
    solids_distance(s->solid, s->solid_still, &s->g, s->moving ? s->solids + still : s->solids,
                    s->moving ? s->def.solid_count - still : s->def.solid_count);
    solids_open_faces(&s->open, &s->g, s->solid);
    if (s->moving) solids_wall_velocity(&s->open, &s->g, s->solids, s->def.solid_count);
    solids_room(s->room, &s->g, s->solid, &s->open);
}

double liquid_dt_limit(const rheo_sim *s) {
    double g[3];
    const double *speed = s->speed;
    rheo_evaluate_curve(g, &s->def.gravity, s->time);
    const double reach = s->def.cfl * s->g.dx; /* m a step */
    const double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double fall = sqrt(reach * weight);
    const double fast = sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
    const double flow = fast + fall > 0 ? reach / (fast + fall) : INFINITY;
    /* The surface follows the velocity explicitly, so the shortest waves of the grid, omega^2 = pi g / dx,
     * must be resolved: a longer step keeps a resting surface trembling. */
    const double wave = weight > 0 ? WAVE_STEP * sqrt(s->g.dx / weight) : INFINITY;
    return fmin(flow, wave);
}

/* How many cells a particle may cross in a step of dt, and so how far the velocity must be known around the
 * liquid. */
static int layers_to_cross(const rheo_sim *s, double dt) {
    const double most = fmax(s->speed[0], fmax(s->speed[1], s->speed[2])) * dt / s->g.dx;
    return NEAR_LAYERS + (most < 8 ? (int)most : 8);
}

rheo_status liquid_hold_particles(rheo_sim *s, rheo_report *report) {
    if (s->keep_room < s->parts.count) {
        mem_free(s->keep);
        s->keep_room = s->parts.capacity;
        s->keep = mem_alloc(s->keep_room);
        if (!s->keep) {
            s->keep_room = 0;
            return report_no_memory(report, "particles");
        }
    }
    const boundary_counts b =
        boundary_particles(&s->parts, s->keep, &s->g, &s->open, s->def.solid_count ? s->solid : NULL);
    s->stats.counts.rescued += b.rescued;
    s->stats.counts.outflow += b.outflow;
    s->volume_put_in -= (double)b.outflow * s->particle_volume;
    return RHEO_OK;
}

rheo_status liquid_emit(rheo_sim *s, double dt, rheo_report *report) {
    for (int e = 0; e < s->def.emitter_count; ++e) {
        const rheo_emitter *def = &s->def.emitters[e];
        if (s->time + dt < def->during[0] || s->time >= def->during[1]) continue;
        double velocity[3];
        rheo_evaluate_curve(velocity, &def->velocity, s->time);
        const emission added =
            emit_shape(&s->parts, &s->next_id, &s->g, s->emitter_shape[e], velocity, def->fluid,
                       s->def.seed + s->next_id, s->def.solid_count ? s->solid : NULL, 1);
        if (added.added < 0 || particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
        s->stats.counts.emitted += added.added;
        s->volume_put_in += (double)added.added * s->particle_volume;
    }
    return RHEO_OK;
}

/* The surface, and the velocity that the particles bring. */
static void fields_from_particles(rheo_sim *s, mac_field *velocity) {
    mac_field *weight = &s->carry;
    timer_stage(&s->timer, "to grid");
    particles_to_grid(velocity, weight, &s->g, &s->parts, is_affine(s));
    timer_stage(&s->timer, "surface");
    surface_from_weights(s->density, s->phi, &s->g, weight, s->room, s->full);
    if (s->def.solid_count) surface_into_solids(s->phi, s->front.layer, &s->g, s->room);
    surface_mark_spray(&s->parts, &s->g, s->phi);
}

/* What carries the particles through the next step: the velocity, and a displacement that evens out their
 * density. */
poisson_result liquid_correct_drift(rheo_sim *s, const float *phi, double dt) {
    mac_field_copy(&s->carry, &s->vel, &s->g);
    if (!s->def.volume_correction) return (poisson_result){.converged = true};
    memset(s->psi, 0, s->g.box.size * sizeof *s->psi);
    volume_outflow(s->work.rhs, s->front.layer, &s->g, &s->open, s->density, phi, dt);
    return pressure_displace(&s->carry, s->psi, s->solver, &s->work, &s->g, &s->open, phi, s->work.rhs,
                             VOLUME_TOLERANCE, VOLUME_ITERATIONS);
}

void liquid_keep_worst(rheo_solve_stats *stats, const poisson_result *r) {
    stats->unknowns = r->unknowns;
    if (r->iterations > stats->iterations) stats->iterations = r->iterations;
    if (r->residual > stats->residual) stats->residual = r->residual;
    stats->converged = stats->converged && r->converged;
}

rheo_status liquid_begin(rheo_sim *s, rheo_report *report) {
    liquid_place_solids(s, s->time);
    if (particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
    fields_from_particles(s, &s->vel);
    liquid_extrapolate(&s->vel, NULL, s, s->phi, NEAR_LAYERS + 1);
    pressure_speed(s->speed, &s->vel, &s->g, &s->open, s->phi);
    mac_field_copy(&s->carry, &s->vel, &s->g);
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}

rheo_status liquid_step(rheo_sim *s, double dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    rheo_status status;
    double gravity[3];
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time + 0.5 * dt);

    timer_stage(&s->timer, "advect");
    particles_advect(&s->parts, g, &s->carry, NULL, dt);
    if ((status = liquid_hold_particles(s, report))) return status;
    if (s->def.method == RHEO_SEMI_LAGRANGIAN) advect_velocity(&s->vel, &s->work.face, g, dt);

    timer_stage(&s->timer, "sort");
    if (particles_sort(&s->parts, g)) return report_no_memory(report, "particles");
    if ((status = liquid_emit(s, dt, report))) return status;

    if (s->moving) {
        timer_stage(&s->timer, "solids");
        liquid_place_solids(s, s->time + dt);
    }
    fields_from_particles(s, s->def.method == RHEO_SEMI_LAGRANGIAN ? &s->before : &s->vel);

    timer_stage(&s->timer, "forces");
    forces_add(&s->vel, is_flip(s) ? &s->before : &(mac_field){{0}}, g, gravity, dt);

    timer_stage(&s->timer, "pressure");
    if (pressure_assemble(s->solver, &s->work, g, &s->open, s->phi))
        return report_no_memory(report, "the pressure solve");
    const poisson_result solve = pressure_project(&s->vel, s->q, s->solver, &s->work, g, &s->open, s->phi,
                                                  s->def.tolerance, s->def.max_iterations);
    liquid_keep_worst(&s->stats.pressure, &solve);
    s->q_dt = dt;
    if (s->closing_step) s->stats.divergence = pressure_divergence(&s->vel, g, &s->open, s->phi);
    pressure_speed(s->speed, &s->vel, g, &s->open, s->phi);
    if (!isfinite(s->speed[0] + s->speed[1] + s->speed[2]))
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "velocity is not finite at t = %g s", s->time + dt);

    timer_stage(&s->timer, "volume");
    const poisson_result drift = liquid_correct_drift(s, s->phi, dt);
    liquid_keep_worst(&s->stats.density, &drift);

    timer_stage(&s->timer, "extrapolate");
    liquid_extrapolate(&s->vel, &s->carry, s, s->phi, layers_to_cross(s, dt));

    timer_stage(&s->timer, "from grid");
    const double flip = is_flip(s) ? pow(1 - s->def.pic_blend, 30 * dt) : 0;
    const double kick[3] = {gravity[0] * dt, gravity[1] * dt, gravity[2] * dt};
    particles_from_grid(&s->parts, g, &s->vel, &s->before, flip, is_affine(s), kick);
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}
