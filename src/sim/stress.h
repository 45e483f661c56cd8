/* What makes liquid viscous: which model, the system, the fields that it reads. */
#ifndef SIM_STRESS_H
#define SIM_STRESS_H

#include "sim/emitters.h"
#include "sim/markers.h"
#include "sim/projection.h"
#include "stage/viscosity/viscosity.h"

typedef struct stress {
    rheo_viscosity model; /* RHEO_VISCOSITY_NONE: nothing below is there, and nothing acts */
    viscosity *solver;
    float *mu;        /* Pa s, of cells */
    mac_field wall;   /* m/s: of solids that move, continued around them */
    uint16_t *own[3]; /* faces of bodies whose velocities are solved; NULL: there are none */
    float *slip;      /* m, of nodes; NULL: one slip length for all solids */
    double *length;   /* m, slip of each solid of rheo_sim */
    uint16_t *number; /* of each of them: 1 + the body whose velocity is solved; 0 */
    viscous_body *body;
    double (*velocity)[6], (*momentum)[6];
    int bodies;
} stress;

void stress_list(stress *t, rheo_sim *s);
/* What is no field. */
rheo_status stress_make(stress *t, rheo_sim *s, rheo_report *report);
void stress_free(stress *t);
size_t stress_bytes(const stress *t, const rheo_sim *s);

/* The pressure that balances gravity before stress acts; nothing where both are solved together. */
rheo_status stress_balance(mac_field *vel, projecting *on, const stress *t, projection *p, walls *w,
                           rheo_sim *s, rheo_report *report);
/* Viscous stress over the step: vel of liquid, velocities of bodies, and so of walls. */
rheo_status stress_solve(mac_field *vel, projecting *on, stress *t, projection *p, markers *m, walls *w,
                         const emitters *e, rheo_sim *s, rheo_report *report);
/* Makes what stress has done to a velocity free of divergence; nothing where there is no stress. */
rheo_status stress_project(mac_field *vel, projecting *on, const stress *t, projection *p, walls *w,
                           rheo_sim *s, rheo_report *report);
/* Carries a velocity around the liquid as walls_extend() does, and past walls as their slip asks. */
void stress_extend(mac_field *u, int layers, mac_field *far, int far_layers, const stress *t, walls *w,
                   rheo_sim *s, const float *phi, const quiet_limits *slow);
/* FLIP's noise, which the grid cannot see, dies as waves of the grid's length would; without
 * flip there is none. */
void stress_calm(markers *m, const mac_field *vel, const stress *t, const rheo_sim *s, double dt, int flip);
/* Viscosity [Pa s] of the cell at x, in cells, as the last step had it; 0 where no liquid is near. Returns 0
 * where there is no such field. */
int stress_probe(double *mu, const stress *t, const rheo_sim *s, const float x[3]);
#endif
