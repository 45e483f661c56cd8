/* Volume, centroid and second moments of solids: what a rigid body is to mechanics, before its density. */
#ifndef GEOM_MASS_H
#define GEOM_MASS_H

#include "geom/mesh.h"

typedef struct moments {
    double volume;    /* m3 */
    double centre[3]; /* m */
    double second[9]; /* integral of (x - centre)(x - centre)^T, m5, row-major, symmetric */
} moments;

/* Of a closed mesh, exactly. */
void moments_of_mesh(moments *m, const tri_mesh *mesh);
/* Under x -> F (x - from) + to, F any matrix that is not singular (row-major). */
void moments_map(moments *m, const double f[9], const double from[3], const double to[3]);
/* The inertia tensor about the centre: density (tr(S) 1 - S), kg m2. */
void moments_inertia(double inertia[9], const moments *m, double density);
#endif
