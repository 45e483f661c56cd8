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
 * colour: no thread matters. Limits: particles strictly inside the box, in sorted order. */
#include "particle/transfer.h"

#include <assert.h>
#include "particle/lanes.h"

enum { SLAB = 4 };

typedef struct spreading {
    const mac_grid *g;
    const particles *p;
    float *u[3], *weight[3];
    int affine;
    int parity;
} spreading;

/* Weights of the faces along the component's own axis, at distances -f and 1 - f; f = position in the cell.
 */
INLINE void pair_weights(float w[3], float away[3], float f) {
    w[0] = 1 - f;
    w[1] = f;
    w[2] = 0;
    away[0] = -f;
    away[1] = 1 - f;
    away[2] = 0;
}

INLINE float positive(float a) {
    return a > 0 ? a : 0;
}

/* Weights of the rows of face centres before, in and behind the cell. */
INLINE void triple_weights(float w[3], float away[3], float f) {
    float a = f - 0.5f;
    w[0] = positive(-a);
    w[2] = positive(a);
    w[1] = 1 - (w[0] + w[2]);
    away[0] = -1 - a;
    away[1] = -a;
    away[2] = 1 - a;
}

INLINE void axis_weights(float w[3], float away[3], float f, int own) {
    if (own) pair_weights(w, away, f);
    else triple_weights(w, away, f);
}

/* Sums of the rows of one cell: lanes 0-3 momentum of four faces along x, lanes 4-7 their weights. */
typedef struct cell_sums {
    vec8 row[9];
} cell_sums;

INLINE void add_particle(cell_sums *s, const particles *p, size_t i, const float corner[3], float dx,
                         int axis, int dim, int affine) {
    float w[3][3], away[3][3];
    for (int a = 0; a < dim; ++a) axis_weights(w[a], away[a], p->x[a][i] - corner[a], a == axis);
    int ny = axis == 1 ? 2 : 3, nz = dim == 2 ? 1 : axis == 2 ? 2 : 3;
    float v = p->v[axis][i];
    vec8 along = {w[0][0], w[0][1], w[0][2], 0, w[0][0], w[0][1], w[0][2], 0};
    if (!affine) along *= (vec8){v, v, v, v, 1, 1, 1, 1};
    float c[3] = {0};
    vec8 slope = {0};
    if (affine) {
        for (int a = 0; a < dim; ++a) c[a] = dx * p->extra[axis * dim + a][i];
        slope = along * (vec8){c[0] * away[0][0], c[0] * away[0][1], c[0] * away[0][2], 0, 0, 0, 0, 0};
    }
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y) {
            float across = dim == 3 ? w[1][y] * w[2][z] : w[1][y];
            vec8 value = along;
            if (affine) {
                float m = v + c[1] * away[1][y];
                if (dim == 3) m += c[2] * away[2][z];
                value = along * (vec8){m, m, m, m, 1, 1, 1, 1} + slope;
            }
            s->row[z * 3 + y] += value * across;
        }
}

INLINE void add_lanes(float *to, vec4 sum) {
    vec4_store(to, vec4_load(to) + sum);
}

/* All particles of cell (i, j, k), component `axis`. */
INLINE void spread_cell(const spreading *t, uint32_t begin, uint32_t end, int i, int j, int k, int axis,
                        int dim, int affine) {
    const box *b = &t->g->box;
    cell_sums s = {0};
    const float corner[3] = {(float)i, (float)j, (float)k};
    for (size_t q = begin; q < end; ++q)
        add_particle(&s, t->p, q, corner, (float)t->g->dx, axis, dim, affine);
    int ny = axis == 1 ? 2 : 3, nz = dim == 2 ? 1 : axis == 2 ? 2 : 3;
    ptrdiff_t first = box_at(b, i, j, k) - (axis == 0 ? 0 : 1) - (axis == 1 ? 0 : b->step[1]);
    if (dim == 3 && axis != 2) first -= b->step[2];
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y) {
            ptrdiff_t at = first + y * b->step[1] + z * b->step[2];
            vec8 sum = s.row[z * 3 + y];
            add_lanes(t->u[axis] + at, (vec4){sum[0], sum[1], sum[2], sum[3]});
            add_lanes(t->weight[axis] + at, (vec4){sum[4], sum[5], sum[6], sum[7]});
        }
}

INLINE void spread_row_dim(const spreading *t, int j, int k, int dim, int affine) {
    const box *b = &t->g->box;
    const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
    for (int i = 0; i < b->n[0]; ++i) {
        if (start[i] == start[i + 1]) continue;
        for (int axis = 0; axis < dim; ++axis)
            spread_cell(t, start[i], start[i + 1], i, j, k, axis, dim, affine);
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
        if (odd || mine_alone) divide_layer(t, layer);
    }
}

void particles_to_grid(mac_field *u, mac_field *weight, const mac_grid *g, const particles *p, int affine) {
    const box *b = &g->box;
    assert(!affine || p->extra_count >= b->dim * b->dim);
    spreading t = {.g = g, .p = p, .affine = affine};
    for (int axis = 0; axis < b->dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.weight[axis] = weight->value[axis];
    }
    /* From slabs 0 and -1 on, in pairs, until the highest border layer has been touched by an even and an odd
     * slab. */
    int pairs = (layers_of(b).n + GHOST + 1) / (2 * SLAB) + 2;
    for (t.parity = 0; t.parity < 2; ++t.parity) parallel_for(g->pool, pairs, spread_slab, &t);
}
