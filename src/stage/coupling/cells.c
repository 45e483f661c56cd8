/* The cells whose pressure pushes a body: the rows K of the coupling, cell by cell.
 *
 *   S_a = c_high - c_low,   T = sum of +- c_f r_f x e_a,   displaced: - sum (S, T) r^T dx^2
 *
 * with c_low and c_high the shares that the body closes of a cell's faces across axis a, r_f from the centre
 * of mass to the middle of what is closed of a face, and r the cell's centre. The closed parts and the
 * surface in the cell enclose a piece of the body, which an even pressure does not turn: T is the moment of
 * that surface. What turns the body about an axis that it is round about (solid/body.h) is exactly 0 and is
 * left out.
 *
 * Beside other solids a body closes other shares than the openings tell (stage/walls/meet.h); what they are
 * more or less is added cell by cell. Faces of bodies thinner than a cell have places of their own
 * (stage/coupling/faces.c) and are added up here: six lists of cells, one a side of each axis, all of which
 * rise.
 *
 * Source: Batty et al. 2007, 3, with the closed part's middle for the face's.
 *
 * Limits: what faces close ends in straight cuts. */
#include <stdint.h>
#include <string.h>
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/cut_faces.h"
#include "grid/rows.h"
#include "solid/vector.h"
#include "stage/coupling/body.h"

static int reserve_cells(coupled_body *b, int count) {
    if (count <= b->cell_capacity) return 0;
    const int capacity = 2 * count;
    body_cell *more =
        mem_grow(b->cells, (size_t)b->cell_capacity * sizeof *more, (size_t)capacity * sizeof *more);
    if (!more) return -1;
    b->cells = more;
    b->cell_capacity = capacity;
    return 0;
}

/* ---- bodies of some thickness ---- */

enum { CELL_CENTRES = 3, ROWS_AHEAD = 4 }; /* the first: as the axis of row_in_ball() */

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *node_phi; /* of solids, m */
    const uint8_t *unknown;
    uint16_t me;
    int axes;        /* across which there are faces */
    int own_side[6]; /* whether the body can close the domain's own side: one that is open, and no seam */
    double volume[6][3], closed[3], wet; /* sums over cells: push x r, S, T over all axes */
} job;

/* The shares of eight cells' faces that the body closes, cell by cell. */
typedef struct eight_cells {
    float below[3][LANES], above[3][LANES];
} eight_cells;

/* The shares of eight faces that the body closes; `not_side`: faces that count whatever side they lie on. */
INLINE vec8 shares_of_eight(const job *s, int axis, ptrdiff_t face, int8 not_side) {
    const vec8 open = vec8_load(s->o->open.value[axis] + face);
    const int8 mine = mask_equal(s->o->mover[axis] + face, s->me) & (open < 1) & not_side;
    return vec8_select(mine, 1 - open, (vec8){0});
}

/* Those of eight cells from `at` on; bit i: the i-th is an unknown and has a face of the body's. */
INLINE unsigned find_eight(eight_cells *to, const job *s, ptrdiff_t cell, const int at[3]) {
    const int8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    vec8 wet = {0};
    for (int a = 0; a < s->axes; ++a) {
        const int8 place = a == 0 ? lane + at[0] : (int8){0} + at[a]; /* along the axis */
        const int8 first = (place != 0) | -s->own_side[2 * a],
                   last = (place != s->g->box.n[a] - 1) | -s->own_side[2 * a + 1];
        const vec8 below = shares_of_eight(s, a, cell, first),
                   above = shares_of_eight(s, a, cell + s->g->box.step[a], last);
        vec8_store(to->below[a], below);
        vec8_store(to->above[a], above);
        wet += below + above;
    }
    return mask_bits((wet > 0) & mask_load(s->unknown + cell));
}

/* A face of the cell at `arm`; walls have it once, from its lower cell where that is an unknown. */
INLINE void add_face(coupled_body *b, body_cell *c, const job *s, int axis, int above, double share,
                     const double arm[3]) {
    const ptrdiff_t face = c->cell + (above ? s->g->box.step[axis] : 0);
    body_face *f = &b->faces[b->count];
    double lever[3] = {0, 0, 0};
    f->cell = (int32_t)face;
    f->axis = (uint8_t)axis;
    f->share = share;
    f->part = 1;
    if (share < 1) face_closed_middle(lever, s->node_phi + face, &s->g->box, axis);
    for (int a = 0; a < 3; ++a) lever[a] = arm[a] + s->g->dx * lever[a];
    coupling_set_turn(f, b, lever);
    for (int r = 0; r < 3; ++r) c->push[3 + r] += above ? f->turn[r] : -f->turn[r];
    b->count += above || !s->unknown[c->cell - s->g->box.step[axis]];
}

/* What the body displaces along an axis, as pushes along the same one tell it, and turns where there are any.
 */
INLINE void add_volume(job *s, const double push[SIX], const double arm[3], int turns) {
    for (int a = 0; a < 3; ++a) s->volume[a][a] += push[a] * arm[a];
    for (int r = 3; r < SIX && turns; ++r)
        for (int a = 0; a < 3; ++a) s->volume[r][a] += push[r] * arm[a];
}

/* Pressure only pushes balls along: their walls are right already (solids_wall_velocity()), and what is left
 * is the same for every cell, without a branch that nothing could foresee. */
INLINE void add_cell(coupled_body *b, job *s, ptrdiff_t cell, const double arm[3], const eight_cells *from,
                     int lane, int turns) {
    body_cell *c = &b->cells[b->cell_count++];
    *c = (body_cell){.cell = (int32_t)cell};
    for (int a = 0; a < s->axes; ++a) {
        const double below = (double)from->below[a][lane], above = (double)from->above[a][lane];
        c->push[a] = above - below;
        if (turns && below > 0) add_face(b, c, s, a, 0, below, arm);
        if (turns && above > 0) add_face(b, c, s, a, 1, above, arm);
        s->wet += below + above;
        s->closed[a] += c->push[a];
    }
    add_volume(s, c->push, arm, turns);
}

/* Calls what a row some way on will be asked for into the cache: rows lie too far apart for the hardware to
 * see it. */
INLINE void call_ahead(const job *s, ptrdiff_t cell) {
    const ptrdiff_t on = cell + ROWS_AHEAD * s->g->box.step[1];
    __builtin_prefetch(s->unknown + on);
    for (int a = 0; a < s->axes; ++a) {
        __builtin_prefetch(s->o->mover[a] + on);
        __builtin_prefetch(s->o->open.value[a] + on);
        __builtin_prefetch(s->o->open.value[a] + on + 16);
    }
}

/* The cells of a row; there is room for them. Memory goes on beyond it. */
INLINE void add_row(coupled_body *b, job *s, const int span[2], int j, int k, int turns) {
    const mac_grid *g = s->g;
    const double *centre = b->solid->body->now->position;
    call_ahead(s, box_at(&g->box, span[0], j, k));
    for (int i = span[0]; i < span[1]; i += LANES) {
        const ptrdiff_t cell = box_at(&g->box, i, j, k);
        eight_cells eight;
        unsigned found = find_eight(&eight, s, cell, (const int[3]){i, j, k});
        if (span[1] - i < LANES) found &= (1u << (span[1] - i)) - 1;
        for (; found; found &= found - 1) {
            const int lane = __builtin_ctz(found);
            const double at[3] = {i + lane + 0.5, j + 0.5, k + 0.5};
            double arm[3];
            for (int a = 0; a < 3; ++a) arm[a] = g->origin[a] + g->dx * at[a] - centre[a];
            if (b->solid->body->flat) arm[2] = 0;
            add_cell(b, s, cell + lane, arm, &eight, lane, turns);
        }
    }
}

HOT static void add_pushed_row(coupled_body *b, job *s, const int span[2], int j, int k) {
    add_row(b, s, span, j, k, 0);
}

HOT static void add_turned_row(coupled_body *b, job *s, const int span[2], int j, int k) {
    add_row(b, s, span, j, k, 1);
}

/* The first of a body's cells that is not before the one of that number. */
static int first_from(const coupled_body *b, int32_t cell) {
    int low = 0, high = b->cell_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (b->cells[middle].cell < cell) low = middle + 1;
        else high = middle;
    }
    return low;
}

int coupling_is_met(const coupled_body *b, ptrdiff_t cell) {
    const int n = first_from(b, (int32_t)cell);
    return n < b->cell_count && b->cells[n].cell == cell && b->cells[n].met;
}

/* The body's cell of that number; NULL: no memory. */
static body_cell *cell_of(coupled_body *b, int32_t cell) {
    const int low = first_from(b, cell);
    if (low < b->cell_count && b->cells[low].cell == cell) return &b->cells[low];
    if (reserve_cells(b, b->cell_count + 1)) return NULL;
    memmove(b->cells + low + 1, b->cells + low, (size_t)(b->cell_count - low) * sizeof *b->cells);
    b->cells[low] = (body_cell){.cell = cell};
    ++b->cell_count;
    return &b->cells[low];
}

/* What is more or less of c_f r_f x e_a on such a face. Which part of it is whose is not known: it acts at
 * its own middle, and so does what the body's own share had at another one. */
static void met_turn(double turn[3], const coupled_body *b, const job *s, const met_face *f,
                     const double arm[3]) {
    const box *in = &s->g->box;
    const ptrdiff_t face = box_at(in, f->at[0], f->at[1], f->at[2]);
    body_face more = {.axis = f->axis, .share = (double)f->more};
    coupling_set_turn(&more, b, arm);
    memcpy(turn, more.turn, sizeof more.turn);
    if (s->o->mover[f->axis][face] != s->me) return;
    body_face own = {.axis = f->axis, .share = 1 - (double)s->o->open.value[f->axis][face]};
    double off[3] = {0};
    if (own.share > 0 && own.share < 1) face_closed_middle(off, s->node_phi + face, in, f->axis);
    for (int a = 0; a < 3; ++a) off[a] *= s->g->dx;
    coupling_set_turn(&own, b, off);
    for (int a = 0; a < 3; ++a) turn[a] -= own.turn[a];
}

/* What the body closes of a face beside another solid, more or less than the openings alone tell, in the cell
 * above or below it. */
static int add_met_side(coupled_body *b, job *s, const met_face *f, int above) {
    const mac_grid *g = s->g;
    int at[3] = {f->at[0], f->at[1], f->at[2]};
    at[f->axis] -= !above;
    const ptrdiff_t cell = box_at(&g->box, at[0], at[1], at[2]);
    if (!s->unknown[cell]) return 0;
    body_cell *c = cell_of(b, (int32_t)cell);
    if (!c) return -1;
    double arm[3], push[SIX] = {0};
    for (int a = 0; a < 3; ++a)
        arm[a] = g->origin[a] + g->dx * (at[a] + 0.5) - b->solid->body->now->position[a];
    if (b->solid->body->flat) arm[2] = 0;
    push[f->axis] = above ? -(double)f->more : (double)f->more;
    met_turn(push + 3, b, s, f, arm);
    for (int r = 3; r < SIX && above; ++r) push[r] = -push[r];
    c->met = 1;
    s->wet += (double)f->more;
    s->closed[f->axis] += push[f->axis];
    for (int r = 0; r < SIX; ++r) c->push[r] += push[r];
    add_volume(s, push, arm, 1);
    return 0;
}

static int add_met(coupled_body *b, job *s) {
    const meetings *met = &s->o->met;
    if (!meetings_any(met, s->me)) return 0;
    for (int i = met->start[s->me - 1]; i < met->start[s->me]; ++i)
        if (add_met_side(b, s, &met->face[i], 0) || add_met_side(b, s, &met->face[i], 1)) return -1;
    return 0;
}

int coupling_find_cells(coupled_body *b, const mac_grid *g, const openings *o, const float *node_phi,
                        const uint8_t *unknown, uint16_t me) {
    job s = {.g = g, .o = o, .node_phi = node_phi, .unknown = unknown, .me = me, .axes = g->box.dim};
    const body *rigid = b->solid->body;
    const cell_range r = range_in_ball(range_cells(g), g, rigid->now->position, rigid->radius + 0.5 * g->dx);
    double middle[3];
    for (int a = 0; a < 3; ++a) middle[a] = (rigid->now->position[a] - g->origin[a]) / g->dx;
    for (int side = 0; side < 6; ++side) s.own_side[side] = o->open_wall[side] && !g->box.periodic[side / 2];
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j) {
            int span[2];
            row_in_ball(span, &r, g->box.dim, CELL_CENTRES, j, k, middle, rigid->radius / g->dx + 1.5);
            if (span[1] <= span[0]) continue;
            if (reserve_cells(b, b->cell_count + span[1] - span[0]) ||
                coupling_reserve_faces(b, b->count + 2 * s.axes * (span[1] - span[0])))
                return -1;
            if (rigid->round == ROUND_BALL) add_pushed_row(b, &s, span, j, k);
            else add_turned_row(b, &s, span, j, k);
        }
    if (add_met(b, &s)) return -1;
    b->all += 0.5 * s.wet; /* cut faces come twice */
    for (int a = 0; a < g->box.dim; ++a) {
        b->closed[a] += s.closed[a];
        for (int i = 0; i < SIX; ++i)
            if (i == a || i >= 3) b->excess[SIX * i + a] -= g->dx * g->dx * s.volume[i][a];
    }
    return 0;
}

/* ---- those thinner than a cell ---- */

/* The cells on one side of the faces across one axis. */
typedef struct side_cells {
    const body_face *next, *end;
    int32_t step; /* down from the cell above a face */
    int32_t cell; /* of the next face; after the last: PAST */
    double sign;
} side_cells;

static const int32_t PAST = INT32_MAX;

static void find_next(side_cells *s) {
    while (s->next < s->end && !(s->step ? s->next->low : s->next->high)) ++s->next;
    s->cell = s->next < s->end ? s->next->cell - s->step : PAST;
}

static void add_next(body_cell *c, side_cells *s) {
    const body_face *f = s->next++;
    c->push[f->axis] += s->sign * f->share;
    for (int r = 0; r < 3; ++r) c->push[3 + r] += s->sign * f->turn[r];
    find_next(s);
}

int coupling_join_faces(coupled_body *b, const box *in) {
    enum { CELL_SIDES = 6 };
    side_cells side[CELL_SIDES];
    const int sides = 2 * in->dim;
    if (b->count == 0) return 0;
    if (reserve_cells(b, 2 * b->count)) return -1;
    const body_face *at = b->faces, *end = b->faces + b->count;
    for (int axis = 0; axis < in->dim; ++axis) {
        const body_face *first = at;
        while (at < end && at->axis == axis) ++at;
        side[2 * axis] = (side_cells){first, at, (int32_t)in->step[axis], 0, 1};
        side[2 * axis + 1] = (side_cells){first, at, 0, 0, -1};
    }
    for (int i = 0; i < sides; ++i) find_next(&side[i]);
    for (;;) {
        int32_t least = PAST;
        for (int i = 0; i < sides; ++i) least = side[i].cell < least ? side[i].cell : least;
        if (least == PAST) return 0;
        body_cell *c = &b->cells[b->cell_count++];
        *c = (body_cell){.cell = least};
        for (int i = 0; i < sides; ++i)
            if (side[i].cell == least) add_next(c, &side[i]);
    }
}
