/* Implicit viscosity: velocities after a time step of viscous stress, on the faces of a grid. */
#ifndef STAGE_VISCOSITY_VISCOSITY_H
#define STAGE_VISCOSITY_VISCOSITY_H

#include <stdbool.h>
#include "grid/mac.h"
#include "linear/viscous.h"
#include "stage/viscosity/tree_strain.h"

typedef enum {
    VISCOSITY_FULL,      /* the whole symmetric stress: turning costs nothing, free surfaces are right */
    VISCOSITY_LAPLACIAN, /* each component diffuses by itself; stress stops at the surface (Neumann) */
    VISCOSITY_STOKES     /* full, and pressure with it: (-p I + tau) n = 0 on the surface */
} viscosity_model;
typedef enum { VISCOSITY_HARMONIC, VISCOSITY_GEOMETRIC, VISCOSITY_ARITHMETIC } viscosity_mean;

/* Fields in the box's layout. Slip lengths in m: 0 sticks, INFINITY is free. */
typedef struct viscosity_input {
    viscosity_model model;
    viscosity_mean mean; /* of the cells around an edge */
    bool held_surface;   /* laplacian: faces in the air keep their velocity and hold the liquid (Dirichlet) */
    double dt;           /* s */
    double density;      /* kg/m3, of all faces, or what `densities` are measured by */
    const float *densities[3]; /* kg/m3 of faces; NULL: one density */
    const float *phi;          /* m, of cells, negative in liquid */
    const float *mu;           /* Pa s, of cells; below 0: not known, left out of means */
    const float *node_phi;     /* m, of nodes, positive outside solids; NULL: no solids */
    const mac_field *wall; /* m/s, the velocity of solids continued to a cell around them; NULL: all rest */
    const uint16_t *solid[3]; /* 1 + the body of `body`, whose velocity is solved, that a face's centre lies
                                 in; VISCOUS_FREE elsewhere; NULL: all motion of solids is known */
    const uint8_t *held; /* bit a of a cell: the face below it along axis a keeps its velocity; NULL: none */
    const viscous_body *body; /* masses in units of density dx^3 (dx^2 in 2D), lengths in cells */
    int bodies;
    const uint8_t *open_side; /* six, 1: not a wall; NULL: all closed */
    double side_slip[6];      /* m */
    double solid_slip;        /* m, of all solids where `slip` does not say */
    const float *slip;        /* m, of nodes; NULL */
    int levels; /* full: sizes of the leaves of a graded tree under the grid; below 2: the grid itself */
    tree_scheme scheme; /* of the tree */
    /* Of VISCOSITY_STOKES alone: */
    const mac_field *open; /* share of faces outside solids and closed sides; NULL: from node_phi */
    const float *source;   /* m/s, net outflow that cells shall have, summed over faces; NULL: none */
} viscosity_input;

typedef struct viscosity viscosity;

viscosity *viscosity_create(const mac_grid *g, viscous_kind kind); /* NULL: no memory */
void viscosity_free(viscosity *v);
size_t viscosity_bytes(const viscosity *v);

/* Builds the system and hands it to the solver. -1: no memory. */
int viscosity_assemble(viscosity *v, const mac_grid *g, const viscosity_input *in);

/* u after the step: of faces that liquid or stress reaches, and of faces in solids that hold it, which get
 * the wall's velocity. V, rhs: of bodies, (v, omega dx) and the mass times what they had; NULL: none. */
viscous_result viscosity_solve(mac_field *u, double (*V)[6], const double (*rhs)[6], viscosity *v,
                               const mac_grid *g, const viscosity_input *in, double tolerance,
                               int max_iterations);

/* The same for VISCOSITY_STOKES, in place of viscosity and projection: u keeps the volume of all cells that
 * hold liquid, as the open shares of faces tell it. q = p dt / (rho dx) [m/s] of cells is the warm start and
 * the result, 0 in the air; from the last step it is to be scaled by dt / its dt. */
viscous_result viscosity_solve_stokes(mac_field *u, float *q, double (*V)[6], const double (*rhs)[6],
                                      viscosity *v, const mac_grid *g, const viscosity_input *in,
                                      double tolerance, int max_iterations);

/* After a solve, and a projection: wet faces between two cells of air, which only stress has set, get that
 * velocity, and what the faces beside them have got since. Extrapolation would keep turning liquid from
 * turning. */
void viscosity_follow(mac_field *u, const viscosity *v, const mac_grid *g, const float *phi);

/* After a solve: calls pull() with each force [N; 2D: per m of depth] along an axis, at x [m], of stress on
 * the solid or side that the face `at` lies in or on. */
void viscosity_pulls(const viscosity *v, const mac_grid *g, const viscosity_input *in, const mac_field *u,
                     void (*pull)(void *user, int axis, const int at[3], const double x[3], double force),
                     void *user);
#endif
