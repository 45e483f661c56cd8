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
#include "sim/bodies.h"
#include "sim/clock.h"
#include "sim/probe.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "solid/vector.h"
#include "stage/transport/advect_grid.h"
#include "stage/transport/emit.h"

enum { LAYERS = 3 }; /* into solids: more than what paths reach near a wall that they slide along */

static const quiet_limits as_solved = {0, 0};

static void swap(float **a, float **b) {
    float *kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- how long ---- */

static double smoke_dt_limit(const rheo_sim *s, double time) {
    const smoke *m = smoke_of(s);
    double g[3];
    const double reach = s->def.cfl * s->g.dx; /* m a step */
    sim_gravity(g, s, time);
    const double lift = m->most_lift * vec_length(g);
    const double flow = fmax(emitters_speed(s, time, curve_longest), /* before the gas shows it */
                             vec_length(m->projection.speed));
    const double fast = fmax(step_wall_speed(s, time), flow);
    const double dt = fast + lift > 0 ? reach / (fast + sqrt(reach * lift)) : INFINITY;
    return fmin(dt, step_limit_rigid(s));
}

static double smoke_foretell(const rheo_scene *scene, double dx, double speed, double acceleration) {
    (void)acceleration; /* the gas rises by differences, which only a run knows */
    return speed > 0 ? scene->cfl * dx / speed : INFINITY;
}

/* ---- the stages that are smoke's own ---- */

/* Density and temperature behind the domain's sides. */
static void fill_borders(smoke *m, rheo_sim *s) {
    const uint8_t *open = m->walls.open.open_wall;
    advect_fill_border(m->density, &s->g, ADVECT_CELLS, open, 0);
    advect_fill_border(m->temperature, &s->g, ADVECT_CELLS, open, (float)s->def.ambient);
}

/* What the gas shall hold after it was carried: what it holds now but for what leaves. In cells of density 1
 * and in cells times degrees above the air. */
typedef struct kept {
    double smoke, heat;
} kept;

static kept find_kept(const smoke *m, rheo_sim *s, double dt) {
    const mac_grid *g = &s->g;
    const openings *open = &m->walls.open;
    const double leaves = smoke_outflow(m->density, 0, &m->vel, g, open, dt);
    const double volume = leaves * g->dx * g->dx * g->dx;
    kept k = {.smoke = smoke_amount(m->density, 0, g, m->share) - leaves};
    s->balance.outflow += volume;
    s->balance.put_in -= volume;
    if (m->most_heat > 0)
        k.heat = smoke_amount(m->temperature, s->def.ambient, g, m->share) -
                 smoke_outflow(m->temperature, s->def.ambient, &m->vel, g, open, dt);
    return k;
}

static void keep_amounts(smoke *m, kept k, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    float *spread = scratch_cells(&s->scratch);
    const openings *open = &m->walls.open;
    smoke_keep_amount(m->density, spread, k.smoke, 0, &s->g, open, m->share);
    if (m->most_heat > 0)
        smoke_keep_amount(m->temperature, spread, k.heat, s->def.ambient, &s->g, open, m->share);
    scratch_back(&s->scratch, mine);
}

static void find_shares(smoke *m, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    smoke_shares(m->share, &s->g, m->walls.solid);
    if (m->walls.thin.count) thin_shares(m->share, scratch_cells(&s->scratch), &m->walls.thin, &s->g);
    scratch_back(&s->scratch, mine);
}

static void move_shares(smoke *m, rheo_sim *s) {
    if (s->moving) find_shares(m, s);
}

/* To the end of the step; thin walls as they were are what the gas has been held by. */
static rheo_status move_walls(smoke *m, rheo_sim *s, double dt, rheo_report *report) {
    if (s->moving && m->walls.thin.count) {
        const thin_walls then = m->walls.thin;
        m->walls.thin = m->thin_then;
        m->thin_then = then;
        memcpy(m->solids_then, s->solids, (size_t)s->wall_count * sizeof *s->solids);
    }
    return walls_move(&m->walls, s, s->clock.time + dt, report);
}

/* Where samples were, past the walls that have moved since. */
static int trace(advect_paths *paths, smoke *m, rheo_sim *s, int at, double dt) {
    const walls *w = &m->walls;
    advect_trace(paths, &s->g, &m->vel, &w->open, at, dt);
    if (w->thin.count == 0) return 0;
    const thin_scene now = {&w->thin, s->solids, s->wall_count},
                     then = {&m->thin_then, m->solids_then, s->wall_count};
    const thin_paths look = {.at = at,
                             .dt = dt,
                             .u = &m->vel,
                             .share = m->share,
                             .back = paths->back,
                             .lower = paths->lower,
                             .upper = paths->upper};
    paths->walled = &m->walled;
    return thin_look_back(&m->walled, &look, s->moving ? &then : &now, &now, &s->g);
}

static int carry_all(smoke *m, advect_paths *paths, float *const between[2], rheo_sim *s, double dt) {
    const mac_grid *g = &s->g;
    const advect_scheme scheme = (advect_scheme)s->def.advection;
    if (trace(paths, m, s, ADVECT_CELLS, dt)) return -1;
    advect_carry(m->next[0], between, m->density, paths, g, scheme);
    swap(&m->density, &m->next[0]);
    if (m->most_heat > 0) {
        advect_carry(m->next[1], between, m->temperature, paths, g, scheme);
        swap(&m->temperature, &m->next[1]);
    }
    fill_borders(m, s);
    for (int axis = 0; axis < g->box.dim; ++axis) {
        if (trace(paths, m, s, axis, dt)) return -1;
        advect_carry(m->next_vel.value[axis], between, m->vel.value[axis], paths, g, scheme);
        advect_fill_border(m->next_vel.value[axis], g, axis, NULL, 0);
    }
    const mac_field old = m->vel;
    m->vel = m->next_vel;
    m->next_vel = old;
    return 0;
}

static rheo_status carry(smoke *m, rheo_sim *s, double dt, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    advect_paths paths = {
        .back = {scratch_cells(&s->scratch), scratch_cells(&s->scratch), scratch_cells(&s->scratch)}};
    float *const between[2] = {scratch_cells(&s->scratch), scratch_cells(&s->scratch)};
    const int bad = carry_all(m, &paths, between, s, dt);
    scratch_back(&s->scratch, mine);
    return bad ? report_no_memory(report, "thin solids") : RHEO_OK;
}

static smoke_warmth warmth(const smoke *m, const rheo_sim *s, double degrees) {
    return (smoke_warmth){degrees, s->def.ambient, m->most_heat};
}

/* The cells of a source that hold what is in it: not those on the other side of a thin wall. */
static const smoke_cover *covered(smoke *m, const smoke_cover *all, const shape *source, rheo_sim *s) {
    smoke_cover *c = &m->covered;
    if (m->walls.thin.count == 0) return all;
    memcpy(c->cell, all->cell, all->count * sizeof *c->cell);
    memcpy(c->part, all->part, all->count * sizeof *c->part);
    c->count = thin_keep_covered(c->cell, c->part, all->count, &m->walls.thin, &s->g, source);
    return c;
}

/* What an emitter brings in a step; -1: it keeps its shape full. */
static double brought(const rheo_emitter *e, double time, const emitter_step *step, double dt) {
    double rate;
    if (e->rate.count == 0 || (e->rate.count == 1 && e->rate.values[0] == 0)) return -1;
    curve_mean(&rate, &e->rate, fmax(time, e->during[0]), fmin(time + dt, e->during[1]));
    return rate * step->runs;
}

static void emit(smoke *m, rheo_sim *s, double dt) {
    for (int i = 0; i < s->def.emitter_count; ++i) {
        const rheo_emitter *e = &s->def.emitters[i];
        const emitter_step step = emit_step(e, s->clock.time, dt);
        double degrees = s->def.fluids[e->fluid].temperature;
        if (!(step.runs > 0)) continue;
        if (e->temperature.count) rheo_evaluate_curve(&degrees, &e->temperature, s->clock.time + dt);
        const smoke_warmth warm = warmth(m, s, degrees);
        const smoke_cover *in = covered(m, &m->emitter[i], s->emitter_shape[i], s);
        const double amount = brought(e, s->clock.time, &step, dt);
        const double added =
            amount < 0 ? smoke_fill(m->density, m->temperature, &s->g, in, m->share, &warm)
                       : smoke_add(m->density, m->temperature, &s->g, in, m->share, amount, degrees);
        s->balance.emitted += added;
        s->balance.put_in += added;
        emit_velocity(&m->vel, NULL, &s->g, &(emitter_reach){.inlet = s->emitter_shape[i]}, step.velocity);
    }
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        double degrees;
        rheo_evaluate_curve(&degrees, &s->def.heat_sources[i].temperature, s->clock.time + dt);
        const smoke_warmth warm = warmth(m, s, degrees);
        smoke_heat(m->temperature, covered(m, &m->heat[i], m->heat_shape[i], s), &warm);
    }
    if (!is_periodic(&s->g)) return;
    fill_borders(m, s); /* what was put in near a side is near the other one too */
    wrap_faces(&m->vel, &s->g);
}

static void rise(smoke *m, rheo_sim *s, const double gravity[3], double dt) {
    const rheo_fluid *gas = &s->def.fluids[0];
    smoke_buoyancy(&m->vel, &s->g, m->density, m->temperature, gravity, gas->soot / gas->density,
                   gas->expansion, s->def.ambient, dt);
    wrap_faces(&m->vel, &s->g);
}

static void confine(smoke *m, rheo_sim *s, double dt) {
    const scratch_count mine = s->scratch.lent;
    if (!(s->def.confinement > 0)) return;
    float *const curl[4] = {scratch_cells(&s->scratch), scratch_cells(&s->scratch),
                            scratch_cells(&s->scratch), scratch_cells(&s->scratch)};
    smoke_confine(&m->vel, curl, &s->g, m->share, m->walls.thin.count ? m->walls.thin.sees : NULL,
                  s->def.confinement, dt);
    scratch_back(&s->scratch, mine);
}

/* Of what the gas weighs, pressure knows only differences. */
static void lift_bodies(rheo_sim *s, const double gravity[3], double dt) {
    if (s->def.coupling != RHEO_SOLID_TO_FLUID) world_lift(s->world, sim_density(s), gravity, dt);
}

static rheo_status assemble(smoke *m, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    pressure_work work = projection_borrow(&m->projection, s);
    const int bad = projection_assemble(&work, &m->projection, &m->walls, s, m->phi);
    scratch_back(&s->scratch, mine);
    return bad ? report_no_memory(report, "the pressure solve") : RHEO_OK;
}

/* With bodies and keyed solids the system changes every step; else it was set up at the start. */
static rheo_status project(smoke *m, projecting *on, rheo_sim *s, rheo_report *report) {
    if (s->moving) return projection_solve(&m->vel, on, &m->projection, &m->walls, s, report);
    const poisson_result solve = projection_plain(&m->vel, &on->work, &m->projection, &m->walls, s, m->phi);
    projection_keep_worst(&s->stats.pressure, &solve);
    m->projection.q_dt = on->dt;
    return RHEO_OK;
}

/* Velocity around the gas and in solids; density and temperature there and behind the sides. */
static void extend(smoke *m, rheo_sim *s) {
    walls *w = &m->walls;
    walls_extend(&m->vel, LAYERS, NULL, 0, w, s, m->phi, &as_solved, 0);
    if (s->def.solid_count) smoke_into_solids(m->density, m->temperature, &w->front, &s->g, m->share, LAYERS);
    fill_borders(m, s);
}

/* ---- the step ---- */

rheo_status smoke_step(rheo_sim *s, double dt, rheo_report *report) {
    smoke *m = smoke_of(s);
    const scratch_count mine = s->scratch.lent;
    rheo_status status;
    double gravity[3];
    sim_gravity(gravity, s, s->clock.time + 0.5 * dt);

    timer_stage(&s->timer, "solids");
    const kept amounts = find_kept(m, s, dt);
    TRY(bodies_move(s, dt, report));
    TRY(move_walls(m, s, dt, report));

    timer_stage(&s->timer, "advect");
    TRY(carry(m, s, dt, report));

    timer_stage(&s->timer, "amounts");
    move_shares(m, s);
    keep_amounts(m, amounts, s);

    timer_stage(&s->timer, "sources");
    emit(m, s, dt);

    timer_stage(&s->timer, "forces");
    rise(m, s, gravity, dt);
    confine(m, s, dt);

    timer_stage(&s->timer, "bodies");
    lift_bodies(s, gravity, dt);
    TRY(bodies_pull(&m->walls, s, gravity, dt, m->projection.q_dt, report));

    timer_stage(&s->timer, "pressure");
    projecting on = projection_faces(&m->projection, &m->walls, NULL, s, m->phi, dt);
    TRY(project(m, &on, s, report));
    TRY(projection_end(&m->vel, &on, &m->projection, &m->walls, NULL, s, report));
    scratch_back(&s->scratch, mine);

    timer_stage(&s->timer, "extrapolate");
    extend(m, s);
out:
    scratch_back(&s->scratch, mine);
    timer_stage(&s->timer, NULL);
    return status;
}

/* ---- the start ---- */

static void smoke_list(rheo_sim *s) {
    smoke *m = smoke_of(s);
    field_list *l = &s->fields;
    m->projection.is_gas = 1;
    field_kept(l, "vel", FIELD_FACES, &m->vel);
    field_kept(l, "density", FIELD_CELLS, &m->density);
    field_kept(l, "temperature", FIELD_CELLS, &m->temperature);
    field_held(l, FIELD_FACES, &m->next_vel);
    field_held(l, FIELD_CELLS, &m->next[0]);
    field_held(l, FIELD_CELLS, &m->next[1]);
    field_held(l, FIELD_CELLS, &m->share);
    field_held(l, FIELD_CELLS, &m->phi);
    walls_list(&m->walls, s, 0);
    projection_list(&m->projection, &m->walls, s);
    l->borrowed = (scratch_count){.faces = 1, .cells = 5};
}

static rheo_status make_thin(smoke *m, rheo_sim *s, rheo_report *report) {
    if (m->walls.thin.count == 0 || !s->moving) return RHEO_OK;
    m->solids_then = mem_alloc((size_t)s->wall_count * sizeof *m->solids_then);
    if (thin_make(&m->thin_then, &s->g, s->solids, s->wall_count) || !m->solids_then)
        return report_no_memory(report, "the grid");
    return RHEO_OK;
}

/* Gas in every owned cell, air half a cell behind open sides: p = 0 on the side itself. */
static void fill_domain(smoke *m, rheo_sim *s) {
    const box *b = &s->g.box;
    for (size_t i = 0; i < b->size; ++i) m->phi[i] = (float)(0.5 * s->g.dx);
    for (size_t i = 0; i < b->size;
         ++i) /* in both of the pair, so that what lies between rows agrees as well */
        m->temperature[i] = m->next[1][i] = (float)s->def.ambient;
    for (size_t i = 0; i < b->size; ++i) m->share[i] = 1;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) m->phi[box_at(b, i, j, k)] = (float)(-0.5 * s->g.dx);
    wrap_field(m->phi, &s->g);
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
    smoke *m = smoke_of(s);
    size_t most = 0;
    if (m->walls.thin.count == 0) return RHEO_OK;
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
    smoke *m = smoke_of(s);
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
static rheo_status project_start(smoke *m, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    projection *p = &m->projection;
    const rheo_status status = assemble(m, s, report);
    if (status) return status;
    pressure_work work = projection_borrow(p, s);
    wrap_faces(&m->vel, &s->g);
    projection_plain(&m->vel, &work, p, &m->walls, s, m->phi);
    memset(p->q, 0, s->g.box.size * sizeof *p->q);
    scratch_back(&s->scratch, mine);
    return RHEO_OK;
}

static void fill(smoke *m, rheo_sim *s) {
    const rheo_fluid *gas = &s->def.fluids[0];
    const smoke_warmth warm = warmth(m, s, gas->temperature);
    for (int i = 0; i < s->fill_count; ++i) {
        const smoke_cover *in = covered(m, &m->fill[i], s->fill[i], s);
        s->balance.put_in += smoke_fill(m->density, m->temperature, &s->g, in, m->share, &warm);
        emit_velocity(&m->vel, NULL, &s->g, &(emitter_reach){.inlet = s->fill[i]}, gas->velocity);
    }
}

static rheo_status place_solids(smoke *m, rheo_sim *s, rheo_report *report) {
    const rheo_status status = walls_place(&m->walls, s, s->clock.time, report);
    if (!status) find_shares(m, s);
    return status;
}

static rheo_status smoke_start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    smoke *m = smoke_of(s);
    const rheo_fluid *gas = &s->def.fluids[0];
    double *speed = m->projection.speed;
    rheo_status status;
    TRY(projection_make(&m->projection, s, report));
    TRY(walls_make(&m->walls, s, report));
    TRY(make_thin(m, s, report));
    if (!(m->tallies = mem_alloc(smoke_tallies(&s->g)))) TRY(report_no_memory(report, "the grid"));
    TRY(walls_check_thin(&m->walls, s, report));
    TRY(compile_heat(s, scene, report));
    TRY(cover(&m->fill, s, s->fill, s->fill_count, report));
    TRY(cover(&m->emitter, s, s->emitter_shape, s->def.emitter_count, report));
    TRY(cover(&m->heat, s, m->heat_shape, s->def.heat_source_count, report));
    TRY(make_covered(s, report));
    m->most_heat = most_heat(&s->def);
    m->most_lift = fmax(gas->expansion * m->most_heat, gas->soot / gas->density);
    fill_domain(m, s);
    TRY(place_solids(m, s, report));
    fill(m, s);
    pressure_speed(speed, &m->vel, &s->g, &m->walls.open, m->phi);
    clock_start(s);
    if (s->keyed) TRY(place_solids(m, s, report)); /* as fast as in the first step */
    TRY(project_start(m, s, report));
    pressure_speed(speed, &m->vel, &s->g, &m->walls.open, m->phi);
    extend(m, s);
out:
    return status;
}

static rheo_status smoke_restored(rheo_sim *s, rheo_report *report) {
    smoke *m = smoke_of(s);
    const rheo_status status = place_solids(m, s, report);
    return status ? status : assemble(m, s, report);
}

static void smoke_finish(rheo_sim *s) {
    smoke *m = smoke_of(s);
    for (int i = 0; m->fill && i < s->fill_count; ++i) smoke_cover_free(&m->fill[i]);
    for (int i = 0; m->emitter && i < s->def.emitter_count; ++i) smoke_cover_free(&m->emitter[i]);
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        if (m->heat) smoke_cover_free(&m->heat[i]);
        if (m->heat_shape) shape_free(m->heat_shape[i]);
    }
    mem_free(m->tallies);
    smoke_cover_free(&m->covered);
    mem_free(m->solids_then);
    thin_free(&m->thin_then);
    thin_forget_paths(&m->walled);
    walls_free(&m->walls);
    projection_free(&m->projection);
}

static size_t smoke_bytes(const rheo_sim *s) {
    const smoke *m = smoke_of(s);
    return walls_bytes(&m->walls, s) + projection_bytes(&m->projection) + thin_bytes(&m->thin_then, &s->g) +
           m->walled.capacity * sizeof(sighted) + smoke_tallies(&s->g);
}

/* ---- what is asked between steps ---- */

static void smoke_view(rheo_volume_view *view, const rheo_sim *s) {
    const smoke *m = smoke_of(s);
    view->density = m->density + s->g.box.first;
    view->temperature = m->temperature + s->g.box.first;
    view->share = m->share + s->g.box.first;
}

static rheo_status smoke_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    (void)mesh, (void)s, (void)fluid;
    return report_fail(report, RHEO_USAGE, "liquids; smoke is drawn by `rheo render` and read as a volume",
                       "smoke has no surface to make a mesh of");
}

static void smoke_probe(double *values, const rheo_sim *s, unsigned of, const float x[3]) {
    const smoke *m = smoke_of(s);
    const projection *p = &m->projection;
    const mac_grid *g = &s->g;
    switch (of) {
    case RHEO_OF_VELOCITY: probe_velocity(values, &m->vel, g, x); break;
    case RHEO_OF_PRESSURE:
        *values =
            p->q_dt > 0 ? probe_pressure(p->q, m->phi, m->phi, g, x) * sim_density(s) * g->dx / p->q_dt : 0;
        break;
    case RHEO_OF_TEMPERATURE: *values = probe_cells(m->temperature, g, x); break;
    case RHEO_OF_DENSITY: *values = probe_cells(m->density, g, x); break;
    default: *values = probe_distance(m->phi, g, x);
    }
}

const sim_engine smoke_engine = {
    .size = sizeof(smoke),
    .list = smoke_list,
    .start = smoke_start,
    .dt_limit = smoke_dt_limit,
    .step = smoke_step,
    .restored = smoke_restored,
    .finish = smoke_finish,
    .bytes = smoke_bytes,
    .foretell_step = smoke_foretell,
    .measure = smoke_measure,
    .view_volume = smoke_view,
    .mesh = smoke_mesh,
    .probe = smoke_probe,
};
