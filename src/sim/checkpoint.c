/* What decides the future of a run: particles, bodies, the velocity that carries particles next, the warm
 * start, the clock; and what the frame under way says of itself so far, but for the time it took. The list of
 * fields (sim/fields.h) says what that is. */
#include "sim/state.h"

#include <string.h>
#include "core/report.h"
#include "sim/sim.h"

int sim_list_state(state_array *arrays, rheo_sim *s) {
    return fields_view(arrays, &s->fields, &s->g);
}

rheo_status sim_restore_state(rheo_sim *s, state_reader *read, void *context, rheo_report *report) {
    const rheo_status status = fields_read(&s->fields, &s->g, read, context, report);
    return status ? status : s->engine->restored(s, report);
}

rheo_status sim_place_particles(rheo_sim *s, int frame, const sim_particles *from, rheo_report *report) {
    if (!s->engine->place)
        return report_fail(report, RHEO_USAGE, "a method with particles", "this method has no particles");
    s->clock.frame = frame;
    s->clock.time = frame / s->def.fps;
    return s->engine->place(s, from, report);
}

void sim_place_bodies(rheo_sim *s, const rheo_body_stats *bodies) {
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[s->solid_place[i]];
        if (o->def->motion == RHEO_STATIC) continue;
        const rheo_body_stats *from = bodies++;
        if (!o->body) continue; /* keyed: the time alone says where it is */
        placement p = {.position = {0}};
        memcpy(p.position, from->position, sizeof p.position);
        memcpy(p.orientation, from->orientation, sizeof p.orientation);
        memcpy(p.velocity, from->velocity, sizeof p.velocity);
        memcpy(p.spin, from->spin, sizeof p.spin);
        body_set_placement(o->body, &p);
    }
}

double sim_surface_area(const rheo_sim *s) {
    return s->surface_area;
}
