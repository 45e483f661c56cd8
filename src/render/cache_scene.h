/* A cache's scene made ready for pictures: what stays the same over the frames, and a frame's own part. */
#ifndef RENDER_CACHE_SCENE_H
#define RENDER_CACHE_SCENE_H

#include "io/cache.h"
#include "io/volume.h"
#include "render/cache_liquid.h"
#include "render/picture.h"
#include "solid/shape.h"

typedef struct cache_solid {
    shape *shape;
    placement place;     /* in the frame being drawn */
    double centre[3];    /* of the shape where the scene file has it */
    double swell;        /* m by which the drawn surface lies outside the true one */
    bool triangles;      /* a plain mesh: drawn as such */
    double (*vertex)[3]; /* m, in the scene file's place */
    float *position;     /* m, placed */
    uint32_t *triangle;
    size_t vertex_count, triangle_count;
} cache_solid;

typedef struct cache_scene {
    rheo_scene *scene;
    const char *cache;
    const cache_manifest *manifest;
    cache_solid *solid; /* [scene->solid_count] */
    picture_edges edges;
    picture_scene picture; /* of the frame loaded last */
    cache_liquid liquid;
    volume volume;
} cache_scene;

rheo_status cache_scene_open(cache_scene **c, const char *cache, const cache_manifest *m,
                             rheo_report *report);
/* Fills `picture` with the frame: surface and spray or smoke, solids where they are, camera. */
rheo_status cache_scene_load_frame(cache_scene *c, int frame, float aspect, rheo_report *report);
void cache_scene_free(cache_scene *c);
/* A checksum of all that decides how things look and that a run may change while its frames stay: camera,
 * colours, looks. */
uint64_t cache_scene_looks(const rheo_scene *scene);
/* The file that a frame is drawn from, a surface or a volume; NULL: none. */
const cache_file *cache_scene_source(const cache_manifest *m, int frame);
/* CACHE/NAME of a file the manifest lists; false when too long. */
bool cache_scene_path(char path[FILE_PATH_MAX], const char *cache, const char *name);
#endif
