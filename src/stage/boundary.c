/* Boundary conditions on particles (Sommer 2018: rescue from solids; closed and open sides of the domain;
 * what leaves through a periodic one comes in on the other side). */
#include "stage/boundary.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "grid/sample.h"
#include "grid/wrap.h"

enum { GRAIN = 8192, TRIES = 3, LOOKS = 5, GROUP = 32 };
#define MARGIN    1e-3f /* cells kept from closed sides: room for rounding at a few hundred cells */
#define CLEARANCE 0.01f /* cells from a solid's surface after rescue */

typedef struct {
    particles *p;
    uint8_t *keep;
    const mac_grid *g;
    const openings *o;
    const float *solid; /* NULL: none */
} job;

/* A spray particle keeps only the velocity along or away from the surface with outward normal n, which moves
 * with w. */
static void bounce(particles *p, size_t q, const float n[3], const float w[3]) {
    float into = 0;
    for (int a = 0; a < p->dim; ++a) into += (p->v[a][q] - w[a]) * n[a];
    if (into < 0)
        for (int a = 0; a < p->dim; ++a) p->v[a][q] -= into * n[a];
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

/* Out of the solid along the gradient of its distance, taken farther inside the domain where it leads through
 * the floor; 1 when the particle was moved. */
static int rescue(const job *s, size_t q) {
    particles *p = s->p;
    int moved = 0;
    for (int t = 0; t < TRIES; ++t) {
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

/* So far from solids that all corners of its cell are outside of them: distances are 1-Lipschitz. */
INLINE int is_clear(const job *s, size_t q) {
    const particles *p = s->p;
    int at[3] = {0, 0, 0};
    for (int a = 0; a < p->dim; ++a) {
        if (!(p->x[a][q] >= 0) || !(p->x[a][q] < (float)s->g->box.n[a])) return 0;
        at[a] = (int)p->x[a][q];
    }
    return s->solid[box_at(&s->g->box, at[0], at[1], at[2])] > 1.75f * (float)s->g->dx;
}

/* 0 when the particle left through an open side. */
static int hold_inside(const job *s, size_t q) {
    particles *p = s->p;
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
            const float limit = side ? wall - MARGIN : MARGIN;
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

HOT static void hold_range(const job *s, size_t from, size_t to) {
    for (size_t q = from; q < to; q += GROUP) {
        const size_t end = q + GROUP < to ? q + GROUP : to;
        if (end - q == GROUP && !any_outside(s, q, q + GROUP)) memset(s->keep + q, 1, GROUP);
        else
            for (size_t one = q; one < end; ++one) s->keep[one] = (uint8_t)hold_inside(s, one);
    }
}

/* The same for a whole group: cells of all, then a look at each, and one branch. */
INLINE int all_clear(const job *s, size_t from) {
    const box *b = &s->g->box;
    int32_t at[GROUP], outside = 0, near = 0;
    for (int q = 0; q < GROUP; ++q) at[q] = (int32_t)b->first;
    for (int a = 0; a < s->p->dim; ++a) {
        const float *x = s->p->x[a] + from, n = (float)b->n[a];
        const int32_t step = (int32_t)b->step[a];
        for (int q = 0; q < GROUP; ++q) {
            const int inside = (x[q] >= 0) & (x[q] < n);
            at[q] += step * (inside ? (int32_t)x[q] : 0);
            outside |= !inside;
        }
    }
    const float clear = 1.75f * (float)s->g->dx;
    for (int q = 0; q < GROUP; ++q) near |= !(s->solid[at[q]] > clear);
    return !(outside | near);
}

HOT static double rescue_range(const job *s, size_t from, size_t to) {
    double rescued = 0;
    for (size_t q = from; q < to; q += GROUP) {
        const size_t end = q + GROUP < to ? q + GROUP : to;
        if (end - q == GROUP && all_clear(s, q)) continue;
        for (size_t one = q; one < end; ++one)
            if (!is_clear(s, one)) rescued += rescue(s, one);
    }
    return rescued;
}

static double boundary_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * GRAIN, to = from + GRAIN < s->p->count ? from + GRAIN : s->p->count;
    const double rescued = s->solid ? rescue_range(s, from, to) : 0;
    hold_range(s, from, to);
    return rescued;
}

int64_t boundary_particles(particles *p, uint8_t *keep, const mac_grid *g, const openings *o,
                           const float *node_solid) {
    job s = {p, keep, g, o, node_solid};
    return (int64_t)parallel_sum(g->pool, block_count((long)p->count, GRAIN), boundary_task, &s);
}

int64_t boundary_outflow(particles *p, const uint8_t *keep, const mac_grid *g, const openings *o) {
    const size_t before = p->count;
    int open = 0;
    for (int w = 0; w < 2 * g->box.dim; ++w) open |= o->open_wall[w] && !g->box.periodic[w / 2];
    if (open) particles_compact(p, keep);
    return (int64_t)(before - p->count);
}
