/* Whether a mesh is closed and manifold by its indices, not merely by where its vertices are. */
#ifndef TESTS_MANIFOLD_H
#define TESTS_MANIFOLD_H

#include "check.h"
#include <rheo/sim.h>

/* What a closed mesh encloses, m3. */
static inline double volume_of(const rheo_mesh *m) {
    double volume = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double p[3][3];
        for (size_t e = 0; e < 3; ++e)
            for (size_t a = 0; a < 3; ++a) p[e][a] = (double)m->position[3 * m->triangle[3 * t + e] + a];
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            volume += p[0][a] * (p[1][b] * p[2][c] - p[1][c] * p[2][b]) / 6;
        }
    }
    return volume;
}

static int compare_edges(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every directed edge once and its reverse once; around every vertex the triangles make one ring. */
static long check_manifold(const rheo_mesh *m) {
    size_t count = 3 * m->triangle_count;
    uint64_t *edge = malloc((count + 1) * sizeof *edge), *back = malloc((count + 1) * sizeof *back);
    uint32_t *degree = calloc(m->vertex_count + 1, sizeof *degree);
    uint32_t *next = calloc(count + 1, sizeof *next), *start = calloc(m->vertex_count + 1, sizeof *start);
    for (size_t t = 0; t < m->triangle_count; ++t)
        for (int e = 0; e < 3; ++e) {
            uint64_t a = m->triangle[3 * t + (size_t)e], b = m->triangle[3 * t + (size_t)(e + 1) % 3];
            assert_true(a < m->vertex_count && b < m->vertex_count && a != b);
            edge[3 * t + (size_t)e] = a << 32 | b;
            back[3 * t + (size_t)e] = b << 32 | a;
            degree[a]++;
            start[a] = (uint32_t)(3 * t + (size_t)e) + 1;
        }
    qsort(edge, count, sizeof *edge, compare_edges);
    for (size_t i = 1; i < count; ++i) assert_true(edge[i - 1] != edge[i]);
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    memcpy(sorted, back, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_edges);
    assert_memory_equal(edge, sorted, count * sizeof *edge);
    /* ring: from half-edge a -> b go to the half-edge a -> c of the triangle across a -> b */
    uint64_t(*pair)[2] = malloc((count + 1) * sizeof *pair);
    for (size_t h = 0; h < count; ++h) {
        size_t t = h / 3 * 3, e = h % 3;
        pair[h][0] = (uint64_t)m->triangle[t + e] << 32 | m->triangle[t + (e + 1) % 3];
        pair[h][1] = h;
    }
    qsort(pair, count, sizeof *pair, compare_edges);
    for (size_t h = 0; h < count; ++h) {
        uint64_t *found = bsearch(&back[h], pair, count, sizeof *pair, compare_edges);
        size_t other = (size_t)found[1]; /* b -> a; the next of its triangle starts at a */
        next[h] = (uint32_t)(other / 3 * 3 + (other + 1) % 3);
        if (other % 3 == 2) next[h] = (uint32_t)(other / 3 * 3);
    }
    for (size_t v = 0; v < m->vertex_count; ++v) {
        assert_true(degree[v] >= 3);
        uint32_t h = start[v] - 1, steps = 0;
        do {
            h = next[h];
            ++steps;
        } while (h != start[v] - 1 && steps <= degree[v]);
        assert_int_equal(steps, degree[v]);
    }
    free(edge), free(back), free(degree), free(next), free(start), free(sorted), free(pair);
    return (long)m->vertex_count - (long)count / 2 + (long)m->triangle_count;
}
#endif
