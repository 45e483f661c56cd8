/* The lift of a body that is not wet all around.
 *
 * A cell's pressure acts on the body's surface S within it as if all of that were at the cell's centre: force
 * D_c S with D the depth of liquid and S = c_high - c_low, the shares of the cell's faces that the body
 * closes. With the depths where S is, and none above the surface, it would be, along the axis of `up`,
 *
 *   int_S max(D, 0) dS = V_wet + c_high max(D_c - 1/2, 0) - c_low max(D_c + 1/2, 0)
 *
 * in cells, for max(D, 0) has the slope -1 in the liquid: V_wet is the part of the cell that is in the body
 * and below the surface. So a cell deep in the liquid lifts (c_low + c_high) / 2 - V too much, and V is what
 * a flat bottom between two planes of the grid has more or less than the sections at these planes. Summed
 * over all cells around a sunk body that is its volume on the grid less its true one
 * (stage/coupling/coupling.c has that of the whole matrix); a floating one draws up to half a cell more or
 * less by it, all of its draught where that is a cell.
 *
 * It turns the body likewise, each part about its own middle: V_wet, and what of the two faces is closed. Of
 * the other faces the cells on either side have the same depths, and what they turn cancels.
 *
 * Being local, it asks for no level of the liquid, holds for hulls with air in them, and for bodies on a
 * floor where nothing is below them. D_c is the distance to the surface, which tells the level near enough to
 * rest, where it matters; nothing here depends on it but in cells that the surface passes.
 *
 * Cells that another solid shares are left as they are, unless the body is fixed to another: then its own
 * shares count and its own distances, as the pressure there acts on both. On joints that move light bodies
 * may lie in each other, and what such cells tell would throw them.
 *
 * Limits: across the largest component of gravity alone; bodies thinner than a cell have layers instead
 * (stage/coupling/coupling.c). */
#include "stage/coupling/lift.h"

#include <math.h>
#include "core/lanes.h"
#include "grid/cut_faces.h"
#include "grid/rows.h"
#include "solid/vector.h"
#include "stage/coupling/body.h"
#include "stage/coupling/tuning.h"

typedef struct {
    const lift_view *v;
    const obstacle *solid;
    uint16_t me;
    const coupled_body *cells; /* NULL: no other solid has a share in them */
    int axis, low;             /* of `up`; whether the axis goes up */
    double per_dx;             /* 1/m */
    float near_air;            /* m: half a cell */
} job;

INLINE double larger(double a, double b) {
    return a > b ? a : b;
}
INLINE double smaller(double a, double b) {
    return a < b ? a : b;
}

/* How a box is cut by planes of one direction: the part of its width across them that each side gives, the
 * two least of these together, and what shares are multiples of. */
typedef struct plane_cut {
    double part[3], two, per_width, per_corner;
} plane_cut;

INLINE plane_cut cut_across(const double normal[3], const double side[3]) {
    plane_cut c;
    for (int a = 0; a < 3; ++a) c.part[a] = fabs(normal[a]) * side[a];
    c.per_width = 1 / (c.part[0] + c.part[1] + c.part[2]);
    for (int a = 0; a < 3; ++a) c.part[a] = larger(1e-6, c.part[a] * c.per_width);
    const double most = larger(larger(c.part[0], c.part[1]), c.part[2]);
    c.two = c.part[0] + c.part[1] + c.part[2] - most;
    c.per_corner = 1 / (6 * c.part[0] * c.part[1] * c.part[2]);
    return c;
}

INLINE double cube_above(double x) {
    return x > 0 ? x * x * x : 0;
}

/* The share of the box behind a plane `distance` before its middle: corners of the pyramid t^3 / (6 m_1 m_2
 * m_3) that stand out of the box taken off, for the smaller of the two parts. */
INLINE double share_behind(const plane_cut *c, double distance) {
    const double *m = c->part, way = 0.5 - distance * c->per_width;
    const double t = way > 1 ? 1 : way > 0 ? way : 0, less = t < 0.5 ? t : 1 - t;
    const double out = cube_above(less - m[0]) + cube_above(less - m[1]) + cube_above(less - m[2]);
    const double sum = (less * less * less - out + cube_above(less - c->two)) * c->per_corner;
    return t < 0.5 ? sum : 1 - sum;
}

enum { LIFT_SAMPLES = 8 };

/* A part of a cell, and where its middle is, from the cell's own: its moment, in cells. */
typedef struct part {
    double size, at[3];
} part;

/* Of planes at several distances, each in one half of the cell along every axis, in all. What a plane leaves
 * of a box has its middle off the box's by about (1 - share) / 2 of a side times the normal. */
INLINE part parts_behind(const plane_cut *c, const double distance[LIFT_SAMPLES], const double n[3],
                         int dim) {
    const int count = 1 << dim;
    double share[LIFT_SAMPLES], cut = 0;
    part p = {0};
    for (int i = 0; i < count; ++i) share[i] = share_behind(c, distance[i]) / count;
    for (int i = 0; i < count; ++i) {
        p.size += share[i];
        cut += share[i] * (1 - count * share[i]);
        for (int d = 0; d < dim; ++d) p.at[d] += i >> d & 1 ? 0.25 * share[i] : -0.25 * share[i];
    }
    for (int d = 0; d < dim; ++d) p.at[d] -= 0.25 * cut * n[d];
    return p;
}

/* Distances of a cell's corners from solids, in cells; bit d of an index: the upper side along axis d. */
INLINE void read_corners(double corner[LIFT_SAMPLES], const job *s, ptrdiff_t c, int dim) {
    const box *b = &s->v->g->box;
    const float *phi = s->v->node_phi + c;
    for (int i = 0; i < 1 << dim; ++i)
        corner[i] = (double)phi[(i & 1) + (i >> 1 & 1) * b->step[1] + (i >> 2) * b->step[2]] * s->per_dx;
}

/* From the body alone. */
static void own_corners(double corner[LIFT_SAMPLES], const job *s, const int at[3], int dim) {
    const mac_grid *g = s->v->g;
    for (int i = 0; i < 1 << dim; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) x[d] = g->origin[d] + g->dx * (at[d] + (d < dim ? i >> d & 1 : 0.5));
        corner[i] = obstacle_distance(s->solid, x) * s->per_dx;
    }
}

/* Distances at the middles of a cell's octants from those of its corners and of its own middle: linear in
 * each direction, and three quarters of what that lacks in the middle, as x (1 - x) has it at 1/4 and 1/2.
 * Right but for third derivatives. */
INLINE void sample_smooth(double distance[LIFT_SAMPLES], const double corner[LIFT_SAMPLES], double lacking,
                          int dim) {
    const int count = 1 << dim;
    for (int i = 0; i < count; ++i) distance[i] = corner[i];
    for (int d = 0; d < dim; ++d) {
        double across[LIFT_SAMPLES];
        for (int i = 0; i < count; ++i) across[i] = distance[i ^ 1 << d];
        for (int i = 0; i < count; ++i) distance[i] = 0.75 * distance[i] + 0.25 * across[i];
    }
    for (int i = 0; i < count; ++i) distance[i] += 0.75 * lacking;
}

/* The same of the body itself, in the lowest part of the cell, `high` of it. */
static void sample_each(double distance[LIFT_SAMPLES], const job *s, const int at[3], double high) {
    const mac_grid *g = s->v->g;
    const int dim = g->box.dim;
    for (int i = 0; i < 1 << dim; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            const double half = (i >> d & 1) ? 0.75 : 0.25, up = s->low ? high * half : 1 - high * half;
            x[d] = g->origin[d] + g->dx * (at[d] + (d >= dim ? 0.5 : d == s->axis ? up : half));
        }
        distance[i] = obstacle_distance(s->solid, x) * s->per_dx;
    }
}

/* What the mean of the corners lacks in the middle, in cells. */
INLINE double corners_lack(const double corner[LIFT_SAMPLES], const job *s, const int at[3], int dim) {
    const mac_grid *g = s->v->g;
    const int count = 1 << dim;
    double sum = 0, x[3];
    for (int i = 0; i < count; ++i) sum += corner[i];
    for (int d = 0; d < 3; ++d) x[d] = g->origin[d] + g->dx * (at[d] + 0.5);
    return obstacle_distance(s->solid, x) * s->per_dx - sum / count;
}

/* The direction in which the distance from solids grows, of length 1; that of the axis where it has none. */
INLINE void find_normal(double n[3], const double corner[LIFT_SAMPLES], int axis, int dim) {
    for (int d = 0; d < 3; ++d) n[d] = 0;
    for (int d = 0; d < dim; ++d)
        for (int i = 0; i < 1 << dim; ++i) n[d] += i >> d & 1 ? corner[i] : -corner[i];
    double size = vec_length(n);
    if (!(size > 0)) n[axis] = size = 1;
    for (int d = 0; d < 3; ++d) n[d] /= size;
}

/* The share of a cell that is solid and in its lowest part, `high` of it: of eight samples, each what a plane
 * at the body's distance would take. From distances at the cell's corners alone it would be less by what
 * curved surfaces have between these, which is as much as what is asked for. Where the body is about flat in
 * the whole cell, and no edge or other solid is near, one look at the body makes up for that. */
INLINE part solid_below(const job *s, ptrdiff_t c, const int at[3], double high, int dim, int shared) {
    double normal[3], side[3], distance[LIFT_SAMPLES], corner[LIFT_SAMPLES];
    for (int d = 0; d < 3; ++d) side[d] = d >= dim ? 0 : d == s->axis ? 0.5 * high : 0.5;
    if (shared) own_corners(corner, s, at, dim);
    else read_corners(corner, s, c, dim);
    find_normal(normal, corner, s->axis, dim);
    const double lacking = high >= 1 && !shared ? corners_lack(corner, s, at, dim) : INFINITY;
    if (fabs(lacking) <= LIFT_SMOOTH) sample_smooth(distance, corner, lacking, dim);
    else sample_each(distance, s, at, high);
    const plane_cut cut = cut_across(normal, side);
    part p = parts_behind(&cut, distance, normal, dim);
    p.size *= high;
    for (int d = 0; d < dim; ++d) p.at[d] *= high;
    return p;
}

/* Which of eight cells lift the body: faces of its own across the axis, no other solid's at all, a way out,
 * and liquid up to half a cell below the middle at least. */
INLINE unsigned lifting_of_eight(const job *s, ptrdiff_t c, int dim) {
    const openings *o = s->v->o;
    const ptrdiff_t *step = s->v->g->box.step, beyond = c + step[s->axis];
    int8 lifts = mask_equal(o->mover[s->axis] + c, s->me) | mask_equal(o->mover[s->axis] + beyond, s->me);
    if (!mask_bits(lifts)) return 0;
    int8 has_way = {0};
    for (int a = 0; a < dim; ++a)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t f = side ? c + step[a] : c;
            const vec8 open = vec8_load(o->open.value[a] + f);
            lifts &= (open >= 1) | mask_equal(o->mover[a] + f, s->me);
            has_way |= open > 0;
        }
    return mask_bits(lifts & has_way & (vec8_load(s->v->phi + c) < vec8_all(s->near_air)));
}

/* The part of a face across the axis that is closed. */
INLINE part closed_part(const job *s, ptrdiff_t face, int dim) {
    part p = {.size = 1 - (double)s->v->o->open.value[s->axis][face]};
    if (!(p.size > 0 && p.size < 1) || s->solid->body->round == ROUND_BALL) return p;
    face_closed_middle(p.at, s->v->node_phi + face, &s->v->g->box, s->axis);
    for (int d = 0; d < dim; ++d) p.at[d] *= p.size;
    return p;
}

INLINE void add_part(part *sum, const part *p, double by) {
    sum->size += by * p->size;
    for (int d = 0; d < 3; ++d) sum->at[d] += by * p->at[d];
}

/* What the body closes of a face that may be another's as well: all that is known of its place is the face's.
 */
static part own_part(const job *s, ptrdiff_t face) {
    const openings *o = s->v->o;
    for (int i = o->met.start[s->me - 1]; i < o->met.start[s->me]; ++i) {
        const met_face *f = &o->met.face[i];
        if (f->axis == s->axis && box_at(&s->v->g->box, f->at[0], f->at[1], f->at[2]) == face)
            return (part){.size = (double)f->share};
    }
    return (part){.size = o->mover[s->axis][face] == s->me ? 1 - (double)o->open.value[s->axis][face] : 0};
}

/* What the grid lifts too much in one cell and where, in cells; `area`: of the body's surface, seen from
 * below. shared: with another solid. */
INLINE part cell_excess(double *area, const job *s, ptrdiff_t c, const int at[3], int dim, int shared) {
    const double depth = -(double)s->v->phi[c] * s->per_dx;
    const ptrdiff_t step = s->v->g->box.step[s->axis], low = s->low ? c : c + step,
                    top = s->low ? c + step : c;
    const part below = shared ? own_part(s, low) : closed_part(s, low, dim),
               above = shared ? own_part(s, top) : closed_part(s, top, dim);
    const double high = smaller(1, depth + 0.5), on_grid = s->v->unknown[c] ? depth : 0;
    const part wet = solid_below(s, c, at, s->v->unknown[c] && depth >= 0.5 ? 1 : high, dim, shared);
    part more = {0};
    *area = above.size - below.size;
    add_part(&more, &below, depth + 0.5 - on_grid);
    add_part(&more, &above, on_grid - larger(0, depth - 0.5));
    add_part(&more, &wet, -1);
    return more;
}

INLINE void add_cell(lift_error *e, const job *s, ptrdiff_t c, const int at[3], int dim, int shared) {
    const mac_grid *g = s->v->g;
    const double area_of_face = g->dx * g->dx, cell = area_of_face * g->dx;
    const double *centre = s->solid->body->now->position;
    double area, up[3], arm[3], turn[3];
    const part more = cell_excess(&area, s, c, at, dim, shared);
    for (int a = 0; a < 3; ++a) { /* the arm times what is too much */
        const double middle = g->origin[a] + g->dx * (at[a] + 0.5) - centre[a];
        up[a] = s->v->up[a];
        arm[a] = cell * (more.size * middle + more.at[a] * g->dx);
    }
    if (s->solid->body->flat) arm[2] = up[2] = 0;
    vec_cross(turn, arm, up);
    for (int a = 0; a < 3; ++a) {
        e->excess[a] += cell * more.size * up[a];
        e->excess[3 + a] += turn[a];
    }
    e->waterline += area_of_face * area;
}

/* Excess in m3 and, of its place, m4; the waterline in m2. */
INLINE void add_row(lift_error *e, const job *s, const int span[2], int j, int k, int dim) {
    const mac_grid *g = s->v->g;
    for (int from = span[0]; from < span[1]; from += LANES) {
        const ptrdiff_t first = box_at(&g->box, from, j, k);
        unsigned lifting = lifting_of_eight(s, first, dim);
        if (span[1] - from < LANES) lifting &= (1u << (span[1] - from)) - 1; /* memory goes on beyond a row */
        for (; lifting; lifting &= lifting - 1) {
            const int i = from + __builtin_ctz(lifting), at[3] = {i, j, k};
            if (s->cells && coupling_is_met(s->cells, first + (i - from))) continue;
            add_cell(e, s, first + (i - from), at, dim, 0);
        }
    }
}

HOT static void add_flat_row(lift_error *e, const job *s, const int span[2], int j, int k) {
    add_row(e, s, span, j, k, 2);
}

HOT static void add_deep_row(lift_error *e, const job *s, const int span[2], int j, int k) {
    add_row(e, s, span, j, k, 3);
}

/* Of a body that is fixed to another, the cells with a pressure that another solid has a share in: those
 * between a hull and its keel. */
static void add_shared(lift_error *e, const job *s, const coupled_body *b) {
    const box *in = &s->v->g->box;
    for (int k = 0; k < b->cell_count; ++k) {
        const ptrdiff_t from = b->cells[k].cell - in->first;
        const int at[3] = {(int)(from % in->step[1]),
                           (int)((in->dim == 3 ? from % in->step[2] : from) / in->step[1]),
                           in->dim == 3 ? (int)(from / in->step[2]) : 0};
        if (!b->cells[k].met || !(s->v->phi[b->cells[k].cell] < s->near_air)) continue;
        add_cell(e, s, b->cells[k].cell, at, in->dim, 1);
    }
}

enum { CELL_CENTRES = 3 }; /* as the axis of row_in_ball() */

void lift_find(lift_error *e, const lift_view *v, const obstacle *solid, uint16_t me,
               const coupled_body *cells) {
    const mac_grid *g = v->g;
    const body *rigid = solid->body;
    job s = {.v = v,
             .solid = solid,
             .me = me,
             .cells = cells,
             .per_dx = 1 / g->dx,
             .near_air = 0.5f * (float)g->dx};
    double middle[3];
    *e = (lift_error){0};
    for (int a = 1; a < g->box.dim; ++a)
        if (fabs(v->up[a]) > fabs(v->up[s.axis])) s.axis = a;
    s.low = v->up[s.axis] > 0;
    for (int a = 0; a < 3; ++a) middle[a] = (rigid->now->position[a] - g->origin[a]) * s.per_dx;
    const cell_range r = range_in_ball(range_cells(g), g, rigid->now->position, rigid->radius);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j) {
            int span[2];
            row_in_ball(span, &r, g->box.dim, CELL_CENTRES, j, k, middle, rigid->radius * s.per_dx + 1.5);
            if (g->box.dim == 3) add_deep_row(e, &s, span, j, k);
            else add_flat_row(e, &s, span, j, k);
        }
    if (cells && cells->fixed) add_shared(e, &s, cells);
    e->waterline = fmax(0, e->waterline);
}
