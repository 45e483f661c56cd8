/* The faces that a body thinner than a cell closes, and what it displaces.
 *
 *   k_f = (e_a, r_f x e_a),   V_a = dx^3 sum of c_f along axis a
 *
 * for a face across axis a whose share c_f the body closes. Of a thin body the part in the cell-sized box
 * about a face has its own centre: rows take that for the face's place r_f, or pressure would turn it with
 * arms longer than its own. Rows of faces are searched eight at a time.
 *
 * Source: Batty et al. 2007, 3.
 *
 * Limits: what is smaller than a quarter of a cell (BODY_CRUMB) closes faces two or three times its volume;
 * it gets its volume's part of them, or of the one face that is nearest. */
#include "stage/coupling/body.h"

#include <math.h>
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/gaps.h"
#include "grid/rows.h"
#include "stage/coupling/thin.h"
#include "stage/coupling/tuning.h"

int coupling_reserve_faces(coupled_body *b, int count) {
    if (count <= b->capacity) return 0;
    const int capacity = 2 * count;
    body_face *more = mem_grow(b->faces, (size_t)b->capacity * sizeof *more, (size_t)capacity * sizeof *more);
    if (!more) return -1;
    b->faces = more;
    b->capacity = capacity;
    return 0;
}

void coupling_displaced(coupled_body *b, const face_sums *m, int axis, const mac_grid *g) {
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    const double area = g->dx * g->dx, half = 0.5 * g->dx * area;
    b->closed[axis] -= m->side;
    b->excess[(SIX + 1) * axis] += area * m->side_at[axis] + half * m->wet;
    for (int a = 0; a < 3; ++a) {
        b->excess[SIX * (3 + p) + a] += area * m->side_at2[q][a];
        b->excess[SIX * (3 + q) + a] -= area * m->side_at2[p][a];
    }
    b->excess[SIX * (3 + p) + axis] += half * m->wet_at[q];
    b->excess[SIX * (3 + q) + axis] -= half * m->wet_at[p];
}

void coupling_place(face_sums *m, double low, double high, const double arm[3], const double lever[3]) {
    const double side = high - low, wet = high + low;
    m->side += side;
    m->wet += wet;
    for (int a = 0; a < 3; ++a) {
        m->side_at[a] += side * arm[a];
        m->wet_at[a] += wet * lever[a];
        for (int c = 0; c < 3; ++c) m->side_at2[a][c] += side * lever[a] * arm[c];
    }
}

/* That of the cells beside a face which has turned to a gap; 0: neither. */
static int find_turn(thin_turn *turn, const body_face *f, const coupling_job *s) {
    for (int side = 0; side < 2 && s->gaps; ++side)
        if ((turn->way =
                 gap_turned(&turn->axis, &turn->up, s->gaps, f->cell - side * s->g->box.step[f->axis])))
            return 1;
    return 0;
}

/* Thin bodies' faces have levers of their own. Beside a cell that has turned to the gap below the body, it is
 * that cell which the body is in, and what is above it there closes faces too, but stands still. */
static void place_thin(body_face *f, face_sums *m, coupled_body *b, const coupling_job *s,
                       const double x[3]) {
    double arm[3], lever[3], in[3] = {x[0], x[1], x[2]};
    thin_turn turn;
    const int turned = find_turn(&turn, f, s), over = turned && turn.axis == f->axis;
    if (over) in[f->axis] -= 0.5 * turn.way * s->g->dx;
    vec_sub(arm, x, b->solid->body->now->position);
    const double share = thin_arm(lever, b->solid, s->g, in);
    const int beside = (turned && !over) || gap_is_along(s->gaps, f->cell, f->axis);
    if (beside) {
        f->part = fmin(share / f->share, 1);
        f->share *= f->part;
    }
    if (b->solid->body->flat) arm[2] = lever[2] = 0;
    coupling_set_turn(f, b, lever);
    coupling_place(m, f->low * f->share, f->high * f->share, arm, lever);
    if (over) thin_layers_over(b, f, s->g, s->fluid_density, x, &turn);
    else if (f->share > THIN_WALL) thin_layers(b, f, s->g, s->fluid_density, x);
}

enum { ROW_BITS = 64, ROWS_AHEAD = 4 };

/* A row of faces across an axis, from one of them on. */
typedef struct face_row {
    const uint16_t *mover;
    const float *open;
    const uint8_t *low, *high; /* unknowns */
    ptrdiff_t cell;            /* above the first */
    double place[3];           /* m, of the first */
} face_row;

/* Bit i: the i-th of eight faces is one of the solid's, with liquid beside it. */
INLINE unsigned find_eight(const face_row *f, int at, uint16_t me) {
    const int8 wet = mask_load(f->low + at) | mask_load(f->high + at);
    return mask_bits(mask_equal(f->mover + at, me) & wet & (vec8_load(f->open + at) < 1));
}

/* The same of up to 64; memory goes on beyond a row. Without branches, which nothing could foresee. */
HOT static uint64_t find_in_row(const face_row *f, uint16_t me, int count) {
    uint64_t found = 0;
    for (int i = 0; i < count; i += LANES) found |= (uint64_t)find_eight(f, i, me) << i;
    return count < ROW_BITS ? found & (((uint64_t)1 << count) - 1) : found;
}

/* Adds the faces of a row that were found. -1: no memory. */
static int add_found(coupled_body *b, face_sums *m, const coupling_job *s, int axis, const face_row *row,
                     uint64_t found) {
    if (coupling_reserve_faces(b, b->count + __builtin_popcountll(found))) return -1;
    for (; found; found &= found - 1) {
        const int i = __builtin_ctzll(found);
        body_face *f = &b->faces[b->count++];
        f->cell = (int32_t)(row->cell + i);
        f->axis = (uint8_t)axis;
        f->low = row->low[i];
        f->high = row->high[i];
        f->share = 1 - (double)row->open[i];
        f->part = 1;
        place_thin(f, m, b, s, (const double[3]){row->place[0] + s->g->dx * i, row->place[1], row->place[2]});
        b->all += f->share;
    }
    return 0;
}

static face_row row_from(const coupling_job *s, int axis, int i, int j, int k) {
    const mac_grid *g = s->g;
    const ptrdiff_t cell = box_at(&g->box, i, j, k);
    return (face_row){.mover = s->o->mover[axis] + cell,
                      .open = s->o->open.value[axis] + cell,
                      .low = s->unknown + cell - g->box.step[axis],
                      .high = s->unknown + cell,
                      .cell = cell,
                      .place = {g->origin[0] + g->dx * (i + (axis != 0) * 0.5),
                                g->origin[1] + g->dx * (j + (axis != 1) * 0.5),
                                g->origin[2] + g->dx * (k + (axis != 2) * 0.5)}};
}

/* Calls what a row some way on will be asked for into the cache: rows lie too far apart for the hardware to
 * see it. */
static void call_ahead(const face_row *row, ptrdiff_t on) {
    __builtin_prefetch(row->mover + on);
    __builtin_prefetch(row->open + on);
    __builtin_prefetch(row->open + on + 16);
    __builtin_prefetch(row->high + on);
}

/* What is smaller than a quarter of a cell closes faces only as far as these can be told apart, two or three
 * times what it should: it has its volume then. The rest of what is closed stands still. */
static void fit_crumb(coupled_body *b, face_sums *m, const coupling_job *s, int first) {
    double all = 0;
    for (int i = first; i < b->count; ++i) all += b->faces[i].share;
    const double cell = s->g->dx * s->g->dx * s->g->dx, part = b->solid->body->volume / (cell * all);
    if (!(part < 1)) return;
    for (int i = first; i < b->count; ++i) {
        body_face *f = &b->faces[i];
        f->share *= part;
        f->part *= part;
        for (int r = 0; r < 3; ++r) f->turn[r] *= part;
    }
    b->all -= (1 - part) * all;
    m->side *= part;
    m->wet *= part;
    for (int a = 0; a < 3; ++a) {
        m->side_at[a] *= part;
        m->wet_at[a] *= part;
        for (int c = 0; c < 3; ++c) m->side_at2[a][c] *= part;
    }
}

/* The face next to something so small that it closes none; nothing where that is dry or at a side. */
static int add_nearest(coupled_body *b, face_sums *m, const coupling_job *s, int axis) {
    const mac_grid *g = s->g;
    const double cell = g->dx * g->dx * g->dx, none[3] = {0};
    const cell_range inner = range_inner_faces(g, axis);
    double arm[3] = {0};
    int at[3];
    for (int a = 0; a < 3; ++a) {
        const double x = (b->solid->body->now->position[a] - g->origin[a]) / g->dx;
        at[a] = a >= g->box.dim ? 0 : (int)floor(a == axis ? x + 0.5 : x);
        if (at[a] < inner.lower[a] || at[a] >= inner.upper[a]) return 0;
        if (a < g->box.dim) arm[a] = (at[a] + (a == axis ? 0 : 0.5) - x) * g->dx;
    }
    const ptrdiff_t c = box_at(&g->box, at[0], at[1], at[2]);
    const uint8_t low = s->unknown[c - g->box.step[axis]], high = s->unknown[c];
    if ((!low && !high) || s->o->open.value[axis][c] < 1) return 0; /* another's */
    if (coupling_reserve_faces(b, b->count + 1)) return -1;
    body_face *f = &b->faces[b->count++];
    *f = (body_face){.cell = (int32_t)c,
                     .axis = (uint8_t)axis,
                     .low = low,
                     .high = high,
                     .share = b->solid->body->volume / cell};
    coupling_place(m, low * f->share, high * f->share, arm, none);
    b->all += f->share;
    return 0;
}

static int find_faces(coupled_body *b, const coupling_job *s, int axis) {
    const body *rigid = b->solid->body;
    const mac_grid *g = s->g;
    const cell_range r = range_in_ball(range_inner_faces(g, axis), g, rigid->now->position, rigid->radius);
    const uint16_t me = (uint16_t)(b->solid - s->solids + 1);
    const int first = b->count;
    double middle[3];
    face_sums sums = {0};
    for (int a = 0; a < 3; ++a) middle[a] = (rigid->now->position[a] - g->origin[a]) / g->dx;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j) {
            int span[2];
            row_in_ball(span, &r, g->box.dim, axis, j, k, middle, rigid->radius / g->dx + 1);
            for (int i = span[0]; i < span[1]; i += ROW_BITS) {
                const face_row row = row_from(s, axis, i, j, k);
                call_ahead(&row, ROWS_AHEAD * g->box.step[1]);
                const uint64_t found = find_in_row(&row, me, span[1] - i < ROW_BITS ? span[1] - i : ROW_BITS);
                if (found && add_found(b, &sums, s, axis, &row, found)) return -1;
            }
        }
    const int is_crumb = rigid->radius < BODY_CRUMB * g->dx;
    if (is_crumb && b->count == first && add_nearest(b, &sums, s, axis)) return -1;
    if (is_crumb) fit_crumb(b, &sums, s, first);
    coupling_displaced(b, &sums, axis, g);
    return 0;
}

/* A column of the rows of turns in what the body displaces. */
static void felt_rows(double column[SIX * SIX], const coupled_body *b) {
    const double turn[3] = {column[SIX * 3], column[SIX * 4], column[SIX * 5]};
    double felt[3];
    mat_times(felt, b->felt, turn);
    for (int r = 0; r < 3; ++r) column[SIX * (3 + r)] = felt[r];
}

int coupling_find_thin(coupled_body *b, const coupling_job *s) {
    for (int axis = 0; axis < s->g->box.dim; ++axis)
        if (find_faces(b, s, axis)) return -1;
    for (int c = 0; c < 3 && b->solid->body->round; ++c) felt_rows(b->excess + c, b);
    return coupling_join_faces(b, &s->g->box);
}
