/* The longest step of the particle methods: apart from the simulation, so that a scene's steps can be
 * foretold. */
#ifndef SIM_STEP_LIMIT_H
#define SIM_STEP_LIMIT_H

/* s, for liquid of that speed [m/s] under that acceleration [m/s2]; +inf when nothing limits it. */
double step_limit(double dx, double cfl, double speed, double acceleration);
/* s, for a body of `share` of the liquid's density that moves with it; +inf for all but the lightest. */
double step_limit_light(double dx, double cfl, double share, double speed, double gravity);
#endif
