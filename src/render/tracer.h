/* Questions to a picture's geometry: what does a ray meet first, is the way to a light free.
 * The only file that knows Embree is tracer.c. */
#ifndef RENDER_TRACER_H
#define RENDER_TRACER_H

#include "render/picture.h"

typedef struct tracer tracer;

/* RHEO_USAGE with what to install when rheo was built without Embree. The scene must outlive the tracer. */
rheo_status tracer_make(tracer **t, const picture_scene *s, rheo_report *report);
void tracer_free(tracer *t);
bool tracer_available(void);

enum { SEE_LIQUID = 1, SEE_DROPS = 2, SEE_SOLID = 4, SEE_FLOOR = 8, SEE_ALL = 15 };

typedef struct tracer_hit {
    float distance;    /* m */
    unsigned what;     /* SEE_... */
    int material;      /* -1 on the floor */
    int beyond;        /* liquid: material of the liquid on the outer side, or -1 */
    vec3 facet;        /* unit normal of the geometry, outwards */
    vec3 normal;       /* the smooth one */
    float radius;      /* m, of a droplet */
    vec3 albedo, glow; /* of solids and of opaque liquid */
} tracer_hit;

/* The nearest hit at a distance in (near, far) among the kinds in `see`. d is a unit vector. */
bool tracer_nearest(tracer_hit *hit, const tracer *t, vec3 o, vec3 d, float near, float far, unsigned see);
/* Whether liquid ends at x against a vessel, its face there turned as `facet` is; then the vessel's normal.
 */
bool tracer_against_vessel(vec3 *normal, const tracer *t, vec3 x, vec3 facet);
/* Whether an opaque solid (not the floor, not glass, not lines) is in the way. */
bool tracer_blocked(const tracer *t, vec3 o, vec3 d, float near, float far);
#endif
