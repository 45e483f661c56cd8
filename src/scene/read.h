/* Reading a scene's tree: what its files share. */
#ifndef SCENE_READ_H
#define SCENE_READ_H

#include "scene/params.h"
#include "scene/scene_internal.h"

typedef struct reader {
    arena *memory;
    rheo_report *report;
    rheo_scene *scene;
    const char *directory;
    bool rewritten;
    int depth;    /* of nested shapes */
    bool is_fill; /* the shape that is read may appear later */
} reader;

/* RHEO_INVALID, with the place of a node and its path in the scene. */
__attribute__((format(printf, 6, 7))) rheo_status read_fail(reader *r, const node *n, const char *path,
                                                            const char *allowed, const char *nearest,
                                                            const char *format, ...);
rheo_status read_fail_type(reader *r, const node *n, const char *path, const param *p);
void read_join(char path[NODE_PATH_MAX], const char *parent, const char *name);
void read_join_index(char path[NODE_PATH_MAX], const char *parent, int index);

rheo_status read_section(reader *r, void *into, const node *map, section in, const char *path);
rheo_status read_shape(reader *r, rheo_shape *shape, const node *n, const char *path);
/* A fluid's fills. */
rheo_status read_shapes(reader *r, rheo_fluid *fluid, const node *n, const char *path, const param *p);
#endif
