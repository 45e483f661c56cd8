/* The projection of a step (stage/pressure/, Batty et al. 2007): faces, system, solve, the velocity after it.
 * What bodies add is in projection_bodies.c. */
#include "sim/projection.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "sim/bodies.h"
#include "sim/felt.h"
#include "solid/vector.h"

void projection_list(projection *p, const walls *w, rheo_sim *s) {
    field_list *l = &s->fields;
    field_kept(l, "q", FIELD_CELLS, &p->q);
    field_kept_reals(l, "q_dt", &p->q_dt, 1);
    field_kept_reals(l, "speed", p->speed, 3);
    field_held(l, FIELD_MARKS, &p->unknown);
    if (s->def.separation) field_held(l, FIELD_MARKS, &p->bounded);
    if (s->def.coupling == RHEO_RIGID_FLUID && sim_bodies_are_fluid(s))
        field_held(l, FIELD_CELLS, &p->domain);
    if (p->is_gas) return; /* its emitters are no boundaries */
    if ((w->by_particles && s->wall_count) || s->def.emitter_count) field_held(l, FIELD_FACES, &p->open);
    if (s->def.emitter_count) field_held(l, FIELD_FACES, &p->wall);
}

rheo_status projection_make(projection *p, rheo_sim *s, rheo_report *report) {
    const int bodies = world_count(s->world), apart = s->def.solid_count - s->wall_count;
    p->solver =
        poisson_create(&s->g.box, s->g.pool, s->def.pressure == RHEO_MIC ? POISSON_MIC : POISSON_MULTIGRID);
    int bad = p->solver ? 0 : -1;
    bad |= coupling_make(&p->coupling, s->def.coupling == RHEO_MONOLITHIC ? bodies : 0);
    bad |= rigid_fluid_make(&p->rigid, apart);
    if (s->def.separation) bad |= !(p->separation = lcp_create(&s->g.box));
    return bad ? report_no_memory(report, "the pressure solve") : RHEO_OK;
}

void projection_free(projection *p) {
    coupling_free(&p->coupling);
    rigid_fluid_free(&p->rigid);
    lcp_free(p->separation);
    poisson_free(p->solver);
}

size_t projection_bytes(const projection *p) {
    return (p->separation ? lcp_bytes(p->separation) : 0) + coupling_bytes(&p->coupling) +
           rigid_fluid_bytes(&p->rigid) + poisson_bytes(p->solver);
}

pressure_work projection_borrow(projection *p, rheo_sim *s) {
    return (pressure_work){.face = *scratch_faces(&s->scratch),
                           .extra = scratch_cells(&s->scratch),
                           .rhs = scratch_cells(&s->scratch),
                           .unknown = p->unknown};
}

const uint8_t *projection_voids(const projection *p) {
    return p->separation ? lcp_active(p->separation) : NULL;
}

void projection_keep_worst(rheo_solve_stats *stats, const poisson_result *r) {
    stats->unknowns = r->unknowns;
    if (r->iterations > stats->iterations) stats->iterations = r->iterations;
    if (!(r->residual <= stats->residual)) stats->residual = r->residual; /* also what is not a number */
    stats->converged = stats->converged && r->converged;
    if (r->closed_regions > stats->closed_regions) stats->closed_regions = r->closed_regions;
    if (r->incompatibility > stats->incompatible) stats->incompatible = r->incompatibility;
}

static void keep_separation(rheo_solve_stats *stats, const lcp_result *r) {
    stats->converged = stats->converged && r->settled;
    if (r->rounds > stats->rounds) stats->rounds = r->rounds;
    stats->separated = r->active;
    stats->violation = fmax(stats->violation, fmax(-r->least_rest, r->product));
}

/* ---- faces ---- */

projecting projection_faces(projection *p, walls *w, emitters *e, rheo_sim *s, const float *phi, double dt) {
    const mac_grid *g = &s->g;
    projecting on = {.work = projection_borrow(p, s), .faces = &w->open, .phi = phi, .dt = dt};
    felt_clear(s);
    sim_gravity(on.pull, s, s->clock.time + 0.5 * dt);
    for (int a = 0; a < 3; ++a) on.pull[a] *= dt;
    on.fall = vec_length(on.pull);
    const int drives = emitters_drive(e, w, s, dt);
    if (w->slivers.count == 0 && !w->films.any && !drives) return on; /* the walls' own */
    mac_field_copy(&p->open, &w->open.open, g);
    p->faces = w->open; /* movers, and what meets */
    p->faces.open = p->open;
    slivers_close(&p->faces, &w->slivers, g, phi);
    films_open(&p->faces, &w->films, g, s->wall_count);
    on.faces = &p->faces;
    if (!drives) return on;
    if (w->open.wall.value[0]) mac_field_copy(&p->wall, &w->open.wall, g);
    else memset(p->wall.value[0], 0, (size_t)g->box.dim * g->box.size * sizeof(float));
    p->faces.wall = p->wall;
    on.work.source = emitters_close(&p->faces, e, w, s, dt);
    return on;
}

void projection_walls(projecting *on, const walls *w, const rheo_sim *s) {
    if (s->moving && on->faces->wall.value[0] != w->open.wall.value[0])
        solids_wall_velocity(on->faces, &s->g, s->solids, s->wall_count);
}

/* ---- the solve ---- */

typedef struct {
    float *q, by;
    size_t size;
} scale_job;

enum { GRAIN = 1 << 14 };

static void scale_task(void *context, int block) {
    const scale_job *s = context;
    const size_t from = (size_t)block * GRAIN, to = from + GRAIN < s->size ? from + GRAIN : s->size;
    for (size_t c = from; c < to; ++c) s->q[c] *= s->by;
}

void projection_fit(projection *p, const mac_grid *g, double dt) {
    scale_job job = {p->q, (float)(dt / p->q_dt), g->box.size};
    if (p->q_dt > 0 && p->q_dt != dt)
        parallel_for(g->pool, block_count((long)job.size, GRAIN), scale_task, &job);
}

int projection_assemble(pressure_work *work, projection *p, const walls *w, rheo_sim *s, const float *phi) {
    return pressure_assemble(p->solver, work, &s->g, &w->open, phi);
}

poisson_result projection_plain(mac_field *vel, pressure_work *work, projection *p, const walls *w,
                                rheo_sim *s, const float *phi) {
    return pressure_project(vel, p->q, p->solver, work, &s->g, &w->open, phi, s->def.tolerance,
                            s->def.max_iterations);
}

rheo_status projection_pressure(lcp_result *r, const mac_field *vel, projecting *on, projection *p,
                                const rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    if (!p->separation) {
        r->solve = pressure_solve(p->q, p->solver, &on->work, g, on->faces, on->phi, vel, s->def.tolerance,
                                  s->def.max_iterations);
        return RHEO_OK;
    }
    const poisson_term term = {p->coupling.rows, p->coupling.first, p->coupling.terms};
    if (pressure_separate(r, p->q, p->separation, p->bounded, p->solver, &on->work, g, on->faces, on->phi,
                          vel, &term, s->def.tolerance, s->def.max_iterations))
        return report_no_memory(report, "the pressure solve");
    return RHEO_OK;
}

poisson *projection_whole(const projection *p) {
    return p->separation ? NULL : p->solver;
}

rheo_status projection_solve(mac_field *vel, projecting *on, projection *p, walls *w, rheo_sim *s,
                             rheo_report *report) {
    const mac_grid *g = &s->g;
    lcp_result r = {0};
    rheo_status status;
    wrap_faces(vel, g);
    projection_fit(p, g, on->dt);
    TRY(projection_join_bodies(vel, on, p, s, report));
    if (pressure_assemble(projection_whole(p), &on->work, g, on->faces, on->phi))
        TRY(report_no_memory(report, "the pressure solve"));
    if (p->coupling.count) TRY(projection_with_bodies(&r, vel, on, p, w, s, report));
    else TRY(projection_pressure(&r, vel, on, p, s, report));
    projection_keep_worst(&s->stats.pressure, &r.solve);
    if (p->separation) keep_separation(&s->stats.pressure, &r);
    pressure_subtract(vel, p->q, &on->work, g, on->faces, on->phi);
    if (p->separation) pressure_release(vel, g, on->faces, projection_voids(p));
    projection_push_bodies(vel, p, s);
    p->q_dt = on->dt;
    on->again = 1;
out:
    return status;
}

rheo_status projection_end(mac_field *vel, const projecting *on, projection *p, walls *w, emitters *e,
                           rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    const rheo_status status = bodies_constrain(s, on->dt, report);
    if (status) return status;
    projection_end_bodies(vel, p, on->dt);
    if (s->clock.closing_step)
        s->stats.divergence =
            pressure_divergence(vel, g, on->faces, on->phi, on->work.source, projection_voids(p));
    if (s->clock.closing_step) felt_pressure(s, p, w);
    emitters_give(vel, NULL, e, w, s, on->dt);
    pressure_speed(p->speed, vel, g, on->faces, on->phi);
    const double speed = p->speed[0] + p->speed[1] + p->speed[2] + world_speed(s->world);
    if (isfinite(speed) && isfinite(s->stats.pressure.residual)) return RHEO_OK;
    return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                       "%s is not finite at t = %g s", isfinite(speed) ? "pressure" : "velocity",
                       s->clock.time + on->dt);
}
