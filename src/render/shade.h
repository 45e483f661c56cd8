/* The light that comes along a ray. */
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/ambient.h"
#include "render/caustics.h"
#include "render/haze.h"

/* What is the same for a picture. All maps but the tracer may be NULL: light then goes straight through
 * liquid to the floor, the sky on it is traced, there is no smoke. */
typedef struct shade_maps {
    const tracer *tracer;
    const caustics *caustics;
    const ambient *ambient;
    const haze *haze;
    unsigned samples; /* a pixel */
} shade_maps;

/* (pixel, sample) choose the random numbers; those of a pixel and of its neighbours complement each other.
 * pixel: row << 32 | column. */
vec3 shade_ray(const shade_maps *m, const picture_scene *s, vec3 origin, vec3 direction, uint64_t pixel,
               unsigned sample);
#endif
