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

void heat_list(heat *h, rheo_sim *s) {
    h->on = rheo_solves_heat(&s->def);
    if (!h->on) return;
    field_kept(&s->fields, "heat_turn", FIELD_INT, &h->turn);
    field_kept_reals(&s->fields, "heat_given", &h->given, 1);
    field_kept_reals(&s->fields, "heat_missed", &h->missed, 1);
}

rheo_status heat_make(heat *h, rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    const int sources = scene->heat_source_count;
    rheo_status status = RHEO_OK;
    if (!h->on) return RHEO_OK;
    h->cells = mem_alloc(s->g.box.size * sizeof *h->cells);
    h->change = mem_alloc(s->g.box.size * sizeof *h->change);
    h->source = arena_alloc(&s->text, ((size_t)sources + 1) * sizeof *h->source);
    if (!h->cells || !h->change || !h->source) return report_no_memory(report, "heat");
    for (int i = 0; i < sources && !status; ++i)
        status = (s->g.box.dim == 2 ? shape_make_flat : shape_make)(&h->source[i],
                                                                   &scene->heat_sources[i].shape, report);
    return status;
}

void heat_free(heat *h, const rheo_sim *s) {
    for (int i = 0; h->source && i < s->def.heat_source_count; ++i) shape_free(h->source[i]);
    mem_free(h->cells);
    mem_free(h->change);
}

size_t heat_bytes(const heat *h, const rheo_sim *s) {
    return h->cells ? s->g.box.size * (sizeof *h->cells + sizeof *h->change) : 0;
}

/* ---- the step ---- */

static double at_time(const rheo_curve *curve, double time) {
    double value;
    rheo_evaluate_curve(&value, curve, time);
    return value;
}

static heat_input describe(double side[6], const markers *m, const walls *w, const rheo_sim *s, double dt) {
    const double time = s->clock.time + dt;
    for (int i = 0; i < 6; ++i) {
        const rheo_curve *held = &s->def.side_temperature[i];
        side[i] = held->count ? at_time(held, time) - s->def.ambient : NAN;
    }
    return (heat_input){.g = &s->g,
                        .open = &w->open,
                        .law = m->warmth.law,
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
        const double joules = at_time(power, time) * in->dt, got = heat_give(&m->parts, in, h->source[i], joules);
        h->given += got;
        h->missed += joules - got;
    }
    for (int i = 0; i < s->def.heat_source_count; ++i) {
        const rheo_curve *held = &s->def.heat_sources[i].temperature;
        if (held->count) heat_hold(&m->parts, in, h->source[i], at_time(held, time) - s->def.ambient);
    }
}

static void meet_air(heat *h, const heat_input *in, const float *phi, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    if (!(s->def.exchange > 0)) return;
    float *conductance = scratch_cells(&s->scratch);
    heat_air(conductance, in, phi, s->def.exchange);
    heat_exchange(h->change, h->cells, in, conductance, 0);
    scratch_back(&s->scratch, mine);
}

void heat_step(heat *h, markers *m, const walls *w, rheo_sim *s, double dt) {
    double side[6];
    if (!h->on) return;
    const heat_input in = describe(side, m, w, s, dt);
    heat_up(h, m, &in, s, dt);
    heat_to_cells(h->cells, &in, &m->parts);
    heat_conduct(h->change, h->cells, &in, h->turn);
    meet_air(h, &in, m->phi, s);
    heat_to_particles(&m->parts, h->change, h->cells, &in);
    markers_find_temperatures(m, s);
    h->turn = !h->turn;
}

/* ---- what is asked between steps ---- */

void heat_measure(heat *h, const markers *m, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    if (!h->on) return;
    f->heat = 0;
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
