/* Where a moving shape is: x -> p(t) + R(t) (x - c), R(t) a turn by theta(t) about a fixed axis n through the
 * centre, and the velocity that takes it on from there: u = v + w n x (x - p).
 *
 * p and theta are piecewise linear curves of time. What touches the shape is carried by u for a whole step,
 * so v and w are not their slopes at an instant but means over the step that begins there, v dt = p(t + dt) -
 * p(t): wherever keys lie, what follows u is where the shape is at the step's end. Inside a segment they are
 * its slopes to the last bit. */
#include "solid/shape.h"

#include "solid/curve.h"
#include "solid/vector.h"

static void set_rotation(placement *p, const rheo_solid *def, double time, double dt) {
    double degrees = 0, rate = 0, length = vec_length(def->rotation_axis);
    if (def->rotation_degrees.count < 1 || !(length > 0)) return;
    rheo_evaluate_curve(&degrees, &def->rotation_degrees, time);
    curve_mean_rate(&rate, &def->rotation_degrees, time, time + dt);
    double angle = degrees * (M_PI / 180);
    mat_rotation(p->rotation, def->rotation_axis, angle);
    p->orientation[0] = cos(0.5 * angle);
    for (int c = 0; c < 3; ++c) {
        double n = def->rotation_axis[c] / length;
        p->orientation[1 + c] = sin(0.5 * angle) * n;
        p->spin[c] = rate * (M_PI / 180) * n;
    }
}

placement placement_of_solid(const rheo_solid *def, const shape *s, double time, double dt) {
    placement p = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1, 0, 0, 0}};
    shape_centre(p.position, s);
    if (def->motion == RHEO_DYNAMIC) /* its start; from there on the body itself knows */
        for (int c = 0; c < 3; ++c) p.velocity[c] = def->velocity[c];
    if (def->motion != RHEO_KEYED) return p;
    if (def->position.count > 0) {
        rheo_evaluate_curve(p.position, &def->position, time);
        curve_mean_rate(p.velocity, &def->position, time, time + dt);
    }
    set_rotation(&p, def, time, dt);
    return p;
}

double placement_fastest(const rheo_solid *def, const shape *s, double from, double to) {
    return curve_fastest(&def->position, from, to) +
           curve_fastest(&def->rotation_degrees, from, to) * (M_PI / 180) * shape_reach(s);
}

double placement_distance(const placement *p, const shape *s, const double x[3]) {
    double from[3], y[3], centre[3];
    vec_sub(from, x, p->position);
    shape_centre(centre, s);
    for (int c = 0; c < 3; ++c)
        y[c] = centre[c] + p->rotation[c] * from[0] + p->rotation[3 + c] * from[1] +
               p->rotation[6 + c] * from[2];
    return shape_distance(s, y);
}

void placement_velocity(double u[3], const placement *p, const double x[3]) {
    double from[3], turn[3];
    vec_sub(from, x, p->position);
    vec_cross(turn, p->spin, from);
    for (int c = 0; c < 3; ++c) u[c] = p->velocity[c] + turn[c];
}
