/* All rigid bodies of a scene and what they touch: static and keyed solids, the domain's closed sides. */
#ifndef SOLID_WORLD_H
#define SOLID_WORLD_H

#include "solid/body.h"

typedef struct world world;

/* `scene` and `shapes` (one a solid, in the scene's order) must outlive the world. dx, m: the grid's cell,
 * which sets how deep bodies may sink into each other and how deep a plane scene is. A scene without dynamic
 * solids makes an empty world. */
rheo_status world_create(world **w, const rheo_scene *scene, shape *const *shapes, double dx,
                         rheo_report *report);
void world_free(world *w);

int world_count(const world *w); /* bodies; 0 for NULL */
const body *world_body(const world *w, int index);
const body *world_body_of(const world *w, int solid); /* NULL: the solid is not dynamic */
/* The states of all bodies, one after the other: all that a checkpoint must hold. */
body_state *world_states(world *w);
/* The fastest that any point of a body moves, m/s; those that are gone do not count. */
double world_speed(const world *w);
/* Wholly behind a side of the domain, where nothing happens to it any more. */
int world_is_gone(const world *w, const body *b);

/* RHEO_INVALID when a body reaches a periodic side, with the solid's path. */
rheo_status world_check_sides(const world *w, double time, rheo_report *report);

/* Every body gains acceleration * dt. */
void world_accelerate(world *w, const double acceleration[3], double dt);
/* What a fluid of that density at rest under gravity would do to it, wholly immersed, in dt. */
void world_lift(world *w, double fluid_density, const double gravity[3], double dt);
/* From `time` to `time` + dt, in as many smaller steps as contacts need: contacts and joints act on
 * velocities, velocities move the bodies. No gravity and no liquid here: who steps adds them to the
 * velocities before. These three return 0, or what went wrong: no memory for contacts; a body that is not
 * finite, or faster than any can be. Then the states are of no use any more. */
enum { WORLD_NO_MEMORY = -1, WORLD_LOST = -2 };
int world_step(world *w, double time, double dt);
/* Before forces that are still to be found: every body gains what contacts and joints gave it in the last
 * step, over dt, and is held (active_constraints) where a contact with something that stands still bore it
 * then and touches it now, and where a joint links it to what stands still. A body that rests on the floor of
 * a tank then meets pressure as one at rest, not as one that falls, however light it is beside the liquid
 * that it would have to push. What contacts gave was given within the last step, of `last` seconds (0:
 * unknown), and is no more in a longer one. Keyed solids go as they will in the step after, of `next`
 * seconds: so do bodies that they push. */
int world_warm_start(world *w, double time, double dt, double last, double next);
/* What joints between bodies do not let these do while forces of the step act, of world_warm_start(): with
 * `coupling: monolithic`, which finds what such joints do by itself. */
const joint_rows *world_joint_rows(const world *w);
/* After forces: lets go of contacts and stops that would have to pull, where a body touches nothing but what
 * stands still, and says whether there are any. What forces do to a body that is held is no measure of what
 * they do to one that is not, so they are to be found anew, from what world_warm_start() gave taken back:
 * `given` of its constraints. all: of every contact of such a body, so that it need not be asked again. */
int world_release(world *w, double time, double dt, int all);
/* Takes back what world_warm_start() gave and adds what was withheld; contacts, joints and motors act on
 * velocities, nothing moves: after forces of a step of dt, so that what rests has no velocity left. */
int world_constrain(world *w, double time, double dt, double next);
#endif
