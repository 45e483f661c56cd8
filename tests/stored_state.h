/* The arrays of a checkpoint without a file. */
#ifndef TESTS_STORED_STATE_H
#define TESTS_STORED_STATE_H

#include <string.h>
#include "sim/state.h"

typedef struct {
    state_array list[STATE_ARRAYS_MAX];
    int count;
} stored_state;

/* For sim_restore_state(). */
static int read_stored(void *context, const state_array *into) {
    static const size_t bytes[] = {
        [STATE_F32] = 4, [STATE_F64] = 8, [STATE_U32] = 4, [STATE_U8] = 1, [STATE_I32] = 4, [STATE_I64] = 8};
    const stored_state *s = context;
    for (int i = 0; i < s->count; ++i) {
        const state_array *from = &s->list[i];
        if (strcmp(from->name, into->name) != 0) continue;
        if (from->count != into->count || from->type != into->type) return -1;
        memcpy(into->data, from->data, into->count * bytes[into->type]);
        return 0;
    }
    return -1;
}
#endif
