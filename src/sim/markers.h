/* Particles that say where a liquid is: the set, the surface that it makes, how it stays outside solids. */
#ifndef SIM_MARKERS_H
#define SIM_MARKERS_H

#include "particle/particles.h"
#include "sim/walls.h"
#include "stage/heat/heat.h"

/* What particles know of heat (sim/markers_warmth.c): laws of the fluids, and which columns of extra[]. */
typedef struct heat_marks {
    heat_law *law;                   /* NULL: they know nothing, and there are no columns */
    int temperature, enthalpy, rest; /* degrees C; J/kg above ambient; what a float of it cannot hold */
} heat_marks;

typedef struct markers {
    particles parts;
    float *phi;             /* m, < 0 in liquid */
    float *density;         /* particles' volume in the open space of a cell: 1 in full ones */
    double particle_volume; /* m3 */
    float full;             /* particles in a full cell */
    uint32_t next_id;
    float **rest;  /* columns: where particles began, m; NULL: they do not carry it */
    uint8_t *keep; /* a byte a particle, scratch */
    size_t keep_capacity;
    int may_crowd; /* particles that are heaped up tell of liquid without pressure: not of gaps beside solids
                      that move, nor of markers that need not be even */
    heat_marks warmth;
    int dense; /* which column of extra[] is the density relative to rest; 0: none */
    int stiff; /* they are evened out no faster than the flow moves them: what stands would creep else */
} markers;

void markers_list(markers *m, rheo_sim *s);
/* affine: whether particles carry the gradient of their velocity. */
rheo_status markers_make(markers *m, rheo_sim *s, int affine, rheo_report *report);
/* The same with other columns, at most 9. */
rheo_status markers_make_with(markers *m, rheo_sim *s, const char *const *own, int count,
                              rheo_report *report);
void markers_free(markers *m);
size_t markers_bytes(const markers *m);

/* The fills of the scene that are there at the start, outside solids. */
rheo_status markers_fill(markers *m, const walls *w, rheo_sim *s, rheo_report *report);
/* Those whose time comes in the step under way, where it leaves room: they are there at its end. The set must
 * be sorted, and is so afterwards. */
rheo_status markers_appear(markers *m, const walls *w, rheo_sim *s, rheo_report *report);
/* Where particles and solids are before they move; what markers_boundary() needs of thin solids. */
rheo_status markers_remember(markers *m, walls *w, rheo_sim *s, rheo_report *report);
/* Out of solids, inside closed sides; drops those that left through open ones. */
rheo_status markers_boundary(markers *m, walls *w, rheo_sim *s, rheo_report *report);
rheo_status markers_sort(markers *m, rheo_sim *s, rheo_report *report);
rheo_status markers_reserve(markers *m, rheo_report *report); /* m->keep: a byte a particle */

/* Density and distance from the weights that particles leave on faces. */
void markers_surface(markers *m, const mac_field *weight, walls *w, rheo_sim *s);
/* The same as a projection wants it: liquid up to walls, films that lack particles and not liquid. q: where
 * walls let go of liquid the pressure of the last projection, of a step of q_dt; else NULL. */
rheo_status markers_surface_at_rest(markers *m, const mac_field *weight, walls *w, rheo_sim *s,
                                    const float *q, double q_dt, rheo_report *report);

double markers_mass(const markers *m, const rheo_sim *s); /* kg of a particle; 2D: per metre of depth */
/* Particles whose ids are `from` or more take a temperature [degrees C], NAN: that of their fluid. */
void markers_warm(markers *m, const rheo_sim *s, uint32_t from, double temperature);
/* Each takes its own, in the order of the set. */
void markers_warm_each(markers *m, const rheo_sim *s, const float *degrees);
void markers_find_temperatures(markers *m, const rheo_sim *s);
/* Pa s of each particle, until the next sort; NULL: fluids' own viscosities hold, whatever the temperature.
 */
float *markers_viscosity(markers *m, const rheo_sim *s, double time);
typedef struct warm_sums {
    double heat, mean, least, most; /* J above ambient; degrees C */
} warm_sums;
warm_sums markers_sum_heat(const markers *m, const rheo_sim *s, int fluid);
/* What has just been seeded, from `first` on, begins where it is, or, m, so far behind (NULL: not at all). */
void markers_begin_at(markers *m, const rheo_sim *s, size_t first, const double behind[3]);

/* What the engines with markers answer alike (sim/engine.h). */
void markers_view(rheo_particle_view *view, const markers *m);
rheo_status markers_mesh(rheo_mesh *mesh, markers *m, int fluid, walls *w, const mac_field *vel,
                         const float *q, rheo_sim *s, rheo_report *report);
rheo_status markers_place(markers *m, rheo_sim *s, const sim_particles *from, rheo_report *report);
/* q: pressure, where known < 0, of a step of q_dt. */
void markers_probe(double *values, const markers *m, const mac_field *vel, const float *q, double q_dt,
                   const float *known, const rheo_sim *s, unsigned of, const float x[3]);
/* Their part of the statistics (sim/measure_liquid.c). known: < 0 where `vel` was solved. */
void markers_measure(markers *m, walls *w, const mac_field *vel, const float *known, rheo_sim *s);
#endif
