/* Balls around solids, and which of them come near each other.
 *
 *   near: |m_i - m_k| <= r_i + r_k + REACH_GAP, in cells, m and r the middle and radius of a ball.
 *
 * Candidates come from a sweep over boxes (geom/sweep.h).
 *
 * Limits: planes and vessels have no ball and are near everything; so are thin solids and images beyond
 * periodic sides, whose places are not known so well. */
#include "stage/walls/reach.h"

#include <math.h>

reach_ball reach_around(const mac_grid *g, const obstacle *o) {
    reach_ball all = {.radius = INFINITY};
    const double *middle = o->now.position;
    if (o->def->inside_fluid) return all;
    if (o->body) {
        middle = o->body->now->position;
        all.radius = o->body->radius;
    } else {
        double centre[3], lower[3], upper[3], square = 0;
        shape_bounds(lower, upper, o->shape);
        shape_centre(centre, o->shape);
        for (int a = 0; a < g->box.dim; ++a) {
            const double side = fmax(upper[a] - centre[a], centre[a] - lower[a]);
            square += side * side;
        }
        all.radius = sqrt(square);
    }
    all.radius = isfinite(all.radius) ? all.radius / g->dx : INFINITY;
    for (int a = 0; a < g->box.dim; ++a) all.middle[a] = (middle[a] - g->origin[a]) / g->dx;
    return all;
}

cell_range reach_within(cell_range r, const mac_grid *g, const obstacle *o, double beyond) {
    const reach_ball all = reach_around(g, o);
    if (!isfinite(all.radius)) return r;
    for (int a = 0; a < g->box.dim; ++a) {
        const double low = floor(all.middle[a] - all.radius - beyond) - 1,
                     high = ceil(all.middle[a] + all.radius + beyond) + 1;
        if (low > r.lower[a]) r.lower[a] = low < r.upper[a] ? (int)low : r.upper[a];
        if (high < r.upper[a]) r.upper[a] = high > r.lower[a] ? (int)high : r.lower[a];
    }
    return r;
}

int reach_list(sweep *near, const mac_grid *g, const obstacle *solids, int count) {
    if (sweep_reserve(near, count)) return -1;
    for (int i = 0; i < count; ++i) {
        const reach_ball b = reach_around(g, &solids[i]);
        const double reach = b.radius + 0.6 * REACH_GAP; /* and some more, for rounding */
        for (int a = 0; a < 3; ++a) {
            near->box[i].lower[a] = b.middle[a] - reach;
            near->box[i].upper[a] = b.middle[a] + reach;
        }
    }
    return sweep_overlaps(near, count);
}

/* Whether none of the others comes near the ball. */
static int is_alone(const reach_near *others, const mac_grid *g, const obstacle *solids, reach_ball own) {
    for (int i = 0; i < others->count; ++i) {
        const reach_ball other = reach_around(g, &solids[others->among[i]]);
        const double reach = own.radius + other.radius + REACH_GAP;
        double square = 0;
        for (int a = 0; a < g->box.dim; ++a)
            square += (other.middle[a] - own.middle[a]) * (other.middle[a] - own.middle[a]);
        if (!(square > reach * reach)) return 0;
    }
    return 1;
}

reach_near reach_others(const sweep *near, const mac_grid *g, const obstacle *solids, int count, int own) {
    reach_near others = {.count = count};
    const reach_ball ball = reach_around(g, &solids[own]);
    if (!isfinite(ball.radius) || solids[own].thin) return others;
    for (int a = 0; a < g->box.dim; ++a)
        if (g->box.periodic[a]) return others;
    others.among = near->near + near->start[own];
    others.count = (int)(near->start[own + 1] - near->start[own]);
    others.alone = is_alone(&others, g, solids, ball);
    return others;
}
