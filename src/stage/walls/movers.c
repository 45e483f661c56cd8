/* Which moving solid closes a face, and how fast the face's closed part moves.
 *
 *   w_f = (v + omega x (x_f - x_0)) . e_a,   x_f the face's middle:
 *
 * linear along a row of faces. The face is the nearest solid's, if that is within a cell; sides of the domain
 * and static solids stand still. Rows within reach of each mover are listed once, and velocities set as often
 * as they change.
 *
 * Source: Batty et al. 2007, 3.
 *
 * Limits: a face is one solid's here; where several close it the rest is stage/walls/met_faces.c's. */
#include "stage/walls/solids.h"

#include <string.h>
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "stage/walls/meeting.h"
#include "stage/walls/reach.h"

struct mover_faces;

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count;
    openings *o;
    int changed_only, whole;
    void (*on_row)(mover_span *of, const struct mover_faces *m, int j, int k);
} job;

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
        if (s->o->open.value[a][n] >= 1 || is_closed_side(s->o, &s->g->box, a, a == 0 ? i : a == 1 ? j : k))
            continue;
        if (!m->others.alone) {
            double x[3];
            mac_place(x, s->g, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
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
    mac_place(x, s->g, (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
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
    const mover_reach *reach = &s->o->work->rows.reach[task / MOVER_PARTS];
    mover_faces m = {.s = s, .solid = &s->solids[mover], .mover = mover, .range = reach->range};
    if (reach[1].first == reach->first || (s->changed_only && !m.solid->changed)) return;
    m.axis = task / MOVER_PARTS % s->g->box.dim;
    m.felt = obstacle_felt(m.solid);
    if (s->on_row == mover_on_row) {
        m.whole = s->whole;
        m.around = reach_around(s->g, m.solid);
        m.others = reach_others(&s->o->work->near, s->g, s->solids, s->count, mover);
    }
    const int rows = range_rows(&m.range), high = m.range.upper[1] - m.range.lower[1];
    for (int row = rows * part / MOVER_PARTS; row < rows * (part + 1) / MOVER_PARTS; ++row)
        s->on_row(&s->o->work->rows.span[reach->first + row], &m, m.range.lower[1] + row % high,
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
    if (reaches + 1 > r->reach_capacity) {
        mem_free(r->reach);
        r->reach = mem_alloc(((size_t)reaches + 1) * sizeof *r->reach);
        r->reach_capacity = r->reach ? reaches + 1 : 0;
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
    if (spans <= r->span_capacity) return 0;
    mem_free(r->span);
    r->span_capacity = spans + spans / 2;
    r->span = mem_alloc((size_t)r->span_capacity * sizeof *r->span);
    if (!r->span) r->span_capacity = 0;
    return r->span ? 0 : -1;
}

int solids_movers(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    if (reach_list(&o->work->near, g, solids, count) || list_reaches(&o->work->rows, g, solids, count))
        return -1;
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
    o->work = mem_alloc(sizeof *o->work);
    if (!o->work || mac_field_make(&o->wall, g)) return -1;
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
    if (o->work) {
        mem_free(o->work->rows.reach);
        mem_free(o->work->rows.span);
        sweep_free(&o->work->near);
        met_free(o);
    }
    mem_free(o->work);
    o->work = NULL;
    mem_free(o->mover[0]);
    mem_free(o->moves[0]);
    for (int a = 0; a < 3; ++a) {
        o->mover[a] = NULL;
        o->moves[a] = NULL;
    }
}
