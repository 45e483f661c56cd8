/* Thin walls and what fills cells to their brim: how much belongs to each.
 *
 *   share of c = sum over the cells n around of (part of n whose home is c) x (share of n outside thick
 * solids)
 *
 * A cell has what is on the side of its middle; what a wall cuts off it belongs to a neighbour. As a wall
 * sweeps through a cell, shares on its two sides change by what it sweeps, and a cell changes sides together
 * with what it has: sums over one side are those of the space there.
 *
 * Source: ours.
 *
 * Limits: shares are known to a sixteenth of a cell. */
#include "core/hot.h"
#include "grid/rows.h"
#include "stage/walls/thin/thin.h"
#include "stage/walls/thin/parts.h"

typedef struct {
    const thin_walls *t;
    const mac_grid *g;
    const float *whole;
    const float *phi;
    float *share;
    cell_range range;
} job;

/* What of the cell at `dir` from c has c for its home. */
static float part_at_home(const job *s, ptrdiff_t c, int dir) {
    const int octants = 1 << s->g->box.dim;
    const int32_t cut = s->t->cut[c + step_of(&s->g->box, dir)];
    int sum = 0;
    if (cut < 0) return dir == SELF;
    for (int o = 0; o < octants; ++o)
        for (int part = 0; part < 2; ++part)
            if (s->t->cells[cut].home[o][part] == 2 * SELF - dir) sum += s->t->cells[cut].share[o][part];
    return (float)sum / (float)(octants * octants * PART);
}

static float share_of(const job *s, const int c[3]) {
    const ptrdiff_t at = box_at(&s->g->box, c[0], c[1], c[2]);
    double x[3];
    float sum = 0;
    if (!thin_middle(x, s->t, s->g, c)) return 0;
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        if (is_inside(&s->g->box, c[0] + d[0], c[1] + d[1], c[2] + d[2]))
            sum += part_at_home(s, at, dir) * s->whole[at + step_of(&s->g->box, dir)];
    }
    return sum;
}

static void share_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            if (is_near_thin(s->t, s->g, row + i) && s->whole[row + i] > 0)
                s->share[row + i] = share_of(s, (const int[3]){i, j, k});
    }
}

void thin_shares(float *share, float *scratch, const thin_walls *t, const mac_grid *g) {
    job s = {.t = t, .g = g, .share = share, .whole = scratch, .range = range_cells(g)};
    parallel_copy(g->pool, scratch, share, g->box.size * sizeof *share);
    parallel_for(g->pool, range_blocks(&s.range), share_task, &s);
}

/* ---- how much of the cells beside walls liquid takes up ---- */

/* Whether a cell and all that it sees are liquid, 1, or air, -1; 0: both. */
static int side_of_surface(const job *s, const int c[3]) {
    const ptrdiff_t at = box_at(&s->g->box, c[0], c[1], c[2]);
    int wet = 0, dry = 0;
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        if ((s->g->box.dim == 2 && d[2]) || !is_inside(&s->g->box, c[0] + d[0], c[1] + d[1], c[2] + d[2]))
            continue;
        if (!(s->t->sees[at] >> dir & 1)) continue;
        wet |= s->phi[at + step_of(&s->g->box, dir)] < 0;
        dry |= s->phi[at + step_of(&s->g->box, dir)] >= 0;
    }
    return wet - dry;
}

static int has_thick_solid(const job *s, ptrdiff_t c) {
    const ptrdiff_t *step = s->g->box.step;
    int any = 0;
    for (int n = 0; n < 1 << s->g->box.dim; ++n)
        any |= s->whole[c + (n & 1) + (n >> 1 & 1) * step[1] + (n >> 2) * step[2]] < (float)s->g->dx;
    return any;
}

/* Part by part, each on the side of its home; -1 where a part has the surface near. */
static float filled_of(const job *s, const int c[3]) {
    const ptrdiff_t at = box_at(&s->g->box, c[0], c[1], c[2]);
    const int octants = 1 << s->g->box.dim;
    const int32_t cut = s->t->cut[at];
    int sum = 0;
    if (has_thick_solid(s, at)) return -1;
    if (cut < 0) return (float)(side_of_surface(s, c) == 0 ? -1 : side_of_surface(s, c) > 0);
    for (int p = 0; p < 2 * octants; ++p) {
        int h[3];
        const int share = s->t->cells[cut].share[p / 2][p % 2];
        if (share == 0) continue;
        offset_of(h, s->t->cells[cut].home[p / 2][p % 2]);
        for (int a = 0; a < 3; ++a) h[a] += c[a];
        const int side = side_of_surface(s, h);
        if (side == 0) return -1;
        if (side > 0) sum += share;
    }
    return (float)sum / (float)(octants * octants * PART);
}

static void filled_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            s->share[row + i] =
                is_near_thin(s->t, s->g, row + i) ? filled_of(s, (const int[3]){i, j, k}) : -1;
    }
}

void thin_filled(float *filled, const thin_walls *t, const mac_grid *g, const float *phi,
                 const float *node_phi) {
    job s = {.t = t, .g = g, .share = filled, .phi = phi, .whole = node_phi, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), filled_task, &s);
}

size_t thin_keep_covered(ptrdiff_t *cell, float *part, size_t count, const thin_walls *t, const mac_grid *g,
                         const shape *s) {
    const box *b = &g->box;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const ptrdiff_t at = cell[i] - b->first, layer = b->dim == 3 ? at % b->step[2] : at;
        const int c[3] = {(int)(layer % b->step[1]), (int)(layer / b->step[1]),
                          b->dim == 3 ? (int)(at / b->step[2]) : 0};
        double x[3];
        if (t->cut[cell[i]] >= 0 && (!thin_middle(x, t, g, c) || shape_distance(s, x) > 0)) continue;
        cell[kept] = cell[i];
        part[kept++] = part[i];
    }
    return kept;
}
