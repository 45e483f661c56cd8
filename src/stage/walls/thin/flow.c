/* Thin walls and what moves: particles stay on their side, velocity on closed faces follows the wall, the
 * drawn surface ends at it.
 *
 *   u <- u - ((u - w) . n) n   on faces that a wall closes, w the wall's velocity, n across it
 *
 * n is the direction in which the distance grows at that one of the two cells' centres which is farther away:
 * in the middle of a wall it has none. Particles are traced by solid/thin.c after every move; those that no
 * wall can have met in a step are told by the distance of their cell.
 *
 * Limits: a particle between two thin solids that close on each other stays with the one asked last. */
#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "solid/thin.h"
#include "solid/vector.h"
#include "stage/walls/thin/parts.h"

enum { THIN_GRAIN = 1024, PASSES = 3 };
#define SIDE_MARGIN 2e-3f /* cells kept from closed sides, twice the margin of stage/walls/boundary.c */

typedef struct {
    const thin_walls *t;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    int count, axis;
    particles *p;
    uint8_t *keep;
    const double *swept; /* m, a solid: how far its surface moved in the step, at most */
    mac_field *u;
    float *const *scratch;
    const float *phi;
    float *drawn;
    cell_range range;
} job;

/* ---- particles ---- */

int thin_remember(thin_walls *t, const mac_grid *g, const particles *p, const obstacle *solids, int count) {
    if (t->was_capacity < p->count) {
        for (int a = 0; a < g->box.dim; ++a) {
            mem_free(t->was[a]);
            t->was[a] = mem_alloc(p->capacity * sizeof **t->was);
            if (!t->was[a]) {
                t->was_capacity = 0;
                return -1;
            }
        }
        t->was_capacity = p->capacity;
    }
    for (int a = 0; a < g->box.dim; ++a) memcpy(t->was[a], p->x[a], p->count * sizeof **t->was);
    for (int i = 0; i < count; ++i) t->then[i] = solids[i].now;
    return 0;
}

double thin_swept(const obstacle *o, const placement *then, double band) {
    if (o->def->motion == RHEO_STATIC) return 0;
    double lower[3], upper[3], radius = 0, shift[3], turn = 0;
    shape_bounds(lower, upper, o->shape);
    for (int a = 0; a < 3; ++a) {
        const double side = upper[a] - lower[a];
        radius += isfinite(side) ? 0.25 * side * side : 0;
    }
    vec_sub(shift, o->now.position, then->position);
    for (int e = 0; e < 9; ++e) {
        const double d = o->now.rotation[e] - then->rotation[e];
        turn += d * d;
    }
    return vec_length(shift) + sqrt(turn) * (sqrt(radius) + band);
}

/* A spray particle keeps only the velocity along or away from the wall. */
static void bounce(const job *s, size_t q, const obstacle *o, const double x[3], const double n[3]) {
    particles *p = s->p;
    double w[3] = {0, 0, 0}, into = 0;
    if (o->def->motion != RHEO_STATIC) placement_velocity(w, &o->now, x);
    for (int a = 0; a < p->dim; ++a) into += ((double)p->v[a][q] - w[a]) * n[a];
    if (into < 0)
        for (int a = 0; a < p->dim; ++a) p->v[a][q] -= (float)(into * n[a]);
}

/* Back inside the closed sides, if a wall pushed it out: there is nowhere else to go. */
static void put(const job *s, size_t q, const double x[3]) {
    for (int a = 0; a < s->p->dim; ++a) {
        float cells = (float)((x[a] - s->g->origin[a]) / s->g->dx);
        const float high = (float)s->g->box.n[a] - SIDE_MARGIN;
        if (!(cells >= SIDE_MARGIN)) cells = SIDE_MARGIN;
        s->p->x[a][q] = cells <= high ? cells : high;
    }
}

static int hold_one(const job *s, size_t q) {
    const mac_grid *g = s->g;
    double cells[3] = {0, 0, 0}, old[3] = {0, 0, 0}, from[3], to[3], way = 0, normal[3];
    int at[3] = {0, 0, 0}, touches = 0;
    for (int a = 0; a < g->box.dim; ++a) {
        cells[a] = (double)s->p->x[a][q];
        old[a] = (double)s->t->was[a][q];
        way += (cells[a] - old[a]) * (cells[a] - old[a]);
        const int i = (int)cells[a];
        at[a] = i < 0 ? 0 : i < g->box.n[a] ? i : g->box.n[a] - 1;
    }
    const double near = (double)s->t->distance[box_at(&g->box, at[0], at[1], at[2])];
    const double reach = (sqrt(way) + 0.87 + 2 * THIN_SKIN) * g->dx;
    mac_place(from, g, old[0], old[1], old[2]);
    mac_place(to, g, cells[0], cells[1], cells[2]);
    for (int pass = 0; pass < PASSES; ++pass) {
        int touched = 0;
        for (int i = 0; i < s->count; ++i) {
            const double band = reach + s->swept[i];
            if (!s->solids[i].thin || (near > band && band < 3.9 * g->dx)) continue;
            if (!obstacle_block_path(to, normal, &s->solids[i], &s->t->then[i], from, THIN_SKIN * g->dx))
                continue;
            if (s->p->spray[q]) bounce(s, q, &s->solids[i], to, normal);
            ++touched;
        }
        touches += touched;
        if (touched == 0 || s->t->count == 1) break;
    }
    if (touches) put(s, q, to);
    return touches > 0;
}

static double hold_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * THIN_GRAIN,
                 to = from + THIN_GRAIN < s->p->count ? from + THIN_GRAIN : s->p->count;
    double touches = 0;
    for (size_t q = from; q < to; ++q) touches += hold_one(s, q);
    return touches;
}

int64_t thin_keep_sides(particles *p, thin_walls *t, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.t = t, .g = g, .solids = solids, .count = count, .p = p, .swept = t->swept};
    for (int i = 0; i < count; ++i) t->swept[i] = thin_swept(&solids[i], &t->then[i], THIN_BAND * g->dx);
    return (int64_t)parallel_sum(g->pool, block_count((long)p->count, THIN_GRAIN), hold_task, &s);
}

static void reject_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * THIN_GRAIN,
                 to = from + THIN_GRAIN < s->p->count ? from + THIN_GRAIN : s->p->count;
    for (size_t q = from; q < to; ++q) {
        double cells[3] = {0, 0, 0}, x[3];
        for (int a = 0; a < s->p->dim; ++a) cells[a] = (double)s->p->x[a][q];
        mac_place(x, s->g, cells[0], cells[1], cells[2]);
        s->keep[q] = obstacles_thin_distance(s->solids, s->count, x) >= THIN_SKIN * s->g->dx;
    }
}

void thin_reject(uint8_t *keep, const mac_grid *g, particles *p, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .p = p, .keep = keep};
    parallel_for(g->pool, block_count((long)p->count, THIN_GRAIN), reject_task, &s);
}

/* ---- velocity ---- */

/* The thin solid nearest to x, or NULL. */
static const obstacle *nearest_wall(const job *s, const double x[3]) {
    const picked_solids all = {.all = s->solids, .count = s->count};
    double distance;
    return picked_nearest(&distance, &all, x);
}

static double gradient(double n[3], const job *s, const obstacle *wall, const double x[3]) {
    const double step = 0.05 * s->g->dx;
    double size = 0;
    for (int a = 0; a < 3; ++a) n[a] = 0;
    for (int a = 0; a < s->g->box.dim; ++a) {
        double h[3] = {x[0], x[1], x[2]}, l[3] = {x[0], x[1], x[2]};
        h[a] += step;
        l[a] -= step;
        n[a] = obstacle_distance(wall, h) - obstacle_distance(wall, l);
        size += n[a] * n[a];
    }
    return size;
}

INLINE int is_closed(const job *s, ptrdiff_t c) {
    const ptrdiff_t low = c - s->g->box.step[s->axis];
    static const int over[3] = {14, 16, 22}; /* the cell ahead along an axis, of 27 */
    return s->o->open.value[s->axis][c] <= 0 && !(s->t->sees[low] >> over[s->axis] & 1);
}

static float slide(const job *s, const int c[3]) {
    const mac_grid *g = s->g;
    const int a = s->axis, dim = g->box.dim;
    const ptrdiff_t at = box_at(&g->box, c[0], c[1], c[2]), low = at - g->box.step[a];
    double cells[3], x[3], y[3], n[3], w[3] = {0, 0, 0}, into = 0;
    float here[3] = {0, 0, 0}, u[3];
    for (int e = 0; e < 3; ++e) cells[e] = c[e] + (e != a) * 0.5;
    for (int e = 0; e < dim; ++e) here[e] = (float)cells[e];
    mac_place(x, g, cells[0], cells[1], cells[2]);
    cells[a] += s->t->distance[at] > s->t->distance[low] ? 0.5 : -0.5;
    mac_place(y, g, cells[0], cells[1], cells[2]);
    const obstacle *wall = nearest_wall(s, x);
    const double size = gradient(n, s, wall, y);
    if (!(size > 0)) return s->u->value[a][at];
    sample_faces(u, s->u, g, here);
    if (wall->def->motion != RHEO_STATIC) placement_velocity(w, &wall->now, x);
    for (int e = 0; e < dim; ++e) into += ((double)u[e] - w[e]) * n[e];
    return u[a] - (float)(into * n[a] / size);
}

static void slide_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (is_closed(s, c)) s->scratch[s->axis][c] = slide(s, (const int[3]){i, j, k});
        }
    }
}

static void copy_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (is_closed(s, c)) s->u->value[s->axis][c] = s->scratch[s->axis][c];
        }
    }
}

void thin_constrain(mac_field *u, float *const scratch[3], const thin_walls *t, const mac_grid *g,
                    const openings *o, const obstacle *solids, int count) {
    job s = {.t = t, .g = g, .o = o, .solids = solids, .count = count, .u = u, .scratch = scratch};
    for (int round = 0; round < 2; ++round) /* all components are read before one is written */
        for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
            s.range = range_faces(g, s.axis);
            s.range.lower[s.axis] += 1;
            s.range.upper[s.axis] -= 1;
            parallel_for(g->pool, range_blocks(&s.range), round ? copy_task : slide_task, &s);
        }
}

/* ---- the drawn surface ---- */

/* Between a wet cell and a dry one behind a wall the surface is the wall's wet side. Wet cells take their
 * distance from the wall. A dry one takes what is left of the way between them, dx cos - gap, so that the
 * zero between the two samples falls on that side; dx cos is the difference of two distances on the wet side.
 * Cells inside a wall are dry. */
static void draw_cell(const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    static const int across[6] = {12, 14, 10, 16, 4, 22};
    const float *distance = s->t->distance, phi = s->phi[c];
    float behind = -1;
    int dry = 0;
    if (distance[c] <= 0) {
        s->drawn[c] = fmaxf(s->drawn[c], -distance[c]);
        return;
    }
    for (int d = 0; d < 2 * b->dim; ++d) {
        const ptrdiff_t step = d % 2 ? b->step[d / 2] : -b->step[d / 2], n = c + step;
        if (s->t->sees[c] >> across[d] & 1) continue;
        if (distance[n] <= 0 || s->phi[n] >= 0) dry = 1;
        else behind = fmaxf(behind, fmaxf(distance[n + step] - 2 * distance[n], distance[c]));
    }
    if (phi < 0 && dry) s->drawn[c] = fmaxf(s->drawn[c], -distance[c]);
    if (phi >= 0 && behind >= 0) s->drawn[c] = fminf(s->drawn[c], behind);
}

static void drawn_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i)
            if (s->t->distance[row + i] < (float)s->g->dx) draw_cell(s, row + i);
    }
}

void thin_drawn(float *drawn, const thin_walls *t, const mac_grid *g, const float *phi) {
    job s = {.t = t, .g = g, .phi = phi, .drawn = drawn, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), drawn_task, &s);
}
