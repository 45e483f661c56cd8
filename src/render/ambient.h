/* Light from the whole sky on opaque things: how much of it a place sees. */
#ifndef RENDER_AMBIENT_H
#define RENDER_AMBIENT_H

#include "core/parallel.h"
#include "render/tracer.h"

/* What one ray, cosine-weighted about n by u in [0, 1)^2, sees of the sky: all of it, what liquid lets
 * through, or the little that comes off solids. */
vec3 ambient_ray(const tracer *t, const picture_scene *s, vec3 x, vec3 n, const float u[2]);

/* The mean of many such rays on the floor, once a picture. NULL where there is no floor: ambient_on_floor()
 * is then 1. Deterministic for any number of threads. */
typedef struct ambient ambient;
rheo_status ambient_make(ambient **out, const tracer *t, const picture_scene *s, pool *p,
                         rheo_report *report);
vec3 ambient_on_floor(const ambient *m, float x, float z);
void ambient_free(ambient *m);
#endif
