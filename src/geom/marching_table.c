/* Marching cubes' cases from a rule instead of a list.
 *
 * On each face, seen from outside and walked anticlockwise, every run of inside corners is cut off by a
 * segment from the edge where the run is entered to the one where it is left. On an ambiguous face this parts
 * the two inside corners; the rule looks at that face alone, so both cubes that share it agree. Each cut edge
 * starts a segment on one of its two faces and ends one on the other: the segments close to loops, which see
 * the outside on their right hand.
 *
 * A loop is split into triangles by diagonals that join edges with no face in common. Such a diagonal belongs
 * to this cube alone, so every mesh edge has exactly two triangles, for any signs whatever. Where no such
 * split exists the loop gets a vertex of its own in the middle. (Diagonals across a face are the flaw of the
 * published tables: two neighbours may both draw one.) */
#include "geom/marching_table.h"

#include <pthread.h>
#include <stdbool.h>

static cube_case cases[256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static int edge_between(int from, int to) {
    int bit = from ^ to, axis = bit == 1 ? 0 : bit == 2 ? 1 : 2, low = from & to;
    return 4 * axis + (low >> (axis + 1) % 3 & 1) + 2 * (low >> (axis + 2) % 3 & 1);
}

/* next[e]: the edge that the loop through e goes to. */
static void join_face(int8_t next[CUBE_EDGES], int inside, int axis, int side) {
    int u = 1 << (axis + 1) % 3, w = 1 << (axis + 2) % 3, base = side << axis;
    int corner[4] = {base, base + u, base + u + w, base + w};
    if (side == 0) { /* seen from the other side the walk turns around */
        corner[1] = base + w;
        corner[3] = base + u;
    }
    for (int m = 0; m < 4; ++m) {
        int before = corner[(m + 3) & 3], here = corner[m];
        if (!(inside >> here & 1) || inside >> before & 1) continue;
        int end = m; /* the last corner of the run that starts here */
        while (inside >> corner[(end + 1) & 3] & 1) ++end;
        next[edge_between(before, here)] = (int8_t)edge_between(corner[end & 3], corner[(end + 1) & 3]);
    }
}

static bool on_face(int edge, int axis, int side) {
    int a = edge_axis(edge);
    return a != axis && (edge_corner(edge) >> axis & 1) == side;
}

static bool share_face(int e, int f) {
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            if (on_face(e, axis, side) && on_face(f, axis, side)) return true;
    return false;
}

static void add_triangle(cube_case *c, int e, int f, int g) {
    uint8_t *t = c->triangle[c->triangle_count++];
    t[0] = (uint8_t)e;
    t[1] = (uint8_t)f;
    t[2] = (uint8_t)g;
}

/* Splits the part of a loop from corner i to corner j, whose closing side is allowed; false when it cannot
 * be. */
static bool split(cube_case *c, const int8_t *loop, int i, int j) {
    if (j - i < 2) return true;
    for (int k = i + 1; k < j; ++k) {
        bool left = k - i < 2 || !share_face(loop[i], loop[k]),
             right = j - k < 2 || !share_face(loop[k], loop[j]);
        if (!left || !right) continue;
        uint8_t count = c->triangle_count;
        add_triangle(c, loop[i], loop[k], loop[j]);
        if (split(c, loop, i, k) && split(c, loop, k, j)) return true;
        c->triangle_count = count;
    }
    return false;
}

static void fan(cube_case *c, const int8_t *loop, int length) {
    for (int m = 0; m < length; ++m)
        add_triangle(c, loop[m], loop[(m + 1) % length], CUBE_EDGES + c->centre_count);
    c->centre_count++;
}

static void make_case(cube_case *c, int inside) {
    int8_t next[CUBE_EDGES], loop[CUBE_EDGES];
    for (int e = 0; e < CUBE_EDGES; ++e) next[e] = -1;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) join_face(next, inside, axis, side);
    for (int e = 0; e < CUBE_EDGES; ++e) {
        if (next[e] < 0) continue;
        int length = 0;
        for (int at = e; next[at] >= 0;) {
            loop[length++] = (int8_t)at;
            c->edges = (uint16_t)(c->edges | 1u << at);
            int to = next[at];
            next[at] = -1;
            at = to;
        }
        if (!split(c, loop, 0, length - 1)) fan(c, loop, length);
    }
}

static void make_cases(void) {
    for (int inside = 0; inside < 256; ++inside) make_case(&cases[inside], inside);
}

const cube_case *marching_cases(void) {
    pthread_once(&made, make_cases);
    return cases;
}
