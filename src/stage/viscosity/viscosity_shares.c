/* Shares of control volumes and distances of walls, from the cells' phi and the nodes' solid distance.
 *
 * Values at points of the half grid are means of the samples around them; closed sides of the domain are
 * walls whose distance is known. Liquid outside solids is where max(phi, -solid) < 0: its share of a cube is
 * that of the piecewise linear interpolant (geom/fractions.h), second order for smooth shapes, continuous in
 * time. Source: E 3.3.2 (the factors k). */
#include "stage/viscosity/viscosity_shares.h"

#include <limits.h>
#include <math.h>
#include "geom/fractions.h"

/* A wall this many cells beyond a face is looked for along the axis; reach is at most FAR cells. */
static const double NEAR = 0.2, FAR = 2;

static int clamp(int i, int low, int high) {
    return i < low ? low : i > high ? high : i;
}

/* Samples along an axis whose mean is the value at h: nodes are where h is even, cells where it is odd. */
static int samples_at(int at[2], const box *b, int axis, int h, int of_nodes) {
    const int low = of_nodes ? -GHOST : 0, high = of_nodes ? b->n[axis] + GHOST : b->n[axis] - 1;
    if (axis >= b->dim) {
        at[0] = 0;
        return 1;
    }
    const int floor_ = (h + 2 * GHOST + 2) / 2 - GHOST - 1, odd = h & 1;
    if (odd == !of_nodes) {
        at[0] = clamp(floor_, low, high);
        return 1;
    }
    at[0] = clamp(of_nodes ? floor_ : floor_ - 1, low, high);
    at[1] = clamp(of_nodes ? floor_ + 1 : floor_, low, high);
    return 2;
}

static double mean_at(const mac_grid *g, const float *field, const int h[3], int of_nodes) {
    const box *b = &g->box;
    int x[2], y[2], z[2];
    const int nx = samples_at(x, b, 0, h[0], of_nodes), ny = samples_at(y, b, 1, h[1], of_nodes),
              nz = samples_at(z, b, 2, h[2], of_nodes);
    double sum = 0;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) sum += (double)field[box_at(b, x[i], y[j], z[k])];
    return sum / (nx * ny * nz);
}

/* ---- values taken in advance ---- */

typedef struct pair {
    int32_t of[PATCH_WIDE][2]; /* samples whose mean is the value at a point, along an axis */
} pair;

static void find_pairs(pair *p, int first[1], const box *b, int axis, int low, int count, int of_nodes) {
    *first = INT_MAX;
    for (int n = 0; n < count; ++n) {
        const int found = samples_at(p->of[n], b, axis, low + n, of_nodes);
        if (found == 1) p->of[n][1] = p->of[n][0];
        if (p->of[n][0] < *first) *first = p->of[n][0];
    }
    for (int n = 0; n < count; ++n)
        for (int e = 0; e < 2; ++e) p->of[n][e] -= *first;
}

/* Along x from the samples, then along y and z from what is there: no more than 4 rows of samples either way.
 */
static void take_field(double *to, const float *field, const shares_patch *patch, const mac_grid *g,
                       int of_nodes) {
    enum { ROWS = PATCH_HIGH / 2 + 1 };
    static const int one[3] = {1, 1, 1};
    const box *b = &g->box;
    const int *count = b->dim == 3 ? patch->count : one, wide = patch->count[0], high = patch->count[1],
              deep = b->dim == 3 ? count[2] : 1;
    pair along[3];
    int first[3] = {0, 0, 0};
    double x[ROWS][ROWS][PATCH_WIDE], y[ROWS][PATCH_HIGH][PATCH_WIDE];
    for (int a = 0; a < 3; ++a)
        find_pairs(&along[a], &first[a], b, a, patch->low[a], a == 2 ? deep : patch->count[a], of_nodes);
    const int rows = along[1].of[high - 1][1] + 1, planes = along[2].of[deep - 1][1] + 1;
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < rows; ++j) {
            const float *row = field + box_at(b, first[0], first[1] + j, first[2] + k);
            for (int n = 0; n < wide; ++n)
                x[k][j][n] = 0.5 * ((double)row[along[0].of[n][0]] + (double)row[along[0].of[n][1]]);
        }
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < high; ++j) {
            const double *low = x[k][along[1].of[j][0]], *next = x[k][along[1].of[j][1]];
            for (int n = 0; n < wide; ++n) y[k][j][n] = 0.5 * (low[n] + next[n]);
        }
    for (int k = 0; k < deep; ++k)
        for (int j = 0; j < high; ++j, to += wide) {
            const double *low = y[along[2].of[k][0]][j], *next = y[along[2].of[k][1]][j];
            for (int n = 0; n < wide; ++n) to[n] = 0.5 * (low[n] + next[n]);
        }
}

void shares_take(shares_patch *patch, const mac_grid *g, const viscosity_input *in, int i, int j, int k,
                 int length) {
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; ++a) {
        patch->low[a] = a < g->box.dim ? 2 * at[a] - 2 : 0;
        patch->count[a] = a == 0 ? 2 * length + 4 : a < g->box.dim ? PATCH_HIGH : 1;
    }
    take_field(patch->liquid, in->phi, patch, g, 0);
    if (in->node_phi) take_field(patch->solid, in->node_phi, patch, g, 1);
}

/* A point's place in the patch; -1: it has none. In the plane all points are in one layer. */
static int place_in(const shares *s, const int h[3]) {
    const shares_patch *p = s->patch;
    int at[3] = {0, 0, 0};
    if (!p) return -1;
    for (int a = 0; a < s->g->box.dim; ++a) {
        at[a] = h[a] - p->low[a];
        if (at[a] < 0 || at[a] >= p->count[a]) return -1;
    }
    return at[0] + p->count[0] * (at[1] + p->count[1] * at[2]);
}

double shares_liquid(const shares *s, const int h[3]) {
    const int place = place_in(s, h);
    return place >= 0 ? s->patch->liquid[place] : mean_at(s->g, s->in->phi, h, 0);
}

/* Of solids alone, where there are any. */
static double from_solids(const shares *s, const int h[3]) {
    const int place = place_in(s, h);
    return place >= 0 ? s->patch->solid[place] : mean_at(s->g, s->in->node_phi, h, 1);
}

/* ---- what is asked ---- */

static bool is_closed(const viscosity_input *in, int side) {
    return !in->open_side || !in->open_side[side];
}

/* The nearest closed side: its number, and the distance from it [m]; -1: none. */
static int nearest_side(double *distance, const mac_grid *g, const viscosity_input *in, const int h[3]) {
    int nearest = -1;
    *distance = INFINITY;
    for (int side = 0; side < 2 * g->box.dim; ++side) {
        const int a = side / 2, from = side & 1 ? 2 * g->box.n[a] - h[a] : h[a];
        if (!is_closed(in, side) || !(0.5 * from * g->dx < *distance)) continue;
        *distance = 0.5 * from * g->dx;
        nearest = side;
    }
    return nearest;
}

double shares_solid(const shares *s, const int h[3]) {
    double side;
    nearest_side(&side, s->g, s->in, h);
    return s->in->node_phi ? fmin(side, from_solids(s, h)) : side;
}

/* Clips the cube's extent along an axis at closed sides; returns the share that is left. */
static double clip(int ends[2], const mac_grid *g, const viscosity_input *in, int axis, int h) {
    ends[0] = h - 1;
    ends[1] = h + 1;
    if (axis >= g->box.dim) return 1;
    const int last = 2 * g->box.n[axis];
    const bool low = is_closed(in, 2 * axis), high = is_closed(in, 2 * axis + 1);
    if ((low && h < 0) || (high && h > last)) return 0;
    if (low && h == 0) ends[0] = 0;
    if (high && h == last) ends[1] = last;
    return 0.5 * (ends[1] - ends[0]);
}

/* Liquid outside solids at the corners of a cube: all are in the patch, or each is asked for. */
static void find_corners(double corner[8], const shares *s, int ends[3][2], bool solid) {
    const int dim = s->g->box.dim, low[3] = {ends[0][0], ends[1][0], ends[2][0]},
              high[3] = {ends[0][1], ends[1][1], ends[2][1]};
    const int first = place_in(s, low), last = place_in(s, high);
    for (int c = 0; c < (dim == 3 ? 8 : 4); ++c) {
        const int at[3] = {ends[0][c & 1], ends[1][c >> 1 & 1], ends[2][c >> 2]};
        if (first < 0 || last < 0) {
            corner[c] = shares_liquid(s, at);
            if (solid) corner[c] = fmax(corner[c], -from_solids(s, at));
            continue;
        }
        const int *count = s->patch->count;
        const int place = first + (at[0] - low[0]) +
                          count[0] * ((at[1] - low[1]) + (dim == 3 ? count[1] * (at[2] - low[2]) : 0));
        corner[c] = s->patch->liquid[place];
        if (solid) corner[c] = fmax(corner[c], -s->patch->solid[place]);
    }
}

double shares_wet(const shares *s, const int h[3], bool walls) {
    const int dim = s->g->box.dim;
    double corner[8], inside = 1;
    int ends[3][2];
    for (int a = 0; a < 3; ++a) inside *= clip(ends[a], s->g, s->in, a, h[a]);
    if (inside <= 0) return 0;
    find_corners(corner, s, ends, walls && s->in->node_phi);
    return inside * fraction_negative_cube(corner, dim);
}

double shares_reach(const shares *s, const int high[3], const int low[3], int axis) {
    const mac_grid *g = s->g;
    const viscosity_input *in = s->in;
    const int last = 2 * g->box.n[axis];
    double reach = INFINITY;
    if (in->node_phi) {
        const double a = from_solids(s, high), b = from_solids(s, low);
        const double out = fmax(a, b), across = fabs(a - b);
        if (fmin(a, b) < NEAR * g->dx) reach = out < across * FAR ? out / across : FAR;
    }
    if (low[axis] <= 0 && is_closed(in, 2 * axis)) reach = fmin(reach, 0.5 * high[axis]);
    if (high[axis] >= last && is_closed(in, 2 * axis + 1)) reach = fmin(reach, 0.5 * (last - low[axis]));
    return reach;
}

double shares_slip(const shares *s, const int h[3]) {
    const viscosity_input *in = s->in;
    double distance;
    const int side = nearest_side(&distance, s->g, in, h);
    if (side >= 0 && !(in->node_phi && from_solids(s, h) < distance)) return in->side_slip[side];
    return in->slip ? mean_at(s->g, in->slip, h, 1) : in->solid_slip;
}

double shares_normal(const shares *s, const int h[3], int axis) {
    double slope[3] = {0, 0, 0}, all = 0;
    for (int a = 0; a < s->g->box.dim; ++a) {
        int low[3] = {h[0], h[1], h[2]}, high[3] = {h[0], h[1], h[2]};
        --low[a];
        ++high[a];
        slope[a] = shares_solid(s, high) - shares_solid(s, low);
        all += slope[a] * slope[a];
    }
    return all > 0 ? slope[axis] * slope[axis] / all : 0;
}
