/* Built-in materials in real units. */
#ifndef RHEO_MATERIAL_H
#define RHEO_MATERIAL_H

#include <rheo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHEO_NEVER 1e30 /* longer, or more, than anything */

/* how pictures show a fluid */
typedef enum rheo_fluid_look {
    RHEO_FLUID_AUTO,        /* as its material is */
    RHEO_FLUID_CLEAR,       /* light goes through it and is bent, and less of it is left with every metre */
    RHEO_FLUID_GLOSSY,      /* opaque, smooth and wet: paste, chocolate */
    RHEO_FLUID_MATTE,       /* opaque and dull: sand, dough */
    RHEO_FLUID_TRANSLUCENT, /* opaque, but light goes some way through it: wax */
    RHEO_FLUID_GLOWING,     /* opaque and dull, and what is hot glows: lava */
    RHEO_FLUID_TEMPERATURE, /* opaque, its colour a scale of temperatures from blue to red */
    RHEO_FLUID_PARTICLES,   /* its particles, as balls */
} rheo_fluid_look;

/* what balls are coloured by: the fluid's own colour, or scales from blue to red */
typedef enum rheo_paint {
    RHEO_PAINT_COLOR,
    RHEO_PAINT_SPEED,   /* from 0 to that of a fall through half of the domain */
    RHEO_PAINT_DENSITY, /* from 0.9 to 1.1 at rest (method sph) */
    RHEO_PAINT_TEMPERATURE,
} rheo_paint;

typedef struct rheo_material {
    const char *name;
    double density;         /* kg/m3 */
    double viscosity;       /* Pa s */
    double surface_tension; /* N/m */
    double conductivity;    /* W/(m K) */
    double heat_capacity;   /* J/(kg K) */
    double color[3];      /* linear RGB: clear ones, left of light after one metre of depth; opaque ones, sent
                             back */
    rheo_fluid_look look; /* never auto */
    const char *help;     /* one line: at what temperature, how variable */
    /* What method sph knows of it besides; elasticity 0: it has no memory. */
    double elasticity;      /* Pa, shear modulus */
    double relaxation_time; /* s; RHEO_NEVER: it keeps its shape */
    double yield_stress;    /* Pa; RHEO_NEVER: none */
    double solvent;         /* Pa s: its viscosity in place of the one above, which has both in it */
} rheo_material;

/* The table, ended by a row whose name is NULL. */
RHEO_API const rheo_material *rheo_list_materials(void);

#ifdef __cplusplus
}
#endif
#endif
