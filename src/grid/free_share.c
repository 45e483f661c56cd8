/* The share of a cell's weights that solids and closed sides leave open.
 *
 *   free share = sum over octants of weight x open share,   open share = 1/2 + distance / width, held in [0,
 * 1]
 *
 * Particles lie one to an octant and leave trilinear weights on faces; the mean over a cell's faces weighs
 * octants up to 1.5 cells away (stage/surface/surface.c divides by the share that this leaves). Distances at
 * octants are interpolated from nodes. Limits: an octant's open share is exact for walls across an axis only.
 *
 * Octants are shared by the 27 cells around, and their weights are sums of products: along the axis of a pair
 * of faces 1/4 3/4 1 1 3/4 1/4, along the others 0 1/4 3/4 3/4 1/4 0. A brick of cells finds each open share
 * once and adds up axis by axis. */
#include "grid/free_share.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "core/lanes.h"

enum { SIDE = OCTANT_SIDE, NODES = 4 }; /* nodes around the octants, along an axis */

/* Cells from the cell's centre, along an axis. */
INLINE float octant_at(int index) {
    return 0.5f * (float)index - 0.5f * (OCTANT_SIDE - 1) / 2;
}

/* How far an octant reaches the mean of the cell's faces: trilinear weights 1/4 3/4 3/4 1/4 across an axis
 * from a face, averaged over the faces of a cell. */
static float reach(const float d[3], int dim) {
    float sum = 0;
    for (int face = 0; face < 2 * dim; ++face) {
        float w = 1;
        for (int a = 0; a < dim; ++a) {
            const float shift = a == face / 2 ? (face % 2 ? 0.5f : -0.5f) : 0;
            const float t = 1 - fabsf(d[a] - shift);
            w *= t > 0 ? t : 0;
        }
        sum += w;
    }
    return sum;
}

void octant_list_weights(octant_weights *w, int dim) {
    float all = 0;
    for (int o = 0; o < OCTANT_COUNT; ++o) {
        const int at[3] = {o % SIDE, o / SIDE % SIDE, o / (SIDE * SIDE)};
        float d[3] = {0, 0, 0};
        for (int a = 0; a < dim; ++a) d[a] = octant_at(at[a]);
        w->of[at[2]][at[1]][at[0]] = dim == 3 || at[2] == 0 ? reach(d, dim) : 0;
        all += w->of[at[2]][at[1]][at[0]];
    }
    for (int o = 0; o < OCTANT_COUNT; ++o) w->of[o / (SIDE * SIDE)][o / SIDE % SIDE][o % SIDE] /= all;
}

/* Octants sit a quarter and three quarters of the way between nodes: from four of these to six along x. */
INLINE void between_nodes(float out[SIDE], const float v[NODES]) {
    for (int t = 0; t < SIDE; ++t) {
        const float part = t % 2 ? 0.75f : 0.25f;
        out[t] = v[t / 2] + part * (v[t / 2 + 1] - v[t / 2]);
    }
}

/* Octants beyond a closed side of the domain hold nothing: the range of those that do, along an axis. */
INLINE void inside_sides(int from_to[2], const mac_grid *g, const openings *o, int axis, int cell) {
    const int from = o->open_wall[2 * axis] ? 0 : 2 - 2 * cell;
    const int to = o->open_wall[2 * axis + 1] ? SIDE : 2 + 2 * (g->box.n[axis] - cell);
    from_to[0] = from > 0 ? from : 0;
    from_to[1] = to < SIDE ? to : SIDE;
}

/* Open shares of the octants in a row of six, weighted; `d` is their distance in widths of an octant. */
INLINE float open_row(float share[SIDE], const float d[SIDE], const float weight[SIDE],
                      const float inside[SIDE]) {
    float open = 0;
    for (int t = 0; t < SIDE; ++t) {
        const float part = d[t] + 0.5f, not_less = part > 0 ? part : 0;
        const float one = weight[t] * inside[t] * (not_less < 1 ? not_less : 1);
        share[t] = one;
        open += one;
    }
    return open;
}

INLINE float open_octants(octant_weights *share, const octant_weights *w, const mac_grid *g,
                          const float *node_phi, const openings *o, const int c[3]) {
    const box *b = &g->box;
    const int planes = b->dim == 3 ? NODES : 1, layers = b->dim == 3 ? SIDE : 1;
    const float scale = (float)(2 / g->dx);
    const ptrdiff_t corner = box_at(b, c[0] - 1, c[1] - 1, c[2] - (b->dim == 3));
    float in_plane[NODES][SIDE][SIDE];
    int x[2], y[2], z[2] = {0, 1};
    inside_sides(x, g, o, 0, c[0]);
    inside_sides(y, g, o, 1, c[1]);
    if (b->dim == 3) inside_sides(z, g, o, 2, c[2]);
    float inside[SIDE];
    for (int t = 0; t < SIDE; ++t) inside[t] = t >= x[0] && t < x[1];
    for (int k = 0; k < planes; ++k) {
        float along[NODES][SIDE];
        for (int j = 0; j < NODES; ++j) {
            const float *phi = node_phi + corner + j * b->step[1] + k * b->step[2];
            const float v[NODES] = {scale * phi[0], scale * phi[1], scale * phi[2], scale * phi[3]};
            between_nodes(along[j], v);
        }
        for (int t = 0; t < SIDE; ++t)
            for (int i = 0; i < SIDE; ++i)
                in_plane[k][t][i] =
                    along[t / 2][i] + (t % 2 ? 0.75f : 0.25f) * (along[t / 2 + 1][i] - along[t / 2][i]);
    }
    float open = 0;
    for (int l = z[0]; l < z[1] && l < layers; ++l)
        for (int t = y[0]; t < y[1]; ++t) {
            float d[SIDE];
            const float part = l % 2 ? 0.75f : 0.25f, *low = in_plane[l / 2][t];
            const float *high = b->dim == 3 ? in_plane[l / 2 + 1][t] : low;
            for (int i = 0; i < SIDE; ++i) d[i] = low[i] + part * (high[i] - low[i]);
            open += open_row(share->of[l][t], d, w->of[l][t], inside);
        }
    return open;
}

/* ---- bricks of cells ---- */

enum { HIGH = BRICK_Y + 2, VECTORS = BRICK_LANES / LANES }; /* rows of cells whose octants count */

/* Of the octants of a row of cells, one before the brick to one after it: those at a quarter and those at
 * three quarters of each cell. */
typedef struct octant_row {
    vec8 low[VECTORS], high[VECTORS];
} octant_row;

static const float WEIGHT_ACROSS[SIDE] = {0,     0.25f, 0.75f,
                                          0.75f, 0.25f, 0}; /* from a face, across another axis */
static const float WEIGHT_ALONG[SIDE] = {0.25f, 0.75f, 1,
                                         1,     0.75f, 0.25f}; /* from a pair of faces, along theirs */

/* a + part (b - a) */
INLINE void row_between(octant_row *r, const octant_row *a, const octant_row *b, float part) {
    for (int v = 0; v < VECTORS; ++v) {
        r->low[v] = a->low[v] + part * (b->low[v] - a->low[v]);
        r->high[v] = a->high[v] + part * (b->high[v] - a->high[v]);
    }
}

/* Distances, in widths of an octant, at the octants of a row of cells from its nodes. */
INLINE void row_from_nodes(octant_row *r, const float *phi, int nodes, float scale) {
    float at[BRICK_LANES + LANES] = {0};
    memcpy(at, phi, (size_t)nodes * sizeof *at);
    for (int v = 0; v < VECTORS; ++v) {
        const vec8 here = scale * vec8_load(at + LANES * v), next = scale * vec8_load(at + LANES * v + 1);
        r->low[v] = here + 0.25f * (next - here);
        r->high[v] = here + 0.75f * (next - here);
    }
}

/* What cells of a row have of open octants beside them: weighed across x, and along it. */
typedef struct brick_row {
    vec8 across[VECTORS], along[VECTORS];
} brick_row;

/* The values one lane on, and two. */
INLINE vec8 one_on(vec8 v, vec8 next) {
    return SHUFFLE(v, next, 1, 2, 3, 4, 5, 6, 7, 8);
}
INLINE vec8 two_on(vec8 v, vec8 next) {
    return SHUFFLE(v, next, 2, 3, 4, 5, 6, 7, 8, 9);
}

INLINE void weigh_row(brick_row *w, const octant_row *r, const vec8 inside[VECTORS]) {
    const vec8 none = {0}, all = vec8_all(1);
    vec8 low[VECTORS + 1], high[VECTORS + 1]; /* open shares */
    for (int v = 0; v < VECTORS; ++v) {
        low[v] = inside[v] * vec8_clamp(r->low[v] + 0.5f, none, all);
        high[v] = inside[v] * vec8_clamp(r->high[v] + 0.5f, none, all);
    }
    low[VECTORS] = high[VECTORS] = none;
    for (int v = 0; v < VECTORS; ++v) {
        const vec8 near = one_on(low[v], low[v + 1]) + one_on(high[v], high[v + 1]);
        const vec8 beside = high[v] + two_on(low[v], low[v + 1]), far = low[v] + two_on(high[v], high[v + 1]);
        w->across[v] = 0.75f * near + 0.25f * beside;
        w->along[v] = near + 0.75f * beside + 0.25f * far;
    }
}

/* Sums over a layer of octants: weighed across both axes of it, and across one and along the other. */
typedef struct brick_layer {
    vec8 across[BRICK_Y][VECTORS], along[BRICK_Y][VECTORS];
} brick_layer;

INLINE void add_octant_row(brick_layer *to, const brick_row *w, int octant) {
    for (int y = 0; y < BRICK_Y; ++y) {
        const int at = octant - 2 * y;
        if (at < 0 || at >= SIDE) continue;
        for (int v = 0; v < VECTORS; ++v) {
            to->across[y][v] += WEIGHT_ACROSS[at] * w->across[v];
            to->along[y][v] += WEIGHT_ALONG[at] * w->across[v] + WEIGHT_ACROSS[at] * w->along[v];
        }
    }
}

INLINE void add_layer(vec8 sum[BRICK_Z][BRICK_Y][VECTORS], const brick_layer *l, int octant, int dim) {
    for (int z = 0; z < BRICK_Z; ++z) {
        const int at = octant - 2 * z;
        if (at < 0 || at >= SIDE) continue;
        const float across = dim == 3 ? WEIGHT_ACROSS[at] : 1, along = dim == 3 ? WEIGHT_ALONG[at] : 0;
        for (int y = 0; y < BRICK_Y; ++y)
            for (int v = 0; v < VECTORS; ++v)
                sum[z][y][v] += across * l->along[y][v] + along * l->across[y][v];
    }
}

/* Whether the octants of a cell lie beyond a closed side of the domain. */
INLINE int is_beyond_side(const mac_grid *g, const openings *o, int axis, int cell) {
    return (cell < 0 && !o->open_wall[2 * axis]) || (cell >= g->box.n[axis] && !o->open_wall[2 * axis + 1]);
}

/* Rows of octants at one node plane, from the rows of nodes in it. */
INLINE void plane_rows(octant_row to[2 * HIGH], const mac_grid *g, const float *corner, const int count[3]) {
    const float scale = (float)(2 / g->dx);
    octant_row row[2];
    row_from_nodes(&row[0], corner, count[0] + 3, scale);
    for (int j = 0; j < count[1] + 2; ++j) {
        const octant_row *below = &row[j % 2], *above = &row[(j + 1) % 2];
        row_from_nodes(&row[(j + 1) % 2], corner + (j + 1) * g->box.step[1], count[0] + 3, scale);
        row_between(&to[2 * j], below, above, 0.25f);
        row_between(&to[2 * j + 1], below, above, 0.75f);
    }
}

HOT void free_share_of_brick(float free_share[BRICK_Z][BRICK_Y][BRICK_LANES], const mac_grid *g,
                             const float *node_phi, const openings *o, const int first[3],
                             const int count[3]) {
    const box *b = &g->box;
    const int flat = b->dim == 2, layers = flat ? 1 : 2 * (count[2] + 2);
    const float *corner = node_phi + box_at(b, first[0] - 1, first[1] - 1, first[2] - !flat);
    octant_row plane[2][2 * HIGH], r;
    vec8 inside[VECTORS], sum[BRICK_Z][BRICK_Y][VECTORS];
    brick_row w;
    for (int i = 0; i < BRICK_LANES; ++i)
        inside[i / LANES][i % LANES] = !is_beyond_side(g, o, 0, first[0] - 1 + i);
    memset(sum, 0, sizeof sum);
    plane_rows(plane[0], g, corner, count);
    for (int octant = 0; octant < layers; ++octant) {
        const int k = octant / 2;
        if (!flat && octant % 2 == 0) plane_rows(plane[(k + 1) % 2], g, corner + (k + 1) * b->step[2], count);
        if (!flat && is_beyond_side(g, o, 2, first[2] - 1 + k)) continue;
        brick_layer layer;
        memset(&layer, 0, sizeof layer);
        for (int j = 0; j < 2 * (count[1] + 2); ++j) {
            if (is_beyond_side(g, o, 1, first[1] - 1 + j / 2)) continue;
            const octant_row *here = &plane[k % 2][j], *next = &plane[(k + 1) % 2][j];
            row_between(&r, here, flat ? here : next, octant % 2 ? 0.75f : 0.25f);
            weigh_row(&w, &r, inside);
            add_octant_row(&layer, &w, j);
        }
        add_layer(sum, &layer, octant, b->dim);
    }
    const float all = flat ? 16 : 48; /* of what is open on every side */
    for (int row = 0; row < BRICK_Z * BRICK_Y; ++row)
        for (int v = 0; v < VECTORS; ++v)
            vec8_store(free_share[row / BRICK_Y][row % BRICK_Y] + LANES * v,
                       sum[row / BRICK_Y][row % BRICK_Y][v] / all);
}

HOT float octant_shares(octant_weights *share, const octant_weights *w, const mac_grid *g,
                        const float *node_phi, const openings *o, const int c[3]) {
    *share = (octant_weights){0};
    return open_octants(share, w, g, node_phi, o, c);
}

/* An octant that the surface cuts is filled in proportion to its depth, which is exact across an axis. */
HOT float octants_below(float *rate, const octant_weights *share, const float down[3], float depth, int dim) {
    const float per_width = 2 / (fabsf(down[0]) + fabsf(down[1]) + fabsf(down[2]));
    float sum = 0, cut = 0;
    for (int k = 0; k < (dim == 3 ? SIDE : 1); ++k)
        for (int j = 0; j < SIDE; ++j) {
            const float in_row = depth + down[1] * octant_at(j) + (dim == 3 ? down[2] * octant_at(k) : 0);
            for (int i = 0; i < SIDE; ++i) {
                const float t = 0.5f + (in_row + down[0] * octant_at(i)) * per_width,
                            not_less = t > 0 ? t : 0;
                sum += share->of[k][j][i] * (not_less < 1 ? not_less : 1);
                cut += t > 0 && t < 1 ? share->of[k][j][i] : 0;
            }
        }
    *rate = cut * per_width;
    return sum;
}
