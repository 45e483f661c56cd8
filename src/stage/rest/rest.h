/* What lets liquid at rest rest (docs/decisions/0011-rest.md): slivers, quiet faces, lift. None of it is
 * physics: it takes out what the grid and few particles make of liquid that stands still. */
#ifndef STAGE_REST_REST_H
#define STAGE_REST_REST_H

#include "grid/openings.h"
#include "particle/particles.h"

/* ---- slivers.c: faces that static walls leave less than KNOWN_MIN open, beside the surface ---- */

typedef struct slivers {
    struct sliver *face;
    size_t count;
} slivers;

/* Lists them, anew; -1: no memory. */
int slivers_list(slivers *s, const mac_grid *g, const openings *o);
/* Closes those beside the surface: o's shares are a projection's own. */
void slivers_close(openings *o, const slivers *s, const mac_grid *g, const float *phi);
void slivers_free(slivers *s);

/* ---- quiet.c ---- */

/* Quiet faces are narrowed by solids at rest, lie beside the surface, and are slower than `quiet` m/s; or
 * they lie between air and a cell with air across two axes, and are slower than `quiet_air`: the surface is
 * not known well enough there to mean it. First: EXTRAPOLATE_UNKNOWN on them, and their velocity into
 * `solved`. Then, after extrapolation: neither faster than it was solved nor than those around; `far` (may be
 * NULL) changes as u does. */
void rest_forget_quiet(uint8_t *layer, float *solved, const mac_grid *g, const openings *o, const float *phi,
                       const mac_field *u, double quiet, double quiet_air, int axis);
void rest_recall_quiet(mac_field *u, mac_field *far, float *solved, const mac_grid *g, const float *phi,
                       int axis);

/* ---- lift.c ---- */

/* Liquid that nothing drives, `speed` [m/s] at most: takes the displacement out of carry, which is u
 * and the displacement, as far as it lifts particles against gravity [m/s2] in dt by less than they can tell;
 * at rest particles are lowered by what u has lifted them on the whole. *risen: m by which it has, kept from
 * step to step, 0 at most. scratch: a field. */
void rest_limit_lift(mac_field *carry, double *risen, float *scratch, const mac_grid *g, const mac_field *u,
                     const particles *p, const double gravity[3], double speed, double dt);
#endif
