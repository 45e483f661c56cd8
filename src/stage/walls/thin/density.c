/* Density of cells near thin walls: the liquid ends at the wall.
 *
 *   c = sum of the weights of the particles whose home the cell sees / (weight when full x its free share)
 *
 * Source: docs/decisions/0001-surface-from-density.md, with sight for distance.
 *
 * Limits: a particle without a home counts nowhere. */
#include "stage/walls/thin/parts.h"

#include <string.h>
#include "core/memory.h"
#include "grid/free_share.h"

typedef struct {
    thin_walls *t;
    const mac_grid *g;
    const obstacle *solids;
    int count;
    cell_range range;
    const float *filled; /* the free share that densities are divided by */
    float *density;
    float full;
    const particles *p;
    thin_view v;
} job;

static void particle_place(double x[3], const job *s, size_t q) {
    double cells[3] = {0, 0, 0};
    for (int a = 0; a < s->p->dim; ++a) cells[a] = (double)s->p->x[a][q];
    mac_place(x, s->g, cells[0], cells[1], cells[2]);
}

static void home_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
    const box *b = &s->g->box;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < b->n[0]; ++i) {
            const size_t cell = box_dense(b, i, j, k);
            const uint32_t from = s->p->cell_start[cell], to = s->p->cell_start[cell + 1];
            if (from == to) continue;
            if (s->t->cut[box_at(b, i, j, k)] < 0) {
                memset(s->t->home + from, SELF, to - from);
                continue;
            }
            s->v.near = pick_cell(&pick, (const int[3]){i, j, k});
            for (uint32_t q = from; q < to; ++q) {
                double x[3];
                particle_place(x, s, q);
                s->t->home[q] = (uint8_t)thin_find_home_of(&s->v, (const int[3]){i, j, k}, x);
            }
        }
    }
}

static float density_of_cell(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const int dim = b->dim;
    const particles *p = s->p;
    const uint32_t sees = s->t->sees[box_at(b, c[0], c[1], c[2])];
    float sum = 0;
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        const int at[3] = {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
        if ((dim == 2 && d[2]) || !is_inside(b, at[0], at[1], at[2])) continue;
        const size_t cell = box_dense(b, at[0], at[1], at[2]);
        for (uint32_t q = p->cell_start[cell]; q < p->cell_start[cell + 1]; ++q) {
            if (!is_in_sight(sees, dir, s->t->home[q])) continue;
            float way[3] = {0, 0, 0};
            for (int a = 0; a < dim; ++a) way[a] = p->x[a][q] - (float)c[a] - 0.5f;
            sum += reach_of(way, dim);
        }
    }
    return sum;
}

static void density_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (!is_near_thin(s->t, s->g, c)) continue;
            const float free_share = s->filled[c];
            s->density[c] = free_share > FREE_MIN
                                ? density_of_cell(s, (const int[3]){i, j, k}) / (s->full * free_share)
                                : 0;
        }
    }
}

int thin_density(float *density, thin_walls *t, const mac_grid *g, const particles *p, const obstacle *solids,
                 int count, const float *free_share, float full) {
    if (t->home_capacity < p->count) {
        mem_free(t->home);
        t->home = mem_alloc(p->capacity);
        t->home_capacity = t->home ? p->capacity : 0;
        if (!t->home) return -1;
    }
    job s = {.t = t,
             .g = g,
             .v = {.t = t, .g = g},
             .solids = solids,
             .count = count,
             .p = p,
             .full = full,
             .filled = free_share};
    s.density = density;
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), home_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), density_task, &s);
    return 0;
}
