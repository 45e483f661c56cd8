/* The cells whose pressure pushes a body.
 *
 * Of a cell's faces across axis a the body closes the shares c_low and c_high. Its pressure pushes the body
 * along a by S_a = c_high - c_low; arms of the two faces differ along a alone, so it turns the body by r x S
 * with r from the centre of mass to the cell's own centre. That is all the solver asks for, and the sums over
 * faces that say what the body displaces (face_sums) follow from S, T_a = c_high + c_low and r as well.
 *
 * Faces of bodies thinner than a cell have places of their own. Theirs are found one by one (coupling.c) and
 * added up here: six lists of cells, one a side of each axis, all of which rise. */
#include <stdint.h>
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "solid/vector.h"
#include "stage/coupling_body.h"

static int hold_cells(coupled_body *b, int count) {
    if (count <= b->cell_room) return 0;
    const int room = 2 * count;
    body_cell *more = mem_grow(b->cells, (size_t)b->cell_room * sizeof *more, (size_t)room * sizeof *more);
    if (!more) return -1;
    b->cells = more;
    b->cell_room = room;
    return 0;
}

/* ---- bodies of some thickness ---- */

enum { CELL_CENTRES = 3, WORD = 64, ROWS_AHEAD = 4 }; /* the first: as the axis of row_in_ball() */

typedef struct {
    const mac_grid *g;
    const openings *o;
    const uint8_t *unknown;
    uint16_t me;
    int axes; /* across which there are faces */
} job;

/* Which of eight faces are the body's. */
INLINE int8 mine_of_eight(const job *s, int axis, ptrdiff_t face) {
    return mask_equal(s->o->mover[axis] + face, s->me) & (vec8_load(s->o->open.value[axis] + face) < 1);
}

/* Bit i: the i-th of eight cells is an unknown and has a face of the body's. */
INLINE unsigned touched_of_eight(const job *s, ptrdiff_t cell) {
    int8 any = mine_of_eight(s, 0, cell) | mine_of_eight(s, 0, cell + 1);
    for (int a = 1; a < s->axes; ++a)
        any |= mine_of_eight(s, a, cell) | mine_of_eight(s, a, cell + s->g->box.step[a]);
    return mask_bits(any & mask_load(s->unknown + cell));
}

/* The same of up to 64; memory goes on beyond a row. */
HOT static uint64_t touched_in_row(const job *s, ptrdiff_t cell, int count) {
    uint64_t found = 0;
    for (int i = 0; i < count; i += LANES) found |= (uint64_t)touched_of_eight(s, cell + i) << i;
    return count < WORD ? found & (((uint64_t)1 << count) - 1) : found;
}

/* What of a face the body closes; of the domain's own sides only where they are open. */
INLINE double share_of(const job *s, int axis, ptrdiff_t face, int at) {
    const float open = s->o->open.value[axis][face];
    const int side = at == 0 ? 2 * axis : at == s->g->box.n[axis] ? 2 * axis + 1 : -1;
    const int mine = s->o->mover[axis][face] == s->me && open < 1 &&
                     (side < 0 || (s->o->open_wall[side] && !s->g->box.periodic[axis]));
    return mine ? 1 - (double)open : 0;
}

/* A cell's faces across an axis, among those of the whole body. */
static void add_faces(face_sums *m, int axis, double below, double above, const double arm[3], double half) {
    const double side = below - above, wet = below + above;
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    double at[3] = {side * arm[0], side * arm[1], side * arm[2]};
    at[axis] -= half * wet;
    m->side += side;
    m->wet += wet;
    m->side_at[axis] += at[axis];
    m->wet_at[p] += wet * arm[p];
    m->wet_at[q] += wet * arm[q];
    for (int a = 0; a < 3; ++a) {
        m->side_at2[p][a] += arm[p] * at[a];
        m->side_at2[q][a] += arm[q] * at[a];
    }
}

static void add_cell(coupled_body *b, face_sums sums[3], const job *s, const int at[3]) {
    const mac_grid *g = s->g;
    const ptrdiff_t cell = box_at(&g->box, at[0], at[1], at[2]);
    body_cell *c = &b->cells[b->cell_count];
    double arm[3], wet = 0;
    *c = (body_cell){.cell = (int32_t)cell};
    for (int a = 0; a < 3; ++a)
        arm[a] = g->origin[a] + g->dx * (at[a] + 0.5) - b->solid->body->now->position[a];
    if (b->solid->body->flat) arm[2] = 0;
    for (int a = 0; a < s->axes; ++a) {
        const double below = share_of(s, a, cell, at[a]),
                     above = share_of(s, a, cell + g->box.step[a], at[a] + 1);
        if (!(below + above > 0)) continue;
        c->push[a] = above - below;
        wet += below + above;
        add_faces(&sums[a], a, below, above, arm, 0.5 * g->dx);
    }
    vec_cross(c->push + 3, arm, c->push);
    b->all += 0.5 * wet; /* cut faces come twice */
    b->cell_count += wet > 0;
}

/* Calls what a row some way on will be asked for into the cache: rows lie too far apart for the hardware to
 * see it. */
static void call_ahead(const job *s, ptrdiff_t cell) {
    const ptrdiff_t on = cell + ROWS_AHEAD * s->g->box.step[1];
    __builtin_prefetch(s->unknown + on);
    for (int a = 0; a < s->axes; ++a) {
        __builtin_prefetch(s->o->mover[a] + on);
        __builtin_prefetch(s->o->open.value[a] + on);
        __builtin_prefetch(s->o->open.value[a] + on + 16);
    }
}

static int add_row(coupled_body *b, face_sums sums[3], const job *s, const int span[2], int j, int k) {
    for (int i = span[0]; i < span[1]; i += WORD) {
        const int count = span[1] - i < WORD ? span[1] - i : WORD;
        const ptrdiff_t first = box_at(&s->g->box, i, j, k);
        call_ahead(s, first);
        uint64_t found = touched_in_row(s, first, count);
        if (found && hold_cells(b, b->cell_count + WORD)) return -1;
        for (; found; found &= found - 1)
            add_cell(b, sums, s, (const int[3]){i + __builtin_ctzll(found), j, k});
    }
    return 0;
}

int coupling_find_cells(coupled_body *b, const mac_grid *g, const openings *o, const uint8_t *unknown,
                        uint16_t me) {
    const job s = {.g = g, .o = o, .unknown = unknown, .me = me, .axes = g->box.dim};
    const body *rigid = b->solid->body;
    const cell_range r = range_in_ball(range_cells(g), g, rigid->now->position, rigid->radius + 0.5 * g->dx);
    face_sums sums[3] = {{0}};
    double middle[3];
    for (int a = 0; a < 3; ++a) middle[a] = (rigid->now->position[a] - g->origin[a]) / g->dx;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j) {
            int span[2];
            row_in_ball(span, &r, g->box.dim, CELL_CENTRES, j, k, middle, rigid->radius / g->dx + 1.5);
            if (add_row(b, sums, &s, span, j, k)) return -1;
        }
    for (int a = 0; a < g->box.dim; ++a) coupling_displaced(b, &sums[a], a, g);
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
    enum { SIDES = 6 };
    side_cells side[SIDES];
    const int sides = 2 * in->dim;
    if (b->count == 0) return 0;
    if (hold_cells(b, 2 * b->count)) return -1;
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
