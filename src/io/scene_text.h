/* A scene's values in force as text: what the manifest keeps, and what decides whether a run may go on. */
#ifndef IO_SCENE_TEXT_H
#define IO_SCENE_TEXT_H

#include "io/cache.h"

/* The scene as JSON (which is YAML: rheo_load_scene reads it), mesh files by absolute path; mem_free.
 * `section` gets a checksum of each part that decides the simulation, mesh files' contents included; how many
 * frames, what is written, colours, looks and the camera are not among them. NULL: no memory. */
char *scene_text(uint64_t section[CACHE_SECTIONS], const rheo_scene *scene);
#endif
