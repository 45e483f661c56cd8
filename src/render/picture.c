/* The picture's tables, and the painting: tiles of pixels handed to threads, each sample a pure function of
 * (pixel, sample).
 *
 * A pixel is the mean of its samples after the film curve, so that a bright edge is smoothed as the eye sees
 * it; samples lie on a Hammersley set turned by a random amount a pixel. Limits: box filter one pixel wide.
 */
#include "render/picture.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include <stdatomic.h>
#include "core/random.h"
#include "core/report.h"
#include "render/shade.h"

enum { TILE = 16, SEED = 3 };

void picture_begin(picture_scene *s, vec3 lower, vec3 upper, bool flat, float cell, float aspect) {
    *s =
        (picture_scene){.lower = lower, .upper = upper, .flat = flat, .floor = !flat, .contact = 1.5f * cell};
    s->sky = optics_default_sky();
    vec3 size = sub(upper, lower);
    float longest = fmaxf(size.x, fmaxf(size.y, flat ? 0 : size.z));
    s->tint = flat ? 2.5f / fmaxf(size.z, 1e-6f) : fmaxf(1, 3 / longest);
    s->camera = flat ? camera_flat(lower, upper, aspect) : camera_fit(lower, upper, aspect);
}

int picture_add_material(picture_scene *s, picture_kind kind, vec3 color) {
    if (s->material_count == PICTURE_MATERIALS) return -1;
    s->material[s->material_count] = (picture_material){kind, color};
    return s->material_count++;
}

int picture_add_mesh(picture_scene *s, picture_mesh mesh) {
    if (s->mesh_count == PICTURE_MESHES) return -1;
    s->mesh[s->mesh_count] = mesh;
    return s->mesh_count++;
}

int picture_add_drops(picture_scene *s, picture_drops drops) {
    if (s->drops_count == PICTURE_MESHES) return -1;
    s->drops[s->drops_count] = drops;
    return s->drops_count++;
}

int picture_add_solid(picture_scene *s, picture_solid solid) {
    if (s->solid_count == PICTURE_SOLIDS) return -1;
    s->solid[s->solid_count] = solid;
    return s->solid_count++;
}

/* ---- edges ---- */

static void put_bar(picture_edges *e, int bar, const float low[3], const float high[3]) {
    static const uint32_t side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int v = 0; v < 8; ++v)
        for (int a = 0; a < 3; ++a) e->position[8 * bar + v][a] = v >> a & 1 ? high[a] : low[a];
    for (int f = 0; f < 12; ++f)
        for (int c = 0; c < 3; ++c) e->triangle[12 * bar + f][c] = side[f][c] + 8 * (uint32_t)bar;
}

/* The bars lie outside the domain, so that liquid at a wall does not cut into them. */
picture_mesh picture_make_edges(picture_edges *e, const picture_scene *s, int material) {
    const float low[3] = {s->lower.x, s->lower.y, s->lower.z}, high[3] = {s->upper.x, s->upper.y, s->upper.z};
    vec3 size = sub(s->upper, s->lower);
    float width = (s->flat ? 0.007f : 0.0042f) * fmaxf(size.x, fmaxf(size.y, s->flat ? 0 : size.z));
    int bar = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k) {
            int other[2] = {(axis + 1) % 3, (axis + 2) % 3};
            float from[3], to[3];
            from[axis] = low[axis] - width;
            to[axis] = high[axis] + width;
            for (int o = 0; o < 2; ++o) {
                bool upper = k >> o & 1;
                from[other[o]] = upper ? high[other[o]] : low[other[o]] - width;
                to[other[o]] = from[other[o]] + width;
            }
            put_bar(e, bar++, from, to);
        }
    return (picture_mesh){.vertex_count = EDGE_VERTICES,
                          .triangle_count = EDGE_TRIANGLES,
                          .position = e->position[0],
                          .triangle = e->triangle[0],
                          .material = material};
}

/* ---- painting ---- */

typedef struct painting {
    unsigned char *pixels;
    int width, height, samples, across; /* across: tiles in a row */
    const picture_scene *scene;
    shade_maps maps;
    const volatile int *cancel;
    atomic_bool stopped;
} painting;

static float reversed_bits(unsigned n) {
    float value = 0, digit = 0.5f;
    for (; n; n >>= 1, digit *= 0.5f)
        if (n & 1) value += digit;
    return value;
}

static float wrapped(float v) {
    return v - floorf(v);
}

static void paint_pixel(const painting *w, int x, int y) {
    uint64_t pixel = (uint64_t)y * (uint64_t)w->width + (uint64_t)x;
    float turn[2] = {random_unit(SEED, pixel, 0), random_unit(SEED, pixel, 1)};
    vec3 sum = grey(0);
    for (int i = 0; i < w->samples; ++i) {
        float u = wrapped((float)i / (float)w->samples + turn[0]),
              v = wrapped(reversed_bits((unsigned)i) + turn[1]);
        vec3 origin, direction;
        camera_ray(&origin, &direction, &w->scene->camera, (float)x + u, (float)y + v, w->width, w->height);
        vec3 light =
            shade_ray(&w->maps, w->scene, origin, direction, (uint64_t)y << 32 | (uint64_t)x, (unsigned)i);
        sum = add(sum, optics_film(scaled(light, 0.80f)));
    }
    vec3 mean = scaled(sum, 1 / (float)w->samples);
    unsigned char *out = w->pixels + 3 * pixel;
    out[0] = optics_srgb(mean.x);
    out[1] = optics_srgb(mean.y);
    out[2] = optics_srgb(mean.z);
}

static void paint_tile(void *context, int tile) {
    painting *w = context;
    if (w->cancel && *w->cancel) atomic_store(&w->stopped, true);
    if (atomic_load(&w->stopped)) return;
#if defined(__SSE2__)
    unsigned before =
        _mm_getcsr(); /* Embree wants denormals flushed; the same on each thread, so the same picture */
    _mm_setcsr(before | 0x8040u);
#endif
    int left = tile % w->across * TILE, top = tile / w->across * TILE;
    for (int y = top; y < top + TILE && y < w->height; ++y)
        for (int x = left; x < left + TILE && x < w->width; ++x) paint_pixel(w, x, y);
#if defined(__SSE2__)
    _mm_setcsr(before);
#endif
}

rheo_status picture_paint(unsigned char *pixels, int width, int height, int samples, const picture_scene *s,
                          pool *p, const volatile int *cancel, rheo_report *report) {
    tracer *t;
    caustics *c = NULL;
    ambient *a = NULL;
    haze *h = NULL;
    rheo_status status = tracer_make(&t, s, report);
    if (status) return status;
    status = caustics_make(&c, t, s, p, report);
    if (!status) status = ambient_make(&a, t, s, p, report);
    if (!status) status = haze_make(&h, t, s, p, report);
    painting w = {.pixels = pixels,
                  .width = width,
                  .height = height,
                  .samples = samples < 1 ? 1 : samples,
                  .across = (width + TILE - 1) / TILE,
                  .scene = s,
                  .maps = {t, c, a, h, samples < 1 ? 1 : (unsigned)samples},
                  .cancel = cancel};
    if (!status) parallel_for(p, w.across * ((height + TILE - 1) / TILE), paint_tile, &w);
    haze_free(h);
    ambient_free(a);
    caustics_free(c);
    tracer_free(t);
    if (atomic_load(&w.stopped)) return report_fail(report, RHEO_INTERRUPTED, NULL, "stopped on request");
    return status;
}
