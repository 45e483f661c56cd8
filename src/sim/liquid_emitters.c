/* Emitters in the step of a liquid: the room they have, the liquid they bring, and the boundaries that they
 * are to the pressure (docs/decisions/0012-emitters.md). The order in which these are called is
 * sim/liquid.c's and sim/mac.c's. */
#include "sim/liquid.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "stage/transport/emit.h"

void liquid_find_room(rheo_sim *s, double dt) {
    const float *solid = s->def.solid_count ? s->solid : NULL;
    for (int e = 0; e < s->def.emitter_count; ++e)
        if (emit_runs(&s->def.emitters[e], s->time, dt) > 0)
            s->emitter_room[e] = emit_vacancy(&s->parts, &s->g, &s->open, s->emitter_shape[e], solid,
                                              (double)s->full, s->front.layer, s->queue);
}

static rheo_status count_emitted(rheo_sim *s, emission in, rheo_report *report) {
    if (in.added < 0 || particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
    s->stats.counts.emitted += in.added;
    s->stats.counts.refused += in.refused;
    s->emitted += (double)in.added * s->particle_volume;
    s->volume_put_in += (double)in.added * s->particle_volume;
    return RHEO_OK;
}

static emitter_reach reach_of(const rheo_sim *s, int e, const emitter_step *step) {
    return emit_reach(s->emitter_shape[e], step->velocity, &s->g, &s->open,
                      s->def.solid_count ? s->solid : NULL);
}

rheo_status liquid_emit(rheo_sim *s, double dt, rheo_report *report) {
    const float *solid = s->def.solid_count ? s->solid : NULL;
    for (int e = 0; e < s->def.emitter_count; ++e) {
        const shape *inlet = s->emitter_shape[e];
        const int fluid = s->def.emitters[e].fluid;
        const unsigned seed = s->def.seed + (unsigned)e + 1;
        const int64_t refused = s->stats.counts.refused;
        const emitter_step step = emit_step(&s->def.emitters[e], s->time, dt);
        rheo_status status = RHEO_OK;
        if (!(step.runs > 0)) continue;
        if (step.begins && s->emitter_room[e] > 0)
            status = count_emitted(
                s, emit_begin(&s->parts, &s->next_id, &s->g, inlet, &step, fluid, seed, solid), report);
        const emitter_reach reach = reach_of(s, e, &step);
        if (!status)
            status = count_emitted(
                s, emit_inflow(&s->parts, &s->next_id, &s->g, &reach, &step, fluid, seed, s->emitter_room[e]),
                report);
        if (status) return status;
        if (s->stats.counts.refused > refused && !s->stats.refusing) s->stats.refusing = e + 1;
    }
    return RHEO_OK;
}

/* Whether an emitter drives the liquid in this step, and where. */
static int drives(emitter_step *step, emitter_reach *reach, const rheo_sim *s, int e, double dt) {
    *step = emit_step(&s->def.emitters[e], s->time, dt);
    if (!(s->emitter_room[e] > 0)) return 0;
    *reach = reach_of(s, e, step);
    return step->velocity[0] != 0 || step->velocity[1] != 0 || step->velocity[2] != 0;
}

void liquid_drive_emitters(mac_field *u, const rheo_sim *s, double dt) {
    emitter_step step;
    emitter_reach reach;
    for (int e = 0; e < s->def.emitter_count; ++e)
        if (drives(&step, &reach, s, e, dt)) emit_velocity(u, &s->g, &reach, step.velocity);
}

rheo_status liquid_carry_emitted(rheo_sim *s, double dt, rheo_report *report) {
    const rheo_status status = liquid_reserve_marks(s, report);
    if (status) return status;
    if (s->parts.count) memset(s->keep, 0, s->parts.count);
    emitter_step step;
    emitter_reach reach;
    for (int e = 0; e < s->def.emitter_count; ++e)
        if (drives(&step, &reach, s, e, dt)) emit_carry(&s->parts, s->keep, &s->g, &reach, step.velocity, dt);
    return RHEO_OK;
}

int liquid_emitters_drive(const rheo_sim *s, double dt) {
    emitter_step step;
    emitter_reach reach;
    for (int e = 0; e < s->def.emitter_count; ++e)
        if (drives(&step, &reach, s, e, dt)) return 1;
    return 0;
}

openings *liquid_close_emitters(rheo_sim *s, double dt) {
    if (s->work.source) memset(s->source, 0, s->g.box.size * sizeof *s->source); /* of the step before */
    s->work.source = NULL;
    if (!liquid_emitters_drive(s, dt)) return &s->open;
    s->work.source = s->source;
    mac_field_copy(&s->driven.open, &s->open.open, &s->g);
    if (s->open.wall.value[0]) mac_field_copy(&s->driven.wall, &s->open.wall, &s->g);
    else memset(s->driven.wall.value[0], 0, (size_t)s->g.box.dim * s->g.box.size * sizeof(float));
    memcpy(s->driven.open_wall, s->open.open_wall, sizeof s->driven.open_wall);
    memcpy(s->driven.mover, s->open.mover, sizeof s->driven.mover); /* pointers, of s->open */
    s->driven.met = s->open.met;                                    /* as well */
    emitter_step step;
    emitter_reach reach;
    for (int e = 0; e < s->def.emitter_count; ++e) {
        if (!drives(&step, &reach, s, e, dt)) continue;
        double mean[3]; /* over the whole step: what it gives in its part of it */
        for (int a = 0; a < 3; ++a) mean[a] = step.velocity[a] * (step.runs / dt);
        emit_drive(&s->driven, s->source, s->psi, &s->g, &s->open, &reach, mean);
    }
    return &s->driven;
}

double liquid_emitter_speed(const rheo_sim *s, double time,
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
