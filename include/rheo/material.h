/* Built-in materials in real units. */
#ifndef RHEO_MATERIAL_H
#define RHEO_MATERIAL_H

#include <rheo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rheo_material {
    const char *name;
    double density;         /* kg/m3 */
    double viscosity;       /* Pa s */
    double surface_tension; /* N/m */
    double conductivity;    /* W/(m K) */
    double heat_capacity;   /* J/(kg K) */
    double color[3];        /* linear RGB left of light after one metre of depth */
    const char *help;       /* one line: at what temperature, how variable */
} rheo_material;

/* The table, ended by a row whose name is NULL. */
RHEO_API const rheo_material *rheo_list_materials(void);

#ifdef __cplusplus
}
#endif
#endif
