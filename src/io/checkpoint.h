/* Checkpoints: the named arrays of sim/state.h in an HDF5 file. */
#ifndef IO_CHECKPOINT_H
#define IO_CHECKPOINT_H

#include "io/cache.h"
#include "sim/state.h"

enum { CHECKPOINT_FORMAT = 7 };

typedef struct checkpoint_head {
    int frame;      /* the last complete one */
    bool partial;   /* steps were taken past it */
    uint64_t scene; /* checksum of the scene's sections */
} checkpoint_head;

uint64_t checkpoint_scene(const uint64_t section[CACHE_SECTIONS]);
/* state/state.NNNNNN.h5, or state/partial.NNNNNN.h5 so that it does not take the place of the frame's own. */
void checkpoint_name(char name[CACHE_NAME_MAX], int frame, bool partial);
rheo_status checkpoint_write(cache_file *file, const char *cache, const checkpoint_head *head,
                             const state_array *arrays, int count, rheo_report *report);
/* Looks at size, checksum, version and scene, then gives the arrays to a fresh sim. */
rheo_status checkpoint_load(rheo_sim *sim, const char *cache, const cache_file *file, uint64_t scene,
                            rheo_report *report);

/* The two halves of it, for those who have no sim. `read` as sim_restore_state wants it, with the opened file
 * as context. */
typedef struct checkpoint checkpoint;
rheo_status checkpoint_open(checkpoint **c, checkpoint_head *head, const char *path, rheo_report *report);
int checkpoint_read(void *opened, const state_array *into);
void checkpoint_close(checkpoint *c);
#endif
