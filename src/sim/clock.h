/* When steps begin and end. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "sim/sim.h"

/* Before the first step: plans it, with the speeds at the start. Returns its length if nothing limits it, s.
 */
double clock_start(rheo_sim *s);
/* The length of the step that begins now, s, at most dt_max unless that is 0; when it ends and how long the
 * one after it shall be goes to the clock. */
double clock_step(rheo_sim *s, double dt_max);
/* At the end of a step, when its speeds are known: how long the next one will be if as much is asked of it.
 */
double clock_ahead(const rheo_sim *s);
#endif
