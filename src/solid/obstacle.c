#include "solid/obstacle.h"

#include <math.h>

double obstacle_distance(const obstacle *o, const double x[3]) {
    const double d = o->def->motion == RHEO_STATIC ? shape_distance(o->shape, x)
                                                   : placement_distance(&o->now, o->shape, x);
    return o->def->inside_fluid ? -d : d;
}

double obstacles_distance(const obstacle *solids, int count, const double x[3], int *nearest) {
    double least = INFINITY;
    for (int s = 0; s < count; ++s) {
        const double d = obstacle_distance(&solids[s], x);
        if (d < least) {
            least = d;
            if (nearest) *nearest = s;
        }
    }
    return least;
}

static double least_distance(const obstacle *solids, int count, const double x[3], int thin) {
    double least = INFINITY;
    for (int s = 0; s < count; ++s)
        if (solids[s].thin == thin) least = fmin(least, obstacle_distance(&solids[s], x));
    return least;
}

double obstacles_thick_distance(const obstacle *solids, int count, const double x[3]) {
    return least_distance(solids, count, x, 0);
}

double obstacles_thin_distance(const obstacle *solids, int count, const double x[3]) {
    return least_distance(solids, count, x, 1);
}
