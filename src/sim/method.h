/* What differs between the solvers behind rheo_sim: one table a method, chosen at creation. The clock,
 * frames, checkpoints and statistics around them are shared. */
#ifndef SIM_METHOD_H
#define SIM_METHOD_H

#include "sim/state.h"

typedef struct sim_method {
    /* Allocates the solver's fields and brings them to time 0; definition, shapes and grid are there. */
    rheo_status (*start)(rheo_sim *s, const rheo_scene *scene, rheo_report *report);
    /* The largest step from `time` on that the flow allows, s. */
    double (*dt_limit)(const rheo_sim *s, double time);
    rheo_status (*step)(rheo_sim *s, double dt, rheo_report *report);
    void (*measure)(rheo_sim *s); /* its part of s->stats */
    /* The arrays that decide its future, beside the clock; sizes follow from the clock and the scene. */
    int (*list_state)(state_array *list, rheo_sim *s);
    rheo_status (*restored)(rheo_sim *s, rheo_report *report); /* makes what follows from those arrays */
    void (*finish)(rheo_sim *s); /* frees what is the method's alone; NULL: nothing */
} sim_method;

extern const sim_method liquid_method; /* flip, apic, pic, semi-lagrangian */
extern const sim_method mac_method;
#endif
