/* Cut fractions from corner values.
 *
 * Segment: the linear interpolant's share above zero. Square: the linear interpolant on each side gives the
 * crossings, straight cuts join them (marching squares); two opposite corners alone are joined or parted by
 * the sign of the mean. Cube: 24 tetrahedra from the centre over the face centres to the edges, the new
 * corners holding mean values, each cut exactly; square: 4 triangles likewise. All are exact for linear
 * values and of second order for smooth ones, and the sums over simplices have no ambiguous case: they are
 * continuous in every value.
 *
 * Values of exactly 0 count as outside; every formula has the same limit from both sides. */
#include "geom/fractions.h"

#include <stdbool.h>

double fraction_segment(double a, double b) {
    if (a >= 0) return b >= 0 ? 1 : a / (a - b);
    return b >= 0 ? b / (b - a) : 0;
}

double fraction_square(const double corner[4]) {
    static const int around[4] = {0, 1, 3, 2};
    double v[4], share[4]; /* share[s]: open share of the side from corner s to s + 1, going around */
    int open = 0;
    for (int s = 0; s < 4; ++s) v[s] = corner[around[s]];
    for (int s = 0; s < 4; ++s) {
        share[s] = fraction_segment(v[s], v[(s + 1) & 3]);
        open += v[s] >= 0;
    }
    if (open == 0 || open == 4) return open == 4;
    bool opposite = open == 2 && (v[0] >= 0) == (v[2] >= 0);
    if (open == 2 && !opposite) { /* a trapezium: the mean of the two sides that are cut */
        int s = (v[0] >= 0) == (v[1] >= 0) ? 1 : 0;
        return 0.5 * (share[s] + share[s + 2]);
    }
    /* corner triangles: of the open corners when those are alone, of the closed ones otherwise */
    bool of_open = opposite ? v[0] + v[1] + v[2] + v[3] < 0 : open == 1;
    double area = 0;
    for (int s = 0; s < 4; ++s) {
        if ((v[s] >= 0) != of_open) continue;
        double before = share[(s + 3) & 3], after = share[s];
        area += 0.5 * (of_open ? before * after : (1 - before) * (1 - after));
    }
    return of_open ? area : 1 - area;
}

double closed_middle_segment(double a, double b) {
    if ((a >= 0) == (b >= 0)) return 0;
    const double open = fraction_segment(a, b);
    return a >= 0 ? 0.5 * open : -0.5 * open;
}

/* Two sides of the square are cut, `low` and `high` of them closed from corner `from` on, which is that of
 * the closed side: a trapezium. */
static void middle_of_trapezium(double middle[2], double low, double high, int axis, int from) {
    const double both = low + high;
    const double deep = both > 0 ? (low * low + low * high + high * high) / (3 * both) - 0.5 : 0;
    middle[axis] = from ? -deep : deep;
    middle[1 - axis] = both > 0 ? (low + 2 * high) / (3 * both) - 0.5 : 0;
}

void closed_middle_square(double middle[2], const double corner[4]) {
    int open = 0, mask = 0;
    middle[0] = middle[1] = 0;
    for (int i = 0; i < 4; ++i) mask |= (corner[i] >= 0) << i;
    for (int i = 0; i < 4; ++i) open += mask >> i & 1;
    if (open == 0 || open == 4) return;
    const int opposite = mask == 6 || mask == 9;
    if (open == 2 && !opposite) { /* cut along the axis whose sides change */
        const int axis = mask == 5 || mask == 10 ? 0 : 1, along = 1 << axis, across = 3 - along;
        const double low = 1 - fraction_segment(corner[0], corner[along]),
                     high = 1 - fraction_segment(corner[across], corner[3]);
        middle_of_trapezium(middle, low, high, axis, mask & 1);
        return;
    }
    /* corner triangles; about the middle of the square, open and closed parts have opposite moments */
    const int of_open = opposite ? corner[0] + corner[1] + corner[2] + corner[3] < 0 : open == 1;
    double area = 0, moment[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        if ((mask >> i & 1) != of_open) continue;
        double leg[2];
        for (int d = 0; d < 2; ++d) {
            const double share = fraction_segment(corner[i], corner[i ^ 1 << d]);
            leg[d] = of_open ? share : 1 - share;
        }
        const double size = 0.5 * leg[0] * leg[1];
        area += size;
        for (int d = 0; d < 2; ++d) moment[d] += size * (i >> d & 1 ? 0.5 - leg[d] / 3 : leg[d] / 3 - 0.5);
    }
    const double closed = of_open ? 1 - area : area;
    for (int d = 0; d < 2 && closed > 0; ++d) middle[d] = (of_open ? -moment[d] : moment[d]) / closed;
}

/* The share of the edge from the negative value a to the other value b that is negative. */
static double cut(double a, double b) {
    return a / (a - b);
}

static double negative_triangle(double a, double b, double c) {
    int negative = (a < 0) + (b < 0) + (c < 0);
    if (negative == 0 || negative == 3) return negative == 3;
    bool lone = negative == 1;
    double t;
    if ((a < 0) == lone) t = cut(a, b) * cut(a, c);
    else if ((b < 0) == lone) t = cut(b, a) * cut(b, c);
    else t = cut(c, a) * cut(c, b);
    return lone ? t : 1 - t;
}

/* Sorting by sign leaves three cases: a lone negative corner, a lone positive one, and the wedge of two and
 * two, which splits into three tetrahedra with volumes pq, rq (1 - p), rt (1 - q). */
static double negative_tetrahedron(double a, double b, double c, double d) {
    double low[4], high[4];
    const double v[4] = {a, b, c, d};
    int lows = 0, highs = 0;
    for (int i = 0; i < 4; ++i) {
        if (v[i] < 0) low[lows++] = v[i];
        else high[highs++] = v[i];
    }
    switch (lows) {
    case 0: return 0;
    case 1: return cut(low[0], high[0]) * cut(low[0], high[1]) * cut(low[0], high[2]);
    case 2: {
        double p = cut(low[0], high[0]), q = cut(low[0], high[1]);
        double r = cut(low[1], high[0]), t = cut(low[1], high[1]);
        return p * q + r * q * (1 - p) + r * t * (1 - q);
    }
    case 3: return 1 - cut(high[0], low[0]) * cut(high[0], low[1]) * cut(high[0], low[2]);
    default: return 1;
    }
}

static double negative_square(const double v[4]) {
    double middle = 0.25 * (v[0] + v[1] + v[2] + v[3]);
    return 0.25 * (negative_triangle(middle, v[0], v[1]) + negative_triangle(middle, v[1], v[3]) +
                   negative_triangle(middle, v[3], v[2]) + negative_triangle(middle, v[2], v[0]));
}

double fraction_negative_cube(const double corner[8], int dim) {
    int corners = dim == 3 ? 8 : 4, negative = 0;
    for (int i = 0; i < corners; ++i) negative += corner[i] < 0;
    if (negative == 0) return 0;
    if (negative == corners) return 1;
    if (dim == 2) return negative_square(corner);
    double middle = 0, sum = 0;
    for (int i = 0; i < 8; ++i) middle += 0.125 * corner[i];
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            int u = 1 << (axis + 1) % 3, w = 1 << (axis + 2) % 3, base = side << axis;
            const double v[4] = {corner[base], corner[base + u], corner[base + u + w], corner[base + w]};
            double face = 0.25 * (v[0] + v[1] + v[2] + v[3]);
            for (int e = 0; e < 4; ++e) sum += negative_tetrahedron(middle, face, v[e], v[(e + 1) & 3]);
        }
    sum /= 24;
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}
