/* Which thin solids a cell has to ask.
 *
 * A solid's distance f changes at most as fast as its argument moves, so what is f(c) from the middle of a
 * cell is at least f(c) - |x - c| from x. What is asked about a cell, about its faces and the ways to its
 * neighbours, is asked within PICK_REACH of its middle; a solid farther away than that changes no answer: it
 * is not the nearest, and marches past it (solid/thin.c) are never stopped by it. A stretch of a row is asked
 * about in the same manner before its cells are.
 *
 * f is the shape's own and not that of the ball around it: where shapes are combined or stretched f may be
 * less than what the ball shows, and marches go by f.
 *
 * Limits: where more than PICKS are near, all are asked. */
#include <assert.h>
#include <math.h>
#include "solid/thin.h"
#include "stage/walls/thin/parts.h"

enum { PICK_REACH = 3, SPAN = 8 }; /* cells: from a cell's middle; of a stretch */
_Static_assert(3 * (100 + MIDDLE_MOST) * (100 + MIDDLE_MOST) <
                   (100 * PICK_REACH - MIDDLE_SKIN) * (100 * PICK_REACH - MIDDLE_SKIN),
               "middles of the cells around, and a skin, are within PICK_REACH");

void pick_begin(thin_pick *p, const mac_grid *g, const obstacle *all, int count) {
    *p = (thin_pick){.g = g, .all = all, .all_count = count, .span_at = {-1, -1, -1}};
}

/* The thin ones of `from` within `reach` of x; their number, -1: there is no room for them. */
static int pick_near(const obstacle *picked[PICKS], const obstacle *const *from, const obstacle *all,
                     int count, const double x[3], double reach) {
    int n = 0;
    for (int i = 0; i < count; ++i) {
        const obstacle *o = from ? from[i] : &all[i];
        if (!o->thin || obstacle_bare_distance(o, x) > reach) continue;
        if (n == PICKS) return -1;
        picked[n++] = o;
    }
    return n;
}

static void pick_span(thin_pick *p, const int at[3]) {
    double x[3];
    if (at[0] == p->span_at[0] && at[1] == p->span_at[1] && at[2] == p->span_at[2]) return;
    for (int a = 0; a < 3; ++a) p->span_at[a] = at[a];
    mac_place(x, p->g, at[0] * SPAN + 0.5 * (SPAN - 1) + 0.5, at[1] + 0.5, at[2] + 0.5);
    p->span_count = pick_near(p->span, NULL, p->all, p->all_count, x, (PICK_REACH + 0.5 * SPAN) * p->g->dx);
}

picked_solids pick_cell(thin_pick *p, const int c[3]) {
    double x[3];
    pick_span(p, (const int[3]){c[0] / SPAN, c[1], c[2]});
    mac_place(x, p->g, c[0] + 0.5, c[1] + 0.5, c[2] + 0.5);
    const int whole = p->span_count < 0;
    const int n = pick_near(p->cell, whole ? NULL : p->span, p->all, whole ? p->all_count : p->span_count, x,
                            PICK_REACH * p->g->dx);
    return n < 0 ? (picked_solids){.all = p->all, .count = p->all_count} : (picked_solids){p->cell, NULL, n};
}

static const obstacle *picked_at(const picked_solids *p, int i) {
    return p->near ? p->near[i] : &p->all[i];
}

int picked_hide(const picked_solids *p, const double from[3], const double to[3], double skin) {
    assert(p->near || p->all);
    for (int i = 0; i < p->count; ++i) {
        const obstacle *o = picked_at(p, i);
        if (o->thin && obstacle_hides(o, from, to, skin)) return 1;
    }
    return 0;
}

const obstacle *picked_nearest(double *distance, const picked_solids *p, const double x[3]) {
    const obstacle *nearest = NULL;
    assert(p->near || p->all);
    *distance = INFINITY;
    for (int i = 0; i < p->count; ++i) {
        const obstacle *o = picked_at(p, i);
        if (!o->thin || obstacle_is_beyond(o, x, *distance)) continue;
        const double d = obstacle_distance(o, x);
        if (d >= *distance) continue;
        *distance = d;
        nearest = o;
    }
    return nearest;
}
