/* A running emitter is a boundary: faces in its shape move at its velocity, and the cells through which its
 * liquid enters are sources of v A in all (stage/transport/emit.c). One without room brings nothing and
 * drives nothing. */
#include "sim/emitters.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "stage/transport/emit.h"

void emitters_list(emitters *e, rheo_sim *s) {
    if (s->def.emitter_count) field_held(&s->fields, FIELD_CELLS, &e->source);
}

rheo_status emitters_make(emitters *e, rheo_sim *s, rheo_report *report) {
    if (s->def.emitter_count == 0) return RHEO_OK;
    e->queue = mem_alloc(s->g.box.size * sizeof *e->queue);
    e->vacancy = arena_alloc(&s->text, (size_t)s->def.emitter_count * sizeof *e->vacancy);
    return e->queue && e->vacancy ? RHEO_OK : report_no_memory(report, "the grid");
}

void emitters_free(emitters *e) {
    mem_free(e->queue);
}

size_t emitters_bytes(const emitters *e, const rheo_sim *s) {
    return e->queue ? s->g.box.size * sizeof *e->queue : 0;
}

double emitters_speed(const rheo_sim *s, double time,
                      double (*size)(const rheo_curve *velocity, double from, double to)) {
    double most = 0;
    for (int i = 0; i < s->def.emitter_count; ++i) {
        const rheo_emitter *e = &s->def.emitters[i];
        const double end = time + 1 / s->def.fps;
        if (emit_runs(e, time, end - time) > 0)
            most = fmax(most, size(&e->velocity, fmax(time, e->during[0]), fmin(end, e->during[1])));
    }
    return most;
}

void emitters_find_vacancy(emitters *e, const markers *m, const walls *w, rheo_sim *s, double dt) {
    const scratch_count before = s->scratch.lent;
    for (int i = 0; i < s->def.emitter_count; ++i) {
        if (!(emit_runs(&s->def.emitters[i], s->clock.time, dt) > 0)) continue;
        uint8_t *seen = scratch_marks(&s->scratch);
        e->vacancy[i] = emit_vacancy(&m->parts, &s->g, &w->open, s->emitter_shape[i], walls_distance(w, s),
                                     (double)m->full, seen, e->queue);
        scratch_back(&s->scratch, before);
    }
}

static rheo_status count_emitted(rheo_sim *s, markers *m, emission in, const double way[3],
                                 rheo_report *report) {
    if (in.added > 0) markers_begin_at(m, s, m->parts.count - (size_t)in.added, way);
    if (in.added < 0 || particles_sort(&m->parts, &s->g)) return report_no_memory(report, "particles");
    s->stats.counts.emitted += in.added;
    s->stats.counts.refused += in.refused;
    s->balance.emitted += (double)in.added * m->particle_volume;
    s->balance.put_in += (double)in.added * m->particle_volume;
    return RHEO_OK;
}

static emitter_reach reach_of(const rheo_sim *s, const walls *w, int i, const emitter_step *step) {
    return emit_reach(s->emitter_shape[i], step->velocity, &s->g, &w->open, walls_distance(w, s));
}

/* degrees C; NAN: the fluid's. */
static double warmth_of(const rheo_emitter *e, double time) {
    double degrees = NAN;
    if (e->temperature.count) rheo_evaluate_curve(&degrees, &e->temperature, time);
    return degrees;
}

rheo_status emitters_emit(markers *m, const emitters *e, const walls *w, rheo_sim *s, double dt,
                          rheo_report *report) {
    for (int i = 0; i < s->def.emitter_count; ++i) {
        const shape *inlet = s->emitter_shape[i];
        const int fluid = s->def.emitters[i].fluid;
        const unsigned seed = s->def.seed + (unsigned)i + 1;
        const int64_t refused = s->stats.counts.refused;
        const uint32_t first = m->next_id;
        const emitter_step step = emit_step(&s->def.emitters[i], s->clock.time, dt);
        rheo_status status = RHEO_OK;
        if (!(step.runs > 0)) continue;
        if (step.begins && e->vacancy[i] > 0)
            status = count_emitted(
                s, m,
                emit_begin(&m->parts, &m->next_id, &s->g, inlet, &step, fluid, seed, walls_distance(w, s)),
                step.to, report);
        const emitter_reach reach = reach_of(s, w, i, &step);
        if (!status)
            status = count_emitted(
                s, m, emit_inflow(&m->parts, &m->next_id, &s->g, &reach, &step, fluid, seed, e->vacancy[i]),
                step.to, report);
        if (status) return status;
        if (m->next_id != first)
            markers_warm(m, s, first, warmth_of(&s->def.emitters[i], s->clock.time + dt));
        if (s->stats.counts.refused > refused && !s->stats.refusing) s->stats.refusing = i + 1;
    }
    return RHEO_OK;
}

/* Whether an emitter drives the liquid in this step, and where. */
static int drives(emitter_step *step, emitter_reach *reach, const emitters *e, const walls *w,
                  const rheo_sim *s, int i, double dt) {
    *step = emit_step(&s->def.emitters[i], s->clock.time, dt);
    if (!(e->vacancy[i] > 0)) return 0;
    *reach = reach_of(s, w, i, step);
    return step->velocity[0] != 0 || step->velocity[1] != 0 || step->velocity[2] != 0;
}

int emitters_drive(const emitters *e, const walls *w, const rheo_sim *s, double dt) {
    emitter_step step;
    emitter_reach reach;
    for (int i = 0; e && e->queue && i < s->def.emitter_count; ++i)
        if (drives(&step, &reach, e, w, s, i, dt)) return 1;
    return 0;
}

void emitters_give(mac_field *u, uint8_t *held, const emitters *e, const walls *w, const rheo_sim *s,
                   double dt) {
    emitter_step step;
    emitter_reach reach;
    for (int i = 0; e && e->queue && i < s->def.emitter_count; ++i)
        if (drives(&step, &reach, e, w, s, i, dt)) emit_velocity(u, held, &s->g, &reach, step.velocity);
}

rheo_status emitters_carry(markers *m, const emitters *e, const walls *w, rheo_sim *s, double dt,
                           rheo_report *report) {
    const rheo_status status = markers_reserve(m, report);
    if (status) return status;
    if (m->parts.count) memset(m->keep, 0, m->parts.count);
    emitter_step step;
    emitter_reach reach;
    for (int i = 0; i < s->def.emitter_count; ++i)
        if (drives(&step, &reach, e, w, s, i, dt))
            emit_carry(&m->parts, m->keep, &s->g, &reach, step.velocity, dt);
    return RHEO_OK;
}

const float *emitters_close(openings *faces, emitters *e, const walls *w, rheo_sim *s, double dt) {
    const scratch_count before = s->scratch.lent;
    float *inside = scratch_cells(&s->scratch);
    emitter_step step;
    emitter_reach reach;
    memset(e->source, 0, s->g.box.size * sizeof *e->source);
    for (int i = 0; i < s->def.emitter_count; ++i) {
        if (!drives(&step, &reach, e, w, s, i, dt)) continue;
        double mean[3]; /* over the whole step: what it gives in its part of it */
        for (int a = 0; a < 3; ++a) mean[a] = step.velocity[a] * (step.runs / dt);
        emit_drive(faces, e->source, inside, &s->g, faces, &reach, mean);
    }
    scratch_back(&s->scratch, before);
    return e->source;
}
