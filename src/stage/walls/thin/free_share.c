/* The free share beside thin walls: what of a cell's surroundings it would see filled.
 *
 *   free share of c = sum over octants o around of (what c sees of o) w(o - c) / sum of w(o - c)
 *
 * with the weights w that particles have (reach_of) and, of octants that a wall cuts, the parts whose home c
 * sees (stage/walls/thin/home.c), each less what thick solids and the domain's closed sides take.
 *
 * Source: grid/free_share.c, with sight.
 *
 * Limits: an octant has at most two parts. */
#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "stage/walls/solids.h"
#include "stage/walls/thin/parts.h"

#define OPEN_FROM 0.3 /* cells: octants whose distance is more than 0.25 are open */

/* An octant that counts at a cell, in it or beside. */
typedef struct near_octant {
    float way[3], w; /* from the cell's centre [cells]; how far it counts */
    ptrdiff_t step;  /* to its own cell, */
    int dir, octant; /* which of the 27 around that is, and which of its octants this is */
} near_octant;

typedef struct {
    const thin_walls *t;
    const mac_grid *g;
    const float *node_phi;
    const openings *open;
    float *free_share, all; /* all: what the octants count together */
    int count;
    near_octant octants[27 * 8];
    cell_range range;
} job;

static void find_octants(job *s) {
    const int dim = s->g->box.dim;
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        if (dim == 2 && d[2]) continue;
        for (int o = 0; o < 1 << dim; ++o) {
            near_octant n = {.step = step_of(&s->g->box, dir), .dir = dir, .octant = o};
            for (int a = 0; a < dim; ++a) n.way[a] = (float)d[a] + 0.5f * (float)(o >> a & 1) - 0.25f;
            n.w = reach_of(n.way, dim);
            if (n.w <= 0) continue;
            s->all += n.w;
            s->octants[s->count++] = n;
        }
    }
}

/* Open share of an octant for all other solids and the domain's closed sides. */
static float octant_open(const job *s, const float x[3]) {
    for (int a = 0; a < s->g->box.dim; ++a)
        if ((x[a] < 0 && !s->open->open_wall[2 * a]) ||
            (x[a] > (float)s->g->box.n[a] && !s->open->open_wall[2 * a + 1]))
            return 0;
    const float d = sample_nodes(s->node_phi, s->g, x) / (float)(0.5 * s->g->dx);
    return d > 0.5f ? 1 : d < -0.5f ? 0 : d + 0.5f;
}

/* Whether that is 1 for all octants around a cell: no side is near, and no thick solid at their nodes. */
static int is_clear(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const float least = (float)(OPEN_FROM * s->g->dx);
    const int layers = b->dim == 3 ? 4 : 1;
    for (int a = 0; a < b->dim; ++a)
        if (c[a] < 1 || c[a] > b->n[a] - 2) return 0;
    const float *first = s->node_phi + box_at(b, c[0] - 1, c[1] - 1, b->dim == 3 ? c[2] - 1 : 0);
    for (int k = 0; k < layers; ++k)
        for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i)
                if (!(first[i + j * b->step[1] + k * b->step[2]] > least)) return 0;
    return 1;
}

/* What the parts of octant o of a cut cell that are in sight leave, weighed where they are. */
static float parts_in_sight(const cut_cell *cell, int o, uint32_t sees, int dir, const float way[3],
                            int dim) {
    float sum = 0;
    for (int part = 0; part < 2; ++part) {
        float at[3] = {0, 0, 0};
        if (!cell->share[o][part] || !is_in_sight(sees, dir, cell->home[o][part])) continue;
        for (int a = 0; a < dim; ++a) at[a] = way[a] + (float)cell->place[o][part][a] / PLACE;
        sum += (float)cell->share[o][part] / (float)((1 << dim) * PART) * reach_of(at, dim);
    }
    return sum;
}

static float free_share_of_cell(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const ptrdiff_t centre = box_at(b, c[0], c[1], c[2]);
    const uint32_t sees = s->t->sees[centre];
    const int clear = is_clear(s, c);
    float open = 0;
    for (int i = 0; i < s->count; ++i) {
        const near_octant *n = &s->octants[i];
        const int32_t cut = s->t->cut[centre + n->step];
        const float seen = cut < 0
                               ? n->w * (float)(sees >> n->dir & 1)
                               : parts_in_sight(&s->t->cells[cut], n->octant, sees, n->dir, n->way, b->dim);
        float x[3] = {0, 0, 0};
        for (int a = 0; a < b->dim; ++a) x[a] = (float)c[a] + 0.5f + n->way[a];
        if (seen > 0) open += clear ? seen : seen * octant_open(s, x);
    }
    return open / s->all;
}

static void free_share_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (is_near_thin(s->t, s->g, c))
                s->free_share[c] = free_share_of_cell(s, (const int[3]){i, j, k});
        }
    }
}

void thin_free_share(float *free_share, const thin_walls *t, const mac_grid *g, const float *node_phi,
                     const openings *o) {
    job s = {
        .t = t, .g = g, .node_phi = node_phi, .open = o, .free_share = free_share, .range = range_cells(g)};
    find_octants(&s);
    parallel_for(g->pool, range_blocks(&s.range), free_share_task, &s);
}
