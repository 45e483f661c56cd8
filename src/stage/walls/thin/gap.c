/* Gaps between a thin body and what it lies on.
 *
 * A cell holds liquid of one side of a thin wall, that on which its centre lies (stage/walls/thin/thin.c). Of
 * a board on the floor this is the upper one, and no cell is left for the film of water below: the board is
 * held by what lies on it, or the pressure does not feel it at all. But the upper side has the next cell as
 * well. So where a thick solid or a side of the domain closes a face of a cell, and a thin body crosses the
 * way from there to the cell's centre, the cell turns to the gap:
 *
 *   middle = b - skin,   open <- min(open, w) on its faces along the gap,
 *
 * with b where the body begins on that way, and w the width of the gap. The body closes the face behind the
 * centre, as it does when it has risen above that. What is left above it in the cell belongs to the next one.
 * Faces of these cells, and of those that lie in such gaps anyway, are listed for films of water to hold open
 * (stage/walls/film.c).
 *
 * Only boards, bodies that are thin as a whole, do so, and only on what pressure does not move: below cups,
 * or between two bodies, what a film does to one would have to be handed on.
 *
 * Limits: between two thin solids there is no cell to turn. A gap that is open only around an edge of what
 * the body lies on is not: there the neighbour's centre is above the body. */
#include <math.h>
#include <string.h>
#include "grid/rows.h"
#include "grid/sample.h"
#include "solid/thin.h"
#include "solid/vector.h"
#include "stage/walls/solids.h"
#include "stage/walls/meet.h"
#include "stage/walls/thin/parts.h"

enum { GAP_STEPS = 32 };
/* Cells behind what is closed at which ways begin: contacts may be a little inside. */
#define GAP_BEHIND       (GAP_BEYOND / 100.0)
#define GRAVITY_ROUNDING 1e-3 /* of gravity, along an axis: what side walls get of it by rounding */

/* ---- one way ---- */

/* From a place on a closed face inwards. */
typedef struct {
    double x[3]; /* m */
    int axis, way;
    int on_side; /* the face is one of the domain's */
} gap_start;

/* How far from the start a body begins [m]; INFINITY: not before `most`, or the start is in it. */
static double begins_at(const gap_view *v, const obstacle *solid, const gap_start *from, double most) {
    double gone = -GAP_BEHIND * v->g->dx, x[3] = {from->x[0], from->x[1], from->x[2]};
    for (int step = 0; step < GAP_STEPS && gone < most; ++step) {
        x[from->axis] = from->x[from->axis] + from->way * gone;
        const double d = obstacle_distance(solid, x);
        if (d < 1e-3 * v->g->dx) return step ? gone : INFINITY;
        gone += d;
    }
    return INFINITY;
}

/* Whether a body is thin along n as a whole: a box of that thickness has t^2 / 12 of mean squared distances
 * from its middle. */
static int is_board(const gap_view *v, const body *b, const double n[3]) {
    double inertia[9], about[3];
    body_inertia(inertia, b);
    mat_times(about, inertia, n);
    const double square = (0.5 * (inertia[0] + inertia[4] + inertia[8]) - vec_dot(n, about)) / b->mass;
    return 12 * square < GAP_THICKEST * GAP_THICKEST * v->g->dx * v->g->dx;
}

/* Whether a board lies across the way at x on its surface, not its end. */
static int lies_across(const gap_view *v, const obstacle *solid, const gap_start *from, const double x[3]) {
    double n[3], behind[3] = {x[0], x[1], x[2]};
    if (!obstacle_normal(n, solid, x, v->g->box.dim, 0.05 * v->g->dx) || !is_board(v, solid->body, n))
        return 0;
    behind[from->axis] += from->way * GAP_THICKEST * v->g->dx;
    return fabs(n[from->axis]) > GAP_ACROSS && obstacle_distance(solid, behind) > 0;
}

static double to_thick(const gap_view *v, const double x[3]) {
    float cells[3] = {0, 0, 0};
    for (int a = 0; a < v->g->box.dim; ++a) cells[a] = (float)((x[a] - v->g->origin[a]) / v->g->dx);
    return (double)sample_nodes(v->around->node_phi, v->g, cells);
}

/* Whether a body heavier than the liquid is pressed on what closes the way behind it by its weight: it rests
 * without a film, and the cell stays with the liquid that lies on it. */
static int is_pressed(const gap_view *v, const body *b, const gap_start *from) {
    const double *g = v->around->gravity;
    return b->mass > v->around->density * b->volume &&
           from->way * g[from->axis] < -GRAVITY_ROUNDING * vec_length(g);
}

typedef struct {
    double at, width; /* m: from the start to the body, and what of that is open */
    int solid;
} thin_gap;

/* Whether a body that is thick, or thin, but not `own` is within `near` [m]. */
static int has_body(const gap_view *v, const double x[3], double near, int thin, int own) {
    for (int i = 0; i < v->count; ++i) {
        const obstacle *o = &v->solids[i];
        if (i == own || !o->body || !o->thin != !thin || obstacle_is_beyond(o, x, near)) continue;
        if (obstacle_distance(o, x) < near) return 1;
    }
    return 0;
}

/* The nearest thin body over a start, if the gap below it is narrow. */
static int find_body(thin_gap *gap, const gap_view *v, const gap_start *from) {
    const double dx = v->g->dx;
    if (has_body(v, from->x, 0.5 * dx, 0, -1)) return 0;
    *gap = (thin_gap){.at = ((double)FILM_WIDE + 1) * dx};
    int any = 0;
    for (int i = 0; i < v->count; ++i) {
        const obstacle *o = &v->solids[i];
        if (!o->thin || !o->body || obstacle_is_beyond(o, from->x, gap->at)) continue;
        if (is_pressed(v, o->body, from)) continue;
        const double at = begins_at(v, o, from, gap->at);
        if (!(at < gap->at)) continue;
        double x[3] = {from->x[0], from->x[1], from->x[2]};
        x[from->axis] += from->way * at;
        const double width = from->on_side ? fmin(at, to_thick(v, x)) : to_thick(v, x);
        if (!(width < (double)FILM_WIDE * dx) || !lies_across(v, o, from, x)) continue;
        if (has_body(v, x, GAP_THICKEST * dx, 1, i)) continue;
        *gap = (thin_gap){at, width, i};
        any = 1;
    }
    return any;
}

/* ---- cells ---- */

/* At the face of cell c that a way enters it by, or at that of the cell before it. */
static gap_start start_below(const gap_view *v, const int c[3], int axis, int way, int before) {
    const mac_grid *g = v->g;
    gap_start from = {.axis = axis, .way = way};
    const int face = c[axis] + (way < 0) - way * before;
    for (int a = 0; a < 3; ++a) from.x[a] = g->origin[a] + g->dx * (a == axis ? face : c[a] + 0.5);
    from.on_side = face == 0 || face == g->box.n[axis];
    return from;
}

static int is_closed(const gap_view *v, const int c[3], int axis, int way, int before) {
    int at[3] = {c[0], c[1], c[2]};
    at[axis] += (way < 0) - way * before;
    if (at[axis] < 0 || at[axis] > v->g->box.n[axis]) return 0;
    return v->o->open.value[axis][box_at(&v->g->box, at[0], at[1], at[2])] <= 0;
}

/* The gap along one axis that the cell is in or turns to; its code, or 0. */
static int gap_along(float middle[3], const gap_view *v, const int c[3], int axis, int way) {
    const double dx = v->g->dx;
    const int before = !is_closed(v, c, axis, way, 0);
    thin_gap gap;
    if (is_closed(v, c, axis, -way, 0) || (before && !is_closed(v, c, axis, way, 1))) return 0;
    const gap_start from = start_below(v, c, axis, way, before);
    if (!find_body(&gap, v, &from)) return 0;
    if (gap.at >= (before + 0.5 + way * (double)middle[axis]) * dx) return gap_code(axis, way);
    if (before) return 0;
    memset(middle, 0, 3 * sizeof *middle);
    middle[axis] = (float)(way * (gap.at / dx - 0.5 - 1.1 * THIN_SKIN));
    return gap_code(axis, way) | GAP_TURNED;
}

int gap_of_cell(float middle[3], const gap_view *v, const int c[3]) {
    int in = 0;
    for (int a = 0; a < v->g->box.dim; ++a)
        for (int way = -1; way <= 1; way += 2) {
            const int code = gap_along(middle, v, c, a, way);
            if (code & GAP_TURNED) return code;
            if (code) in = code;
        }
    return in;
}

/* ---- faces ---- */

/* Whether a cell is on the side of thin solids that the gap is on: in it, or beside where it ends. */
static int is_below(const gap_view *v, const int c[3], int axis, int way) {
    const gap_start from = start_below(v, c, axis, way, 0);
    double start[3] = {from.x[0], from.x[1], from.x[2]}, centre[3] = {from.x[0], from.x[1], from.x[2]};
    start[axis] -= way * GAP_BEHIND * v->g->dx;
    centre[axis] += 0.5 * way * v->g->dx;
    for (int i = 0; i < v->count; ++i)
        if (v->solids[i].thin && obstacle_hides(&v->solids[i], start, centre, THIN_SKIN * v->g->dx)) return 0;
    return 1;
}

/* How wide the gap is that cell c turned to [cells], at its face `side` (-1, 1; 0: at its middle) across an
 * axis: as wide as in the cell's middle where the body does not reach that far. */
static double width_at(const gap_view *v, const int c[3], int code, int across, int side) {
    gap_start from = start_below(v, c, gap_axis(code), gap_way(code), 0);
    thin_gap gap;
    from.x[across] += 0.5 * side * v->g->dx;
    if (find_body(&gap, v, &from)) return gap.width / v->g->dx;
    return side ? width_at(v, c, code, across, 0) : 0;
}

/* Which of the two cells beside a face, by their codes, says what the face is: the first that has turned. */
static int leading(const int code[2]) {
    if (code[0] & GAP_TURNED) return 0;
    return code[1] & GAP_TURNED || !code[0];
}

int gap_at_face(float *open, const gap_view *v, const uint8_t *lies, const int high[3], int across) {
    int cell[2][3] = {{high[0], high[1], high[2]}, {high[0], high[1], high[2]}}, code[2];
    cell[0][across] -= 1;
    for (int i = 0; i < 2; ++i) code[i] = lies[box_at(&v->g->box, cell[i][0], cell[i][1], cell[i][2])];
    const int first = leading(code), lead = code[first], axis = gap_axis(lead), way = gap_way(lead);
    const int same = !((code[!first] ^ lead) & GAP_WAY);
    const int leads_on = lead && axis != across && (same || is_below(v, cell[!first], axis, way));
    if (!(lead & GAP_TURNED)) return leads_on;
    *open = leads_on ? lesser(*open, (float)width_at(v, cell[first], lead, across, first ? -1 : 1)) : 0;
    if (*open < OPEN_MIN) *open = 0;
    return leads_on;
}

/* ---- films ---- */

int gap_list_films(openings *o, thin_walls *t, const mac_grid *g) {
    const cell_range r = range_cells(g);
    for (int i = 0; i < o->met.film_count; ++i) { /* gaps of thick solids come first */
        const met_face *f = &o->met.film[i].face;
        uint8_t *along = &t->gaps.along[box_at(&g->box, f->at[0], f->at[1], f->at[2])];
        *along = (uint8_t)(*along & ~(1u << f->axis));
    }
    for (int k = 0; k < r.upper[2]; ++k)
        for (int j = 0; j < r.upper[1]; ++j)
            for (int i = 0; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&g->box, i, j, k);
                for (int a = 0; t->gaps.along[c] && a < g->box.dim; ++a)
                    if (t->gaps.along[c] >> a & 1 && solids_meet_list(o, g, (const int[3]){i, j, k}, a))
                        return -1;
            }
    return 0;
}

/* The face behind a cell in a gap, where a body ends it, is that body's, even if something else is nearer. */
static void give_face(openings *o, const thin_walls *t, const gap_view *v, const int c[3]) {
    const box *b = &v->g->box;
    const int code = t->gaps.lies[box_at(b, c[0], c[1], c[2])];
    int at[3] = {c[0], c[1], c[2]};
    thin_gap gap;
    if (!code) return;
    const int axis = gap_axis(code), way = gap_way(code);
    const int before = !(code & GAP_TURNED) && !is_closed(v, c, axis, way, 0);
    const gap_start from = start_below(v, c, axis, way, before);
    at[axis] += way > 0;
    const ptrdiff_t face = box_at(b, at[0], at[1], at[2]);
    if (o->open.value[axis][face] > 0 || at[axis] == 0 || at[axis] == b->n[axis]) return;
    if (!find_body(&gap, v, &from) || gap.at > (1.5 + before) * v->g->dx) return;
    o->mover[axis][face] = (uint16_t)(1 + gap.solid);
    note_moving(o, b, axis, at, stretch_bit(o, at[0]));
}

void thin_movers(openings *o, const thin_walls *t, const mac_grid *g, const obstacle *solids, int count,
                 const thin_around *around) {
    const gap_view v = {.g = g, .o = o, .around = around, .solids = solids, .count = count};
    for (int i = 0; i < o->met.film_count; ++i) {
        const met_face *f = &o->met.film[i].face;
        int c[3] = {f->at[0], f->at[1], f->at[2]};
        if (f->mover) continue;
        give_face(o, t, &v, c);
        c[f->axis] -= 1;
        give_face(o, t, &v, c);
    }
}
