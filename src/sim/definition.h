/* A simulation's own copy of its scene, and the one place where a domain's sides become cells. */
#ifndef SIM_DEFINITION_H
#define SIM_DEFINITION_H

#include <rheo/scene.h>
#include "core/memory.h"

/* Cells along each side (1 along z in 2D), the nearest whole numbers; returns the side of a cell, m. */
double definition_cells(int cells[3], const rheo_scene *scene);
/* Makes the sides of the domain as long as their cells, so that all that reads them has the grid's box. */
void definition_fit_sides(rheo_scene *scene);
/* A fill of a scene as it is given, for the fitted sides: a box up to a side reaches that side. */
rheo_shape definition_fit_fill(const rheo_shape *fill, const rheo_scene *given, const rheo_scene *fitted);
/* Everything that a run reads later, in `owner`, with fitted sides; shapes are left out (they are compiled).
 * -1: no memory. */
int definition_copy(rheo_scene *copy, arena *owner, const rheo_scene *scene);

/* The most that a viscosity may be, Pa s: rock flows faster. */
#define VISCOSITY_MOST 1e9

/* Viscosity of a fluid [Pa s]: the most that it ever has, and at a time. */
double definition_thickest(const rheo_fluid *fluid);
double definition_viscosity(const rheo_fluid *fluid, double time);
/* m2/s: the least that any fluid ever has, where viscosity is solved; 0 elsewhere. */
double definition_thinnest(const rheo_scene *scene);
/* What of a scene viscosity is not solved beside; NULL: nothing. */
const char *definition_bars_viscosity(const rheo_scene *scene);
/* Whether some fluid moves momentum by half a cell within the run, sqrt(nu t). */
bool definition_is_viscous(const rheo_scene *scene);
/* Whether particles are written: they are asked for, or drawn. */
bool definition_keeps_particles(const rheo_scene *scene);
/* Slip length [m] of a solid, or of the domain's sides (NULL), RHEO_SLIP_FREE: any. */
double definition_slip(const rheo_scene *scene, const rheo_solid *solid);
#endif
