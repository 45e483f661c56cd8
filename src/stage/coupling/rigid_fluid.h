/* Rigid fluid: bodies that move as liquid held rigid, or that the liquid moves without feeling them. */
#ifndef STAGE_COUPLING_RIGID_FLUID_H
#define STAGE_COUPLING_RIGID_FLUID_H

#include <stdbool.h>
#include "grid/mac.h"
#include "solid/obstacle.h"

typedef struct rigid_region rigid_region;

typedef struct rigid_fluid {
    int count;             /* bodies */
    rigid_region *regions; /* [count] */
} rigid_fluid;

int rigid_fluid_make(rigid_fluid *r, int bodies); /* -1: no memory */
void rigid_fluid_free(rigid_fluid *r);
size_t rigid_fluid_bytes(const rigid_fluid *r);

/* Which faces lie in which of the bodies (all of `solids`), and which bodies are wet: phi < 0 beside or in
 * them. -1: no memory. */
int rigid_fluid_find(rigid_fluid *r, const mac_grid *g, const obstacle *bodies, const float *phi);
/* In gas that has no weight of its own: wet bodies, which have the velocity that weight and lift give them in
 * vacuum, get the one that they give them with the gas that moves with them. pull: gravity dt [m/s]. Before
 * rigid_fluid_join(). */
void rigid_fluid_lift(rigid_fluid *r, const mac_grid *g, const double pull[3], double fluid_density);
/* Wet bodies become part of the liquid's domain: domain = min(phi, distance), and their faces get the
 * velocity of the body. */
void rigid_fluid_join(float *domain, mac_field *u, rigid_fluid *r, const mac_grid *g, const float *phi);
/* Remembers the velocity that pressure is about to change. */
void rigid_fluid_note(rigid_fluid *r, const mac_grid *g, const mac_field *u);
/* The velocity of wet bodies from what pressure has done to the faces in them that have an unknown cell.
 * `shared`: whether the liquid feels them. */
void rigid_fluid_push(const rigid_fluid *r, const mac_grid *g, const mac_field *u, const uint8_t *unknown,
                      double fluid_density, bool shared);
/* The faces of wet bodies move with them. */
void rigid_fluid_impose(mac_field *u, const rigid_fluid *r);
/* field = 0 in the cells of wet bodies. */
void rigid_fluid_clear(float *field, const rigid_fluid *r);
#endif
