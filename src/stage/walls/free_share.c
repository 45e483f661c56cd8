/* How much of a cell's neighbourhood is free of solids, as particles' weights see it.
 *
 *   share = sum over octants of weight x open share   (grid/free_share.c)
 *
 * Only near solids is it computed: a cell's octants are within 1.64 cells of its centre and open or closed
 * beyond a quarter; its corners are 0.87 away, and distances are 1-Lipschitz. What no moving solid can share
 * is as still ones left it.
 *
 * Source: docs/decisions/0001-surface-from-density.md.
 *
 * Limits: those of distances that are interpolated from nodes: exact for walls across an axis. */
#include "stage/walls/solids.h"

#include "grid/free_share.h"
#include "grid/rows.h"
#include "stage/walls/reach.h"

typedef struct {
    const mac_grid *g;
    const float *keep, *phi;
    const openings *open;
    float *free_share;
    cell_range range;
    int bricks[3];
} job;

/* Whether closed sides of the domain are within reach of a cell. */
INLINE int is_beside_wall(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    for (int a = 0; a < b->dim; ++a)
        if ((c[a] < 1 && !s->open->open_wall[2 * a]) ||
            (c[a] >= b->n[a] - 1 && !s->open->open_wall[2 * a + 1]))
            return 1;
    return 0;
}

/* The least and the most that corners of the cells of a row have; `corner`: of the first. */
HOT static void corner_range(float least[BRICK_LANES], float most[BRICK_LANES], const float *corner,
                             const box *b) {
    const ptrdiff_t p = b->step[1], q = b->dim == 3 ? b->step[2] : 0;
    float low[BRICK_LANES + 1], high[BRICK_LANES + 1];
    for (int i = 0; i < BRICK_LANES + 1; ++i) {
        const float a = corner[i], c = corner[i + p], d = corner[i + q], e = corner[i + p + q];
        low[i] = lesser(lesser(a, c), lesser(d, e));
        high[i] = greater(greater(a, c), greater(d, e));
    }
    for (int i = 0; i < BRICK_LANES; ++i) {
        least[i] = lesser(low[i], low[i + 1]);
        most[i] = greater(high[i], high[i + 1]);
    }
}

/* Shares of a row of cells as far as they follow from their corners; `wanted` where they do not. Returns
 * whether any is wanted. */
static int free_share_of_row(uint8_t wanted[BRICK_X], const job *s, const int first[3], int count) {
    const ptrdiff_t row = box_at(&s->g->box, first[0], first[1], first[2]);
    const float enough = 2.77f * (float)s->g->dx;
    float least[BRICK_LANES], most[BRICK_LANES];
    int any = 0;
    corner_range(least, most, s->phi + row, &s->g->box);
    for (int i = 0; i < count; ++i) {
        const int closed = least[i] < -enough;
        const int open = most[i] > enough;
        if (closed) s->free_share[row + i] = 0;
        else if (open && !s->keep) s->free_share[row + i] = 1;
        wanted[i] = !closed && !open;
        if (open && !s->keep)
            wanted[i] = (uint8_t)is_beside_wall(s, (const int[3]){first[0] + i, first[1], first[2]});
        any |= wanted[i];
    }
    return any;
}

static void free_share_task(void *context, int brick) {
    const job *s = context;
    const int side[3] = {BRICK_X, BRICK_Y, BRICK_Z};
    float found[BRICK_Z][BRICK_Y][BRICK_LANES];
    uint8_t wanted[BRICK_Z][BRICK_Y][BRICK_X];
    int first[3], count[3], rest = brick, any = 0;
    for (int a = 0; a < 3; ++a) {
        first[a] = s->range.lower[a] + rest % s->bricks[a] * side[a];
        count[a] = s->range.upper[a] - first[a] < side[a] ? s->range.upper[a] - first[a] : side[a];
        rest /= s->bricks[a];
    }
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
            any |= free_share_of_row(wanted[k][j], s, (const int[3]){first[0], first[1] + j, first[2] + k},
                                     count[0]);
    if (!any) return;
    free_share_of_brick(found, s->g, s->phi, s->open, first, count);
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j) {
            float *free_share = s->free_share + box_at(&s->g->box, first[0], first[1] + j, first[2] + k);
            for (int i = 0; i < count[0]; ++i)
                if (wanted[k][j][i]) free_share[i] = found[k][j][i];
        }
}

static void free_share_in(job *s) {
    const int side[3] = {BRICK_X, BRICK_Y, BRICK_Z};
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s->bricks[a] = block_count(s->range.upper[a] - s->range.lower[a], side[a]);
        bricks *= s->bricks[a];
    }
    if (bricks > 0) parallel_for(s->g->pool, bricks, free_share_task, s);
}

void solids_free_share(float *free_share, const float *keep, const mac_grid *g, const float *node_phi,
                       const openings *o, const obstacle *solids, int count) {
    job s = {.g = g, .phi = node_phi, .open = o, .free_share = free_share, .range = range_cells(g)};
    if (!keep) {
        free_share_in(&s);
        return;
    }
    parallel_copy(g->pool, free_share, keep, g->box.size * sizeof *free_share);
    s.keep = keep;
    for (int i = 0; i < count; ++i) {
        s.range = reach_within(range_cells(g), g, &solids[i], SOLID_BAND);
        free_share_in(&s);
    }
}
