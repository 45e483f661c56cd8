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
 * over all cells around a sunk body that is its volume on the grid less its true one (stage/coupling.c has
 * that of the whole matrix); a floating one draws up to half a cell more or less by it, all of its draught
 * where that is a cell.
 *
 * Being local, it asks for no level of the liquid, holds for hulls with air in them, and for bodies on a
 * floor where nothing is below them. D_c is the distance to the surface, which tells the level near enough to
 * rest, where it matters; nothing here depends on it but in cells that the surface passes.
 *
 * Limits: across the largest component of gravity alone; cells that another solid shares are left as they
 * are; bodies thinner than a cell have layers instead (stage/coupling.c). */
#include "stage/coupling_lift.h"

#include <math.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "solid/vector.h"

typedef struct {
    const lift_view *v;
    const obstacle *solid;
    uint16_t me;
    int axis, low; /* of `up`; whether the axis goes up */
} job;

/* How a box is cut by planes of one direction: the part of its width across them that each side gives, the
 * least first, and that width. */
typedef struct plane_cut {
    double part[3], width;
} plane_cut;

static plane_cut cut_across(const double normal[3], const double side[3]) {
    plane_cut c = {.width = 0};
    for (int a = 0; a < 3; ++a) c.width += c.part[a] = fabs(normal[a]) * side[a];
    for (int a = 0; a < 3; ++a) c.part[a] = fmax(1e-6, c.part[a] / c.width);
    for (int pass = 0; pass < 2; ++pass)
        for (int a = 0; a < 2; ++a)
            if (c.part[a] > c.part[a + 1]) {
                const double swap = c.part[a];
                c.part[a] = c.part[a + 1];
                c.part[a + 1] = swap;
            }
    return c;
}

INLINE double cube_above(double x) {
    return x > 0 ? x * x * x : 0;
}

/* The share of the box behind a plane `distance` before its middle: corners of the pyramid t^3 / (6 m_1 m_2
 * m_3) that stand out of the box taken off, for the smaller of the two parts. */
INLINE double share_behind(const plane_cut *c, double distance) {
    const double *m = c->part, way = 0.5 - distance / c->width;
    const double t = way > 1 ? 1 : way > 0 ? way : 0, less = t < 0.5 ? t : 1 - t;
    const double out = cube_above(less - m[0]) + cube_above(less - m[1]) + cube_above(less - m[2]);
    const double sum = (less * less * less - out + cube_above(less - m[0] - m[1])) / (6 * m[0] * m[1] * m[2]);
    return t < 0.5 ? sum : 1 - sum;
}

enum { SAMPLES = 8 };
static const double SMOOTH = 0.05; /* cells: what a ball of five cells bends in one */

/* Of planes at several distances, in all. */
HOT static double shares_behind(const plane_cut *c, const double distance[SAMPLES], int count) {
    double share[SAMPLES], sum = 0;
    for (int i = 0; i < SAMPLES; ++i) share[i] = share_behind(c, distance[i]);
    for (int i = 0; i < count; ++i) sum += share[i];
    return sum;
}

/* Distances of a cell's corners, in cells; bit d of an index: the upper side along axis d. */
static void read_corners(double corner[SAMPLES], const job *s, const int at[3]) {
    const box *b = &s->v->g->box;
    const float *phi = s->v->node_phi + box_at(b, at[0], at[1], at[2]);
    for (int i = 0; i < 1 << b->dim; ++i)
        corner[i] = (double)phi[(i & 1) + (i >> 1 & 1) * b->step[1] + (i >> 2) * b->step[2]] / s->v->g->dx;
}

/* Distances at the middles of a cell's octants from those of its corners and of its own middle: linear in
 * each direction, and three quarters of what that lacks in the middle, as x (1 - x) has it at 1/4 and 1/2.
 * Right but for third derivatives. */
static void sample_smooth(double distance[SAMPLES], const double corner[SAMPLES], double lacking, int dim) {
    const int count = 1 << dim;
    for (int i = 0; i < count; ++i) distance[i] = corner[i];
    for (int d = 0; d < dim; ++d)
        for (int i = 0; i < count; ++i) {
            const int other = i ^ 1 << d;
            if (other < i) continue;
            const double low = distance[i], high = distance[other];
            distance[i] = 0.75 * low + 0.25 * high;
            distance[other] = 0.25 * low + 0.75 * high;
        }
    for (int i = 0; i < count; ++i) distance[i] += 0.75 * lacking;
}

/* The same of the body itself, in the lowest part of the cell, `high` of it. */
static void sample_each(double distance[SAMPLES], const job *s, const int at[3], double high) {
    const mac_grid *g = s->v->g;
    const int dim = g->box.dim;
    for (int i = 0; i < 1 << dim; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            const double half = (i >> d & 1) ? 0.75 : 0.25, up = s->low ? high * half : 1 - high * half;
            x[d] = g->origin[d] + g->dx * (at[d] + (d >= dim ? 0.5 : d == s->axis ? up : half));
        }
        distance[i] = obstacle_distance(s->solid, x) / g->dx;
    }
}

/* What the mean of the corners lacks in the middle, in cells. */
static double corners_lack(const double corner[SAMPLES], const job *s, const int at[3]) {
    const mac_grid *g = s->v->g;
    const int dim = g->box.dim, count = 1 << dim;
    double mean = 0, x[3];
    for (int i = 0; i < count; ++i) mean += corner[i] / count;
    for (int d = 0; d < 3; ++d) x[d] = g->origin[d] + g->dx * (at[d] + 0.5);
    return obstacle_distance(s->solid, x) / g->dx - mean;
}

/* The share of a cell that is solid and in its lowest part, `high` of it: of eight samples, each what a plane
 * at the body's distance would take. From distances at the cell's corners alone it would be less by what
 * curved surfaces have between these, which is as much as what is asked for. Where the body is about flat in
 * the whole cell, and no edge or other solid is near, one look at the body makes up for that. */
static double solid_below(const job *s, const int at[3], const double normal[3], double high) {
    const int dim = s->v->g->box.dim, a = s->axis, count = 1 << dim;
    double side[3], distance[SAMPLES] = {0}, corner[SAMPLES], lacking = INFINITY;
    for (int d = 0; d < 3; ++d) side[d] = 0.5 * (d >= dim ? 0 : d == a ? high : 1);
    if (high >= 1) {
        read_corners(corner, s, at);
        lacking = corners_lack(corner, s, at);
    }
    if (fabs(lacking) <= SMOOTH) sample_smooth(distance, corner, lacking, dim);
    else sample_each(distance, s, at, high);
    const plane_cut cut = cut_across(normal, side);
    return high * shares_behind(&cut, distance, count) / count;
}

/* Whether the solids that close faces of a cell are this body alone. */
static int is_mine(const job *s, ptrdiff_t c) {
    const openings *o = s->v->o;
    int mine = 1;
    for (int a = 0; a < s->v->g->box.dim; ++a)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t f = c + (side ? s->v->g->box.step[a] : 0);
            mine &= (o->open.value[a][f] >= 1) | (o->mover[a][f] == s->me);
        }
    return mine;
}

static int has_way_out(const job *s, ptrdiff_t c) {
    float sum = 0;
    for (int a = 0; a < s->v->g->box.dim; ++a)
        sum += s->v->o->open.value[a][c] + s->v->o->open.value[a][c + s->v->g->box.step[a]];
    return sum > 0;
}

/* The direction in which the distance from solids grows, of length 1; that of the axis where it has none. */
static void find_normal(double n[3], const job *s, ptrdiff_t c) {
    const box *b = &s->v->g->box;
    double size = 0;
    for (int d = 0; d < 3; ++d) n[d] = 0;
    for (int i = 0; i < 1 << b->dim; ++i) {
        const ptrdiff_t at = c + (i & 1) + (i >> 1 & 1) * b->step[1] + (i >> 2) * b->step[2];
        for (int d = 0; d < b->dim; ++d) n[d] += (i >> d & 1 ? 1 : -1) * (double)s->v->node_phi[at];
    }
    size = vec_length(n);
    if (!(size > 0)) n[s->axis] = size = 1;
    for (int d = 0; d < 3; ++d) n[d] /= size;
}

/* What the grid lifts too much in one cell, in cells; `area`: of the body's surface, seen from below. */
static double cell_excess(double *area, const job *s, const int at[3]) {
    const box *b = &s->v->g->box;
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    const double depth = -(double)s->v->phi[c] / s->v->g->dx;
    const float *open = s->v->o->open.value[s->axis];
    const double below = 1 - (double)open[s->low ? c : c + b->step[s->axis]],
                 above = 1 - (double)open[s->low ? c + b->step[s->axis] : c];
    double normal[3];
    *area = 0;
    if (!(depth > -0.5) || !has_way_out(s, c) || !is_mine(s, c)) return 0;
    *area = above - below;
    find_normal(normal, s, c);
    if (s->v->unknown[c] && depth >= 0.5) return 0.5 * (below + above) - solid_below(s, at, normal, 1);
    const double high = fmin(1, depth + 0.5), on_grid = s->v->unknown[c] ? depth * (above - below) : 0;
    return on_grid + below * (depth + 0.5) - above * fmax(0, depth - 0.5) - solid_below(s, at, normal, high);
}

/* Whether a row of cells has faces of the body across the axis at all. */
HOT static int has_faces(const uint16_t *first, const uint16_t *second, uint16_t me, int count) {
    int any = 0;
    for (int i = 0; i < count; ++i) any |= (first[i] == me) | (second[i] == me);
    return any;
}

static void add_row(lift_error *e, const job *s, int j, int k, const int span[2]) {
    const mac_grid *g = s->v->g;
    const ptrdiff_t row = box_at(&g->box, 0, j, k);
    const uint16_t *first = s->v->o->mover[s->axis] + row, *second = first + g->box.step[s->axis];
    if (!has_faces(first + span[0], second + span[0], s->me, span[1] - span[0])) return;
    const double cell = pow(g->dx, 3), *centre = s->solid->body->now->position;
    for (int i = span[0]; i < span[1]; ++i) {
        if (first[i] != s->me && second[i] != s->me) continue;
        double area, force[3], arm[3], turn[3];
        const double more = cell * cell_excess(&area, s, (const int[3]){i, j, k});
        const double x[3] = {i + 0.5, j + 0.5, k + 0.5};
        for (int a = 0; a < 3; ++a) {
            force[a] = more * s->v->up[a];
            arm[a] = g->origin[a] + g->dx * x[a] - centre[a];
        }
        if (s->solid->body->flat) arm[2] = force[2] = 0;
        vec_cross(turn, arm, force);
        for (int a = 0; a < 3; ++a) {
            e->excess[a] += force[a];
            e->excess[3 + a] += turn[a];
        }
        e->waterline += g->dx * g->dx * area;
    }
}

void lift_find(lift_error *e, const lift_view *v, const obstacle *solid, uint16_t me) {
    const mac_grid *g = v->g;
    const body *rigid = solid->body;
    job s = {.v = v, .solid = solid, .me = me};
    *e = (lift_error){0};
    for (int a = 1; a < g->box.dim; ++a)
        if (fabs(v->up[a]) > fabs(v->up[s.axis])) s.axis = a;
    s.low = v->up[s.axis] > 0;
    const cell_range r = range_in_ball(range_cells(g), g, rigid->now->position, rigid->radius);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            add_row(e, &s, j, k, (const int[2]){r.lower[0], r.upper[0]});
    e->waterline = fmax(0, e->waterline);
}
