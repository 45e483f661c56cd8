/* Cells that a thin wall cuts: which home the parts of their octants have, and where these are.
 *
 *   part of an octant = sum over its samples of 1 - inside,   inside = 1/2 - QUARTERS distance / dx in [0, 1]
 *
 * An octant has at most two parts, each with a home (stage/walls/thin/home.c) and the mean of its samples'
 * places.
 *
 * Source: octants as grid/free_share.c has them.
 *
 * Limits: a third home of an octant's samples is left out. */
#include "stage/walls/thin/parts.h"

#include <string.h>

double thin_share_inside(const thin_view *v, const obstacle *solid, double distance) {
    if (solid && shape_is_sheet(solid->shape)) return distance < 0; /* it may have no thickness at all */
    return fmax(0, fmin(1, 0.5 - QUARTERS * distance / v->g->dx));
}

/* Parts of octants while they are gathered: sums of their samples' places [cells from the octant's middle].
 */
typedef struct part_sums {
    double place[8][2][3];
} part_sums;

static void add_part(cut_cell *cell, part_sums *sums, int octant, int home, int size, const double at[3]) {
    for (int part = 0; part < 2; ++part) {
        if (cell->share[octant][part] && cell->home[octant][part] != home) continue;
        cell->home[octant][part] = (uint8_t)home;
        cell->share[octant][part] = (uint8_t)(cell->share[octant][part] + size);
        for (int a = 0; a < 3; ++a) sums->place[octant][part][a] += size * at[a];
        return;
    }
}

static void place_parts(cut_cell *cell, const part_sums *sums) {
    for (int o = 0; o < 8; ++o)
        for (int part = 0; part < 2; ++part)
            for (int a = 0; a < 3; ++a) {
                const int size = cell->share[o][part];
                const double at = size ? sums->place[o][part][a] / size : 0;
                cell->place[o][part][a] = (int8_t)lround(PLACE * at);
            }
}

/* The middle of what is open of the sample at x, from the middle of its octant: as far out as half of what
 * is not. */
static void open_place(double at[3], const thin_job *s, const int quarter[3], const obstacle *solid,
                       const double x[3], double inside) {
    double n[3];
    for (int a = 0; a < 3; ++a) at[a] = a < s->g->box.dim ? (quarter[a] % 2 - 0.5) / QUARTERS : 0;
    if (!(inside > 0) || !obstacle_normal(n, solid, x, s->g->box.dim, 0.05 * s->g->dx)) return;
    for (int a = 0; a < s->g->box.dim; ++a) at[a] += 0.5 * inside * n[a] / QUARTERS;
}

static void cut_one(cut_cell *cell, const thin_job *s, const int c[3]) {
    const int dim = s->g->box.dim;
    part_sums sums = {0};
    memset(cell->share, 0, sizeof cell->share);
    for (int q = 0; q < (dim == 3 ? QUARTERS * QUARTERS * QUARTERS : QUARTERS * QUARTERS); ++q) {
        const int at[3] = {q % QUARTERS, q / QUARTERS % QUARTERS, q / (QUARTERS * QUARTERS)};
        double x[3], open[3], distance;
        mac_place(x, s->g, c[0] + (at[0] + 0.5) / QUARTERS, c[1] + (at[1] + 0.5) / QUARTERS,
                  c[2] + (at[2] + 0.5) / QUARTERS);
        const obstacle *solid = thin_nearest(&distance, &s->v, x);
        const double inside = thin_share_inside(&s->v, solid, distance);
        const int size = (int)(PART * (1 - inside) + 0.5);
        if (size == 0) continue;
        open_place(open, s, at, solid, x, inside);
        const int stuck = distance < SKIN * s->g->dx; /* nearer it sees nothing */
        if (stuck) thin_step_out(x, &s->v, solid, -distance);
        const int home = thin_find_home(&s->v, c, x, stuck ? 0 : distance);
        const int octant = at[0] / 2 + 2 * (at[1] / 2) + (dim == 3 ? 4 * (at[2] / 2) : 0);
        if (home != NOWHERE) add_part(cell, &sums, octant, home, size, open);
    }
    place_parts(cell, &sums);
}

static void cut_task(void *context, int block) {
    thin_job own = *(const thin_job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            if (s->t->cut[row + i] < 0) continue;
            s->v.near = pick_cell(&pick, (const int[3]){i, j, k});
            cut_one(&s->t->cells[s->t->cut[row + i]], s, (const int[3]){i, j, k});
        }
    }
}

void thin_cut_cells(thin_job *s) {
    parallel_for(s->g->pool, range_blocks(&s->range), cut_task, s);
}
