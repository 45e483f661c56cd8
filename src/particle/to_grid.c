/* Particles to faces: u_f = sum_p w_fp (v_p + dx C_p (x_f - x_p)) / sum_p w_fp, w = product of hats (1 -
 * |x|)+.
 *
 * Zhu and Bridson 2005 (C = 0) and Jiang et al. 2015 (affine). A particle of cell c reaches, for the
 * component across `axis`, the two faces of c along that axis and the three rows of face centres c - 1, c, c
 * + 1 along the others; hats written with (.)+ need no case for the half of the cell it lies in. So all
 * particles of a cell sum into the same registers, which are added to memory once a cell.
 *
 * Threads: slabs of SLAB planes (rows in 2D) of cells touch one more plane on either side, so that the even
 * slabs are free of each other, and then the odd ones. A slab also clears the planes it comes to first and
 * divides those it leaves last. The order of every sum is that of the sorted particles, slab colour by slab
 * colour: no thread matters. Along periodic axes what landed in the border is added to the other side before
 * anything is divided. Limits: particles strictly inside the box, in sorted order. */
#include "particle/transfer.h"

#include <assert.h>
#include "grid/wrap.h"
#include "particle/lanes.h"

enum {
    SLAB = 4,
    BATCH = 256 /* particles made ready at a time */
};

typedef struct spreading {
    const mac_grid *g;
    const particles *p;
    float *u[3], *weight[3];
    int affine;
    int parity;
    int sums_only; /* nothing is divided yet */
} spreading;

/* What a run of particles of one row needs, a column a quantity. f: place in the cell; a = f - 1/2; b = |a|;
 * outer: weights of the rows before, in and behind the cell along y [0] and z [1], and weight times distance.
 */
typedef struct batch {
    size_t begin, end;
    float f[3][BATCH], a[3][BATCH], b[3][BATCH];
    float outer[2][3][BATCH], lever[2][3][BATCH];
} batch;

/* Reads whole lanes: columns are padded behind the last particle. */
INLINE void make_ready(batch *r, const particles *p, size_t begin, size_t end, int j, int k, int dim,
                       int affine) {
    r->begin = begin;
    r->end = end < begin + BATCH ? end : begin + BATCH;
    for (size_t q = 0; q < r->end - begin; q += LANES)
        for (int axis = 0; axis < dim; ++axis) {
            vec8 x = vec8_load(p->x[axis] + begin + q), f;
            int8 cell;
            if (axis == 0) f = vec8_split(&cell, x);
            else f = x - (float)(axis == 1 ? j : k);
            vec8 a = f - 0.5f, b = (vec8)((int8)a & INT32_MAX);
            vec8_store(r->f[axis] + q, f);
            vec8_store(r->a[axis] + q, a);
            vec8_store(r->b[axis] + q, b);
            if (axis == 0 || dim == 2) continue;
            vec8 w[3] = {0.5f * b - 0.5f * a, 1 - b, 0.5f * b + 0.5f * a};
            for (int o = 0; o < 3; ++o) {
                vec8_store(r->outer[axis - 1][o] + q, w[o]);
                if (affine) vec8_store(r->lever[axis - 1][o] + q, w[o] * ((float)(o - 1) - a));
            }
        }
}

/* The lanes of a component: faces of a plane spanned by x and a second axis, 6 of 8 lanes in use.
 *   across x: x0y0 x1y0 x0y1 x1y1 | x0y2 x1y2 - -        second axis y, outer axis z
 *   across y: x0y0 x1y0 x2y0  -   | x0y1 x1y1 x2y1 -     second axis y, outer axis z
 *   across z: x0z0 x1z0 x2z0  -   | x0z1 x1z1 x2z1 -     second axis z, outer axis y
 * Own faces weigh 1 - f and f; rows of centres (b - a) / 2, 1 - b, (b + a) / 2: exact and without a branch.
 */
INLINE vec8 lanes_x(const batch *r, size_t q, int axis) {
    if (axis == 0) return (vec8){1, 0, 1, 0, 1, 0, 0, 0} + (vec8){-1, 1, -1, 1, -1, 1, 0, 0} * r->f[0][q];
    return (vec8){0, 1, 0, 0, 0, 1, 0, 0} + ((vec8){0.5f, -1, 0.5f, 0, 0.5f, -1, 0.5f, 0} * r->b[0][q] +
                                             (vec8){-0.5f, 0, 0.5f, 0, -0.5f, 0, 0.5f, 0} * r->a[0][q]);
}

INLINE vec8 lanes_second(const batch *r, size_t q, int axis) {
    if (axis == 0)
        return (vec8){0, 0, 1, 1, 0, 0, 0, 0} + ((vec8){0.5f, 0.5f, -1, -1, 0.5f, 0.5f, 0, 0} * r->b[1][q] +
                                                 (vec8){-0.5f, -0.5f, 0, 0, 0.5f, 0.5f, 0, 0} * r->a[1][q]);
    return (vec8){1, 1, 1, 1, 0, 0, 0, 0} + (vec8){-1, -1, -1, -1, 1, 1, 1, 1} * r->f[axis][q];
}

/* Face minus particle along x and along the second axis, cells. */
INLINE vec8 away_x(const batch *r, size_t q, int axis) {
    if (axis == 0) return (vec8){0, 1, 0, 1, 0, 1, 0, 0} - r->f[0][q];
    return (vec8){-1, 0, 1, 0, -1, 0, 1, 0} - r->a[0][q];
}

INLINE vec8 away_second(const batch *r, size_t q, int axis) {
    if (axis == 0) return (vec8){-1, -1, 0, 0, 1, 1, 0, 0} - r->a[1][q];
    return (vec8){0, 0, 0, 0, 1, 1, 1, 1} - r->f[axis][q];
}

INLINE int second_axis(int axis) {
    return axis == 0 ? 1 : axis;
}

INLINE int outer_axis(int axis) {
    return axis == 2 ? 1 : 2;
}

/* Momentum and weight of the plane for each of the (up to three) places along the outer axis. */
typedef struct cell_sums {
    vec8 momentum[3], weight[3];
} cell_sums;

INLINE void add_particle(cell_sums *s, const particles *p, const batch *r, size_t i, float dx, int axis,
                         int dim, int affine) {
    size_t q = i - r->begin;
    int second = second_axis(axis), outer = outer_axis(axis);
    vec8 weight = lanes_x(r, q, axis) * lanes_second(r, q, axis), momentum, twist = {0};
    if (affine) {
        const float *const *c = (const float *const *)p->extra + axis * dim;
        momentum = weight * (p->v[axis][i] + ((c[0][i] * dx) * away_x(r, q, axis) +
                                              (c[second][i] * dx) * away_second(r, q, axis)));
        if (dim == 3) twist = weight * (c[outer][i] * dx);
    } else {
        momentum = weight * p->v[axis][i];
    }
    if (dim == 2) {
        s->momentum[0] += momentum;
        s->weight[0] += weight;
        return;
    }
    for (int o = 0; o < 3; ++o) {
        float w = r->outer[outer - 1][o][q];
        s->weight[o] += weight * w;
        if (affine) s->momentum[o] += momentum * w + twist * r->lever[outer - 1][o][q];
        else s->momentum[o] += momentum * w;
    }
}

INLINE void add_lanes(float *to, vec4 sum) {
    vec4_store(to, vec4_load(to) + sum);
}

/* Adds one plane of sums to a field. Unused lanes add 0. */
INLINE void add_plane(float *to, vec8 s, ptrdiff_t row, int axis) {
    if (axis == 0) {
        add_lanes(to, (vec4){s[0], s[1], 0, 0});
        add_lanes(to + row, (vec4){s[2], s[3], 0, 0});
        add_lanes(to + 2 * row, (vec4){s[4], s[5], 0, 0});
    } else {
        add_lanes(to, (vec4){s[0], s[1], s[2], s[3]});
        add_lanes(to + row, (vec4){s[4], s[5], s[6], s[7]});
    }
}

/* Particles [begin, end), all in the cell at index `cell`; component `axis`. */
INLINE void spread_cell(const spreading *t, const batch *r, size_t begin, size_t end, ptrdiff_t cell,
                        int axis, int dim, int affine) {
    const box *b = &t->g->box;
    cell_sums s = {0};
    for (size_t q = begin; q < end; ++q) add_particle(&s, t->p, r, q, (float)t->g->dx, axis, dim, affine);
    ptrdiff_t first = cell - (axis == 0 ? 0 : 1) - (axis == 1 ? 0 : b->step[1]);
    if (dim == 3 && axis != 2) first -= b->step[2];
    ptrdiff_t row = b->step[second_axis(axis)], outer = b->step[outer_axis(axis)];
    for (int o = 0; o < (dim == 3 ? 3 : 1); ++o) {
        add_plane(t->u[axis] + first + o * outer, s.momentum[o], row, axis);
        add_plane(t->weight[axis] + first + o * outer, s.weight[o], row, axis);
    }
}

INLINE void spread_row_dim(const spreading *t, int j, int k, int dim, int affine) {
    const box *b = &t->g->box;
    const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
    size_t end = start[b->n[0]];
    batch r;
    r.begin = r.end = start[0];
    for (int i = 0; start[i] < end; ++i)
        for (size_t q = start[i]; q < start[i + 1];) { /* once, or more for a cell that is cut by a batch */
            if (q == r.end) make_ready(&r, t->p, q, end, j, k, dim, affine);
            size_t stop = start[i + 1] < r.end ? start[i + 1] : r.end;
            ptrdiff_t cell = box_at(b, i, j, k);
            spread_cell(t, &r, q, stop, cell, 0, dim, affine);
            spread_cell(t, &r, q, stop, cell, 1, dim, affine);
            if (dim == 3) spread_cell(t, &r, q, stop, cell, 2, dim, affine);
            q = stop;
        }
}

HOT static void spread_row(const spreading *t, int j, int k) {
    if (t->g->box.dim == 3) {
        if (t->affine) spread_row_dim(t, j, k, 3, 1);
        else spread_row_dim(t, j, k, 3, 0);
    } else {
        if (t->affine) spread_row_dim(t, j, k, 2, 1);
        else spread_row_dim(t, j, k, 2, 0);
    }
}

/* A layer is a plane in 3D, a row in 2D; its memory is contiguous. */
typedef struct layers {
    ptrdiff_t step, size;
    int n; /* owned */
} layers;

static layers layers_of(const box *b) {
    return (layers){b->step[b->dim - 1], b->step[b->dim - 1], b->n[b->dim - 1]};
}

static void clear_layer(const spreading *t, int layer) {
    layers l = layers_of(&t->g->box);
    if (layer < -GHOST || layer > l.n + GHOST) return;
    ptrdiff_t at = (layer + GHOST) * l.step;
    for (int axis = 0; axis < t->g->box.dim; ++axis) {
        memset(t->u[axis] + at, 0, (size_t)l.size * sizeof(float));
        memset(t->weight[axis] + at, 0, (size_t)l.size * sizeof(float));
    }
}

HOT static void divide(float *restrict u, const float *restrict weight, ptrdiff_t n) {
    for (ptrdiff_t q = 0; q < n; ++q) {
        float w = weight[q] > 0 ? weight[q] : 1;
        u[q] /= w;
    }
}

static void divide_layer(const spreading *t, int layer) {
    layers l = layers_of(&t->g->box);
    if (layer < -GHOST || layer > l.n + GHOST) return;
    ptrdiff_t at = (layer + GHOST) * l.step;
    for (int axis = 0; axis < t->g->box.dim; ++axis) divide(t->u[axis] + at, t->weight[axis] + at, l.size);
}

static void spread_layer(const spreading *t, int layer) {
    const box *b = &t->g->box;
    if (layer < 0 || layer >= layers_of(b).n) return;
    if (b->dim == 2) {
        spread_row(t, layer, 0);
        return;
    }
    for (int j = 0; j < b->n[1]; ++j) spread_row(t, j, layer);
}

/* Slab -1 lies in the low border and the last ones in the high border, so that every layer has a slab that
 * clears and divides it. Layers SLAB s - 1 .. SLAB s + SLAB are touched; the middle ones, s + 1 .. s + SLAB -
 * 2, by this slab alone. */
static void spread_slab(void *context, int block) {
    const spreading *t = context;
    int slab = 2 * block - t->parity, first = slab * SLAB, odd = t->parity;
    for (int layer = first - 1; layer <= first + SLAB; ++layer) {
        int mine_alone = layer > first && layer < first + SLAB - 1;
        if (!odd || mine_alone) clear_layer(t, layer);
    }
    for (int layer = first; layer < first + SLAB; ++layer) spread_layer(t, layer);
    for (int layer = first - 1; layer <= first + SLAB; ++layer) {
        int mine_alone = layer > first && layer < first + SLAB - 1;
        if (!t->sums_only && (odd || mine_alone)) divide_layer(t, layer);
    }
}

static void divide_task(void *context, int layer) {
    divide_layer(context, layer - GHOST);
}

/* Both sides of every periodic axis together. */
static void join_sides(const spreading *t) {
    const mac_grid *g = t->g;
    spreading copy = *t;
    for (int axis = 0; axis < g->box.dim; ++axis) {
        fold_field(t->u[axis], g);
        fold_field(t->weight[axis], g);
    }
    parallel_for(g->pool, layers_of(&g->box).n + 2 * GHOST + 1, divide_task, &copy);
    for (int axis = 0; axis < g->box.dim; ++axis) {
        wrap_field(t->u[axis], g);
        wrap_field(t->weight[axis], g);
    }
}

void particles_to_grid(mac_field *u, mac_field *weight, const mac_grid *g, const particles *p, int affine) {
    const box *b = &g->box;
    assert(!affine || p->extra_count >= b->dim * b->dim);
    spreading t = {.g = g, .p = p, .affine = affine, .sums_only = is_periodic(g)};
    for (int axis = 0; axis < b->dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.weight[axis] = weight->value[axis];
    }
    /* From slabs 0 and -1 on, in pairs, until the highest border layer has been touched by an even and an odd
     * slab. */
    int pairs = (layers_of(b).n + GHOST + 1) / (2 * SLAB) + 2;
    for (t.parity = 0; t.parity < 2; ++t.parity) parallel_for(g->pool, pairs, spread_slab, &t);
    if (t.sums_only) join_sides(&t);
}
