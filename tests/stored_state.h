/* The arrays of a checkpoint without a file. */
#ifndef TESTS_STORED_STATE_H
#define TESTS_STORED_STATE_H

#include <string.h>
#include "check.h"
#include "scenes_by_hand.h"
#include "sim/state.h"

typedef struct {
    state_array list[STATE_ARRAYS_MAX];
    int count;
} stored_state;

static const size_t stored_bytes[] = {
    [STATE_F32] = 4, [STATE_F64] = 8, [STATE_U32] = 4, [STATE_U8] = 1, [STATE_I32] = 4, [STATE_I64] = 8};

/* For sim_restore_state(). */
static int read_stored(void *context, const state_array *into) {
    const stored_state *s = context;
    for (int i = 0; i < s->count; ++i) {
        const state_array *from = &s->list[i];
        if (strcmp(from->name, into->name) != 0) continue;
        if (from->count != into->count || from->type != into->type) return -1;
        memcpy(into->data, from->data, into->count * stored_bytes[into->type]);
        return 0;
    }
    return -1;
}

/* Two simulations that must be the same, to the bit. */
static inline void check_same_state(rheo_sim *one, rheo_sim *two) {
    state_array a[STATE_ARRAYS_MAX], b[STATE_ARRAYS_MAX];
    const int count = sim_list_state(a, one);
    assert_int_equal(count, sim_list_state(b, two));
    for (int i = 0; i < count; ++i) {
        assert_int_equal(a[i].count, b[i].count);
        if (memcmp(a[i].data, b[i].data, a[i].count * stored_bytes[a[i].type]))
            fail_msg("%s differs", a[i].name);
    }
}

/* Six frames on one thread, and on two and then five with a checkpoint within a frame between them, are the
 * same. */
static inline void check_repeats(const rheo_scene *scene) {
    rheo_sim *whole = start_sim(scene, 1), *first = start_sim(scene, 2), *second = start_sim(scene, 5);
    rheo_report report = {0};
    stored_state stored;
    run_frames(whole, 6);
    run_frames(first, 3);
    step_sim(first, 0);
    stored.count = sim_list_state(stored.list, first);
    if (sim_restore_state(second, read_stored, &stored, &report)) fail_msg("%s", report.message);
    run_frames(second, 3);
    check_same_state(whole, second);
    rheo_free_sim(whole);
    rheo_free_sim(first);
    rheo_free_sim(second);
}
#endif
