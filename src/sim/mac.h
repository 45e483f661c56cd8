/* The marker-and-cell step on the liquid's state. */
#ifndef SIM_MAC_H
#define SIM_MAC_H

#include "sim/liquid.h"

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status mac_step(rheo_sim *s, double dt, rheo_report *report);
/* The largest step from `time` on that flow, gravity and viscosity allow, s. */
double mac_dt_limit(const rheo_sim *s, double time);
#endif
