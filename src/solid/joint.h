/* What holds two solids together, or one to the world: ODE's joint, its stops and its motor. */
#ifndef SOLID_JOINT_H
#define SOLID_JOINT_H

#include <ode/ode.h>
#include "solid/body.h"

typedef struct joint {
    const rheo_joint *def;
    const body *only;    /* the body that hangs on what stands still; NULL: both ends may move */
    const body *pair[2]; /* the bodies that it links where forces are to know; else NULL */
    dJointID link;       /* the first of its bodies is `only` */
    dJointID motor;      /* NULL: of this kind none can be driven */
    dJointFeedback link_push, motor_push;
    double axis[3]; /* unit: of the first body's motion against the second's, where the scene file has them */
    double lever;   /* m: what the farthest point goes a radian; 1 for sliders */
    double unit;    /* of ODE's forces: so many to a N */
} joint;

/* How near to a stop counts as there, m, and how much of what is deeper than that the next solve takes back.
 */
typedef struct stop_rule {
    double margin, repair;
} stop_rule;

/* first and second: NULL for what stands still; not both. far: how far the farthest point of either body is
 * from the anchor, m. */
void joint_make(joint *j, const rheo_joint *def, dWorldID ode, dBodyID first, dBodyID second,
                const body *only, double far, int flat);
/* Speed and greatest force of the motor, if it is to act. */
void joint_drive(const joint *j, double time, int acts);
/* Which stops act in the next solve, from where ODE's bodies are. */
void joint_set_stops(const joint *j, stop_rule rule);
/* The share of its error that a solve puts right. ODE's balls and fixed joints keep one of their own, from
 * when they are made; the others have the world's. */
void joint_set_repair(const joint *j, double share);
/* Whether a motor drives or brakes it, or it is nearer to a stop than `margin`, m; from where ODE's bodies
 * are.
 */
int joint_is_busy(const joint *j, double margin);
/* How long the joint may move on as it does before it is past a stop by more than sink, s. */
double joint_time_to_stop(const joint *j, double margin, double sink);

/* Whether a place is where a joint holds its body on what stands still, but for turning: nearer than `near`
 * [m] to the pin of a hinge or the centre of a ball. */
int joint_pins_place(const joint *j, const double x[3], double near);

/* Of a body on what stands still: the motions that the joint does not let it make, stops that it leans on
 * among them, go into the body's active constraints. before: its velocity and spin before the forces of a
 * step of dt that ends at `time`. */
void joint_activate(const joint *j, const double before[6], double margin, double time, double dt);
/* The same of its motor, when all else holds the body already: the body gains what the motor does to its own
 * mass. */
void joint_activate_motor(const joint *j, const double before[6], double time, double dt);
/* Of two bodies: the motions against each other that the joint does not let them make. How many. */
enum { JOINT_ROWS = 6 };
int joint_make_rows(joint_row rows[JOINT_ROWS], const joint *j);
/* Takes what the next step finds anew out of its bodies' rates of change (`reaction`, m/s2, rad/s2): what a
 * joint on what stands still and its motor did in the last solve, what links two bodies but for stops and
 * motor. */
void joint_leave_out(const joint *j);
#endif
