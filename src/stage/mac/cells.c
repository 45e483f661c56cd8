/* Which cells hold liquid, and the velocity that markers bring into new ones (Carlson 2004, 3.2.3.3).
 *
 * A cell is liquid when a marker is in it; a cell without any open face is solid; the rest is empty. Two
 * kinds of cells without markers count as liquid all the same: one whose neighbours through open faces all
 * have markers (a gap between markers, not a bubble), and one cut by a solid when at least half of its open
 * area leads to cells with markers (too little room for a marker).
 *
 * When a cell fills, each of its faces that touched no liquid before takes the mean velocity of the markers
 * in a cube of one cell's size around the face, or of the nearest marker when there is none. The cube is the
 * upper half of the cell below the face and the lower half of the one above.
 *
 * For the pressure the cells become a distance of -+ dx/2, so that p = 0 lies on the faces between liquid and
 * air. Carlson puts it at the air cell's centre (eq. 39), half a cell higher, and so has rho g dx/2 too much
 * pressure in a pool at rest; on the faces hydrostatic pressure is exact for cells filled to the brim.
 *
 * Limits: the surface is known to a cell; liquid gains or loses up to that when cells fill or empty. */
#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "stage/mac/mac.h"

typedef struct {
    const mac_grid *g;
    const particles *markers;
    const openings *o;
    const uint8_t *kind, *before;
    uint8_t *out;
    float *phi;
    mac_field *u;
    int axis;
    cell_range range;
} job;

/* Markers of a cell as a range in the sorted set; none outside the box. */
INLINE void markers_in(uint32_t range[2], const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    range[0] = range[1] = 0;
    if (i < 0 || j < 0 || k < 0 || i >= b->n[0] || j >= b->n[1] || k >= b->n[2]) return;
    const size_t cell = box_dense(b, i, j, k);
    range[0] = s->markers->cell_start[cell];
    range[1] = s->markers->cell_start[cell + 1];
}

INLINE int has_markers(const job *s, int i, int j, int k) {
    uint32_t range[2];
    markers_in(range, s, i, j, k);
    return range[1] > range[0];
}

static uint8_t kind_of(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const ptrdiff_t c = box_at(b, i, j, k);
    float all = 0, wet = 0;
    int cut = 0;
    for (int f = 0; f < 2 * b->dim; ++f) {
        const int a = f / 2, d = f % 2 ? 1 : -1;
        const float open = s->o->open.value[a][f % 2 ? c + b->step[a] : c];
        cut |= open > 0 && open < 1;
        all += open;
        if (has_markers(s, i + d * (a == 0), j + d * (a == 1), k + d * (a == 2))) wet += open;
    }
    if (!(all > 0)) return MAC_SOLID;
    if (has_markers(s, i, j, k)) return MAC_LIQUID;
    return wet >= (cut ? 0.5f : 1) * all ? MAC_LIQUID : MAC_EMPTY;
}

static void kind_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) s->out[row + i] = kind_of(s, i, j, k);
    }
}

/* Beyond an open side there is air. */
static void open_side(uint8_t *kind, const mac_grid *g, int axis, int side) {
    cell_range r = range_cells(g);
    r.lower[axis] = side ? g->box.n[axis] : -GHOST;
    r.upper[axis] = r.lower[axis] + GHOST;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) kind[box_at(&g->box, i, j, k)] = MAC_EMPTY;
}

void mac_mark_cells(uint8_t *kind, const mac_grid *g, const particles *markers, const openings *o) {
    job s = {.g = g, .markers = markers, .o = o, .out = kind, .range = range_cells(g)};
    memset(kind, MAC_SOLID, g->box.size);
    for (int side = 0; side < 2 * g->box.dim; ++side)
        if (o->open_wall[side]) open_side(kind, g, side / 2, side % 2);
    parallel_for(g->pool, range_blocks(&s.range), kind_task, &s);
}

static void distance_task(void *context, int block) {
    const job *s = context;
    const float half = (float)(0.5 * s->g->dx);
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, lower, j, k);
        for (int i = 0; i < n; ++i) s->phi[row + i] = s->kind[row + i] == MAC_LIQUID ? -half : half;
    }
}

void mac_cell_distance(float *phi, const mac_grid *g, const uint8_t *kind) {
    job s = {.g = g, .kind = kind, .phi = phi, .range = range_grow(range_cells(g), g, GHOST)};
    parallel_for(g->pool, range_blocks(&s.range), distance_task, &s);
}

/* Sums the velocity component of the markers around a face; returns how many there are. */
static int gather(float *sum, const job *s, int i, int j, int k) {
    const int a = s->axis, at = a == 0 ? i : a == 1 ? j : k;
    const particles *p = s->markers;
    int count = 0;
    *sum = 0;
    for (int side = 0; side < 2; ++side) {
        uint32_t range[2];
        markers_in(range, s, i - (a == 0 && !side), j - (a == 1 && !side), k - (a == 2 && !side));
        for (uint32_t q = range[0]; q < range[1]; ++q)
            if (fabsf(p->x[a][q] - (float)at) <= 0.5f) {
                *sum += p->v[a][q];
                ++count;
            }
    }
    return count;
}

/* The component of the marker nearest to a face among the cells around it; 0 when there is none. */
static int nearest(float *value, const job *s, int i, int j, int k) {
    const particles *p = s->markers;
    const int a = s->axis, dim = p->dim, flat = dim == 2;
    const float x[3] = {(float)i + (a != 0) * 0.5f, (float)j + (a != 1) * 0.5f, (float)k + (a != 2) * 0.5f};
    float least = INFINITY;
    for (int dk = flat ? 0 : -1 - (a == 2); dk <= (flat ? 0 : 1); ++dk)
        for (int dj = -1 - (a == 1); dj <= 1; ++dj)
            for (int di = -1 - (a == 0); di <= 1; ++di) {
                uint32_t range[2];
                markers_in(range, s, i + di, j + dj, k + dk);
                for (uint32_t q = range[0]; q < range[1]; ++q) {
                    float d = 0;
                    for (int b = 0; b < dim; ++b) d += (p->x[b][q] - x[b]) * (p->x[b][q] - x[b]);
                    if (d >= least) continue;
                    least = d;
                    *value = p->v[a][q];
                }
            }
    return least < INFINITY;
}

INLINE int touches_liquid(const uint8_t *kind, ptrdiff_t n, ptrdiff_t step) {
    return kind[n] == MAC_LIQUID || kind[n - step] == MAC_LIQUID;
}

static void fill_task(void *context, int block) {
    const job *s = context;
    const ptrdiff_t step = s->g->box.step[s->axis];
    float *u = s->u->value[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (!touches_liquid(s->kind, n, step) || touches_liquid(s->before, n, step)) continue;
            float value;
            const int count = gather(&value, s, i, j, k);
            if (count) u[n] = value / (float)count;
            else if (nearest(&value, s, i, j, k)) u[n] = value;
        }
    }
}

void mac_fill_new_cells(mac_field *u, const mac_grid *g, const uint8_t *kind, const uint8_t *kind_before,
                        const particles *markers) {
    job s = {.g = g, .markers = markers, .kind = kind, .before = kind_before, .u = u};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), fill_task, &s);
    }
}
