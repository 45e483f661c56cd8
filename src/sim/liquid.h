/* Free-surface liquid of particles on a grid: flip, apic, pic, semi-lagrangian. */
#ifndef SIM_LIQUID_H
#define SIM_LIQUID_H

#include "sim/emitters.h"
#include "sim/heat.h"
#include "sim/markers.h"
#include "sim/projection.h"
#include "sim/stress.h"
#include "sim/walls.h"

typedef struct liquid {
    markers markers;
    walls walls;
    emitters emitters;
    projection projection;
    stress stress;
    heat heat;
    mac_field vel;   /* m/s, extended around the liquid */
    mac_field carry; /* m/s: what carries particles, vel and what keeps their density even */
    double crowded;  /* share of the liquid in cells that are too full for it; shortens the next step */
    double risen;    /* m: what the velocity has lifted particles by since they are at rest, 0 at most */
} liquid;

INLINE liquid *liquid_of(const rheo_sim *s) {
    return s->state;
}

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status liquid_step(rheo_sim *s, double dt, rheo_report *report);

/* sim/rest.c: both velocities around the liquid, and what lets liquid rest there. What stands still is known
 * as far as it goes, and carries nothing. carries: whether the grid carries the velocity. */
void liquid_rest(liquid *l, const projecting *on, rheo_sim *s, const double gravity[3], int carries);
/* How far velocity must be known around a liquid at least, in cells. */
int liquid_near_layers(const rheo_sim *s);

/* sim/settle.c: moves the particles of a fresh fill by fractions of a cell, so that liquid at rest is at
 * rest.
 */
rheo_status liquid_settle(liquid *l, rheo_sim *s, rheo_report *report);
#endif
