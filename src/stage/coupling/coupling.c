/* Rigid bodies in the pressure solve (Batty et al. 2007, 3).
 *
 * A body with velocity V = (v, omega) that closes the share c_f of a face moves c_f k_f . V through it, with
 * k_f = (e_a, r_f x e_a) for a face across axis a at r_f from the centre of mass. So the outflow of the cells
 * is D u + K V, pressure acts on the body by the transpose, V += rho dx^3 M^-1 K^T q, and the projection
 * becomes
 *
 *   (A + rho dx^3 K M^-1 K^T) q = - (D u + K V):
 *
 * symmetric, positive, and the kinetic energy of both never rises. Shares and places are those of the
 * openings and wall velocities that the liquid sees. The second term is handed to the solver as rows of L^-1
 * K^T with M = L L^T, one a cell.
 *
 * Sections of the body at the planes of faces give its volume only to second order, V_a = dx^3 sum c_f along
 * axis a, and a neutral body would drift by the difference. Mass that moves on the grid must be what the grid
 * displaces: M is the body's mass matrix plus rho (G - G_exact), G the discrete mass matrix of the displaced
 * liquid's first three columns. Then a body of the liquid's density rests exactly, and body and liquid
 * together have the same mass wherever the body is. Only where the body is wet all around, which sum k_f = 0
 * tells, and as far as M stays positive and is not doubled. Of bodies that float or lie on something only
 * what lifts them is known, cell by cell (stage/coupling/lift.c): rho d, with M n = m n + rho d along the
 * direction n of gravity; what the mass cannot take of it is a force.
 *
 * What contacts, joints and motors let a body do in the meantime is coupling_hold.c's, and joints between
 * bodies coupling_ties.c's.
 *
 * Of a body thinner than a cell the part in the cell-sized box about a face has its own centre: rows take
 * that for the face's place, or pressure would turn it with arms longer than its own.
 *
 * What moves with walls thinner than a cell, and lies on them, is coupling_thin.c's, and the energy of that
 * coupling_calm.c's.
 *
 * r_f is where the middle of what is closed of a face is (coupling_cells.c). Turns about an axis that a body
 * is round about are taken out of k_f: no pressure makes them and they move no liquid, exactly.
 *
 * Limits: what faces close ends in straight cuts (4 % of a cell of arm in single cells of a ball of 3.6); a
 * body that closes no face is not felt. */
#include "stage/coupling/body.h"

#include <math.h>
#include <string.h>
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/gaps.h"
#include "grid/rows.h"
#include "solid/vector.h"
#include "stage/coupling/lift.h"
#include "stage/coupling/thin.h"
#include "stage/coupling/ties.h"

typedef struct {
    coupling *c;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    const float *node_phi;
    const uint8_t *unknown;
    double fluid_density;
    const lift_view *still; /* NULL without weight */
    const gaps *gaps;
    const mac_field *flow;
    double pull, dt, fall; /* m/s by gravity in the step, s; the same to bodies */
    const float *q;
} job;

int coupling_make(coupling *c, int bodies) {
    *c = (coupling){.count = bodies};
    if (bodies == 0) return 0;
    c->bodies = mem_alloc((size_t)bodies * sizeof *c->bodies);
    c->first = mem_alloc(((size_t)bodies + 1) * sizeof *c->first);
    return c->bodies && c->first ? 0 : -1;
}

void coupling_free(coupling *c) {
    for (int i = 0; c->bodies && i < c->count; ++i) {
        mem_free(c->bodies[i].faces);
        mem_free(c->bodies[i].cells);
    }
    ties_free(c);
    mem_free(c->bodies);
    mem_free(c->first);
    mem_free(c->rows);
    *c = (coupling){0};
}

size_t coupling_bytes(const coupling *c) {
    size_t bytes =
        (size_t)c->room * sizeof *c->rows + (size_t)c->count * (sizeof *c->bodies + sizeof *c->first);
    for (int i = 0; i < c->count; ++i)
        bytes += (size_t)c->bodies[i].room * sizeof *c->bodies->faces +
                 (size_t)c->bodies[i].cell_room * sizeof *c->bodies->cells;
    return bytes + ties_bytes(c);
}

/* ---- the faces of a body ---- */

int coupling_hold_faces(coupled_body *b, int count) {
    if (count <= b->room) return 0;
    const int room = 2 * count;
    body_face *more = mem_grow(b->faces, (size_t)b->room * sizeof *more, (size_t)room * sizeof *more);
    if (!more) return -1;
    b->faces = more;
    b->room = room;
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
static int find_turn(thin_turn *turn, const body_face *f, const job *s) {
    for (int side = 0; side < 2 && s->gaps; ++side)
        if ((turn->way =
                 gap_turned(&turn->axis, &turn->up, s->gaps, f->cell - side * s->g->box.step[f->axis])))
            return 1;
    return 0;
}

/* Thin bodies' faces have levers of their own. Beside a cell that has turned to the gap below the body, it is
 * that cell which the body is in, and what is above it there closes faces too, but stands still. */
static void place_thin(body_face *f, face_sums *m, coupled_body *b, const job *s, const double x[3]) {
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
static int add_found(coupled_body *b, face_sums *m, const job *s, int axis, const face_row *row,
                     uint64_t found) {
    if (coupling_hold_faces(b, b->count + __builtin_popcountll(found))) return -1;
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

static face_row row_from(const job *s, int axis, int i, int j, int k) {
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
static void fit_crumb(coupled_body *b, face_sums *m, const job *s, int first) {
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
static int add_nearest(coupled_body *b, face_sums *m, const job *s, int axis) {
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
    if (coupling_hold_faces(b, b->count + 1)) return -1;
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

static int find_faces(coupled_body *b, const job *s, int axis) {
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

static int find_thin(coupled_body *b, const job *s) {
    for (int axis = 0; axis < s->g->box.dim; ++axis)
        if (find_faces(b, s, axis)) return -1;
    for (int c = 0; c < 3 && b->solid->body->round; ++c) felt_rows(b->excess + c, b);
    return coupling_join_faces(b, &s->g->box);
}

/* ---- the mass matrix ---- */

static void body_mass(double m[SIX * SIX], const body *b) {
    double inertia[9];
    memset(m, 0, SIX * SIX * sizeof *m);
    body_inertia(inertia, b);
    for (int r = 0; r < 3; ++r) {
        m[(SIX + 1) * r] = b->mass;
        for (int c = 0; c < 3; ++c) m[SIX * (3 + r) + 3 + c] = inertia[3 * r + c];
    }
    if (!b->flat) return;
    for (int c = 0; c < SIX; ++c) m[SIX * 3 + c] = m[SIX * 4 + c] = m[SIX * c + 3] = m[SIX * c + 4] = 0;
    m[(SIX + 1) * 3] = m[(SIX + 1) * 4] = b->mass; /* of turns that no face asks for */
}

/* What the displaced liquid's mass matrix on the grid has more than the exact one, first three columns and,
 * mirrored, rows; 0 where the body is not wet all around. Layers count already. */
static int displaced_excess(double excess[SIX * SIX], const coupled_body *b, const job *s) {
    const int dim = s->g->box.dim;
    memset(excess, 0, SIX * SIX * sizeof *excess);
    for (int a = 0; a < dim; ++a)
        if (!(fabs(b->closed[a]) <= 1e-3 * b->all) || !(b->excess[(SIX + 1) * a] > 0)) return 0;
    for (int a = 0; a < dim; ++a)
        for (int r = 0; r < SIX; ++r) {
            const double more = b->excess[SIX * r + a] - (r == a ? b->solid->body->volume : 0);
            if (r == a || r >= 3)
                excess[SIX * r + a] = excess[SIX * a + r] =
                    s->fluid_density * more - b->attached[SIX * r + a];
        }
    return 1;
}

/* The factor of m and as large a part of the excess as leaves half of m and less than doubles it; that part.
 * More would come and go with the body's place on the grid, and with it the momentum of a light body. Of
 * bodies that are tied, all or none: what a light one cannot take another bears as a force, to the last bit.
 */
static double factor_with(coupled_body *b, const double m[SIX * SIX], const double excess[SIX * SIX]) {
    const double least = b->group < 0 ? 0.1 : 0.9;
    double sum[SIX * SIX];
    for (double part = 1; part > least; part *= 0.5) {
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = m[i] - part * excess[i];
        if (!six_factorise(b->factor, sum)) continue;
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = 0.5 * m[i] + part * excess[i];
        if (!six_factorise(b->factor, sum)) continue;
        for (int i = 0; i < SIX * SIX; ++i) sum[i] = m[i] + part * excess[i];
        six_factorise(b->factor, sum);
        return part;
    }
    six_factorise(b->factor, m);
    return 0;
}

/* X = d n^T + n d^T - (n . d) n n^T: symmetric, and X n = d. */
static void mass_along(double x[SIX * SIX], const double d[SIX], const double up[3]) {
    const double n[SIX] = {up[0], up[1], up[2], 0, 0, 0};
    double both = 0;
    for (int r = 0; r < SIX; ++r) both += n[r] * d[r];
    for (int r = 0; r < SIX; ++r)
        for (int c = 0; c < SIX; ++c) x[SIX * r + c] = d[r] * n[c] + n[r] * d[c] - both * n[r] * n[c];
}

/* What the mass cannot take of the lift's error, as a force; the surface's spring rho g A is taken
 * implicitly.
 */
static void right_lift(const coupled_body *b, const job *s, const lift_error *lift, double part) {
    const double spring = s->fluid_density * s->pull * s->dt * lift->waterline / b->solid->body->mass;
    const double scale = -s->fluid_density * s->pull * part / (1 + spring);
    double impulse[SIX];
    for (int r = 0; r < SIX; ++r) impulse[r] = scale * lift->excess[r];
    body_add(b->solid->body, impulse, impulse + 3);
}

/* What gravity would give the excess if it were mass, as a force: on tied bodies, which need not be light
 * together where one is. */
static void weigh_excess(const coupled_body *b, const job *s, const double excess[SIX * SIX]) {
    double impulse[SIX] = {0};
    if (!s->still) return;
    for (int r = 0; r < SIX; ++r)
        for (int a = 0; a < 3; ++a) impulse[r] -= s->pull * s->still->up[a] * excess[SIX * r + a];
    body_add(b->solid->body, impulse, impulse + 3);
}

static void make_mass(coupled_body *b, const job *s) {
    double m[SIX * SIX], excess[SIX * SIX];
    lift_error lift;
    body_mass(m, b->solid->body);
    for (int i = 0; i < SIX * SIX; ++i) m[i] += b->attached[i];
    if (displaced_excess(excess, b, s) || b->solid->thin) {
        for (int i = 0; i < SIX * SIX; ++i) excess[i] += b->film[i];
        if (!(factor_with(b, m, excess) > 0) && b->group >= 0) weigh_excess(b, s, excess);
        return;
    }
    six_factorise(b->factor, m);
    if (!s->still) return;
    const uint16_t me = (uint16_t)(b->solid - s->solids + 1);
    lift_find(&lift, s->still, b->solid, me, meetings_any(&s->o->met, me) ? b : NULL);
    const double turn[3] = {lift.excess[3], lift.excess[4], lift.excess[5]};
    if (b->solid->body->round) mat_times(lift.excess + 3, b->felt, turn);
    mass_along(excess, lift.excess, s->still->up);
    for (int i = 0; i < SIX * SIX; ++i) excess[i] *= s->fluid_density;
    right_lift(b, s, &lift, 1 - (b->cell_count > 0 ? factor_with(b, m, excess) : 0));
}

/* ---- to the solver and back ---- */

static void body_task(void *context, int index) {
    const job *s = context;
    coupled_body *b = &s->c->bodies[index];
    b->count = b->cell_count = b->failed = b->freed = 0;
    b->all = b->closed[0] = b->closed[1] = b->closed[2] = 0;
    body_felt_turn(b->felt, b->solid->body);
    memset(b->excess, 0, sizeof b->excess);
    memset(b->attached, 0, sizeof b->attached);
    memset(b->film, 0, sizeof b->film);
    b->failed = b->solid->thin ? find_thin(b, s)
                               : coupling_find_cells(b, s->g, s->o, s->node_phi, s->unknown,
                                                     (uint16_t)(b->solid - s->solids + 1));
    if (s->still && b->solid->thin && !b->failed) thin_films_on(b, s->still, s->fluid_density);
    make_mass(b, s);
    coupling_calm_start(b, s->flow, s->fall);
    coupling_make_held(b);
    coupling_read_start(b);
    b->was = *b->solid->body->now;
    b->solid->body->grip->wet = b->cell_count > 0;
    coupling_unbind(b);
    coupling_make_motor(b);
    coupling_bind(b);
}

/* L^-1 as columns, what contacts hold taken out of them; as wide as vectors are. */
enum { WIDE = 8 };

static void free_columns(double column[SIX][WIDE], const coupled_body *b, double scale) {
    memset(column, 0, SIX * WIDE * sizeof(double));
    for (int c = 0; c < SIX; ++c) {
        column[c][c] = scale;
        six_solve_lower(column[c], b->factor);
        coupling_leave_free(column[c], b);
    }
}

HOT static void rows_of_cells(poisson_row *rows, const body_cell *cells, int count,
                              double column[SIX][WIDE]) {
    for (int i = 0; i < count; ++i) {
        double sum[WIDE] = {0};
        float row[WIDE];
        for (int c = 0; c < SIX; ++c)
            for (int r = 0; r < WIDE; ++r) sum[r] += cells[i].push[c] * column[c][r];
        for (int r = 0; r < WIDE; ++r) row[r] = (float)sum[r];
        rows[i].cell = cells[i].cell;
        memcpy(rows[i].value, row, sizeof rows[i].value);
    }
}

static void rows_task(void *context, int index) {
    const job *s = context;
    const coupled_body *b = &s->c->bodies[index];
    const double scale = sqrt(s->fluid_density * s->g->dx * s->g->dx * s->g->dx);
    tied_group *tied = ties_of(s->c, b);
    double column[SIX][WIDE];
    if (tied && b->place == 0) ties_rows(s->c, tied, b->term, scale);
    if (tied || b->cell_count == 0) return; /* in the air: where no body is wet there are no rows at all */
    free_columns(column, b, scale);
    rows_of_cells(s->c->rows + s->c->first[b->term], b->cells, b->cell_count, column);
}

/* Where the rows of each body, or of the first of those that are tied, begin. */
static void place_terms(coupling *c) {
    c->terms = c->first[0] = 0;
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        const tied_group *tied = ties_of(c, b);
        const int terms = !tied ? 1 : b->place == 0 ? ties_terms(tied) : 0;
        b->term = c->terms;
        for (int k = 0; k < terms; ++k, ++c->terms)
            c->first[c->terms + 1] = c->first[c->terms] + (tied ? tied->cells : b->cell_count);
    }
}

/* When all bodies are bound by themselves. */
static int hand_over(const job *s, poisson *solver) {
    coupling *c = s->c;
    ties_bind(c, s->g->pool);
    place_terms(c);
    const int need = c->first[c->terms];
    if (need > c->room) {
        mem_free(c->rows);
        c->room = 2 * need;
        c->rows = mem_alloc((size_t)c->room * sizeof *c->rows);
        if (!c->rows) {
            c->room = 0;
            return -1;
        }
    }
    job rows = *s;
    parallel_for(s->g->pool, c->count, rows_task, &rows);
    return solver ? poisson_attach(solver, c->rows, c->first, c->terms) : 0;
}

int coupling_attach(coupling *c, poisson *solver, const mac_grid *g, const openings *o,
                    const obstacle *solids, int solid_count, const body_ties *ties, const uint8_t *unknown,
                    double fluid_density, const coupling_weight *weight) {
    if (c->count == 0) return 0;
    job s = {.c = c, .g = g, .o = o, .solids = solids, .unknown = unknown, .node_phi = weight->node_phi};
    lift_view still = {.g = g, .o = o, .node_phi = weight->node_phi, .phi = weight->phi, .unknown = unknown};
    s.fluid_density = fluid_density;
    s.pull = vec_length(weight->pull);
    s.dt = weight->dt;
    s.fall = weight->fall;
    s.flow = weight->flow;
    s.gaps = weight->gaps;
    if (s.pull > 0) {
        for (int a = 0; a < 3; ++a) still.up[a] = -weight->pull[a] / s.pull;
        s.still = &still;
    }
    for (int i = 0, n = 0; i < solid_count; ++i)
        if (solids[i].body) c->bodies[n++].solid = &solids[i];
    if (ties_find(c, ties)) return -1;
    parallel_for(g->pool, c->count, body_task, &s);
    for (int i = 0; i < c->count; ++i)
        if (c->bodies[i].failed) return -1;
    return hand_over(&s, solver);
}

int coupling_attach_again(coupling *c, poisson *solver, const mac_grid *g, double fluid_density) {
    job s = {.c = c, .g = g, .fluid_density = fluid_density};
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        memcpy(b->solid->body->now, &b->was, sizeof b->was);
        const int released = coupling_release(b);
        coupling_make_held(b);
        if (released) coupling_make_motor(b);
        if (b->group >= 0) coupling_unbind(b);
        coupling_bind(b);
    }
    return hand_over(&s, solver);
}

typedef struct {
    openings *o;
    const coupling *c;
} walls_job;

static void walls_task(void *context, int index) {
    const walls_job *s = context;
    const coupled_body *b = &s->c->bodies[index];
    const body_state *now = b->solid->body->now;
    for (int k = 0; k < b->count; ++k) {
        const body_face *f = &b->faces[k];
        if (f->share > 0 && f->part == 0) continue; /* add_nearest(): it closes nothing */
        const double through =
            f->share > 0 ? now->velocity[f->axis] + vec_dot(f->turn, now->spin) / f->share : 0;
        s->o->wall.value[f->axis][f->cell] = (float)(f->part * through);
    }
}

void coupling_walls(openings *o, const coupling *c, pool *p) {
    walls_job s = {o, c};
    if (c->count) parallel_for(p, c->count, walls_task, &s); /* a face is one body's */
}

void coupling_momentum(double momentum[POISSON_RANK], const coupling *c, int index) {
    const coupled_body *b = &c->bodies[index];
    const body_state *now = b->solid->body->now;
    double y[SIX];
    for (int r = 0; r < SIX; ++r) {
        y[r] = 0;
        for (int k = r; k < SIX; ++k)
            y[r] += b->factor[SIX * k + r] * (k < 3 ? now->velocity[k] : now->spin[k - 3]);
    }
    for (int r = 0; r < SIX; ++r) {
        momentum[r] = 0;
        for (int k = 0; k <= r; ++k) momentum[r] += b->factor[SIX * r + k] * y[k];
    }
}

static void press_task(void *context, int index) {
    const job *s = context;
    coupled_body *b = &s->c->bodies[index];
    double *change = b->change;
    memset(change, 0, sizeof b->change);
    for (int i = 0; i < b->cell_count; ++i)
        for (int r = 0; r < SIX; ++r) change[r] += b->cells[i].push[r] * (double)s->q[b->cells[i].cell];
    for (int r = 0; r < SIX; ++r) change[r] *= s->fluid_density * s->g->dx * s->g->dx * s->g->dx;
    six_solve_lower(change, b->factor);
    memcpy(b->pressed, change, sizeof b->pressed);
    coupling_leave_free(change, b);
}

static void push_task(void *context, int index) {
    const job *s = context;
    coupled_body *b = &s->c->bodies[index];
    body_state *now = b->solid->body->now;
    double *change = b->change, *withheld = b->solid->body->grip->withheld;
    for (int r = 0; r < SIX; ++r) withheld[r] = b->pressed[r] - change[r] - b->bound[r];
    coupling_withhold(withheld, b);
    six_solve_upper(change, b->factor);
    for (int a = 0; a < 3; ++a) {
        now->velocity[a] += change[a];
        now->spin[a] += change[3 + a];
    }
    if (b->motor.mode) coupling_read_motor(b, b->pressed);
    coupling_calm_pushed(b);
}

void coupling_push(coupling *c, const mac_grid *g, const float *q, double fluid_density) {
    job s = {.c = c, .g = g, .q = q, .fluid_density = fluid_density};
    if (c->count == 0) return;
    parallel_for(g->pool, c->count, press_task, &s);
    ties_push(c, g->pool);
    parallel_for(g->pool, c->count, push_task, &s);
}
