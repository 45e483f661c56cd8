/* What the files of this room share: where a loaded scene's memory and file places live. */
#ifndef SCENE_INTERNAL_H
#define SCENE_INTERNAL_H

#include <rheo/scene.h>
#include "core/memory.h"
#include "scene/node.h"

enum { SHAPE_DEPTH_MAX = 16 };

/* rheo_scene.owner of a loaded scene. */
typedef struct scene_owner {
    arena memory;
    node *root; /* what the scene was read from, for the places in later messages */
} scene_owner;

/* Parses a scene from memory. `name` is for messages, meshes are looked up from `directory`. */
rheo_status scene_parse_text(rheo_scene **scene, const char *text, size_t length, const char *name,
                             const char *directory, const char *const *set, int set_count,
                             rheo_report *report);
/* Fills a scene from the tree in its owner; validation is the caller's. *rewritten: mesh paths were made
 * absolute. */
rheo_status scene_read_tree(rheo_scene *scene, bool *rewritten, const char *directory, rheo_report *report);
#endif
