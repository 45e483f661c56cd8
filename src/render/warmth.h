/* Colours of temperature: of what glows, and as a scale from blue to red. */
#ifndef RENDER_WARMTH_H
#define RENDER_WARMTH_H

#include <rheo/scene.h>
#include "render/vec3.h"

/* What a body of a temperature [degrees C] sends out, radiance beside a sun of about 3. */
vec3 warmth_glow(double temperature);
/* Albedo on a scale, 0 to 1, from blue over pale to red. */
vec3 warmth_scale(double share);
/* The coldest and the warmest that a scene gives anything. */
void warmth_span(double span[2], const rheo_scene *scene);
#endif
