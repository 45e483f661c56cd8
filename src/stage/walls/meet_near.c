/* The solids near a face, and their distances at its corners.
 *
 *   c_i = 1 - open(d_i):   the share that solid i closes, from its own distances d_i at the corners.
 *
 * All static solids are one; a closed side of the domain is asked for where films are. Most faces are passed
 * over by balls, at the cost of no distance. A face is the task's of the first mover near it.
 *
 * Source: docs/decisions/0015-gaps.md.
 *
 * Limits: more than MEETING_MOST solids at a face are left to the common distance; near an edge of a solid
 * distances at corners show less than what it closes. */
#include "stage/walls/meeting.h"

#include <math.h>
#include "geom/fractions.h"

static void read_corners(float corner[4], const float *phi, ptrdiff_t n, const box *b, int axis) {
    ptrdiff_t step[2];
    face_steps(step, b, axis);
    for (int c = 0; c < 4; ++c) corner[c] = phi[n + (c & 1) * step[0] + (c >> 1) * step[1]];
}

static void corners_of(float corner[4], const mac_grid *g, const obstacle *solid, const int at[3], int axis) {
    for (int c = 0; c < corner_count(&g->box); ++c) {
        double x[3];
        int node[3];
        corner_node(node, at, axis, g->box.dim, c);
        mac_place(x, g, node[0], node[1], node[2]);
        corner[c] = (float)obstacle_distance(solid, x);
    }
}

double meeting_closed_share(const float v[4], int dim, float on) {
    float most = v[0];
    for (int c = 1; c < (dim == 3 ? 4 : 2); ++c) most = greater(most, v[c]);
    if (!(most > on)) return 1;
    if (dim == 2) return 1 - fraction_segment((double)v[0], (double)v[1]);
    return 1 - fraction_square((const double[4]){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
}

/* The corners' distances from what stands still; whether that is near. */
static int find_still(float corner[4], const meet_part *t, ptrdiff_t n) {
    const mac_grid *g = t->s->g;
    float least = INFINITY;
    read_corners(corner, t->s->still, n, &g->box, t->axis);
    for (int c = 0; c < 4; ++c) least = lesser(least, corner[c]);
    return least < (float)(MEET_REACH * g->dx);
}

/* The corners' distances from the closed sides of the domain; whether one is near. */
static int find_sides(float corner[4], const meet_part *t, const int at[3]) {
    const box *b = &t->s->g->box;
    int near = 0;
    for (int c = 0; c < 4; ++c) {
        int node[3], least = b->n[t->axis];
        corner_node(node, at, t->axis, b->dim, c);
        for (int a = 0; a < b->dim; ++a) {
            if (!t->s->o->open_wall[2 * a] && node[a] < least) least = node[a];
            if (!t->s->o->open_wall[2 * a + 1] && b->n[a] - node[a] < least) least = b->n[a] - node[a];
        }
        corner[c] = (float)(least * t->s->g->dx);
        near |= least <= 1;
    }
    return near;
}

/* Goes through the solids that may be near, the task's own among them, in rising order; -1: no more. */
typedef struct {
    int next, own_passed;
} walk;

static int next_near(walk *w, const meet_part *t) {
    const reach_near *others = &t->others;
    if (!others->among) return w->next < others->count ? w->next++ : -1;
    const int is_end = w->next == others->count;
    if (!w->own_passed && (is_end || t->own < others->among[w->next])) {
        w->own_passed = 1;
        return t->own;
    }
    return is_end ? -1 : others->among[w->next++];
}

static int may_be_near(const obstacle *o, const double x[3], double reach) {
    return o->def->motion != RHEO_STATIC && !o->thin && !obstacle_is_beyond(o, x, reach);
}

/* Whether balls leave it open that a moving solid and something else are near: around most of one nothing
 * is, which costs no distance to find. */
static int may_meet(const meet_part *t, const double x[3], int still) {
    int near = still;
    walk w = {0};
    for (int k = next_near(&w, t); k >= 0 && near < 2; k = next_near(&w, t))
        near += may_be_near(&t->s->solids[k], x, MEET_REACH * t->s->g->dx);
    return near > 1;
}

int meeting_gather(meeting *m, const meet_part *t, const int at[3], ptrdiff_t n) {
    const meet_job *s = t->s;
    const double reach = MEET_REACH * s->g->dx;
    const int still = find_still(m->solid[0].corner, t, n);
    walk w = {0};
    double x[3];
    face_middle(x, s->g, at, t->axis);
    m->at_side = s->films && find_sides(m->corner, t, at);
    if (!may_meet(t, x, still || m->at_side)) return 0;
    m->solid[0].mover = 0;
    m->count = still;
    for (int k = next_near(&w, t); k >= 0; k = next_near(&w, t)) {
        const obstacle *o = &s->solids[k];
        if (!may_be_near(o, x, reach) || !(obstacle_distance(o, x) < reach)) continue;
        if ((m->count == still && k != t->own) || m->count == MEETING_MOST) return 0;
        m->solid[m->count++].mover = 1 + k;
    }
    if (m->count - still < 1 || m->count + m->at_side < 2) return 0;
    for (int c = still; c < m->count; ++c)
        corners_of(m->solid[c].corner, s->g, &s->solids[m->solid[c].mover - 1], at, t->axis);
    return 1;
}
