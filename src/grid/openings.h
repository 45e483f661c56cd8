/* What liquid may flow through: the open share of every face and the motion of what closes the rest. */
#ifndef GRID_OPENINGS_H
#define GRID_OPENINGS_H

#include "grid/mac.h"

typedef struct openings {
    mac_field open; /* share of each face outside solids and closed walls, [0, 1] */
    mac_field wall; /* velocity of the solid at each face, m/s; values NULL when everything stands still */
    uint16_t *mover[3]; /* 1 + the moving solid that closes a face, 0 where none does; NULL as `wall` */
    /* 1 where the domain's side (RHEO_LEFT ...) is no wall: liquid goes out into air, or around a periodic
     * axis */
    uint8_t open_wall[6];
} openings;
#endif
