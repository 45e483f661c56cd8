/* What makes a velocity free of divergence: the system, what bodies and walls add to it, the pressure. */
#ifndef SIM_PROJECTION_H
#define SIM_PROJECTION_H

#include "linear/lcp.h"
#include "sim/emitters.h"
#include "sim/walls.h"
#include "stage/coupling/coupling.h"
#include "stage/coupling/rigid_fluid.h"
#include "stage/pressure/pressure.h"

typedef struct projection {
    float *q;         /* pressure p dt / (rho dx), m/s */
    double q_dt;      /* the dt in q, s */
    double speed[3];  /* m/s: the largest of each axis after the last projection; bounds the next step */
    uint8_t *unknown; /* cells of the system assembled last */
    poisson *solver;
    openings faces;       /* those of the step where they are not the walls' own */
    mac_field open, wall; /* of these */
    coupling coupling;    /* of bodies in the solve */
    lcp *separation;      /* solver.separation, else NULL */
    uint8_t *bounded;     /* likewise: cells that walls bound */
    rigid_fluid rigid;    /* bodies as fluid held rigid, or moved by fluid that does not feel them */
    float *domain;        /* m: phi of fluid and bodies together, where bodies count as fluid; else NULL */
    int is_gas;           /* its own weight is no part of the pressure, and it is never still */
} projection;

/* What the projection of one step works on. */
typedef struct projecting {
    pressure_work work; /* the system, and the sources in cells; scratch */
    openings *faces;    /* open shares and wall velocities; weights (1 / rho) are all the same */
    const float *phi;   /* < 0 where fluid is, and bodies that count as such */
    double dt;          /* s */
    double pull[3];     /* m/s: what gravity gave to liquid and bodies since the last projection */
    double fall;        /* m/s: what it gives to bodies in the step */
    int again;          /* it is not the first of the step: bodies keep what contacts withheld before */
} projecting;

void projection_list(projection *p, const walls *w, rheo_sim *s);
/* What is no field. */
rheo_status projection_make(projection *p, rheo_sim *s, rheo_report *report);
void projection_free(projection *p);
size_t projection_bytes(const projection *p);

/* The system's fields, borrowed until scratch_back(). */
pressure_work projection_borrow(projection *p, rheo_sim *s);
/* The faces of a step of dt, built once and constant after it but for the velocities of walls that follow
 * bodies: open shares without slivers beside the surface and with films, running emitters as boundaries, and
 * the sources that these are (e may be NULL). */
projecting projection_faces(projection *p, walls *w, emitters *e, rheo_sim *s, const float *phi, double dt);
/* Their walls are as fast as those of the grid now are. */
void projection_walls(projecting *on, const walls *w, const rheo_sim *s);

/* The last pressure is where a solve starts: q, which is p dt / (rho dx), for a step of dt. */
void projection_fit(projection *p, const mac_grid *g, double dt);
/* Makes vel free of divergence, and moves the bodies that take part in it. */
rheo_status projection_solve(mac_field *vel, projecting *on, projection *p, walls *w, rheo_sim *s,
                             rheo_report *report);
/* Contacts act on the bodies; how fast all is then, and whether that is finite. */
rheo_status projection_end(mac_field *vel, const projecting *on, projection *p, walls *w, emitters *e,
                           rheo_sim *s, rheo_report *report);

/* The system of the walls' own faces, and a projection with it in which nothing but the fluid takes part.
 * Assembling returns -1 without memory. */
int projection_assemble(pressure_work *work, projection *p, const walls *w, rheo_sim *s, const float *phi);
poisson_result projection_plain(mac_field *vel, pressure_work *work, projection *p, const walls *w,
                                rheo_sim *s, const float *phi);

/* Cells where fluid leaves a wall since the last projection; NULL: walls hold it. */
const uint8_t *projection_voids(const projection *p);
void projection_keep_worst(rheo_solve_stats *stats, const poisson_result *r);

/* Parts of projection_solve(). */
poisson *projection_whole(const projection *p); /* is handed the whole system; NULL: none is */
rheo_status projection_pressure(lcp_result *r, const mac_field *vel, projecting *on, projection *p,
                                const rheo_sim *s, rheo_report *report);
/* projection_bodies.c: before the system is assembled, bodies that are not in the solve itself; after it,
 * fluid and bodies together, again where a motor turns out to be weaker or stronger than was guessed, or a
 * contact to let go; what the solve has done to the former. */
rheo_status projection_join_bodies(mac_field *vel, projecting *on, projection *p, rheo_sim *s,
                                   rheo_report *report);
rheo_status projection_with_bodies(lcp_result *r, const mac_field *vel, projecting *on, projection *p,
                                   walls *w, rheo_sim *s, rheo_report *report);
void projection_follow(projecting *on, const projection *p, walls *w, rheo_sim *s); /* their new speeds */
void projection_push_bodies(const mac_field *vel, projection *p, rheo_sim *s);
void projection_end_bodies(mac_field *vel, projection *p, double dt);
#endif
