/* Mass properties by the divergence theorem.
 *
 * A closed mesh is the signed sum of the tetrahedra (o, a, b, c) over its triangles. With d = a . (b x c)
 * (corners from o) a tetrahedron has the volume d / 6, the first moment d (a + b + c) / 24 and the second
 * moment d / 120 (s s^T + a a^T + b b^T + c c^T), s = a + b + c: exact, whatever the shape (compare Mirtich
 * 1996, Eberly 2002). Taking o in the mesh keeps digits when it lies far from zero; the shift to the centroid
 * is the parallel axis theorem.
 *
 * A linear map F takes the volume by |det F| and the second moment S to |det F| F S F^T, so scaled and turned
 * shapes need no formulas of their own. Inertia follows from S alone: I = rho (tr(S) 1 - S). */
#include "geom/mass.h"

#include <math.h>
#include <string.h>

static void add_tetrahedron(double *volume, double first[3], double second[9], const double p[3][3]) {
    const double *a = p[0], *b = p[1], *c = p[2];
    const double d = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                     a[2] * (b[0] * c[1] - b[1] * c[0]);
    double s[3];
    for (int r = 0; r < 3; ++r) s[r] = a[r] + b[r] + c[r];
    *volume += d / 6;
    for (int r = 0; r < 3; ++r) {
        first[r] += d / 24 * s[r];
        for (int q = 0; q < 3; ++q)
            second[3 * r + q] += d / 120 * (s[r] * s[q] + a[r] * a[q] + b[r] * b[q] + c[r] * c[q]);
    }
}

void moments_of_mesh(moments *m, const tri_mesh *mesh) {
    double volume = 0, first[3] = {0, 0, 0}, second[9] = {0};
    *m = (moments){0};
    if (mesh->triangle_count == 0) return;
    const double *o = mesh->vertex[mesh->triangle[0][0]];
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double corner[3][3];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) corner[k][a] = mesh->vertex[mesh->triangle[t][k]][a] - o[a];
        add_tetrahedron(&volume, first, second, (const double(*)[3])corner);
    }
    m->volume = volume;
    for (int r = 0; r < 3; ++r) m->centre[r] = o[r] + first[r] / volume;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m->second[3 * r + c] = second[3 * r + c] - first[r] * first[c] / volume;
}

void moments_map(moments *m, const double f[9], const double from[3], const double to[3]) {
    const double det = fabs(f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                            f[2] * (f[3] * f[7] - f[4] * f[6]));
    double centre[3], half[9], second[9];
    for (int r = 0; r < 3; ++r) {
        centre[r] = to[r];
        for (int c = 0; c < 3; ++c) centre[r] += f[3 * r + c] * (m->centre[c] - from[c]);
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            half[3 * r + c] = 0;
            for (int k = 0; k < 3; ++k) half[3 * r + c] += f[3 * r + k] * m->second[3 * k + c];
        }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            second[3 * r + c] = 0;
            for (int k = 0; k < 3; ++k) second[3 * r + c] += det * half[3 * r + k] * f[3 * c + k];
        }
    m->volume *= det;
    memcpy(m->centre, centre, sizeof centre);
    memcpy(m->second, second, sizeof second);
}

void moments_inertia(double inertia[9], const moments *m, double density) {
    const double trace = m->second[0] + m->second[4] + m->second[8];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            inertia[3 * r + c] =
                density * ((r == c ? trace : 0) - 0.5 * (m->second[3 * r + c] + m->second[3 * c + r]));
}
