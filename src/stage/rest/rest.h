/* Faces that static walls leave less than KNOWN_MIN open, beside the surface. */
#ifndef STAGE_WALLS_SLIVERS_H
#define STAGE_WALLS_SLIVERS_H

#include "grid/openings.h"
#include <stddef.h>

typedef struct slivers {
    struct sliver *face;
    size_t count;
} slivers;

/* Lists them, anew; -1: no memory. */
int slivers_list(slivers *s, const mac_grid *g, const openings *o);
/* Closes those beside the surface: o's shares are a projection's own. */
void slivers_close(openings *o, const slivers *s, const mac_grid *g, const float *phi);
void slivers_free(slivers *s);
#endif
