/* Both velocities around the liquid, and what lets it rest there.
 *
 *   u around the liquid = mean of its neighbours, layer by layer; quiet faces are not known, but carried over
 *   carry <- carry less a lift that has no meaning
 *
 * Source: Sommer 2018 for the layers; docs/decisions/0011-rest.md for the rest (stage/rest/).
 *
 * Limits: lift is left alone where something moves or drives the liquid. */
#include "sim/liquid.h"

#include <math.h>
#include "solid/vector.h"

/* Beside walls particles are too few to tell the surface to less than about a fifth of a cell, and so the
 * velocity to less than this part of what gravity gives in a step (docs/decisions/0011-rest.md). */
#define QUIET 0.2
/* Likewise at corners of a surface oblique to the grid; more would damp small waves. */
#define QUIET_CORNER 0.1
#define OBLIQUE      1.0005 /* 1 / cosine: 1.8 degrees, a cell in 32 */
/* Of extrapolation around the liquid, beyond what particles can cross in a step; and of these. Beside solids
 * it must reach to the tip of a wedge: over a floor of slope s liquid is thinner than what has a velocity of
 * its own (a quarter of a cell) for 1 / (4 s) cells, and faces that are not reached keep what is solved,
 * which means nothing, or nothing at all: tips trembled, films hung on slopes. */
enum { NEAR_LAYERS = 3, WEDGE_LAYERS = 6, LAYERS_MOST = 64 };

int liquid_near_layers(const rheo_sim *s) {
    return s->def.solid_count ? WEDGE_LAYERS : NEAR_LAYERS;
}

/* How far the velocity must be known around the liquid: what particles can cross in the next step, which may
 * be longer than this one. */
static int layers_to_cross(const rheo_sim *s) {
    const double *speed = liquid_of(s)->projection.speed;
    const double fastest = fmax(speed[0], fmax(speed[1], speed[2])), frame = 1 / s->def.fps;
    const double longest = s->def.dt_max > 0 ? fmin(s->def.dt_max, frame) : frame;
    const double most = fmin(fastest * longest / s->g.dx, s->def.cfl);
    return liquid_near_layers(s) + (most < LAYERS_MOST ? (int)most : LAYERS_MOST);
}

/* Whether water at rest has a surface across no axis. */
static int is_oblique(const double gravity[3]) {
    const double most = fmax(fabs(gravity[0]), fmax(fabs(gravity[1]), fabs(gravity[2])));
    return vec_length(gravity) > OBLIQUE * most;
}

void liquid_rest(liquid *l, const projecting *on, rheo_sim *s, const double gravity[3], int carries) {
    const scratch_count mine = s->scratch.lent;
    const int far = layers_to_cross(s), near = liquid_near_layers(s);
    const double pull = vec_length(gravity) * on->dt;
    const quiet_limits slow = {.beside_solids = s->def.solid_count ? QUIET * pull : 0,
                               .corners = is_oblique(gravity) ? QUIET_CORNER * pull : 0};
    stress_extend(&l->vel, carries ? far : near, &l->carry, far, &l->stress, &l->walls, s, on->phi, &slow);
    if (s->moving || emitters_drive(&l->emitters, &l->walls, s, on->dt)) l->risen = 0;
    else
        rest_limit_lift(&l->carry, &l->risen, scratch_cells(&s->scratch), &s->g, &l->vel, &l->markers.parts,
                        gravity, vec_length(l->projection.speed), on->dt);
    scratch_back(&s->scratch, mine);
}
