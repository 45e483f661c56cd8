/* Heat in a step of liquid (stage/heat/):
 *
 *   m dH/dt = div(k grad T) + what sources give + exchange,   H: T = T(H) of the particle's fluid
 *
 * Particles carry H and so heat is carried without error; each step moves it between them by way of cells.
 * Splitting is of first order in dt: sources, then conduction axis by axis, then exchange.
 *
 * heat.speed multiplies conduction, exchange and power: as if time went on faster for heat alone.
 * Limits: solids thinner than a cell are not felt. */
#include "sim/heat.h"

#include <math.h>
#include "core/report.h"
#include "sim/definition.h"

#define FOURIER 0.1 /* kappa dt / dx^2 of a part of a step, where something melts */
enum { PARTS_MOST = 64, ARRAYS = HEAT_CELL_ARRAYS + 1 };

void heat_list(heat *h, rheo_sim *s) {
    h->on = rheo_solves_heat(&s->def);
    if (!h->on) return;
    field_kept(&s->fields, "heat_turn", FIELD_INT, &h->turn);
    field_kept_reals(&s->fields, "heat_given", &h->given, 1);
    field_kept_reals(&s->fields, "heat_missed", &h->missed, 1);
    if (s->wall_count) field_kept_reals(&s->fields, "solids_warmth", s->warmth, s->wall_count);
}

static double at_time(const rheo_curve *curve, double time) {
    double value;
    rheo_evaluate_curve(&value, curve, time);
    return value;
}

static int has_own(const obstacle *o) {
    return o->body && o->def->heat_capacity > 0;
}

/* Temperatures of solids that are held at them, at a time; at the start of all. */
static void find_solids(rheo_sim *s, double time, int start) {
    for (int i = 0; i < s->def.solid_count; ++i) {
        const rheo_curve *held = &s->solids[i].def->temperature;
        if (start || !has_own(&s->solids[i])) s->warmth[i] = held->count ? at_time(held, time) : NAN;
    }
}

rheo_status heat_make(heat *h, rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    const int sources = scene->heat_source_count;
    rheo_status status = RHEO_OK;
    if (!h->on) return RHEO_OK;
    h->block = mem_alloc(ARRAYS * s->g.box.size * sizeof *h->block);
    h->source = arena_alloc(&s->text, ((size_t)sources + 1) * sizeof *h->source);
    if (!h->block || !h->source) return report_no_memory(report, "heat");
    h->cells = heat_cells_in(h->block, s->g.box.size);
    h->change = h->block + HEAT_CELL_ARRAYS * s->g.box.size;
    for (int i = 0; i < sources && !status; ++i)
        status = (s->g.box.dim == 2 ? shape_make_flat : shape_make)(&h->source[i],
                                                                    &scene->heat_sources[i].shape, report);
    find_solids(s, 0, 1);
    return status;
}

void heat_free(heat *h, const rheo_sim *s) {
    for (int i = 0; h->source && i < s->def.heat_source_count; ++i) shape_free(h->source[i]);
    mem_free(h->block);
}

size_t heat_bytes(const heat *h, const rheo_sim *s) {
    return h->block ? ARRAYS * s->g.box.size * sizeof *h->block : 0;
}

/* ---- the step ---- */

static heat_input describe(double side[6], const markers *m, const walls *w, const rheo_sim *s, double dt) {
    const double time = s->clock.time + dt;
    for (int i = 0; i < 6; ++i) {
        const rheo_curve *held = &s->def.side_temperature[i];
        side[i] = held->count ? at_time(held, time) - s->def.ambient : NAN;
    }
    return (heat_input){.g = &s->g,
                        .open = s->wall_count ? &w->open : NULL,
                        .law = m->warmth.law,
                        .laws = s->def.fluid_count,
                        .column = {m->warmth.enthalpy, m->warmth.rest},
                        .mass = markers_mass(m, s),
                        .full = (double)m->full,
                        .dt = dt * s->def.heat_speed,
                        .side = side};
}

/* Those that hold a temperature come last: what power is given where they are is theirs. */
static void heat_up(heat *h, markers *m, const heat_input *in, const rheo_sim *s, double dt) {
    const double time = s->clock.time + dt;
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        const rheo_curve *power = &s->def.heat_sources[i].power;
        if (!power->count) continue;
        const double joules = at_time(power, time) * in->dt,
                     got = heat_give(&m->parts, in, h->source[i], joules);
        h->given += got;
        h->missed += joules - got;
    }
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        const rheo_curve *held = &s->def.heat_sources[i].temperature;
        if (held->count) heat_hold(&m->parts, in, h->source[i], at_time(held, time) - s->def.ambient);
    }
}

static void meet_solid(float *conductance, float *const spare[2], const heat *h, const heat_input *in,
                       const walls *w, const rheo_sim *s, int solid) {
    heat_solid(conductance, spare, &h->cells, in, walls_distance(w, s), s->solids, s->wall_count, solid);
}

/* J/K; of 2D a metre deep, as cells have it, where the body is a cell deep. */
static double capacity_of(const obstacle *o, const rheo_sim *s) {
    const double mass = s->g.box.dim == 2 ? o->body->mass / s->g.dx : o->body->mass;
    return mass * o->def->heat_capacity;
}

static int is_held(const rheo_sim *s, int solid) {
    return !isnan(s->warmth[solid]) && !has_own(&s->solids[solid]);
}

/* Solids that are held at temperatures, beside what `outside` has already. */
static void meet_held(float *outside, float *pull, const heat *h, const heat_input *in, const walls *w,
                      rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    float *conductance = scratch_cells(&s->scratch), *const spare[2] = {scratch_cells(&s->scratch),
                                                                        scratch_cells(&s->scratch)};
    parallel_zero(s->g.pool, pull, s->g.box.size * sizeof *pull);
    for (int i = 0; i < s->wall_count; ++i) {
        if (!is_held(s, i)) continue;
        meet_solid(conductance, spare, h, in, w, s, i);
        heat_outside(outside, pull, in, conductance, s->warmth[i] - s->def.ambient);
    }
    scratch_back(&s->scratch, mine);
}

/* Air, whose temperature is the zero of all, and solids that are held at temperatures. */
static void meet_outside(heat_input *in, const heat *h, const float *phi, const walls *w, rheo_sim *s) {
    int held = 0;
    for (int i = 0; i < s->wall_count; ++i) held |= is_held(s, i);
    if (!(s->def.exchange > 0) && !held) return;
    float *outside = scratch_cells(&s->scratch), *pull = scratch_cells(&s->scratch);
    const scratch_count mine = s->scratch.lent;
    float *const spare[2] = {scratch_cells(&s->scratch), scratch_cells(&s->scratch)};
    if (s->def.exchange > 0) heat_air(outside, spare, &h->cells, in, phi, s->def.exchange);
    else parallel_zero(s->g.pool, outside, s->g.box.size * sizeof *outside);
    scratch_back(&s->scratch, mine);
    if (held) meet_held(outside, pull, h, in, w, s);
    in->outside = outside;
    in->pull = held ? pull : NULL;
}

/* Bodies whose temperature follows from what they take. */
static void meet_bodies(heat *h, const heat_input *in, const walls *w, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    for (int i = 0; i < s->wall_count; ++i) {
        const obstacle *o = &s->solids[i];
        if (isnan(s->warmth[i]) || !has_own(o)) continue;
        float *conductance = scratch_cells(&s->scratch), *const spare[2] = {scratch_cells(&s->scratch),
                                                                            scratch_cells(&s->scratch)};
        meet_solid(conductance, spare, h, in, w, s, i);
        s->warmth[i] = s->def.ambient + heat_share(h->change, &h->cells, in, conductance, capacity_of(o, s),
                                                   s->warmth[i] - s->def.ambient);
        scratch_back(&s->scratch, mine);
    }
}

/* What melts takes up heat by the slope that it has: no step may bring it far beyond the end of its zone. */
static int parts_of_step(const heat_input *in, const rheo_sim *s) {
    double kappa = 0;
    int melts = 0;
    for (int i = 0; i < s->def.fluid_count; ++i) {
        const rheo_fluid *f = &s->def.fluids[i];
        melts |= f->latent_heat > 0;
        kappa = fmax(kappa, f->conductivity / (f->density * f->heat_capacity));
    }
    const double parts = ceil(kappa * in->dt / (FOURIER * s->g.dx * s->g.dx));
    return melts ? (int)fmin(fmax(parts, 1), PARTS_MOST) : 1;
}

static void spread(heat *h, markers *m, const heat_input *in, const walls *w, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    heat_input now = *in;
    now.upwind = h->upwind;
    now.farthest = heat_to_cells(&h->cells, in, &m->parts);
    meet_outside(&now, h, m->phi, w, s);
    heat_conduct(h->change, &h->cells, &now, h->turn);
    scratch_back(&s->scratch, mine);
    meet_bodies(h, in, w, s);
    heat_to_particles(&m->parts, &h->cells, h->change, &now);
    h->turn = !h->turn;
}

void heat_step(heat *h, markers *m, const walls *w, rheo_sim *s, double dt) {
    double side[6];
    if (!h->on) return;
    heat_input in = describe(side, m, w, s, dt);
    heat_up(h, m, &in, s, dt);
    find_solids(s, s->clock.time + dt, 0);
    const int parts = parts_of_step(&in, s);
    in.dt /= parts;
    for (int part = 0; part < parts; ++part) spread(h, m, &in, w, s);
    markers_find_temperatures(m, s);
}

/* ---- what is asked between steps ---- */

void heat_look(heat *h, markers *m, const walls *w, rheo_sim *s) {
    double side[6];
    if (!h->on) return;
    const heat_input in = describe(side, m, w, s, 0);
    heat_to_cells(&h->cells, &in, &m->parts);
}

double heat_probe(const heat *h, const rheo_sim *s, const float x[3]) {
    const box *b = &s->g.box;
    double sum = 0, weights = 0, f[3] = {0, 0, 0};
    int low[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        const double at = fmin(fmax((double)x[a] - 0.5, 0), b->n[a] - 1);
        low[a] = at < b->n[a] - 2 ? (int)at : b->n[a] - 2;
        f[a] = at - low[a];
    }
    for (int q = 0; q < 1 << b->dim; ++q) {
        double weight = 1e-9; /* whatever is near, where x is at a cell's middle */
        for (int a = 0; a < b->dim; ++a) weight *= 1e-9 + (q >> a & 1 ? f[a] : 1 - f[a]);
        const ptrdiff_t c = box_at(b, low[0] + (q & 1), low[1] + (q >> 1 & 1), low[2] + (q >> 2));
        if (!(h->cells.capacity[c] > 0)) continue;
        sum += weight * (double)h->cells.temperature[c];
        weights += weight;
    }
    return s->def.ambient + (weights > 0 ? sum / weights : 0);
}

void heat_paint(rheo_mesh *mesh, const heat *h, const rheo_sim *s) {
    if (!h->on || !(mesh->temperature = mem_alloc(mesh->vertex_count * sizeof *mesh->temperature))) return;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        float x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = (float)(((double)mesh->position[3 * v + (size_t)a] - s->g.origin[a]) / s->g.dx);
        mesh->temperature[v] = (float)heat_probe(h, s, x);
    }
}

void heat_measure(heat *h, markers *m, const walls *w, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    if (!h->on) return;
    heat_look(h, m, w, s);
    f->heat = 0;
    f->heat_missed = h->missed;
    f->temperature[0] = INFINITY;
    f->temperature[1] = -INFINITY;
    for (int i = 0; i < f->fluid_count; ++i) {
        const warm_sums sums = markers_sum_heat(m, s, i);
        f->heat += sums.heat;
        f->fluids[i].temperature = sums.mean;
        f->temperature[0] = fmin(f->temperature[0], sums.least);
        f->temperature[1] = fmax(f->temperature[1], sums.most);
    }
    if (f->temperature[0] > f->temperature[1]) f->temperature[0] = f->temperature[1] = s->def.ambient;
}
