/* Gaps between solids.
 *
 * The distance to the nearest solid is that of a union, and linear along a face only where one solid is
 * nearest at all of its corners. In a gap narrower than a cell none is: a face from one solid to the other
 * has both ends inside and comes out closed, and of one that begins in the gap the wrong solid's distance
 * tells where it ends. That cut a gap between parallel walls into chambers, and the water in them carried
 * what lay over it. So where a moving solid comes near another one each closes its own share of a face,
 *
 *   c_i = 1 - open(d_i),   open = 1 - sum c_i,
 *
 * with distances d_i of its own at the corners, and sum c_i w_i goes through the closed part: what slides
 * along a wall pushes nothing into the gap. All static solids are one. Where solids overlap the sum counts
 * what both hold twice: there the common distance has the say, and shares are scaled down to it.
 *
 * Cracks of less than CRACK cells are closed, all of their faces: some would fall below OPEN_MIN and others
 * not, and the cells between these hold a body as if it were glued.
 *
 * Faces at all corners of which one solid is nearest keep what they have, to the bit.
 *
 * Faces along gaps of up to FILM_WIDE cells beside a body are listed as a film of water would have them as
 * well: with solids drawn back to where the gap is FILM cells wide, d_i + d_k being its width
 * (stage/walls/film.c has the say where there is one). In this the domain's closed sides count among what
 * stands still.
 *
 * Limits: between static solids the common distance stays, and so it does on the sides of the domain and
 * where more than MOST solids meet; a face that a solid thinner than a cell closes further is one mover's;
 * near an edge of a solid distances at corners show less than what it closes. */
#include "stage/walls/meet.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "geom/fractions.h"
#include "grid/rows.h"
#include "stage/walls/solids.h"
#include "stage/walls/reach.h"

enum { PARTS = 4, MOST = 8, ROUNDS = 16 }; /* tasks an axis of a solid; solids at a face; of a search */
/* All in cells. Contacts leave gaps of a hundredth, which are no cracks. */
#define CRACK 0.005f
#define FILM  0.05f /* what water holds open where a face lies on another */
#define NEAR  1.5   /* from a face's middle; what is farther away is hardly ever nearest at a corner */
#define DEEP  1.42f /* in a solid from one corner: it holds the face wholly */

struct met_list {
    met_face *face;
    int count, room, failed;
    film_face *film;
    int films, film_room;
};

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count, still_count; /* those that stand still come first */
    const float *still, *phi;
    openings *o;
    int films; /* whether liquid moves bodies: what is keyed needs no film to come off */
} job;

/* What one task looks at: part of the rows of faces across an axis around a moving solid. */
typedef struct {
    const job *s;
    int own, axis;
    reach_near others;
    reach_ball around;
    cell_range range;
    struct met_list *list;
} task;

/* A solid at a face. */
typedef struct {
    int mover;       /* 0: those that stand still */
    float corner[4]; /* distances, m, in the order that fraction_square() wants */
    double share;    /* closed */
} closer;

typedef struct {
    closer solid[MOST];
    int count;
    int at_side;     /* whether a closed side of the domain is near */
    float corner[4]; /* its distances, m */
} meeting;

INLINE int corner_count(const box *b) {
    return b->dim == 3 ? 4 : 2;
}

/* Steps from a face's first corner to the others along its own axes. */
INLINE void face_steps(ptrdiff_t step[2], const box *b, int axis) {
    step[0] = b->dim == 2 ? b->step[1 - axis] : b->step[(axis + 1) % 3];
    step[1] = b->dim == 2 ? 0 : b->step[(axis + 2) % 3];
}

static void read_corners(float corner[4], const float *phi, ptrdiff_t n, const box *b, int axis) {
    ptrdiff_t step[2];
    face_steps(step, b, axis);
    for (int c = 0; c < 4; ++c) corner[c] = phi[n + (c & 1) * step[0] + (c >> 1) * step[1]];
}

static void place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->origin[2] + g->dx * (g->box.dim == 3 ? k : 0.5);
}

static void middle_of(double x[3], const mac_grid *g, const int at[3], int axis) {
    place(x, g, at[0] + (axis != 0) * 0.5, at[1] + (axis != 1) * 0.5, at[2] + (axis != 2) * 0.5);
}

static void corners_of(float corner[4], const mac_grid *g, const obstacle *solid, const int at[3], int axis) {
    const int p = g->box.dim == 2 ? 1 - axis : (axis + 1) % 3, q = (axis + 2) % 3;
    for (int c = 0; c < corner_count(&g->box); ++c) {
        double x[3];
        int node[3] = {at[0], at[1], at[2]};
        node[p] += c & 1;
        if (c >> 1) node[q] += 1;
        place(x, g, node[0], node[1], node[2]);
        corner[c] = (float)obstacle_distance(solid, x);
    }
}

/* As solids_open_faces() has it. */
static double closed_share(const float v[4], int dim, float on) {
    float most = v[0];
    for (int c = 1; c < (dim == 3 ? 4 : 2); ++c) most = greater(most, v[c]);
    if (!(most > on)) return 1;
    if (dim == 2) return 1 - fraction_segment((double)v[0], (double)v[1]);
    return 1 - fraction_square((const double[4]){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
}

/* The corners' distances from what stands still; whether that is near. */
static int find_still(float corner[4], const task *t, ptrdiff_t n) {
    const mac_grid *g = t->s->g;
    float least = INFINITY;
    read_corners(corner, t->s->still, n, &g->box, t->axis);
    for (int c = 0; c < 4; ++c) least = lesser(least, corner[c]);
    return least < (float)(NEAR * g->dx);
}

/* The corners' distances from the closed sides of the domain; whether one is near. */
static int find_sides(float corner[4], const task *t, const int at[3]) {
    const box *b = &t->s->g->box;
    const int p = b->dim == 2 ? 1 - t->axis : (t->axis + 1) % 3, q = (t->axis + 2) % 3;
    int near = 0;
    for (int c = 0; c < 4; ++c) {
        int node[3] = {at[0], at[1], at[2]}, least = b->n[t->axis];
        node[p] += c & 1;
        if (b->dim == 3) node[q] += c >> 1;
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

static int next_near(walk *w, const task *t) {
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
static int may_meet(const task *t, const double x[3], int still) {
    int near = still;
    walk w = {0};
    for (int k = next_near(&w, t); k >= 0 && near < 2; k = next_near(&w, t))
        near += may_be_near(&t->s->solids[k], x, NEAR * t->s->g->dx);
    return near > 1;
}

/* The solids near a face. 0: only one, none that moves, or too many; or the face is another task's, as that
 * of the first that moves has it. */
static int gather(meeting *m, const task *t, const int at[3], ptrdiff_t n) {
    const job *s = t->s;
    const double reach = NEAR * s->g->dx;
    const int still = find_still(m->solid[0].corner, t, n);
    walk w = {0};
    double x[3];
    middle_of(x, s->g, at, t->axis);
    m->at_side = s->films && find_sides(m->corner, t, at);
    if (!may_meet(t, x, still || m->at_side)) return 0;
    m->solid[0].mover = 0;
    m->count = still;
    for (int k = next_near(&w, t); k >= 0; k = next_near(&w, t)) {
        const obstacle *o = &s->solids[k];
        if (!may_be_near(o, x, reach) || !(obstacle_distance(o, x) < reach)) continue;
        if ((m->count == still && k != t->own) || m->count == MOST) return 0;
        m->solid[m->count++].mover = 1 + k;
    }
    if (m->count - still < 1 || m->count + m->at_side < 2) return 0;
    for (int c = still; c < m->count; ++c)
        corners_of(m->solid[c].corner, s->g, &s->solids[m->solid[c].mover - 1], at, t->axis);
    return 1;
}

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

static met_face *add_face(struct met_list *l) {
    if (l->count == l->room) {
        const int room = l->room ? 2 * l->room : 64;
        met_face *more = mem_grow(l->face, (size_t)l->room * sizeof *more, (size_t)room * sizeof *more);
        if (!more) {
            l->failed = 1;
            return NULL;
        }
        l->face = more;
        l->room = room;
    }
    return &l->face[l->count++];
}

/* Whether two solids are so near each other at all corners that what is between them is none of the grid's:
 * d_i + d_k is the width of a gap between parallel walls, wherever it is taken. */
static int is_narrow(const closer *a, const closer *b, int corners, float least) {
    int narrow = 1;
    for (int c = 0; c < corners; ++c) narrow &= a->corner[c] + b->corner[c] < least;
    return narrow;
}

static double distance_from(const job *s, const closer *c, const double x[3]) {
    return c->mover ? obstacle_distance(&s->solids[c->mover - 1], x)
                    : obstacles_thick_distance(s->solids, s->still_count, x);
}

/* Whether no place on an edge of a face, from one end to the other, is farther than half of `least` from both
 * of two solids, each of which is the nearer one at an end: the farthest is where they are equally far.
 * apart: how much farther the first is than the second at the ends. */
static int is_shut_edge(const job *s, const closer *a, const closer *b, const double end[3],
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

/* Whether two solids leave less than `least` between them along the face's edges. Corners do not tell this
 * near a solid's other sides: below its lid the distance in a plug is that of the lid, and a plug of a few
 * cells would have no crack that goes all around it. */
static int is_shut(const task *t, const closer *a, const closer *b, const int at[3], double least) {
    const int dim = t->s->g->box.dim;
    const int p = dim == 2 ? 1 - t->axis : (t->axis + 1) % 3, q = (t->axis + 2) % 3;
    static const int edge[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    int any = 0;
    for (int e = 0; e < (dim == 3 ? 4 : 1); ++e) {
        double ends[2][3], apart[2];
        for (int end = 0; end < 2; ++end) {
            const int c = edge[e][end];
            int node[3] = {at[0], at[1], at[2]};
            node[p] += c & 1;
            if (c >> 1) node[q] += 1;
            place(ends[end], t->s->g, node[0], node[1], node[2]);
            apart[end] = (double)a->corner[c] - (double)b->corner[c];
        }
        if (!(apart[0] * apart[1] < 0)) continue;
        if (!is_shut_edge(t->s, a, b, ends[0], ends[1], apart, least)) return 0;
        any = 1;
    }
    return any;
}

static int is_crack(const task *t, const meeting *m, const int at[3], float least) {
    const int corners = corner_count(&t->s->g->box);
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < i; ++k)
            if (is_narrow(&m->solid[i], &m->solid[k], corners, least) ||
                is_shut(t, &m->solid[i], &m->solid[k], at, (double)least))
                return 1;
    return 0;
}

/* What each solid closes by itself, and the sum; in a crack that no corner shows, all the same. */
static double find_shares(meeting *m, int dim, float on) {
    double sum = 0;
    for (int i = 0; i < m->count; ++i) sum += m->solid[i].share = closed_share(m->solid[i].corner, dim, on);
    if (sum > 0) return sum;
    for (int i = 0; i < m->count; ++i) m->solid[i].share = 1;
    return m->count;
}

/* The face's open share, which it returns, and each mover's own. */
static float share_face(const task *t, meeting *m, const int at[3], ptrdiff_t n, int crack) {
    const mac_grid *g = t->s->g;
    const double sum = find_shares(m, g->box.dim, ON_SURFACE * (float)g->dx);
    const double most = fmax((double)t->s->o->open.value[t->axis][n], 1 - sum);
    const double open = crack || most < (double)OPEN_MIN ? 0 : most;
    for (int i = 0; i < m->count; ++i) {
        if (!m->solid[i].mover) continue;
        met_face *f = add_face(t->list);
        if (!f) break;
        *f = (met_face){.at = {at[0], at[1], at[2]}, .axis = (uint8_t)t->axis};
        f->mover = (uint16_t)m->solid[i].mover;
        f->open = (float)open;
        f->share = (float)(m->solid[i].share * (1 - open) / sum);
    }
    return (float)open;
}

/* ---- films ---- */

static film_face *add_film(struct met_list *l) {
    if (l->films == l->film_room) {
        const int room = l->film_room ? 2 * l->film_room : 64;
        film_face *more = mem_grow(l->film, (size_t)l->film_room * sizeof *more, (size_t)room * sizeof *more);
        if (!more) {
            l->failed = 1;
            return NULL;
        }
        l->film = more;
        l->film_room = room;
    }
    return &l->film[l->films++];
}

/* The sides of the domain stand still, too. */
static void join_sides(meeting *m, int corners) {
    if (!m->at_side) return;
    if (m->solid[0].mover) {
        if (m->count == MOST) return;
        memmove(m->solid + 1, m->solid, (size_t)m->count * sizeof *m->solid);
        ++m->count;
        m->solid[0].mover = 0;
        for (int c = 0; c < 4; ++c) m->solid[0].corner[c] = INFINITY;
    }
    for (int c = 0; c < corners; ++c) m->solid[0].corner[c] = lesser(m->solid[0].corner[c], m->corner[c]);
}

/* Whether a gap of less than `wide` goes through the face: at some corners one solid is nearer, at others the
 * other. A side of the domain is nearer on itself, whatever has gone through it. */
static int is_in_gap(const meeting *m, int corners, float wide) {
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < i; ++k) {
            int first = 0, second = 0, narrow = 0;
            const float *a = m->solid[i].corner, *b = m->solid[k].corner;
            for (int c = 0; c < corners; ++c) {
                const int on_side = m->at_side && !m->solid[k].mover && !(m->corner[c] > 0);
                first |= a[c] < b[c] && !on_side;
                second |= a[c] >= b[c] || on_side;
                narrow |= a[c] + b[c] < wide;
            }
            if (first && second && narrow) return 1;
        }
    return 0;
}

/* Solids drawn back from each other to where their gap is as wide as a film: what moves from what does not,
 * two that move half each. */
static void draw_back(meeting *to, const meeting *m, int corners, float film) {
    *to = *m;
    for (int i = 0; i < m->count; ++i)
        for (int c = 0; c < corners && m->solid[i].mover; ++c) {
            float back = 0;
            for (int k = 0; k < m->count; ++k) {
                const float lacks = film - (m->solid[i].corner[c] + m->solid[k].corner[c]);
                if (k != i) back = greater(back, m->solid[k].mover ? 0.5f * lacks : lacks);
            }
            to->solid[i].corner[c] += back;
        }
}

static int has_body(const job *s, const meeting *m) {
    for (int i = 0; i < m->count; ++i)
        if (m->solid[i].mover && s->solids[m->solid[i].mover - 1].body) return 1;
    return 0;
}

/* Lists a face in a gap, or that a film opens. */
static void film_on_face(const task *t, meeting *m, const int at[3], float was) {
    const mac_grid *g = t->s->g;
    const int corners = corner_count(&g->box);
    const float dx = (float)g->dx;
    meeting back;
    double sum = 0;
    join_sides(m, corners);
    draw_back(&back, m, corners, FILM * dx);
    for (int i = 0; i < back.count; ++i)
        sum += back.solid[i].share = closed_share(back.solid[i].corner, g->box.dim, ON_SURFACE * dx);
    float open = greater(was, (float)(1 - sum));
    if (open < OPEN_MIN) open = 0;
    if (!(open > was) && !is_in_gap(m, corners, FILM_WIDE * dx)) return;
    for (int i = 0; i < back.count; ++i) {
        if (!back.solid[i].mover) continue;
        film_face *f = add_film(t->list);
        if (!f) return;
        *f = (film_face){.face = {.at = {at[0], at[1], at[2]}, .axis = (uint8_t)t->axis}, .was = was};
        f->face.mover = (uint16_t)back.solid[i].mover;
        f->face.open = open;
        f->face.share = sum > 0 ? (float)(back.solid[i].share * (1 - (double)open) / sum) : 0;
    }
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

static void meet_on_row(const task *t, int j, int k) {
    const job *s = t->s;
    const box *b = &s->g->box;
    const float least = CRACK * (float)s->g->dx, deep = -DEEP * (float)s->g->dx;
    const float wide = s->films ? 0.5f * FILM_WIDE * (float)s->g->dx : least;
    int span[2];
    ptrdiff_t step[2];
    face_steps(step, b, t->axis);
    row_in_ball(span, &t->range, b->dim, t->axis, j, k, t->around.middle, t->around.radius + NEAR);
    const ptrdiff_t row = box_at(b, 0, j, k);
    if (span[1] <= span[0] || is_clear_row(s->phi + row + span[0], step, span[1] - span[0], wide)) return;
    for (int i = span[0]; i < span[1]; ++i) {
        const ptrdiff_t n = row + i;
        const int at[3] = {i, j, k};
        meeting m;
        float open = s->o->open.value[t->axis][n];
        if (s->phi[n] < deep || is_clear(s->phi + n, step, wide) || !gather(&m, t, at, n)) continue;
        const int meets = m.count > 1 && !is_clear(s->phi + n, step, least);
        const int crack = meets && is_crack(t, &m, at, least);
        if (meets && (crack || (open < 1 && !is_one_solids(&m, corner_count(b)))))
            open = share_face(t, &m, at, n, crack);
        if (s->films && has_body(s, &m)) film_on_face(t, &m, at, open);
    }
}

/* Whether a ball comes near a closed side of the domain. */
static int is_at_side(const job *s, const reach_ball *around) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double low = around->middle[a] - around->radius, high = around->middle[a] + around->radius;
        if (!s->o->open_wall[2 * a] && low < 1) return 1;
        if (!s->o->open_wall[2 * a + 1] && high > s->g->box.n[a] - 1) return 1;
    }
    return 0;
}

static void meet_task(void *context, int index) {
    const job *s = context;
    const int own = index / (PARTS * s->g->box.dim), part = index % PARTS;
    const obstacle *solid = &s->solids[own];
    task t = {.s = s, .own = own, .axis = index / PARTS % s->g->box.dim, .list = &s->o->met.lists[index]};
    t.list->count = t.list->films = t.list->failed = 0;
    if (solid->def->motion == RHEO_STATIC || solid->thin) return;
    t.others = reach_others(&s->o->near, s->g, s->solids, s->count, own);
    t.around = reach_around(s->g, solid);
    if (t.others.alone && !(s->films && is_at_side(s, &t.around))) return;
    t.range = reach_within(range_inner_faces(s->g, t.axis), s->g, solid, NEAR);
    const int rows = range_rows(&t.range), high = t.range.upper[1] - t.range.lower[1];
    for (int row = rows * part / PARTS; row < rows * (part + 1) / PARTS; ++row)
        meet_on_row(&t, t.range.lower[1] + row % high, t.range.lower[2] + row / high);
}

/* ---- lists ---- */

static int hold_lists(meetings *m, int lists, int solids) {
    if (lists <= m->list_count && solids <= m->solids) return 0;
    struct met_list *more =
        mem_grow(m->lists, (size_t)m->list_count * sizeof *more, (size_t)lists * sizeof *more);
    if (!more) return -1;
    m->lists = more;
    m->list_count = lists;
    mem_free(m->start);
    m->start = mem_alloc(((size_t)solids + 2) * sizeof *m->start);
    m->solids = m->start ? solids : 0;
    return m->start ? 0 : -1;
}

/* Room for what tasks have found, and for what of it is to be listed solid by solid. */
static int hold_faces(meetings *m, int found, int films) {
    const int all = found + films;
    if (found > m->found_room) {
        mem_free(m->found);
        m->found = mem_alloc((size_t)(2 * found) * sizeof *m->found);
        m->found_room = m->found ? 2 * found : 0;
    }
    if (films > m->film_room) {
        mem_free(m->film);
        m->film = mem_alloc((size_t)(2 * films) * sizeof *m->film);
        m->film_room = m->film ? 2 * films : 0;
    }
    if (all > m->room) {
        mem_free(m->face);
        m->face = mem_alloc((size_t)(2 * all) * sizeof *m->face);
        m->room = m->face ? 2 * all : 0;
    }
    return found > m->found_room || films > m->film_room || all > m->room ? -1 : 0;
}

/* One list of all that was found, in the order of tasks; -1: no memory. */
static int join_lists(meetings *m, int lists) {
    int found = 0, films = 0;
    for (int t = 0; t < lists; ++t) {
        if (m->lists[t].failed) return -1;
        found += m->lists[t].count;
        films += m->lists[t].films;
    }
    if (hold_faces(m, found, films)) return -1;
    for (int t = 0; t < lists; ++t) {
        const struct met_list *l = &m->lists[t];
        for (int i = 0; i < l->count; ++i) m->found[m->found_count++] = l->face[i];
        for (int i = 0; i < l->films; ++i) m->film[m->film_count++] = l->film[i];
    }
    return 0;
}

INLINE ptrdiff_t index_of(const met_face *f, const mac_grid *g) {
    return box_at(&g->box, f->at[0], f->at[1], f->at[2]);
}

int solids_meet(openings *o, const mac_grid *g, const float *node_still, const float *node_phi,
                const obstacle *solids, int count, int films) {
    meetings *m = &o->met;
    job s = {.g = g, .solids = solids, .count = count, .still = node_still, .phi = node_phi, .o = o};
    s.films = films;
    while (s.still_count < count && solids[s.still_count].def->motion == RHEO_STATIC) ++s.still_count;
    const int tasks = count * g->box.dim * PARTS;
    m->count = m->found_count = m->film_count = 0;
    if (reach_list(&o->near, g, solids, count) || hold_lists(m, tasks, count)) return -1;
    parallel_for(g->pool, tasks, meet_task, &s);
    if (join_lists(m, tasks)) return -1;
    for (int i = 0; i < m->found_count; ++i)
        o->open.value[m->found[i].axis][index_of(&m->found[i], g)] = m->found[i].open;
    return 0;
}

int solids_meet_list(openings *o, const mac_grid *g, const int at[3], int axis) {
    meetings *m = &o->met;
    if (m->film_count == m->film_room) {
        const int room = m->film_room ? 2 * m->film_room : 256;
        film_face *more = mem_grow(m->film, (size_t)m->film_room * sizeof *more, (size_t)room * sizeof *more);
        if (!more) return -1;
        m->film = more;
        m->film_room = room;
    }
    film_face *f = &m->film[m->film_count++];
    *f = (film_face){.face = {.at = {at[0], at[1], at[2]}, .axis = (uint8_t)axis}};
    f->was = o->open.value[axis][index_of(&f->face, g)];
    f->face.open = greater(f->was, FILM);
    return 0;
}

/* What of a face's share openings.mover does not tell; 0 as well where thin solids closed it since, or a film
 * opened it: then it is theirs. */
static int says_more(met_face *f, const openings *o, const mac_grid *g) {
    const ptrdiff_t n = index_of(f, g);
    f->more = f->share - (o->mover[f->axis][n] == f->mover ? 1 - f->open : 0);
    const float open = o->open.value[f->axis][n];
    return !(open < f->open || open > f->open) && fabsf(f->more) > 0;
}

void solids_meet_movers(openings *o, const mac_grid *g, int count) {
    meetings *m = &o->met;
    const int all = m->found_count + m->film_count;
    m->count = 0;
    if (all == 0) return;
    memset(m->start, 0, ((size_t)count + 2) * sizeof *m->start);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < all; ++i) {
            const film_face *film = i < m->found_count ? NULL : &m->film[i - m->found_count];
            met_face f = film ? film->face : m->found[i];
            if ((film && !film->wet) || !f.mover || !says_more(&f, o, g)) continue;
            if (round) {
                m->face[m->start[f.mover]++] = f;
                continue;
            }
            note_moving(o, &g->box, f.axis, f.at, stretch_bit(o, f.at[0]));
            ++m->start[f.mover + 1];
            ++m->count;
        }
        for (int i = 1; i < count + 2 && !round; ++i) m->start[i] += m->start[i - 1];
    }
    /* start[mover] has gone on to where the next one's begin: start[mover - 1] is the first */
}

static double velocity_at(const obstacle *solid, const mac_grid *g, const met_face *f) {
    double x[3], velocity[3];
    const placement now = obstacle_felt(solid);
    middle_of(x, g, (const int[3]){f->at[0], f->at[1], f->at[2]}, f->axis);
    placement_velocity(velocity, &now, x);
    return velocity[f->axis];
}

/* First what the face's one mover has, then what others have more of it. */
void solids_meet_velocity(openings *o, const mac_grid *g, const obstacle *solids) {
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < o->met.count; ++i) {
            const met_face *f = &o->met.face[i];
            const ptrdiff_t n = index_of(f, g);
            const int mover = o->mover[f->axis][n];
            float *wall = &o->wall.value[f->axis][n];
            if (round == 0) *wall = mover ? (float)velocity_at(&solids[mover - 1], g, f) : 0;
            else if (f->open < 1)
                *wall += f->more / (1 - f->open) * (float)velocity_at(&solids[f->mover - 1], g, f);
        }
}

size_t solids_meet_bytes(const meetings *m) {
    size_t bytes = (size_t)m->room * sizeof *m->face + (size_t)m->found_room * sizeof *m->found +
                   (size_t)m->film_room * sizeof *m->film + (size_t)m->list_count * sizeof *m->lists +
                   (size_t)m->solids * sizeof *m->start;
    for (int i = 0; i < m->list_count; ++i)
        bytes += (size_t)m->lists[i].room * sizeof *m->lists[i].face +
                 (size_t)m->lists[i].film_room * sizeof *m->lists[i].film;
    return bytes;
}

void solids_meet_free(meetings *m) {
    for (int i = 0; i < m->list_count; ++i) {
        mem_free(m->lists[i].face);
        mem_free(m->lists[i].film);
    }
    mem_free(m->lists);
    mem_free(m->start);
    mem_free(m->face);
    mem_free(m->found);
    mem_free(m->film);
    *m = (meetings){0};
}
