/* Solids on the grid. Distances live at nodes so that the open share of a face follows from its own corners
 * (Batty et al. 2007; areas as in Wang 2017, 2.5) and is the same for both cells that share it.
 *
 * Distances are evaluated exactly only near a surface: a brick of 4^dim nodes whose centre is farther away
 * than its radius plus the band cannot hold a zero, because distances are 1-Lipschitz. What static solids do
 * to a field is kept; moving ones are added to a copy of it, each only as far as it reaches. */
#include "stage/walls/solids.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "geom/fractions.h"
#include "grid/room.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "grid/wrap.h"
#include "stage/walls/meet.h"
#include "stage/walls/reach.h"

enum { BRICK = 4 }; /* nodes along an axis */
#define CLEAR 1.5f  /* cells from a solid: what is read there, is read from faces outside of it */

struct mover_faces;

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count;
    float *node_phi;
    const float *keep;
    const float *phi;
    openings *o;
    const openings *open;
    float *room;
    mac_field *u;
    float *const *scratch;
    cell_range range;
    int bricks[3];
    int axis, no_slip, changed_only, whole;
    void (*on_row)(mover_span *of, const struct mover_faces *m, int j, int k);
} job;

static void place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->box.dim == 3 ? g->origin[2] + g->dx * k : g->origin[2] + 0.5 * g->dx;
}

static void brick_task(void *context, int brick) {
    const job *s = context;
    const box *b = &s->g->box;
    const double band = SOLID_BAND * s->g->dx;
    int lower[3], upper[3], rest = brick;
    for (int a = 0; a < 3; ++a) {
        lower[a] = s->range.lower[a] + rest % s->bricks[a] * BRICK;
        upper[a] = lower[a] + BRICK < s->range.upper[a] ? lower[a] + BRICK : s->range.upper[a];
        rest /= s->bricks[a];
    }
    double centre[3];
    place(centre, s->g, 0.5 * (lower[0] + upper[0] - 1), 0.5 * (lower[1] + upper[1] - 1),
          0.5 * (lower[2] + upper[2] - 1));
    const double radius = 0.5 * (BRICK - 1) * sqrt((double)b->dim) * s->g->dx;
    const double middle = obstacles_thick_distance(s->solids, s->count, centre);
    const int far = fabs(middle) > radius + band;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                double x[3];
                place(x, s->g, i, j, k);
                double d = far ? middle : obstacles_thick_distance(s->solids, s->count, x);
                d = fmax(-band, fmin(band, d));
                const ptrdiff_t n = box_at(b, i, j, k);
                s->node_phi[n] = s->keep ? fminf(s->node_phi[n], (float)d) : (float)d;
            }
}

static void distance_in(job *s) {
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s->bricks[a] = block_count(s->range.upper[a] - s->range.lower[a], BRICK);
        bricks *= s->bricks[a];
    }
    if (bricks > 0) parallel_for(s->g->pool, bricks, brick_task, s);
}

void solids_distance(float *node_phi, const float *keep, const mac_grid *g, const obstacle *solids,
                     int count) {
    job s = {.g = g, .solids = solids, .count = count, .node_phi = node_phi, .keep = keep};
    cell_range all = range_grow(range_nodes(g), g, GHOST);
    for (int a = 0; a < g->box.dim; ++a) all.upper[a] -= 1; /* the layout's last node */
    s.range = all;
    if (!keep) {
        distance_in(&s);
        wrap_field(node_phi, g);
        return;
    }
    if (keep != node_phi) parallel_copy(g->pool, node_phi, keep, g->box.size * sizeof *node_phi);
    for (int i = 0; i < count; ++i) {
        s.solids = &solids[i];
        s.count = 1;
        s.range = reach_within(all, g, &solids[i], SOLID_BAND);
        distance_in(&s);
    }
    wrap_field(node_phi, g);
}

/* The corners of a face in the order that fraction_square wants; the two axes other than the face's own. A
 * face that lies in a surface is closed by what is behind it: no corner farther outside than `on`. */
static float open_share(const float *phi, const box *b, ptrdiff_t n, int axis, float on) {
    const ptrdiff_t p = b->step[(axis + 1) % 3], q = b->step[(axis + 2) % 3];
    if (b->dim == 2) {
        const float v[2] = {phi[n], phi[n + b->step[1 - axis]]};
        return v[0] > on || v[1] > on ? (float)fraction_segment((double)v[0], (double)v[1]) : 0;
    }
    const double v[4] = {(double)phi[n], (double)phi[n + p], (double)phi[n + q], (double)phi[n + p + q]};
    const double most = fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
    return most > (double)on ? (float)fraction_square(v) : 0;
}

/* Whether some corner of the faces of a row is not outside solids, by `on`: most rows have none. p, q: steps
 * to a face's other corners. */
HOT static int is_cut_row(const float *phi, ptrdiff_t p, ptrdiff_t q, int count, float on) {
    int any = 0;
    for (int i = 0; i < count; ++i)
        any |= !(phi[i] > on) | !(phi[i + p] > on) | !(phi[i + q] > on) | !(phi[i + p + q] > on);
    return any;
}

INLINE int is_cut(const float *phi, ptrdiff_t p, ptrdiff_t q, float on) {
    return !(phi[0] > on) | !(phi[p] > on) | !(phi[q] > on) | !(phi[p + q] > on);
}

/* Whether a face lies on a closed side of the domain, which stands still whatever solid is near. */
INLINE int is_on_side(const job *s, int axis, int at) {
    return (at == 0 && !s->o->open_wall[2 * axis]) ||
           (at == s->g->box.n[axis] && !s->o->open_wall[2 * axis + 1]);
}

static void open_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int a = s->axis, from = s->range.lower[0], to = s->range.upper[0];
    const float on = ON_SURFACE * (float)s->g->dx;
    const ptrdiff_t p = b->dim == 2 ? b->step[1 - a] : b->step[(a + 1) % 3],
                    q = b->dim == 2 ? 0 : b->step[(a + 2) % 3];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        float *open = s->o->open.value[a] + row;
        if ((a == 1 && is_on_side(s, 1, j)) || (a == 2 && is_on_side(s, 2, k))) {
            memset(open + from, 0, (size_t)(to - from) * sizeof *open);
            continue;
        }
        for (int i = from; i < to; ++i) open[i] = 1;
        if (is_cut_row(s->phi + row + from, p, q, to - from, on))
            for (int i = from; i < to; ++i) {
                if (!is_cut(s->phi + row + i, p, q, on)) continue;
                const float share = open_share(s->phi, b, row + i, a, on);
                open[i] = share < OPEN_MIN ? 0 : share;
            }
        for (int i = from; a == 0 && i < to; i += b->n[0])
            if (is_on_side(s, 0, i)) open[i] = 0;
    }
}

void solids_open_faces(openings *o, const mac_grid *g, const float *node_phi) {
    job s = {.g = g, .phi = node_phi, .o = o};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), open_task, &s);
    }
}

/* The faces of one axis that a moving solid may close: those whose centres are within a cell of it. */
typedef struct mover_faces {
    const job *s;
    const obstacle *solid;
    int mover, axis;
    int whole;         /* spans are all that is within reach: thin solids add faces later */
    reach_near others; /* where there are none, this one closes what is closed */
    cell_range range;
    reach_ball around;
    placement felt; /* the solid's motion as liquid sees it */
} mover_faces;

/* It is the nearest, and within a cell. */
static void mover_on_row(mover_span *of, const mover_faces *m, int j, int k) {
    const job *s = m->s;
    const int a = m->axis;
    int span[2];
    mover_span found = {0};
    uint64_t stretches = 0;
    row_in_ball(span, &m->range, s->g->box.dim, a, j, k, m->around.middle, m->around.radius + 1);
    for (int i = span[0]; i < span[1]; ++i) {
        const ptrdiff_t n = box_at(&s->g->box, i, j, k);
        if (s->o->open.value[a][n] >= 1 || is_on_side(s, a, a == 0 ? i : a == 1 ? j : k)) continue;
        if (!m->others.alone) {
            double x[3];
            place(x, s->g, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
            const double d = obstacle_distance(m->solid, x);
            if (!(d < s->g->dx &&
                  obstacle_is_nearest(s->solids, m->others.among, m->others.count, m->mover, x, d)))
                continue;
        }
        s->o->mover[a][n] = (uint16_t)(1 + m->mover);
        stretches |= stretch_bit(s->o, i);
        if (found.mine++ == 0) found.from = i;
        found.to = i + 1;
    }
    *of = m->whole ? (mover_span){span[0], span[1], 0} : found;
    if (found.mine > 0) note_moving(s->o, &s->g->box, a, (const int[3]){0, j, k}, stretches);
}

enum { ROWS_AHEAD = 4 };

/* Where a face is this mover's: the others may be another task's. */
HOT static void set_linear(float *wall, const uint16_t *mover, uint16_t me, mover_span span, double base,
                           double slope) {
    if (span.mine == span.to - span.from)
        for (int i = span.from; i < span.to; ++i) wall[i] = (float)(base + slope * i);
    else
        for (int i = span.from; i < span.to; ++i)
            if (mover[i] == me) wall[i] = (float)(base + slope * i);
}

/* The velocity of a rigid motion is linear along a row. */
static void velocity_on_row(mover_span *of, const mover_faces *m, int j, int k) {
    const job *s = m->s;
    const int a = m->axis;
    const placement *now = &m->felt;
    double x[3];
    if (of->from >= of->to || !row_moves(s->o, &s->g->box, a, j, k)) return;
    place(x, s->g, (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
    const int p = (a + 1) % 3, q = (a + 2) % 3;
    const double base = now->velocity[a] + now->spin[p] * (x[q] - now->position[q]) -
                        now->spin[q] * (x[p] - now->position[p]);
    const double slope = s->g->dx * (q == 0 ? now->spin[p] : p == 0 ? -now->spin[q] : 0);
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    const uint16_t *mover = s->o->mover[a] + row, me = (uint16_t)(1 + m->mover);
    const ptrdiff_t ahead = of->from + ROWS_AHEAD * s->g->box.step[1];
    __builtin_prefetch(mover + ahead); /* rows lie too far apart for the hardware to see what comes next */
    __builtin_prefetch(s->o->wall.value[a] + row + ahead, 1);
    __builtin_prefetch(s->o->wall.value[a] + row + ahead + 16, 1);
    set_linear(s->o->wall.value[a] + row, mover, me, *of, base, slope);
}

/* A task is a part of the rows of one solid across one axis. */
enum { MOVER_PARTS = 4 };

static void mover_task(void *context, int task) {
    const job *s = context;
    const int mover = task / (MOVER_PARTS * s->g->box.dim), part = task % MOVER_PARTS;
    const mover_reach *reach = &s->o->rows.reach[task / MOVER_PARTS];
    mover_faces m = {.s = s, .solid = &s->solids[mover], .mover = mover, .range = reach->range};
    if (reach[1].first == reach->first || (s->changed_only && !m.solid->changed)) return;
    m.axis = task / MOVER_PARTS % s->g->box.dim;
    m.felt = obstacle_felt(m.solid);
    if (s->on_row == mover_on_row) {
        m.whole = s->whole;
        m.around = reach_around(s->g, m.solid);
        m.others = reach_others(&s->o->near, s->g, s->solids, s->count, mover);
    }
    const int rows = range_rows(&m.range), high = m.range.upper[1] - m.range.lower[1];
    for (int row = rows * part / MOVER_PARTS; row < rows * (part + 1) / MOVER_PARTS; ++row)
        s->on_row(&s->o->rows.span[reach->first + row], &m, m.range.lower[1] + row % high,
                  m.range.lower[2] + row / high);
}

/* Over the faces within reach of each moving solid; a face is at most one's. */
static void each_mover(job *s, void (*on_row)(mover_span *of, const mover_faces *m, int j, int k)) {
    s->on_row = on_row;
    parallel_for(s->g->pool, s->count * s->g->box.dim * MOVER_PARTS, mover_task, s);
}

/* The rows within reach of moving solids; those that stand still have none. -1: no memory. */
static int list_reaches(mover_rows *r, const mac_grid *g, const obstacle *solids, int count) {
    const int dim = g->box.dim, reaches = count * dim;
    int spans = 0;
    if (reaches + 1 > r->reach_room) {
        mem_free(r->reach);
        r->reach = mem_alloc(((size_t)reaches + 1) * sizeof *r->reach);
        r->reach_room = r->reach ? reaches + 1 : 0;
        if (!r->reach) return -1;
    }
    for (int i = 0; i < reaches; ++i) {
        const obstacle *o = &solids[i / dim];
        r->reach[i] = (mover_reach){.first = spans};
        if (o->def->motion == RHEO_STATIC) continue;
        r->reach[i].range = reach_within(range_faces(g, i % dim), g, o, 1);
        spans += range_rows(&r->reach[i].range);
    }
    r->reach[reaches].first = spans;
    if (spans <= r->span_room) return 0;
    mem_free(r->span);
    r->span_room = spans + spans / 2;
    r->span = mem_alloc((size_t)r->span_room * sizeof *r->span);
    if (!r->span) r->span_room = 0;
    return r->span ? 0 : -1;
}

int solids_movers(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    if (reach_list(&o->near, g, solids, count) || list_reaches(&o->rows, g, solids, count)) return -1;
    job s = {.g = g, .solids = solids, .count = count, .o = o};
    for (int i = 0; i < count; ++i) s.whole |= solids[i].thin;
    for (int a = 0; a < g->box.dim; ++a) {
        parallel_zero(g->pool, o->wall.value[a], g->box.size * sizeof(float));
        parallel_zero(g->pool, o->mover[a], g->box.size * sizeof *o->mover[a]);
        memset(o->moves[a], 0, openings_row(&g->box, 0, g->box.n[2] + 1) * sizeof *o->moves[a]);
    }
    each_mover(&s, mover_on_row);
    solids_meet_movers(o, g, count);
    return 0;
}

void solids_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .o = o};
    each_mover(&s, velocity_on_row);
    solids_meet_velocity(o, g, solids);
}

void solids_changed_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .o = o, .changed_only = 1};
    int any = 0;
    for (int i = 0; i < count; ++i) any |= solids[i].changed;
    if (any) each_mover(&s, velocity_on_row);
}

int openings_make_movers(openings *o, const mac_grid *g) {
    if (mac_field_make(&o->wall, g)) return -1;
    o->mover[0] = mem_alloc((size_t)g->box.dim * g->box.size * sizeof *o->mover[0]);
    for (int a = 1; a < g->box.dim && o->mover[0]; ++a) o->mover[a] = o->mover[0] + (size_t)a * g->box.size;
    const size_t rows = openings_row(&g->box, 0, g->box.n[2] + 1);
    o->moves[0] = mem_alloc((size_t)g->box.dim * rows * sizeof *o->moves[0]);
    for (o->stretch = 3; (g->box.n[0] + LANES) >> o->stretch > 63;) ++o->stretch;
    for (int a = 1; a < g->box.dim && o->moves[0]; ++a) o->moves[a] = o->moves[0] + (size_t)a * rows;
    return o->mover[0] && o->moves[0] ? 0 : -1;
}

void openings_free_movers(openings *o) {
    mac_field_free(&o->wall);
    mem_free(o->rows.reach);
    mem_free(o->rows.span);
    o->rows = (mover_rows){0};
    sweep_free(&o->near);
    solids_meet_free(&o->met);
    mem_free(o->mover[0]);
    mem_free(o->moves[0]);
    for (int a = 0; a < 3; ++a) {
        o->mover[a] = NULL;
        o->moves[a] = NULL;
    }
}

/* Whether closed sides of the domain are within reach of a cell. */
INLINE int is_beside_wall(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    for (int a = 0; a < b->dim; ++a)
        if ((c[a] < 1 && !s->open->open_wall[2 * a]) ||
            (c[a] >= b->n[a] - 1 && !s->open->open_wall[2 * a + 1]))
            return 1;
    return 0;
}

/* The least and the most that corners of the cells of a row have; `corner`: of the first. */
HOT static void corner_range(float least[ROOM_LANES], float most[ROOM_LANES], const float *corner,
                             const box *b) {
    const ptrdiff_t p = b->step[1], q = b->dim == 3 ? b->step[2] : 0;
    float low[ROOM_LANES + 1], high[ROOM_LANES + 1];
    for (int i = 0; i < ROOM_LANES + 1; ++i) {
        const float a = corner[i], c = corner[i + p], d = corner[i + q], e = corner[i + p + q];
        low[i] = lesser(lesser(a, c), lesser(d, e));
        high[i] = greater(greater(a, c), greater(d, e));
    }
    for (int i = 0; i < ROOM_LANES; ++i) {
        least[i] = lesser(low[i], low[i + 1]);
        most[i] = greater(high[i], high[i + 1]);
    }
}

/* Rooms of a row of cells as far as they follow from their corners; `wanted` where they do not. A cell's
 * octants are within 1.64 cells of its centre and open or closed beyond a quarter; its corners are 0.87 away,
 * and distances are 1-Lipschitz. What no moving solid can share is as still ones left it: in `room` already,
 * where that was found. Returns whether any is wanted. */
static int room_of_row(uint8_t wanted[ROOM_X], const job *s, const int first[3], int count) {
    const ptrdiff_t row = box_at(&s->g->box, first[0], first[1], first[2]);
    const float enough = 2.77f * (float)s->g->dx;
    float least[ROOM_LANES], most[ROOM_LANES];
    int any = 0;
    corner_range(least, most, s->phi + row, &s->g->box);
    for (int i = 0; i < count; ++i) {
        const int closed = least[i] < -enough;
        const int open = most[i] > enough;
        if (closed) s->room[row + i] = 0;
        else if (open && !s->keep) s->room[row + i] = 1;
        wanted[i] = !closed && !open;
        if (open && !s->keep)
            wanted[i] = (uint8_t)is_beside_wall(s, (const int[3]){first[0] + i, first[1], first[2]});
        any |= wanted[i];
    }
    return any;
}

static void room_task(void *context, int brick) {
    const job *s = context;
    const int side[3] = {ROOM_X, ROOM_Y, ROOM_Z};
    float found[ROOM_Z][ROOM_Y][ROOM_LANES];
    uint8_t wanted[ROOM_Z][ROOM_Y][ROOM_X];
    int first[3], count[3], rest = brick, any = 0;
    for (int a = 0; a < 3; ++a) {
        first[a] = s->range.lower[a] + rest % s->bricks[a] * side[a];
        count[a] = s->range.upper[a] - first[a] < side[a] ? s->range.upper[a] - first[a] : side[a];
        rest /= s->bricks[a];
    }
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
            any |=
                room_of_row(wanted[k][j], s, (const int[3]){first[0], first[1] + j, first[2] + k}, count[0]);
    if (!any) return;
    room_of_brick(found, s->g, s->phi, s->open, first, count);
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j) {
            float *room = s->room + box_at(&s->g->box, first[0], first[1] + j, first[2] + k);
            for (int i = 0; i < count[0]; ++i)
                if (wanted[k][j][i]) room[i] = found[k][j][i];
        }
}

static void room_in(job *s) {
    const int side[3] = {ROOM_X, ROOM_Y, ROOM_Z};
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s->bricks[a] = block_count(s->range.upper[a] - s->range.lower[a], side[a]);
        bricks *= s->bricks[a];
    }
    if (bricks > 0) parallel_for(s->g->pool, bricks, room_task, s);
}

void solids_room(float *room, const float *keep, const mac_grid *g, const float *node_phi, const openings *o,
                 const obstacle *solids, int count) {
    job s = {.g = g, .phi = node_phi, .open = o, .room = room, .range = range_cells(g)};
    if (!keep) {
        room_in(&s);
        return;
    }
    parallel_copy(g->pool, room, keep, g->box.size * sizeof *room);
    s.keep = keep;
    for (int i = 0; i < count; ++i) {
        s.range = reach_within(range_cells(g), g, &solids[i], SOLID_BAND);
        room_in(&s);
    }
}

/* A face inside a solid: where it is, in cells, and what the distance has there. */
typedef struct {
    float x[3], depth, normal[3],
        square; /* depth < 0, in cells; normal as steep as the field, and |normal|^2 */
} buried_face;

/* From the nodes of the face and of the planes behind and before it, as samples half a cell to both sides
 * would have it. */
static buried_face bury(const job *s, int i, int j, int k) {
    const mac_grid *g = s->g;
    const int a = s->axis, corners = 1 << (g->box.dim - 1);
    const int p = a == 0 ? 1 : 0, q = a == 2 ? 1 : 2; /* the face's own axes; in 2D it has one */
    const float *node = s->phi + box_at(&g->box, i, j, k), each = 1 / (float)corners;
    buried_face f = {
        .x = {(float)i + (a != 0) * 0.5f, (float)j + (a != 1) * 0.5f, (float)k + (a != 2) * 0.5f}};
    for (int c = 0; c < corners; ++c) {
        const float *at = node + (c & 1) * g->box.step[p] + (c >> 1) * g->box.step[q];
        f.depth += each * at[0];
        f.normal[a] += 0.5f * each * (at[g->box.step[a]] - at[-g->box.step[a]]);
        f.normal[p] += (c & 1 ? 2 : -2) * each * at[0];
        if (g->box.dim == 3) f.normal[q] += (c >> 1 ? 2 : -2) * each * at[0];
    }
    f.depth /= (float)g->dx;
    for (int d = 0; d < g->box.dim; ++d) f.square += f.normal[d] * f.normal[d];
    return f;
}

/* The velocity of the solid that closes the face n at a place in cells. */
static void velocity_of_solid(double wall[3], const job *s, ptrdiff_t n, const float x[3]) {
    const int mover = s->open->mover[s->axis] ? s->open->mover[s->axis][n] : 0;
    double at[3];
    wall[0] = wall[1] = wall[2] = 0;
    place(at, s->g, (double)x[0], (double)x[1], (double)x[2]);
    if (mover) placement_velocity(wall, &s->solids[mover - 1].now, at);
}

/* u - ((u - w) . n) n at a face inside a solid, n the solid's outward normal; one component of it. */
static float slide(const job *s, int i, int j, int k, ptrdiff_t n) {
    const buried_face f = bury(s, i, j, k);
    double wall[3];
    float u[3], into = 0;
    if (!(f.square > 0)) return s->u->value[s->axis][n];
    sample_faces(u, s->u, s->g, f.x);
    velocity_of_solid(wall, s, n, f.x);
    for (int d = 0; d < s->g->box.dim; ++d) into += (u[d] - (float)wall[d]) * f.normal[d];
    return u[s->axis] - (into < 0 ? into * f.normal[s->axis] / f.square : 0);
}

/* A straight profile from liquid that is clear of the wall, through w at the wall, into the solid: w + (u -
 * w) depth / CLEAR, so that what is read at the wall is w. Deeper than that nothing is read but by liquid
 * that the solid has just reached: it moves as the solid does. */
static float stick(const job *s, int i, int j, int k, ptrdiff_t n) {
    const buried_face f = bury(s, i, j, k);
    const float depth = lesser(greater(f.depth, -CLEAR), 0), turn = f.square > 0 ? 1 / sqrtf(f.square) : 0;
    float at_wall[3] = {0}, out[3] = {0}, u[3];
    double wall[3];
    for (int d = 0; d < s->g->box.dim; ++d) {
        at_wall[d] = f.x[d] - turn * f.normal[d] * depth;
        out[d] = at_wall[d] + turn * f.normal[d] * CLEAR;
    }
    velocity_of_solid(wall, s, n, at_wall);
    const float w = (float)wall[s->axis];
    if (!(f.square > 0) || !(depth < 0) || !(depth > -CLEAR)) return w;
    sample_faces(u, s->u, s->g, out);
    return w + (u[s->axis] - w) * depth / CLEAR;
}

/* A face inside a solid, but within reach of particles outside of it. Where liquid sticks, faces that are too
 * narrow for a velocity of their own are, too: carried over from wider ones it would slip. */
INLINE int is_buried(const job *s, ptrdiff_t n) {
    const float *open = s->open->open.value[s->axis];
    const int closed = s->no_slip ? !face_is_wide(open, s->open->mover[s->axis], n) : open[n] <= 0;
    return closed & (s->phi[n] > -(float)((GHOST - 1) * s->g->dx));
}

/* Most rows have none. */
HOT static int is_buried_row(const job *s, int j, int k) {
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    int any = 0;
    for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) any |= is_buried(s, row + i);
    return any;
}

static void slide_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_buried_row(s, j, k)) continue;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (!is_buried(s, n)) continue;
            s->scratch[a][n] = s->no_slip ? stick(s, i, j, k, n) : slide(s, i, j, k, n);
        }
    }
}

static void copy_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_buried_row(s, j, k)) continue;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (is_buried(s, n)) s->u->value[s->axis][n] = s->scratch[s->axis][n];
        }
    }
}

void solids_constrain(mac_field *u, float *const scratch[3], const mac_grid *g, const openings *o,
                      const float *node_phi, const obstacle *solids, int count, int no_slip) {
    job s = {.g = g, .phi = node_phi, .open = o, .u = u, .scratch = scratch, .no_slip = no_slip};
    s.solids = solids;
    s.count = count;
    for (int round = 0; round < 2; ++round) /* all components are read before one is written */
        for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
            s.range = range_faces(g, s.axis);
            s.range.lower[s.axis] += 1; /* the domain's own sides keep what the projection gave them */
            s.range.upper[s.axis] -= 1;
            parallel_for(g->pool, range_blocks(&s.range), round ? copy_task : slide_task, &s);
        }
}
