/* The liquid's surface from its particles.
 *
 * Each particle stands for a fixed volume and leaves trilinear weights on faces on its way to the velocity.
 * Their mean over a cell's faces, relative to what a full neighbourhood would leave, is a density: 1 inside,
 * 0 in air, and on a straight surface exactly 1/2 at the surface whatever the sampling, because the weights
 * are symmetric. So the half-full contour encloses the particles' own volume: thin sheets and single drops do
 * not count for more than they carry (they fall below 1/2 and become spray). At depth d cells below a
 * straight surface across an axis density = 1/2 + s d - (s - 1/2) d |d|,  s = 1 - 1/(2 dim),  |d| <= 1 to two
 * percent, which is inverted for the distance. Near walls the missing half of the weights is divided out
 * (the free share).
 *
 * What is left open beside a wall need not be symmetric. Where a wall leans over the liquid most of it lies
 * below the cell's centre, and a surface through the centre leaves three quarters of it filled; above a
 * beach, a quarter. Read as above that is a hill (or a hole) of up to half a cell all along the contact line:
 * pressure works on it for ever, and waves that run along it gain. So beside the surface a cut cell's density
 * is first turned into what the same straight surface would leave without the wall, F(d) with f(d) = density,
 * where f(d) = sum_o share_o H(1/2 + (d + x_o . n) / width) / sum_o share_o,   H(t) = t held in [0, 1], over
 * the octants of grid/free_share.h, n pointing into the liquid, and F the same with nothing closed.
 *
 * Limits: distances are exact across axes only and smoothed by sampling noise otherwise; beyond one cell they
 * are capped. */
#include "stage/surface/surface.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/lanes.h"
#include "grid/free_share.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "grid/wrap.h"
#include "linear/six.h"

#define FREE_ODD                                                                                             \
    0.02f            /* what octants and free share may differ by: more where thin walls take some as well */
#define VALLEY 0.15f /* cells */
#define FLAT   0.1f  /* depths that change less from cell to cell show no surface */
#define FAINT  0.05f /* densities so near to empty or full say little of where the surface is */
/* Beside walls a half-full cell shows no surface: above a beach a quarter does. So from where on cells count
 * as liquid, and up to where as air, comes in slowly: at once, single particles would switch the wall's part
 * on and off, half a cell either way. Less than half is needed for air, as cut cells deep inside are uneven.
 */
#define WET_FROM  FAINT
#define WET_FULLY 0.25f
#define DRY_FROM  0.5f
#define DRY_FULLY 0.4f

enum { INTO_SOLID = 3, UNREACHED = 255 }; /* layers: as deep as a cell with an open face can lie */

typedef struct {
    const mac_grid *g;
    const mac_field *weight;
    const openings *open;
    const octant_weights *octants;
    const float *free_share, *phi, *node_solid, *filled;
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

/* Density and distance of a row of cells; in two loops, as few fields at a time are work for vectors. */
INLINE void density_row(const job *s, ptrdiff_t row, int dim) {
    const float scale = 1 / (2 * (float)dim * s->full), slope = 1 - 1 / (2 * (float)dim), dx = s->dx;
    const int n = s->g->box.n[0];
    const float *x = s->weight->value[0] + row, *y = s->weight->value[1] + row,
                *above = y + s->g->box.step[1], *z = dim == 3 ? s->weight->value[2] + row : y,
                *behind = z + (dim == 3) * s->g->box.step[2], *free_share = s->free_share + row;
    float *density = s->density + row, *phi = s->out + row;
    for (int i = 0; i < n; ++i) {
        const float flat = (x[i] + x[i + 1]) + (y[i] + above[i]);
        density[i] = dim == 3 ? flat + (z[i] + behind[i]) : flat;
    }
    for (int i = 0; i < n; ++i) {
        const float share = density[i] * scale / free_share[i], c = free_share[i] > FREE_MIN ? share : 0;
        density[i] = c;
        phi[i] = -dx * depth_of(c, slope);
    }
}

INLINE void density_block(const job *s, int block, int dim) {
    FOR_ROWS(&s->range, block, j, k) density_row(s, box_at(&s->g->box, 0, j, k), dim);
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
                          const float *free_share, float full) {
    job s = {
        .g = g, .weight = weight, .free_share = free_share, .density = density, .out = phi, .full = full};
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

/* Cells around a cell, itself included: where, and their offset in a field. */
typedef struct around {
    int count, at[27][3];
    ptrdiff_t to[27];
} around;

static around list_around(const box *b) {
    around all = {.count = b->dim == 3 ? 27 : 9};
    for (int n = 0; n < all.count; ++n) {
        const int at[3] = {n % 3 - 1, n / 3 % 3 - 1, b->dim == 3 ? n / 9 - 1 : 0};
        memcpy(all.at[n], at, sizeof at);
        all.to[n] = at[0] + at[1] * b->step[1] + at[2] * b->step[2];
    }
    return all;
}

/* Which of the cells around c have something to say: with a free share, and on this side of a wall. The
 * distance from solids has a valley between two cells on both sides of one: less in the middle than their
 * mean. */
static uint32_t list_heard(const job *s, const int cell[3], const around *all) {
    const float x[3] = {(float)cell[0] + 0.5f, (float)cell[1] + 0.5f, (float)cell[2] + 0.5f};
    const float here = sample_nodes(s->node_solid, s->g, x);
    const ptrdiff_t c = box_at(&s->g->box, cell[0], cell[1], cell[2]);
    uint32_t heard = 0;
    for (int n = 0; n < all->count; ++n) {
        if (s->free_share[c + all->to[n]] < FREE_ENOUGH) continue;
        float mid[3], there[3];
        for (int a = 0; a < 3; ++a) {
            mid[a] = x[a] + 0.5f * (float)all->at[n][a];
            there[a] = x[a] + (float)all->at[n][a];
        }
        const float mean = 0.5f * (here + sample_nodes(s->node_solid, s->g, there));
        if (mean - sample_nodes(s->node_solid, s->g, mid) < VALLEY * s->dx) heard |= 1u << n;
    }
    return heard;
}

/* Whether the surface may pass among the cells around c at all, three of a row at a time. */
HOT static int is_near_surface(const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    const int deep = b->dim == 3;
    int8 dry = {0}, wet = {0};
    for (int k = -deep; k <= deep; ++k)
        for (int j = -1; j <= 1; ++j) {
            const ptrdiff_t row = c - 1 + j * b->step[1] + k * b->step[2];
            const int8 heard = vec8_load(s->free_share + row) >= FREE_ENOUGH;
            const vec8 density = vec8_load(s->filled + row);
            wet |= heard & (density > WET_FROM);
            dry |= heard & (density < DRY_FROM);
        }
    return ((wet[0] | wet[1] | wet[2]) & (dry[0] | dry[1] | dry[2])) != 0;
}

/* How far x is on its way, 0 to 1. */
INLINE float part_of_way(float x, float from, float to) {
    return greater(0, lesser(1, (x - from) / (to - from)));
}

/* How surely it passes among those that are heard, 0 to 1. */
INLINE float share_beside_surface(const job *s, ptrdiff_t c, const around *all, uint32_t mask) {
    float least = 1, most = 0;
    for (int n = 0; n < all->count; ++n) {
        const float density = s->filled[c + all->to[n]];
        const int heard = mask >> n & 1;
        most = heard ? greater(most, density) : most;
        least = heard ? lesser(least, density) : least;
    }
    return part_of_way(most, WET_FROM, WET_FULLY) * part_of_way(least, DRY_FROM, DRY_FULLY);
}

/* The plane nearest to the depths of the cells around c, in cells: plane[0] at c, then its slopes; 0 before.
 * Cells count by the square of their free share: what walls leave of the others is what is in question. */
static int fit_plane(double plane[SIX], const job *s, ptrdiff_t c, const around *all, uint32_t heard) {
    const int n = s->g->box.dim + 1;
    const float slope = 1 - 1 / (2 * (float)s->g->box.dim);
    double m[SIX * SIX] = {0}, factor[SIX * SIX];
    for (int o = 0; o < all->count; ++o) {
        const ptrdiff_t q = c + all->to[o];
        if (!(heard >> o & 1)) continue;
        const double w = (double)(s->free_share[q] * s->free_share[q]),
                     depth = (double)depth_of(s->filled[q], slope);
        const double v[4] = {1, all->at[o][0], all->at[o][1], all->at[o][2]};
        for (int r = 0; r < n; ++r) {
            for (int t = 0; t < n; ++t) m[SIX * r + t] += w * v[r] * v[t];
            plane[r] += w * v[r] * depth;
        }
    }
    for (int r = 1; r < n; ++r) m[(SIX + 1) * r] += 0.05; /* no slope where only one side is heard */
    for (int r = n; r < SIX; ++r) m[(SIX + 1) * r] = 1;   /* unused */
    if (!six_factorise(factor, m)) return 0;
    six_solve_lower(plane, factor);
    six_solve_upper(plane, factor);
    return 1;
}

/* The density that a straight surface would leave without walls; `down` is its normal into the liquid,
 * `guess` the centre's depth below it in cells. */
static float density_without_walls(const job *s, const int cell[3], float density, float free_share,
                                   const float down[3], float guess) {
    enum { DEPTH_TRIES = 8 };
    const int dim = s->g->box.dim;
    octant_weights share;
    float rate, low = -1.25f, high = 1.25f, d = guess;
    const float all = octant_shares(&share, s->octants, s->g, s->node_solid, s->open, cell);
    if (fabsf(all - free_share) > FREE_ODD) return density;
    for (int t = 0; t < DEPTH_TRIES; ++t) {
        const float off = octants_below(&rate, &share, down, d, dim) - density * all;
        if (fabsf(off) < 1e-3f * all) break;
        if (off > 0) high = d;
        else low = d;
        const float next = rate > 0 ? d - off / rate : high;
        d = next > low && next < high ? next : 0.5f * (low + high);
    }
    return octants_below(&rate, s->octants, down, d, dim);
}

/* Depth in cells beside a wall. A density near 0 or 1 only says that the surface is at least so far away: how
 * far, the plane says. */
static float depth_beside_wall(const job *s, const int cell[3], ptrdiff_t c, const double plane[SIX]) {
    const float slope = 1 - 1 / (2 * (float)s->g->box.dim), density = s->filled[c];
    const float raw = depth_of(density, slope), flat = (float)plane[0];
    float down[3] = {0, 0, 0}, size = 0;
    for (int a = 0; a < s->g->box.dim; ++a) size += (float)(plane[a + 1] * plane[a + 1]);
    size = sqrtf(size);
    if (!(size > FLAT)) return raw;
    for (int a = 0; a < s->g->box.dim; ++a) down[a] = (float)plane[a + 1] / size;
    const float said = fmaxf(FAINT, fminf(1 - FAINT, density));
    const float d = depth_of(density_without_walls(s, cell, said, s->free_share[c], down, raw), slope);
    const float beyond = density > 0.5f ? fmaxf(d, fminf(flat, 1)) : fminf(d, fmaxf(flat, -1));
    const float share = fmaxf(0, fminf(1, fminf(density, 1 - density) / FAINT));
    return share * d + (1 - share) * beyond;
}

static void beside_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const around all = list_around(b);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            const ptrdiff_t c = row + i;
            double plane[SIX] = {0};
            if (!(s->free_share[c] >= FREE_ENOUGH && s->free_share[c] < FREE_WHOLE)) continue;
            if (!is_near_surface(s, c)) continue; /* most */
            const int cell[3] = {i, j, k};
            const uint32_t heard = list_heard(s, cell, &all);
            const float share = share_beside_surface(s, c, &all, heard);
            if (share > 0 && fit_plane(plane, s, c, &all, heard))
                s->out[c] -= share * (s->dx * depth_beside_wall(s, cell, c, plane) + s->out[c]);
        }
    }
}

void surface_beside_walls(float *phi, const mac_grid *g, const float *density, const float *free_share,
                          const float *node_solid, const openings *o) {
    octant_weights octants;
    octant_list_weights(&octants, g->box.dim);
    job s = {
        .g = g, .open = o, .filled = density, .free_share = free_share, .node_solid = node_solid, .out = phi};
    s.octants = &octants;
    s.dx = (float)g->dx;
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), beside_task, &s);
}

static void enough_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i)
            s->layer[row + i] = s->free_share[row + i] < FREE_ENOUGH ? UNREACHED : 0;
    }
}

/* The way out of the solid around a cell, or 0 where that is no part of the question. */
static void way_out(float n[3], const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    n[0] = n[1] = n[2] = 0;
    for (int k = 0; s->node_solid && k < 1 << b->dim; ++k) {
        const float d = s->node_solid[c + (k & 1) + (k >> 1 & 1) * b->step[1] + (k >> 2) * b->step[2]];
        for (int a = 0; a < b->dim; ++a) n[a] += k >> a & 1 ? d : -d;
    }
}

/* From the neighbours of earlier layers: along the straight line through two of them where both are near
 * enough to the surface to know their distance, which continues a slanted surface as it is; else their mean.
 * Neighbours deeper in the solid belong to its other side. Returns the layer it then belongs to. */
static uint8_t extend_cell(const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    float line = 0, mean = 0, lowest = INFINITY, highest = -INFINITY, out[3];
    int lines = 0, count = 0;
    way_out(out, s, c);
    for (int d = 0; d < 2 * b->dim; ++d) {
        const ptrdiff_t step = d % 2 ? b->step[d / 2] : -b->step[d / 2];
        if (s->layer[c + step] >= s->now || (d % 2 ? out[d / 2] : -out[d / 2]) < 0) continue;
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

void surface_into_solids(float *phi, front *f, const mac_grid *g, const float *free_share,
                         const float *node_solid) {
    job s = {.g = g, .free_share = free_share, .node_solid = node_solid, .layer = f->layer, .out = phi};
    s.dx = (float)g->dx;
    s.range = range_cells(g);
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

/* Whether a cell outside the liquid has hardly any liquid around it. */
static int is_lonely(const float *phi, const box *b) {
    const int deep = b->dim == 3;
    int wet = 0;
    for (int dk = -deep; dk <= deep; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di) wet += phi[di + dj * b->step[1] + dk * b->step[2]] < 0;
    return wet <= (deep ? 3 : 1);
}

static void spray_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const uint32_t *start = s->p->cell_start + box_dense(b, 0, j, k);
        const float *phi = s->phi + box_at(b, 0, j, k);
        if (start[0] == start[b->n[0]]) continue;
        memset(s->p->spray + start[0], 0, start[b->n[0]] - start[0]);
        for (int i = 0; i < b->n[0]; ++i)
            if (start[i] < start[i + 1] && phi[i] >= 0 && is_lonely(phi + i, b))
                memset(s->p->spray + start[i], 1, start[i + 1] - start[i]);
    }
}

void surface_mark_spray(particles *p, const mac_grid *g, const float *phi) {
    job s = {.g = g, .phi = phi, .p = p, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), spray_task, &s);
}
