/* Whether elastic fluids hold together: what hits a wall faster than a share of its shear waves, sqrt(G /
 * rho), tears.
 *
 * Limits: how fast it will be is what it starts with and what a fall to the low side of the domain, along
 * gravity, adds; what solids, other fluids and emitters do is not foreseen. */
#include <math.h>
#include <stdio.h>
#include "scene/doctor.h"
#include "solid/vector.h"

#define TEARS                                                                                                \
    0.4 /* of the speed of shear waves: blocks and balls fall to pieces at 0.45 to 0.7, and hold at 0.36 */

/* m/s, of a fill when it arrives at the low side. */
static double landing_speed(const doctor *d, const shape *fill, const rheo_fluid *f) {
    const rheo_scene *s = d->scene;
    double gravity[3], low[3], high[3], below = 0, start2 = 0;
    rheo_evaluate_curve(gravity, &s->gravity, 0);
    shape_bounds(low, high, fill);
    for (int a = 0; a < s->dim; ++a) {
        const double room = gravity[a] < 0 ? low[a] : s->size[a] - high[a];
        below += fabs(gravity[a]) * fmax(0, room);
        start2 += f->velocity[a] * f->velocity[a];
    }
    return sqrt(start2 + 2 * below);
}

void doctor_elastic(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    int fill = 0;
    if (!rheo_describe_method(s->method)->gridless || s->sph.stress == RHEO_SPH_NEWTONIAN) return;
    for (int i = 0; i < s->fluid_count; ++i) {
        const rheo_fluid *f = &s->fluids[i];
        const double wave = sqrt(f->elasticity / f->density);
        double speed = 0;
        for (int k = 0; k < f->fill_count; ++k, ++fill)
            speed = fmax(speed, landing_speed(d, d->fill[fill], f));
        if (!(f->elasticity > 0) || !(speed > TEARS * wave)) continue;
        snprintf(path, sizeof path, "fluids[%d]", i);
        doctor_find(d, RHEO_NOTE, path, "a larger elasticity, or a shorter fall",
                    "it may land at %.2g m/s, and its shear waves run at %.2g m/s: from about 0.4 of that on "
                    "it tears",
                    speed, wave);
    }
}
