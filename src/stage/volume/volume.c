/* Drift correction: an implicit density projection on the system of the pressure solve.
 *
 *   div(w dt) = RATE (c - 1),   w = - grad psi
 *
 * Advected particles clump and spread although their velocity is divergence-free on the grid. Where the
 * density c of a cell differs from one, a displacement w dt brings it back; it comes from a second, loose
 * solve with the matrix at hand, and moves positions only, so no energy enters the velocities.
 *
 * Drops and films of less than half a cell fly without pressure, and where they meet, or a wall, they are
 * heaped up in a cell or two before it is felt. So what is denser than others by more than particles happen
 * to be spreads at once, near air from less on than deep inside, where a vortex alone makes them uneven; and
 * as a step is all the warning there is, steps are shorter while much of the liquid is so crowded
 * (volume_crowding(), sim/liquid.c). Where solids move, gaps beside them open and close by as much in a step,
 * and what they hold is given more time.
 *
 * Near the surface c < 1 says how full a cell is, not how dense: cells with air beside them are left alone
 * unless they hold far more than they can; and the next layer is compared with what liquid of density one
 * would show at its distance from the surface,
 *   c(d) = (H(d - 1/2) + H(d + 1/2)) / (2 dim) + (1 - 1/dim) H(d),   H(d) = 1 - (1 - d)^2 / 2 up to d = 1,
 * the share of the weights' support (stage/surface/surface.c) that lies below a straight surface d cells
 * away. Where a wall cuts that support the share is another one, and the few particles there cannot be as
 * even as that: such deviations never end, and the pressure answers them with a current that never ends. So
 * cells of that layer with cut faces are left alone unless they are badly off. Where liquid leaves a wall a
 * void opens inside the cell: such cells are left alone too, and their neighbours only thinned. Cells without
 * room for a density (0, in a wall) ask for nothing: they would draw in liquid for ever.
 *
 * Source: after Kugelstadt et al. 2019; docs/decisions/0002-volume-by-displacement.md,
 * 0017-crowded-liquid.md.
 *
 * Limits: the displacement lifts liquid: stage/rest/lift.c takes that out where it rests. */
#include "stage/volume/volume.h"

#include <math.h>
#include <string.h>
#include "core/lanes.h"
#include "grid/rows.h"
#include "grid/wrap.h"

#define RATE        0.3f /* of the deviation, a step */
#define SPREAD_FROM 0.1f /* what is denser by more than this spreads at once */
#define SPREAD_FROM_DEEP                                                                                     \
    0.25f /* and two cells and more below the surface, where particles alone are uneven */
#define SPREAD_FROM_BODIES 0.5f  /* and where solids move */
#define LOSS_MOST          0.25f /* largest loss of a cell's volume, a step */
#define GAIN_MOST          2.0f  /* and largest gain */
#define OVERFULL           1.2f  /* density from which cells with air beside them spread */
#define OVERFULL_BODIES    1.5f
#define DEVIATION_UNSURE                                                                                     \
    0.2f /* deviations up to this are let be in cut cells next to the surface's layer                        \
          */

enum { EIGHT = LANES }; /* cells looked at together, as bytes of a word */

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *density, *phi;
    float *outflow;
    uint8_t *depth;
    const uint8_t *voids;
    float scale, near, near_deep, overfull;
    cell_range range;
} job;

/* Axis by axis: few fields at a time are work for vectors. */
INLINE void depth_row(const job *s, ptrdiff_t row, int dim) {
    const int n = s->g->box.n[0];
    const float *phi = s->phi + row;
    uint8_t *restrict depth = s->depth + row;
    memset(depth, 0, (size_t)n);
    for (int i = 0; s->voids && i < n; ++i) depth[i] = s->voids[row + i] != 0;
    for (int a = 0; a < dim; ++a) {
        const ptrdiff_t step = s->g->box.step[a];
        const float *low = phi - step, *high = phi + step, *open = s->o->open.value[a] + row,
                    *beyond = open + step;
        for (int i = 0; i < n; ++i)
            depth[i] |= ((high[i] >= 0) & (beyond[i] > 0)) | ((low[i] >= 0) & (open[i] > 0)); /* air */
    }
    for (int i = 0; i < n; ++i) depth[i] = (uint8_t)(phi[i] < 0 ? 2 - depth[i] : 0);
}

/* 0: not liquid; 1: liquid with air beside; 2: surrounded by liquid or walls. */
INLINE void depth_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!row_is_wet(s->phi + row, b->n[0])) { /* most of the box */
            memset(s->depth + row, 0, (size_t)b->n[0]);
            continue;
        }
        depth_row(s, row, dim);
    }
}

/* The integral of the hat function up to d. */
INLINE float hat_share(float d) {
    const float t = greater(1 - fabsf(d), 0);
    return d > 0 ? 1 - 0.5f * t * t : 0.5f * t * t;
}

INLINE float density_at_depth(float d, int dim) {
    const float along = 1 / (float)dim;
    return 0.5f * along * (hat_share(d - 0.5f) + hat_share(d + 0.5f)) + (1 - along) * hat_share(d);
}

/* Distance in cells to the plane through the surface's crossings one to two cells away along the axes; 2
 * where there is none. */
INLINE float depth_below(const job *s, ptrdiff_t c, int dim) {
    float sum = 0.25f;
    for (int a = 0; a < dim; ++a) {
        const ptrdiff_t step = s->g->box.step[a];
        const float *open = s->o->open.value[a], *phi = s->phi;
        float least = 2;
        if (open[c + step] > 0 && open[c + 2 * step] > 0 && phi[c + step] < 0 && phi[c + 2 * step] >= 0)
            least = lesser(1 + phi[c + step] / (phi[c + step] - phi[c + 2 * step]), least);
        if (open[c] > 0 && open[c - step] > 0 && phi[c - step] < 0 && phi[c - 2 * step] >= 0)
            least = lesser(1 + phi[c - step] / (phi[c - step] - phi[c - 2 * step]), least);
        if (least < 2) sum = (sum > 0.25f ? sum : 0) + 1 / (least * least);
    }
    return 1 / sqrtf(sum);
}

/* Whether some face of a cell is open in part. */
INLINE int is_cut(const job *s, ptrdiff_t c, int dim) {
    int cut = 0;
    for (int a = 0; a < dim; ++a) {
        const float low = s->o->open.value[a][c], high = s->o->open.value[a][c + s->g->box.step[a]];
        cut |= (low > 0 && low < 1) | (high > 0 && high < 1);
    }
    return cut;
}

/* What of a deviation is more than `least`. */
INLINE float beyond(float off, float least) {
    return off > least ? off - least : off < -least ? off + least : 0;
}

/* The change of a cell's volume that is asked for when its density is off. */
INLINE float change_for(float off, float near) {
    const float change = off < near ? RATE * off : RATE * near + (off - near);
    return greater(lesser(change, GAIN_MOST), -LOSS_MOST);
}

/* What part of a cell's faces is open. */
INLINE float open_share(const job *s, ptrdiff_t c, int dim) {
    float open = 0;
    for (int a = 0; a < dim; ++a) open += s->o->open.value[a][c] + s->o->open.value[a][c + s->g->box.step[a]];
    return open / (float)(2 * dim);
}

/* Whether no neighbour has air beside it. What lies behind a wall is none, nor is the border. */
INLINE int is_deep(const job *s, ptrdiff_t c, int dim) {
    int deep = 1;
    for (int a = 0; a < dim; ++a) {
        const ptrdiff_t step = s->g->box.step[a];
        const float *open = s->o->open.value[a] + c;
        deep &=
            !((open[0] > 0) & (s->depth[c - step] == 1)) & !((open[step] > 0) & (s->depth[c + step] == 1));
    }
    return deep;
}

/* By how much a cell's density is off; air beside it is two cells away at least. */
INLINE float deviation(const job *s, ptrdiff_t c, int deep, int dim) {
    const ptrdiff_t *step = s->g->box.step;
    int opens = 0;
    for (int a = 0; a < dim; ++a) opens |= s->voids && (s->voids[c - step[a]] | s->voids[c + step[a]]);
    const float wanted = deep ? 1 : density_at_depth(depth_below(s, c, dim), dim);
    const float off = beyond(s->density[c] - wanted, !deep && is_cut(s, c, dim) ? DEVIATION_UNSURE : 0);
    return opens ? greater(off, 0) : off;
}

INLINE float outflow_of(const job *s, ptrdiff_t c, int dim) {
    const int deep = s->depth[c] == 2 && is_deep(s, c, dim);
    float off;
    if (s->depth[c] == 2) off = s->density[c] > 0 ? deviation(s, c, deep, dim) : 0;
    else if (s->depth[c] == 1 && s->density[c] > s->overfull && !is_cut(s, c, dim)) off = s->density[c] - 1;
    else return 0;
    return s->scale * change_for(off, deep ? s->near_deep : s->near) * open_share(s, c, dim);
}

INLINE int is_dry_eight(const job *s, ptrdiff_t c) {
    uint64_t word;
    memcpy(&word, s->depth + c, sizeof word);
    return word == 0;
}

/* Whether eight cells and all their neighbours are surrounded by liquid or walls. */
INLINE int is_deep_eight(const job *s, ptrdiff_t c, int dim) {
    uint64_t off = 0, word;
    for (int a = 0; a < dim; ++a)
        for (int side = -1; side <= 1; ++side) {
            memcpy(&word, s->depth + c + side * s->g->box.step[a], sizeof word);
            off |= word ^ 0x0202020202020202u;
        }
    return !off && !s->voids;
}

/* outflow_of() of these. */
INLINE void deep_outflow(const job *s, ptrdiff_t c, int dim) {
    const vec8 density = vec8_load(s->density + c), off = vec8_select(density > 0, density - 1, vec8_all(0));
    vec8 change = vec8_select(off < s->near_deep, RATE * off, RATE * s->near_deep + (off - s->near_deep)),
         open = {0};
    change = vec8_select(change < GAIN_MOST, change, vec8_all(GAIN_MOST));
    change = vec8_select(change > -LOSS_MOST, change, vec8_all(-LOSS_MOST));
    for (int a = 0; a < dim; ++a)
        open += vec8_load(s->o->open.value[a] + c) + vec8_load(s->o->open.value[a] + c + s->g->box.step[a]);
    vec8_store(s->outflow + c, s->scale * change * (open / (float)(2 * dim)));
}

INLINE void outflow_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!row_is_wet(s->phi + row, b->n[0])) {
            memset(s->outflow + row, 0, (size_t)b->n[0] * sizeof *s->outflow);
            continue;
        }
        for (int i = 0; i < b->n[0]; i += EIGHT) {
            const int count = b->n[0] - i < EIGHT ? b->n[0] - i : EIGHT;
            if (count == EIGHT && is_dry_eight(s, row + i))
                memset(s->outflow + row + i, 0, EIGHT * sizeof(float));
            else if (count == EIGHT && is_deep_eight(s, row + i, dim)) deep_outflow(s, row + i, dim);
            else
                for (int e = i; e < i + count; ++e) s->outflow[row + e] = outflow_of(s, row + e, dim);
        }
    }
}

HOT static void depth_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) depth_block(s, block, 3);
    else depth_block(s, block, 2);
}

HOT static void outflow_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) outflow_block(s, block, 3);
    else outflow_block(s, block, 2);
}

void volume_outflow(float *outflow, uint8_t *depth, const mac_grid *g, const openings *o,
                    const float *density, const float *phi, const uint8_t *voids, int moving, double dt) {
    job s = {.g = g, .o = o, .density = density, .phi = phi, .outflow = outflow, .depth = depth};
    s.voids = voids;
    s.near = moving ? SPREAD_FROM_BODIES : SPREAD_FROM;
    s.near_deep = moving ? SPREAD_FROM_BODIES : SPREAD_FROM_DEEP;
    s.overfull = moving ? OVERFULL_BODIES : OVERFULL;
    s.scale = (float)(g->dx / dt);
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), depth_task, &s);
    wrap_bytes(depth, g);
    parallel_for(g->pool, range_blocks(&s.range), outflow_task, &s);
}

/* ---- liquid that hardly moves ---- */

typedef struct {
    float *outflow;
    const mac_grid *g;
    const mac_field *u;
    const float *phi;
    cell_range range;
} limit_job;

HOT static void limit_task(void *context, int block) {
    const limit_job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!row_is_wet(s->phi + row, b->n[0])) continue;
        for (ptrdiff_t c = row; c < row + b->n[0]; ++c) {
            float most = 0;
            for (int a = 0; a < b->dim; ++a) {
                const float *u = s->u->value[a];
                most = greater(most, greater(fabsf(u[c]), fabsf(u[c + b->step[a]])));
            }
            s->outflow[c] = greater(lesser(s->outflow[c], most), -most);
        }
    }
}

void volume_limit_by_flow(float *outflow, const mac_grid *g, const mac_field *u, const float *phi) {
    limit_job s = {outflow, g, u, phi, range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), limit_task, &s);
}

/* ---- liquid that is crowded ---- */

/* What cells hold beyond OVERFULL, in cells. Those that walls cut have too few particles to tell. */
HOT static double crowding_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (ptrdiff_t c = row; c < row + b->n[0]; ++c)
            if (s->density[c] > OVERFULL && !is_cut(s, c, b->dim)) sum += (double)(s->density[c] - OVERFULL);
    }
    return sum;
}

double volume_crowding(const mac_grid *g, const openings *o, const float *density) {
    job s = {.g = g, .o = o, .density = density, .range = range_cells(g)};
    return g->dx * g->dx * g->dx * parallel_sum(g->pool, range_blocks(&s.range), crowding_task, &s);
}
