/* What the files of the preflight share. */
#ifndef SCENE_DOCTOR_H
#define SCENE_DOCTOR_H

#include <rheo/preflight.h>
#include "scene/scene_internal.h"
#include "solid/shape.h"

typedef struct doctor {
    rheo_preflight *out;
    const rheo_scene *scene; /* with the sides that a run gives the domain */
    const rheo_scene *given; /* with those it was asked for */
    rheo_status status;      /* of the first error */
    rheo_report *report;     /* gets the first error */
    shape **fill;            /* of all fluids, in order */
    shape **solid, **emitter;
    placement *place; /* of the solids at time 0 */
    bool *thin;       /* solids that are in places thinner than the grid resolves */
    int fill_count;
    double put_in;  /* m3 (m2 in 2D) of liquid that the grid's octants hold at the start */
    double wanted;  /* m3 (m2 in 2D) of fills in the domain, solids or not */
    bool has_seeds; /* some octant of a fill gets a particle; smoke: some of a fill is in the domain */
} doctor;

/* Adds a finding at `path`, whose place in the file is looked up. */
void doctor_find(doctor *d, rheo_severity severity, const char *path, const char *allowed, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));
/* foretell.c: memory, disk, steps and time, and what of the scene makes steps absurdly short. `emitted` in m3
 * (m2 in 2D); `where` the cache would be, or NULL. */
void doctor_foretell(doctor *d, double emitted, const char *where);
/* doctor_viscosity.c: what viscosity will be solved as, and whether that is right for the scene. */
void doctor_viscosity(doctor *d);
/* doctor_heat.c: what will melt, and when; what stands. */
void doctor_heat(doctor *d);
/* doctor_elastic.c: what will tear. */
void doctor_elastic(doctor *d);
#endif
