/* Films of water between faces that lie on each other. */
#ifndef STAGE_WALLS_FILM_H
#define STAGE_WALLS_FILM_H

#include "grid/openings.h"

/* A list of cells that grows. */
typedef struct film_cells {
    int32_t *cell;
    int count, capacity;
} film_cells;

typedef struct films {
    film_cells patch, rim, stack;
    uint8_t *region; /* [box.size], made when first asked for */
    int any;         /* whether films_find() found one */
} films;

void films_free(films *f);
size_t films_bytes(const films *f, const mac_grid *g);

/* Which of the gaps that solids_meet() listed are films: phi becomes liquid in their cells. mark: a byte a
 * cell; pull: gravity, of any length. -1: no memory. */
int films_find(films *f, openings *o, float *phi, uint8_t *mark, const mac_grid *g, const float *free_share,
               const double pull[3]);
/* Opens them: o's shares are a projection's own. solids: how many there are. */
void films_open(openings *o, const films *f, const mac_grid *g, int solids);
/* Gravity's pull on them, m/s, as they flow so easily. */
void films_pull(mac_field *u, const openings *o, const films *f, const mac_grid *g, const double pull[3]);
#endif
