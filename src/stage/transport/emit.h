/* New liquid: the fill of the start and emitters while they run. */
#ifndef STAGE_TRANSPORT_EMIT_H
#define STAGE_TRANSPORT_EMIT_H

#include <rheo/scene.h>
#include "grid/openings.h"
#include "particle/particles.h"
#include "solid/shape.h"

typedef struct emission {
    int64_t added;    /* particles */
    int64_t rejected; /* places inside a solid */
    int64_t refused;  /* for want of vacancy */
} emission;

/* What an emitter does in a step. Its way is that of liquid which moves at its velocity while it runs; a
 * function of time alone, so that no step's length enters. */
typedef struct emitter_step {
    double runs;           /* s of the step; 0: not at all */
    int begins;            /* it starts in this step */
    double velocity[3];    /* m/s: the mean while it runs */
    double from[3], to[3]; /* m: its way at the step's start and end */
    int axis;              /* of the scene's, along which it flows most in all its time */
} emitter_step;
double emit_runs(const rheo_emitter *e, double time, double dt); /* s of the step from time to time + dt */
emitter_step emit_step(const rheo_emitter *e, double time, double dt);

/* Where an emitter drives the liquid: in its shape, but not in the gap before a wall that it blows at.
 * Without open_side everywhere in the shape. */
typedef struct emitter_reach {
    const shape *inlet;
    const float *solid;       /* distances at nodes, or NULL */
    const uint8_t *open_side; /* of the domain, six */
    double ahead[3];          /* direction of the velocity */
} emitter_reach;
emitter_reach emit_reach(const shape *s, const double velocity[3], const mac_grid *g, const openings *o,
                         const float *node_solid);

/* Fills the part of a shape that lies in the domain and outside solids (node_solid may be NULL), in octants
 * without particles. cut: what does not level itself is cut by volume, else octants are filled whose middles
 * lie in the shape. added is -1 when there is no memory. */
emission emit_fill(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                   const double velocity[3], int fluid, unsigned seed, const float *node_solid, int cut);

/* The same for an emitter that begins: its fill has gone the step's way already. */
emission emit_begin(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                    const emitter_step *step, int fluid, unsigned seed, const float *node_solid);

/* What flows into the open part of a shape (in the domain, outside solids) through that part's own surface
 * within a step: v A dt in all, whatever its length, but no more than `vacancy` particles. Particles that are
 * driven take the velocity, unless there is no vacancy. The set must be sorted. seed: the same in all
 * steps. */
emission emit_inflow(particles *p, uint32_t *next_id, const mac_grid *g, const emitter_reach *r,
                     const emitter_step *step, int fluid, unsigned seed, double vacancy);

/* How many more particles the space around a shape can hold, `full` in an open cell: everything that it is
 * connected with, liquid or air. INFINITY: it has a way out of the domain, or plenty. The set must be sorted.
 * seen: a byte a sample; queue: a number a cell. */
double emit_vacancy(const particles *p, const mac_grid *g, const openings *o, const shape *inlet,
                    const float *node_solid, double full, uint8_t *seen, uint32_t *queue);
/* The cells that a shape's bounds touch, [lower, upper). */
void emit_touched_cells(int lower[3], int upper[3], const mac_grid *g, const shape *s);

/* Particles that are driven move at the velocity for dt; moved[q] is set for them, and those with it set are
 * left alone. The set must be sorted, and is not afterwards. */
void emit_carry(particles *p, uint8_t *moved, const mac_grid *g, const emitter_reach *r,
                const double velocity[3], double dt);

/* Faces that are driven take the velocity; held: bit a of the cell above a face along axis a is set, or NULL.
 */
void emit_velocity(mac_field *u, uint8_t *held, const mac_grid *g, const emitter_reach *r,
                   const double velocity[3]);
/* The emitter as a boundary condition of the pressure: `driven`, a copy of o with wall velocities, is closed
 * where faces are driven and moves there at `velocity`; cells through which liquid comes in get the
 * inflow as a net outflow [m/s, summed over faces], v A in all. scratch: a field. */
void emit_drive(openings *driven, float *source, float *scratch, const mac_grid *g, const openings *o,
                const emitter_reach *r, const double velocity[3]);
#endif
