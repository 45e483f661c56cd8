/* Meshes of fluids that touch have vertices in common, to the bit (stage/surface/between.c): they are looked
 * up by their places in a table with open addresses, one a mesh. */
#include "render/touching.h"

#include <string.h>
#include "core/memory.h"

typedef struct {
    uint32_t *slot; /* 1 + vertex, 0: free */
    uint32_t mask;
    const float *position;
} table;

static uint32_t place_of(const float x[3]) {
    uint32_t bits[3], h = 2166136261u;
    memcpy(bits, x, sizeof bits);
    for (int a = 0; a < 3; ++a) h = (h ^ bits[a]) * 16777619u, h ^= h >> 15;
    return h;
}

static uint32_t find(const table *t, const float x[3]) {
    uint32_t at = place_of(x) & t->mask;
    while (t->slot[at] && memcmp(t->position + 3 * (size_t)(t->slot[at] - 1), x, 3 * sizeof *x))
        at = (at + 1) & t->mask;
    return at;
}

static int make(table *t, const rheo_mesh *m) {
    uint32_t size = 16;
    while (size < 2 * m->vertex_count) size *= 2;
    *t = (table){mem_alloc(size * sizeof *t->slot), size - 1, m->position};
    if (!t->slot) return -1;
    memset(t->slot, 0, size * sizeof *t->slot);
    for (size_t v = 0; v < m->vertex_count; ++v) t->slot[find(t, m->position + 3 * v)] = (uint32_t)v + 1;
    return 0;
}

int touching_find(int16_t *beyond, const rheo_mesh *mesh, int count, int own) {
    const rheo_mesh *m = &mesh[own];
    for (size_t i = 0; i < m->triangle_count; ++i) beyond[i] = -1;
    for (int other = 0; other < count; ++other) {
        table t;
        if (other == own || !mesh[other].vertex_count) continue;
        if (make(&t, &mesh[other])) return -1;
        for (size_t i = 0; i < m->triangle_count; ++i) {
            const uint32_t *v = m->triangle + 3 * i;
            int shared = 0;
            while (shared < 3 && t.slot[find(&t, m->position + 3 * (size_t)v[shared])]) ++shared;
            if (shared == 3) beyond[i] = (int16_t)other;
        }
        mem_free(t.slot);
    }
    return 0;
}
