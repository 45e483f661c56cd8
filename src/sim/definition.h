/* A simulation's own copy of its scene. */
#ifndef SIM_DEFINITION_H
#define SIM_DEFINITION_H

#include <rheo/scene.h>
#include "core/memory.h"

/* Everything that a run reads later, in `owner`; shapes are left out (they are compiled). -1: no memory. */
int definition_copy(rheo_scene *copy, arena *owner, const rheo_scene *scene);
#endif
