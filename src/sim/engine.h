/* What differs between the engines behind rheo_sim: one table each, one row a method. The clock, frames,
 * checkpoints and statistics around them are shared. A call that an engine has no use for is NULL. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <rheo/sim.h>
#include "sim/state.h"

typedef struct sim_engine {
    size_t size; /* bytes of its state, all 0 at first */
    /* Lists the engine's fields (sim/fields.h), which are made then, and what scratch a step needs. */
    void (*list)(rheo_sim *s);
    /* Makes the rest of the state and brings it to time 0; definition, shapes and fields are there. */
    rheo_status (*start)(rheo_sim *s, const rheo_scene *scene, rheo_report *report);
    /* The largest step from `time` on that the flow allows, s. */
    double (*dt_limit)(const rheo_sim *s, double time);
    rheo_status (*step)(rheo_sim *s, double dt, rheo_report *report);
    rheo_status (*restored)(rheo_sim *s, rheo_report *report); /* makes what follows from the kept fields */
    void (*finish)(rheo_sim *s);                               /* frees what is no field */
    size_t (*bytes)(const rheo_sim *s);                        /* of what is no field */

    /* Without a state, so that steps can be foretold: the longest one of a scene on cells of dx for a speed
     * [m/s] and an acceleration [m/s2]; +inf: nothing limits it. */
    double (*foretell_step)(const rheo_scene *scene, double dx, double speed, double acceleration);

    /* What is asked of a state between steps. */
    void (*measure)(rheo_sim *s); /* its part of the statistics */
    void (*view_particles)(rheo_particle_view *view, const rheo_sim *s);
    void (*view_volume)(rheo_volume_view *view, const rheo_sim *s);
    rheo_status (*mesh)(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report); /* -1: of all */
    /* One quantity of a probe (RHEO_OF_VELOCITY ...) at x, in cells; a velocity is three numbers. */
    void (*probe)(double *values, const rheo_sim *s, unsigned of, const float x[3]);
    /* Puts particles as they were, for drawing; time and frame are set. */
    rheo_status (*place)(rheo_sim *s, const sim_particles *from, rheo_report *report);
} sim_engine;

extern const sim_engine liquid_engine; /* flip, apic, pic, semi-lagrangian */
extern const sim_engine mac_engine;
extern const sim_engine smoke_engine;
extern const sim_engine sph_engine;
const sim_engine *sim_engine_of(rheo_method method); /* NULL: none yet */

/* What a step costs beside one of flip (scene/foretell.c). */
typedef struct method_cost {
    double share;
    int columns;  /* of particles, more than flip's */
    bool carries; /* the grid's velocity too */
} method_cost;
const method_cost *sim_cost_of(rheo_method method);
#endif
