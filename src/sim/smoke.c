/* Smoke on a MAC grid.
 *
 *   du/dt + (u . grad) u = - grad p / rho + g rho' / rho,   div u = 0,   Dc/Dt = sources,   DT/Dt = sources
 *
 * with c the smoke's density (1: as thick as it comes) and T its temperature; rho' is the difference in
 * weight from the air (stage/smoke/forces.c). The gas fills every cell that is not solid; the projection is
 * that of the liquids with no surface: cut cells at solids, static and keyed (Batty et al. 2007), a closed
 * box solved up to a constant, p = 0 on open sides, where air of the ambient temperature comes in. Velocity,
 * density and temperature are carried on the grid by a second-order scheme that makes no new extremes
 * (stage/transport/advect_grid.c), past walls thinner than a cell by what is on their side
 * (stage/walls/thin/paths.c). After Fedkiw, Stam and Jensen (2001) and Batty et al. (2007), section 5.
 *
 * Carrying does not conserve; the amounts of smoke and of heat are held afterwards (stage/smoke/amount.c).
 *
 * Limits: no viscosity and no conduction but those of interpolation; an emitter stirs but does not blow the
 * gas up. */
#include "sim/smoke.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "sim/clock.h"
#include "solid/curve.h"
#include "stage/transport/advect_grid.h"
#include "stage/transport/emit.h"

enum { LAYERS = 3 }; /* into solids: more than what paths reach near a wall that they slide along */

static void swap(float **a, float **b) {
    float *kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- the parts of a step ---- */

/* Density and temperature behind the domain's sides. */
static void fill_borders(rheo_sim *s) {
    advect_fill_border(s->density, &s->g, ADVECT_CELLS, s->open.open_wall, 0);
    advect_fill_border(s->smoke->temperature, &s->g, ADVECT_CELLS, s->open.open_wall, (float)s->def.ambient);
}

/* Where samples were, past the walls that have moved since. */
static int trace(advect_paths *paths, rheo_sim *s, int at, double dt) {
    smoke *m = s->smoke;
    advect_trace(paths, &s->g, &s->vel, &s->open, at, dt);
    if (s->thin.count == 0) return 0;
    const thin_scene now = {&s->thin, s->solids, s->walls}, then = {&m->thin_then, m->solids_then, s->walls};
    const thin_paths look = {.at = at,
                             .dt = dt,
                             .u = &s->vel,
                             .share = m->share,
                             .back = paths->back,
                             .lower = paths->lower,
                             .upper = paths->upper};
    paths->walled = &m->walled;
    return thin_look_back(&m->walled, &look, s->moving ? &then : &now, &now, &s->g);
}

static rheo_status carry(rheo_sim *s, double dt, rheo_report *report) {
    smoke *m = s->smoke;
    const mac_grid *g = &s->g;
    const advect_scheme scheme = (advect_scheme)s->def.advection;
    float *const scratch[2] = {m->first, m->second};
    advect_paths paths = {.back = {s->work.rhs, s->work.extra, s->psi}};
    if (trace(&paths, s, ADVECT_CELLS, dt)) return report_no_memory(report, "thin solids");
    advect_carry(m->next[0], scratch, s->density, &paths, g, scheme);
    swap(&s->density, &m->next[0]);
    if (m->most_heat > 0) {
        advect_carry(m->next[1], scratch, m->temperature, &paths, g, scheme);
        swap(&m->temperature, &m->next[1]);
    }
    fill_borders(s);
    for (int axis = 0; axis < g->box.dim; ++axis) {
        if (trace(&paths, s, axis, dt)) return report_no_memory(report, "thin solids");
        advect_carry(s->before.value[axis], scratch, s->vel.value[axis], &paths, g, scheme);
        advect_fill_border(s->before.value[axis], g, axis, NULL, 0);
    }
    const mac_field old = s->vel;
    s->vel = s->before;
    s->before = old;
    return RHEO_OK;
}

/* What the gas shall hold after it was carried: what it holds now but for what leaves. In cells of density 1
 * and in cells times degrees above the air. */
static double keep_smoke(rheo_sim *s, double dt) {
    const double leaves = smoke_outflow(s->density, 0, &s->vel, &s->g, &s->open, dt);
    const double volume = leaves * s->g.dx * s->g.dx * s->g.dx;
    s->outflow += volume;
    s->volume_put_in -= volume;
    return smoke_amount(s->density, 0, &s->g, s->smoke->share) - leaves;
}

static double keep_heat(const rheo_sim *s, double dt) {
    const smoke *m = s->smoke;
    if (!(m->most_heat > 0)) return 0;
    return smoke_amount(m->temperature, s->def.ambient, &s->g, m->share) -
           smoke_outflow(m->temperature, s->def.ambient, &s->vel, &s->g, &s->open, dt);
}

static smoke_warmth warmth(const rheo_sim *s, double degrees) {
    return (smoke_warmth){degrees, s->def.ambient, s->smoke->most_heat};
}

/* The cells of a source that hold what is in it: not those on the other side of a thin wall. */
static const smoke_cover *covered(rheo_sim *s, const smoke_cover *all, const shape *source) {
    smoke_cover *c = &s->smoke->covered;
    if (s->thin.count == 0) return all;
    memcpy(c->cell, all->cell, all->count * sizeof *c->cell);
    memcpy(c->part, all->part, all->count * sizeof *c->part);
    c->count = thin_keep_covered(c->cell, c->part, all->count, &s->thin, &s->g, source);
    return c;
}

/* What an emitter brings in a step; -1: it keeps its shape full. */
static double brought(const rheo_emitter *e, double time, const emitter_step *step, double dt) {
    double rate;
    if (e->rate.count == 0 || (e->rate.count == 1 && e->rate.values[0] == 0)) return -1;
    curve_mean(&rate, &e->rate, fmax(time, e->during[0]), fmin(time + dt, e->during[1]));
    return rate * step->runs;
}

static void emit(rheo_sim *s, double dt) {
    smoke *m = s->smoke;
    for (int i = 0; i < s->def.emitter_count; ++i) {
        const rheo_emitter *e = &s->def.emitters[i];
        const emitter_step step = emit_step(e, s->time, dt);
        double degrees = s->def.fluids[e->fluid].temperature;
        if (!(step.runs > 0)) continue;
        if (e->temperature.count) rheo_evaluate_curve(&degrees, &e->temperature, s->time + dt);
        const smoke_warmth warm = warmth(s, degrees);
        const smoke_cover *in = covered(s, &m->emitter[i], s->emitter_shape[i]);
        const double amount = brought(e, s->time, &step, dt);
        const double added =
            amount < 0 ? smoke_fill(s->density, m->temperature, &s->g, in, m->share, &warm)
                       : smoke_add(s->density, m->temperature, &s->g, in, m->share, amount, degrees);
        s->emitted += added;
        s->volume_put_in += added;
        emit_velocity(&s->vel, &s->g, &(emitter_reach){.inlet = s->emitter_shape[i]}, step.velocity);
    }
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        double degrees;
        rheo_evaluate_curve(&degrees, &s->def.heat_sources[i].temperature, s->time + dt);
        const smoke_warmth warm = warmth(s, degrees);
        smoke_heat(m->temperature, covered(s, &m->heat[i], m->heat_shape[i]), &warm);
    }
}

static void find_shares(rheo_sim *s) {
    smoke_shares(s->smoke->share, &s->g, s->solid);
    if (s->thin.count) thin_shares(s->smoke->share, s->smoke->first, &s->thin, &s->g);
}

static rheo_status place_solids(rheo_sim *s, double time, rheo_report *report) {
    const rheo_status status = liquid_place_solids(s, time, report);
    if (!status) find_shares(s);
    return status;
}

/* To the end of the step; thin walls as they were are what the gas has been held by. */
static rheo_status move_solids(rheo_sim *s, double dt, rheo_report *report) {
    smoke *m = s->smoke;
    const rheo_status status = liquid_move_bodies(s, dt, report);
    if (status || !s->moving) return status;
    if (s->thin.count) {
        const thin_walls then = s->thin;
        s->thin = m->thin_then;
        m->thin_then = then;
        memcpy(m->solids_then, s->solids, (size_t)s->walls * sizeof *s->solids);
    }
    return liquid_place_solids(s, s->time + dt, report);
}

static rheo_status assemble(rheo_sim *s, rheo_report *report) {
    if (pressure_assemble(s->solver, &s->work, &s->g, &s->open, s->phi))
        return report_no_memory(report, "the pressure solve");
    return RHEO_OK;
}

/* Velocity around the gas and in solids; density and temperature there and behind the sides. */
static void extend(rheo_sim *s) {
    smoke *m = s->smoke;
    liquid_extrapolate(&s->vel, LAYERS, NULL, 0, s, s->phi);
    if (s->def.solid_count) smoke_into_solids(s->density, m->temperature, &s->front, &s->g, m->share, LAYERS);
    fill_borders(s);
}

double smoke_dt_limit(const rheo_sim *s, double time) {
    double g[3];
    const double *u = s->speed, reach = s->def.cfl * s->g.dx; /* m a step */
    rheo_evaluate_curve(g, &s->def.gravity, time);
    const double lift = s->smoke->most_lift * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double flow = fmax(liquid_emitter_speed(s, time, curve_longest), /* before the gas shows it */
                             sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    const double fast = fmax(liquid_wall_speed(s, time), flow);
    const double dt = fast + lift > 0 ? reach / (fast + sqrt(reach * lift)) : INFINITY;
    return fmin(dt, liquid_rigid_limit(s));
}

/* With bodies and keyed solids the system changes every step; else it was set up at the start. */
static rheo_status project(rheo_sim *s, const float **phi, double dt, rheo_report *report) {
    if (s->moving) {
        const rheo_status status = liquid_project(s, &s->open, phi, dt, report);
        return status ? status : liquid_hold_bodies(s, dt, report);
    }
    const poisson_result solve = pressure_project(&s->vel, s->q, s->solver, &s->work, &s->g, &s->open, *phi,
                                                  s->def.tolerance, s->def.max_iterations);
    liquid_keep_worst(&s->stats.pressure, &solve);
    return RHEO_OK;
}

rheo_status smoke_step(rheo_sim *s, double dt, rheo_report *report) {
    smoke *m = s->smoke;
    const mac_grid *g = &s->g;
    const rheo_fluid *gas = &s->def.fluids[0];
    rheo_status status = RHEO_OK;
    double gravity[3];
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time + 0.5 * dt);

    timer_stage(&s->timer, "solids");
    const double smoke_kept = keep_smoke(s, dt), heat_kept = keep_heat(s, dt);
    if ((status = move_solids(s, dt, report))) return status;

    timer_stage(&s->timer, "advect");
    if ((status = carry(s, dt, report))) return status;

    timer_stage(&s->timer, "amounts");
    if (s->moving) find_shares(s);
    smoke_keep_amount(s->density, m->first, smoke_kept, 0, g, &s->open, m->share);
    if (m->most_heat > 0)
        smoke_keep_amount(m->temperature, m->first, heat_kept, s->def.ambient, g, &s->open, m->share);

    timer_stage(&s->timer, "sources");
    emit(s, dt);

    if (is_periodic(g)) { /* what was put in near a side is near the other one too */
        fill_borders(s);
        wrap_faces(&s->vel, g);
    }

    timer_stage(&s->timer, "forces");
    smoke_buoyancy(&s->vel, g, s->density, m->temperature, gravity, gas->soot / gas->density, gas->expansion,
                   s->def.ambient, dt);
    wrap_faces(&s->vel, g);
    if (s->def.confinement > 0)
        smoke_confine(&s->vel, (float *const[4]){s->work.rhs, s->work.extra, s->psi, m->first}, g, m->share,
                      s->thin.count ? s->thin.sees : NULL, s->def.confinement, dt);

    timer_stage(&s->timer, "bodies");
    if (s->def.coupling != RHEO_SOLID_TO_FLUID) /* of what the gas weighs, pressure knows only differences */
        world_lift(s->world, gas->density, gravity, dt);
    if ((status = liquid_pull_bodies(s, gravity, dt, report))) return status;

    timer_stage(&s->timer, "pressure");
    const float *phi = s->phi;
    if ((status = project(s, &phi, dt, report))) return status;
    s->q_dt = dt;
    if (s->closing_step) s->stats.divergence = pressure_divergence(&s->vel, g, &s->open, phi, NULL, NULL);
    pressure_speed(s->speed, &s->vel, g, &s->open, phi);
    if (!isfinite(s->speed[0] + s->speed[1] + s->speed[2] + world_speed(s->world)))
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "velocity is not finite at t = %g s", s->time + dt);

    timer_stage(&s->timer, "extrapolate");
    extend(s);
    timer_stage(&s->timer, NULL);
    return RHEO_OK;
}

/* ---- start and restart ---- */

static rheo_status allocate(rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    smoke *m = s->smoke = mem_alloc(sizeof *m);
    if (!m) return report_no_memory(report, "the smoke");
    int bad = mac_field_make(&s->vel, g) | mac_field_make(&s->before, g) | mac_field_make(&s->carry, g) |
              mac_field_make(&s->open.open, g);
    if (s->moving) bad |= openings_make_movers(&s->open, g) | field_make(&s->solid_still, g);
    float **const fields[] = {&s->phi,   &s->density,    &s->q,        &s->psi,
                              &s->solid, &s->work.extra, &s->work.rhs, &m->temperature,
                              &m->share, &m->first,      &m->next[0],  &m->next[1]};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) bad |= field_make(fields[i], g);
    if (s->def.advection == RHEO_ADVECT_BFECC) bad |= field_make(&m->second, g);
    s->work.unknown = mem_alloc(g->box.size);
    m->tallies = mem_alloc(smoke_tallies(g));
    bad |= (s->work.unknown == NULL) | (m->tallies == NULL) | front_make(&s->front, g);
    s->solver =
        poisson_create(&g->box, g->pool, s->def.pressure == RHEO_MIC ? POISSON_MIC : POISSON_MULTIGRID);
    s->work.face = s->carry;
    bad |= liquid_make_couplings(s) | thin_make(&s->thin, g, s->solids, s->walls);
    if (s->thin.count && s->moving) {
        bad |= thin_make(&m->thin_then, g, s->solids, s->walls);
        m->solids_then = mem_alloc((size_t)s->walls * sizeof *m->solids_then);
        bad |= m->solids_then == NULL;
    }
    return bad || !s->solver ? report_no_memory(report, "the grid") : RHEO_OK;
}

/* Gas in every owned cell, air half a cell behind open sides: p = 0 on the side itself. */
static void fill_domain(rheo_sim *s) {
    const box *b = &s->g.box;
    for (size_t i = 0; i < b->size; ++i) s->phi[i] = (float)(0.5 * s->g.dx);
    for (size_t i = 0; i < b->size; ++i) /* in both of the pair, so that gaps between rows agree as well */
        s->smoke->temperature[i] = s->smoke->next[1][i] = (float)s->def.ambient;
    for (size_t i = 0; i < b->size; ++i) s->smoke->share[i] = 1;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) s->phi[box_at(b, i, j, k)] = (float)(-0.5 * s->g.dx);
    wrap_field(s->phi, &s->g);
}

static rheo_status cover(smoke_cover **covers, rheo_sim *s, shape *const *shapes, int count,
                         rheo_report *report) {
    *covers = arena_alloc(&s->text, ((size_t)count + 1) * sizeof **covers);
    if (!*covers) return report_no_memory(report, "the sources");
    for (int i = 0; i < count; ++i)
        if (smoke_cover_make(&(*covers)[i], &s->g, shapes[i])) return report_no_memory(report, "the sources");
    return RHEO_OK;
}

/* Room for what is left of any source. */
static rheo_status make_covered(rheo_sim *s, rheo_report *report) {
    smoke *m = s->smoke;
    size_t most = 0;
    for (int i = 0; i < s->fill_count; ++i) most = m->fill[i].count > most ? m->fill[i].count : most;
    for (int i = 0; i < s->def.emitter_count; ++i)
        most = m->emitter[i].count > most ? m->emitter[i].count : most;
    for (int i = 0; i < s->def.heat_source_count; ++i)
        most = m->heat[i].count > most ? m->heat[i].count : most;
    m->covered.cell = mem_alloc((most + 1) * sizeof *m->covered.cell);
    m->covered.part = mem_alloc((most + 1) * sizeof *m->covered.part);
    if (!m->covered.cell || !m->covered.part) return report_no_memory(report, "the sources");
    return RHEO_OK;
}

static rheo_status compile_heat(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    smoke *m = s->smoke;
    m->heat_shape = arena_alloc(&s->text, ((size_t)scene->heat_source_count + 1) * sizeof *m->heat_shape);
    if (!m->heat_shape) return report_no_memory(report, "the sources");
    rheo_status status = RHEO_OK;
    for (int i = 0; i < scene->heat_source_count && !status; ++i) {
        const rheo_shape *def = &scene->heat_sources[i].shape;
        status = scene->dim == 2 ? shape_make_flat(&m->heat_shape[i], def, report)
                                 : shape_make(&m->heat_shape[i], def, report);
    }
    return status;
}

static double hottest(const rheo_curve *c, double ambient) {
    double most = 0;
    for (int i = 0; i < c->count; ++i) most = fmax(most, fabs(c->values[i] - ambient));
    return most;
}

/* The largest difference from the ambient temperature that the scene can make. */
static double most_heat(const rheo_scene *def) {
    const rheo_fluid *gas = &def->fluids[0];
    double heat = fabs(gas->temperature - def->ambient);
    for (int i = 0; i < def->emitter_count; ++i)
        heat = fmax(heat, hottest(&def->emitters[i].temperature, def->ambient));
    for (int i = 0; i < def->heat_source_count; ++i)
        heat = fmax(heat, hottest(&def->heat_sources[i].temperature, def->ambient));
    return heat;
}

/* What fills and walls bring, made free of divergence before it carries anything: smoke that starts towards a
 * wall is not pressed into it. No step has passed, so there is no pressure yet. */
static void project_start(rheo_sim *s) {
    wrap_faces(&s->vel, &s->g);
    pressure_project(&s->vel, s->q, s->solver, &s->work, &s->g, &s->open, s->phi, s->def.tolerance,
                     s->def.max_iterations);
    memset(s->q, 0, s->g.box.size * sizeof *s->q);
}

static rheo_status start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    rheo_status status = allocate(s, report);
    if (status || (status = liquid_check_thin(s, report))) return status;
    smoke *m = s->smoke;
    const rheo_fluid *gas = &s->def.fluids[0];
    if ((status = compile_heat(s, scene, report)) ||
        (status = cover(&m->fill, s, s->fill, s->fill_count, report)) ||
        (status = cover(&m->emitter, s, s->emitter_shape, s->def.emitter_count, report)) ||
        (status = cover(&m->heat, s, m->heat_shape, s->def.heat_source_count, report)) ||
        (s->thin.count && (status = make_covered(s, report))))
        return status;
    m->most_heat = most_heat(&s->def);
    m->most_lift = fmax(gas->expansion * m->most_heat, gas->soot / gas->density);
    fill_domain(s);
    liquid_place_still_solids(s);
    if ((status = place_solids(s, 0, report))) return status;
    const smoke_warmth warm = warmth(s, gas->temperature);
    for (int i = 0; i < s->fill_count; ++i) {
        const smoke_cover *in = covered(s, &m->fill[i], s->fill[i]);
        s->volume_put_in += smoke_fill(s->density, m->temperature, &s->g, in, m->share, &warm);
        emit_velocity(&s->vel, &s->g, &(emitter_reach){.inlet = s->fill[i]}, gas->velocity);
    }
    pressure_speed(s->speed, &s->vel, &s->g, &s->open, s->phi);
    clock_start(s);
    if (s->keyed && (status = place_solids(s, 0, report))) return status; /* as fast as in it */
    if ((status = assemble(s, report))) return status;
    project_start(s);
    pressure_speed(s->speed, &s->vel, &s->g, &s->open, s->phi);
    extend(s);
    return RHEO_OK;
}

static int list_state(state_array *list, rheo_sim *s) {
    static const char *const names[3] = {"vel_x", "vel_y", "vel_z"};
    const size_t size = s->g.box.size;
    int n = 0;
    for (int a = 0; a < s->g.box.dim; ++a)
        list[n++] = (state_array){names[a], STATE_F32, size, s->vel.value[a]};
    list[n++] = (state_array){"density", STATE_F32, size, s->density};
    list[n++] = (state_array){"temperature", STATE_F32, size, s->smoke->temperature};
    list[n++] = (state_array){"q", STATE_F32, size, s->q};
    return n;
}

static rheo_status restored(rheo_sim *s, rheo_report *report) {
    const rheo_status status = place_solids(s, s->time, report);
    return status ? status : assemble(s, report);
}

static void finish(rheo_sim *s) {
    smoke *m = s->smoke;
    if (!m) return;
    for (int i = 0; m->fill && i < s->fill_count; ++i) smoke_cover_free(&m->fill[i]);
    for (int i = 0; m->emitter && i < s->def.emitter_count; ++i) smoke_cover_free(&m->emitter[i]);
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        if (m->heat) smoke_cover_free(&m->heat[i]);
        if (m->heat_shape) shape_free(m->heat_shape[i]);
    }
    float *const fields[] = {m->temperature, m->share, m->first, m->second, m->next[0], m->next[1]};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) mem_free(fields[i]);
    mem_free(m->tallies);
    smoke_cover_free(&m->covered);
    mem_free(m->solids_then);
    thin_free(&m->thin_then);
    thin_forget_paths(&m->walled);
    mem_free(m);
}

const sim_method smoke_method = {
    .start = start,
    .dt_limit = smoke_dt_limit,
    .step = smoke_step,
    .measure = smoke_measure,
    .list_state = list_state,
    .restored = restored,
    .finish = finish,
};
