/* The share of a cell's weights that solids and closed sides leave open.
 *
 *   room = sum over octants of weight x open share,   open share = 1/2 + distance / width, held in [0, 1]
 *
 * Particles lie one to an octant and leave trilinear weights on faces; the mean over a cell's faces weighs
 * octants up to 1.5 cells away (stage/surface.c divides by the room that this leaves). Distances at octants
 * are interpolated from nodes. Limits: an octant's open share is exact for walls across an axis only. */
#include "grid/room.h"

#include <math.h>
#include <stddef.h>
#include "core/hot.h"

enum { SIDE = ROOM_SIDE, NODES = 4 }; /* nodes around the octants, along an axis */

/* Cells from the cell's centre, along an axis. */
INLINE float octant_at(int index) {
    return 0.5f * (float)index - 0.5f * (ROOM_SIDE - 1) / 2;
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

void room_list_weights(room_weights *w, int dim) {
    float all = 0;
    for (int o = 0; o < ROOM_OCTANTS; ++o) {
        const int at[3] = {o % SIDE, o / SIDE % SIDE, o / (SIDE * SIDE)};
        float d[3] = {0, 0, 0};
        for (int a = 0; a < dim; ++a) d[a] = octant_at(at[a]);
        w->of[at[2]][at[1]][at[0]] = dim == 3 || at[2] == 0 ? reach(d, dim) : 0;
        all += w->of[at[2]][at[1]][at[0]];
    }
    for (int o = 0; o < ROOM_OCTANTS; ++o) w->of[o / (SIDE * SIDE)][o / SIDE % SIDE][o % SIDE] /= all;
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
        if (share) share[t] = one;
        open += one;
    }
    return open;
}

INLINE float open_octants(room_weights *share, const room_weights *w, const mac_grid *g,
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
            open += open_row(share ? share->of[l][t] : NULL, d, w->of[l][t], inside);
        }
    return open;
}

HOT float room_of_cell(const room_weights *w, const mac_grid *g, const float *node_phi, const openings *o,
                       const int c[3]) {
    return open_octants(NULL, w, g, node_phi, o, c);
}

float room_shares(room_weights *share, const room_weights *w, const mac_grid *g, const float *node_phi,
                  const openings *o, const int c[3]) {
    *share = (room_weights){0};
    return open_octants(share, w, g, node_phi, o, c);
}

/* An octant that the surface cuts is filled in proportion to its depth, which is exact across an axis. */
HOT float room_below(float *rate, const room_weights *share, const float down[3], float depth, int dim) {
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
