/* The level that a fill's surface stands at: d = min over the fills of their signed distance, from where its
 * nearest point cannot lie on or behind a wall; from there on into the walls along straight lines.
 *
 * A box filled to half its height is drawn as a box: seen from a cell beside a wall its nearest face may be
 * the one that touches the wall, which is no surface of the liquid. A cell nearer to a wall than to the
 * fill's surface is such a case; its value continues the line through two cells farther from the wall, which
 * is exact for a plane surface.
 *
 * Limits: in gaps narrower than a few cells, and at curved fills along walls, the level is approximate. */
#include "stage/surface/fill.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"
#include "grid/sample.h"
#include "grid/wrap.h"

#define ON_WALL 0.02f    /* cells: a fill may end along a wall, whose distance is sampled */
enum { FILL_REACH = 3 }; /* cells: distances are cut there, and so many layers are continued into walls */

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *node_solid;
    shape *const *shapes;
    int count;
    float *d;
    uint8_t *layer; /* 0: known; UNKNOWN; or the round in which it was found */
    cell_range range;
} job;

enum { UNKNOWN = 255 };

/* From a cell's middle to the nearest wall, in m; negative inside one. A periodic side counts as one: a fill
 * that ends there goes on behind it. */
static float wall_distance(const job *s, const int c[3]) {
    const float x[3] = {(float)c[0] + 0.5f, (float)c[1] + 0.5f, (float)c[2] + 0.5f};
    float least = s->node_solid ? sample_nodes(s->node_solid, s->g, x) : INFINITY;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const int around = s->g->box.periodic[a];
        if (around || !s->o->open_wall[2 * a]) least = fminf(least, x[a] * (float)s->g->dx);
        if (around || !s->o->open_wall[2 * a + 1])
            least = fminf(least, ((float)s->g->box.n[a] - x[a]) * (float)s->g->dx);
    }
    return least;
}

static void distance_task(void *context, int block) {
    const job *s = context;
    const mac_grid *g = s->g;
    const double cut = FILL_REACH * g->dx;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const int c[3] = {i, j, k};
            const double x[3] = {g->origin[0] + g->dx * (i + 0.5), g->origin[1] + g->dx * (j + 0.5),
                                 g->origin[2] + g->dx * (k + 0.5)};
            double least = cut;
            for (int n = 0; n < s->count; ++n) least = fmin(least, shape_distance(s->shapes[n], x));
            const float d = (float)fmax(least, -cut);
            const ptrdiff_t at = box_at(&g->box, i, j, k);
            s->d[at] = d;
            s->layer[at] = fabsf(d) < wall_distance(s, c) - ON_WALL * (float)g->dx ? 0 : UNKNOWN;
        }
    }
}

/* The mean of the lines through two cells of earlier rounds along each axis and side. */
static void continue_cell(const job *s, ptrdiff_t c, int round) {
    float sum = 0;
    int lines = 0;
    for (int e = 0; e < 2 * s->g->box.dim; ++e) {
        const ptrdiff_t step = e % 2 ? s->g->box.step[e / 2] : -s->g->box.step[e / 2];
        if (s->layer[c + step] >= round || s->layer[c + 2 * step] >= round) continue;
        sum += 2 * s->d[c + step] - s->d[c + 2 * step];
        ++lines;
    }
    if (lines == 0) return;
    s->d[c] = sum / (float)lines;
    s->layer[c] = (uint8_t)round;
}

void fill_level(float *d, uint8_t *layer, const mac_grid *g, const openings *o, const float *node_solid,
                shape *const *shapes, int count) {
    job s = {g, o, node_solid, shapes, count, d, layer, range_cells(g)};
    memset(layer, UNKNOWN, g->box.size);
    s.range = range_grow(range_cells(g), g, 1);
    parallel_for(g->pool, range_blocks(&s.range), distance_task, &s);
    s.range = range_cells(g);
    for (int round = 1; round <= FILL_REACH; ++round) /* by one thread: it is done once */
        for (int block = 0; block < range_blocks(&s.range); ++block) FOR_ROWS(&s.range, block, j, k) {
                for (int i = s.range.lower[0]; i < s.range.upper[0]; ++i) {
                    const ptrdiff_t c = box_at(&g->box, i, j, k);
                    if (layer[c] == UNKNOWN) continue_cell(&s, c, round);
                }
            }
    wrap_field(d, g); /* a shape that ends at a periodic side goes on behind it */
}
