/* Steps that hit frames exactly: a whole number of equal ones to the frame's end, none longer than the
 * limits.
 *
 * The velocity that ends a step carries the liquid through the next one, and at a keyed solid it must be what
 * takes the solid through that: (x(t + dt) - x(t)) / dt of the dt to come (solid/placement.c). So the next
 * step is planned before the projection, from speeds that grow as they did in the last step, and is then as
 * long as planned. Only where the flow turns out faster than the plan allows is it shorter, and walls for
 * once a little ahead or behind. Scenes without keyed solids plan nothing. */
#include "sim/clock.h"

#include <math.h>

static double frame_end(const rheo_sim *s, int frame) {
    return frame / s->def.fps;
}

static double longest_step(const rheo_sim *s, double time, double dt_max) {
    double limit = s->engine->dt_limit(s, time);
    if (s->def.dt_max > 0) limit = fmin(limit, s->def.dt_max);
    if (dt_max > 0) limit = fmin(limit, dt_max);
    return limit;
}

static double equal_steps(double left, double limit) {
    return left / fmax(1, ceil(left / limit * (1 - 1e-9)));
}

double clock_start(rheo_sim *s) {
    const double dt =
        equal_steps(frame_end(s, s->clock.frame + 1) - s->clock.time, longest_step(s, s->clock.time, 0));
    s->clock.step_rate = 0; /* as from rest */
    if (s->keyed) s->clock.next_dt = dt;
    return dt;
}

double clock_step(rheo_sim *s, double dt_max) {
    const double end = frame_end(s, s->clock.frame + 1), limit = longest_step(s, s->clock.time, dt_max);
    const double gain = fmax(0, 1 / limit - s->clock.step_rate);
    const int as_planned = s->clock.next_dt > 0 && s->clock.next_dt * (1 - 1e-9) <= limit;
    const double dt = as_planned ? s->clock.next_dt : equal_steps(end - s->clock.time, limit);
    s->clock.step_rate = 1 / limit;
    s->clock.dt_asked = dt_max;
    s->clock.closing_step = s->clock.time + dt > end - 0.5 * dt;
    s->clock.step_end = s->clock.closing_step ? end : s->clock.time + dt;
    if (!s->keyed) return dt;
    const double left = frame_end(s, s->clock.frame + s->clock.closing_step + 1) - s->clock.step_end;
    s->clock.next_dt = equal_steps(left, 1 / (1 / longest_step(s, s->clock.step_end, dt_max) + gain));
    return dt;
}

double clock_ahead(const rheo_sim *s) {
    const double left = frame_end(s, s->clock.frame + s->clock.closing_step + 1) - s->clock.step_end;
    return s->clock.next_dt > 0 ? s->clock.next_dt
                                : equal_steps(left, longest_step(s, s->clock.step_end, s->clock.dt_asked));
}
