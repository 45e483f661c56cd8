/* Stages that only smoke has: what solids hide, sources, buoyancy, vorticity confinement, amounts. */
#ifndef STAGE_SMOKE_SMOKE_H
#define STAGE_SMOKE_SMOKE_H

#include "grid/extrapolate.h"
#include "grid/openings.h"
#include "grid/sight.h"
#include "solid/shape.h"

/* The share of every cell outside solids, from their distances at the nodes; 0 of cells that are hidden: what
 * is there counts nowhere. */
void smoke_shares(float *share, const mac_grid *g, const float *node_phi);
/* Cells hidden in solids take the mean of open neighbours, `layers` deep: what interpolation near a solid
 * finds there is what lies on its own side. */
void smoke_into_solids(float *density, float *temperature, front *f, const mac_grid *g, const float *share,
                       int layers);

/* The cells that a shape covers, and by how much of each; made once, as sources stand still. */
typedef struct smoke_cover {
    size_t count;
    ptrdiff_t *cell;
    float *part; /* (0, 1] */
} smoke_cover;
int smoke_cover_make(smoke_cover *c, const mac_grid *g, const shape *s); /* -1: no memory */
void smoke_cover_free(smoke_cover *c);

/* How warm a source is, the air around, and how far from that any gas of the scene is at most [degrees C]. */
typedef struct smoke_warmth {
    double degrees, ambient, most;
} smoke_warmth;

/* Density <- at least the covered part of a cell, that part of it being as warm as the source; or density +
 * `added` of the part, temperature mixed with as much of the source's. Returns the volume added, in m3 of
 * density 1. */
double smoke_fill(float *density, float *temperature, const mac_grid *g, const smoke_cover *c,
                  const float *share, const smoke_warmth *w);
double smoke_add(float *density, float *temperature, const mac_grid *g, const smoke_cover *c,
                 const float *share, double added, double degrees);
void smoke_heat(float *temperature, const smoke_cover *c, const smoke_warmth *w);

/* u <- u + dt g rho' / rho with rho' / rho = weight density - expansion (temperature - ambient) at faces.
 * weight: of density 1, relative to the air. */
void smoke_buoyancy(mac_field *u, const mac_grid *g, const float *density, const float *temperature,
                    const double gravity[3], double weight, double expansion, double ambient, double dt);
/* u <- u + dt strength dx (N x w), w = curl u, N = grad |w| / |grad |w||, in cells that see all around
 * (NULL: all do). scratch: four fields. */
void smoke_confine(mac_field *u, float *const scratch[4], const mac_grid *g, const float *share,
                   const uint32_t *sees, double strength, double dt);
/* What leaves through open sides in dt of a field that is `outside` in the air around [cells x its unit]. */
double smoke_outflow(const float *f, double outside, const mac_field *u, const mac_grid *g, const openings *o,
                     double dt);

/* The sum of share (f - outside). */
double smoke_amount(const float *f, double outside, const mac_grid *g, const float *share);
/* f changed where it is not even, within the neighbours that it is open to, so that its sum is as wanted. The
 * border must be filled. */
void smoke_keep_amount(float *f, float *scratch, double wanted, double outside, const mac_grid *g,
                       const openings *o, const float *share);
#endif
