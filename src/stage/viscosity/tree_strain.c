/* Samples of strain on a graded tree.
 *
 *   leaves   d_a u_a = (u_high - u_low) / s                volume s^dim
 *   edges    d_q u_p = (u_above - u_below) / distance      volume by quarters, below
 *
 * A face of a leaf may be part of a larger one, whose velocity q it takes (`wang`, E 3.37), or
 * q + sum h/2 (+-) s_d with the slopes s_d of q (`quadratic`, h the leaf's side). An edge takes what lies
 * next to it on both sides: a face, at its centre; the mean of a leaf's two faces, at its centre, where the
 * edge lies on that leaf's side; a wall. Where the edge hangs on a face that goes on beyond it, the slope is
 * that of the next faces above and below (`wang`, E 3.39), or s_q (`quadratic`). s_d = [ (q+ - q) / d+ + (q -
 * q-) / d- ] / 2 from the faces next to it, the mean of two where they are smaller, and walls at their
 * distance: exact for linear velocities, so D is.
 *
 * Volumes. wang, E 3.4.2: (a + b)(c + d) with halves of the smaller leaf on each side, overlaps counted
 * twice. quadratic: each leaf gives all it has. A leaf's volume goes to its corners by quarters; where a side
 * has a hanging edge, this gets a quarter of it, an eighth from each of the corners it lies between. Then D^T
 * W of a constant stress is 0 inside.
 *
 * Three dimensions: edges as in a slice of two, as all that lies around an edge spans the same slices; where
 * a face or a leaf is longer than the edge, `quadratic` takes it half the edge's length up or down its slope.
 * E is two-dimensional: this step is ours.
 *
 * Source: E 3.4.1, 3.4.2. Limits: the tree must be graded across corners. */
#include "stage/viscosity/tree_strain.h"

#include <assert.h>
#include <math.h>

static void add_face(strain *s, int face, double weight) {
    for (int n = 0; n < s->count; ++n)
        if (s->face[n] == face) {
            s->weight[n] += weight;
            return;
        }
    assert(s->count < STRAIN_ENTRIES);
    s->face[s->count] = face;
    s->weight[s->count++] = weight;
}

static void face_centre(double x[3], const tree *t, int face) {
    const tree_face *f = &t->face[face];
    for (int a = 0; a < 3; ++a) x[a] = f->at[a] + (a == f->axis ? 0 : 0.5 * (a < t->dim ? f->size : 1));
}

static double wall_at(const strain_rules *r, int axis, const double x[3]) {
    return r->wall ? r->wall(r->user, axis, x) : 0;
}

/* ---- what lies next to something, along an axis ---- */

/* sum of weight u_face, or `known`, at a distance. */
typedef struct point {
    int count, face[4];
    double weight[4], known, distance;
} point;

static void add_point(strain *s, const point *p, double factor) {
    for (int n = 0; n < p->count; ++n) add_face(s, p->face[n], factor * p->weight[n]);
    s->known += factor * p->known;
}

/* What lies next to a face along another axis. Beside faces with a smaller leaf always something of at most
 * their own size; elsewhere there may be a larger face, or a larger leaf's middle, which tells nothing here:
 * then the distance is 0. */
static point next_to_face(const strain_rules *r, int face, int axis, int up) {
    const tree *t = r->t;
    const tree_face *f = &t->face[face];
    const int other = 3 - axis - f->axis, parts = other < t->dim && f->size > 1 ? 2 : 1;
    point p = {0};
    int at[3] = {f->at[0], f->at[1], f->at[2]};
    at[axis] += up ? f->size : -1;
    if (at[axis] < 0 || at[axis] >= t->n[axis]) {
        double x[3];
        face_centre(x, t, face);
        p.distance = 0.5 * f->size;
        x[axis] += up ? p.distance : -p.distance;
        p.known = wall_at(r, f->axis, x);
        return p;
    }
    for (int n = 0; n < parts; ++n) {
        at[other] += n * f->size / 2;
        const int next = t->face_of[f->axis][tree_at(t, at)];
        if (next < 0 || t->face[next].size > f->size) return (point){.distance = 0};
        p.face[p.count] = next;
        p.weight[p.count++] = 1.0 / parts;
        p.distance = 0.5 * (f->size + t->face[next].size);
    }
    return p;
}

void strain_add_slope(strain *s, const strain_rules *r, int face, int axis, double factor) {
    const point next[2] = {next_to_face(r, face, axis, 0), next_to_face(r, face, axis, 1)};
    const int sides =
        (next[0].distance > 0) + (next[1].distance > 0); /* a leaf's sibling is on one of them */
    for (int up = 0; up < 2; ++up) {
        if (!(next[up].distance > 0)) continue;
        const double weight = (up ? factor : -factor) / (sides * next[up].distance);
        add_point(s, &next[up], weight);
        add_face(s, face, -weight);
    }
}

/* += factor times u_axis of a face at a point of its plane that is not its centre. */
static void add_face_at(strain *s, const strain_rules *r, int face, const double x[3], double factor) {
    const tree *t = r->t;
    double centre[3];
    face_centre(centre, t, face);
    add_face(s, face, factor);
    for (int a = 0; a < t->dim && r->scheme == TREE_QUADRATIC; ++a) {
        const double off = x[a] - centre[a];
        if (a != t->face[face].axis && fabs(off) > 0) strain_add_slope(s, r, face, a, factor * off);
    }
}

/* ---- normal strain ---- */

static int leaf_face(const tree *t, const tree_leaf *leaf, int axis, int high) {
    int at[3] = {leaf->at[0], leaf->at[1], leaf->at[2]};
    at[axis] += high ? leaf->size : 0;
    return t->face_of[axis][tree_at(t, at)];
}

void strain_add_normal(strain *s, const strain_rules *r, int leaf, int axis, double factor) {
    const tree_leaf *l = &r->t->leaf[leaf];
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = l->at[a] + 0.5 * (a < r->t->dim ? l->size : 1);
    for (int high = 0; high < 2; ++high)
        add_face_at(s, r, leaf_face(r->t, l, axis, high), x, (high ? factor : -factor) / l->size);
}

/* ---- shear ---- */

/* The cell next to an edge, below or above it along an axis. */
static bool cell_beside(int cell[3], const tree *t, const int at[3], int axis, int above) {
    for (int a = 0; a < 3; ++a) cell[a] = at[a];
    cell[axis] -= !above;
    return cell[axis] >= 0 && cell[axis] < t->n[axis];
}

/* The face across axis p that lies next to an edge along axis q; -1: a wall, -2: the middle of a leaf. */
static int face_beside(const tree *t, const int at[3], int p, int q, int above) {
    int cell[3];
    if (!cell_beside(cell, t, at, q, above)) return -1;
    const int face = t->face_of[p][tree_at(t, cell)];
    return face >= 0 ? face : -2;
}

/* += factor u_p next to the edge, at its height x[e]; with factor 0 only the distance is told. */
static double add_beside(strain *s, const strain_rules *r, int p, int q, const int at[3], const double x[3],
                         int above, double factor) {
    const tree *t = r->t;
    const int face = face_beside(t, at, p, q, above);
    if (face == -1) {
        s->known += factor * wall_at(r, p, x);
        return 0;
    }
    if (face >= 0) {
        double on[3] = {x[0], x[1], x[2]}, centre[3];
        face_centre(centre, t, face);
        on[q] = centre[q];
        if (factor < 0 || factor > 0) add_face_at(s, r, face, on, factor);
        return fabs(centre[q] - x[q]);
    }
    int cell[3];
    cell_beside(cell, t, at, q, above);
    const tree_leaf *leaf = &t->leaf[t->leaf_of[tree_at(t, cell)]];
    double on[3] = {x[0], x[1], x[2]};
    on[q] = leaf->at[q] + 0.5 * leaf->size;
    for (int high = 0; high < 2 && (factor < 0 || factor > 0); ++high)
        add_face_at(s, r, leaf_face(t, leaf, p, high), on, 0.5 * factor);
    return fabs(on[q] - x[q]);
}

void strain_add_shear(strain *s, const strain_rules *r, int e, const int at[3], int length, int second,
                      double factor) {
    const int first = e == 0 ? 1 : 0, last = e == 2 ? 1 : 2, p = second ? last : first,
              q = second ? first : last;
    const int below = face_beside(r->t, at, p, q, 0), above = face_beside(r->t, at, p, q, 1);
    double x[3] = {at[0], at[1], at[2]};
    x[e] += 0.5 * (e < r->t->dim ? length : 1);
    if (above >= 0 && above == below) {
        if (r->scheme == TREE_QUADRATIC) {
            strain_add_slope(s, r, above, q, factor);
            return;
        }
        const point high = next_to_face(r, above, q, 1), low = next_to_face(r, above, q, 0);
        const double weight = factor / (high.distance + low.distance);
        add_point(s, &high, weight);
        add_point(s, &low, -weight);
        return;
    }
    const double distance = add_beside(s, r, p, q, at, x, 0, 0) + add_beside(s, r, p, q, at, x, 1, 0);
    add_beside(s, r, p, q, at, x, 0, -factor / distance);
    add_beside(s, r, p, q, at, x, 1, factor / distance);
}

/* ---- volumes ---- */

static int size_of(const tree *t, int leaf) {
    return leaf < 0 ? 0 : t->leaf[leaf].size;
}

/* Half of the smaller leaf of two; outside there is none. */
static double half_width(const tree *t, int one, int other) {
    const int a = size_of(t, one), b = size_of(t, other);
    return 0.5 * (a == 0 || (b > 0 && b < a) ? b : a);
}

/* What a leaf gives to its corner n of an edge, in a slice across it: a quarter, less an eighth for each side
 * where the next leaf around is smaller, so that an edge hangs there. A leaf that reaches past the edge comes
 * twice and gives half of its quarter each time. */
static double quarter(const strain_rules *r, const int around[4], int n) {
    const int mine = size_of(r->t, around[n]), along = n ^ 1, across = n ^ 2;
    const double area = 0.25 * mine * mine;
    if (mine == 0) return 0;
    if (around[along] == around[n] || around[across] == around[n]) return 0.5 * area;
    const int finer_along = around[along] >= 0 && size_of(r->t, around[along]) < mine,
              finer_across = around[across] >= 0 && size_of(r->t, around[across]) < mine;
    return area * (1 - 0.5 * (finer_along + finer_across));
}

double strain_edge_volume(const strain_rules *r, const int around[4], int length) {
    const tree *t = r->t;
    double area = 0;
    if (r->scheme == TREE_QUADRATIC)
        for (int n = 0; n < 4; ++n) area += quarter(r, around, n);
    else
        area = (half_width(t, around[0], around[2]) + half_width(t, around[1], around[3])) *
               (half_width(t, around[0], around[1]) + half_width(t, around[2], around[3]));
    return area * (t->dim == 3 ? length : 1);
}

double strain_face_volume(const tree *t, int face) {
    const tree_face *f = &t->face[face];
    double width = 0;
    for (int high = 0; high < 2; ++high) {
        int cell[3] = {f->at[0], f->at[1], f->at[2]};
        cell[f->axis] -= !high;
        if (cell[f->axis] < 0 || cell[f->axis] >= t->n[f->axis]) continue;
        width += 0.5 * (1 << t->level[tree_at(t, cell)]);
    }
    return width * f->size * (t->dim == 3 ? f->size : 1);
}
