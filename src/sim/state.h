/* What a checkpoint holds, as named arrays: io/ stores and loads them without knowing what they mean. */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include <rheo/sim.h>

typedef enum { STATE_F32, STATE_F64, STATE_U32, STATE_U8, STATE_I64 } state_type;

typedef struct state_array {
    const char *name; /* valid as long as the sim */
    state_type type;
    size_t count;
    void *data; /* in the sim */
} state_array;

enum { STATE_ARRAYS_MAX = 64 };

/* Views of everything that decides the future of the run; returns how many. */
int sim_list_state(state_array *arrays, rheo_sim *sim);

/* Brings a fresh sim of the same scene to a stored state. `read` fills into->data with exactly into->count
 * elements of the stored array `into->name`, and returns 0, or -1 when it is missing, of another size or
 * type, or damaged. */
rheo_status sim_restore_state(rheo_sim *sim, int (*read)(void *context, const state_array *into),
                              void *context, rheo_report *report);
int sim_frame(const rheo_sim *sim); /* the frame the state is at the end of, 0 at the start */
#endif
