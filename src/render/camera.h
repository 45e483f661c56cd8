/* Where a picture is seen from: a pinhole, or parallel rays for plane scenes.
 *
 * Picture coordinates are in pixels, (0, 0) the upper left corner of the picture, y down. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include <stdbool.h>
#include "render/vec3.h"

typedef struct camera {
    vec3 eye, right, up, forward; /* unit axes */
    float half;                   /* half the picture's height: at distance 1, or in metres when parallel */
    bool parallel;
} camera;

camera camera_look(vec3 eye, vec3 target, float fov_degrees); /* vertical field of view */
/* Three-quarter view from the front right in which a box fills the frame but for a margin. aspect = width /
 * height. */
camera camera_fit(vec3 lower, vec3 upper, float aspect);
/* Parallel rays along -z that show the rectangle of the box. */
camera camera_flat(vec3 lower, vec3 upper, float aspect);

void camera_ray(vec3 *origin, vec3 *direction, const camera *c, float x, float y, int width, int height);
#endif
