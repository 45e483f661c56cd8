/* The scene's solids as an engine's grid sees them. */
#ifndef SIM_WALLS_H
#define SIM_WALLS_H

#include "grid/extrapolate.h"
#include "sim/sim.h"
#include "stage/rest/rest.h"
#include "stage/walls/film.h"
#include "stage/walls/solids.h"
#include "stage/walls/thin/thin.h"

typedef struct walls {
    float *solid,
        *solid_still; /* node distances, m: all solids now; those that never move (NULL: none move) */
    float *free_share, *free_share_still; /* in cells, likewise; NULL: not asked for */
    openings open;
    thin_walls thin;  /* solids that nodes do not show; count 0: none */
    slivers slivers;  /* of open, where nothing moves */
    films films;      /* of water between faces of bodies and what they lie on */
    int by_particles; /* the surface beside them is told by particles: slivers and films matter */
    front front;      /* of sweeps over faces and cells */
} walls;

/* with_free_share: whether the open space around cells is asked for. */
void walls_list(walls *w, rheo_sim *s, int with_free_share);
/* What is no field; the solids that never move. */
rheo_status walls_make(walls *w, rheo_sim *s, rheo_report *report);
void walls_free(walls *w);
size_t walls_bytes(const walls *w, const rheo_sim *s);
/* Whether the thin solids of the scene can be held in its domain. */
rheo_status walls_check_thin(const walls *w, const rheo_sim *s, rheo_report *report);

/* Puts the solids where they are at a time, and on the grid; bodies are where their states say. */
rheo_status walls_place(walls *w, rheo_sim *s, double time, rheo_report *report);
/* The same where some solid moves. */
rheo_status walls_move(walls *w, rheo_sim *s, double time, rheo_report *report);
/* Node distances, or NULL where there are no solids. */
const float *walls_distance(const walls *w, const rheo_sim *s);

/* Faces that are too narrow, or too close to the surface, for the velocity solved there to mean much: those
 * slower than this take the velocity of others. */
typedef struct quiet_limits {
    double beside_solids, corners; /* m/s */
} quiet_limits;
/* Carries a velocity outwards from where the projection set it (phi < 0) by `layers`, and `far` (may be NULL)
 * by more; then into solids: on along them, or with `sticks` through their own velocity. */
void walls_extend(mac_field *u, int layers, mac_field *far, int far_layers, walls *w, rheo_sim *s,
                  const float *phi, const quiet_limits *slow, int sticks);
#endif
