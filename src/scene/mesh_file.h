/* The mesh file that a scene names. */
#ifndef SCENE_MESH_FILE_H
#define SCENE_MESH_FILE_H

#include <rheo/status.h>
#include "core/memory.h"

/* The absolute path of `name`, looked up from `directory`: a file that is there and ends like a mesh. `kept`
 * holds the path and what the report names. */
rheo_status mesh_file_find(const char **absolute, arena *kept, const char *directory, const char *name,
                           rheo_report *report);
#endif
