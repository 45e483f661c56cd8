/* What light does at a surface and on its way to the eye.
 *
 * Fresnel (unpolarised), with i and t the angles to the normal on both sides and n = n_from / n_to:
 *     sin t = n sin i,    F = (r_s^2 + r_p^2) / 2,
 *     r_s = (n cos i - cos t) / (n cos i + cos t),  r_p = (cos i - n cos t) / (cos i + n cos t).
 * Beer-Lambert: of light, color^(length / metre) is left. Source: any optics text; Narkowicz (2015) for the
 * film curve. Limits: no dispersion, no polarisation, no scattering beyond the tint in shade.c. */
#ifndef RENDER_OPTICS_H
#define RENDER_OPTICS_H

#include "render/vec3.h"

static const float WATER_INDEX = 1.33f;

/* `cosine` is of the incoming side, >= 0; `ratio` n_from / n_to. Reflected share; *cosine_through is 0 at
 * total reflection. */
float optics_fresnel(float *cosine_through, float cosine, float ratio);
/* d is the way in, n the unit normal against it (dot(d, n) <= 0). */
vec3 optics_reflect(vec3 d, vec3 n);
vec3 optics_refract(vec3 d, vec3 n, float ratio, float cosine_through);
/* color: left after one metre; colours of 0 are taken as a very small rest, so that the logarithm exists. */
vec3 optics_absorption(vec3 color); /* 1/m */
vec3 optics_transmit(vec3 absorption, float length);

/* Scene-linear to display-linear in [0, 1], then to 8 bit sRGB. */
vec3 optics_film(vec3 radiance);
unsigned char optics_srgb(float linear);
float optics_linear(unsigned char srgb);

typedef struct sky {
    vec3 zenith, horizon, ground; /* radiance looking up, level, down */
    vec3 sun_direction;           /* unit, towards the sun */
    vec3 sun;                     /* radiance of a white surface facing it; 0: no sun */
    float sun_radius;             /* rad: how soft its shadows are */
} sky;
sky optics_default_sky(void);
vec3 optics_sky(const sky *s, vec3 d); /* without the sun */
vec3 optics_sun_glow(const sky *s,
                     vec3 d); /* the sun's disc and halo, broadened so that few samples find it */
#endif
