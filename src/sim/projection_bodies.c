/* The projection that moves fluid and bodies together (Batty et al. 2007, 4; Carlson 2004, 5, for bodies as
 * fluid held rigid). */
#include "sim/projection.h"

#include <string.h>
#include "core/report.h"
#include "sim/bodies.h"
#include "solid/vector.h"
#include "stage/walls/meet.h"

enum { ROUNDS_MOST = 2 }; /* of further solves in a step */
#define SQUEEZED 1e-3     /* of the flow: more than rounding */

rheo_status projection_join_bodies(mac_field *vel, projecting *on, projection *p, rheo_sim *s,
                                   rheo_report *report) {
    if (p->rigid.count == 0) return RHEO_OK;
    if (rigid_fluid_find(&p->rigid, &s->g, s->solids + s->wall_count, on->phi))
        return report_no_memory(report, "the pressure solve");
    if (p->domain) {
        if (p->is_gas) rigid_fluid_lift(&p->rigid, &s->g, on->pull, sim_density(s));
        rigid_fluid_join(p->domain, vel, &p->rigid, &s->g, on->phi);
        on->phi = p->domain;
    }
    rigid_fluid_note(&p->rigid, &s->g, vel);
    return RHEO_OK;
}

void projection_push_bodies(const mac_field *vel, projection *p, rheo_sim *s) {
    if (p->rigid.count)
        rigid_fluid_push(&p->rigid, &s->g, vel, p->unknown, sim_density(s), p->domain != NULL);
}

void projection_end_bodies(mac_field *vel, projection *p, double dt) {
    coupling_cap_energy(&p->coupling, dt);
    if (p->domain) rigid_fluid_impose(vel, &p->rigid);
}

static int attach(const mac_field *vel, const projecting *on, projection *p, const walls *w, rheo_sim *s) {
    coupling_weight weight = {.dt = on->dt, .node_phi = w->solid, .gaps = &w->thin.gaps};
    weight.fall = on->fall;
    weight.again = on->again;
    weight.flow = vel;
    weight.phi = on->phi;
    if (!p->is_gas) memcpy(weight.pull, on->pull, sizeof weight.pull);
    return coupling_attach(&p->coupling, projection_whole(p), &s->g, on->faces, s->solids, s->wall_count,
                           world_joint_rows(s->world), p->unknown, sim_density(s), &weight);
}

/* Walls as fast as their bodies are now. */
void projection_follow(projecting *on, const projection *p, walls *w, rheo_sim *s) {
    openings *const each[2] = {&w->open, on->faces};
    bodies_follow(s);
    for (int i = 0; i < (on->faces->wall.value[0] == w->open.wall.value[0] ? 1 : 2); ++i) {
        solids_changed_wall_velocity(each[i], &s->g, s->solids, s->wall_count);
        coupling_walls(each[i], &p->coupling, s->g.pool);
        solids_meet_velocity(each[i], &s->g, s->solids);
    }
}

rheo_status projection_with_bodies(lcp_result *r, const mac_field *vel, projecting *on, projection *p,
                                   walls *w, rheo_sim *s, rheo_report *report) {
    if (attach(vel, on, p, w, s)) return report_no_memory(report, "the pressure solve");
    for (int round = 0;; ++round) {
        projection_follow(on, p, w, s);
        const rheo_status status = projection_pressure(r, vel, on, p, s, report);
        if (status) return status;
        coupling_push(&p->coupling, &s->g, p->q, sim_density(s));
        if (round == ROUNDS_MOST) break;
        const int released = world_release(s->world, s->clock.time + on->dt, on->dt, round > 0);
        if (!coupling_judge(&p->coupling, r->solve.incompatibility > SQUEEZED) && !released) break;
        if (coupling_attach_again(&p->coupling, projection_whole(p), &s->g, sim_density(s)))
            return report_no_memory(report, "the pressure solve");
    }
    projection_follow(on, p, w, s);
    poisson_attach(p->solver, NULL, NULL, 0); /* what follows moves fluid alone */
    return RHEO_OK;
}
