#include "solid/obstacle.h"

#include <math.h>

double obstacles_distance(const obstacle *solids, int count, const double x[3], int *nearest) {
    double least = INFINITY;
    for (int s = 0; s < count; ++s) {
        double d = solids[s].def->motion == RHEO_STATIC
                       ? shape_distance(solids[s].shape, x)
                       : placement_distance(&solids[s].now, solids[s].shape, x);
        if (solids[s].def->inside_fluid) d = -d;
        if (d < least) {
            least = d;
            if (nearest) *nearest = s;
        }
    }
    return least;
}
