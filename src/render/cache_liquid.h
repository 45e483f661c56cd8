/* Liquid of a cache's frame: a mesh or balls a fluid, and spray. */
#ifndef RENDER_CACHE_LIQUID_H
#define RENDER_CACHE_LIQUID_H

#include "io/cache.h"
#include "io/ply.h"
#include "render/picture.h"

/* What a picture points to. All 0 at first. */
typedef struct cache_liquid {
    rheo_mesh mesh[RHEO_FLUIDS_MAX];
    float *paint[RHEO_FLUIDS_MAX];    /* colours of a mesh's vertices, or NULL */
    int16_t *beyond[RHEO_FLUIDS_MAX]; /* of its triangles, or NULL */
    float (*drop)[4];                 /* of spray, and then balls: x y z radius */
    float (*ball)[4], (*ball_paint)[3];
} cache_liquid;

rheo_status cache_liquid_add(picture_scene *to, cache_liquid *l, const rheo_scene *scene, const char *cache,
                             const cache_manifest *m, int frame, rheo_report *report);
void cache_liquid_free(cache_liquid *l);
#endif
