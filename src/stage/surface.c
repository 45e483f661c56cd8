/* The liquid's surface from its particles.
 *
 * Each particle stands for a fixed volume and leaves trilinear weights on faces on its way to the velocity.
 * Their mean over a cell's faces, relative to what a full neighbourhood would leave, is a density: 1 inside,
 * 0 in air, and on a straight surface exactly 1/2 at the surface whatever the sampling, because the weights
 * are symmetric. So the half-full contour encloses the particles' own volume: thin sheets and single drops do
 * not count for more than they carry (they fall below 1/2 and become spray). At depth d cells below a
 * straight surface across an axis density = 1/2 + s d - (s - 1/2) d |d|,  s = 1 - 1/(2 dim),  |d| <= 1 to two
 * percent, which is inverted for the distance. Near walls the missing half of the weights is divided out
 * (room).
 *
 * Limits: distances are exact across axes only and smoothed by sampling noise otherwise; beyond one cell they
 * are capped. */
#include "stage/surface.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/wrap.h"

#define ROOM_MIN    0.02f /* with less room a cell's density would be noise over nearly nothing */
#define ROOM_ENOUGH 0.1f  /* with less its distance is better taken from neighbours */

enum { INTO_SOLID = 3, UNREACHED = 255 }; /* layers: as deep as a cell with an open face can lie */

typedef struct {
    const mac_grid *g;
    const mac_field *weight;
    const float *room, *phi, *filled;
    float *density, *out;
    uint8_t *layer, *next, now;
    float full, dx;
    cell_range range;
    particles *p;
} job;

INLINE float depth_of(float density, float s) {
    const float a = s - 0.5f, c = fabsf(density - 0.5f);
    const float root = sqrtf(greater(s * s - 4 * a * lesser(c, 0.5f), 0));
    const float d = lesser((s - root) / (2 * a), 1);
    return density > 0.5f ? d : -d;
}

INLINE void density_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    const float scale = 1 / (2 * (float)dim * s->full), slope = 1 - 1 / (2 * (float)dim);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            float sum = 0;
            for (int a = 0; a < dim; ++a)
                sum += s->weight->value[a][row + i] + s->weight->value[a][row + i + b->step[a]];
            const float room = s->room[row + i];
            const float c = room > ROOM_MIN ? sum * scale / room : 0;
            s->density[row + i] = c;
            s->out[row + i] = -s->dx * depth_of(c, slope);
        }
    }
}

HOT static void density_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) density_block(s, block, 3);
    else density_block(s, block, 2);
}

/* Beyond a side of the domain every sample is air, placed so that a full cell's surface is on the side
 * itself. Corners follow by going through the axes in turn. */
static void mirror_border(float *f, const mac_grid *g) {
    const box *b = &g->box;
    cell_range r = range_cells(g);
    for (int a = 0; a < b->dim; ++a) {
        for (int side = 0; side < 2; ++side) {
            cell_range face = r;
            face.lower[a] = side ? b->n[a] - 1 : 0;
            face.upper[a] = face.lower[a] + 1;
            const ptrdiff_t out = side ? b->step[a] : -b->step[a];
            for (int k = face.lower[2]; k < face.upper[2]; ++k)
                for (int j = face.lower[1]; j < face.upper[1]; ++j)
                    for (int i = face.lower[0]; i < face.upper[0]; ++i) {
                        const ptrdiff_t c = box_at(b, i, j, k);
                        f[c + out] = fabsf(f[c]);
                    }
        }
        r.lower[a] -= 1;
        r.upper[a] += 1;
    }
}

void surface_from_weights(float *density, float *phi, const mac_grid *g, const mac_field *weight,
                          const float *room, float full) {
    job s = {.g = g, .weight = weight, .room = room, .density = density, .out = phi, .full = full};
    s.dx = (float)g->dx;
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), density_task, &s);
    mirror_border(phi, g);
    wrap_field(phi, g);
}

static void distance_task(void *context, int block) {
    const job *s = context;
    const float slope = 1 - 1 / (2 * (float)s->g->box.dim);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            s->out[row + i] = -s->dx * depth_of(s->filled[row + i], slope);
    }
}

void surface_from_density(float *phi, const mac_grid *g, const float *density) {
    job s = {.g = g, .out = phi, .dx = (float)g->dx, .range = range_cells(g)};
    s.filled = density;
    parallel_for(g->pool, range_blocks(&s.range), distance_task, &s);
    mirror_border(phi, g);
}

static void enough_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) s->layer[row + i] = s->room[row + i] < ROOM_ENOUGH ? UNREACHED : 0;
    }
}

/* From the neighbours of earlier layers: along the straight line through two of them where both are near
 * enough to the surface to know their distance, which continues a slanted surface as it is; else their mean.
 * Returns the layer it then belongs to. */
static uint8_t extend_cell(const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    float line = 0, mean = 0, lowest = INFINITY, highest = -INFINITY;
    int lines = 0, count = 0;
    for (int d = 0; d < 2 * b->dim; ++d) {
        const ptrdiff_t step = d % 2 ? b->step[d / 2] : -b->step[d / 2];
        if (s->layer[c + step] >= s->now) continue;
        const float one = s->out[c + step];
        mean += one;
        ++count;
        lowest = lesser(one, lowest);
        highest = greater(one, highest);
        if (s->layer[c + 2 * step] < s->now && fabsf(one) < s->dx && fabsf(s->out[c + 2 * step]) < s->dx) {
            line += 2 * one - s->out[c + 2 * step];
            ++lines;
        }
    }
    if (count == 0) return UNREACHED;
    /* no new surface where the neighbours see none: inside, distances are noise */
    const float most = highest < 0 ? -0.05f * s->dx : s->dx, least = lowest >= 0 ? 0 : -s->dx;
    const float value = lines ? line / (float)lines : mean / (float)count;
    s->out[c] = greater(lesser(value, most), least);
    return s->now;
}

static void extend_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            s->next[row + i] = s->layer[row + i] == UNREACHED ? extend_cell(s, row + i) : s->layer[row + i];
    }
}

void surface_into_solids(float *phi, front *f, const mac_grid *g, const float *room) {
    job s = {
        .g = g, .room = room, .layer = f->layer, .out = phi, .dx = (float)g->dx, .range = range_cells(g)};
    memset(f->layer, UNREACHED, g->box.size);
    memset(f->next, UNREACHED, g->box.size);
    parallel_for(g->pool, range_blocks(&s.range), enough_task, &s);
    wrap_bytes(f->layer, g);
    for (int l = 1; l <= INTO_SOLID; ++l) {
        uint8_t *const before = f->layer;
        s.now = (uint8_t)l;
        s.layer = f->layer;
        s.next = f->next;
        parallel_for(g->pool, range_blocks(&s.range), extend_task, &s);
        f->layer = f->next;
        f->next = before;
        wrap_field(phi, g);
        wrap_bytes(f->layer, g);
    }
    mirror_border(phi, g);
    wrap_field(phi, g);
}

static void spray_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int dim = b->dim;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < b->n[0]; ++i) {
            const size_t cell = box_dense(b, i, j, k);
            const uint32_t from = s->p->cell_start[cell], to = s->p->cell_start[cell + 1];
            if (from == to) continue;
            const ptrdiff_t c = box_at(b, i, j, k);
            if (s->phi[c] < 0) {
                memset(s->p->spray + from, 0, to - from);
                continue;
            }
            int wet = 0;
            for (int dk = dim == 3 ? -1 : 0; dk <= (dim == 3 ? 1 : 0); ++dk)
                for (int dj = -1; dj <= 1; ++dj)
                    for (int di = -1; di <= 1; ++di)
                        wet += s->phi[c + di + dj * b->step[1] + dk * b->step[2]] < 0;
            memset(s->p->spray + from, wet <= (dim == 3 ? 3 : 1), to - from);
        }
    }
}

void surface_mark_spray(particles *p, const mac_grid *g, const float *phi) {
    job s = {.g = g, .phi = phi, .p = p, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), spray_task, &s);
}
