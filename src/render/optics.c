/* Surface and path optics of the pictures; the equations stand in optics.h. */
#include "render/optics.h"

float optics_fresnel(float *cosine_through, float cosine, float ratio) {
    float c = clamp(cosine, 0, 1);
    float sine2 = ratio * ratio * (1 - c * c);
    if (sine2 >= 1) {
        *cosine_through = 0;
        return 1;
    }
    float through = sqrtf(1 - sine2);
    *cosine_through = through;
    float s = (ratio * c - through) / (ratio * c + through);
    float p = (c - ratio * through) / (c + ratio * through);
    return 0.5f * (s * s + p * p);
}

vec3 optics_reflect(vec3 d, vec3 n) {
    return normalized(along(d, n, -2 * dot(d, n)));
}

vec3 optics_refract(vec3 d, vec3 n, float ratio, float cosine_through) {
    return normalized(along(scaled(d, ratio), n, -ratio * dot(d, n) - cosine_through));
}

static float absorb(float left) {
    return -logf(clamp(left, 1e-6f, 1));
}

vec3 optics_absorption(vec3 color) {
    return vec(absorb(color.x), absorb(color.y), absorb(color.z));
}

vec3 optics_transmit(vec3 absorption, float length) {
    return vec(expf(-absorption.x * length), expf(-absorption.y * length), expf(-absorption.z * length));
}

static float film(float x) {
    x = clamp(x, 0, 1000);
    return clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0, 1);
}

vec3 optics_film(vec3 radiance) {
    return vec(film(radiance.x), film(radiance.y), film(radiance.z));
}

unsigned char optics_srgb(float linear) {
    float c = clamp(linear, 0, 1);
    float v = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
    return (unsigned char)(v * 255 + 0.5f);
}

float optics_linear(unsigned char srgb) {
    float v = (float)srgb / 255;
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

sky optics_default_sky(void) {
    return (sky){
        .zenith = {0.10f, 0.24f, 0.58f},
        .horizon = {0.52f, 0.67f, 0.86f},
        .ground = {0.22f, 0.215f, 0.21f},
        .sun_direction = normalized(vec(-0.50f, 0.72f, -0.42f)),
        .sun = {1.95f, 1.76f, 1.48f},
        .sun_radius = 0.05f,
    };
}

/* The gradient is steepest at the horizon, as the path through air is longest there. */
vec3 optics_sky(const sky *s, vec3 d) {
    if (d.y >= 0) return mix(s->horizon, s->zenith, powf(clamp(d.y, 0, 1), 0.55f));
    return mix(s->horizon, s->ground, clamp(-12 * d.y, 0, 1));
}

vec3 optics_sun_glow(const sky *s, vec3 d) {
    float c = clamp(dot(d, s->sun_direction), 0, 1);
    float disc = powf(c, 1200), halo = powf(c, 24);
    return scaled(s->sun, 40 * disc + 0.12f * halo);
}
