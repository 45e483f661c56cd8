/* Pressure and rigid bodies solved together: which faces a body closes, what pressure does to it. */
#ifndef STAGE_COUPLING_COUPLING_H
#define STAGE_COUPLING_COUPLING_H

#include "grid/openings.h"
#include "linear/poisson.h"
#include "solid/obstacle.h"

typedef struct coupled_body coupled_body;
typedef struct coupled_joints coupled_joints;

typedef struct coupling {
    int count;              /* bodies */
    coupled_body *bodies;   /* [count] */
    coupled_joints *joints; /* between bodies; NULL: there never were any */
    poisson_row *rows;      /* of all bodies, as the solver takes them */
    int *first;             /* [terms + 1] */
    int terms;              /* at most as many as bodies: one each, fewer of those that joints link */
    int capacity;           /* rows */
} coupling;

int coupling_make(coupling *c, int bodies); /* -1: no memory */
void coupling_free(coupling *c);
size_t coupling_bytes(const coupling *c);

/* What gravity does to still liquid and solids in the step. */
typedef struct coupling_weight {
    double pull[3], dt;      /* m/s, by gravity; s */
    const mac_field *flow;   /* of the liquid before the solve, m/s */
    double fall;             /* m/s: what gravity gives to bodies, also where liquid is not still */
    int again;               /* not the first solve of a step: contacts have withheld something before */
    const float *node_phi;   /* of solids, m */
    const float *phi;        /* of the liquid, m */
    const struct gaps *gaps; /* below thin bodies; NULL: none */
} coupling_weight;

/* Makes the rows of the bodies among the solids, which joints link by those rows (NULL: nowhere), beside the
 * system of `unknown` cells, hands them to the solver that was set up with it (NULL: to none), and lets their
 * motors act. The rows must last until the next call. -1: no memory. fluid_density in kg/m3. */
int coupling_attach(coupling *c, poisson *solver, const mac_grid *g, const openings *o,
                    const obstacle *solids, int solid_count, const joint_rows *rows, const uint8_t *unknown,
                    double fluid_density, const coupling_weight *weight);
/* Wall velocities of the faces that bodies close beside unknowns, as the solve has them. */
void coupling_walls(openings *o, const coupling *c, pool *p);
/* The velocity of every body after the pressure q of the solve has acted on it. */
void coupling_push(coupling *c, const mac_grid *g, const float *q, double fluid_density);
/* Whether a motor gave more in coupling_push() than it has, or less than it could; squeezed: liquid that is
 * shut in was pressed together or drawn apart, as no motor is strong enough for. Then the solve is to be done
 * again after coupling_attach_again(), which puts all velocities back to where they were before
 * coupling_attach() and the motors right. That returns -1 without memory. */
int coupling_judge(coupling *c, int squeezed);
int coupling_attach_again(coupling *c, poisson *solver, const mac_grid *g, double fluid_density);
/* After contacts have acted on the bodies in a step of dt: takes off what they gave to the liquid that moves
 * with thin ones, which they do not know. */
void coupling_cap_energy(coupling *c, double dt);
/* Linear and angular momentum of a body (the index counts bodies) with the mass matrix of the last attach:
 * what a projection exchanges with the liquid. */
void coupling_momentum(double momentum[POISSON_RANK], const coupling *c, int index);
#endif
