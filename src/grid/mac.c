/* Staggered fields: one array a component, all of the box's layout, in one piece of memory.
 *
 * Source: Harlow and Welch 1965.
 *
 * Limits: a component across z is there in 3D only. */
#include "grid/mac.h"

#include "core/memory.h"

int field_make(float **field, const mac_grid *g) {
    *field = mem_alloc(g->box.size * sizeof **field);
    return *field ? 0 : -1;
}

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

void mac_field_copy(mac_field *to, const mac_field *from, const mac_grid *g) {
    parallel_copy(g->pool, to->value[0], from->value[0], (size_t)g->box.dim * g->box.size * sizeof(float));
}
