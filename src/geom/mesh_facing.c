/* Normals that face out of what a mesh encloses.
 *
 * The gradient of a field sampled a cell apart tells which way is out where its surface is smooth on that
 * scale. On films, drops and edges of a cell's width it may point along the surface, or into it. There
 *
 *   N_v = sum over the triangles t around v of (b_t - a_t) x (c_t - a_t)              (twice the area vector)
 *
 * is the normal: of a vertex v with n_v . N_v <= 0, and of all three of a triangle that opposes the mean of
 * its vertices' normals even then.
 *
 * One pass over all triangles marks vertices in doubt: all of a triangle that opposes the mean of its
 * normals, and single ones that oppose a triangle. They are few, so little is left to do.
 * Marks do not depend on the order they are set in, and sums run in the triangles' order.
 *
 * Limits: where triangles fold over each other at a vertex its N may still oppose one of them. */
#include "geom/mesh_facing.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"

enum { GRAIN = 1024 }; /* triangles a block */
/* The sum of the cosines of a triangle's three normals where single ones have to be looked at: one that
 * opposes it leaves less than the other two can have. */
#define DOUBT 2.0f

typedef struct {
    rheo_mesh *m;
    uint8_t *doubt;  /* [vertices] */
    uint8_t *beside; /* [triangles]: has a vertex in doubt */
    atomic_int doubts;
} job;

/* Twice the area vector. */
INLINE void cross_of(float n[3], const rheo_mesh *m, size_t t) {
    const float *a = m->position + 3 * m->triangle[3 * t], *b = m->position + 3 * m->triangle[3 * t + 1],
                *c = m->position + 3 * m->triangle[3 * t + 2];
    const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

INLINE float dot(const float a[3], const float b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* The sum of a triangle's normals along its area vector. */
INLINE float along(const rheo_mesh *m, size_t t, const float n[3]) {
    const uint32_t *v = m->triangle + 3 * t;
    const float *a = m->normal + 3 * v[0], *b = m->normal + 3 * v[1], *c = m->normal + 3 * v[2];
    const float sum[3] = {(a[0] + b[0]) + c[0], (a[1] + b[1]) + c[1], (a[2] + b[2]) + c[2]};
    return dot(n, sum);
}

/* The area of a block, with its vertices in doubt marked. */
HOT static double look_task(void *context, int block) {
    job *s = context;
    const size_t from = (size_t)block * GRAIN, count = s->m->triangle_count;
    double area = 0;
    int any = 0;
    for (size_t t = from; t < from + GRAIN && t < count; ++t) {
        float n[3];
        cross_of(n, s->m, t);
        const float size = sqrtf(dot(n, n)), sum = along(s->m, t, n);
        area += (double)size;
        if (sum >= DOUBT * size) continue;
        for (const uint32_t *v = s->m->triangle + 3 * t, *end = v + 3; v < end; ++v)
            if (sum < 0 || dot(n, s->m->normal + 3 * *v) < 0)
                __atomic_store_n(&s->doubt[*v], 1, __ATOMIC_RELAXED);
        any = 1;
    }
    if (any) atomic_store_explicit(&s->doubts, 1, memory_order_relaxed);
    return 0.5 * area;
}

HOT static void beside_task(void *context, int block) {
    job *s = context;
    const size_t from = (size_t)block * GRAIN, count = s->m->triangle_count;
    for (size_t t = from; t < from + GRAIN && t < count; ++t) {
        const uint32_t *v = s->m->triangle + 3 * t;
        s->beside[t] = s->doubt[v[0]] | s->doubt[v[1]] | s->doubt[v[2]];
    }
}

/* The next triangle from t on with a vertex in doubt, or their count. */
static size_t next_beside(const job *s, size_t t) {
    const uint8_t *found = memchr(s->beside + t, 1, s->m->triangle_count - t);
    return found ? (size_t)(found - s->beside) : s->m->triangle_count;
}

static void take_sum(rheo_mesh *m, uint32_t v) {
    const float *sum = m->velocity + 3 * v, size2 = dot(sum, sum);
    if (!(size2 > 0) || !isfinite(size2)) return;
    for (int e = 0; e < 3; ++e) m->normal[3 * v + (size_t)e] = sum[e] / sqrtf(size2);
}

static void turn(job *s) {
    rheo_mesh *m = s->m;
    const size_t count = m->triangle_count;
    float n[3];
    for (size_t t = next_beside(s, 0); t < count; t = next_beside(s, t + 1)) {
        cross_of(n, m, t);
        for (int e = 0; e < 9; ++e)
            m->velocity[3 * m->triangle[3 * t + (size_t)(e / 3)] + (size_t)(e % 3)] += n[e % 3];
    }
    for (size_t t = next_beside(s, 0); t < count; t = next_beside(s, t + 1))
        for (int e = 0; e < 3; ++e) {
            const uint32_t v = m->triangle[3 * t + (size_t)e];
            if (s->doubt[v] && dot(m->normal + 3 * v, m->velocity + 3 * v) <= 0) take_sum(m, v);
        }
    for (size_t t = next_beside(s, 0); t < count; t = next_beside(s, t + 1)) {
        cross_of(n, m, t);
        const bool against = along(m, t, n) < 0;
        for (int e = 0; against && e < 3; ++e)
            if (s->doubt[m->triangle[3 * t + (size_t)e]]) take_sum(m, m->triangle[3 * t + (size_t)e]);
    }
}

int mesh_face_outwards(rheo_mesh *m, double *area, pool *p) {
    job s = {.m = m, .doubt = mem_alloc(m->vertex_count), .beside = mem_alloc(m->triangle_count)};
    const int blocks = block_count((long)m->triangle_count, GRAIN), failed = !s.doubt || !s.beside;
    *area = 0;
    if (!failed) *area = parallel_sum(p, blocks, look_task, &s);
    if (!failed && atomic_load(&s.doubts)) {
        parallel_for(p, blocks, beside_task, &s);
        turn(&s);
    }
    mem_free(s.doubt);
    mem_free(s.beside);
    return failed ? -1 : 0;
}
