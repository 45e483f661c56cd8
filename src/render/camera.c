/* Cameras: rays through pixels, and the views used when a scene gives none. */
#include "render/camera.h"

static const float PI = 3.14159265f;

static void point_at(camera *c, vec3 forward) {
    c->forward = normalized(forward);
    vec3 y = fabsf(c->forward.y) > 0.9999f ? vec(0, 0, -1) : vec(0, 1, 0); /* straight down: -z is up */
    c->right = normalized(cross(c->forward, y));
    c->up = cross(c->right, c->forward);
}

camera camera_look(vec3 eye, vec3 target, float fov_degrees) {
    camera c = {.eye = eye, .half = tanf(clamp(fov_degrees, 1, 170) * PI / 360)};
    vec3 view = sub(target, eye);
    point_at(&c, dot(view, view) > 0 ? view : vec(0, 0, -1));
    return c;
}

static vec3 box_corner(vec3 lower, vec3 upper, int corner) {
    return vec(corner & 1 ? upper.x : lower.x, corner & 2 ? upper.y : lower.y,
               corner & 4 ? upper.z : lower.z);
}

/* Each corner at (x, y) across and z along the view from `aim` asks for a distance D with |x| <= half aspect
 * (D + z): the largest decides. Then the aim moves to the middle of what is seen, twice. */
camera camera_fit(vec3 lower, vec3 upper, float aspect) {
    const float margin = 1.10f;
    vec3 aim = scaled(add(lower, upper), 0.5f), from = normalized(vec(0.62f, 0.42f, 1));
    camera c = camera_look(add(aim, from), aim, 30);
    for (int round = 0; round < 3; ++round) {
        float distance = 0;
        for (int k = 0; k < 8; ++k) {
            vec3 p = sub(box_corner(lower, upper, k), aim);
            float across = fabsf(dot(p, c.right)) / aspect, high = fabsf(dot(p, c.up));
            distance = fmaxf(distance, margin * fmaxf(across, high) / c.half - dot(p, c.forward));
        }
        c.eye = along(aim, from, distance);
        float low[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 8; ++k) {
            vec3 p = sub(box_corner(lower, upper, k), c.eye);
            float seen[2] = {dot(p, c.right) / dot(p, c.forward), dot(p, c.up) / dot(p, c.forward)};
            for (int a = 0; a < 2; ++a) {
                low[a] = fminf(low[a], seen[a]);
                most[a] = fmaxf(most[a], seen[a]);
            }
        }
        if (round == 2) break;
        aim = along(aim, c.right, 0.5f * (low[0] + most[0]) * distance);
        aim = along(aim, c.up, 0.5f * (low[1] + most[1]) * distance);
    }
    return c;
}

camera camera_flat(vec3 lower, vec3 upper, float aspect) {
    vec3 middle = scaled(add(lower, upper), 0.5f), size = sub(upper, lower);
    camera c = {.parallel = true, .half = 0.54f * fmaxf(size.y, size.x / aspect)};
    point_at(&c, vec(0, 0, -1));
    c.eye = vec(middle.x, middle.y, upper.z + fmaxf(size.x, size.y));
    return c;
}

void camera_ray(vec3 *origin, vec3 *direction, const camera *c, float x, float y, int width, int height) {
    float across = (2 * x - (float)width) / (float)height * c->half;
    float up = (1 - 2 * y / (float)height) * c->half;
    vec3 aside = add(scaled(c->right, across), scaled(c->up, up));
    *origin = c->parallel ? add(c->eye, aside) : c->eye;
    *direction = c->parallel ? c->forward : normalized(add(c->forward, aside));
}
