/* Ray marching through a volume of smoke.
 *
 *     L = T(0, l) L_behind + integral over the way of T(0, s) a k (sun P V_sun + ambient V_sky) ds
 *     T(a, b) = exp(- integral of k), k = density x extinction
 *
 * V_sun and V_sky, what reaches a place from the sun and from above, are computed once a picture for every
 * cell, solids in the way included. Light that was scattered more than once is not lost in thick smoke: V_sun
 * is the sum of e^-tau and, weaker, e^(-tau/4) (Wrenninge, Kulla and Lundqvist 2013). The density is refined
 * once by a clamped cubic (Catmull-Rom), so that cells cannot be told in the picture. Steps are shifted by a
 * random share a sample instead of standing in layers. Limits: single scattering otherwise, one direction
 * stands for the sky; no smoke inside liquids. */
#include "render/haze.h"

#include <string.h>
#include "core/memory.h"
#include "core/report.h"

static const float THIN = 1e-3f;        /* density that is not followed */
static const float OPAQUE = 4e-3f;      /* transmittance at which a ray ends */
static const float STEP = 0.75f;        /* of the density's spacing */
static const float ALBEDO = 0.66f;      /* of what is taken from a ray, scattered */
static const float SUN_SHARE = 0.72f;   /* of the sun's radiance on a white surface, isotropic phase */
static const size_t FINE_MAX = 1 << 25; /* samples up to which the density is refined */

typedef struct lattice {
    int n[3];
    float spacing; /* m */
    vec3 first;    /* m, of sample (0, 0, 0) */
    float *value;
} lattice;

struct haze {
    const picture_scene *scene;
    const tracer *tracer;
    vec3 lower, upper; /* m, of the volume */
    vec3 extinction;   /* 1/m at density 1 */
    lattice density, sun, sky;
    vec3 ambient;
    bool lit; /* the sun shines */
};

/* ---- samples ---- */

static size_t lattice_size(const lattice *l) {
    return (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
}

/* Linear; constant beyond the first and last samples. */
static float lattice_at(const lattice *l, vec3 x) {
    const float y[3] = {(x.x - l->first.x) / l->spacing, (x.y - l->first.y) / l->spacing,
                        (x.z - l->first.z) / l->spacing};
    size_t low[3], step[3] = {1, (size_t)l->n[0], (size_t)l->n[0] * (size_t)l->n[1]};
    float t[3];
    for (int a = 0; a < 3; ++a) {
        const float at = clamp(y[a], 0, (float)(l->n[a] - 1));
        int i = (int)at;
        if (i > l->n[a] - 2) i = l->n[a] > 1 ? l->n[a] - 2 : 0;
        t[a] = at - (float)i;
        low[a] = (size_t)i * step[a];
        if (l->n[a] == 1) step[a] = 0;
    }
    const float *v = l->value + low[0] + low[1] + low[2];
    float plane[2];
    for (int k = 0; k < 2; ++k, v += step[2]) {
        const float a = v[0] + t[0] * (v[step[0]] - v[0]);
        const float b = v[step[1]] + t[0] * (v[step[0] + step[1]] - v[step[1]]);
        plane[k] = a + t[1] * (b - a);
    }
    return plane[0] + t[2] * (plane[1] - plane[0]);
}

static bool lattice_make(lattice *l, const int n[3], float spacing, vec3 first) {
    memcpy(l->n, n, sizeof l->n);
    l->spacing = spacing;
    l->first = first;
    l->value = mem_alloc(lattice_size(l) * sizeof *l->value);
    return l->value != NULL;
}

/* Twice as many samples along one axis, at -1/4 and 1/4 of a cell about each; cubic, within its neighbours.
 */
static bool refine_axis(lattice *l, int axis) {
    lattice fine = *l;
    fine.n[axis] *= 2;
    fine.value = mem_alloc(lattice_size(&fine) * sizeof *fine.value);
    if (!fine.value) return false;
    const size_t step = axis == 0 ? 1 : axis == 1 ? (size_t)l->n[0] : (size_t)l->n[0] * (size_t)l->n[1];
    const size_t lines = lattice_size(l) / (size_t)l->n[axis];
    for (size_t line = 0; line < lines; ++line) {
        const size_t start = line / step * step * (size_t)l->n[axis] + line % step;
        const size_t begin = line / step * step * (size_t)fine.n[axis] + line % step;
        for (int i = 0; i < l->n[axis]; ++i) {
            float v[5];
            for (int o = -2; o <= 2; ++o) {
                const int at = i + o < 0 ? 0 : i + o >= l->n[axis] ? l->n[axis] - 1 : i + o;
                v[o + 2] = l->value[start + (size_t)at * step];
            }
            for (int half = 0; half < 2; ++half) { /* weights of Catmull-Rom at 3/4 and 1/4 of the way */
                const float *w = half ? v + 1 : v, low = fminf(w[1], w[2]), high = fmaxf(w[1], w[2]);
                const float a = half ? -0.0703125f : -0.0234375f, b = half ? 0.8671875f : 0.2265625f;
                const float c = half ? 0.2265625f : 0.8671875f, e = half ? -0.0234375f : -0.0703125f;
                const float value = a * w[0] + b * w[1] + c * w[2] + e * w[3];
                fine.value[begin + (size_t)(2 * i + half) * step] = clamp(value, 0.9f * low, 1.1f * high);
            }
        }
    }
    mem_free(l->value);
    *l = fine;
    return true;
}

static bool refine(lattice *l) {
    if (8 * lattice_size(l) > FINE_MAX) return true;
    float quarter[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (l->n[axis] < 2) continue;
        if (!refine_axis(l, axis)) return false;
        quarter[axis] = 0.25f * l->spacing;
    }
    l->first = sub(l->first, vec(quarter[0], quarter[1], quarter[2]));
    l->spacing *= 0.5f;
    return true;
}

/* ---- ways through the volume ---- */

/* Where a ray is inside the volume; false when nowhere before `far`. */
static bool find_span(float span[2], const haze *h, vec3 o, vec3 d, float far) {
    const float from[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
    const float low[3] = {h->lower.x, h->lower.y, h->lower.z}, high[3] = {h->upper.x, h->upper.y, h->upper.z};
    span[0] = 0;
    span[1] = far;
    for (int a = 0; a < 3; ++a) {
        if (fabsf(way[a]) < 1e-12f) {
            if (from[a] < low[a] || from[a] > high[a]) return false;
            continue;
        }
        const float t0 = (low[a] - from[a]) / way[a], t1 = (high[a] - from[a]) / way[a];
        span[0] = fmaxf(span[0], fminf(t0, t1));
        span[1] = fminf(span[1], fmaxf(t0, t1));
    }
    return span[0] < span[1];
}

/* The integral of the density over the way, m. */
static float depth_along(const haze *h, vec3 o, vec3 d, float far, float step) {
    float span[2], sum = 0;
    if (!find_span(span, h, o, d, far)) return 0;
    const int count = (int)ceilf((span[1] - span[0]) / step);
    const float length = (span[1] - span[0]) / (float)count;
    for (int i = 0; i < count; ++i)
        sum += lattice_at(&h->density, along(o, d, span[0] + ((float)i + 0.5f) * length));
    return sum * length;
}

vec3 haze_transmit(const haze *h, vec3 o, vec3 d, float far) {
    if (!h) return grey(1);
    return optics_transmit(h->extinction, depth_along(h, o, d, far, 2 * h->density.spacing));
}

static vec3 light_at(const haze *h, vec3 x) {
    vec3 light = scaled(h->ambient, lattice_at(&h->sky, x));
    return h->lit ? along(light, h->scene->sky.sun, SUN_SHARE * lattice_at(&h->sun, x)) : light;
}

vec3 haze_over(const haze *h, vec3 o, vec3 d, float far, vec3 behind, float jitter) {
    float span[2];
    if (!h || !find_span(span, h, o, d, far)) return behind;
    vec3 left = grey(1), light = grey(0);
    const float step = h->scene->flat ? span[1] - span[0] : STEP * h->density.spacing;
    for (float at = span[0]; at < span[1] && luminance(left) > OPAQUE; at += step) {
        const float length = fminf(step, span[1] - at);
        const vec3 x = along(o, d, at + (h->scene->flat ? 0.5f : jitter) * length);
        const float density = lattice_at(&h->density, x);
        if (density < THIN) continue;
        const vec3 passed = optics_transmit(h->extinction, density * length);
        const vec3 taken = mul(left, sub(grey(1), passed));
        light = add(light, mul(scaled(taken, ALBEDO), light_at(h, x)));
        left = mul(left, passed);
    }
    return add(light, mul(left, behind));
}

/* ---- light, once a picture ---- */

static void light_task(void *context, int plane) {
    haze *h = context;
    const lattice *l = &h->sun;
    const vec3 sun = h->scene->sky.sun_direction, up = vec(0, 1, 0);
    const float step = l->spacing, k = luminance(h->extinction);
    size_t at = (size_t)plane * (size_t)l->n[0] * (size_t)l->n[1];
    for (int j = 0; j < l->n[1]; ++j)
        for (int i = 0; i < l->n[0]; ++i, ++at) {
            const vec3 x = add(l->first, scaled(vec((float)i, (float)j, (float)plane), l->spacing));
            const float tau = k * depth_along(h, x, sun, INFINITY, step);
            const float above = k * depth_along(h, x, up, INFINITY, 2 * step);
            const bool blocked = tracer_blocked(h->tracer, x, sun, 0.25f * step, INFINITY);
            h->sun.value[at] = blocked ? 0 : 0.8f * expf(-tau) + 0.2f * expf(-0.25f * tau);
            h->sky.value[at] = 0.25f + 0.75f * expf(-0.5f * above);
        }
}

rheo_status haze_make(haze **made, const tracer *t, const picture_scene *s, pool *p, rheo_report *report) {
    const picture_volume *v = &s->volume;
    *made = NULL;
    if (!v->density) return RHEO_OK;
    haze *h = mem_alloc(sizeof *h);
    const vec3 first = add(v->lower, grey(0.5f * v->spacing));
    bool good = h && lattice_make(&h->density, v->cells, v->spacing, first) &&
                lattice_make(&h->sun, v->cells, v->spacing, first) &&
                lattice_make(&h->sky, v->cells, v->spacing, first);
    if (good) {
        h->scene = s;
        h->tracer = t;
        h->lower = v->lower;
        h->upper = add(v->lower,
                       scaled(vec((float)v->cells[0], (float)v->cells[1], (float)v->cells[2]), v->spacing));
        h->extinction = scaled(optics_absorption(s->material[v->material].color), v->strength);
        h->ambient =
            s->flat ? grey(0.16f) : mix(mix(s->sky.ground, s->sky.zenith, 0.5f), s->sky.horizon, 0.6f);
        h->lit = !s->flat && luminance(s->sky.sun) > 0;
        memcpy(h->density.value, v->density, lattice_size(&h->density) * sizeof *v->density);
        good = refine(&h->density);
    }
    if (!good) {
        haze_free(h);
        return report_no_memory(report, "the light in the smoke");
    }
    parallel_for(p, h->sun.n[2], light_task, h);
    *made = h;
    return RHEO_OK;
}

void haze_free(haze *h) {
    if (!h) return;
    mem_free(h->density.value);
    mem_free(h->sun.value);
    mem_free(h->sky.value);
    mem_free(h);
}
