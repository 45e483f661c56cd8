/* Statistics, views and probes: everything read from a state and nothing changed in it. What an engine knows
 * by itself it is asked for. */
#include "sim/measure.h"

#include <math.h>
#include <string.h>
#include "core/report.h"

void measure_reset(rheo_sim *s) {
    const rheo_particle_counts kept = s->stats.counts;
    s->stats = (rheo_frame_stats){.counts = kept};
    s->stats.counts.rescued = s->stats.counts.refused = 0;
    s->stats.pressure.converged = s->stats.density.converged = s->stats.viscosity.converged = true;
    s->stats.stress.converged = true;
    s->surface_area = 0;
    timer_reset(&s->timer);
}

static size_t sim_bytes(const rheo_sim *s) {
    return fields_bytes(&s->fields, &s->g) + scratch_bytes(&s->scratch, &s->g) + s->engine->bytes(s) +
           s->text.held;
}

void rheo_read_stats(rheo_frame_stats *stats, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    f->frame = s->clock.frame;
    f->time = s->clock.time;
    f->emitted = s->balance.emitted;
    f->outflow = s->balance.outflow;
    s->engine->measure(s);
    f->surface_area = s->surface_area;
    f->body_count = 0;
    for (int i = 0; i < s->def.solid_count; ++i) f->body_count += s->def.solids[i].motion != RHEO_STATIC;
    f->stage_count = 0;
    f->seconds = 0;
    for (int i = 0; i < s->timer.count && i < RHEO_STAGES_MAX; ++i) {
        f->stages[f->stage_count++] = (rheo_stage_time){s->timer.stage[i].name, s->timer.stage[i].seconds};
        f->seconds += s->timer.stage[i].seconds;
    }
    f->memory = sim_bytes(s);
    *stats = *f;
}

void rheo_read_body(rheo_body_stats *out, const char **name, const rheo_sim *s, int index) {
    *out = (rheo_body_stats){0};
    if (name) *name = NULL;
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[s->solid_place[i]];
        if (o->def->motion == RHEO_STATIC || index-- > 0) continue;
        const placement now = o->body ? body_placement(o->body) /* with the step's last velocity */
                                      : placement_of_solid(o->def, o->shape, s->clock.time, 0);
        if (name) *name = o->def->name;
        memcpy(out->position, now.position, sizeof out->position);
        memcpy(out->velocity, now.velocity, sizeof out->velocity);
        memcpy(out->spin, now.spin, sizeof out->spin);
        memcpy(out->orientation, now.orientation, sizeof out->orientation);
        out->temperature = rheo_solves_heat(&s->def) ? s->warmth[s->solid_place[i]] : NAN;
        return;
    }
}

void rheo_read_solid(rheo_solid_stats *out, const rheo_sim *s, int solid) {
    *out = (rheo_solid_stats){0};
    if (solid >= 0 && solid < s->def.solid_count) *out = s->felt[s->solid_place[solid]];
}

static rheo_status make_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    if (s->engine->mesh) return s->engine->mesh(mesh, s, fluid, report);
    return report_fail(report, RHEO_USAGE, "a method with a surface", "this method has no surface to draw");
}

rheo_status rheo_make_mesh(rheo_mesh *mesh, rheo_sim *s, rheo_report *report) {
    return make_mesh(mesh, s, -1, report);
}

rheo_status rheo_make_fluid_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    if (fluid >= 0 && fluid < s->def.fluid_count) return make_mesh(mesh, s, fluid, report);
    return report_fail(report, RHEO_USAGE, "the index of a fluid of the scene", "there is no fluid %d",
                       fluid);
}

void rheo_view_particles(rheo_particle_view *view, const rheo_sim *s) {
    *view = (rheo_particle_view){.dx = s->g.dx};
    memcpy(view->origin, s->g.origin, sizeof view->origin);
    if (s->engine->view_particles) s->engine->view_particles(view, s);
}

void rheo_view_volume(rheo_volume_view *view, const rheo_sim *s) {
    const box *b = &s->g.box;
    *view = (rheo_volume_view){.row = b->step[1], .plane = b->step[2], .dx = s->g.dx};
    memcpy(view->cells, b->n, sizeof view->cells);
    memcpy(view->origin, s->g.origin, sizeof view->origin);
    if (s->engine->view_volume) s->engine->view_volume(view, s);
}

/* Quantities in the order of their columns; only the velocity has three. */
static int columns_of(unsigned quantity) {
    return quantity == RHEO_OF_VELOCITY ? 3 : 1;
}

int rheo_count_probe_columns(const rheo_probe *probe) {
    int columns = 3;
    for (unsigned bit = RHEO_OF_VELOCITY; bit <= RHEO_OF_VISCOSITY; bit <<= 1)
        if (probe->of & bit) columns += columns_of(bit);
    return columns;
}

void rheo_sample_probe(double *rows, const rheo_sim *s, const rheo_probe *probe) {
    for (int i = 0; i < probe->samples; ++i) {
        const double t = probe->samples > 1 ? (double)i / (probe->samples - 1) : 0;
        float x[3] = {0, 0, 0};
        for (int a = 0; a < 3; ++a) {
            *rows = probe->from[a] + t * (probe->to[a] - probe->from[a]);
            if (a < s->g.box.dim) x[a] = (float)((*rows - s->g.origin[a]) / s->g.dx);
            ++rows;
        }
        for (unsigned bit = RHEO_OF_VELOCITY; bit <= RHEO_OF_VISCOSITY; bit <<= 1) {
            if (!(probe->of & bit)) continue;
            for (int c = 0; c < columns_of(bit); ++c) rows[c] = 0; /* what an engine does not know */
            if (s->engine->probe) s->engine->probe(rows, s, bit, x);
            rows += columns_of(bit);
        }
    }
}
