/* The public simulation: creation from a scene, frames of steps that hit their times exactly. */
#include <rheo/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "sim/clock.h"
#include "sim/definition.h"
#include "sim/measure.h"
#include "sim/sim.h"

_Static_assert((int)RHEO_THREADS_MAX == (int)POOL_THREADS_MAX, "threads of a pool");

static mac_grid make_grid(const rheo_scene *def, pool *threads) {
    int n[3];
    mac_grid g = {.dx = definition_cells(n, def), .pool = threads};
    g.box = box_make(def->dim, n);
    for (int a = 0; a < def->dim; ++a) g.box.periodic[a] = def->wall[2 * a] == RHEO_WALL_PERIODIC;
    return g;
}

static rheo_status make_shape(shape **made, const rheo_shape *def, int dim, rheo_report *report) {
    return dim == 2 ? shape_make_flat(made, def, report) : shape_make(made, def, report);
}

/* Static solids first: walls_place() recomputes only what follows them. Dynamic ones last: not every
 * coupling has them as walls. */
static rheo_status compile_solids(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    const size_t count = (size_t)scene->solid_count;
    if (count >= UINT16_MAX) /* openings.mover */
        return report_fail(report, RHEO_INVALID, "fewer than 65535", "%zu solids are too many", count);
    s->solid_shape = arena_alloc(&s->text, (count + 1) * sizeof *s->solid_shape);
    s->solids = arena_alloc(&s->text, (count + 1) * sizeof *s->solids);
    s->solid_place = arena_alloc(&s->text, (count + 1) * sizeof *s->solid_place);
    s->felt = arena_alloc(&s->text, (count + 1) * sizeof *s->felt);
    s->warmth = arena_alloc(&s->text, (count + 1) * sizeof *s->warmth);
    if (!s->felt || !s->warmth || !s->solid_shape || !s->solids || !s->solid_place)
        return report_no_memory(report, "solids");
    int placed = 0;
    for (int motion = RHEO_STATIC; motion <= RHEO_DYNAMIC; ++motion)
        for (int i = 0; i < scene->solid_count; ++i) {
            if ((int)scene->solids[i].motion != motion) continue;
            const rheo_status status =
                make_shape(&s->solid_shape[i], &scene->solids[i].shape, scene->dim, report);
            if (status) return status;
            s->solid_place[i] = placed;
            s->solids[placed++] = (obstacle){.shape = s->solid_shape[i], .def = &s->def.solids[i]};
            s->moving |= motion != RHEO_STATIC;
            s->keyed |= motion == RHEO_KEYED;
            s->wall_count += motion != RHEO_DYNAMIC || scene->coupling == RHEO_MONOLITHIC ||
                             scene->coupling == RHEO_SOLID_TO_FLUID;
        }
    const rheo_status status = world_create(&s->world, &s->def, s->solid_shape, s->g.dx, report);
    for (int i = 0; i < placed && !status; ++i)
        s->solids[i].body = world_body_of(s->world, (int)(s->solids[i].def - s->def.solids));
    return status;
}

static rheo_status compile_shapes(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    rheo_status status = compile_solids(s, scene, report);
    int fills = 0;
    for (int f = 0; f < scene->fluid_count; ++f) fills += scene->fluids[f].fill_count;
    s->fill = arena_alloc(&s->text, ((size_t)fills + 1) * sizeof *s->fill);
    s->emitter_shape = arena_alloc(&s->text, ((size_t)scene->emitter_count + 1) * sizeof *s->emitter_shape);
    s->fill_fluid = arena_alloc(&s->text, ((size_t)fills + 1) * sizeof *s->fill_fluid);
    s->late = arena_alloc(&s->text, ((size_t)fills + 1) * sizeof *s->late);
    if (!s->fill || !s->fill_fluid || !s->late || !s->emitter_shape)
        return report_no_memory(report, "shapes");
    for (int f = 0; f < scene->fluid_count; ++f)
        for (int i = 0; i < scene->fluids[f].fill_count && !status; ++i) {
            const rheo_shape fill = definition_fit_fill(&scene->fluids[f].fill[i], scene, &s->def);
            if (!(fill.at > 0)) s->fill_fluid[s->fill_count] = f;
            late_fill *late = fill.at > 0 ? &s->late[s->late_count++] : NULL;
            if (late) *late = (late_fill){.fluid = f, .at = fill.at};
            status = make_shape(late ? &late->shape : &s->fill[s->fill_count++], &fill, scene->dim, report);
        }
    for (int e = 0; e < scene->emitter_count && !status; ++e)
        status = make_shape(&s->emitter_shape[e], &scene->emitters[e].shape, scene->dim, report);
    return status;
}

/* What every engine has and a checkpoint keeps. */
static void list_shared(rheo_sim *s) {
    field_list *l = &s->fields;
    sim_clock *c = &s->clock;
    rheo_frame_stats *f = &s->stats;
    field_kept_reals(l, "time", &c->time, 1);
    field_kept_reals(l, "next_dt", &c->next_dt, 1);
    field_kept_reals(l, "step_rate", &c->step_rate, 1);
    field_kept(l, "frame", FIELD_INT, &c->frame);
    field_kept(l, "frame_done", FIELD_INT, &c->frame_done);
    field_kept_reals(l, "put_in", &s->balance.put_in, 1);
    field_kept_reals(l, "volume_emitted", &s->balance.emitted, 1);
    field_kept_reals(l, "volume_outflow", &s->balance.outflow, 1);
    field_kept(l, "steps", FIELD_INT, &f->steps);
    field_kept(l, "emitted", FIELD_WHOLE, &f->counts.emitted);
    field_kept(l, "outflow", FIELD_WHOLE, &f->counts.outflow);
    field_kept(l, "rejected", FIELD_WHOLE, &f->counts.rejected);
    field_kept(l, "rescued", FIELD_WHOLE, &f->counts.rescued);
    field_kept(l, "refused", FIELD_WHOLE, &f->counts.refused);
    field_kept(l, "refusing", FIELD_INT, &f->refusing);
    field_kept_solve(l, "pressure", &f->pressure);
    field_kept_solve(l, "volume", &f->density);
    field_kept_solve(l, "viscosity", &f->viscosity);
    if (s->wall_count) field_kept_reals(l, "felt", s->felt->force, 6 * s->wall_count);
    if (world_count(s->world))
        field_kept_reals(l, "bodies", (double *)world_states(s->world),
                         world_count(s->world) * BODY_STATE_REALS);
}

static rheo_status make_state(rheo_sim *s, rheo_report *report) {
    s->state = mem_alloc(s->engine->size);
    if (!s->state) return report_no_memory(report, "the simulation");
    list_shared(s);
    s->engine->list(s);
    if (fields_on_grid(&s->fields) && s->g.box.size >= INT32_MAX) { /* numbers of cells are of 32 bits */
        report_fail(report, RHEO_INVALID, "fewer cells",
                    "%d x %d x %d cells are more than can be numbered, 2^31 with their borders",
                    s->g.box.n[0], s->g.box.n[1], s->g.box.n[2]);
        report_place(report, NULL, 0, 0, "domain.cells");
        return RHEO_INVALID;
    }
    if (fields_make(&s->fields, &s->g) || scratch_make(&s->scratch, s->fields.borrowed, &s->g))
        return report_no_memory(report, "the grid");
    return RHEO_OK;
}

/* What every engine needs: the scene, threads, the domain, shapes that can be asked; then its own state. */
static rheo_status start(rheo_sim *s, const rheo_scene *scene, int threads, rheo_report *report) {
    if (definition_copy(&s->def, &s->text, scene)) return report_no_memory(report, "the scene");
    if (threads < 0 || threads > RHEO_THREADS_MAX) {
        char allowed[80];
        snprintf(allowed, sizeof allowed, "1 to %d threads, or 0: as many as the machine has",
                 RHEO_THREADS_MAX);
        return report_fail(report, RHEO_USAGE, allowed, "%d threads cannot be started", threads);
    }
    pool *p = pool_create(threads);
    if (!p)
        return report_fail(report, RHEO_INVALID, "fewer threads", "out of memory for %d threads", threads);
    s->g = make_grid(&s->def, p);
    rheo_status status = compile_shapes(s, scene, report);
    if (!status) status = make_state(s, report);
    return status ? status : s->engine->start(s, scene, report);
}

rheo_status sim_create(rheo_sim **sim, const sim_engine *engine, const rheo_scene *scene, int threads,
                       rheo_report *report) {
    *sim = NULL;
    rheo_status status = rheo_validate_scene(scene, report);
    if (status) return status;
    rheo_sim *s = mem_alloc(sizeof *s);
    if (!s) return report_no_memory(report, "the simulation");
    timer_reset(&s->timer);
    s->engine = engine;
    if ((status = start(s, scene, threads, report))) {
        rheo_free_sim(s);
        return status;
    }
    measure_reset(s);
    *sim = s;
    return RHEO_OK;
}

rheo_status rheo_create_sim(rheo_sim **sim, const rheo_scene *scene, int threads, rheo_report *report) {
    return sim_create(sim, sim_engine_of(scene->method), scene, threads, report);
}

void rheo_free_sim(rheo_sim *s) {
    if (!s) return;
    if (s->state && s->engine->finish) s->engine->finish(s);
    fields_free(&s->fields);
    scratch_free(&s->scratch);
    mem_free(s->state);
    for (int i = 0; i < s->fill_count; ++i) shape_free(s->fill[i]);
    for (int i = 0; i < s->late_count; ++i) shape_free(s->late[i].shape);
    for (int i = 0; s->emitter_shape && i < s->def.emitter_count; ++i) shape_free(s->emitter_shape[i]);
    for (int i = 0; s->solid_shape && i < s->def.solid_count; ++i) shape_free(s->solid_shape[i]);
    world_free(s->world);
    pool_free(s->g.pool);
    arena_free(&s->text);
    mem_free(s);
}

void sim_gravity(double gravity[3], const rheo_sim *s, double time) {
    rheo_evaluate_curve(gravity, &s->def.gravity, time);
}

double sim_density(const rheo_sim *s) {
    return s->def.fluid_count ? s->def.fluids[0].density : 1000;
}

int sim_bodies_are_fluid(const rheo_sim *s) {
    return s->def.coupling == RHEO_RIGID_FLUID && s->wall_count < s->def.solid_count;
}

rheo_status rheo_advance_step(rheo_sim *s, double dt_max, rheo_report *report) {
    if (!(dt_max >= 0))
        return report_fail(report, RHEO_USAGE, "seconds, or 0 for the scene's own limits",
                           "a step of at most %g s is none", dt_max);
    if (s->clock.frame_done) measure_reset(s);
    s->clock.frame_done = 0;
    const double dt = clock_step(s, dt_max);
    if (!(dt > 1e-12 / s->def.fps))
        return report_fail(report, RHEO_DIVERGED, "a smaller velocity", "the time step vanished at t = %g s",
                           s->clock.time);
    rheo_status status =
        s->world && is_periodic(&s->g) ? world_check_sides(s->world, s->clock.time, report) : RHEO_OK;
    if (!status) status = s->engine->step(s, dt, report);
    if (status) return status;
    s->stats.steps += 1;
    s->clock.time = s->clock.step_end;
    s->clock.frame += s->clock.closing_step;
    s->clock.frame_done = s->clock.closing_step;
    return RHEO_OK;
}

rheo_status rheo_advance_frame(rheo_sim *s, const volatile int *cancel, rheo_frame_stats *stats,
                               rheo_report *report) {
    const int target = s->clock.frame + 1;
    if (stats) *stats = (rheo_frame_stats){0}; /* a step that fails leaves nothing that could be measured */
    while (s->clock.frame < target) {
        if (cancel && *cancel) {
            if (stats) rheo_read_stats(stats, s);
            return report_fail(report, RHEO_INTERRUPTED, NULL, "interrupted in frame %d", target);
        }
        const rheo_status status = rheo_advance_step(s, 0, report);
        if (status) return status;
    }
    if (stats) rheo_read_stats(stats, s);
    return RHEO_OK;
}

int rheo_count_threads(const rheo_sim *sim) {
    return pool_threads(sim->g.pool);
}

static void tell_stage(void *user, const char *stage) {
    const rheo_sim *s = user;
    s->watch(s->watcher, stage, s->clock.time);
}

void rheo_watch_stages(rheo_sim *sim, void (*begun)(void *user, const char *stage, double time), void *user) {
    sim->watch = begun;
    sim->watcher = user;
    sim->timer.begun = begun ? tell_stage : NULL;
    sim->timer.user = sim;
}
