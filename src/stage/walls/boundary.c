/* Boundary conditions on particles: out of solids, inside closed sides, around periodic ones.
 *
 *   h = min(1, density of the cell / READS),   particle p of spray stays u_p h cells off a closed side,
 *
 * u_p in [0, 1) by its number: it lands on the film that lies there and not under it, and particles without
 * pressure fill a film of their own volume (all of them on the side itself would be one layer, which nothing
 * on the grid could lift, as velocities across a side are 0 on it).
 *
 * Out of a solid the nearest surface leads, unless the particle came in through another one: more than half
 * through a wall it would be let out behind it. So the straight way of the step is walked in the sampled
 * distance d (steps of d, which nothing can lie nearer than, and WAY_STEP_LEAST near surfaces), and what has
 * passed the middle of a wall, or all of it, is put back where the way goes in. Spray moves straight; liquid
 * goes around corners, so that it must have been deeper inside and on the opposite side.
 *
 * Source: Sommer 2018, rescue from solids; docs/decisions/0019-films-of-spray.md.
 *
 * Limits: walls of at least two cells, others are stage/walls/thin's; places of moving solids are those after
 * the step, and a way that begins in one is not walked. */
#include "stage/walls/boundary.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/random.h"
#include "grid/sample.h"
#include "grid/wrap.h"
#include "stage/walls/tuning.h"

enum { BOUNDARY_GRAIN = 8192, RESCUE_TRIES = 3, LOOKS = 5, GROUP = PARTICLE_GROUP };
#define MARGIN 1e-3f /* cells kept from closed sides: room for rounding at a few hundred cells */
/* Cells from a solid\'s surface to a node, so that all nodes of its cells are outside. */
#define NODES_CLEAR 1.75f
/* The density of a cell beside a side that holds a film of h cells, of h: (3/2 + h) / (5/2) up to h = 1/2 in
 * 3D, as stage/surface/surface.c weighs particles near a face of the cell less than those in its middle; 2D
 * is close.
 */
#define READS 0.75f

typedef struct {
    particles *p;
    uint8_t *keep;
    int marked;
    const mac_grid *g;
    const openings *o;
    const float *solid; /* NULL: none */
    const float *before[3];
    const float *density; /* of cells, before the step; NULL: spray lands on the sides */
} job;

/* A spray particle keeps only the velocity along or away from the surface with outward normal n, which moves
 * with w. */
static void bounce(particles *p, size_t q, const float n[3], const float w[3]) {
    float into = 0;
    for (int a = 0; a < p->dim; ++a) into += (p->v[a][q] - w[a]) * n[a];
    if (into < 0)
        for (int a = 0; a < p->dim; ++a) p->v[a][q] -= into * n[a];
}

/* How thick a film lies where a spray particle has come to, in cells; one beyond a side lands in the cell at
 * it, whatever its place is (a NaN as well). Periodic axes were wrapped when it moved. */
static float film_under(const job *s, size_t q) {
    const box *b = &s->g->box;
    int at[3] = {0, 0, 0};
    if (!s->density || !s->p->spray[q]) return 0;
    for (int a = 0; a < b->dim; ++a) {
        const float x = s->p->x[a][q];
        at[a] = !(x >= 0) ? 0 : x < (float)b->n[a] ? (int)x : b->n[a] - 1;
    }
    return fminf(s->density[box_at(b, at[0], at[1], at[2])] / READS, THICKEST);
}

/* How far off a side a particle stays in a film. A place of its own across each axis: in an edge of the
 * domain all would lie on a diagonal otherwise. */
static float place_in_film(const job *s, size_t q, float film, int axis) {
    enum { PLACES = 19 }; /* random numbers of this purpose */
    return film > 0 ? film * random_unit(PLACES, s->p->id[q], (uint64_t)axis) : 0;
}

/* Distance below the solid's surface and the way out, in cells; 0 when there is none. */
static float way_out(float n[3], const job *s, const float x[3]) {
    const int dim = s->g->box.dim;
    float size = 0;
    for (int a = 0; a < dim; ++a) {
        float h[3] = {x[0], x[1], x[2]}, l[3] = {x[0], x[1], x[2]};
        h[a] += 0.5f;
        l[a] -= 0.5f;
        n[a] = sample_nodes(s->solid, s->g, h) - sample_nodes(s->solid, s->g, l);
        size += n[a] * n[a];
    }
    size = sqrtf(size);
    for (int a = 0; a < dim && size > 0; ++a) n[a] /= size;
    const float depth = -sample_nodes(s->solid, s->g, x) / (float)s->g->dx;
    return size > 0 && depth > 0 ? depth : 0;
}

/* The closed side that the way out leads through (2 axis + side), or -1: the surface of a solid that stands
 * on the floor goes on below it, and is no way out. */
static int blocked_by(const job *s, const float x[3], const float n[3], float depth) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const float to_side = n[a] < 0 ? x[a] : (float)s->g->box.n[a] - x[a];
        const int side = 2 * a + (n[a] > 0);
        if (fabsf(n[a]) > 0.5f && to_side < depth + CLEARANCE + MARGIN && !s->o->open_wall[side]) return side;
    }
    return -1;
}

/* The straight way of a particle in this step. */
typedef struct {
    float from[3], along[3], length; /* cells; along: of length 1 */
} straight;

INLINE straight way_of(const job *s, size_t q) {
    straight w = {.length = 0};
    for (int a = 0; a < s->p->dim; ++a) {
        const float n = (float)s->g->box.n[a];
        float moved = s->p->x[a][q] - s->before[a][q];
        if (s->g->box.periodic[a]) moved += moved > 0.5f * n ? -n : moved < -0.5f * n ? n : 0;
        w.from[a] = s->p->x[a][q] - moved;
        w.along[a] = moved;
        w.length += moved * moved;
    }
    w.length = sqrtf(w.length);
    return w;
}

static void place_on(float x[3], const job *s, const straight *w, float gone) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        x[a] = w->from[a] + gone * w->along[a];
        if (s->g->box.periodic[a]) x[a] = wrap_place(x[a], s->g->box.n[a]);
    }
}

static float distance_on(const job *s, const straight *w, float gone) {
    float x[3] = {0, 0, 0};
    place_on(x, s, w, gone);
    return sample_nodes(s->solid, s->g, x) / (float)s->g->dx;
}

/* How far along the way the surface is, between a place outside and one inside. */
static float surface_on(const job *s, const straight *w, float outside, float inside) {
    enum { HALVINGS = 6 };
    for (int i = 0; i < HALVINGS; ++i) {
        const float middle = 0.5f * (outside + inside);
        if (distance_on(s, w, middle) < 0) inside = middle;
        else outside = middle;
    }
    return outside;
}

/* The first solid along the way that is passed deep enough, or that holds its end: how far to it, and to
 * where it is left or the way ends. 0: none. */
static int passes_solid(float *in, float *out, const job *s, const straight *w, float deep) {
    float gone = 0, d = distance_on(s, w, 0), deepest = 0;
    if (d < 0) return 0;
    *in = -1;
    while (gone < w->length) {
        const float last = gone;
        gone = fminf(w->length, gone + fmaxf(WAY_STEP_LEAST, fabsf(d)));
        d = distance_on(s, w, gone);
        if (d < 0 && *in < 0) *in = surface_on(s, w, last, gone);
        deepest = fminf(deepest, d);
        if (d >= 0 && *in >= 0) {
            *out = gone;
            if (deepest < -deep) return 1;
            *in = -1;
            deepest = 0;
        }
    }
    *out = w->length;
    return *in >= 0;
}

/* Back to where the particle went in, if it is or was beyond the middle of what it went into. */
static int put_back(const job *s, size_t q) {
    particles *p = s->p;
    straight w = way_of(s, q);
    if (!(w.length > WAY_SHORT) || !(w.length < INFINITY)) return 0;
    float x[3] = {0, 0, 0}, n[3] = {0, 0, 0}, far[3] = {0, 0, 0}, in, out, same = 0;
    for (int a = 0; a < p->dim; ++a) w.along[a] /= w.length;
    if (distance_on(s, &w, 0) + fmaxf(0, distance_on(s, &w, w.length)) >= w.length) return 0;
    if (!passes_solid(&in, &out, s, &w, p->spray[q] ? PASS_SPRAY : PASS_LIQUID)) return 0;
    place_on(x, s, &w, out);
    const int is_out = !(sample_nodes(s->solid, s->g, x) < 0);
    const int knows_way = is_out || way_out(far, s, x) > 0; /* not so in the very middle */
    if (is_out) way_out(far, s, x);
    place_on(x, s, &w, in);
    way_out(n, s, x);
    for (int a = 0; a < p->dim; ++a) same += n[a] * far[a];
    if (p->spray[q] ? !is_out && same > 0.1f : knows_way && same > -0.5f) return 0;
    for (int a = 0; a < p->dim; ++a) p->x[a][q] = x[a] + CLEARANCE * n[a];
    float wall[3] = {0, 0, 0};
    if (p->spray[q] && s->o->wall.value[0]) sample_faces(wall, &s->o->wall, s->g, x);
    if (p->spray[q]) bounce(p, q, n, wall);
    return 1;
}

/* Out of the solid along the gradient of its distance, taken farther inside the domain where it leads through
 * the floor; 1 when the particle was moved. */
static int rescue(const job *s, size_t q) {
    particles *p = s->p;
    int moved = put_back(s, q);
    for (int t = 0; t < RESCUE_TRIES; ++t) {
        float x[3] = {0, 0, 0}, n[3] = {0, 0, 0};
        for (int a = 0; a < p->dim; ++a) x[a] = p->x[a][q];
        if (!(sample_nodes(s->solid, s->g, x) < 0)) break;
        float at[3] = {x[0], x[1], x[2]}, depth = way_out(n, s, at);
        for (int look = 0; look < LOOKS && depth > 0; ++look) {
            const int side = blocked_by(s, at, n, depth);
            if (side < 0) break;
            at[side / 2] += side % 2 ? -1.0f : 1.0f;
            depth = way_out(n, s, at);
        }
        if (!(depth > 0)) break;
        for (int a = 0; a < p->dim; ++a) p->x[a][q] += (CLEARANCE + depth) * n[a];
        float w[3] = {0, 0, 0};
        if (p->spray[q] && s->o->wall.value[0]) sample_faces(w, &s->o->wall, s->g, x);
        if (p->spray[q]) bounce(p, q, n, w);
        moved = 1;
    }
    return moved;
}

/* Whether the node of a particle's cell, d cells from solids, tells that no corner of the cell is inside
 * (distances are 1-Lipschitz) and that the way there, its length squared, led through no wall of a cell. */
INLINE int is_far(float d, float way) {
    return (d > NODES_CLEAR) & ((d - 0.75f) * (d - 0.75f) > way);
}

INLINE int is_clear(const job *s, size_t q) {
    const particles *p = s->p;
    int at[3] = {0, 0, 0};
    for (int a = 0; a < p->dim; ++a) {
        if (!(p->x[a][q] >= 0) || !(p->x[a][q] < (float)s->g->box.n[a])) return 0;
        at[a] = (int)p->x[a][q];
    }
    const float length = way_of(s, q).length;
    return is_far(s->solid[box_at(&s->g->box, at[0], at[1], at[2])] / (float)s->g->dx, length * length);
}

/* 0 when the particle left through an open side. */
static int hold_inside(const job *s, size_t q) {
    particles *p = s->p;
    const float film = film_under(s, q);
    for (int a = 0; a < p->dim; ++a) {
        if (s->g->box.periodic[a]) {
            p->x[a][q] = wrap_place(p->x[a][q], s->g->box.n[a]);
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            const float wall = side ? (float)s->g->box.n[a] : 0, x = p->x[a][q];
            if (s->o->open_wall[2 * a + side]) {
                if (side ? !(x < wall) : !(x >= 0)) return 0;
                continue;
            }
            const float off = fmaxf(MARGIN, place_in_film(s, q, film, a)), limit = side ? wall - off : off;
            if (side ? x <= limit : x >= limit) continue;
            p->x[a][q] = limit;
            float n[3] = {0, 0, 0};
            n[a] = side ? -1 : 1;
            if (p->spray[q]) bounce(p, q, n, (const float[3]){0, 0, 0});
        }
    }
    return 1;
}

/* Whether some of the particles are not well inside the domain: one pass a column, without branches. */
INLINE int any_outside(const job *s, size_t from, size_t to) {
    int outside = 0;
    for (int a = 0; a < s->p->dim; ++a) {
        const float *x = s->p->x[a], high = (float)s->g->box.n[a] - MARGIN;
        for (size_t q = from; q < to; ++q) outside |= !(x[q] >= MARGIN) | !(x[q] <= high);
    }
    return outside;
}

/* Whether some of a whole group may land on a film. */
INLINE int any_lands(const job *s, size_t from) {
    return s->density && memchr(s->p->spray + from, 1, GROUP);
}

HOT static void hold_range(const job *s, size_t from, size_t to) {
    for (size_t q = from; q < to; q += GROUP) {
        const size_t end = q + GROUP < to ? q + GROUP : to;
        if (end - q == GROUP && !any_outside(s, q, q + GROUP) && !any_lands(s, q))
            memset(s->keep + q, 1, GROUP);
        else
            for (size_t one = q; one < end; ++one) s->keep[one] = (uint8_t)hold_inside(s, one);
    }
}

/* The same for a whole group: cells of all, then a look at each, and one branch. */
INLINE int all_clear(const job *s, size_t from) {
    const box *b = &s->g->box;
    int32_t at[GROUP], outside = 0, near = 0;
    float way[GROUP]; /* squared; what came around a periodic side has gone far, and is looked at */
    for (int q = 0; q < GROUP; ++q) {
        at[q] = (int32_t)b->first;
        way[q] = 0;
    }
    for (int a = 0; a < s->p->dim; ++a) {
        const float *x = s->p->x[a] + from, *before = s->before[a] + from, n = (float)b->n[a];
        const int32_t step = (int32_t)b->step[a];
        for (int q = 0; q < GROUP; ++q) {
            const int inside = (x[q] >= 0) & (x[q] < n);
            at[q] += step * (inside ? (int32_t)x[q] : 0);
            outside |= !inside;
            way[q] += (x[q] - before[q]) * (x[q] - before[q]);
        }
    }
    const float cells = (float)(1 / s->g->dx);
    for (int q = 0; q < GROUP; ++q) near |= !is_far(cells * s->solid[at[q]], way[q]);
    return !(outside | near);
}

HOT static double rescue_range(const job *s, size_t from, size_t to) {
    double rescued = 0;
    for (size_t q = from; q < to; q += GROUP) {
        const size_t end = q + GROUP < to ? q + GROUP : to;
        if (end - q == GROUP && (s->marked ? !s->keep[q] : all_clear(s, q))) continue;
        for (size_t one = q; one < end; ++one)
            if (!is_clear(s, one)) rescued += rescue(s, one);
    }
    return rescued;
}

HOT static void mark_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * BOUNDARY_GRAIN,
                 to = from + BOUNDARY_GRAIN < s->p->count ? from + BOUNDARY_GRAIN : s->p->count;
    for (size_t q = from; q + GROUP <= to; q += GROUP) s->keep[q] = (uint8_t)!all_clear(s, q);
}

static double boundary_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * BOUNDARY_GRAIN,
                 to = from + BOUNDARY_GRAIN < s->p->count ? from + BOUNDARY_GRAIN : s->p->count;
    const double rescued = s->solid ? rescue_range(s, from, to) : 0;
    hold_range(s, from, to);
    return rescued;
}

void boundary_mark(uint8_t *near, const particles *p, const mac_grid *g, const float *node_solid) {
    particles columns = *p; /* the job is shared with what moves them */
    job s = {.p = &columns, .keep = near, .g = g, .solid = node_solid};
    for (int a = 0; a < p->dim; ++a) s.before[a] = particles_before(p, a);
    parallel_for(g->pool, block_count((long)p->count, BOUNDARY_GRAIN), mark_task, &s);
}

int64_t boundary_particles(particles *p, uint8_t *keep, int marked, const mac_grid *g, const openings *o,
                           const float *node_solid, const float *density) {
    job s = {.p = p, .keep = keep, .marked = marked, .g = g, .o = o, .solid = node_solid};
    s.density = density;
    for (int a = 0; a < p->dim; ++a) s.before[a] = particles_before(p, a);
    return (int64_t)parallel_sum(g->pool, block_count((long)p->count, BOUNDARY_GRAIN), boundary_task, &s);
}

int64_t boundary_outflow(particles *p, const uint8_t *keep, const mac_grid *g, const openings *o) {
    const size_t before = p->count;
    int open = 0;
    for (int w = 0; w < 2 * g->box.dim; ++w) open |= o->open_wall[w] && !g->box.periodic[w / 2];
    if (open) particles_compact(p, keep);
    return (int64_t)(before - p->count);
}
