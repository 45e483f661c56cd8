/* Solids thinner than the grid resolves, as the grid and its particles see them. */
#ifndef STAGE_WALLS_THIN_THIN_H
#define STAGE_WALLS_THIN_THIN_H

#include "grid/gaps.h"
#include "grid/openings.h"
#include "grid/sight.h"
#include "particle/particles.h"
#include "solid/obstacle.h"
#include "stage/walls/tuning.h"

enum { THIN_BAND = 4 }; /* cells from a thin wall: what `distance` is capped at */

typedef struct cut_cell cut_cell;

/* What follows from where the thin solids are now, and of the particles among them. */
typedef struct thin_walls {
    int count;       /* thin solids; 0: nothing else is set */
    placement *then; /* of all solids when the step under way began */
    double *swept;   /* m, scratch, a solid */
    float *distance; /* m, from the centres of cells to the nearest thin solid, negative inside; capped */
    uint32_t *sees;  /* a bit for each of the 27 cells around: its centre is in sight of this one's */
    uint8_t *slants; /* a bit an axis: the low face is closed by a wall that does not lie across that axis */
    gaps gaps;       /* below thin bodies */
    int32_t *cut;    /* index of a cell that a wall may cut, else -1 */
    cut_cell *cells; /* [cut_count] */
    int cut_count, cut_capacity;
    uint8_t *home; /* of particles: which of the 27 cells around its own a particle belongs to */
    float *was[3]; /* cells: where particles were before they moved */
    size_t home_capacity, was_capacity;
    int *row_count; /* scratch, a row */
} thin_walls;

/* Marks thin solids and allocates what they need. -1: no memory. */
int thin_make(thin_walls *t, const mac_grid *g, obstacle *solids, int count);
void thin_free(thin_walls *t);
size_t thin_bytes(const thin_walls *t, const mac_grid *g);

/* What gaps beside thin bodies are found with. */
typedef struct thin_around {
    const float *node_phi; /* of thick solids, m */
    double gravity[3];     /* of any length */
    double density;        /* of the liquid, kg/m3 */
} thin_around;

/* Which cells see each other past the walls; closes the faces between those that do not, and the share of
 * other faces that a thin solid takes up. With `around`, faces along gaps beside thin bodies are
 * listed for films to open. -1: no memory. */
int thin_place(thin_walls *t, openings *o, const mac_grid *g, const obstacle *solids, int count,
               const thin_around *around);
/* After solids_movers(): faces where a thin body ends such a gap are its own. */
void thin_movers(openings *o, const thin_walls *t, const mac_grid *g, const obstacle *solids, int count,
                 const thin_around *around);
/* solids_free_share() with walls that hide what is behind them: only cells near thin solids change. */
void thin_free_share(float *free_share, const thin_walls *t, const mac_grid *g, const float *node_phi,
                     const openings *o);

/* Before particles move: where they are, and the solids. -1: no memory. */
int thin_remember(thin_walls *t, const mac_grid *g, const particles *p, const obstacle *solids, int count);
/* After particles and solids moved: every particle stays on its side of every wall. Number of touches. */
int64_t thin_keep_sides(particles *p, thin_walls *t, const mac_grid *g, const obstacle *solids, int count);
/* Marks keep[q] = 0 for particles inside thin solids. */
void thin_reject(uint8_t *keep, const mac_grid *g, particles *p, const obstacle *solids, int count);

/* Density of cells near thin solids from the particles in sight of them (sorted). -1: no memory. */
int thin_density(float *density, thin_walls *t, const mac_grid *g, const particles *p, const obstacle *solids,
                 int count, const float *free_share, float full);

/* Thin solids at some time, and what followed from where they were. */
typedef struct thin_scene {
    const thin_walls *walls;
    const obstacle *solids;
    int count;
} thin_scene;

/* How far any point within its bounds and a band around was carried by a solid's motion since `then` [m]. */
double thin_swept(const obstacle *o, const placement *then, double band);

/* The cell that a place x in cell c belongs to: the nearest whose middle it sees; 0: none. */
int thin_home(int home[3], const thin_scene *w, const mac_grid *g, const int c[3], const double x[3]);
/* Where a cell's fluid is asked for [m]; 0: the cell is in a wall and has none. */
int thin_middle(double x[3], const thin_walls *t, const mac_grid *g, const int c[3]);
/* Shares of cells outside thick solids <- those of what belongs to each cell: parts that thin walls cut off
 * belong to their home, so a share may be larger than 1, and what is in a wall to none. */
void thin_shares(float *share, float *scratch, const thin_walls *t, const mac_grid *g);
/* The share of cells beside thin walls that liquid takes up: what is open of them on its side. -1 where the
 * surface is near, or a thick solid at nodes, and farther from thin walls. */
void thin_filled(float *filled, const thin_walls *t, const mac_grid *g, const float *phi,
                 const float *node_phi);
/* Of `count` cells that a shape covers by a part, those whose fluid it covers come first; how many. */
size_t thin_keep_covered(ptrdiff_t *cell, float *part, size_t count, const thin_walls *t, const mac_grid *g,
                         const shape *s);

/* What of a grid field arrives at samples near thin walls in a step of dt, from `then` to `now`. */
typedef struct thin_paths {
    int at;                     /* the samples: faces across an axis, 3: cells */
    double dt;                  /* s */
    const mac_field *u;         /* m/s, as it was then */
    const float *share;         /* of cells, then: those of share 0 only repeat their neighbours */
    float *const *back;         /* cells: where samples came from, were there no thin walls */
    const float *lower, *upper; /* cells: where paths end */
} thin_paths;
/* Lists the samples for which walls are in the way. -1: no memory. */
int thin_look_back(sight *out, const thin_paths *p, const thin_scene *then, const thin_scene *now,
                   const mac_grid *g);
void thin_forget_paths(sight *out);

/* Velocity on the faces that walls close: what leads through the wall is replaced by the wall's own. */
void thin_constrain(mac_field *u, float *const scratch[3], const thin_walls *t, const mac_grid *g,
                    const openings *o, const obstacle *solids, int count);
/* A drawn distance with the surface on the walls instead of half a cell behind them. */
void thin_drawn(float *drawn, const thin_walls *t, const mac_grid *g, const float *phi);
#endif
