/* The surface follows the velocity explicitly, so its waves must be resolved: omega dt <= 0.9, and most of
 * all the shortest of the grid, omega^2 = pi g / dx. A longer step keeps a resting surface trembling.
 *
 * Viscosity that is solved implicitly damps waves, h" + 2 gamma h' + omega^2 h = 0 with gamma = nu k^2, and
 * steps of omega dt <= 0.9 (z + sqrt(1 + z^2)), z = gamma / omega, bring them to rest as well: dt omega^2 -
 * 4 gamma - 4 / dt < 0 is what the scheme needs. Of all waves of the grid that is least at z = 1 / sqrt(8),
 * where k^3 = g / (8 nu^2), or at the shortest where no wave is damped as much.
 *
 * The momentum of a body much lighter than the liquid is that of the liquid around it, which every step finds
 * anew: the lighter, the fewer cells it may go in one. It gains at most what its buoyancy gives it against
 * the added mass of a sphere. */
#include "sim/step_limit.h"

#include <math.h>
#include "sim/sim.h"
#include "solid/vector.h"

#define WAVE_STEP 0.5 /* of sqrt(dx / g): omega dt = 0.9 */
/* Cells a step, times the square of a body's density beside the liquid's: no limit from a thirtieth on. 0.3
 * are enough from a hundredth down, where all that is moved is liquid. */
#define LIGHT_WAY   3000
#define LIGHT_LEAST 0.3

/* Of waves on a liquid of viscosity nu [m2/s]; share: k beside the shortest wave's. */
static double wave_limit(double dx, double gravity, double nu) {
    if (!(gravity > 0)) return INFINITY;
    const double shortest = M_PI / dx, damped = nu > 0 ? cbrt(gravity / (8 * nu * nu)) : INFINITY;
    const double share = fmin(damped / shortest, 1), k = share * shortest;
    const double z = nu * k * k / sqrt(gravity * k);
    return WAVE_STEP * sqrt(dx / (gravity * share)) * (z + sqrt(1 + z * z));
}

double step_limit_viscous(double dx, double cfl, double speed, double acceleration, double nu) {
    const double reach = cfl * dx; /* m a step */
    const double fast = speed + sqrt(reach * acceleration);
    const double flow = fast > 0 ? reach / fast : INFINITY;
    return fmin(flow, wave_limit(dx, acceleration, nu));
}

double step_limit(double dx, double cfl, double speed, double acceleration) {
    return step_limit_viscous(dx, cfl, speed, acceleration, 0);
}

double step_limit_light(double dx, double cfl, double share, double speed, double gravity) {
    const double cells = fmax(LIGHT_WAY * share * share, LIGHT_LEAST);
    if (cells >= cfl) return INFINITY;
    const double reach = cells * dx, gain = gravity * fabs(1 - share) / (share + 0.5);
    return reach / (speed + sqrt(reach * gain));
}

double step_wall_speed(const rheo_sim *s, double time) {
    double most = world_speed(s->world);
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[i];
        if (o->def->motion != RHEO_KEYED) continue;
        /* keys between frames count too */
        most = fmax(most, placement_fastest(o->def, o->shape, time, time + 1 / s->def.fps));
    }
    return most;
}

double step_limit_light_bodies(const rheo_sim *s, double gravity) {
    double dt = INFINITY;
    for (int i = 0; i < s->def.solid_count; ++i) {
        const body *b = s->solids[i].body;
        if (!b || s->def.coupling == RHEO_SOLID_TO_FLUID || world_is_gone(s->world, b)) continue;
        dt = fmin(dt, step_limit_light(s->g.dx, s->def.cfl, s->solids[i].def->density / sim_density(s),
                                       vec_length(b->now->velocity), gravity));
    }
    return dt;
}

double step_limit_rigid(const rheo_sim *s) {
    return sim_bodies_are_fluid(s) ? s->g.dx / world_speed(s->world) : INFINITY;
}
