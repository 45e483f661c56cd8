/* Closed meshes of simple shapes. The sphere is a latitude-free one: each face of an octahedron becomes a
 * triangular lattice of points pushed out to the radius, stored once for every lattice point of the surface
 * |x| + |y| + |z| = n. */
#include "primitives.h"

#include <math.h>
#include <stdlib.h>
#include "core/memory.h"

static int allocate(tri_mesh *m, size_t vertices, size_t triangles) {
    *m = (tri_mesh){.vertex_count = vertices, .triangle_count = triangles};
    m->vertex = mem_alloc(vertices * sizeof *m->vertex);
    m->triangle = mem_alloc(triangles * sizeof *m->triangle);
    if (m->vertex && m->triangle) return 0;
    mesh_free(m);
    return -1;
}

static void put_triangle(tri_mesh *m, size_t t, uint32_t a, uint32_t b, uint32_t c) {
    m->triangle[t][0] = a;
    m->triangle[t][1] = b;
    m->triangle[t][2] = c;
}

int mesh_make_box(tri_mesh *m, const double lower[3], const double upper[3]) {
    if (allocate(m, 8, 12)) return -1;
    for (int c = 0; c < 8; ++c)
        for (int a = 0; a < 3; ++a) m->vertex[c][a] = c >> a & 1 ? upper[a] : lower[a];
    size_t t = 0;
    for (int a = 0; a < 3; ++a) {
        uint32_t u = 1u << (a + 1) % 3, w = 1u << (a + 2) % 3, high = 1u << a;
        put_triangle(m, t++, high, high + u, high + u + w);
        put_triangle(m, t++, high, high + u + w, high + w);
        put_triangle(m, t++, 0, u + w, u);
        put_triangle(m, t++, 0, w, u + w);
    }
    return 0;
}

int mesh_make_torus(tri_mesh *m, const double centre[3], double radius, double tube, int around, int along) {
    size_t count = (size_t)around * (size_t)along;
    if (allocate(m, count, 2 * count)) return -1;
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < along; ++j) {
            double p = 2 * M_PI * i / around, q = 2 * M_PI * j / along, r = radius + tube * cos(q);
            double *v = m->vertex[i * along + j];
            v[0] = centre[0] + r * cos(p);
            v[1] = centre[1] + r * sin(p);
            v[2] = centre[2] + tube * sin(q);
            uint32_t here = (uint32_t)(i * along + j), up = (uint32_t)(i * along + (j + 1) % along);
            uint32_t next = (uint32_t)((i + 1) % around * along + j);
            uint32_t both = (uint32_t)((i + 1) % around * along + (j + 1) % along);
            put_triangle(m, 2 * (size_t)here, here, next, both);
            put_triangle(m, 2 * (size_t)here + 1, here, both, up);
        }
    return 0;
}

/* The number of the lattice point (x, y) on the upper (z >= 0) or lower half: rows of |x| + |y| <= n, the rim
 * shared. */
static uint32_t lattice(int n, int x, int y, int lower) {
    int width = 2 * n + 1, on_rim = abs(x) + abs(y) == n;
    return (uint32_t)((y + n) * width + (x + n) + (lower && !on_rim ? width * width : 0));
}

static void place_on_sphere(double v[3], const double centre[3], double radius, int n, int x, int y,
                            int lower) {
    double p[3] = {x, y, n - abs(x) - abs(y)};
    if (lower) p[2] = -p[2];
    double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int a = 0; a < 3; ++a) v[a] = centre[a] + radius * p[a] / size;
}

/* One cell of the lattice in the quadrant (sx, sy): one triangle, and a second one except along the rim. */
static size_t put_cell(tri_mesh *m, size_t t, int n, int x, int y, int sx, int sy, int lower) {
    uint32_t a = lattice(n, sx * x, sy * y, lower), b = lattice(n, sx * (x + 1), sy * y, lower);
    uint32_t c = lattice(n, sx * x, sy * (y + 1), lower);
    int turned = (sx * sy < 0) != lower;
    put_triangle(m, t++, a, turned ? c : b, turned ? b : c);
    if (x + y + 2 > n) return t;
    uint32_t d = lattice(n, sx * (x + 1), sy * (y + 1), lower);
    put_triangle(m, t++, b, turned ? c : d, turned ? d : c);
    return t;
}

int mesh_make_sphere(tri_mesh *m, const double centre[3], double radius, int levels) {
    int n = 1 << levels, width = 2 * n + 1;
    size_t t = 0;
    if (allocate(m, (size_t)(2 * width * width), (size_t)(8 * n * n))) return -1;
    for (size_t v = 0; v < m->vertex_count;
         ++v) /* lattice points outside the diamond are used by no triangle */
        for (int a = 0; a < 3; ++a) m->vertex[v][a] = centre[a];
    for (int lower = 0; lower < 2; ++lower)
        for (int y = -n; y <= n; ++y)
            for (int x = abs(y) - n; x <= n - abs(y); ++x)
                place_on_sphere(m->vertex[lattice(n, x, y, lower)], centre, radius, n, x, y, lower);
    for (int q = 0; q < 8; ++q)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x + y < n; ++x)
                t = put_cell(m, t, n, x, y, q & 1 ? -1 : 1, q & 2 ? -1 : 1, q >> 2);
    return 0;
}
