/* Small vectors for rays, in float: pictures need no more. */
#ifndef RENDER_VEC3_H
#define RENDER_VEC3_H

#include <math.h>

typedef struct vec3 {
    float x, y, z;
} vec3;

static inline vec3 vec(float x, float y, float z) {
    return (vec3){x, y, z};
}
static inline vec3 vec_of(const double v[3]) {
    return (vec3){(float)v[0], (float)v[1], (float)v[2]};
}
static inline vec3 grey(float v) {
    return (vec3){v, v, v};
}
static inline vec3 add(vec3 a, vec3 b) {
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec3 sub(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec3 mul(vec3 a, vec3 b) {
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline vec3 scaled(vec3 a, float s) {
    return (vec3){a.x * s, a.y * s, a.z * s};
}
static inline vec3 along(vec3 o, vec3 d, float t) {
    return (vec3){o.x + t * d.x, o.y + t * d.y, o.z + t * d.z};
}
static inline float dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float length(vec3 a) {
    return sqrtf(dot(a, a));
}
static inline vec3 normalized(vec3 a) {
    float l = length(a);
    return l > 0 ? scaled(a, 1 / l) : vec(0, 1, 0);
}
static inline vec3 mix(vec3 a, vec3 b, float t) {
    return add(scaled(a, 1 - t), scaled(b, t));
}
static inline float clamp(float v, float low, float high) {
    return v < low ? low : v > high ? high : v;
}
static inline float luminance(vec3 c) {
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}
#endif
