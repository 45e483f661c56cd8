/* A closed concave mesh made here, so that cases about meshes need no files of their own. */
#ifndef BENCH_LOBED_MESH_H
#define BENCH_LOBED_MESH_H

#include <rheo/status.h>

enum { LOBED_PATH = 256 };

/* Writes an OBJ file of a ball of `radius` about the origin with three deep lobes and a dented top to a new
 * temporary file; `path` is the caller's to remove(). */
rheo_status lobed_mesh_write(char path[LOBED_PATH], double radius, rheo_report *report);
#endif
