/* Volume is kept by moving particles, never their velocity (stage/volume/volume.c), with the system that the
 * projection leaves. */
#include "sim/drift.h"

#include "stage/volume/volume.h"

#define TOLERANCE 0.05
enum { ITERATIONS = 12 }; /* it takes 2 to 4, up to 9 where walls thinner than a cell part the water */

poisson_result drift_correct(mac_field *carry, const mac_field *vel, const projecting *on, projection *p,
                             const markers *m, rheo_sim *s) {
    const mac_grid *g = &s->g;
    const scratch_count before = s->scratch.lent;
    const uint8_t *voids = projection_voids(p);
    float *outflow = on->work.rhs, *psi = scratch_cells(&s->scratch);
    if (!s->def.volume_correction) {
        mac_field_copy(carry, vel, g);
        scratch_back(&s->scratch, before);
        return (poisson_result){.converged = true};
    }
    volume_outflow(outflow, scratch_marks(&s->scratch), g, on->faces, m->density, on->phi, voids,
                   !m->may_crowd, on->dt);
    if (m->stiff) volume_limit_by_flow(outflow, g, vel, on->phi);
    if (p->domain) rigid_fluid_clear(outflow, &p->rigid);
    const poisson_result r = pressure_displace(carry, vel, psi, p->solver, &on->work, g, on->faces, on->phi,
                                               outflow, TOLERANCE, ITERATIONS);
    if (p->separation) pressure_release(carry, g, on->faces, voids);
    scratch_back(&s->scratch, before);
    return r;
}

double drift_crowding(const projecting *on, const markers *m, const rheo_sim *s) {
    if (!m->may_crowd || m->parts.count == 0) return 0;
    return volume_crowding(&s->g, on->faces, m->density) / ((double)m->parts.count * m->particle_volume);
}
