/* Light in smoke: what a volume takes from a ray, and the sun and sky it scatters into it. */
#ifndef RENDER_HAZE_H
#define RENDER_HAZE_H

#include "render/tracer.h"

typedef struct haze haze;

/* *h is NULL, with RHEO_OK, where the picture has no volume. */
rheo_status haze_make(haze **h, const tracer *t, const picture_scene *s, pool *p, rheo_report *report);
void haze_free(haze *h);
/* The share of light that is left after the way from o along d (unit) to the distance `far`. 1 for NULL. */
vec3 haze_transmit(const haze *h, vec3 o, vec3 d, float far);
/* `behind` as it is seen through the volume from o along d. `jitter` in [0, 1) shifts the samples. */
vec3 haze_over(const haze *h, vec3 o, vec3 d, float far, vec3 behind, float jitter);
#endif
