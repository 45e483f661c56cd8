/* Water under a body that lies down.
 *
 * Pressure drives it out as long as some face under the body is open. The last half cell has none: what is
 * there would stay for ever, in a film of no height, and be missing from the level. A film between plates
 * that close on each other flows along them, away from the middle, u = V r / (2 h) (Reynolds 1886), and h = 0
 * in the end: so what is caught goes along the gap, SQUEEZE_WAY a step, until it is out of the cells whose
 * centres the solid holds and pressure and the drift correction take it on.
 *
 * With n the direction out of the solid at x and c the solid's middle, the way is (x - c) - ((x - c) . n) n.
 *
 * Limits: only gaps beside solids that move; a gap that goes around a corner is followed to the corner. */
#include "stage/squeeze.h"

#include <math.h>
#include "core/hot.h"
#include "solid/vector.h"

enum { GRAIN = 8192 };
#define NEAR 1.0 /* cells from a solid's surface: as deep as a particle is in it, or as far from it */

typedef struct {
    particles *p;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    int count;
} job;

/* The centre of a particle's cell; 0: it is in none, or in one with so much open that no solid can hold its
 * centre. */
static int find_centre(double x[3], const job *s, size_t q) {
    const box *b = &s->g->box;
    int at[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        const float x_a = s->p->x[a][q];
        if (!(x_a >= 0) || !(x_a < (float)b->n[a])) return 0;
        at[a] = (int)x_a;
    }
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    int whole = 0;
    for (int a = 0; a < b->dim; ++a) {
        whole += (s->o->open.value[a][c] >= 1) + (s->o->open.value[a][c + b->step[a]] >= 1);
        if (whole > 1) return 0; /* nearly all: after two looks */
    }
    for (int a = 0; a < 3; ++a) x[a] = s->g->origin[a] + s->g->dx * (at[a] + 0.5);
    return 1;
}

/* Whether a place is outside a closed side or in a solid other than this one. */
static int is_blocked(const job *s, const obstacle *solid, const double x[3]) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double cells = (x[a] - s->g->origin[a]) / s->g->dx;
        if ((cells < 0 && !s->o->open_wall[2 * a]) || (cells > s->g->box.n[a] && !s->o->open_wall[2 * a + 1]))
            return 1;
    }
    for (int i = 0; i < s->count; ++i)
        if (&s->solids[i] != solid && obstacle_distance(&s->solids[i], x) < 0) return 1;
    return 0;
}

/* The nearest of the solids that move, if it is near, and its distance. */
static const obstacle *nearest_mover(double *distance, const job *s, const double x[3]) {
    const obstacle *nearest = NULL;
    *distance = NEAR * s->g->dx;
    for (int i = 0; i < s->count; ++i) {
        if (s->solids[i].def->motion == RHEO_STATIC) continue;
        const double d = obstacle_distance(&s->solids[i], x);
        if (fabs(d) >= fabs(*distance)) continue;
        *distance = d;
        nearest = &s->solids[i];
    }
    return nearest;
}

static int squeeze_one(const job *s, size_t q, const double centre[3]) {
    const mac_grid *g = s->g;
    double x[3], y[3], n[3], way[3], d;
    for (int a = 0; a < 3; ++a) x[a] = g->origin[a] + g->dx * (a < g->box.dim ? (double)s->p->x[a][q] : 0.5);
    const obstacle *solid = nearest_mover(&d, s, x);
    if (!solid || obstacle_distance(solid, centre) > 0 ||
        !obstacle_normal(n, solid, x, g->box.dim, 0.01 * g->dx))
        return 0;
    for (int a = 0; a < 3; ++a) y[a] = x[a] + (SQUEEZE_GAP * g->dx - d) * n[a];
    if (!is_blocked(s, solid, y)) return 0;
    vec_sub(way, x, solid->now.position);
    if (g->box.dim == 2) way[2] = 0;
    const double across = vec_dot(way, n);
    for (int a = 0; a < 3; ++a) way[a] -= across * n[a];
    const double length = vec_length(way);
    if (!(length > 1e-6 * g->dx)) return 0;
    for (int a = 0; a < g->box.dim; ++a) s->p->x[a][q] += (float)(SQUEEZE_WAY * way[a] / length);
    return 1;
}

static double squeeze_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * GRAIN, end = from + GRAIN;
    const size_t to = end < s->p->count ? end : s->p->count;
    double moved = 0;
    for (size_t q = from; q < to; ++q) {
        double centre[3];
        if (find_centre(centre, s, q)) moved += squeeze_one(s, q, centre);
    }
    return moved;
}

int64_t squeeze_particles(particles *p, const mac_grid *g, const openings *o, const obstacle *solids,
                          int count) {
    job s = {.p = p, .g = g, .o = o, .solids = solids, .count = count};
    return (int64_t)parallel_sum(g->pool, (int)((p->count + GRAIN - 1) / GRAIN), squeeze_task, &s);
}
