/* New liquid: the fill of the start and emitters while they run. */
#ifndef STAGE_EMIT_H
#define STAGE_EMIT_H

#include "particle/particles.h"
#include "solid/shape.h"

typedef struct emission {
    int64_t added;    /* particles */
    int64_t rejected; /* places inside a solid */
} emission;

/* Fills the part of a shape that lies in the domain, outside solids (node_solid may be NULL) and, with
 * only_empty, in octants without particles; particles already inside take the velocity. added is -1 when
 * there is no memory. */
emission emit_shape(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                    const double velocity[3], int fluid, unsigned seed, const float *node_solid,
                    int only_empty);
#endif
