/* Faces whose velocity the projection knows, before extrapolation carries it on.
 *
 *   known: A_f wide enough (grid/openings.h) and a cell beside it deeper than WET_MIN in liquid.
 *
 * A closed side of the domain keeps its velocity and passes it on only below the surface.
 *
 * Source: docs/decisions/0010-shares-of-areas.md.
 *
 * Limits: a sliver's own velocity is lost, whatever it is. */
#include "stage/pressure/parts.h"

#include <string.h>
#include "grid/extrapolate.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi;
    cell_range range;
    uint8_t *layer;
    int axis;
} job;

/* The layer of a face before extrapolation: the projection's own faces are known; the domain's closed sides
 * keep their velocity, and pass it on only below the surface. */
INLINE int layer_of(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int a = s->axis, at = a == 0 ? i : a == 1 ? j : k;
    const ptrdiff_t c = box_at(b, i, j, k);
    const float deep = -WET_MIN * (float)s->g->dx;
    const int wet = (s->phi[c] < deep) | (s->phi[c - b->step[a]] < deep), side = (at == 0) | (at == b->n[a]);
    if (!face_is_wide(s->o->open.value[a], s->o->mover[a], c) && !side) return EXTRAPOLATE_UNKNOWN;
    return wet ? 0 : side && s->o->open.value[a][c] <= 0 ? EXTRAPOLATE_FIXED : EXTRAPOLATE_UNKNOWN;
}

/* Layers of a row of faces that no closed side of the domain lies on. */
INLINE void known_row(const job *s, ptrdiff_t row, int n) {
    const float deep = -WET_MIN * (float)s->g->dx;
    const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                *low = phi - s->g->box.step[s->axis];
    const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
    uint8_t *layer = s->layer + row;
    for (int i = 0; i < n; ++i) {
        const int known = ((phi[i] < deep) | (low[i] < deep)) & face_is_wide(open, mover, i);
        layer[i] = known ? 0 : EXTRAPOLATE_UNKNOWN;
    }
}

INLINE void known_block(const job *s, int block) {
    const box *b = &s->g->box;
    const cell_range own = range_faces(s->g, s->axis);
    const int n = own.upper[0] - own.lower[0], last = b->n[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const int at = s->axis == 1 ? j : k, side = s->axis > 0 && (at == 0 || at == last);
        memset(s->layer + row + s->range.lower[0], EXTRAPOLATE_UNKNOWN,
               (size_t)(s->range.upper[0] - s->range.lower[0]));
        if (j < own.lower[1] || j >= own.upper[1] || k < own.lower[2] || k >= own.upper[2]) continue;
        if (side)
            for (int i = 0; i < n; ++i) s->layer[row + i] = (uint8_t)layer_of(s, i, j, k);
        else if (is_wet_row(s->phi, s->g, s->axis, j, k)) known_row(s, row, n);
        if (s->axis > 0) continue;
        s->layer[row] = (uint8_t)layer_of(s, 0, j, k);
        s->layer[row + last] = (uint8_t)layer_of(s, last, j, k);
    }
}

HOT static void known_task(void *context, int block) {
    known_block(context, block);
}

void pressure_known_faces(uint8_t *layer, const mac_grid *g, const openings *o, const float *phi, int axis) {
    job s = {.g = g, .o = o, .phi = phi, .layer = layer, .axis = axis};
    s.range = range_grow(range_faces(g, axis), g, GHOST);
    parallel_for(g->pool, range_blocks(&s.range), known_task, &s);
}
