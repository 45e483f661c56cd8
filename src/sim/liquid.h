/* The state of a free-surface liquid on a grid, and the steps that advance it. */
#ifndef SIM_LIQUID_H
#define SIM_LIQUID_H

#include <rheo/sim.h>
#include "core/memory.h"
#include "core/timer.h"
#include "grid/extrapolate.h"
#include "grid/openings.h"
#include "linear/poisson.h"
#include "particle/particles.h"
#include "stage/coupling/coupling.h"
#include "stage/pressure/pressure.h"
#include "stage/coupling/rigid_fluid.h"
#include "stage/walls/slivers.h"
#include "stage/walls/solids.h"
#include "stage/walls/film.h"
#include "stage/walls/thin/thin.h"
#include "solid/world.h"

struct sim_method;

struct rheo_sim {
    const struct sim_method *method; /* the calls of the solver chosen: sim/method.h */

    /* the description: copied from the scene, constant afterwards */
    rheo_scene def;
    arena text;   /* owns what def points to */
    shape **fill; /* of all fluids in turn */
    int fill_count;
    shape **emitter_shape;
    shape **solid_shape;
    obstacle *solids; /* static ones, then keyed ones, then dynamic ones */
    int *solid_place; /* where the solids of the scene, in its order, are among them */
    int walls;  /* of them that close faces to the liquid: without the bodies it does not see as walls */
    int moving; /* some solid is keyed or dynamic */
    int keyed;  /* some solid is keyed */
    double fluid_density;
    double particle_volume; /* m3 */
    float full;             /* particles in a full cell */

    /* the state */
    mac_grid g;
    particles parts;
    mac_field vel;    /* m/s, extrapolated around the liquid */
    mac_field before; /* m/s, before forces and pressure; FLIP, scratch of semi-Lagrangian and MAC, else
                         values NULL */
    mac_field carry;  /* m/s: what carries particles: vel and the drift correction. Until then: weights,
                         coefficients */
    float *phi;       /* m, < 0 in liquid */
    float *density;   /* 1 in full cells */
    float *q;         /* pressure p dt / (rho dx), m/s */
    double q_dt;      /* the dt in q */
    double quiet;     /* m/s: slower cut faces beside the surface take the velocity of others */
    double quiet_air; /* m/s: so do slower faces between corners of the liquid and air */
    world *world;     /* bodies and their states */
    double time;
    double step_end;  /* s, of the step under way */
    double dt_asked;  /* s, the longest that it might be; 0: anything */
    double next_dt;   /* s, of the step after it, as planned: what velocities at its end carry through. With
                         keyed solids, else 0 */
    double step_rate; /* 1/s: steps a second that the flow asked for when it began */
    double speed[3];  /* m/s: the largest of each axis after the last projection; bounds the next step */
    double crowded;   /* share of the liquid in cells that are too full for it; shortens the next step */
    double risen;     /* m: what the velocity has lifted particles by since they are at rest, 0 at most */
    int closing_step; /* the step under way ends a frame */
    double volume_put_in;    /* m3, less what left */
    double emitted, outflow; /* m3 since the start: by emitters, through open sides */
    uint32_t next_id;
    double clock_reals[12]; /* the numbers above and counts, as a checkpoint holds them */
    int64_t clock_wholes[8];
    double frame_reals[22]; /* likewise, of stats */

    /* solids on the grid */
    float *solid,
        *solid_still;         /* node distances, m: all solids now; those that never move (NULL: none move) */
    float *room, *room_still; /* in cells, likewise */
    openings open;
    thin_walls thin; /* those of them that nodes do not show; count 0: none */
    slivers slivers; /* of open, where nothing moves */

    /* scratch, once allocated */
    uint8_t *cells;       /* MAC: what each cell holds, else NULL */
    float *cell_phi;      /* MAC: the same as the pressure wants it, else NULL */
    openings driven;      /* with emitters: open, with their shapes closed; else values NULL */
    uint32_t *queue;      /* with emitters: a number a cell; else NULL */
    double *emitter_room; /* likewise: particles that each has room for in the step under way */
    float *source;        /* the divergence that they make, m/s summed over faces */
    pressure_work work;
    float *psi;
    front front;
    uint8_t *keep;
    size_t keep_room;
    poisson *solver;
    films films;       /* of water between faces of bodies and what they lie on */
    coupling coupling; /* of bodies in the pressure solve */
    lcp *separation;   /* solver.separation, else NULL */
    uint8_t *bounded;  /* likewise: cells that walls bound */
    rigid_fluid rigid; /* bodies as liquid held rigid, or moved by liquid that does not feel them */
    float *domain;     /* m: phi of liquid and bodies together, where bodies count as liquid; else NULL */

    /* the frame under way */
    int frame;      /* complete frames */
    int frame_done; /* the next step starts a frame's statistics */
    rheo_frame_stats stats;
    stage_timer timer;
    void (*watch)(void *user, const char *stage, double time); /* rheo_watch_stages() */
    void *watcher;
    double surface_area;

    struct smoke *smoke; /* method smoke: what it has beside this (sim/smoke.h), else NULL */
};

/* One step of dt seconds; the order of the stages is the algorithm. */
rheo_status liquid_step(rheo_sim *s, double dt, rheo_report *report);
/* Fields of the particles as they are, without moving anything: for the start and after a restore. */
rheo_status liquid_begin(rheo_sim *s, rheo_report *report);
/* m/s: the fastest that any part of a keyed solid moves in the frame after `time`, of a dynamic one now. */
double liquid_wall_speed(const rheo_sim *s, double time);
/* The longest step of bodies much lighter than the liquid, s; +inf without any. */
double liquid_light_body_limit(const rheo_sim *s, double gravity);
/* The longest step of bodies as liquid held rigid, s: that is moved by what it displaced, so no point of them
 * may go further than a cell (Carlson 2004, 5.7.1); +inf without any. */
double liquid_rigid_limit(const rheo_sim *s);
/* The largest step from `time` on that the flow allows, s. */
double liquid_dt_limit(const rheo_sim *s, double time);
/* Parts that other steps of the same state share; phi < 0 says where the liquid is. */
rheo_status liquid_hold_particles(rheo_sim *s, rheo_report *report); /* out of solids, inside closed sides */
rheo_status liquid_reserve_marks(rheo_sim *s, rheo_report *report);  /* s->keep: a byte a particle */
void liquid_extrapolate(mac_field *u, int layers, mac_field *far, int far_layers, rheo_sim *s,
                        const float *phi); /* far may be NULL */
int liquid_near_layers(const rheo_sim *s); /* how far it must reach at least */
poisson_result liquid_correct_drift(rheo_sim *s, const openings *o, const float *phi,
                                    double dt); /* writes carry */
/* Finds the room that emitters have, before anything moves in a step of dt; those without drive nothing. */
void liquid_find_room(rheo_sim *s, double dt);
/* New liquid of the emitters that run in a step of dt; the set is sorted before and after. */
rheo_status liquid_emit(rheo_sim *s, double dt, rheo_report *report);
/* Moves what is inside emitters that drive at their velocity, and marks it in s->keep. */
rheo_status liquid_carry_emitted(rheo_sim *s, double dt, rheo_report *report);
/* What emitters do to a velocity that particles do not bring: faces inside their shapes take theirs. */
void liquid_drive_emitters(mac_field *u, const rheo_sim *s, double dt);
/* Whether any emitter drives the liquid in a step of dt. */
int liquid_emitters_drive(const rheo_sim *s, double dt);
/* The openings with running emitters closed as boundaries that move at their velocity, and the sources that
 * they are to the pressure; the plain openings when the scene has none. */
openings *liquid_close_emitters(rheo_sim *s, double dt);
/* The fastest that any emitter is in the frame after `time`, m/s: curve_largest() or curve_longest() of it.
 */
double liquid_emitter_speed(const rheo_sim *s, double time,
                            double (*size)(const rheo_curve *velocity, double from, double to));
/* Cells where liquid leaves a wall since the last projection; NULL: walls hold it. */
const uint8_t *liquid_voids(const rheo_sim *s);
void liquid_keep_worst(rheo_solve_stats *stats, const poisson_result *r);
/* A checkpoint's arrays, and what follows from them after reading. */
struct state_array;
int liquid_list_state(struct state_array *list, rheo_sim *s);
rheo_status liquid_restored(rheo_sim *s, rheo_report *report);
/* What the scene's coupling of bodies needs. -1: no memory. */
int liquid_make_couplings(rheo_sim *s);
/* Moves bodies by a step of dt; gravity and the walls that bodies then are, and what contacts are expected to
 * do; what they did after all. */
rheo_status liquid_move_bodies(rheo_sim *s, double dt, rheo_report *report);
rheo_status liquid_pull_bodies(rheo_sim *s, const double gravity[3], double dt, rheo_report *report);
rheo_status liquid_hold_bodies(rheo_sim *s, double dt, rheo_report *report);
/* After liquid_project(): contacts, emitters, speeds, and what keeps the volume. */
rheo_status liquid_end_projection(rheo_sim *s, const openings *open, const float *phi, double dt,
                                  rheo_report *report);
/* The projection of vel, and of the bodies that take part in it, where phi < 0; afterwards *phi is what the
 * projection took for liquid. */
rheo_status liquid_project(rheo_sim *s, openings *open, const float **phi, double dt, rheo_report *report);
/* Where particles and solids are before they move; what liquid_hold_particles() needs of thin solids. */
rheo_status liquid_remember(rheo_sim *s, rheo_report *report);
/* Drops what was seeded inside thin solids. */
rheo_status liquid_reject_particles(rheo_sim *s, rheo_report *report);
/* Whether the thin solids of the scene can be held in its domain. */
rheo_status liquid_check_thin(const rheo_sim *s, rheo_report *report);
/* Puts the solids where they are at a time, and on the grid; bodies are where their states say. */
rheo_status liquid_place_solids(rheo_sim *s, double time, rheo_report *report);
void liquid_place_still_solids(rheo_sim *s); /* once, before: those that never move */
#endif
