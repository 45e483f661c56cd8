/* The volume that liquid takes up, from a surface that is smoothed over a cell's width.
 *
 * The surface is the half-full contour of a density that was smeared with a kernel of variance sigma^2
 * (stage/surface/surface.c): on a straight surface it lies where the liquid ends, on one of curvature kappa
 * it is shifted inwards by sigma^2 kappa / 2. With V(l) the volume within the level phi = l, dV/dl = A and
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
 * there is no inside to speak of, and the particles' own volume is counted; so it is where the surface is
 * within a cell and a wall within 1.5: a wedge of liquid on an oblique wall has no density in the wall to be
 * smeared with, and the level would cut its edge off. Within 1.5 cells of walls thinner than a cell, below
 * the surface, the open share of cells counts.
 *
 * Volumes are those of cubes between centres. A cube consists of an octant of each of its cells, so where
 * not all of these are counted in this way, or a wall is near, octants are measured one by one: every place
 * is counted once. Walls end where they do for the particles, by the distance on the nodes; by its means at
 * centres vessels would be rounder and smaller than they are, by 1 % in a box of 20 cells. Levels that are
 * moved leave part of one cell's liquid to the next, which the edge on a wall cannot take: they are moved
 * less and less from 2.5 cells to 1.5 from walls.
 *
 * Limits: thin liquid is taken to be neither compressed nor thinned out; corners sharper than a cell stay
 * rounded. */
#include "stage/surface/enclosed.h"

#include <math.h>
#include <string.h>
#include "core/lanes.h"
#include "geom/fractions.h"
#include "grid/rows.h"

#define ENCLOSED_WALL 1.5f /* cells: the edge of the surface on a wall reaches so far */
#define BESIDE                                                                                               \
    1.0f /* cells: a cube with all its corners farther from walls than half its diagonal is not cut */
enum { ENCLOSED_REACH = 3 };             /* cells from the inside to where the smeared surface has ended */
enum { RESOLVED = 1, BESIDE_WALL = 16 }; /* marks of cells; their sum over a cube's corners tells both */

typedef struct {
    const mac_grid *g;
    const float *phi, *node_solid, *thin_distance, *filled;
    const particles *p;
    float *solid, *level; /* at centres: distance to solids; to the surface, with the inside far from it */
    float *shift;         /* of the levels; where the former was */
    uint8_t *from, *to;   /* marks of cells */
    float sigma;          /* m */
    double full;          /* particles in a cell */
    int axis, reach;      /* of spread_task() */
    cell_range range;
} job;

/* The distance to solids at centres, and which cells hold air. */
INLINE void solid_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    const ptrdiff_t next = dim == 3 ? b->step[2] : 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const float *low = s->node_solid + row, *high = low + b->step[1];
        for (int i = 0; i < b->n[0]; ++i) {
            float sum = ((low[i] + low[i + 1]) + high[i]) + high[i + 1];
            if (dim == 3)
                sum = (((sum + low[i + next]) + low[i + next + 1]) + high[i + next]) + high[i + next + 1];
            sum *= dim == 3 ? 0.125f : 0.25f;
            s->solid[row + i] = sum;
            s->to[row + i] = (s->phi[row + i] >= 0) & (sum > 0);
        }
    }
}

HOT static void solid_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) solid_block(s, block, 3);
    else solid_block(s, block, 2);
}

/* Marks spread by `reach` cells along an axis. */
HOT static void spread_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int n = b->n[0], reach = s->reach;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const int at = s->axis == 1 ? j : k, last = b->n[s->axis] - 1;
        const uint8_t *from = s->from + row;
        uint8_t *to = s->to + row;
        memcpy(to, from, (size_t)n);
        for (int d = -reach; d <= reach; ++d) {
            const int off = s->axis > 0 && (at + d < 0 || at + d > last);
            const int first = s->axis == 0 && d < 0 ? -d : 0, end = s->axis == 0 && d > 0 ? n - d : n;
            const uint8_t *other = from + d * b->step[s->axis];
            for (int i = first; i < end && !off; ++i) to[i] |= other[i];
        }
    }
}

/* In s->from and s->to in turn; they end in s->from. */
static void spread(job *s, int reach) {
    s->reach = reach;
    for (s->axis = 0; s->axis < s->g->box.dim; ++s->axis) {
        parallel_for(s->g->pool, range_blocks(&s->range), spread_task, s);
        uint8_t *const made = s->to;
        s->to = s->from;
        s->from = made;
    }
}

/* Liquid with liquid or wall in all cells around: marks are of air beside. */
HOT static void inside_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            s->from[row + i] = (s->phi[row + i] < 0) & (s->from[row + i] == 0);
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
        far = greater(side * (2 * s->phi[one] - s->phi[two]), far);
    }
    return side * lesser(far, 2 * dx);
}

static void level_cells(const job *s, int i, int end, int j, int k) {
    const float dx = (float)s->g->dx;
    for (; i < end; ++i) {
        const ptrdiff_t c = box_at(&s->g->box, i, j, k);
        const float phi = s->phi[c];
        const int thinned = s->from[c] && phi > -1.2f * s->sigma; /* no level there */
        s->level[c] = thinned || fabsf(phi) >= dx ? distance_beyond(s, i, j, k, phi < 0 ? -1 : 1) : phi;
    }
}

/* The same for eight cells, two or more from the sides across x. */
INLINE void level_eight(const job *s, int i, int j, int k, int dim) {
    const box *b = &s->g->box;
    const ptrdiff_t c = box_at(b, i, j, k);
    const int at[3] = {i, j, k};
    const vec8 dx = vec8_all((float)s->g->dx), phi = vec8_load(s->phi + c);
    const vec8 side = vec8_select(phi < 0, vec8_all(-1), vec8_all(1));
    vec8 far = dx;
    for (int a = 0; a < dim; ++a)
        for (int step = -1; step <= 1; step += 2) {
            if (a > 0 && (at[a] + 2 * step < 0 || at[a] + 2 * step >= b->n[a])) continue;
            const vec8 one = vec8_load(s->phi + c + step * b->step[a]);
            const vec8 two = vec8_load(s->phi + c + 2 * step * b->step[a]);
            const int8 known = (one < dx) & (one > -dx) & (two < dx) & (two > -dx);
            const vec8 straight = side * (2 * one - two);
            far = vec8_select(known & (straight > far), straight, far);
        }
    far = side * vec8_select(far < 2 * dx, far, 2 * dx);
    const int8 thinned = mask_load(s->from + c) & (phi > vec8_all(-1.2f * s->sigma));
    vec8_store(s->level + c, vec8_select(thinned | (phi >= dx) | (phi <= -dx), far, phi));
}

INLINE void level_block(const job *s, int block, int dim) {
    const int n = s->g->box.n[0];
    FOR_ROWS(&s->range, block, j, k) {
        int i = 2;
        level_cells(s, 0, n < 2 ? n : 2, j, k);
        for (; i + LANES + 2 <= n; i += LANES) level_eight(s, i, j, k, dim);
        level_cells(s, i, n, j, k);
    }
}

HOT static void level_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) level_block(s, block, 3);
    else level_block(s, block, 2);
}

/* The edge of the surface on a wall. */
INLINE int is_edge(const job *s, ptrdiff_t c) {
    const float dx = (float)s->g->dx;
    return (s->phi[c] <= 0) & (s->phi[c] > -0.999f * dx) & (s->solid[c] < ENCLOSED_WALL * dx);
}

static int is_beside_edge(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int deep = b->dim == 3;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                if (is_edge(s, cell_near(b, i + x, j + y, k + z))) return 1;
    return 0;
}

/* Samples on the two sides of a thin wall do not tell where between them liquid ends, nor those at the edge
 * of the surface on a wall: the smeared density lacks there what would be in the wall. The air above that
 * edge goes with it, and farther: cubes between the two would count what their particles do once more. Air
 * under a solid that hangs over the liquid has no such edge, and stays with the liquid below it. */
HOT static void wall_task(void *context, int block) {
    const job *s = context;
    const float dx = (float)s->g->dx, wall = ENCLOSED_WALL * dx, air = 2 * dx;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        uint8_t *resolved = s->from + row;
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            if (!resolved[i] || s->solid[row + i] >= air) continue;
            if (s->phi[row + i] > 0 ? is_beside_edge(s, i, j, k) : is_edge(s, row + i)) resolved[i] = 0;
        }
        for (int i = 0; s->thin_distance && i < s->g->box.n[0]; ++i)
            if (s->thin_distance[row + i] < wall) resolved[i] = 0;
    }
}

/* How many particles are near no inside, or would be in what is filled beside a thin wall. What was crushed
 * into a solid, in cells that have no room outside of it, takes up no space. */
HOT static double alone_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const float buried = (float)(-0.5 * sqrt(b->dim) * s->g->dx);
    uint64_t sum = 0;
    double filled = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const uint32_t *start = s->p->cell_start + box_dense(b, 0, j, k);
        const uint8_t *resolved = s->from + row;
        const float *solid = s->solid + row;
        for (int i = 0; i < b->n[0]; ++i) {
            const int known = s->thin_distance &&
                              s->thin_distance[row + i] < ENCLOSED_WALL * (float)s->g->dx &&
                              s->filled[row + i] >= 0;
            if (known) filled += (double)s->filled[row + i];
            sum += resolved[i] || known || solid[i] < buried ? 0 : start[i + 1] - start[i];
        }
    }
    return (double)sum + filled * s->full;
}

/* By how much the distance to solids grows, per metre, away from the surface: the cosine of the angle between
 * the two. */
static float slope_to_surface(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const float *node = s->node_solid + box_at(b, i, j, k);
    float dot = 0, size[2] = {0, 0};
    for (int a = 0; a < b->dim; ++a) {
        const int x = a == 0, y = a == 1, z = a == 2;
        const float level =
            s->level[cell_near(b, i + x, j + y, k + z)] - s->level[cell_near(b, i - x, j - y, k - z)];
        float solid = 0;
        for (int c = 0; c < 1 << b->dim; ++c) {
            const float at = node[(c & 1) + (c >> 1 & 1) * b->step[1] + (c >> 2) * b->step[2]];
            solid += c >> a & 1 ? at : -at;
        }
        dot += level * solid;
        size[0] += level * level;
        size[1] += solid * solid;
    }
    return dot / (sqrtf(size[0]) * sqrtf(size[1]) + 1e-30f);
}

/* How far the levels are moved at a sample, which takes the place of the distance to solids: not beside
 * walls, judged at the surface's nearest place, so that both levels are moved by the same there. Cells
 * beside walls get a mark of their own. */
static void shift_task(void *context, int block) {
    const job *s = context;
    const float dx = (float)s->g->dx;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const float solid = s->solid[row + i], level = s->level[row + i];
            const int far = solid >= (ENCLOSED_WALL + 3) * dx;
            const float there = far ? solid : solid - level * slope_to_surface(s, i, j, k);
            s->shift[row + i] = s->sigma * greater(0, lesser(1, there / dx - ENCLOSED_WALL));
            if (solid < BESIDE * dx) s->from[row + i] |= BESIDE_WALL;
        }
    }
}

/* Where samples lie: outside both levels, within both, or neither. */
enum { OUTSIDE = 0, BETWEEN = 1, WITHIN = 2 };

HOT static void side_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        const float *level = s->level + row;
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const float shift = s->shift[row + i];
            s->to[row + i] = (uint8_t)((level[i] + shift < 0) + (level[i] - shift < 0));
        }
    }
}

/* The rows of samples around a row of cubes. Of the cubes on a side of the domain only the half before it
 * counts, and has the samples before it. */
typedef struct cube_row {
    ptrdiff_t sample[4]; /* of the first cells */
    double weight;       /* of a cube, by its corners and its levels */
    int low, high;       /* bits of the axes on whose lower or upper side of the domain it lies */
} cube_row;

static cube_row cubes_of(const box *b, int j, int k) {
    cube_row r = {.weight = 0.5 / (1 << b->dim)};
    const int at[3] = {0, j, k};
    for (int a = 1; a < b->dim; ++a) {
        r.low |= (at[a] < 0) << a;
        r.high |= (at[a] == b->n[a] - 1) << a;
        r.weight *= (r.low | r.high) >> a & 1 ? 0.5 : 1;
    }
    for (int c = 0; c < 1 << (b->dim - 1); ++c) r.sample[c] = cell_near(b, 0, j + (c & 1), k + (c >> 1));
    return r;
}

/* A cube between samples: their cells, and both levels at them. */
typedef struct cube {
    ptrdiff_t cell[8];
    float level[2][8];
    int low, high, marks;
} cube;

/* The distance to solids on the corners of an octant of a cell: means of its nodes'. Corners have bits set
 * along the axes where they lie on the cell's side `near`, not in its middle. */
static void octant_solids(float solid[8], const job *s, ptrdiff_t cell, int near) {
    const box *b = &s->g->box;
    const int corners = 1 << b->dim;
    for (int c = 0; c < corners; ++c) {
        const int n = (near ^ ~c) & (corners - 1);
        solid[c] = s->node_solid[cell + (n & 1) + (n >> 1 & 1) * b->step[1] + (n >> 2) * b->step[2]];
    }
    for (int bit = 1; bit < corners; bit *= 2)
        for (int c = 0; c < corners; ++c)
            if (!(c & bit)) solid[c] = 0.5f * (solid[c] + solid[c + bit]);
}

/* What of the octant between sample `of` of a cube and its middle is within both levels and outside solids.
 */
static double octant_within(const job *s, const cube *q, int of) {
    const int dim = s->g->box.dim, corners = 1 << dim, cell = (of & ~q->high) | q->low;
    float solid[8];
    double sum = 0;
    octant_solids(solid, s, q->cell[of], ~cell & (corners - 1));
    for (int l = 0; l < 2; ++l) {
        float level[8];
        double corner[8] = {0};
        for (int c = 0; c < corners; ++c) level[c] = q->level[l][of ^ c];
        for (int bit = 1; bit < corners; bit *= 2)
            for (int c = 0; c < corners; ++c)
                if (c & bit) level[c] = 0.5f * (level[c] + level[c - bit]);
        for (int c = 0; c < corners; ++c) corner[c] = (double)greater(level[c], -solid[c]);
        sum += fraction_negative_cube(corner, dim);
    }
    return sum;
}

/* What of a cube is within both levels, times its corners. */
static double cube_within(const job *s, const cube *q) {
    const int dim = s->g->box.dim;
    double sum = 0;
    if (q->marks == RESOLVED << dim) {
        for (int l = 0; l < 2; ++l) {
            double corner[8] = {0};
            for (int c = 0; c < 1 << dim; ++c) corner[c] = (double)q->level[l][c];
            sum += fraction_negative_cube(corner, dim);
        }
        return sum * (1 << dim);
    }
    for (int c = 0; c < 1 << dim; ++c)
        if (s->from[q->cell[c]] & RESOLVED) sum += octant_within(s, q, c);
    return sum;
}

/* That between the samples `low` and `high` of its rows. */
static double cube_between(const job *s, const cube_row *r, int low, int high) {
    cube q = {.low = r->low | (high == 0), .high = r->high | (low == s->g->box.n[0] - 1)};
    for (int c = 0; c < 1 << s->g->box.dim; ++c) {
        const ptrdiff_t n = r->sample[c >> 1] + (c & 1 ? high : low);
        q.cell[c] = n;
        q.level[0][c] = s->level[n] + s->shift[n];
        q.level[1][c] = s->level[n] - s->shift[n];
        q.marks += s->from[n];
    }
    return cube_within(s, &q);
}

enum { ENCLOSED_STRETCH = 64 };

/* Cubes from `first` on. Most lie wholly on one side. */
INLINE double cube_stretch(const job *s, const cube_row *r, int first, int count, int dim) {
    const int rows = 1 << (dim - 1), whole = WITHIN * 2 * rows;
    uint8_t side[ENCLOSED_STRETCH] = {0}, marks[ENCLOSED_STRETCH] = {0};
    int full = 0;
    double sum = 0;
    for (int c = 0; c < rows; ++c) {
        const uint8_t *to = s->to + r->sample[c] + first, *from = s->from + r->sample[c] + first;
        for (int i = 0; i < count; ++i) {
            side[i] = (uint8_t)(side[i] + to[i] + to[i + 1]);
            marks[i] = (uint8_t)(marks[i] + from[i] + from[i + 1]);
        }
    }
    for (int i = 0; i < count; ++i) full += side[i] == whole && marks[i] < BESIDE_WALL ? marks[i] : 0;
    for (int i = 0; i < count; ++i) {
        const int cut = side[i] > 0 && (side[i] < whole || marks[i] >= BESIDE_WALL);
        if (cut && marks[i] % BESIDE_WALL) sum += cube_between(s, r, first + i, first + i + 1);
    }
    return sum + 2 * full;
}

INLINE double cube_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    const int last = b->n[0] - 1;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const cube_row r = cubes_of(b, j, k);
        double all = 0.5 * (cube_between(s, &r, 0, 0) + cube_between(s, &r, last, last));
        for (int i = 0; i < last; i += ENCLOSED_STRETCH)
            all += cube_stretch(s, &r, i, last - i < ENCLOSED_STRETCH ? last - i : ENCLOSED_STRETCH, dim);
        sum += r.weight * all;
    }
    return sum;
}

HOT static double cube_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? cube_block(s, block, 3) : cube_block(s, block, 2);
}

double enclosed_volume(const mac_grid *g, const float *phi, const float *node_solid,
                       const float *thin_distance, const float *filled, const particles *p,
                       double particle_volume, float *const scratch[2], uint8_t *const marks[2]) {
    job s = {.g = g,
             .phi = phi,
             .node_solid = node_solid,
             .thin_distance = thin_distance,
             .p = p,
             .range = range_cells(g)};
    const int blocks = range_blocks(&s.range);
    s.filled = filled;
    s.full = g->dx * g->dx * g->dx / particle_volume;
    s.solid = s.shift = scratch[0];
    s.level = scratch[1];
    s.from = marks[1];
    s.to = marks[0];
    s.sigma = (float)(g->dx * sqrt(1.0 / 6 + 0.25 / g->box.dim));
    parallel_for(g->pool, blocks, solid_task, &s);
    s.from = marks[0];
    s.to = marks[1];
    spread(&s, 1);
    parallel_for(g->pool, blocks, inside_task, &s);
    parallel_for(g->pool, blocks, level_task, &s);
    spread(&s, ENCLOSED_REACH);
    parallel_for(g->pool, blocks, wall_task, &s);
    const double alone = parallel_sum(g->pool, blocks, alone_task, &s) * particle_volume;
    parallel_for(g->pool, blocks, shift_task, &s);
    parallel_for(g->pool, blocks, side_task, &s);
    for (int a = 1; a < g->box.dim; ++a) s.range.lower[a] = -1;
    return alone + g->dx * g->dx * g->dx * parallel_sum(g->pool, range_blocks(&s.range), cube_task, &s);
}
