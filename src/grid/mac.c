/* Staggered fields: one array a component, all of the box's layout, in one piece of memory. */
#include "grid/mac.h"

#include <string.h>
#include "core/memory.h"

int mac_field_make(mac_field *f, const mac_grid *g) {
    size_t one = g->box.size;
    float *block = mem_alloc((size_t)g->box.dim * one * sizeof(float));
    *f = (mac_field){{block}};
    if (!block) return -1;
    for (int axis = 1; axis < g->box.dim; ++axis) f->value[axis] = block + (size_t)axis * one;
    return 0;
}

void mac_field_free(mac_field *f) {
    mem_free(f->value[0]);
    *f = (mac_field){{0}};
}

enum { COPY_GRAIN = 1 << 16 };

typedef struct {
    float *to;
    const float *from;
    size_t size;
} copy_job;

static void copy_task(void *context, int block) {
    const copy_job *s = context;
    const size_t at = (size_t)block * COPY_GRAIN, left = s->size - at;
    memcpy(s->to + at, s->from + at, (left < COPY_GRAIN ? left : COPY_GRAIN) * sizeof *s->to);
}

void mac_field_copy(mac_field *to, const mac_field *from, const mac_grid *g) {
    copy_job s = {to->value[0], from->value[0], (size_t)g->box.dim * g->box.size};
    parallel_for(g->pool, block_count((long)s.size, COPY_GRAIN), copy_task, &s);
}
