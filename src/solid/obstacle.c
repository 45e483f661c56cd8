/* The union of solids: d(x) = min over them of d_i(x), each at its place; a vessel's is turned inside out.
 *
 * Limits: inside of overlapping solids the union's distance is too small in size. */
#include "solid/obstacle.h"

#include <math.h>
#include "solid/vector.h"

/* From the ball around a body that is at `position`. */
static double from_ball(const body *b, const double position[3], const double x[3]) {
    double from[3];
    vec_sub(from, x, position);
    if (b->flat) from[2] = 0;
    return vec_length(from) - b->radius;
}

double obstacle_distance(const obstacle *o, const double x[3]) {
    if (o->body && o->body->ball) return from_ball(o->body, o->now.position, x);
    const double d = o->def->motion == RHEO_STATIC ? shape_distance(o->shape, x)
                                                   : placement_distance(&o->now, o->shape, x);
    /* distances of stretched shapes may be less than they are, but not than what the ball shows: of two
     * solids one would be nearer by its distance, and the other by the first one's ball */
    if (o->body) return fmax(d, from_ball(o->body, o->body->now->position, x));
    return o->def->inside_fluid ? -d : d;
}

int obstacle_normal(double n[3], const obstacle *o, const double x[3], int dim, double step) {
    for (int a = 0; a < 3; ++a) {
        double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
        low[a] -= step;
        high[a] += step;
        n[a] = a < dim ? obstacle_distance(o, high) - obstacle_distance(o, low) : 0;
    }
    const double size = vec_length(n);
    for (int a = 0; a < 3 && size > 0; ++a) n[a] /= size;
    return size > 0;
}

placement obstacle_felt(const obstacle *o) {
    placement felt = o->now;
    if (!o->body || o->body->round == NOT_ROUND) return felt;
    double turn[9];
    body_felt_turn(turn, o->body);
    mat_times(felt.spin, turn, o->now.spin);
    return felt;
}

int obstacle_is_beyond(const obstacle *o, const double x[3], double least) {
    return o->body && from_ball(o->body, o->body->now->position, x) > least;
}

int obstacle_is_nearest(const obstacle *solids, const int *among, int count, int own, const double x[3],
                        double distance) {
    for (int i = 0; i < count; ++i) {
        const int s = among ? among[i] : i;
        if (s == own || obstacle_is_beyond(&solids[s], x, distance)) continue;
        const double d = obstacle_distance(&solids[s], x);
        if (d < distance || (s < own && !(d > distance))) return 0;
    }
    return 1;
}

static double least_distance(const obstacle *solids, int count, const double x[3], int thin) {
    double least = INFINITY;
    for (int s = 0; s < count; ++s)
        if (solids[s].thin == thin && !obstacle_is_beyond(&solids[s], x, least))
            least = fmin(least, obstacle_distance(&solids[s], x));
    return least;
}

double obstacles_thick_distance(const obstacle *solids, int count, const double x[3]) {
    return least_distance(solids, count, x, 0);
}

double obstacles_thin_distance(const obstacle *solids, int count, const double x[3]) {
    return least_distance(solids, count, x, 1);
}
