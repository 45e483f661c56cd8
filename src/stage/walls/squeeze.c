/* Water under a body that lies down goes out along the gap.
 *
 *   x <- x + SQUEEZE_WAY dx w / |w|,   w = (x - c) - ((x - c) . n) n
 *
 * with n the direction out of the solid at x and c the solid's middle. Pressure drives water out as long as
 * some face under the body is open. The last half cell has none: what is there stays for ever, in a film of
 * no height, and is missing from the level. A film between plates that close on each other flows along them,
 * away from the middle, u = V r / (2 h), and h = 0 in the end: what is caught goes along the gap until it is
 * out of the cells whose centres the solid covers, and pressure and the drift correction take it on.
 *
 * Source: Reynolds 1886.
 *
 * Limits: only gaps beside solids that move; a gap that goes around a corner is followed to the corner. */
#include "stage/walls/squeeze.h"

#include <math.h>
#include "grid/rows.h"
#include "solid/vector.h"

enum { SQUEEZE_GRAIN = 8192, GROUP = PARTICLE_GROUP };
/* Cells from a solid\'s surface: as deep as a particle is in it, or as far from it. */
#define SQUEEZE_REACH 1.0

typedef struct {
    particles *p;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    int count;
    uint8_t *gaps;       /* 1: a cell with so little open that a solid may hold its centre */
    const uint8_t *near; /* NULL: all groups may be */
    cell_range range;
} job;

INLINE void gap_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            int whole = 0;
            for (int a = 0; a < dim; ++a) {
                const float *open = s->o->open.value[a] + row + i;
                whole += (open[0] >= 1) + (open[b->step[a]] >= 1);
            }
            s->gaps[row + i] = whole <= 1;
        }
    }
}

HOT static void gap_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) gap_block(s, block, 3);
    else gap_block(s, block, 2);
}

/* The centre of a particle's cell; 0: it is in none, or in no gap. */
static int find_centre(double x[3], const job *s, size_t q) {
    const box *b = &s->g->box;
    int at[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        const float x_a = s->p->x[a][q];
        if (!(x_a >= 0) || !(x_a < (float)b->n[a])) return 0;
        at[a] = (int)x_a;
    }
    if (!s->gaps[box_at(b, at[0], at[1], at[2])]) return 0;
    for (int a = 0; a < 3; ++a) x[a] = s->g->origin[a] + s->g->dx * (at[a] + 0.5);
    return 1;
}

/* Whether none of a group of particles is in a gap: nearly all groups. What is outside the domain counts as
 * in some cell of it. */
INLINE int none_in_gaps(const job *s, size_t from) {
    const box *b = &s->g->box;
    int32_t at[GROUP];
    int any = 0;
    for (int q = 0; q < GROUP; ++q) at[q] = (int32_t)b->first;
    for (int a = 0; a < s->p->dim; ++a) {
        const float *x = s->p->x[a] + from, n = (float)b->n[a];
        const int32_t step = (int32_t)b->step[a];
        for (int q = 0; q < GROUP; ++q) at[q] += step * (((x[q] >= 0) & (x[q] < n)) ? (int32_t)x[q] : 0);
    }
    for (int q = 0; q < GROUP; ++q) any |= s->gaps[at[q]];
    return !any;
}

/* Whether a place is outside a closed side or in a solid other than this one. */
static int is_blocked(const job *s, const obstacle *solid, const double x[3]) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double cells = (x[a] - s->g->origin[a]) / s->g->dx;
        if ((cells < 0 && !s->o->open_wall[2 * a]) || (cells > s->g->box.n[a] && !s->o->open_wall[2 * a + 1]))
            return 1;
    }
    for (int i = 0; i < s->count; ++i)
        if (&s->solids[i] != solid && !obstacle_is_beyond(&s->solids[i], x, 0) &&
            obstacle_distance(&s->solids[i], x) < 0)
            return 1;
    return 0;
}

/* Whether x may be between a solid and another one or a side: around most of a body that moves there is
 * nothing else, which costs no distance to find. */
static int is_beside_two(const job *s, const double x[3]) {
    const double reach = (SQUEEZE_REACH + SQUEEZE_GAP + 0.01) * s->g->dx; /* and some more, for rounding */
    int solids = 0;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double low = x[a] - s->g->origin[a], high = s->g->dx * s->g->box.n[a] - low;
        if (fmin(low, high) < reach) return 1;
    }
    for (int i = 0; i < s->count && solids < 2; ++i) solids += !obstacle_is_beyond(&s->solids[i], x, reach);
    return solids == 2;
}

/* The nearest of the solids that move, if it is near, and its distance. */
static const obstacle *nearest_mover(double *distance, const job *s, const double x[3]) {
    const obstacle *nearest = NULL;
    *distance = SQUEEZE_REACH * s->g->dx;
    for (int i = 0; i < s->count; ++i) {
        if (s->solids[i].def->motion == RHEO_STATIC || obstacle_is_beyond(&s->solids[i], x, fabs(*distance)))
            continue;
        const double d = obstacle_distance(&s->solids[i], x);
        if (fabs(d) >= fabs(*distance)) continue;
        *distance = d;
        nearest = &s->solids[i];
    }
    return nearest;
}

static int squeeze_one(const job *s, size_t q, const double centre[3]) {
    const mac_grid *g = s->g;
    double x[3], y[3], n[3], way[3], d;
    for (int a = 0; a < 3; ++a) x[a] = g->origin[a] + g->dx * (a < g->box.dim ? (double)s->p->x[a][q] : 0.5);
    if (!is_beside_two(s, x)) return 0;
    const obstacle *solid = nearest_mover(&d, s, x);
    if (!solid || obstacle_distance(solid, centre) > 0 ||
        !obstacle_normal(n, solid, x, g->box.dim, 0.01 * g->dx))
        return 0;
    for (int a = 0; a < 3; ++a) y[a] = x[a] + (SQUEEZE_GAP * g->dx - d) * n[a];
    if (!is_blocked(s, solid, y)) return 0;
    vec_sub(way, x, solid->now.position);
    if (g->box.dim == 2) way[2] = 0;
    const double across = vec_dot(way, n);
    for (int a = 0; a < 3; ++a) way[a] -= across * n[a];
    const double length = vec_length(way);
    if (!(length > 1e-6 * g->dx)) return 0;
    for (int a = 0; a < g->box.dim; ++a) s->p->x[a][q] += (float)(SQUEEZE_WAY * way[a] / length);
    return 1;
}

HOT static double squeeze_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * SQUEEZE_GRAIN, end = from + SQUEEZE_GRAIN;
    const size_t to = end < s->p->count ? end : s->p->count;
    double moved = 0;
    for (size_t group = from; group < to; group += GROUP) {
        const size_t last = group + GROUP < to ? group + GROUP : to;
        if (last - group == GROUP && ((s->near && !s->near[group]) || none_in_gaps(s, group))) continue;
        for (size_t q = group; q < last; ++q) {
            double centre[3];
            if (find_centre(centre, s, q)) moved += squeeze_one(s, q, centre);
        }
    }
    return moved;
}

int64_t squeeze_particles(particles *p, uint8_t *scratch, const mac_grid *g, const openings *o,
                          const obstacle *solids, int count, const uint8_t *near) {
    job s = {.p = p, .g = g, .o = o, .solids = solids, .count = count, .near = near};
    s.gaps = scratch;
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), gap_task, &s);
    return (int64_t)parallel_sum(g->pool, block_count((long)p->count, SQUEEZE_GRAIN), squeeze_task, &s);
}
