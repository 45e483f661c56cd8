/* Signed distance to a closed mesh.
 *
 * Size: the closest triangle, by a tree of boxes (split at the median of the centroids along the longest
 * side) searched nearest first. Sign: the winding number w(x), 1 inside and 0 outside, which holds for
 * overlapping and touching parts too, where normals of the closest triangle mislead. For a closed and
 * consistently oriented surface it is the sum of what a ray from x crosses, +1 where it leaves and -1 where
 * it enters. The ray goes along an axis, the way it is soonest out of the mesh's box, so that
 *   whether it meets a triangle  is a winding number in the plane across the ray, summed over the three sides
 *                                with half-open bounds. Both triangles of an edge find it on the same side of
 *                                x by the same arithmetic, so rays through edges and corners count once;
 *   whether it lies ahead        is the side of the triangle's plane on which x is.
 * Only the second can be in doubt, where x is within rounding of the plane of a triangle that the ray grazes:
 * then another axis is asked. Where all three are in doubt x lies on the surface, and its size is 0.
 *
 * Questions change nothing and need no memory: any number of threads may ask. */
#include "geom/mesh.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { LEAF = 4, STACK = 96 };
static const double ROUNDING = 1e-14; /* of a plane's height, relative to the products it is made of */

typedef struct {
    double lower[3], upper[3];
    uint32_t first, count; /* a leaf's triangles; an inner node has none */
    uint32_t right;        /* the left child follows its parent */
} node;

typedef double corners[3][3];

struct mesh_tree {
    node *nodes;
    corners *triangle; /* in the order of the leaves */
    uint32_t node_count;
};

/* Building
 * ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double centroid[3];
    uint32_t triangle;
} item;

static bool comes_before(const item *a, const item *b, int axis) {
    if (a->centroid[axis] != b->centroid[axis]) return a->centroid[axis] < b->centroid[axis];
    return a->triangle < b->triangle; /* no two are equal: the tree depends on the mesh alone */
}

static void swap_items(item *a, item *b) {
    item t = *a;
    *a = *b;
    *b = t;
}

/* Puts the `middle` smallest first (quickselect, pivot from three). */
static void select_median(item *items, size_t count, size_t middle, int axis) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t centre = low + (high - low) / 2;
        if (comes_before(&items[centre], &items[low], axis)) swap_items(&items[centre], &items[low]);
        if (comes_before(&items[high], &items[low], axis)) swap_items(&items[high], &items[low]);
        if (comes_before(&items[high], &items[centre], axis)) swap_items(&items[high], &items[centre]);
        item pivot = items[centre];
        size_t i = low, j = high;
        for (;;) {
            while (comes_before(&items[i], &pivot, axis)) ++i;
            while (comes_before(&pivot, &items[j], axis)) --j;
            if (i >= j) break;
            swap_items(&items[i++], &items[j--]);
        }
        if (middle <= j) high = j;
        else low = j + 1;
    }
}

static void cross(double r[3], const double a[3], const double b[3]) {
    for (int c = 0; c < 3; ++c) r[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}
static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void subtract(double r[3], const double a[3], const double b[3]) {
    for (int c = 0; c < 3; ++c) r[c] = a[c] - b[c];
}

static void bound_leaf(node *n, const corners *triangle) {
    for (uint32_t t = n->first; t < n->first + n->count; ++t)
        for (int q = 0; q < 3; ++q)
            for (int c = 0; c < 3; ++c) {
                n->lower[c] = fmin(n->lower[c], triangle[t][q][c]);
                n->upper[c] = fmax(n->upper[c], triangle[t][q][c]);
            }
}

static void bound_inner(node *n, const node *a, const node *b) {
    for (int c = 0; c < 3; ++c) {
        n->lower[c] = fmin(a->lower[c], b->lower[c]);
        n->upper[c] = fmax(a->upper[c], b->upper[c]);
    }
}

static int longest_side(const item *items, size_t count) {
    double size[3];
    for (int c = 0; c < 3; ++c) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; ++i) {
            low = fmin(low, items[i].centroid[c]);
            high = fmax(high, items[i].centroid[c]);
        }
        size[c] = high - low;
    }
    int axis = size[1] > size[0];
    return size[2] > size[axis] ? 2 : axis;
}

/* The halves differ by at most one, so the depth is the logarithm of the count. */
static uint32_t build(mesh_tree *t, item *items, const item *all, const tri_mesh *m, size_t count) {
    uint32_t at = t->node_count++;
    node *n = &t->nodes[at];
    for (int c = 0; c < 3; ++c) {
        n->lower[c] = INFINITY;
        n->upper[c] = -INFINITY;
    }
    if (count <= LEAF) {
        n->first = (uint32_t)(items - all);
        n->count = (uint32_t)count;
        for (size_t i = 0; i < count; ++i)
            for (int q = 0; q < 3; ++q)
                memcpy(t->triangle[n->first + i][q], m->vertex[m->triangle[items[i].triangle][q]],
                       3 * sizeof(double));
        bound_leaf(n, (const corners *)t->triangle);
        return at;
    }
    size_t middle = count / 2;
    select_median(items, count, middle, longest_side(items, count));
    uint32_t left = build(t, items, all, m, middle);
    n->right = build(t, items + middle, all, m, count - middle);
    bound_inner(n, &t->nodes[left], &t->nodes[n->right]);
    return at;
}

mesh_tree *mesh_tree_make(const tri_mesh *m) {
    size_t count = m->triangle_count;
    mesh_tree *t = mem_alloc(sizeof *t);
    item *items = mem_alloc(count * sizeof *items);
    if (t) {
        t->nodes = mem_alloc((count + 1) * sizeof *t->nodes);
        t->triangle = mem_alloc(count * sizeof *t->triangle);
    }
    if (!t || !items || !t->nodes || !t->triangle || count >= UINT32_MAX / 2) {
        mem_free(items);
        mesh_tree_free(t);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        items[i].triangle = (uint32_t)i;
        for (int c = 0; c < 3; ++c)
            items[i].centroid[c] = (m->vertex[m->triangle[i][0]][c] + m->vertex[m->triangle[i][1]][c] +
                                    m->vertex[m->triangle[i][2]][c]) /
                                   3;
    }
    build(t, items, items, m, count);
    mem_free(items);
    return t;
}

void mesh_tree_free(mesh_tree *t) {
    if (!t) return;
    mem_free(t->nodes);
    mem_free(t->triangle);
    mem_free(t);
}

/* Distance
 * ----------------------------------------------------------------------------------------------------- */

/* Squared distance from x to a segment. */
static double segment2(const double a[3], const double b[3], const double x[3]) {
    double along[3], from[3];
    subtract(along, b, a);
    subtract(from, x, a);
    double size2 = dot(along, along), t = size2 > 0 ? dot(from, along) / size2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double rest[3] = {from[0] - t * along[0], from[1] - t * along[1], from[2] - t * along[2]};
    return dot(rest, rest);
}

/* By the region of the triangle's plane that x projects into (Ericson 2005, 5.1.5): corner, side or face. The
 * products ab.. say on which side of the lines through the corners x lies. */
static double triangle2(const corners c, const double x[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    subtract(ab, c[1], c[0]);
    subtract(ac, c[2], c[0]);
    subtract(ap, x, c[0]);
    double ab_a = dot(ab, ap), ac_a = dot(ac, ap);
    if (ab_a <= 0 && ac_a <= 0) return dot(ap, ap);
    subtract(bp, x, c[1]);
    double ab_b = dot(ab, bp), ac_b = dot(ac, bp);
    if (ab_b >= 0 && ac_b <= ab_b) return dot(bp, bp);
    double over_ab = ab_a * ac_b - ab_b * ac_a;
    if (over_ab <= 0 && ab_a >= 0 && ab_b <= 0) return segment2(c[0], c[1], x);
    subtract(cp, x, c[2]);
    double ab_c = dot(ab, cp), ac_c = dot(ac, cp);
    if (ac_c >= 0 && ab_c <= ac_c) return dot(cp, cp);
    double over_ac = ab_c * ac_a - ab_a * ac_c;
    if (over_ac <= 0 && ac_a >= 0 && ac_c <= 0) return segment2(c[0], c[2], x);
    double over_bc = ab_b * ac_c - ab_c * ac_b;
    if (over_bc <= 0 && ac_b >= ab_b && ab_c >= ac_c) return segment2(c[1], c[2], x);
    double normal[3];
    cross(normal, ab, ac);
    double size2 = dot(normal, normal), height = dot(normal, ap);
    if (size2 > 0) return height * height / size2;
    double nearest = fmin(segment2(c[0], c[1], x), segment2(c[1], c[2], x)); /* no area: a line */
    return fmin(nearest, segment2(c[2], c[0], x));
}

/* Without fmax, which is a call: this is where most of the time goes. */
static double box2(const node *n, const double x[3]) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        double below = n->lower[c] - x[c], above = x[c] - n->upper[c], d = below > above ? below : above;
        d = d > 0 ? d : 0;
        sum += d * d;
    }
    return sum;
}

static double nearest2(const mesh_tree *t, const double x[3]) {
    struct {
        uint32_t node;
        double least;
    } stack[STACK];
    int depth = 0;
    double best = INFINITY;
    stack[depth].node = 0;
    stack[depth++].least = box2(&t->nodes[0], x);
    while (depth > 0) {
        --depth;
        if (stack[depth].least >= best) continue;
        uint32_t at = stack[depth].node;
        const node *n = &t->nodes[at];
        for (uint32_t i = n->first; i < n->first + n->count; ++i) {
            const double d2 = triangle2((const double(*)[3])t->triangle[i], x);
            best = d2 < best ? d2 : best;
        }
        if (n->count) continue;
        uint32_t near = at + 1, far = n->right;
        double a = box2(&t->nodes[near], x), b = box2(&t->nodes[far], x);
        if (b < a) {
            near = n->right;
            far = at + 1;
            double swap = a;
            a = b;
            b = swap;
        }
        stack[depth].node = far;
        stack[depth++].least = b;
        stack[depth].node = near;
        stack[depth++].least = a;
    }
    return best;
}

/* Sign
 * ---------------------------------------------------------------------------------------------------------
 */

/* A ray from x along an axis, u and v the axes across it. */
typedef struct {
    const double *x;
    int along, u, v;
    bool upward;
} ray;

/* +1 or -1 for a triangle that the line of the ray crosses, seen counterclockwise or clockwise; else 0. */
static int crossing(const corners c, const ray *r) {
    const double u = r->x[r->u], v = r->x[r->v];
    int turns = 0;
    for (int q = 0; q < 3; ++q) {
        const double *from = c[q], *to = c[(q + 1) % 3];
        const bool rises = from[r->v] <= v, stays = rises == (to[r->v] <= v);
        if (stays) continue;
        const double *low = rises ? from : to, *high = rises ? to : from; /* the same for both neighbours */
        if ((high[r->u] - low[r->u]) * (v - low[r->v]) > (u - low[r->u]) * (high[r->v] - low[r->v]))
            turns += rises ? 1 : -1;
    }
    return turns;
}

static double size1(const double a[3]) {
    return fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
}

/* How much a crossing counts: nothing behind x. */
static int count_crossing(const corners c, const ray *r, int turns, bool *doubtful) {
    double ab[3], ac[3], xa[3], normal[3];
    subtract(ab, c[1], c[0]);
    subtract(ac, c[2], c[0]);
    subtract(xa, c[0], r->x);
    cross(normal, ab, ac);
    const double height = dot(normal, xa);
    if (fabs(height) <= ROUNDING * size1(ab) * size1(ac) * size1(xa)) *doubtful = true;
    const bool above = (height > 0) == (turns > 0); /* where the line meets the triangle */
    return above != r->upward ? 0 : r->upward ? turns : -turns;
}

static bool can_meet(const node *n, const ray *r) {
    const double *x = r->x;
    const double u = x[r->u], v = x[r->v];
    return n->lower[r->u] <= u && u <= n->upper[r->u] && n->lower[r->v] <= v && v <= n->upper[r->v] &&
           (r->upward ? n->upper[r->along] >= x[r->along] : n->lower[r->along] <= x[r->along]);
}

static int winding_along(const mesh_tree *t, const ray *r, bool *doubtful) {
    uint32_t stack[STACK];
    int depth = 0, sum = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t at = stack[--depth];
        const node *n = &t->nodes[at];
        if (!can_meet(n, r)) continue;
        for (uint32_t i = n->first; i < n->first + n->count; ++i) {
            const double(*c)[3] = (const double(*)[3])t->triangle[i];
            const int turns = crossing(c, r);
            if (turns) sum += count_crossing(c, r, turns, doubtful);
        }
        if (n->count) continue;
        stack[depth++] = n->right;
        stack[depth++] = at + 1;
    }
    return sum;
}

static int winding(const mesh_tree *t, const double x[3]) {
    const node *all = &t->nodes[0];
    double least = INFINITY;
    int first = 0, sum = 0;
    for (int c = 0; c < 3; ++c) {
        const double way = fmin(x[c] - all->lower[c], all->upper[c] - x[c]);
        if (way >= least) continue;
        least = way;
        first = c;
    }
    bool doubtful = true;
    for (int k = 0; k < 3 && doubtful; ++k) {
        const int along = (first + k) % 3;
        const ray r = {.x = x,
                       .along = along,
                       .u = (along + 1) % 3,
                       .v = (along + 2) % 3,
                       .upward = all->upper[along] - x[along] < x[along] - all->lower[along]};
        doubtful = false;
        sum = winding_along(t, &r, &doubtful);
    }
    return sum;
}

double mesh_tree_distance(const mesh_tree *t, const double x[3]) {
    double size = sqrt(nearest2(t, x));
    if (box2(&t->nodes[0], x) > 0) return size;
    return winding(t, x) > 0 ? -size : size;
}

double mesh_tree_size(const mesh_tree *t, const double x[3]) {
    return sqrt(nearest2(t, x));
}
