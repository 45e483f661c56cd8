/* Liquid at rest: the displacement that keeps the volume lifts none of it.
 *
 *   lift = - sum over particles of g . w dt,   w <- w (1 - band / lift) or 0,
 *   band = LIFT dx g - speed^2 / 2 for each particle
 *
 * What expands below the surface lifts what is above: the displacement w works against the pressure. In
 * liquid that moves this is less than motion loses; in a tank at rest, where densities are off by what few
 * particles make of them, it is nearly all the energy that the tank gains. Up to LIFT cells a step, less the
 * height that the fastest of the liquid could rise, a lift has no meaning. What lowers the liquid, and what
 * more volume is missing for, goes on: the centroid ends at most LIFT / RATE cells too low
 * (stage/volume/volume.c).
 *
 * The velocity itself is free of divergence on the grid, but not where it is interpolated between faces: at
 * rest (AT_REST) what is left of it raises particles by 1e-10 to 1e-9 m a step, and all are lowered by as
 * much as they have risen on the whole; what it lowers them by it may lift again, or small waves would be
 * pumped down.
 *
 * Source: docs/decisions/0011-rest.md.
 *
 * Limits: where something drives the liquid, however slowly, this is not for it: voids behind a ball are few
 * cells of a tank. */
#include "stage/rest/rest.h"

#include <math.h>
#include "core/hot.h"
#include "particle/transfer.h"

#define LIFT    1e-3 /* cells that all particles rise on average: what is asked of a tank is a tenth of it */
#define AT_REST 0.01 /* of sqrt(g dx): slower liquid is at rest */

typedef struct {
    const mac_grid *g;
    mac_field *carry;
    const mac_field *u;
    float *moved, left, by[3];
    int axis;
} lift_job;

enum { VALUES = 1 << 14 }; /* a block */

static size_t block_end(const mac_grid *g, int block) {
    const size_t end = ((size_t)block + 1) * VALUES;
    return end < g->box.size ? end : g->box.size;
}

static int value_blocks(const mac_grid *g) {
    return block_count((long)g->box.size, VALUES);
}

HOT static void moved_task(void *context, int block) {
    const lift_job *s = context;
    const float *carry = s->carry->value[s->axis], *u = s->u->value[s->axis];
    for (size_t c = (size_t)block * VALUES; c < block_end(s->g, block); ++c) s->moved[c] = carry[c] - u[c];
}

HOT static void leave_task(void *context, int block) {
    const lift_job *s = context;
    const size_t from = (size_t)block * VALUES, to = block_end(s->g, block);
    for (int a = 0; a < s->g->box.dim; ++a) {
        float *carry = s->carry->value[a];
        const float *u = s->u->value[a];
        for (size_t c = from; c < to; ++c) carry[c] = u[c] + s->left * (carry[c] - u[c]);
    }
}

HOT static void lower_task(void *context, int block) {
    const lift_job *s = context;
    for (int a = 0; a < s->g->box.dim; ++a) {
        float *carry = s->carry->value[a];
        for (size_t c = (size_t)block * VALUES; c < block_end(s->g, block); ++c) carry[c] += s->by[a];
    }
}

/* The energy that a velocity gives to particles in dt, m2/s2 summed over them: u, or the displacement. */
static double lifted(lift_job *s, const particles *p, const double gravity[3], double dt, int displaced) {
    double sum = 0;
    for (s->axis = 0; s->axis < s->g->box.dim; ++s->axis) {
        if (!(fabs(gravity[s->axis]) > 0)) continue;
        if (displaced) parallel_for(s->g->pool, value_blocks(s->g), moved_task, s);
        const float *field = displaced ? s->moved : s->u->value[s->axis];
        sum -= gravity[s->axis] * dt * particles_sum(p, s->g, field, s->axis);
    }
    return sum;
}

enum { PARTICLES = 1 << 14 }; /* a block */

static double spray_task(void *context, int block) {
    const particles *p = context;
    const size_t from = (size_t)block * PARTICLES,
                 end = from + PARTICLES < p->count ? from + PARTICLES : p->count;
    int spray = 0;
    for (size_t q = from; q < end; ++q) spray += p->spray[q] != 0;
    return spray;
}

/* m that u lifts particles on average in dt; spray flies by itself. */
static double mean_rise(lift_job *s, const particles *p, const double gravity[3], double pull, double dt) {
    const double spray =
        parallel_sum(s->g->pool, block_count((long)p->count, PARTICLES), spray_task, (void *)p);
    const double carried = (double)p->count - spray;
    return carried > 0 ? lifted(s, p, gravity, dt, 0) / (carried * pull) : 0;
}

void rest_limit_lift(mac_field *carry, double *risen, float *scratch, const mac_grid *g, const mac_field *u,
                     const particles *p, const double gravity[3], double speed, double dt) {
    lift_job s = {.g = g, .carry = carry, .u = u, .moved = scratch};
    const double pull = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    const double wave2 = g->dx * pull; /* of a cell's wave, squared */
    const double band = (double)p->count * (LIFT * wave2 - 0.5 * speed * speed);
    const double before = *risen;
    *risen = pull > 0 ? -0.5 * speed * speed / pull : 0; /* a wave may rise by what its speed carries it */
    if (!(band > 0)) return;
    const double lift = lifted(&s, p, gravity, dt, 1);
    if (lift > 0) {
        s.left = lift > band ? (float)(1 - band / lift) : 0;
        parallel_for(g->pool, value_blocks(g), leave_task, &s);
    }
    if (speed * speed > AT_REST * AT_REST * wave2) return;
    const double rise = before + mean_rise(&s, p, gravity, pull, dt);
    *risen = fmin(rise, 0);
    if (!(rise > 0)) return;
    for (int a = 0; a < g->box.dim; ++a) s.by[a] = (float)(rise / dt * gravity[a] / pull);
    parallel_for(g->pool, value_blocks(g), lower_task, &s);
}
