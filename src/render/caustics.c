/* Caustics by particles of light from the sun, gathered in a map of the floor.
 *
 *     map(texel) = sum of the particles' power that lands in it / power of one texel in free sun
 *
 * Particles start on the lines through a regular lattice of floor points towards the sun, so that without
 * liquid each lands where it started and the map is 1 to the last bit. At a liquid's surface a particle is
 * refracted and keeps 1 - F of its power (all of it at total reflection); depth absorbs as seen by the eye.
 * It shares its power among the four texels about its end; the map is smoothed by [1 2 1]/4, the sun being no
 * point. The lattice is cut into rows, each kept apart and added up in order: the same map for any number of
 * threads. Source: Arvo (1986), backward ray tracing. Limits: one reflected branch is dropped at each surface
 * (2% at steep angles); solids neither block nor gather particles: their shadows are traced by the eye's
 * rays. */
#include "render/caustics.h"

#include "core/memory.h"
#include "core/report.h"

enum { TEXELS = 272, PER_TEXEL = 2, ROWS = TEXELS * PER_TEXEL, SURFACES_MAX = 10 };

typedef struct landed {
    float x, z; /* texels */
    vec3 power;
} landed;

struct caustics {
    const tracer *tracer;
    const picture_scene *scene;
    float corner[2], texel[2]; /* m */
    float nudge;
    landed *particle;    /* [ROWS][ROWS] */
    vec3 (*map)[TEXELS]; /* [TEXELS][TEXELS] */
    vec3 (*spare)[TEXELS];
};

/* ---- one particle ---- */

static vec3 absorb(const caustics *c, vec3 power, const tracer_hit *hit) {
    vec3 absorption = scaled(optics_absorption(c->scene->material[hit->material].color), c->scene->tint);
    return mul(power, optics_transmit(absorption, hit->distance));
}

/* Turns the particle at a surface of liquid. */
static void cross_surface(vec3 *d, vec3 *power, const tracer_hit *hit) {
    bool entering = dot(hit->facet, *d) < 0;
    vec3 n = (dot(hit->normal, *d) < 0) == entering ? hit->normal : hit->facet;
    if (!entering) n = scaled(n, -1);
    float ratio = entering ? 1 / WATER_INDEX : WATER_INDEX, through;
    float share = optics_fresnel(&through, -dot(n, *d), ratio);
    if (share >= 1) {
        *d = optics_reflect(*d, n);
        return;
    }
    *d = optics_refract(*d, n, ratio, through);
    *power = scaled(*power, 1 - share);
}

/* `aim`: where it lands, in texels, when nothing is in the way; kept as it is, without rounding. */
static landed send_particle(const caustics *c, vec3 o, vec3 d, const float aim[2]) {
    const picture_scene *s = c->scene;
    vec3 power = grey(1);
    tracer_hit hit;
    for (int k = 0; k < SURFACES_MAX; ++k) {
        if (!tracer_nearest(&hit, c->tracer, o, d, c->nudge, INFINITY, SEE_LIQUID | SEE_FLOOR)) break;
        if (!k && hit.what == SEE_FLOOR) return (landed){aim[0], aim[1], power};
        o = along(o, d, hit.distance);
        if (hit.what == SEE_LIQUID && dot(hit.facet, d) > 0) power = absorb(c, power, &hit);
        bool down = hit.what == SEE_FLOOR ||
                    (hit.facet.y < -0.5f && dot(hit.facet, d) > 0 && o.y - s->lower.y < s->contact);
        if (down)
            return (landed){(o.x - c->corner[0]) / c->texel[0], (o.z - c->corner[1]) / c->texel[1], power};
        cross_surface(&d, &power, &hit);
    }
    return (landed){-1, -1, grey(0)};
}

static void send_row(void *context, int row) {
    caustics *c = context;
    const picture_scene *s = c->scene;
    vec3 sun = s->sky.sun_direction;
    float up = 1.05f * (s->upper.y - s->lower.y) / sun.y;
    for (int i = 0; i < ROWS; ++i) {
        float at[2] = {((float)i + 0.5f) / PER_TEXEL, ((float)row + 0.5f) / PER_TEXEL};
        vec3 floor_point =
            vec(c->corner[0] + at[0] * c->texel[0], s->lower.y, c->corner[1] + at[1] * c->texel[1]);
        vec3 o = along(floor_point, sun, up), d = scaled(sun, -1);
        c->particle[(size_t)row * ROWS + (size_t)i] = send_particle(c, o, d, at);
    }
}

/* ---- the map ---- */

static void gather(caustics *c) {
    const float one = 1.0f / (PER_TEXEL * PER_TEXEL);
    for (size_t i = 0; i < (size_t)ROWS * ROWS; ++i) {
        const landed *p = &c->particle[i];
        float x = p->x - 0.5f, z = p->z - 0.5f, left = floorf(x), top = floorf(z);
        if (left < -1 || top < -1 || left >= TEXELS || top >= TEXELS) continue;
        for (int k = 0; k < 4; ++k) {
            int a = (int)left + (k & 1), b = (int)top + (k >> 1);
            if (a < 0 || b < 0 || a >= TEXELS || b >= TEXELS) continue;
            float share = (k & 1 ? x - left : 1 - (x - left)) * (k >> 1 ? z - top : 1 - (z - top));
            c->map[b][a] = along(c->map[b][a], p->power, share * one);
        }
    }
}

static vec3 blend(vec3 a, vec3 b, vec3 c) {
    return add(scaled(b, 0.5f), scaled(add(a, c), 0.25f));
}

static int held(int i) {
    return i < 0 ? 0 : i >= TEXELS ? TEXELS - 1 : i;
}

static void smooth(caustics *c) {
    for (int b = 0; b < TEXELS; ++b)
        for (int a = 0; a < TEXELS; ++a)
            c->spare[b][a] = blend(c->map[b][held(a - 1)], c->map[b][a], c->map[b][held(a + 1)]);
    for (int b = 0; b < TEXELS; ++b)
        for (int a = 0; a < TEXELS; ++a)
            c->map[b][a] = blend(c->spare[held(b - 1)][a], c->spare[b][a], c->spare[held(b + 1)][a]);
}

/* The floor under the domain and its shadow, and some more. */
static void place_map(caustics *c) {
    const picture_scene *s = c->scene;
    vec3 sun = s->sky.sun_direction, size = sub(s->upper, s->lower);
    const float low[2] = {s->lower.x, s->lower.z}, high[2] = {s->upper.x, s->upper.z};
    const float shift[2] = {-sun.x / sun.y * size.y, -sun.z / sun.y * size.y};
    for (int a = 0; a < 2; ++a) {
        float from = low[a] + fminf(0, shift[a]), to = high[a] + fmaxf(0, shift[a]),
              margin = 0.06f * (to - from);
        c->corner[a] = from - margin;
        c->texel[a] = (to - from + 2 * margin) / TEXELS;
    }
    c->nudge = 1e-4f * fmaxf(size.x, fmaxf(size.y, size.z));
}

static bool has_liquid(const picture_scene *s) {
    for (int m = 0; m < s->mesh_count; ++m)
        if (s->material[s->mesh[m].material].kind == PICTURE_LIQUID && s->mesh[m].triangle_count) return true;
    return false;
}

rheo_status caustics_make(caustics **out, const tracer *t, const picture_scene *s, pool *p,
                          rheo_report *report) {
    *out = NULL;
    if (!s->floor || luminance(s->sky.sun) <= 0 || s->sky.sun_direction.y < 0.1f || !has_liquid(s))
        return RHEO_OK;
    caustics *c = mem_alloc(sizeof *c);
    if (!c) return report_no_memory(report, "the light on the floor");
    c->tracer = t;
    c->scene = s;
    c->particle = mem_alloc((size_t)ROWS * ROWS * sizeof *c->particle);
    c->map = mem_alloc(TEXELS * sizeof *c->map);
    c->spare = mem_alloc(TEXELS * sizeof *c->spare);
    if (!c->particle || !c->map || !c->spare) {
        caustics_free(c);
        return report_no_memory(report, "the light on the floor");
    }
    place_map(c);
    parallel_for(p, ROWS, send_row, c);
    gather(c);
    smooth(c);
    *out = c;
    return RHEO_OK;
}

void caustics_free(caustics *c) {
    if (!c) return;
    mem_free(c->particle);
    mem_free(c->map);
    mem_free(c->spare);
    mem_free(c);
}

vec3 caustics_at(const caustics *c, float x, float z) {
    if (!c) return grey(1);
    float a = (x - c->corner[0]) / c->texel[0] - 0.5f, b = (z - c->corner[1]) / c->texel[1] - 0.5f;
    float left = floorf(a), top = floorf(b);
    if (left < 2 || top < 2 || left >= TEXELS - 3 || top >= TEXELS - 3)
        return grey(1); /* the rim lacks neighbours */
    int i = (int)left, j = (int)top;
    vec3 upper = mix(c->map[j][i], c->map[j][i + 1], a - left),
         lower = mix(c->map[j + 1][i], c->map[j + 1][i + 1], a - left);
    return mix(upper, lower, b - top);
}
