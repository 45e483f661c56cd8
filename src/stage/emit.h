/* New liquid: the fill of the start and emitters while they run. */
#ifndef STAGE_EMIT_H
#define STAGE_EMIT_H

#include "particle/particles.h"
#include "solid/shape.h"

typedef struct emission {
    int64_t added;    /* particles */
    int64_t rejected; /* places inside a solid */
} emission;

/* Fills the part of a shape that lies in the domain and outside solids (node_solid may be NULL), in octants
 * without particles. added is -1 when there is no memory. */
emission emit_fill(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                   const double velocity[3], int fluid, unsigned seed, const float *node_solid);

/* What flows into a shape through its own surface within dt, at `velocity`: v A dt in all, whatever its
 * length. Particles that are inside already take the velocity. The set must be sorted. */
emission emit_inflow(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                     const double velocity[3], int fluid, unsigned seed, const float *node_solid, double time,
                     double dt);

/* Faces inside a shape take the velocity: for methods whose particles only mark. */
void emit_velocity(mac_field *u, const mac_grid *g, const shape *s, const double velocity[3]);
#endif
