/* Ambient light: the sky as seen from a surface, cos-weighted over its hemisphere.
 *
 *     V(x) = 1/pi integral of visible(x, w) cos w dw  =  mean over rays w(u),  u in [0, 1)^2
 *
 * On the floor, which is most of a picture, V is made once on a lattice about the domain and interpolated:
 * many rays a point, the same directions at each (points of Hammersley), so that there is no grain at all. On
 * solids the shading sends a few rays a sample. Source: Landis (2002), ambient occlusion. Limits: things
 * further than REACH of the domain's longest side do not darken; on the floor, shadows finer than a texel are
 * blurred. */
#include "render/ambient.h"

#include "core/memory.h"
#include "core/report.h"

enum { TEXELS = 80, RAYS = 64 };
static const float REACH = 0.8f; /* of the domain's longest side */
static const float PI = 3.14159265f;

struct ambient {
    const tracer *tracer;
    const picture_scene *scene;
    float corner[2], texel; /* m */
    vec3 (*map)[TEXELS];    /* [TEXELS][TEXELS], at the texels' middles */
};

static float longest_side(const picture_scene *s) {
    vec3 size = sub(s->upper, s->lower);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

vec3 ambient_ray(const tracer *t, const picture_scene *s, vec3 x, vec3 n, const float u[2]) {
    const float scale = longest_side(s), near = 1e-4f * scale, reach = REACH * scale;
    vec3 a = normalized(fabsf(n.x) > 0.6f ? cross(n, vec(0, 1, 0)) : cross(n, vec(1, 0, 0))), b = cross(n, a);
    float radius = sqrtf(u[0]), angle = 2 * PI * u[1];
    vec3 d = along(scaled(a, radius * cosf(angle)), b, radius * sinf(angle));
    d = normalized(along(d, n, sqrtf(fmaxf(0, 1 - u[0]))));
    if (tracer_blocked(t, x, d, near, reach)) return grey(0.12f);
    tracer_hit hit;
    if (!tracer_nearest(&hit, t, x, d, near, reach, SEE_LIQUID)) return grey(1);
    vec3 absorption = scaled(optics_absorption(s->material[hit.material].color), s->tint);
    return scaled(optics_transmit(absorption, 0.15f * scale), 0.82f);
}

/* ---- the floor ---- */

static float reversed_bits(unsigned n) {
    float value = 0, digit = 0.5f;
    for (; n; n >>= 1, digit *= 0.5f)
        if (n & 1) value += digit;
    return value;
}

static void light_row(void *context, int row) {
    const ambient *m = context;
    for (int i = 0; i < TEXELS; ++i) {
        vec3 x = vec(m->corner[0] + ((float)i + 0.5f) * m->texel, m->scene->lower.y,
                     m->corner[1] + ((float)row + 0.5f) * m->texel);
        vec3 sum = grey(0);
        for (unsigned k = 0; k < RAYS; ++k) {
            const float u[2] = {((float)k + 0.5f) / RAYS, reversed_bits(k)};
            sum = add(sum, ambient_ray(m->tracer, m->scene, x, vec(0, 1, 0), u));
        }
        m->map[row][i] = scaled(sum, 1.0f / RAYS);
    }
}

/* The floor from which the domain is within reach. */
static void place_map(ambient *m) {
    const picture_scene *s = m->scene;
    const float reach = REACH * longest_side(s);
    const float low[2] = {s->lower.x - reach, s->lower.z - reach};
    const float high[2] = {s->upper.x + reach, s->upper.z + reach};
    m->texel = fmaxf(high[0] - low[0], high[1] - low[1]) / TEXELS;
    for (int a = 0; a < 2; ++a) m->corner[a] = 0.5f * (low[a] + high[a] - m->texel * TEXELS);
}

rheo_status ambient_make(ambient **out, const tracer *t, const picture_scene *s, pool *p,
                         rheo_report *report) {
    *out = NULL;
    if (!s->floor) return RHEO_OK;
    ambient *m = mem_alloc(sizeof *m);
    if (!m) return report_no_memory(report, "the light on the floor");
    m->tracer = t;
    m->scene = s;
    m->map = mem_alloc(TEXELS * sizeof *m->map);
    if (!m->map) {
        ambient_free(m);
        return report_no_memory(report, "the light on the floor");
    }
    place_map(m);
    parallel_for(p, TEXELS, light_row, m);
    *out = m;
    return RHEO_OK;
}

void ambient_free(ambient *m) {
    if (!m) return;
    mem_free(m->map);
    mem_free(m);
}

vec3 ambient_on_floor(const ambient *m, float x, float z) {
    if (!m) return grey(1);
    float a = (x - m->corner[0]) / m->texel - 0.5f, b = (z - m->corner[1]) / m->texel - 0.5f;
    float left = floorf(a), top = floorf(b);
    if (left < 0 || top < 0 || left >= TEXELS - 1 || top >= TEXELS - 1) return grey(1);
    int i = (int)left, j = (int)top;
    vec3 upper = mix(m->map[j][i], m->map[j][i + 1], a - left),
         lower = mix(m->map[j + 1][i], m->map[j + 1][i + 1], a - left);
    return mix(upper, lower, b - top);
}
