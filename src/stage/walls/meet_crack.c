/* Cracks between solids.
 *
 *   crack:   d_i + d_k < least at all corners of a face, or min(d_i, d_k) < least / 2 wherever d_i = d_k on
 *            its edges.
 *
 * d_i + d_k is the width of a gap between parallel walls. Corners do not tell it near a solid's other sides:
 * below its lid the distance in a plug is that of the lid, and a plug of a few cells would have no crack that
 * goes all around it; so edges are searched, by false position and halves in turn.
 *
 * All of a crack's faces are closed: some would fall below OPEN_MIN and others not, and the cells between
 * these hold a body as if it were glued.
 *
 * Source: docs/decisions/0015-gaps.md.
 *
 * Limits: a gap that opens within a face, away from its edges, is not seen. */
#include "stage/walls/meeting.h"

#include <math.h>

enum { ROUNDS = 16 }; /* of a search */

/* Whether two solids are so near each other at all corners that what is between them is none of the grid's:
 * d_i + d_k is the width of a gap between parallel walls, wherever it is taken. */
static int is_narrow(const closer *a, const closer *b, int corners, float least) {
    int narrow = 1;
    for (int c = 0; c < corners; ++c) narrow &= a->corner[c] + b->corner[c] < least;
    return narrow;
}

static double distance_from(const meet_job *s, const closer *c, const double x[3]) {
    return c->mover ? obstacle_distance(&s->solids[c->mover - 1], x)
                    : obstacles_thick_distance(s->solids, s->still_count, x);
}

/* Whether no place on an edge of a face, from one end to the other, is farther than half of `least` from both
 * of two solids, each of which is the nearer one at an end: the farthest is where they are equally far.
 * apart: how much farther the first is than the second at the ends. */
static int is_shut_edge(const meet_job *s, const closer *a, const closer *b, const double end[3],
                        const double other[3], const double apart[2], double least) {
    double from = 0, to = 1, low = apart[0], high = apart[1];
    for (int round = 0; round < ROUNDS && (to - from) * s->g->dx > 0.1 * least; ++round) {
        /* the distances' own guess, and halves, as inside of a solid another side of it may be nearer */
        const double at = round % 2 ? 0.5 * (from + to) : from + (to - from) * low / (low - high);
        double x[3];
        for (int c = 0; c < 3; ++c) x[c] = end[c] + at * (other[c] - end[c]);
        const double first = distance_from(s, a, x), second = distance_from(s, b, x);
        if (fmin(first, second) >= 0.5 * least) return 0;
        const double now = first - second;
        if (now * low > 0) {
            from = at;
            low = now;
        } else {
            to = at;
            high = now;
        }
    }
    return 1;
}

/* Whether two solids leave less than `least` between them along the face's edges. */
static int is_shut(const meet_part *t, const closer *a, const closer *b, const int at[3], double least) {
    const int dim = t->s->g->box.dim;
    static const int edge[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    int any = 0;
    for (int e = 0; e < (dim == 3 ? 4 : 1); ++e) {
        double ends[2][3], apart[2];
        for (int end = 0; end < 2; ++end) {
            const int c = edge[e][end];
            int node[3];
            corner_node(node, at, t->axis, dim, c);
            mac_place(ends[end], t->s->g, node[0], node[1], node[2]);
            apart[end] = (double)a->corner[c] - (double)b->corner[c];
        }
        if (!(apart[0] * apart[1] < 0)) continue;
        if (!is_shut_edge(t->s, a, b, ends[0], ends[1], apart, least)) return 0;
        any = 1;
    }
    return any;
}

int meeting_is_crack(const meet_part *t, const meeting *m, const int at[3], float least) {
    const int corners = corner_count(&t->s->g->box);
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < i; ++k)
            if (is_narrow(&m->solid[i], &m->solid[k], corners, least) ||
                is_shut(t, &m->solid[i], &m->solid[k], at, (double)least))
                return 1;
    return 0;
}
