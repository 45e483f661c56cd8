/* Slivers of faces beside the surface are closed.
 *
 *   A_f = 0 where A_f < KNOWN_MIN and phi > -dx in a cell beside it.
 *
 * What moves particles through a sliver is carried over from wider faces (grid/openings.h), so a flow that
 * the projection sends through one goes nowhere. Beside the surface it sends one at every step: a pocket
 * behind a sliver holds a particle or none, its surface is off by a part of a cell, and pressure fills or
 * drains it through the sliver and lets it rise or fall through the wide face to the air, for ever. A face
 * that moves nothing carries no flow. A linear pressure, and so hydrostatic rest, stays exact, as each face
 * for itself is at rest in it. Below the surface slivers stay open: there they make the balance of cut cells
 * second-order.
 *
 * Source: docs/decisions/0010-shares-of-areas.md and 0011-rest.md.
 *
 * Limits: static solids; a pocket with slivers only keeps what it holds until the surface has passed it. */
#include "stage/rest/rest.h"

#include <stdint.h>
#include "core/memory.h"
#include "grid/rows.h"

struct sliver {
    ptrdiff_t at;
    uint8_t axis;
};

/* Counts them, and writes them down where there is room. */
static size_t find(struct sliver *out, const mac_grid *g, const openings *o) {
    size_t count = 0;
    for (int a = 0; a < g->box.dim; ++a) {
        const cell_range r = range_faces(g, a);
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    const ptrdiff_t at = box_at(&g->box, i, j, k);
                    const float open = o->open.value[a][at];
                    if (!(open > 0 && open < KNOWN_MIN)) continue;
                    if (out) out[count] = (struct sliver){at, (uint8_t)a};
                    ++count;
                }
    }
    return count;
}

int slivers_list(slivers *s, const mac_grid *g, const openings *o) {
    slivers_free(s);
    const size_t count = find(NULL, g, o);
    if (count == 0) return 0;
    s->face = mem_alloc(count * sizeof *s->face);
    if (!s->face) return -1;
    s->count = find(s->face, g, o);
    return 0;
}

void slivers_close(openings *o, const slivers *s, const mac_grid *g, const float *phi) {
    const float near = -(float)g->dx;
    for (size_t n = 0; n < s->count; ++n) {
        const struct sliver *f = &s->face[n];
        if (phi[f->at] > near || phi[f->at - g->box.step[f->axis]] > near) o->open.value[f->axis][f->at] = 0;
    }
}

void slivers_free(slivers *s) {
    mem_free(s->face);
    *s = (slivers){0};
}
