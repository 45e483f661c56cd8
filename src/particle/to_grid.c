/* Particles to faces: u_f = sum_p w_fp (v_p + dx C_p (x_f - x_p)) / sum_p w_fp, w = product of hats (1 -
 * |x|)+.
 *
 * Zhu and Bridson 2005 (C = 0) and Jiang et al. 2015 (affine). A particle reaches, for each component, the
 * eight faces around it. Particles between the same eight sum into one brick of eight lanes, so that a
 * particle costs two sums of lanes a component, without a case for the half of the cell it lies in; the
 * bricks of a run of cells stay in the first-level cache and are then added to the fields, four faces of a
 * row at a time.
 *
 * Threads: slabs of SLAB planes (rows in 2D) of cells touch one more plane on either side, so that the even
 * slabs are free of each other, and then the odd ones. A slab also clears the planes it comes to first and
 * divides those it leaves last. The order of every sum is that of the sorted particles, run by run and slab
 * colour by slab colour: no thread matters. Along periodic axes what landed in the border is added to the
 * other side before anything is divided. Limits: particles in sorted order; one outside its cell, or not a
 * number, counts at the cell's side. */
#include "particle/transfer.h"

#include <assert.h>
#include "grid/wrap.h"
#include "particle/lanes.h"

enum {
    SLAB = 4,
    RUN = 32,         /* cells */
    WIDTH = RUN + 8,  /* bricks along a run: one before it, and as many behind as whole fours reach */
    BATCH = 8 * LANES /* particles made ready at a time */
};

typedef struct spreading {
    const mac_grid *g;
    const particles *p;
    float *u[3], *weight[3];
    int affine;
    int parity;
    int sums_only; /* nothing is divided yet */
} spreading;

/* Cells [i, i + cells) of row (j, k). */
typedef struct run {
    int i, j, k, cells;
} run;

/* Sums for eight faces; along y they are lanes 0 and 1, along z 0 and 2, along x 0 and 4. */
typedef struct brick {
    vec8 weight, momentum;
} brick;

enum { BRICK = sizeof(brick) / sizeof(float) };

/* The bricks of a run, a row of them for every combination of halves across it: u has (y, z), v z, w y. Along
 * x those of u count cells, those of v and w half cells: the first ends in the middle of the first cell. */
typedef struct bricks {
    brick u[4][WIDTH], v[2][WIDTH], w[2][WIDTH];
} bricks;

/* Places between the faces of a cell, and between the middles of cells, and where the bricks they lie in
 * begin, in floats. */
typedef struct batch {
    float own[3][BATCH], middle[3][BATCH];
    int32_t at[3][BATCH];
} batch;

/* Reads whole lanes: columns are padded behind the last particle. */
INLINE void make_ready(batch *r, const particles *p, size_t begin, size_t count, const run *c, int dim) {
    const int corner[3] = {c->i, c->j, c->k};
    for (size_t q = 0; q < count; q += LANES) {
        int8 cell = {0}, half[3] = {{0}};
        for (int a = 0; a < dim; ++a) {
            const float end = (a == 0 ? (float)c->cells : 1) * 0x1.fffffep-1f; /* strictly inside */
            vec8 f =
                vec8_clamp(vec8_load(p->x[a] + begin + q) - (float)corner[a], vec8_all(0), vec8_all(end));
            if (a == 0) f = vec8_split(&cell, f);
            const int8 upper = f >= 0.5f;
            half[a] = upper & 1;
            vec8_store(r->own[a] + q, f);
            vec8_store(r->middle[a] + q, vec8_select(upper, f - 0.5f, f + 0.5f));
        }
        const int8 at[3] = {cell + WIDTH * (half[1] + 2 * half[2]), cell + half[0] + WIDTH * half[2],
                            cell + half[0] + WIDTH * half[1]};
        for (int a = 0; a < dim; ++a) {
            const int8 floats = at[a] * BRICK;
            memcpy(r->at[a] + q, &floats, sizeof floats);
        }
    }
}

/* In lanes, along an axis, at place f between the lower faces and the upper ones: the weights 1 - f and f,
 * and face minus particle. */
INLINE vec8 upper_faces(int axis) {
    return axis == 0   ? (vec8){0, 0, 0, 0, 1, 1, 1, 1}
           : axis == 1 ? (vec8){0, 1, 0, 1, 0, 1, 0, 1}
                       : (vec8){0, 0, 1, 1, 0, 0, 1, 1};
}

INLINE vec8 weigh(float f, int axis) {
    return (1 - upper_faces(axis)) + (2 * upper_faces(axis) - 1) * f;
}

INLINE vec8 distance(float f, int axis) {
    return upper_faces(axis) - f;
}

/* Adds particle i, the q-th of the batch, to its brick of the component; `place` is of it along each axis. */
INLINE void add_component(brick *row, int32_t at, const spreading *t, size_t i, vec8 weight,
                          const float place[3], int axis, int dim, int affine) {
    brick *to = (brick *)((float *)&row[1] + at);
    to->weight += weight;
    if (!affine) {
        to->momentum += weight * t->p->v[axis][i];
        return;
    }
    float *const *c = t->p->extra + axis * dim;
    const float dx = (float)t->g->dx;
    vec8 away = (c[0][i] * dx) * distance(place[0], 0) + (c[1][i] * dx) * distance(place[1], 1);
    if (dim == 3) away += (c[2][i] * dx) * distance(place[2], 2);
    to->momentum += weight * (t->p->v[axis][i] + away);
}

INLINE void add_particle(bricks *to, const spreading *t, const batch *r, size_t q, size_t i, int dim,
                         int affine) {
    const float own[3] = {r->own[0][q], r->own[1][q], r->own[2][q]};
    const float mid[3] = {r->middle[0][q], r->middle[1][q], r->middle[2][q]};
    const vec8 x = weigh(mid[0], 0), y = weigh(mid[1], 1), lower = 1 - upper_faces(2);
    const vec8 z = dim == 3 ? weigh(mid[2], 2) : lower;
    add_component(to->u[0], r->at[0][q], t, i, weigh(own[0], 0) * (y * z),
                  (const float[]){own[0], mid[1], mid[2]}, 0, dim, affine);
    add_component(to->v[0], r->at[1][q], t, i, x * (weigh(own[1], 1) * z),
                  (const float[]){mid[0], own[1], mid[2]}, 1, dim, affine);
    if (dim == 2) return;
    add_component(to->w[0], r->at[2][q], t, i, x * (y * weigh(own[2], 2)),
                  (const float[]){mid[0], mid[1], own[2]}, 2, dim, affine);
}

/* Adds one row of bricks to the four rows of a field that they touch. What goes beyond the run's last face is
 * 0, up to three faces of it. */
INLINE void add_bricks(float *to, const float *from, int faces, const box *b, int dim) {
    const ptrdiff_t step[2] = {b->step[1], b->step[2]}; /* which the stores to rows cannot reach */
    for (int i = 0; i < faces; i += 4, from += 4 * BRICK) {
        vec4 s[4];
        for (int x = 0; x < 4; ++x)
            s[x] = vec4_load(from + x * BRICK) +
                   vec4_load(from + (x - 1) * BRICK + 4); /* upper of the one before */
        vec4_transpose(s);
        for (int z = 0; z < dim - 1; ++z)
            for (int y = 0; y < 2; ++y) {
                float *row = to + i + y * step[0] + z * step[1];
                vec4_store(row, vec4_load(row) + s[y + 2 * z]);
            }
    }
}

INLINE void add_run(const spreading *t, const brick *from, const run *c, int axis, int y, int z, int dim) {
    const box *b = &t->g->box;
    const ptrdiff_t to = box_at(b, c->i - (axis != 0), c->j - (axis != 1) + y, c->k) +
                         (dim == 3 ? (z - (axis != 2)) * b->step[2] : 0);
    const int faces = c->cells + (axis == 0 ? 1 : 2);
    add_bricks(t->weight[axis] + to, (const float *)&from[1].weight, faces, b, dim);
    add_bricks(t->u[axis] + to, (const float *)&from[1].momentum, faces, b, dim);
}

/* Particles [begin, end) of a run. */
INLINE void spread_run(const spreading *t, const run *c, size_t begin, size_t end, int dim, int affine) {
    bricks sums;
    batch r;
    const size_t used = (size_t)(c->cells + 6) * sizeof(brick);
    for (int h = 0; h < 4; ++h) memset(sums.u[h], 0, used);
    for (int h = 0; h < 2; ++h) memset(sums.v[h], 0, used);
    for (int h = 0; h < 2; ++h) memset(sums.w[h], 0, used);
    for (size_t i = begin; i < end; i += BATCH) {
        const size_t count = end - i < BATCH ? end - i : BATCH;
        make_ready(&r, t->p, i, count, c, dim);
        for (size_t q = 0; q < count; ++q) add_particle(&sums, t, &r, q, i + q, dim, affine);
    }
    for (int h = 0; h < (dim == 3 ? 4 : 2); ++h) add_run(t, sums.u[h], c, 0, h % 2, h / 2, dim);
    for (int h = 0; h < dim - 1; ++h) add_run(t, sums.v[h], c, 1, 0, h, dim);
    for (int h = 0; h < 2 && dim == 3; ++h) add_run(t, sums.w[h], c, 2, h, 0, dim);
}

/* Runs begin at a filled cell and end at the last filled one within reach. */
INLINE void spread_row_dim(const spreading *t, int j, int k, int dim, int affine) {
    const box *b = &t->g->box;
    const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
    const uint32_t end = start[b->n[0]];
    for (int i = 0; start[i] < end;) {
        if (start[i] == start[i + 1]) {
            ++i;
            continue;
        }
        int stop = i + RUN < b->n[0] ? i + RUN : b->n[0];
        while (start[stop - 1] == start[stop]) --stop;
        spread_run(t, &(run){i, j, k, stop - i}, start[i], start[stop], dim, affine);
        i = stop;
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
