/* The volume that liquid takes up, from a surface that is smoothed over a cell's width.
 *
 * The surface is the half-full contour of a density that was smeared with a kernel of variance sigma^2
 * (stage/surface.c): on a straight surface it lies where the liquid ends, on one of curvature kappa it is
 * shifted inwards by sigma^2 kappa / 2. With V(l) the volume within the level phi = l, dV/dl = A and
 * d2V/dl2 = integral of kappa over A, so what was lost is sigma^2 V'' / 2, and
 *
 *   V = V(0) + sigma^2 V''(0) / 2 = (V(-sigma) + V(sigma)) / 2                        to second order.
 *
 * sigma^2 cells is the mean over a cell's faces of the variance of their weights across the surface: 1/6 of
 * the hat function, and 1/4 more for the two faces across. Levels are moved at the surface only: a cell with
 * liquid on all sides is full whatever its density, so liquid that has thinned out inside counts for the
 * space it takes.
 *
 * Where a cell and all cells around it have air beside them (drops, threads and sheets of up to two cells)
 * there is no inside to speak of, and the particles' own volume is counted; so it is within 1.5 cells of
 * walls thinner than a cell. Cubes between the samples belong to the cells at their corners, equally, so
 * every place is counted one way or the other.
 *
 * Limits: thin liquid is taken to be neither compressed nor thinned out; corners sharper than a cell stay
 * rounded. */
#include "stage/enclosed.h"

#include <math.h>
#include <string.h>
#include "geom/fractions.h"
#include "grid/rows.h"

enum { NEAR = 3 }; /* cells from the inside to where the smeared surface has ended */

typedef struct {
    const mac_grid *g;
    const float *phi, *node_solid, *gap;
    const particles *p;
    float *solid, *level; /* at centres: distance to solids; to the surface, with the inside far from it */
    const uint8_t *from;
    uint8_t *to;
    float sigma;            /* m */
    double particle_volume; /* cells */
    int axis;
    cell_range range;
} job;

static void solid_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int nodes = 1 << b->dim;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            float sum = 0;
            for (int n = 0; n < nodes; ++n)
                sum += s->node_solid[row + i + (n & 1) + (n >> 1 & 1) * b->step[1] + (n >> 2) * b->step[2]];
            s->solid[row + i] = sum / (float)nodes;
        }
    }
}

/* The cell itself or, beyond a side of the domain, the one before it. */
static ptrdiff_t cell_near(const box *b, int i, int j, int k) {
    const int at[3] = {i, j, k};
    ptrdiff_t c = b->first;
    for (int a = 0; a < b->dim; ++a)
        c += (at[a] < 0 ? 0 : at[a] >= b->n[a] ? b->n[a] - 1 : at[a]) * b->step[a];
    return c;
}

/* Liquid or wall in all cells around. */
static int is_inside(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int depth = b->dim == 3;
    if (s->phi[box_at(b, i, j, k)] >= 0) return 0;
    for (int dk = -depth; dk <= depth; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di) {
                const ptrdiff_t n = cell_near(b, i + di, j + dj, k + dk);
                if (s->phi[n] >= 0 && s->solid[n] > 0) return 0;
            }
    return 1;
}

static void inside_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) s->to[row + i] = (uint8_t)is_inside(s, i, j, k);
    }
}

/* Distances end at +-dx, which would bend the levels next to it: beyond, the straight line through the two
 * samples before along an axis says more, and never less than dx. */
static float distance_beyond(const job *s, int i, int j, int k, float side) {
    const box *b = &s->g->box;
    const float dx = (float)s->g->dx;
    float far = dx;
    for (int d = 0; d < 2 * b->dim; ++d) {
        const int a = d / 2, step = d % 2 ? 1 : -1, x = step * (a == 0), y = step * (a == 1),
                  z = step * (a == 2);
        const ptrdiff_t one = cell_near(b, i + x, j + y, k + z);
        const ptrdiff_t two = cell_near(b, i + 2 * x, j + 2 * y, k + 2 * z);
        if (one == two || fabsf(s->phi[one]) >= dx || fabsf(s->phi[two]) >= dx) continue;
        far = fmaxf(far, side * (2 * s->phi[one] - s->phi[two]));
    }
    return side * fminf(far, 2 * dx);
}

static void level_task(void *context, int block) {
    const job *s = context;
    const float dx = (float)s->g->dx;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const float phi = s->phi[row + i];
            const int thinned = s->from[row + i] && phi > -1.2f * s->sigma; /* no level there */
            s->level[row + i] =
                thinned || fabsf(phi) >= dx ? distance_beyond(s, i, j, k, phi < 0 ? -1 : 1) : phi;
        }
    }
}

/* Marks spread by NEAR cells along an axis. */
static void spread_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < b->n[0]; ++i) {
            const int at = s->axis == 0 ? i : s->axis == 1 ? j : k, last = b->n[s->axis] - 1;
            const ptrdiff_t c = box_at(b, i, j, k);
            int near = 0;
            for (int d = at < NEAR ? -at : -NEAR; d <= NEAR && at + d <= last; ++d)
                near |= s->from[c + d * b->step[s->axis]];
            s->to[c] = (uint8_t)near;
        }
    }
}

/* Samples on the two sides of a thin wall do not tell where between them liquid ends. */
static void wall_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            if (s->gap[row + i] < (float)(1.5 * s->g->dx)) s->to[row + i] = 0;
    }
}

/* Particles that are near no inside, in cells of volume. */
static double alone_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const uint32_t *start = s->p->cell_start + box_dense(b, 0, j, k);
        const uint8_t *resolved = s->from + box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i)
            if (!resolved[i]) sum += s->particle_volume * (double)(start[i + 1] - start[i]);
    }
    return sum;
}

/* The share of the cube between 2^dim samples that lies within a level, and outside solids. */
static double share_within(const float phi[8], const float solid[8], float level, int dim) {
    double corner[8];
    int negative = 0;
    for (int c = 0; c < 1 << dim; ++c) {
        corner[c] = (double)fmaxf(phi[c] - level, -solid[c]);
        negative += corner[c] < 0;
    }
    return negative == 0 ? 0 : negative == 1 << dim ? 1 : fraction_negative_cube(corner, dim);
}

/* Of the cubes on a side of the domain only the half before it counts, and has the samples before it. */
static double cube_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int corners = 1 << b->dim;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const int at[3] = {i, j, k};
            float phi[8], solid[8];
            int resolved = 0;
            double weight = 0.5 / corners;
            for (int a = 0; a < b->dim; ++a) weight *= at[a] < 0 || at[a] == b->n[a] - 1 ? 0.5 : 1;
            for (int c = 0; c < corners; ++c) {
                const ptrdiff_t n = cell_near(b, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                phi[c] = s->level[n];
                solid[c] = s->solid[n];
                resolved += s->from[n];
            }
            if (resolved)
                sum += weight * resolved *
                       (share_within(phi, solid, s->sigma, b->dim) +
                        share_within(phi, solid, -s->sigma, b->dim));
        }
    }
    return sum;
}

double enclosed_volume(const mac_grid *g, const float *phi, const float *node_solid, const float *gap,
                       const particles *p, double particle_volume, float *const scratch[2],
                       uint8_t *const marks[2]) {
    job s = {.g = g, .phi = phi, .node_solid = node_solid, .gap = gap, .p = p, .range = range_cells(g)};
    const double cell = g->dx * g->dx * g->dx;
    const int blocks = range_blocks(&s.range);
    s.solid = scratch[0];
    s.level = scratch[1];
    s.to = marks[0];
    s.sigma = (float)(g->dx * sqrt(1.0 / 6 + 0.25 / g->box.dim));
    s.particle_volume = particle_volume / cell;
    parallel_for(g->pool, blocks, solid_task, &s);
    parallel_for(g->pool, blocks, inside_task, &s);
    s.from = s.to;
    parallel_for(g->pool, blocks, level_task, &s);
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.from = marks[s.axis % 2];
        s.to = marks[1 - s.axis % 2];
        parallel_for(g->pool, blocks, spread_task, &s);
    }
    if (gap) parallel_for(g->pool, blocks, wall_task, &s);
    s.from = s.to;
    const double alone = parallel_sum(g->pool, blocks, alone_task, &s);
    for (int a = 0; a < g->box.dim; ++a) s.range.lower[a] = -1;
    return cell * (alone + parallel_sum(g->pool, range_blocks(&s.range), cube_task, &s));
}
