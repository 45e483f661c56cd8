/* The marker-and-cell method: an engine beside those of sim/liquid.h. */
#ifndef SIM_MAC_H
#define SIM_MAC_H

#include "sim/emitters.h"
#include "sim/heat.h"
#include "sim/markers.h"
#include "sim/projection.h"
#include "sim/walls.h"

typedef struct mac {
    markers markers;
    walls walls;
    emitters emitters;
    projection projection;
    heat heat;
    mac_field vel;   /* m/s, extended around the liquid */
    mac_field carry; /* m/s: what carries markers */
    uint8_t *cells;  /* what each cell holds: MAC_LIQUID ... */
    float *cell_phi; /* m: the same as the pressure wants it */
} mac;

INLINE mac *mac_of(const rheo_sim *s) {
    return s->state;
}

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status mac_step(rheo_sim *s, double dt, rheo_report *report);
#endif
