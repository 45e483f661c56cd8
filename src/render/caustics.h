/* Sunlight on the floor after it has gone through liquid: bright where waves focus it, dim where they spread
 * it. */
#ifndef RENDER_CAUSTICS_H
#define RENDER_CAUSTICS_H

#include "render/tracer.h"

typedef struct caustics caustics;

/* *c is NULL, with RHEO_OK, where there is no floor, no sun or no liquid. */
rheo_status caustics_make(caustics **c, const tracer *t, const picture_scene *s, pool *p,
                          rheo_report *report);
void caustics_free(caustics *c);
/* The share of direct sunlight that arrives at a place of the floor; solids are left out. 1 for NULL and far
 * away. */
vec3 caustics_at(const caustics *c, float x, float z);
#endif
