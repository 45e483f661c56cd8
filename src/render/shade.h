/* The light that comes along a ray. */
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/caustics.h"
#include "render/haze.h"

/* `c` may be NULL: light then goes straight through liquid to the floor; `h` too: no smoke. (pixel, sample)
 * choose the random numbers; samples of a pixel complement each other. */
vec3 shade_ray(const tracer *t, const caustics *c, const haze *h, const picture_scene *s, vec3 origin,
               vec3 direction, uint64_t pixel, unsigned sample);
#endif
