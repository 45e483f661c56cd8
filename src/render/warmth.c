/* Glow follows the eye's scale of hot bodies: dark red from 525 degrees C on, orange at 900, yellow at 1100,
 * nearly white above 1300. Planck's law over so wide a span would leave a crust black or the melt white: what
 * is sent out rises as the cube of how far a body is above the first glow. Limits: nothing lights anything
 * else. */
#include "render/warmth.h"

#include <math.h>

#define FIRST_GLOW 525.0
#define WHITE      1350.0

static vec3 between(const float (*stop)[3], int stops, double share) {
    const double at = fmin(fmax(share, 0), 1) * (stops - 1);
    const int low = at < stops - 2 ? (int)at : stops - 2;
    const float f = (float)(at - low);
    vec3 a = vec(stop[low][0], stop[low][1], stop[low][2]);
    return mix(a, vec(stop[low + 1][0], stop[low + 1][1], stop[low + 1][2]), f);
}

vec3 warmth_glow(double temperature) {
    static const float hue[5][3] = {
        {1, 0.03f, 0}, {1, 0.10f, 0.005f}, {1, 0.25f, 0.02f}, {1, 0.5f, 0.12f}, {1, 0.8f, 0.5f}};
    const double share = (temperature - FIRST_GLOW) / (WHITE - FIRST_GLOW);
    if (!(share > 0)) return grey(0);
    return scaled(between(hue, 5, share), (float)(4 * pow(fmin(share, 1), 3)));
}

vec3 warmth_scale(double share) {
    static const float stop[5][3] = {{0.03f, 0.09f, 0.42f},
                                     {0.10f, 0.38f, 0.62f},
                                     {0.62f, 0.60f, 0.50f},
                                     {0.80f, 0.32f, 0.06f},
                                     {0.62f, 0.03f, 0.02f}};
    return between(stop, 5, share);
}

static void widen_by(double span[2], double temperature) {
    span[0] = fmin(span[0], temperature);
    span[1] = fmax(span[1], temperature);
}

static void widen(double span[2], const rheo_curve *c) {
    for (int k = 0; k < c->count; ++k) widen_by(span, c->values[k]);
}

void warmth_span(double span[2], const rheo_scene *s) {
    span[0] = span[1] = s->ambient;
    for (int i = 0; i < s->fluid_count; ++i) widen_by(span, s->fluids[i].temperature);
    for (int i = 0; i < s->emitter_count; ++i) widen(span, &s->emitters[i].temperature);
    for (int i = 0; i < s->heat_source_count; ++i) widen(span, &s->heat_sources[i].temperature);
    for (int i = 0; i < s->solid_count; ++i) widen(span, &s->solids[i].temperature);
    for (int i = 0; i < 6; ++i) widen(span, &s->side_temperature[i]);
    if (!(span[1] > span[0])) span[1] = span[0] + 1;
}
