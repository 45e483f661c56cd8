/* What liquid does to the solids of a scene: forces and torques by pressure and viscosity, once a frame. */
#ifndef SIM_FELT_H
#define SIM_FELT_H

#include "sim/projection.h"

/* Nobody has been pushed yet. */
void felt_clear(rheo_sim *s);
/* The solid that a face in or on a wall belongs to, counted as rheo_sim.solids; -1: a side of the domain. */
int felt_owner(const rheo_sim *s, const walls *w, int axis, const int at[3]);
/* Adds a force along an axis at x to what that solid has felt [N, m; 2D: per metre of depth]. */
void felt_push(rheo_sim *s, int solid, int axis, const double x[3], double force);
/* Adds what the pressure of a projection does, in all closed shares of faces beside its unknowns. */
void felt_pressure(rheo_sim *s, const projection *p, const walls *w);
#endif
