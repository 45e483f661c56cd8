/* Bodies thinner than a cell in the pressure solve: where faces push them, and the liquid that moves with
 * them.
 */
#ifndef STAGE_COUPLING_THIN_H
#define STAGE_COUPLING_THIN_H

#include "stage/coupling/body.h"
#include "stage/coupling/lift.h"

/* From the body's centre of mass to the middle of its part in the cell-sized box about x; the box's share
 * that it takes up. */
double thin_arm(double arm[3], const obstacle *solid, const mac_grid *g, const double x[3]);
/* Adds the layers of liquid on the wet sides of the wall across face f, which is at x, to what moves with it.
 */
void thin_layers(coupled_body *b, const body_face *f, const mac_grid *g, double fluid_density,
                 const double x[3]);
/* The same of a face below or above a cell that has turned to the gap below the body (grid/gaps.h):
 * the body is `up` cells above the centre of that cell, and beyond the face there may be more of it. */
typedef struct thin_turn {
    int axis, way;
    double up;
} thin_turn;
void thin_layers_over(coupled_body *b, const body_face *f, const mac_grid *g, double fluid_density,
                      const double x[3], const thin_turn *turn);
/* Adds the films on the body that the grid does not show. */
void thin_films_on(coupled_body *b, const lift_view *v, double fluid_density);
#endif
