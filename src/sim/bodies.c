/* The world (solid/world.h) between the stages of a step. */
#include "sim/bodies.h"

#include <string.h>
#include "core/report.h"

/* What world_step(), world_warm_start() and world_constrain() return. All that bodies allocate in a step is
 * for what touches what. */
static rheo_status judge(int bad, double time, rheo_report *report) {
    if (bad == WORLD_LOST)
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "a body's velocity is not finite, or faster than any can be, at t = %g s", time);
    return bad ? report_no_memory(report, "contacts") : RHEO_OK;
}

void bodies_follow(rheo_sim *s) {
    for (int i = 0; i < s->def.solid_count; ++i) {
        obstacle *o = &s->solids[i];
        if (!o->body) continue;
        const placement now = body_placement(o->body);
        o->changed = memcmp(&now, &o->now, sizeof now) != 0;
        o->now = now;
    }
}

rheo_status bodies_move(rheo_sim *s, double dt, rheo_report *report) {
    return judge(world_step(s->world, s->clock.time, dt), s->clock.time + dt, report);
}

rheo_status bodies_pull(walls *w, rheo_sim *s, const double gravity[3], double dt, double last,
                        rheo_report *report) {
    const double end = s->clock.time + dt;
    if (!world_count(s->world)) return RHEO_OK;
    world_accelerate(s->world, gravity, dt);
    /* on bodies that are fluid contacts act after pressure, as on the fluid around */
    const int bad = sim_bodies_are_fluid(s) ? 0 : world_warm_start(s->world, end, dt, last, s->clock.next_dt);
    if (bad) return judge(bad, end, report);
    bodies_follow(s);
    solids_wall_velocity(&w->open, &s->g, s->solids, s->wall_count);
    return RHEO_OK;
}

rheo_status bodies_constrain(rheo_sim *s, double dt, rheo_report *report) {
    const double end = s->clock.time + dt;
    return judge(world_constrain(s->world, end, dt, s->clock.next_dt), end, report);
}
