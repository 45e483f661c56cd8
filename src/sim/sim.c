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
#include "sim/liquid.h"
#include "sim/mac.h"
#include "sim/measure.h"
#include "sim/method.h"
#include "sim/settle.h"
#include "sim/smoke.h"
#include "stage/transport/emit.h"

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

/* Static solids first: liquid_place_solids() recomputes only what follows them. Dynamic ones last: not every
 * coupling has them as walls. */
static rheo_status compile_solids(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    const size_t count = (size_t)scene->solid_count;
    if (count >= UINT16_MAX) /* openings.mover */
        return report_fail(report, RHEO_INVALID, "fewer than 65535", "%zu solids are too many", count);
    s->solid_shape = arena_alloc(&s->text, (count + 1) * sizeof *s->solid_shape);
    s->solids = arena_alloc(&s->text, (count + 1) * sizeof *s->solids);
    s->solid_place = arena_alloc(&s->text, (count + 1) * sizeof *s->solid_place);
    if (!s->solid_shape || !s->solids || !s->solid_place) return report_no_memory(report, "solids");
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
            s->walls += motion != RHEO_DYNAMIC || scene->coupling == RHEO_MONOLITHIC ||
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
    if (!s->fill || !s->emitter_shape) return report_no_memory(report, "shapes");
    for (int f = 0; f < scene->fluid_count; ++f)
        for (int i = 0; i < scene->fluids[f].fill_count && !status; ++i) {
            const rheo_shape fill = definition_fit_fill(&scene->fluids[f].fill[i], scene, &s->def);
            status = make_shape(&s->fill[s->fill_count++], &fill, scene->dim, report);
        }
    for (int e = 0; e < scene->emitter_count && !status; ++e)
        status = make_shape(&s->emitter_shape[e], &scene->emitters[e].shape, scene->dim, report);
    return status;
}

static rheo_status allocate(rheo_sim *s, rheo_report *report) {
    static const char *const affine[9] = {"du_dx", "du_dy", "du_dz", "dv_dx", "dv_dy",
                                          "dv_dz", "dw_dx", "dw_dy", "dw_dz"};
    const mac_grid *g = &s->g;
    const int dim = g->box.dim, is_mac = s->def.method == RHEO_MAC;
    const int needs_before = is_mac || s->def.method == RHEO_FLIP || s->def.method == RHEO_SEMI_LAGRANGIAN;
    int bad = particles_make(&s->parts, g, affine, s->def.method == RHEO_APIC ? dim * dim : 0);
    bad |= mac_field_make(&s->vel, g) | mac_field_make(&s->carry, g) | mac_field_make(&s->open.open, g);
    if (needs_before) bad |= mac_field_make(&s->before, g);
    if (s->moving)
        bad |= openings_make_movers(&s->open, g) | field_make(&s->solid_still, g) |
               field_make(&s->room_still, g);
    bad |=
        field_make(&s->phi, g) | field_make(&s->density, g) | field_make(&s->q, g) | field_make(&s->psi, g);
    bad |= thin_make(&s->thin, g, s->solids, s->walls);
    bad |= field_make(&s->solid, g) | field_make(&s->room, g) | field_make(&s->work.extra, g) |
           field_make(&s->work.rhs, g);
    if (is_mac) bad |= field_make(&s->cell_phi, g) | !(s->cells = mem_alloc(g->box.size));
    if (s->def.emitter_count && s->def.method != RHEO_SMOKE)
        bad |= field_make(&s->source, g) | mac_field_make(&s->driven.open, g) |
               mac_field_make(&s->driven.wall, g);
    if (s->def.emitter_count) {
        s->queue = mem_alloc(g->box.size * sizeof *s->queue);
        s->emitter_room = arena_alloc(&s->text, (size_t)s->def.emitter_count * sizeof *s->emitter_room);
        bad |= !s->queue || !s->emitter_room;
    }
    s->work.unknown = mem_alloc(g->box.size);
    bad |= front_make(&s->front, g);
    s->solver =
        poisson_create(&g->box, g->pool, s->def.pressure == RHEO_MIC ? POISSON_MIC : POISSON_MULTIGRID);
    bad |= !s->work.unknown || !s->solver;
    bad |= liquid_make_couplings(s);
    if (s->def.separation) {
        s->separation = lcp_create(&g->box);
        s->bounded = mem_alloc(g->box.size);
        bad |= !s->separation || !s->bounded;
    }
    s->work.face = s->carry; /* never needed at the same time */
    return bad ? report_no_memory(report, "the grid") : RHEO_OK;
}

static rheo_status fill_fluids(rheo_sim *s, rheo_report *report) {
    int shape_index = 0;
    for (int f = 0; f < s->def.fluid_count; ++f)
        for (int i = 0; i < s->def.fluids[f].fill_count; ++i) {
            if (particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
            const emission e =
                emit_fill(&s->parts, &s->next_id, &s->g, s->fill[shape_index++], s->def.fluids[f].velocity, f,
                          s->def.seed, s->def.solid_count ? s->solid : NULL);
            if (e.added < 0) return report_no_memory(report, "particles");
            s->stats.counts.rejected += e.rejected;
            s->volume_put_in += (double)e.added * s->particle_volume;
        }
    return RHEO_OK;
}

/* A liquid at the start: solids in place, fills seeded, fields from the particles. */
static rheo_status start_liquid(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    (void)scene; /* all that a liquid starts from has been compiled */
    rheo_status status = allocate(s, report);
    if (status || (status = liquid_check_thin(s, report))) return status;
    s->full = s->def.dim == 3 ? 8 : 4;
    s->particle_volume = s->g.dx * s->g.dx * s->g.dx / (double)s->full;
    liquid_place_still_solids(s);
    if ((status = liquid_place_solids(s, 0, report))) return status;
    if ((status = fill_fluids(s, report))) return status;
    if ((status = liquid_reject_particles(s, report))) return status;
    const int level = s->def.method != RHEO_MAC && s->thin.count == 0; /* a fill knows no thin walls */
    if (level && s->parts.count && (status = settle_fill(s, report))) return status;
    return liquid_begin(s, report);
}

const sim_method liquid_method = {
    .start = start_liquid,
    .dt_limit = liquid_dt_limit,
    .step = liquid_step,
    .measure = measure_liquid,
    .list_state = liquid_list_state,
    .restored = liquid_restored,
};

const sim_method mac_method = {
    .start = start_liquid,
    .dt_limit = mac_dt_limit,
    .step = mac_step,
    .measure = measure_liquid,
    .list_state = liquid_list_state,
    .restored = liquid_restored,
};

static const sim_method *choose_method(rheo_method method) {
    if (method == RHEO_SMOKE) return &smoke_method;
    return method == RHEO_MAC ? &mac_method : &liquid_method;
}

/* What every solver needs: the scene, threads, the grid, shapes that can be asked. */
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
    if (s->g.box.size >= INT32_MAX) { /* particle/advect.c, stage/transport/advect_grid.c */
        report_fail(report, RHEO_INVALID, "fewer cells",
                    "%d x %d x %d cells are more than can be numbered, 2^31 with their borders",
                    s->g.box.n[0], s->g.box.n[1], s->g.box.n[2]);
        report_place(report, NULL, 0, 0, "domain.cells");
        return RHEO_INVALID;
    }
    s->fluid_density = s->def.fluid_count ? s->def.fluids[0].density : 1000;
    for (int w = 0; w < 6; ++w) s->open.open_wall[w] = s->def.wall[w] != RHEO_WALL_CLOSED;
    const rheo_status status = compile_shapes(s, scene, report);
    return status ? status : s->method->start(s, scene, report);
}

rheo_status rheo_create_sim(rheo_sim **sim, const rheo_scene *scene, int threads, rheo_report *report) {
    *sim = NULL;
    rheo_status status = rheo_validate_scene(scene, report);
    if (status) return status;
    rheo_sim *s = mem_alloc(sizeof *s);
    if (!s) return report_no_memory(report, "the simulation");
    timer_reset(&s->timer);
    s->method = choose_method(scene->method);
    if ((status = start(s, scene, threads, report))) {
        rheo_free_sim(s);
        return status;
    }
    measure_reset(s);
    *sim = s;
    return RHEO_OK;
}

void rheo_free_sim(rheo_sim *s) {
    if (!s) return;
    if (s->method->finish) s->method->finish(s);
    for (int i = 0; i < s->fill_count; ++i) shape_free(s->fill[i]);
    for (int i = 0; s->emitter_shape && i < s->def.emitter_count; ++i) shape_free(s->emitter_shape[i]);
    for (int i = 0; s->solid_shape && i < s->def.solid_count; ++i) shape_free(s->solid_shape[i]);
    world_free(s->world);
    particles_free(&s->parts);
    mac_field *const fields[] = {&s->vel,       &s->before,      &s->carry,
                                 &s->open.open, &s->driven.open, &s->driven.wall};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) mac_field_free(fields[i]);
    openings_free_movers(&s->open);
    void *const blocks[] = {s->phi,          s->density, s->q,          s->psi,        s->solid,
                            s->solid_still,  s->room,    s->room_still, s->work.extra, s->work.rhs,
                            s->work.unknown, s->keep,    s->cells,      s->cell_phi,   s->source,
                            s->bounded,      s->queue};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    front_free(&s->front);
    films_free(&s->films);
    coupling_free(&s->coupling);
    rigid_fluid_free(&s->rigid);
    mem_free(s->domain);
    lcp_free(s->separation);
    thin_free(&s->thin);
    slivers_free(&s->slivers);
    poisson_free(s->solver);
    pool_free(s->g.pool);
    arena_free(&s->text);
    mem_free(s);
}

rheo_status rheo_advance_step(rheo_sim *s, double dt_max, rheo_report *report) {
    if (!(dt_max >= 0))
        return report_fail(report, RHEO_USAGE, "seconds, or 0 for the scene's own limits",
                           "a step of at most %g s is none", dt_max);
    if (s->frame_done) measure_reset(s);
    s->frame_done = 0;
    const double dt = clock_step(s, dt_max);
    if (!(dt > 1e-12 / s->def.fps))
        return report_fail(report, RHEO_DIVERGED, "a smaller velocity", "the time step vanished at t = %g s",
                           s->time);
    rheo_status status =
        s->world && is_periodic(&s->g) ? world_check_sides(s->world, s->time, report) : RHEO_OK;
    if (!status) status = s->method->step(s, dt, report);
    if (status) return status;
    s->stats.steps += 1;
    s->time = s->step_end;
    s->frame += s->closing_step;
    s->frame_done = s->closing_step;
    return RHEO_OK;
}

rheo_status rheo_advance_frame(rheo_sim *s, const volatile int *cancel, rheo_frame_stats *stats,
                               rheo_report *report) {
    const int target = s->frame + 1;
    if (stats) *stats = (rheo_frame_stats){0}; /* a step that fails leaves nothing that could be measured */
    while (s->frame < target) {
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
    s->watch(s->watcher, stage, s->time);
}

void rheo_watch_stages(rheo_sim *sim, void (*begun)(void *user, const char *stage, double time), void *user) {
    sim->watch = begun;
    sim->watcher = user;
    sim->timer.begun = begun ? tell_stage : NULL;
    sim->timer.user = sim;
}

int sim_frame(const rheo_sim *sim) {
    return sim->frame;
}

double sim_surface_area(const rheo_sim *sim) {
    return sim->surface_area;
}
