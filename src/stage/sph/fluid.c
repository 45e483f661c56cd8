/* The arrays of a step. */
#include "stage/sph/fluid.h"

#include <string.h>
#include "core/memory.h"

enum { PAD = 16 };

static int make(void *slot, size_t count, size_t element) {
    void *old, *made = mem_alloc((count + PAD) * element);
    memcpy(&old, slot, sizeof old);
    mem_free(old);
    memcpy(slot, &made, sizeof made);
    return made ? 0 : -1;
}

int sph_fluid_reserve(sph_fluid *f, size_t count) {
    if (count <= f->room) return 0;
    const size_t room = f->room ? count + count / 8 : count; /* more to come, if there came some */
    int bad = make(&f->x, room, sizeof *f->x) | make(&f->v, room, sizeof *f->v) |
              make(&f->a, room, sizeof *f->a) | make(&f->work[0], room, sizeof *f->a) |
              make(&f->work[1], room, sizeof *f->a) | make(&f->wall, room, sizeof *f->wall) |
              make(&f->density, room, sizeof(float)) | make(&f->rate, room, sizeof(float)) |
              make(&f->lightness, room, sizeof(float)) | make(&f->near, room, sizeof *f->near) |
              make(&f->mark, room, 1);
    for (int i = 0; i < SPH_SCALARS; ++i) bad |= make(&f->scalar[i], room, sizeof(float));
    f->room = bad ? 0 : room;
    return bad ? -1 : 0;
}

void sph_fluid_free(sph_fluid *f) {
    mem_free(f->x);
    mem_free(f->v);
    mem_free(f->a);
    for (int i = 0; i < 2; ++i) mem_free(f->work[i]);
    mem_free(f->wall);
    mem_free(f->density);
    mem_free(f->rate);
    mem_free(f->lightness);
    mem_free(f->near);
    mem_free(f->mark);
    mem_free(f->contact);
    for (int i = 0; i < SPH_SCALARS; ++i) mem_free(f->scalar[i]);
    sph_pairs_free(&f->pairs);
    sph_lumps_free(&f->lumps);
    f->count = f->room = 0;
}

size_t sph_fluid_bytes(const sph_fluid *f) {
    return f->room * (6 * 16 + (SPH_SCALARS + 4) * 4 + 1) + f->contact_room * sizeof *f->contact +
           sph_pairs_bytes(&f->pairs);
}
