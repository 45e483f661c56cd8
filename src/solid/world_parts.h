/* What the world of bodies holds, for the files that make it, find contacts, solve and step. */
#ifndef SOLID_WORLD_PARTS_H
#define SOLID_WORLD_PARTS_H

#include <ode/ode.h>
#include "geom/sweep.h"
#include "solid/contact.h"
#include "solid/joint.h"
#include "solid/tuning.h"
#include "solid/world.h"

struct world {
    const rheo_scene *scene;
    shape *const *shapes;
    double dx;
    int count;
    body *bodies;
    body_state *states;

    thing *things; /* all solids */
    int thing_count;
    sweep pairs;               /* of things that may come near each other */
    touch_list touches, close; /* what is found; those of one pair that are being chosen from */
    dWorldID ode;
    dBodyID *ode_body; /* of each thing; NULL where it stands still */
    dGeomID *ode_box;  /* of each thing that is a box in space, larger by half a margin; else NULL */
    dJointGroupID contacts;
    joint *joints;              /* of the scene, in its order */
    active_constraints *active; /* of each body */
    joint_rows rows;            /* between bodies, in the step */
    double (*judged)[6];        /* of each body: velocity and spin if contacts let go */
    double (*pseudo)[6];        /* of each body: velocity that it has for a time: warm start, parting */
    double (*fallen)[3];        /* what gravity gave it before it moved */
    double (*slid)[6];          /* of each body: velocity and spin before the forces of a step */
    int *hangs;         /* of each body: the first of those that joints hold together with it; -1: no joint */
    int *swings;        /* of each body: it is moved by world_swing() in this part of a step */
    body_state *before; /* of each body: as it began the part, or half of it */
    body_state *kept;   /* of each body: what a solve for others must leave alone */
    double fastest;     /* m/s: what is faster in this step is lost */
    double unit;        /* of ODE's masses and forces: so many to a kg and a N */
    int lost;           /* a body is not finite, or faster: ODE, which would end the process, is not asked */
};

/* The slowest of bounces, and what gravity gives in a step, m/s. */
typedef struct {
    double rest, fall;
} world_speeds;

/* Where every solid is at `time`, keyed ones as fast as they go in the dt after it. */
void world_place_things(world *w, double time, double dt);
/* Keyed solids, which are where they are at `time`, as fast as they go in the dt after it. */
void world_pace_things(world *w, double time, double dt);
/* Everything that bodies touch or could come to touch within dt, into w->touches. -1: no memory. */
int world_find_touches(world *w, double dt);
/* Whether a joint holds two things, which then do not touch each other. */
int world_are_joined(const world *w, int a, int b);
/* Velocity of a relative to b at a contact. */
void world_slip(double u[3], const world *w, const touch *t);
/* How long a part may be, from gaps and closing speeds, and from the turning and the stops of joints. */
double world_safe_part(world *w, double left);

/* ODE's bodies as ours are; none where w->lost, which this finds. */
void world_give_states(world *w);
/* What the slowest of bounces must exceed is gravity of a step, and of a fall over the margin. */
world_speeds world_least_speeds(const world *w, double time, double dt);
/* Velocities that contacts and joints allow. Only a solve for what then moves parts and puts right, and only
 * one for what stays, after the forces of the step, drives: so that each happens once a step. In the middle
 * of a part stops do not act. */
typedef enum { SOLVE_TO_MOVE, SOLVE_TO_STAY, SOLVE_IN_MIDDLE } world_purpose;
void world_solve(world *w, double time, double h, world_speeds least, world_purpose purpose, int parting);

/* Which bodies hang together, once for all. */
void world_find_hanging(world *w);
/* Before a part of a step, at most `left` long: finds the bodies on joints that swing, and gives them half of
 * gravity, so that all that looks ahead knows how fast they become. */
void world_predict_gravity(world *w, const double g[3], double left);
/* When touches are known: those that touch something do not swing, and are as they were. */
void world_undo_gravity(world *w);
/* Moves those that swing, and gives them gravity, by h. */
void world_swing(world *w, double time, const double g[3], double h);
#endif
