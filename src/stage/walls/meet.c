/* Gaps between solids: where a moving solid comes near another one each closes its own share of a face.
 *
 *   c_i = 1 - open(d_i),   open = 1 - sum c_i,   sum c_i w_i goes through the closed part,
 *
 * with distances d_i of its own at the corners: what slides along a wall pushes nothing into the gap. The
 * distance to the nearest solid is that of a union, and linear along a face only where one solid is nearest
 * at all of its corners. In a gap narrower than a cell none is: a face from one solid to the other has both
 * ends inside and comes out closed, and of one that begins in the gap the wrong solid's distance tells where
 * it ends; the gap would fall into chambers.
 *
 * All static solids are one. Where solids overlap the sum counts what both hold twice: there the common
 * distance has the say, and shares are scaled down to it. Cracks of less than CRACK_GAP cells are closed.
 * Faces at all corners of which one solid is nearest keep what they have, to the bit.
 *
 * Source: docs/decisions/0015-gaps.md.
 *
 * Limits: between static solids the common distance stays, and so it does on the sides of the domain and
 * where more than MEETING_MOST solids meet; a face that a solid thinner than a cell closes further is one
 * mover's. */
#include "stage/walls/meeting.h"

#include <math.h>
#include "stage/walls/solids.h"

enum { MEET_PARTS = 4 };   /* tasks an axis of a solid */
#define FACE_COVERED 1.42f /* cells in a solid from one corner: it holds the face wholly */

/* Whether one solid is nearest at all corners. */
static int is_one_solids(const meeting *m, int corners) {
    for (int i = 0; i < m->count; ++i) {
        int nearest = 1;
        for (int c = 0; c < corners && nearest; ++c)
            for (int k = 0; k < m->count; ++k) nearest &= m->solid[i].corner[c] <= m->solid[k].corner[c];
        if (nearest) return 1;
    }
    return 0;
}

/* What each solid closes by itself, and the sum; in a crack that no corner shows, all the same. */
static double find_shares(meeting *m, int dim, float on) {
    double sum = 0;
    for (int i = 0; i < m->count; ++i)
        sum += m->solid[i].share = meeting_closed_share(m->solid[i].corner, dim, on);
    if (sum > 0) return sum;
    for (int i = 0; i < m->count; ++i) m->solid[i].share = 1;
    return m->count;
}

/* The face's open share, which it returns, and each mover's own. */
static float share_face(const meet_part *t, meeting *m, const int at[3], ptrdiff_t n, int crack) {
    const mac_grid *g = t->s->g;
    const double sum = find_shares(m, g->box.dim, ON_SURFACE * (float)g->dx);
    const double most = fmax((double)t->s->o->open.value[t->axis][n], 1 - sum);
    const double open = crack || most < (double)OPEN_MIN ? 0 : most;
    for (int i = 0; i < m->count; ++i) {
        if (!m->solid[i].mover) continue;
        met_face *f = met_add_face(t->list);
        if (!f) break;
        *f = (met_face){.at = {at[0], at[1], at[2]}, .axis = (uint8_t)t->axis};
        f->mover = (uint16_t)m->solid[i].mover;
        f->open = (float)open;
        f->share = (float)(m->solid[i].share * (1 - open) / sum);
    }
    return (float)open;
}

/* Whether all corners of a face are farther than `least` from solids. */
INLINE int is_clear(const float *phi, const ptrdiff_t step[2], float least) {
    return (phi[0] > least) & (phi[step[0]] > least) & (phi[step[1]] > least) &
           (phi[step[0] + step[1]] > least);
}

/* The same of a row of faces: most rows are. */
HOT static int is_clear_row(const float *phi, const ptrdiff_t step[2], int count, float least) {
    int clear = 1;
    for (int i = 0; i < count; ++i) clear &= is_clear(phi + i, step, least);
    return clear;
}

static int has_body(const meet_job *s, const meeting *m) {
    for (int i = 0; i < m->count; ++i)
        if (m->solid[i].mover && s->solids[m->solid[i].mover - 1].body) return 1;
    return 0;
}

static void meet_on_row(const meet_part *t, int j, int k) {
    const meet_job *s = t->s;
    const box *b = &s->g->box;
    const float least = CRACK_GAP * (float)s->g->dx, deep = -FACE_COVERED * (float)s->g->dx;
    const float wide = s->films ? 0.5f * FILM_WIDE * (float)s->g->dx : least;
    int span[2];
    ptrdiff_t step[2];
    face_steps(step, b, t->axis);
    row_in_ball(span, &t->range, b->dim, t->axis, j, k, t->around.middle, t->around.radius + MEET_REACH);
    const ptrdiff_t row = box_at(b, 0, j, k);
    if (span[1] <= span[0] || is_clear_row(s->phi + row + span[0], step, span[1] - span[0], wide)) return;
    for (int i = span[0]; i < span[1]; ++i) {
        const ptrdiff_t n = row + i;
        const int at[3] = {i, j, k};
        meeting m;
        float open = s->o->open.value[t->axis][n];
        if (s->phi[n] < deep || is_clear(s->phi + n, step, wide) || !meeting_gather(&m, t, at, n)) continue;
        const int meets = m.count > 1 && !is_clear(s->phi + n, step, least);
        const int crack = meets && meeting_is_crack(t, &m, at, least);
        if (meets && (crack || (open < 1 && !is_one_solids(&m, corner_count(b)))))
            open = share_face(t, &m, at, n, crack);
        if (s->films && has_body(s, &m)) meeting_list_film(t, &m, at, open);
    }
}

/* Whether a ball comes near a closed side of the domain. */
static int is_at_side(const meet_job *s, const reach_ball *around) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double low = around->middle[a] - around->radius, high = around->middle[a] + around->radius;
        if (!s->o->open_wall[2 * a] && low < 1) return 1;
        if (!s->o->open_wall[2 * a + 1] && high > s->g->box.n[a] - 1) return 1;
    }
    return 0;
}

static void meet_task(void *context, int index) {
    const meet_job *s = context;
    const int own = index / (MEET_PARTS * s->g->box.dim), part = index % MEET_PARTS;
    const obstacle *solid = &s->solids[own];
    meet_part t = {
        .s = s, .own = own, .axis = index / MEET_PARTS % s->g->box.dim, .list = &s->o->work->lists[index]};
    t.list->count = t.list->films = t.list->failed = 0;
    if (solid->def->motion == RHEO_STATIC || solid->thin) return;
    t.others = reach_others(&s->o->work->near, s->g, s->solids, s->count, own);
    t.around = reach_around(s->g, solid);
    if (t.others.alone && !(s->films && is_at_side(s, &t.around))) return;
    t.range = reach_within(range_inner_faces(s->g, t.axis), s->g, solid, MEET_REACH);
    const int rows = range_rows(&t.range), high = t.range.upper[1] - t.range.lower[1];
    for (int row = rows * part / MEET_PARTS; row < rows * (part + 1) / MEET_PARTS; ++row)
        meet_on_row(&t, t.range.lower[1] + row % high, t.range.lower[2] + row / high);
}

int solids_meet(openings *o, const mac_grid *g, const float *node_still, const float *node_phi,
                const obstacle *solids, int count, int films) {
    meetings *m = &o->met;
    wall_work *w = o->work;
    meet_job s = {.g = g, .solids = solids, .count = count, .still = node_still, .phi = node_phi, .o = o};
    s.films = films;
    while (s.still_count < count && solids[s.still_count].def->motion == RHEO_STATIC) ++s.still_count;
    const int tasks = count * g->box.dim * MEET_PARTS;
    m->count = w->found_count = m->film_count = 0;
    if (reach_list(&w->near, g, solids, count) || met_reserve_lists(o, tasks, count)) return -1;
    parallel_for(g->pool, tasks, meet_task, &s);
    if (met_join_lists(o, tasks)) return -1;
    for (int i = 0; i < w->found_count; ++i)
        o->open.value[w->found[i].axis][met_index(&w->found[i], g)] = w->found[i].open;
    return 0;
}
