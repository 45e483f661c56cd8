/* Shares of control volumes and distances of walls, from the cells' phi and the nodes' solid distance.
 *
 * Values at points of the half grid are means of the samples around them; closed sides of the domain are
 * walls whose distance is known. Liquid outside solids is where max(phi, -solid) < 0: its share of a cube is
 * that of the piecewise linear interpolant (geom/fractions.h), second order for smooth shapes, continuous in
 * time. Source: E 3.3.2 (the factors k). */
#include "stage/viscosity/viscosity_shares.h"

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

double shares_solid(const mac_grid *g, const viscosity_input *in, const int h[3]) {
    double side;
    nearest_side(&side, g, in, h);
    return in->node_phi ? fmin(side, mean_at(g, in->node_phi, h, 1)) : side;
}

double shares_liquid(const mac_grid *g, const viscosity_input *in, const int h[3]) {
    return mean_at(g, in->phi, h, 0);
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

double shares_wet(const mac_grid *g, const viscosity_input *in, const int h[3], bool walls) {
    double corner[8], inside = 1;
    int ends[3][2];
    for (int a = 0; a < 3; ++a) inside *= clip(ends[a], g, in, a, h[a]);
    if (inside <= 0) return 0;
    for (int c = 0; c < (g->box.dim == 3 ? 8 : 4); ++c) {
        const int at[3] = {ends[0][c & 1], ends[1][c >> 1 & 1], g->box.dim == 3 ? ends[2][c >> 2] : h[2]};
        corner[c] = shares_liquid(g, in, at);
        if (walls && in->node_phi) corner[c] = fmax(corner[c], -mean_at(g, in->node_phi, at, 1));
    }
    return inside * fraction_negative_cube(corner, g->box.dim);
}

double shares_reach(const mac_grid *g, const viscosity_input *in, const int high[3], const int low[3],
                    int axis) {
    const int last = 2 * g->box.n[axis];
    double reach = INFINITY;
    if (in->node_phi) {
        const double a = mean_at(g, in->node_phi, high, 1), b = mean_at(g, in->node_phi, low, 1);
        const double out = fmax(a, b), across = fabs(a - b);
        if (fmin(a, b) < NEAR * g->dx) reach = out < across * FAR ? out / across : FAR;
    }
    if (low[axis] <= 0 && is_closed(in, 2 * axis)) reach = fmin(reach, 0.5 * high[axis]);
    if (high[axis] >= last && is_closed(in, 2 * axis + 1)) reach = fmin(reach, 0.5 * (last - low[axis]));
    return reach;
}

double shares_slip(const mac_grid *g, const viscosity_input *in, const int h[3]) {
    double distance;
    const int side = nearest_side(&distance, g, in, h);
    if (side >= 0 && !(in->node_phi && mean_at(g, in->node_phi, h, 1) < distance)) return in->side_slip[side];
    return in->slip ? mean_at(g, in->slip, h, 1) : in->solid_slip;
}

double shares_normal(const mac_grid *g, const viscosity_input *in, const int h[3], int axis) {
    double slope[3] = {0, 0, 0}, all = 0;
    for (int a = 0; a < g->box.dim; ++a) {
        int low[3] = {h[0], h[1], h[2]}, high[3] = {h[0], h[1], h[2]};
        --low[a];
        ++high[a];
        slope[a] = shares_solid(g, in, high) - shares_solid(g, in, low);
        all += slope[a] * slope[a];
    }
    return all > 0 ? slope[axis] * slope[axis] / all : 0;
}
