/* What every engine has: the description, the clock, solids and bodies, statistics; and beside it the
 * engine's own state (sim/engine.h). */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <rheo/sim.h>
#include "core/memory.h"
#include "core/timer.h"
#include "grid/scratch.h"
#include "sim/engine.h"
#include "sim/fields.h"
#include "solid/obstacle.h"
#include "solid/world.h"

/* When the step under way began and ends, and what is planned after it (sim/clock.c). */
typedef struct sim_clock {
    double time;      /* s, at the start of the step under way */
    double step_end;  /* s */
    double dt_asked;  /* s, the longest that the step might be; 0: anything */
    double next_dt;   /* s, of the step after it, as planned: what velocities at its end carry through. With
                         keyed solids, else 0 */
    double step_rate; /* 1/s: steps a second that the flow asked for when the step began */
    int closing_step; /* the step under way ends a frame */
    int frame;        /* complete frames */
    int frame_done;   /* the next step starts a frame's statistics */
} sim_clock;

/* Where fluid came from and went to. */
typedef struct sim_balance {
    double put_in;           /* m3, less what left */
    double emitted, outflow; /* m3 since the start: by emitters, through open sides */
} sim_balance;

typedef struct late_fill {
    shape *shape;
    int fluid;
    double at; /* s */
} late_fill;

struct rheo_sim {
    const sim_engine *engine;
    void *state; /* the engine's own */

    /* the description: copied from the scene, constant afterwards */
    rheo_scene def;
    arena text;      /* owns what def points to */
    mac_grid g;      /* the domain in cells, and the threads; what lives on it belongs to the engine */
    shape **fill;    /* of all fluids in turn, those that are there at the start */
    int *fill_fluid; /* of which fluid each is */
    int fill_count;
    late_fill *late; /* those that appear when their time comes, likewise */
    int late_count;
    shape **emitter_shape;
    shape **solid_shape;
    obstacle *solids;       /* static ones, then keyed ones, then dynamic ones */
    int *solid_place;       /* where the solids of the scene, in its order, are among them */
    double *warmth;         /* degrees C of solids, in the order of `solids`; NAN: they take no heat */
    rheo_solid_stats *felt; /* what liquid did to them at the end of the last frame */
    int wall_count; /* of them that close faces to the fluid: without the bodies it does not see as walls */
    int moving;     /* some solid is keyed or dynamic */
    int keyed;      /* some solid is keyed */

    world *world; /* bodies and their states */
    sim_clock clock;
    sim_balance balance;
    field_list fields; /* of all of this and of the engine */
    scratch scratch;

    /* the frame under way */
    rheo_frame_stats stats;
    stage_timer timer;
    void (*watch)(void *user, const char *stage, double time); /* rheo_watch_stages() */
    void *watcher;
    double surface_area; /* m2, of the mesh made last in this frame; 0: none */
};

/* A simulation with that engine, whatever the scene's method says. */
rheo_status sim_create(rheo_sim **sim, const sim_engine *engine, const rheo_scene *scene, int threads,
                       rheo_report *report);
void sim_gravity(double gravity[3], const rheo_sim *s, double time); /* m/s2 */
double sim_density(const rheo_sim *s);                               /* kg/m3, of the fluid */
/* Whether bodies count as fluid that is held rigid: no walls. */
int sim_bodies_are_fluid(const rheo_sim *s);

/* Leaves a function by its one exit, `out`, with what went wrong. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if ((status = (call)) != RHEO_OK) goto out;                                                          \
    } while (0)
#endif
