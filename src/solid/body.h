/* A rigid body: a dynamic solid's constant mass properties and its state, in plain data that stages may read
 * and write. The state's velocity is that of the centre of mass; the shape's own centre is elsewhere for
 * concave shapes, and body_placement() knows where. */
#ifndef SOLID_BODY_H
#define SOLID_BODY_H

#include "solid/shape.h"
#include "solid/tuning.h"

typedef struct body_state {
    double position[3];    /* m, of the centre of mass */
    double orientation[4]; /* unit quaternion (w x y z); (1 0 0 0) is how the scene file has it */
    double velocity[3];    /* m/s, of the centre of mass */
    double spin[3];        /* rad/s, world axes */
    double reaction[6]; /* m/s2, rad/s2: of contacts, and of joints beyond their active constraints and rows,
                           in the last world_constrain() */
    double falls;       /* 1: nothing but gravity acted on it in the last step, else 0 */
    double motion; /* sqrt(2 J), with the liquid that moved with it; of thin bodies. Below 0: not known */
} body_state;
enum { BODY_STATE_REALS = 21 };

/* What drives a body against what stands still: row . (velocity, spin) = speed, as far as its impulse goes.
 */
typedef struct body_motor {
    const rheo_joint *of; /* NULL: there is none */
    double row[6];
    double speed; /* m/s or rad/s */
    double most;  /* N s or N m s, within the step */
    int at_speed; /* it had its speed at the end of the last step */
} body_motor;

/* Motions that contacts and joints with what stands still do not let a body make while forces of a step act
 * on it, as world_warm_start() finds them: row . (velocity, spin) = 0. Who applies forces leaves out what
 * they would do along these, and says how much that was. */
typedef struct active_constraints {
    int count;
    double row[6][6];
    int jointed;  /* some of the rows, or the motor, are a joint's, or it is linked to another body */
    int stop;     /* which of the rows is a joint's stop, from 1 on; 0: none. It points away from it */
    int left;     /* the stop has been let go in this step */
    double bears; /* sqrt(J): what a motor presses on the stop with */
    int linked;   /* a joint links it to another body */
    int touched;  /* it touches something */
    int alone;    /* but nothing that moves, nor does it hang on that */
    body_motor motor;
    int wet;            /* liquid is beside it; who applies forces says it */
    int released;       /* forces drew it off some of its contacts: rows, velocity and `given` are new */
    double warm[6];     /* m/s, rad/s: what contacts did in the last step, which it has once more */
    double given[6];    /* m/s, rad/s: what rows and motor have done to the body's own mass so far */
    double withheld[6]; /* m/s, rad/s, likewise; less what was given and is otherwise in the end */
} active_constraints;

typedef struct body {
    int solid; /* its index in the scene */
    const rheo_solid *def;
    const shape *shape;
    double mass;       /* kg; in 2D of a slab one cell deep, as the liquid is */
    double volume;     /* m3, likewise */
    double inertia[9]; /* kg m2 about the centre of mass, in the scene file's axes */
    double centre[3];  /* m, the centre of mass where the scene file has it */
    double radius;     /* m: no point of it is farther from the centre of mass */
    int ball;          /* all that is nearer belongs to it */
    int flat;          /* moves in x and y, turns about z */
    roundness round;   /* turns that no pressure makes */
    double axis[3];    /* about which it is round, in the scene file's axes */
    body_state *now;
    active_constraints *active;
} body;

/* A row of a joint: a motion against each other that it does not let two bodies make: the sum over both of
 * row . (velocity, spin) is 0. What forces would do against it goes into active_constraints.withheld as well.
 */
typedef struct joint_row {
    const body *end[2];
    double row[2][6];
    int fixed; /* the joint lets them make no motion at all against each other */
} joint_row;
typedef struct joint_rows {
    int count;
    joint_row *item;
} joint_rows;

/* Mass properties from shape and density (depth: of a slab in 2D, m); the state as the scene file starts it.
 * -1: the shape has no finite volume. */
int body_make(body *b, body_state *now, const rheo_solid *def, const shape *s, int flat, double depth);

void body_rotation(double r[9], const body *b);      /* row-major, from the scene file's axes to now */
void body_inertia(double inertia[9], const body *b); /* now, in world axes, kg m2 */
void body_inverse_inertia(double inverse[9], const body *b); /* in 2D only the zz entry is not zero */
/* Row-major: what is left of a turn [rad/s or N m s] without that about axes the body is round about, which
 * pressure on its surface cannot make and liquid beside it does not see. */
void body_felt_turn(double felt[9], const body *b);
/* A linear impulse [N s] and an angular one [N m s]. 2D: what leaves the plane is dropped. */
void body_add(const body *b, const double linear[3], const double angular[3]);
/* sum += share (velocity, spin), and (velocity, spin) += share v. */
void body_note_motion(double sum[6], const body_state *b, double share);
void body_add_motion(body_state *b, const double v[6], double share);
/* Where the shape is and how its centre moves: what the grid stages want of an obstacle. */
placement body_placement(const body *b);
/* The other way round: the state from where the shape is; p's rotation is not read, its orientation is. */
void body_set_placement(const body *b, const placement *p);
double body_kinetic(const body *b);                               /* J */
double body_rate_along(const double row[6], const body_state *b); /* row . (velocity, spin) */

/* Free motion for dt seconds: x += dt v; the turn keeps the angular momentum exactly. */
void body_move(const body *b, double dt);
#endif
