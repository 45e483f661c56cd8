/* What a checkpoint holds, as named arrays: io/ stores and loads them without knowing what they mean. */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include <rheo/sim.h>

typedef enum { STATE_F32, STATE_F64, STATE_U32, STATE_U8, STATE_I32, STATE_I64 } state_type;

typedef struct state_array {
    const char *name; /* valid as long as the sim */
    state_type type;
    size_t count;
    void *data; /* in the sim */
} state_array;

enum { STATE_ARRAYS_MAX = 128 };

/* Views of everything that decides the future of the run; returns how many. */
int sim_list_state(state_array *arrays, rheo_sim *sim);

/* Fills into->data with exactly into->count elements of the stored array `into->name`; returns 0, or -1 when
 * it is missing, of another size or type, or damaged. */
typedef int state_reader(void *context, const state_array *into);
/* Brings a fresh sim of the same scene to a stored state. */
rheo_status sim_restore_state(rheo_sim *sim, state_reader *read, void *context, rheo_report *report);
double sim_surface_area(const rheo_sim *sim); /* m2, of the mesh made last in this frame; 0: none */

/* What a file of particles holds. */
typedef struct sim_particles {
    size_t count;
    const float (*position)[3]; /* m */
    const float (*velocity)[3]; /* m/s */
    const float (*rest)[3];     /* m; looked at only where particles carry it */
    const float *temperature;   /* degrees C; looked at only where heat is solved */
    const uint32_t *id;
    const uint8_t *fluid;
} sim_particles;
/* Puts particles as they were at the end of a frame, and makes the grid's fields from them. What the
 * particles do not tell (affine velocities, pressure, spray) is zero: for drawing, not for going on.
 * RHEO_USAGE with an engine that has no particles. */
rheo_status sim_place_particles(rheo_sim *sim, int frame, const sim_particles *from, rheo_report *report);
/* Before that, where there are dynamic solids: all bodies as rheo_read_body() told them, in its order. */
void sim_place_bodies(rheo_sim *sim, const rheo_body_stats *bodies);
#endif
