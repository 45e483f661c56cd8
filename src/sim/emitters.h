/* Emitters in the step of a liquid (docs/decisions/0012-emitters.md): the room they have, the liquid they
 * bring, and the boundaries that they are to the pressure. */
#ifndef SIM_EMITTERS_H
#define SIM_EMITTERS_H

#include "sim/markers.h"
#include "sim/walls.h"

typedef struct emitters {
    uint32_t *queue; /* a number a cell; NULL: there are no emitters */
    double *vacancy; /* particles that each has room for in the step under way */
    float *source;   /* the divergence that they make, m/s summed over faces */
} emitters;

void emitters_list(emitters *e, rheo_sim *s);
rheo_status emitters_make(emitters *e, rheo_sim *s, rheo_report *report);
void emitters_free(emitters *e);
size_t emitters_bytes(const emitters *e, const rheo_sim *s);

/* The fastest that any emitter is in the frame after `time`, m/s: curve_largest() or curve_longest() of it.
 */
double emitters_speed(const rheo_sim *s, double time,
                      double (*size)(const rheo_curve *velocity, double from, double to));
/* Finds what emitters have room for, before anything moves in a step of dt; those without drive nothing. */
void emitters_find_vacancy(emitters *e, const markers *m, const walls *w, rheo_sim *s, double dt);
/* New liquid of the emitters that run in a step of dt; the set is sorted before and after. */
rheo_status emitters_emit(markers *m, const emitters *e, const walls *w, rheo_sim *s, double dt,
                          rheo_report *report);
/* Moves what is inside emitters that drive at their velocity, and marks it in m->keep. */
rheo_status emitters_carry(markers *m, const emitters *e, const walls *w, rheo_sim *s, double dt,
                           rheo_report *report);
/* Whether any emitter drives the liquid in a step of dt (e may be NULL: none). */
int emitters_drive(const emitters *e, const walls *w, const rheo_sim *s, double dt);
/* What they do to a velocity that particles do not bring: faces inside their shapes take theirs, and are
 * marked in held (stage/viscosity/), unless it is NULL. */
void emitters_give(mac_field *u, uint8_t *held, const emitters *e, const walls *w, const rheo_sim *s,
                   double dt);
/* Closes those that drive as boundaries that move at their velocity; returns the sources that they are. */
const float *emitters_close(openings *faces, emitters *e, const walls *w, rheo_sim *s, double dt);
#endif
