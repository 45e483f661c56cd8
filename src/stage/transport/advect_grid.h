/* Advection of fields on the grid itself: semi-Lagrangian, MacCormack, BFECC. */
#ifndef STAGE_TRANSPORT_ADVECT_GRID_H
#define STAGE_TRANSPORT_ADVECT_GRID_H

#include "grid/openings.h"
#include "grid/sight.h"

typedef enum {
    ADVECT_MACCORMACK,
    ADVECT_BFECC,
    ADVECT_SEMI_LAGRANGIAN
} advect_scheme; /* as rheo_advection */

enum { ADVECT_CELLS = 3 }; /* beside the axes 0, 1, 2 of faces: where the samples of a field are */

/* Where what arrives at each sample was dt ago, and how to find where it goes. */
typedef struct advect_paths {
    float *back[3];           /* cells from the domain's corner; fields of the caller */
    const mac_field *u;       /* m/s, valid on the owned faces and two layers around them */
    int at;                   /* axis or ADVECT_CELLS */
    float cells;              /* dt / dx */
    float lower[3], upper[3]; /* cells: where paths end */
    float first[3], last[3];  /* cells: beyond them nothing is known of what comes out */
    const sight *walled;      /* samples that walls keep from some of what is around; NULL: none */
} advect_paths;

/* Fills paths->back for the samples `at`. Paths end at closed sides and a cell behind open ones. */
void advect_trace(advect_paths *paths, const mac_grid *g, const mac_field *u, const openings *o, int at,
                  double dt);

/* out <- in carried along the paths. `in` is valid in its border; scratch: two fields, the second for BFECC
 * alone. Every value of `out` lies between the values of `in` that it was interpolated from. */
void advect_carry(float *out, float *const scratch[2], const float *in, const advect_paths *paths,
                  const mac_grid *g, advect_scheme scheme);

/* The border of a field: the nearest owned sample, or `outside` behind the sides whose open_wall is set
 * (NULL: none); the other side along periodic axes. */
void advect_fill_border(float *f, const mac_grid *g, int at, const uint8_t open_wall[6], float outside);
#endif
