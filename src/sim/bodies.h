/* Rigid bodies in a step of any engine: they move, forces act on them, contacts hold them. */
#ifndef SIM_BODIES_H
#define SIM_BODIES_H

#include "sim/walls.h"

/* By a step of dt, with the velocities they have. */
rheo_status bodies_move(rheo_sim *s, double dt, rheo_report *report);
/* Gravity, the walls that bodies then are, and what contacts are expected to do; `last`: the step that they
 * acted in last, s. */
rheo_status bodies_pull(walls *w, rheo_sim *s, const double gravity[3], double dt, double last,
                        rheo_report *report);
/* Contacts after forces, so that what rests has no velocity left. */
rheo_status bodies_constrain(rheo_sim *s, double dt, rheo_report *report);
/* Solids take the places and velocities of their bodies, and say which have changed. */
void bodies_follow(rheo_sim *s);
#endif
