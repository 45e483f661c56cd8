/* The longest steps that flow, walls and bodies allow. */
#ifndef SIM_STEP_LIMIT_H
#define SIM_STEP_LIMIT_H

#include <rheo/sim.h>

/* Apart from the simulation, so that a scene's steps can be foretold. s, for liquid of that speed [m/s] under
 * that acceleration [m/s2]; +inf when nothing limits it. */
double step_limit(double dx, double cfl, double speed, double acceleration);
/* The same of liquid whose viscosity, nu [m2/s] where it is thinnest, is solved. */
double step_limit_viscous(double dx, double cfl, double speed, double acceleration, double nu);
/* s, for a body of `share` of the liquid's density that moves with it; +inf for all but the lightest. */
double step_limit_light(double dx, double cfl, double share, double speed, double gravity);

/* m/s: the fastest that any part of a keyed solid moves in the frame after `time`, of a dynamic one now. */
double step_wall_speed(const rheo_sim *s, double time);
/* The longest step of bodies much lighter than the liquid, s; +inf without any. */
double step_limit_light_bodies(const rheo_sim *s, double gravity);
/* The longest step of bodies as liquid held rigid, s: that is moved by what it displaced, so no point of them
 * may go further than a cell (Carlson 2004, 5.7.1); +inf without any. */
double step_limit_rigid(const rheo_sim *s);
#endif
