/* Cells near thin walls: which are cut, where their liquid is asked for, which cells they see.
 *
 *   cut:        a wall within CUT_REACH of the centre;
 *   c sees n:   no thin solid on the straight way between their middles.
 *
 * The middle of a cell is its centre or, where that is in a wall or nearer to it than KEPT_OFF, a place just
 * outside, as long as that is in the cell; where a thin body lies on something the cell between may turn to
 * the gap (stage/walls/thin/gap.c). A pair of cells is asked in one order only, so that both get the same
 * answer. Balls about the two that cover the way between them prove it free without a march.
 *
 * Source: after Batty et al. 2007, 5, who leave walls thinner than a cell open.
 *
 * Limits: one middle a cell, whatever walls leave of it. */
#include "stage/walls/thin/parts.h"

#include <string.h>
#include "solid/vector.h"

#define MIDDLE (MIDDLE_ROOM / 100.0) /* cells from its centre: a cell's middle */

/* Distances of a row; where the solids are far, as many cells are passed over as that proves far too. */
static void distance_task(void *context, int block) {
    const thin_job *s = context;
    const mac_grid *g = s->g;
    const float cap = (float)(THIN_BAND * g->dx);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&g->box, 0, j, k);
        int near = 0;
        for (int i = 0; i < g->box.n[0]; ++i) {
            double x[3];
            cell_centre(x, g, (const int[3]){i, j, k});
            const double d = obstacles_thin_distance(s->solids, s->count, x);
            const int far =
                d > THIN_BAND * g->dx ? (int)fmin((d - THIN_BAND * g->dx) / g->dx, g->box.n[0]) : 0;
            const int end = i + far < g->box.n[0] ? i + far : g->box.n[0] - 1;
            s->t->distance[row + i] = d < (double)cap ? (float)d : cap;
            for (; i < end; ++i) s->t->distance[row + i + 1] = cap;
        }
        for (int i = 0; i < g->box.n[0]; ++i) near += s->t->distance[row + i] < (float)(CUT_REACH * g->dx);
        s->t->row_count[row_ + 1] = near;
    }
}

void thin_find_distances(thin_job *s) {
    parallel_for(s->g->pool, range_blocks(&s->range), distance_task, s);
}

/* Whether a solid goes on beside a place in it, across n: along both ways, at least on one side. Else it is
 * a rod or a ball there, which has no sides. */
static int goes_on(const thin_job *s, const obstacle *solid, const double x[3], const double n[3]) {
    const double e[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0};
    double ways[2][3], size;
    vec_cross(ways[0], n, s->g->box.dim == 3 ? e : (const double[3]){0, 0, 1});
    vec_cross(ways[1], n, ways[0]);
    for (int k = 0; k < s->g->box.dim - 1; ++k) {
        double nearest = INFINITY;
        size = vec_length(ways[k]);
        for (int side = -1; side <= 1; side += 2) {
            double y[3];
            for (int a = 0; a < 3; ++a) y[a] = x[a] + side * SIDE_STEP * s->g->dx / size * ways[k][a];
            nearest = fmin(nearest, obstacle_distance(solid, y));
        }
        if (nearest > SIDE_FOUND * s->g->dx) return 0;
    }
    return 1;
}

/* Out of a solid at `distance` to `clear` from its surface, as long as that is in the cell and no other thin
 * solid is near. */
static int clear_of(float middle[3], const thin_job *s, const obstacle *solid, const double centre[3],
                    double distance, double clear) {
    double x[3], way[3], n[3];
    if (!obstacle_normal(n, solid, centre, s->g->box.dim, 0.05 * s->g->dx)) return 0;
    for (int a = 0; a < 3; ++a) {
        way[a] = n[a] * (clear - distance);
        x[a] = centre[a] + way[a];
        if (fabs(way[a]) > MIDDLE * s->g->dx) return 0;
    }
    if (thin_distance(&s->v, x) < SKIN * s->g->dx) return 0;
    if (distance < SKIN * s->g->dx && !goes_on(s, solid, centre, n)) return 0;
    for (int a = 0; a < s->g->box.dim; ++a) middle[a] = (float)(way[a] / s->g->dx);
    return 1;
}

/* Ways along a wall a skin away would take more steps than a march has: where there is room the middle keeps
 * farther from it. */
static void find_middle(cut_cell *cell, const thin_job *s, const int c[3]) {
    double centre[3], distance;
    cell_centre(centre, s->g, c);
    memset(cell->middle, 0, sizeof cell->middle);
    const obstacle *solid = thin_nearest(&distance, &s->v, centre);
    if (!solid || distance >= KEPT_OFF * s->g->dx || shape_is_sheet(solid->shape)) return;
    if (clear_of(cell->middle, s, solid, centre, distance, KEPT_OFF * s->g->dx)) return;
    if (distance < SKIN * s->g->dx) clear_of(cell->middle, s, solid, centre, distance, 1.1 * SKIN * s->g->dx);
}

gap_view thin_gaps(const thin_job *s) {
    return (gap_view){.g = s->g, .o = s->o, .around = s->around, .solids = s->solids, .count = s->count};
}

/* Where a thin body lies on something the cell between may turn to the gap. */
static void find_gap(cut_cell *cell, const thin_job *s, const int c[3]) {
    const ptrdiff_t at = box_at(&s->g->box, c[0], c[1], c[2]);
    const gap_view v = thin_gaps(s);
    float none[3] = {0, 0, 0}, *middle = cell ? cell->middle : none;
    const int near = s->t->distance[at] < (float)(GAP_REACH * s->g->dx);
    const int code = near ? gap_of_cell(middle, &v, c) : 0;
    s->t->gaps.lies[at] = (uint8_t)code;
    if (code & GAP_TURNED)
        s->t->gaps.up[at] = (float)((double)middle[gap_axis(code)] + gap_way(code) * 1.1 * SKIN);
}

static void middle_task(void *context, int block) {
    thin_job own = *(const thin_job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        int next = s->t->row_count[row_];
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const int cut = s->t->distance[row + i] < (float)(CUT_REACH * s->g->dx);
            s->t->cut[row + i] = cut ? next : -1;
            cut_cell *cell = cut ? &s->t->cells[next++] : NULL;
            if (cell) {
                s->v.near = pick_cell(&pick, (const int[3]){i, j, k});
                find_middle(cell, s, (const int[3]){i, j, k});
            }
            if (s->around) find_gap(cell, s, (const int[3]){i, j, k});
        }
    }
}

void thin_find_middles(thin_job *s) {
    parallel_for(s->g->pool, range_blocks(&s->range), middle_task, s);
}

/* A pair is asked in one order only, so that both cells get the same answer. Balls about the two centres that
 * cover the way between them prove it free without a march. */
static uint32_t look_around(const thin_job *s, const int c[3]) {
    const box *b = &s->g->box;
    const ptrdiff_t at = box_at(b, c[0], c[1], c[2]);
    const double skin = SKIN * s->g->dx;
    uint32_t sees = SIGHT_ALL;
    double x[3];
    thin_middle_of(x, &s->v, c);
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        const int to[3] = {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
        if (dir == SELF || (b->dim == 2 && d[2]) || !is_inside(b, to[0], to[1], to[2])) continue;
        const double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])) * s->g->dx;
        const double here = thin_free_around(&s->v, at),
                     there = thin_free_around(&s->v, at + step_of(b, dir));
        if (here > skin && there > skin && here + there > length + 2 * skin) continue;
        double y[3];
        thin_middle_of(y, &s->v, to);
        if (dir > SELF ? thin_is_hidden(&s->v, x, y) : thin_is_hidden(&s->v, y, x)) sees &= ~(1u << dir);
    }
    return sees;
}

static void sees_task(void *context, int block) {
    thin_job own = *(const thin_job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    const float reach = (float)(1.74 * s->g->dx);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            s->t->sees[row + i] = SIGHT_ALL;
            if (!(s->t->distance[row + i] < reach)) continue;
            s->v.near = pick_cell(&pick, (const int[3]){i, j, k});
            s->t->sees[row + i] = look_around(s, (const int[3]){i, j, k});
        }
    }
}

void thin_find_sight(thin_job *s) {
    parallel_for(s->g->pool, range_blocks(&s->range), sees_task, s);
}
