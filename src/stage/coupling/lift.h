/* What still liquid does to a body on the grid, beside what it should. */
#ifndef STAGE_COUPLING_LIFT_H
#define STAGE_COUPLING_LIFT_H

#include "grid/openings.h"
#include "linear/six.h"
#include "solid/obstacle.h"

struct coupled_body;

/* What a step's solve sees of liquid and solids. */
typedef struct lift_view {
    const mac_grid *g;
    const openings *o;
    const float *node_phi; /* of solids, m */
    const float *phi;      /* of the liquid, m */
    const uint8_t *unknown;
    double up[3]; /* of length 1, against gravity */
} lift_view;

typedef struct lift_error {
    double excess[SIX]; /* m3 and m4: displaced on the grid, along `up`, and turned by; less what is true */
    double waterline;   /* m2 of the body in the surface; 0 at least */
} lift_error;

/* `me`: how the body is named among the movers; `cells`: which of its cells are another solid's as well is
 * known, NULL: none is. */
void lift_find(lift_error *e, const lift_view *v, const obstacle *solid, uint16_t me,
               const struct coupled_body *cells);
#endif
