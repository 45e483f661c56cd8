/* Whether there is vacancy for what an emitter would put in: liquid cannot be compressed, and a space without
 * a way out that is full takes no more.
 *
 *   vacancy = sum over the cells of the space of (open share of the cell) * (particles in a full cell)
 *             - particles in it
 *
 * The space is all that can be reached from the emitter through open faces, air or liquid: air is empty, so
 * liquid may fill all of it. Cells are visited from the emitter outwards, and only until an open side of the
 * domain or enough vacancy is found: next to a free surface that is soon.
 *
 * Limits: the volume of solids thinner than a cell does not count, and two emitters that fill the last of it
 * in the same step overfill it by that step's inflow. */
#include <math.h>
#include <string.h>
#include "geom/fractions.h"
#include "stage/transport/emit.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *solid;
    const particles *p;
    uint8_t *seen;
    uint32_t *queue;
    size_t queued;
    double full, vacancy; /* particles */
    int is_open;          /* the space has a way out */
} search;

static double open_share(const search *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    double corner[8];
    int inside = 0;
    if (!s->solid) return 1;
    for (int n = 0; n < 1 << b->dim; ++n) {
        const ptrdiff_t at = c + (n & 1) + (n >> 1 & 1) * b->step[1] + (n >> 2) * b->step[2];
        corner[n] = (double)s->solid[at];
        inside += corner[n] < 0;
    }
    return inside ? 1 - fraction_negative_cube(corner, b->dim) : 1;
}

static void visit(search *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const ptrdiff_t c = box_at(b, i, j, k);
    const size_t dense = box_dense(b, i, j, k);
    if (s->seen[c]) return;
    s->seen[c] = 1;
    s->queue[s->queued++] = (uint32_t)dense;
    s->vacancy +=
        s->full * open_share(s, c) - (double)(s->p->cell_start[dense + 1] - s->p->cell_start[dense]);
}

/* Through a face of a cell: into the next one, around a periodic axis, or out. */
static void go_through(search *s, const int at[3], int axis, int up) {
    const box *b = &s->g->box;
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    int to[3] = {at[0], at[1], at[2]};
    if (!(s->o->open.value[axis][up ? c + b->step[axis] : c] > 0)) return;
    to[axis] += up ? 1 : -1;
    if (to[axis] < 0 || to[axis] >= b->n[axis]) {
        if (!b->periodic[axis]) s->is_open |= s->o->open_wall[2 * axis + up];
        if (!b->periodic[axis]) return;
        to[axis] = up ? 0 : b->n[axis] - 1;
    }
    visit(s, to[0], to[1], to[2]);
}

/* The emitter's own cells: those with their middle in its shape, or, of a small one, all that it touches. */
static void begin(search *s, const shape *inlet, const int lower[3], const int upper[3]) {
    for (int small = 0; small < 2 && s->queued == 0; ++small)
        for (int k = lower[2]; k < upper[2]; ++k)
            for (int j = lower[1]; j < upper[1]; ++j)
                for (int i = lower[0]; i < upper[0]; ++i) {
                    const double x[3] = {s->g->origin[0] + s->g->dx * (i + 0.5),
                                         s->g->origin[1] + s->g->dx * (j + 0.5),
                                         s->g->origin[2] + s->g->dx * (k + 0.5)};
                    if (open_share(s, box_at(&s->g->box, i, j, k)) > 0 &&
                        (small || shape_distance(inlet, x) < 0))
                        visit(s, i, j, k);
                }
}

double emit_vacancy(const particles *p, const mac_grid *g, const openings *o, const shape *inlet,
                    const float *node_solid, double full, uint8_t *seen, uint32_t *queue) {
    const box *b = &g->box;
    search s = {.g = g, .o = o, .solid = node_solid, .p = p, .seen = seen, .queue = queue, .full = full};
    int lower[3], upper[3];
    emit_touched_cells(lower, upper, g, inlet);
    double enough = full + (double)p->count / 16; /* some cells hold more than they should */
    for (int a = 0; a < 3; ++a) enough += full * (upper[a] - lower[a]);
    memset(seen, 0, b->size);
    begin(&s, inlet, lower, upper);
    if (s.queued == 0) return INFINITY;
    for (size_t next = 0; next < s.queued; ++next) {
        const uint32_t nx = (uint32_t)b->n[0], ny = (uint32_t)b->n[1], dense = queue[next];
        const int at[3] = {(int)(dense % nx), (int)(dense / nx % ny), (int)(dense / nx / ny)};
        for (int a = 0; a < b->dim; ++a)
            for (int up = 0; up < 2; ++up) go_through(&s, at, a, up);
        if (s.is_open || s.vacancy > enough) return INFINITY;
    }
    return s.vacancy;
}
