/* Heat in liquid that particles carry: between particles and cells, conduction, exchange with what is not
 * liquid.
 *
 * All temperatures here are relative to one that the caller chooses (K above "zero"), and so are enthalpies
 * (J/kg above that of liquid at zero): floats then resolve small changes. */
#ifndef STAGE_HEAT_H
#define STAGE_HEAT_H

#include "grid/openings.h"
#include "particle/particles.h"
#include "solid/obstacle.h"

/* A fluid's temperature from its enthalpy: three straight lines, the middle one of what melts. */
typedef struct heat_law {
    float capacity, melting_capacity; /* J/(kg K): outside the melting zone, in it */
    float warming, melting_warming;   /* 1 over these */
    float conductivity;               /* W/(m K) */
    float cold[2], warm[2];           /* ends of the melting zone: K, J/kg */
} heat_law;

/* latent = 0: nothing melts; the zone must have a width else. */
heat_law heat_law_of(double capacity, double conductivity, double latent, double melts, double molten);
float heat_temperature(const heat_law *law, float enthalpy);
double heat_enthalpy(const heat_law *law, double temperature);

/* What cells hold of their particles: arrays in the grid's layout, 0 in borders and where no particle is. */
typedef struct heat_cells {
    float *fill;         /* share of a full cell's particles, 1 at most */
    float *capacity;     /* J/K, of 2D a metre deep; 0: there is no particle */
    float *temperature;  /* K */
    float *conductivity; /* W/(m K) */
    float *beyond;       /* K: what rounding leaves of the temperature */
    float *least, *most; /* K: of particles */
} heat_cells;
enum { HEAT_CELL_ARRAYS = 7 };
/* Places them in one block of so many arrays of `size`. */
heat_cells heat_cells_in(float *block, size_t size);

/* Columns of the particle set that hold heat, by their place in extra[]. */
typedef struct heat_columns {
    int enthalpy, rest; /* J/kg; what a float of it cannot hold */
} heat_columns;

typedef struct heat_input {
    const mac_grid *g;
    const openings *open; /* NULL: all faces between cells are */
    const heat_law *law;  /* of fluids */
    int laws;
    heat_columns column;
    double mass;          /* kg of a particle */
    double full;          /* particles in a full cell */
    double dt;            /* s, times what quickens heat */
    const float *outside; /* W/K of cells to what is held at temperatures; NULL: nothing is */
    const float *pull;    /* W: the same times those temperatures; NULL: all of them are 0 */
    const double *side;   /* K: of the domain's sides (RHEO_LEFT ...), NAN where they are insulated */
    int upwind;           /* all of a cell comes to its temperature, which is what it takes to the next one */
    double farthest;      /* K: the largest |T|, whose rounding is not told from differences */
} heat_input;

/* Sums over the sorted particles of each cell, which are only read. Returns the largest |T| of them, K. */
double heat_to_cells(const heat_cells *cells, const heat_input *in, const particles *p);
/* Temperatures of particles [K] as they follow from their enthalpies, above `zero`. */
void heat_temperatures(float *degrees, const heat_law *law, int laws, int column, const particles *p,
                       double zero, pool *workers);
/* Adds conductances [W/K] to something of a temperature to in->outside and in->pull. */
void heat_outside(float *outside, float *pull, const heat_input *in, const float *conductance,
                  double temperature);
/* Conduction over the step, and exchange with the outside, in one sweep an axis, in turn from the first axis
 * or, `reversed`, from the last. change: what it adds to cells' temperatures. */
void heat_conduct(float *change, const heat_cells *cells, const heat_input *in, int reversed);
/* Exchange with something that has a heat capacity [J/K] of its own and all of one temperature, conductance
 * [W/K] of cells; returns its new one. */
double heat_share(float *change, const heat_cells *cells, const heat_input *in, const float *conductance,
                  double capacity, double temperature);
/* Particles' enthalpies take what their cells do, and what they differ by within cells, which no cell sees,
 * dies as waves of its length would. Cells' temperatures change likewise. */
void heat_to_particles(particles *p, const heat_cells *cells, const float *change, const heat_input *in);

/* Particles in a shape take a temperature; returns what that takes, J. */
double heat_hold(particles *p, const heat_input *in, const shape *s, double temperature);
/* Particles in a shape share `joules` by what it takes to warm them; returns what they got: 0 where none is.
 */
double heat_give(particles *p, const heat_input *in, const shape *s, double joules);

/* conductance [W/K] of cells to air: h times the area of the surface phi = 0 in each, of samples in cells. */
void heat_air(float *conductance, float *const spare[2], const heat_cells *cells, const heat_input *in,
              const float *phi, double exchange);
/* Likewise to one of the solids where it is the nearest: by conduction from cells' middles. node_phi: of all.
 */
void heat_solid(float *conductance, float *const spare[2], const heat_cells *cells, const heat_input *in,
                const float *node_phi, const obstacle *solids, int count, int which);
#endif
