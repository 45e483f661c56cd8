/* Solids on the grid: distances at nodes, open shares of faces.
 *
 *   phi = min over solids of their distance,   A_f = the share of the face where phi > 0, linear along edges:
 *
 * it follows from the face's own corners and is the same for both cells that share it.
 *
 * Distances are evaluated exactly only near a surface: a brick of 4^dim nodes whose centre is farther away
 * than its radius plus the band cannot hold a zero, because distances are 1-Lipschitz. What static solids do
 * to a field is kept; moving ones are added to a copy of it, each only as far as it reaches.
 *
 * Source: Batty et al. 2007; areas as in Wang 2017, 2.5.
 *
 * Limits: a face where two solids are nearest at different corners is the union's only to first order
 * (stage/walls/meet.c). */
#include "stage/walls/solids.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "geom/fractions.h"
#include "grid/rows.h"
#include "grid/wrap.h"
#include "stage/walls/reach.h"

enum { DISTANCE_BRICK = 4 }; /* nodes along an axis */

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count;
    float *node_phi;
    const float *keep, *phi;
    openings *o;
    cell_range range;
    int bricks[3], axis;
} job;

static void brick_task(void *context, int brick) {
    const job *s = context;
    const box *b = &s->g->box;
    const double band = SOLID_BAND * s->g->dx;
    int lower[3], upper[3], rest = brick;
    for (int a = 0; a < 3; ++a) {
        lower[a] = s->range.lower[a] + rest % s->bricks[a] * DISTANCE_BRICK;
        upper[a] =
            lower[a] + DISTANCE_BRICK < s->range.upper[a] ? lower[a] + DISTANCE_BRICK : s->range.upper[a];
        rest /= s->bricks[a];
    }
    double centre[3];
    mac_place(centre, s->g, 0.5 * (lower[0] + upper[0] - 1), 0.5 * (lower[1] + upper[1] - 1),
              0.5 * (lower[2] + upper[2] - 1));
    const double radius = 0.5 * (DISTANCE_BRICK - 1) * sqrt((double)b->dim) * s->g->dx;
    const double middle = obstacles_thick_distance(s->solids, s->count, centre);
    const int far = fabs(middle) > radius + band;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                double x[3];
                mac_place(x, s->g, i, j, k);
                double d = far ? middle : obstacles_thick_distance(s->solids, s->count, x);
                d = fmax(-band, fmin(band, d));
                const ptrdiff_t n = box_at(b, i, j, k);
                s->node_phi[n] = s->keep ? fminf(s->node_phi[n], (float)d) : (float)d;
            }
}

static void distance_in(job *s) {
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s->bricks[a] = block_count(s->range.upper[a] - s->range.lower[a], DISTANCE_BRICK);
        bricks *= s->bricks[a];
    }
    if (bricks > 0) parallel_for(s->g->pool, bricks, brick_task, s);
}

void solids_distance(float *node_phi, const float *keep, const mac_grid *g, const obstacle *solids,
                     int count) {
    job s = {.g = g, .solids = solids, .count = count, .node_phi = node_phi, .keep = keep};
    cell_range all = range_grow(range_nodes(g), g, GHOST);
    for (int a = 0; a < g->box.dim; ++a) all.upper[a] -= 1; /* the layout's last node */
    s.range = all;
    if (!keep) {
        distance_in(&s);
        wrap_field(node_phi, g);
        return;
    }
    if (keep != node_phi) parallel_copy(g->pool, node_phi, keep, g->box.size * sizeof *node_phi);
    for (int i = 0; i < count; ++i) {
        s.solids = &solids[i];
        s.count = 1;
        s.range = reach_within(all, g, &solids[i], SOLID_BAND);
        distance_in(&s);
    }
    wrap_field(node_phi, g);
}

/* The corners of a face in the order that fraction_square wants; the two axes other than the face's own. A
 * face that lies in a surface is closed by what is behind it: no corner farther outside than `on`. */
static float open_share(const float *phi, const box *b, ptrdiff_t n, int axis, float on) {
    const ptrdiff_t p = b->step[(axis + 1) % 3], q = b->step[(axis + 2) % 3];
    if (b->dim == 2) {
        const float v[2] = {phi[n], phi[n + b->step[1 - axis]]};
        return v[0] > on || v[1] > on ? (float)fraction_segment((double)v[0], (double)v[1]) : 0;
    }
    const double v[4] = {(double)phi[n], (double)phi[n + p], (double)phi[n + q], (double)phi[n + p + q]};
    const double most = fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
    return most > (double)on ? (float)fraction_square(v) : 0;
}

/* Whether some corner of the faces of a row is not outside solids, by `on`: most rows have none. p, q: steps
 * to a face's other corners. */
HOT static int is_cut_row(const float *phi, ptrdiff_t p, ptrdiff_t q, int count, float on) {
    int any = 0;
    for (int i = 0; i < count; ++i)
        any |= !(phi[i] > on) | !(phi[i + p] > on) | !(phi[i + q] > on) | !(phi[i + p + q] > on);
    return any;
}

INLINE int is_cut(const float *phi, ptrdiff_t p, ptrdiff_t q, float on) {
    return !(phi[0] > on) | !(phi[p] > on) | !(phi[q] > on) | !(phi[p + q] > on);
}

static void open_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int a = s->axis, from = s->range.lower[0], to = s->range.upper[0];
    const float on = ON_SURFACE * (float)s->g->dx;
    const ptrdiff_t p = b->dim == 2 ? b->step[1 - a] : b->step[(a + 1) % 3],
                    q = b->dim == 2 ? 0 : b->step[(a + 2) % 3];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        float *open = s->o->open.value[a] + row;
        if ((a == 1 && is_closed_side(s->o, b, 1, j)) || (a == 2 && is_closed_side(s->o, b, 2, k))) {
            memset(open + from, 0, (size_t)(to - from) * sizeof *open);
            continue;
        }
        for (int i = from; i < to; ++i) open[i] = 1;
        if (is_cut_row(s->phi + row + from, p, q, to - from, on))
            for (int i = from; i < to; ++i) {
                if (!is_cut(s->phi + row + i, p, q, on)) continue;
                const float share = open_share(s->phi, b, row + i, a, on);
                open[i] = share < OPEN_MIN ? 0 : share;
            }
        for (int i = from; a == 0 && i < to; i += b->n[0])
            if (is_closed_side(s->o, b, 0, i)) open[i] = 0;
    }
}

void solids_open_faces(openings *o, const mac_grid *g, const float *node_phi) {
    job s = {.g = g, .phi = node_phi, .o = o};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), open_task, &s);
    }
}
