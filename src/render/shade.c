/* Whitted-style shading of liquids, smoke (haze.c), solids, a floor and a sky.
 *
 *     L = F L_reflected + (1 - F) L_refracted                  at a liquid's surface, both followed
 *     L = e^(-a l) L_behind + (1 - e^(-a l)) L_tint            over a length l of liquid
 *     L = albedo (sun cos shadow + ambient visibility)         on solids and the floor
 *
 * A branch ends at the sky in its direction when it carries too little of the pixel or is too deep: nothing
 * is lost or made, so under an even sky a clear liquid cannot be seen (tested). Sunlight that reaches the
 * floor through liquid comes from caustics.c; on solids it runs straight and loses what surfaces reflect and
 * depth absorbs. Liquid against the floor or a solid wets it: without that the thin gap between mesh and
 * solid would mirror. Source: Whitted (1980). Limits: caustics on the floor only, no light between solids;
 * glass bends no light of its own and mirrors the sky alone. */
#include "render/shade.h"

#include "core/random.h"

/* What a surface adds to the depth of a branch, by whether it turns the ray. */
enum { BOUNCE = 8, STRAIGHT = 1, DEPTH_MAX = 12 * BOUNCE };
enum { SHADOW_LAYERS = 12, SEED = 7, DRAWS_MAX = 6 };
enum { SKY_RAYS = 3, SKY_MORE = 4, SUN_RAYS = 6 }; /* a sample, on what the pixel is mostly made of */
static const float MUCH = 0.2f;                    /* of a pixel */
static const float WEIGHT_MIN = 0.025f;
static const float SAMPLE_MAX = 8; /* radiance: the brightest a sample may be, against lone white pixels */
static const float PI = 3.14159265f;
static const float WAX_DEPTH = 0.06f; /* of the domain: where light in wax is a third */

typedef struct path {
    const tracer *t;
    const caustics *c;
    const ambient *a;
    const haze *h;
    const picture_scene *s;
    uint64_t pixel;
    unsigned sample, samples, draws;
    float scale, nudge; /* m: the domain's longest side; how far from a surface a ray starts */
} path;

static vec3 follow(path *p, vec3 o, vec3 d, int inside, float weight, int depth);

static float wrapped(float v) {
    return v - floorf(v);
}

/* `count` pairs of numbers in [0, 1): a low-discrepancy sequence (R2) that runs on over the samples of a
 * pixel and over the four pixels of a square, turned by a random amount a square and draw: what is left of
 * the noise differs most between neighbours, where the eye takes the mean, and is not in clots. */
static void draw(float u[][2], path *p, int count) {
    const uint64_t n = p->draws++, x = p->pixel & 0xffffffffu, y = p->pixel >> 32;
    const uint64_t square = (y >> 1) << 32 | x >> 1, corner = (x & 1) + 2 * (y & 1);
    const unsigned first = ((unsigned)corner * p->samples + p->sample) * (unsigned)count;
    for (int a = 0; a < 2; ++a) {
        const float turn = random_unit(SEED, square, 2 * n + (uint64_t)a),
                    step = a ? 0.56984029f : 0.75487767f;
        for (int i = 0; i < count; ++i) u[i][a] = wrapped(turn + (float)(first + (unsigned)i) * step);
    }
}

static void axes_about(vec3 *a, vec3 *b, vec3 n) {
    *a = normalized(fabsf(n.x) > 0.6f ? cross(n, vec(0, 1, 0)) : cross(n, vec(1, 0, 0)));
    *b = cross(n, *a);
}

static vec3 absorption_of(const path *p, int material) {
    return scaled(optics_absorption(p->s->material[material].color), p->s->tint);
}

/* ---- light on opaque things ---- */

static vec3 light_through(path *p, vec3 o, vec3 d, bool on_floor) {
    vec3 left = haze_transmit(p->h, o, d, INFINITY);
    if (on_floor && p->c) return mul(left, caustics_at(p->c, o.x, o.z));
    float near = p->nudge, since = 0;
    tracer_hit hit;
    for (int layer = 0; layer < SHADOW_LAYERS; ++layer) {
        if (!tracer_nearest(&hit, p->t, o, d, near, INFINITY, SEE_LIQUID)) break;
        float cosine = dot(hit.normal, d), unused;
        if (dot(hit.facet, d) < 0) since = hit.distance;
        else left = mul(left, optics_transmit(absorption_of(p, hit.material), hit.distance - since));
        left = scaled(left, 1 - optics_fresnel(&unused, fabsf(cosine), 1 / WATER_INDEX));
        near = hit.distance + p->nudge;
    }
    return left;
}

static vec3 sun_ray(const sky *s, const float u[2]) {
    vec3 a, b;
    axes_about(&a, &b, s->sun_direction);
    float radius = s->sun_radius * sqrtf(u[0]), angle = 2 * PI * u[1];
    return normalized(along(along(s->sun_direction, a, radius * cosf(angle)), b, radius * sinf(angle)));
}

/* The part of the sun's disc that solids leave free: two rays, and more where these do not agree. */
static float sun_share(path *p, vec3 x, float u[][2], float weight) {
    int free = 0, rays = 0;
    for (const int all = weight > MUCH ? SUN_RAYS : 1; rays < all; ++rays) {
        if (rays == 2 && free != 1) break;
        if (rays == 1) { /* opposite to the first */
            u[1][0] = u[0][0];
            u[1][1] = u[0][1] < 0.5f ? u[0][1] + 0.5f : u[0][1] - 0.5f;
        }
        free += !tracer_blocked(p->t, x, sun_ray(&p->s->sky, u[rays]), p->nudge, INFINITY);
    }
    return (float)free / (float)rays;
}

static vec3 sun_light(path *p, vec3 x, vec3 n, bool on_floor, float weight) {
    const sky *s = &p->s->sky;
    float cosine = dot(n, s->sun_direction), u[DRAWS_MAX][2];
    draw(u, p, SUN_RAYS);
    if (cosine <= 0 || luminance(s->sun) <= 0) return grey(0);
    vec3 d = sun_ray(s, u[0]);
    float share = sun_share(p, x, u, weight);
    if (share <= 0) return grey(0);
    return scaled(mul(s->sun, light_through(p, x, d, on_floor)), cosine * share);
}

static vec3 seen_by(path *p, vec3 x, vec3 n, int rays, bool *alike) {
    float u[DRAWS_MAX][2];
    vec3 sum = grey(0), first = grey(0);
    *alike = true;
    draw(u, p, rays);
    for (int i = 0; i < rays; ++i) {
        vec3 one = ambient_ray(p->t, p->s, x, n, u[i]);
        if (!i) first = one;
        *alike = *alike && one.x == first.x && one.z == first.z;
        sum = add(sum, one);
    }
    return sum;
}

/* The mean of the sky over the hemisphere about n times how much of it is seen: by a few rays, and by more
 * where these do not agree. */
static vec3 ambient_light(path *p, vec3 x, vec3 n, bool on_floor, float weight) {
    const sky *s = &p->s->sky;
    int rays = weight > MUCH ? SKY_RAYS : 1;
    bool alike;
    vec3 mean = mix(s->ground, mix(s->horizon, s->zenith, 0.35f), 0.5f + 0.5f * n.y);
    if (on_floor && p->a) return mul(mean, ambient_on_floor(p->a, x.x, x.z));
    vec3 seen = seen_by(p, x, n, rays, &alike);
    if (!alike) {
        seen = add(seen, seen_by(p, x, n, SKY_MORE, &alike));
        rays += SKY_MORE;
    }
    return mul(mean, scaled(seen, 1 / (float)rays));
}

/* Pale tiles, five along the domain, that lose their contrast and then themselves in the distance. */
static vec3 shade_floor(path *p, vec3 x, vec3 d, float distance, float weight) {
    const picture_scene *s = p->s;
    vec3 from = sub(x, s->lower);
    float tile = p->scale / 5, clear = expf(-distance / (7 * p->scale));
    bool odd = ((long)floorf(from.x / tile) + (long)floorf(from.z / tile)) & 1;
    vec3 albedo = scaled(vec(0.215f, 0.215f, 0.21f), 1 + (odd ? 0.24f : -0.24f) * clear);
    vec3 up = vec(0, 1, 0);
    vec3 lit = mul(albedo, add(sun_light(p, x, up, true, weight), ambient_light(p, x, up, true, weight)));
    vec3 away = sub(x, scaled(add(s->lower, s->upper), 0.5f));
    float far = length(vec(away.x, 0, away.z)) / (9 * p->scale);
    return mix(lit, optics_sky(&s->sky, vec(d.x, 0, d.z)), 1 - expf(-far * far));
}

/* A stand-in for light that goes through wax: what of the sun and of the sky behind is left on the straight
 * way to them through the body, from half a cell and more under the surface: from the surface itself the
 * facets of the mesh would be seen where light grazes. */
static vec3 light_within(path *p, vec3 x, vec3 n) {
    const sky *s = &p->s->sky;
    const vec3 inside = along(x, n, -0.7f * p->s->contact), ways[2] = {s->sun_direction, scaled(n, -1)};
    const vec3 lights[2] = {scaled(s->sun, 0.35f), scaled(s->horizon, 0.25f)};
    vec3 sum = grey(0);
    for (int i = 0; i < 2; ++i) {
        tracer_hit hit;
        if (!tracer_nearest(&hit, p->t, inside, ways[i], 0, INFINITY, SEE_SOLID)) continue;
        if (dot(hit.facet, ways[i]) <= 0) continue; /* comes in: x was not inside, beside a smoothed edge */
        sum = add(sum, scaled(lights[i], expf(-hit.distance / (WAX_DEPTH * p->scale))));
    }
    return sum;
}

static vec3 shade_solid(path *p, const tracer_hit *hit, vec3 x, vec3 d, float weight) {
    const picture_scene *s = p->s;
    const picture_material *m = &s->material[hit->material];
    if (m->kind == PICTURE_LINE) return m->color;
    vec3 n = dot(hit->normal, d) > 0 ? scaled(hit->normal, -1) : hit->normal;
    vec3 start = along(x, n, p->nudge);
    vec3 sun = sun_light(p, start, n, false, weight), around = ambient_light(p, start, n, false, weight);
    if (m->kind == PICTURE_WAX) around = add(around, light_within(p, x, n));
    if (m->kind == PICTURE_DULL) return add(mul(hit->albedo, add(sun, around)), hit->glow);
    vec3 half = normalized(sub(s->sky.sun_direction, d));
    float shine = 0.5f * powf(clamp(dot(n, half), 0, 1), 70);
    float graze = 1 - clamp(-dot(n, d), 0, 1), gloss = 0.03f + 0.35f * powf(graze, 5);
    vec3 mirror = mul(optics_sky(&s->sky, optics_reflect(d, n)),
                      scaled(around, 1 / fmaxf(0.2f, luminance(s->sky.horizon))));
    vec3 matte = add(mul(hit->albedo, add(sun, around)), hit->glow);
    return add(mix(matte, mirror, gloss), scaled(sun, shine));
}

static vec3 shade_miss(const path *p, vec3 o, vec3 d) {
    const picture_scene *s = p->s;
    if (s->flat) { /* paper, a little darker to the bottom */
        float up = clamp((o.y - s->lower.y) / (s->upper.y - s->lower.y), 0, 1);
        return mix(vec(0.62f, 0.64f, 0.67f), vec(0.80f, 0.81f, 0.82f), up);
    }
    return add(optics_sky(&s->sky, d), optics_sun_glow(&s->sky, d));
}

/* ---- transparent things ---- */

/* Where liquid ends at the domain's wall or a vessel's its face is theirs: normals smoothed over the rim
 * would bend it. */
static vec3 flattened_normal(const path *p, const tracer_hit *hit, vec3 x) {
    const float n[3] = {hit->facet.x, hit->facet.y, hit->facet.z}, at[3] = {x.x, x.y, x.z};
    const float low[3] = {p->s->lower.x, p->s->lower.y, p->s->lower.z};
    const float high[3] = {p->s->upper.x, p->s->upper.y, p->s->upper.z};
    for (int a = 0; a < 3; ++a) {
        float outward = n[a] > 0 ? high[a] - at[a] : at[a] - low[a];
        if (fabsf(n[a]) > 0.97f && fabsf(outward) < p->s->contact) {
            float side = n[a] > 0 ? 1.0f : -1.0f;
            return vec(a == 0 ? side : 0, a == 1 ? side : 0, a == 2 ? side : 0);
        }
    }
    vec3 vessel;
    return tracer_against_vessel(&vessel, p->t, x, hit->facet) ? vessel : hit->normal;
}

/* Whether the liquid's surface at x, seen from within along d, lies against something opaque. */
static bool wets(const path *p, const tracer_hit *hit, vec3 x, vec3 d) {
    const picture_scene *s = p->s;
    if (s->floor && hit->facet.y < -0.5f && x.y - s->lower.y < s->contact) return true;
    tracer_hit behind;
    return tracer_nearest(&behind, p->t, x, d, 0, 2 * s->contact, SEE_SOLID) &&
           picture_opaque(s->material[behind.material].kind);
}

/* Liquid is drawn a part of a cell into bodies of glass, and where both are there is glass (nested
 * dielectrics, Schmidt and Budge 2002). In glass a ray keeps what it came out of, which it is bent by as if
 * the glass were not there, and what it would be in without it: only when it leaves the glass are the two
 * compared. */
enum { IN_AIR = -1, GLASS = 1024 };

/* In glass between two media, each air or a liquid's material. */
static int in_glass(int before, int without) {
    return -2 - (before + 1) * GLASS - (without + 1);
}

static bool is_glass(int inside) {
    return inside < IN_AIR;
}

static int before_glass(int inside) {
    return (-2 - inside) / GLASS - 1;
}

static int without_glass(int inside) {
    return (-2 - inside) % GLASS - 1;
}

/* Whether liquid at x, seen from within along d, ends on a body of glass which it does not quite reach. */
static bool touches_glass(const path *p, const tracer_hit *hit, vec3 x, vec3 d) {
    const picture_scene *s = p->s;
    const float reach = 0.3f * s->contact;
    const vec3 ahead = along(x, hit->facet, reach);
    const double at[3] = {(double)x.x, (double)x.y, (double)x.z},
                 next[3] = {(double)ahead.x, (double)ahead.y, (double)ahead.z};
    for (int i = 0; i < s->solid_count; ++i) {
        const picture_solid *solid = &s->solid[i];
        if (s->material[solid->material].kind != PICTURE_CLEAR) continue;
        const double here = solid->distance(solid->body, at);
        if (here < (double)reach && here - solid->distance(solid->body, next) > 0.7 * (double)reach)
            return true;
    }
    tracer_hit behind;
    return tracer_nearest(&behind, p->t, x, d, 0, reach, SEE_SOLID) &&
           s->material[behind.material].kind == PICTURE_CLEAR && dot(behind.facet, hit->facet) < -0.7f;
}

/* Both branches at a surface between liquid and air; n and facet point against d, and what is mirrored stays
 * in `before`. */
static vec3 split(path *p, vec3 x, vec3 d, vec3 n, vec3 facet, int before, bool entering, int material,
                  float weight, int depth) {
    const int beyond = entering ? material : IN_AIR;
    float ratio = entering ? 1 / WATER_INDEX : WATER_INDEX, through;
    float share = optics_fresnel(&through, -dot(n, d), ratio);
    vec3 mirrored = optics_reflect(d, n);
    if (dot(mirrored, facet) <= 0) mirrored = optics_reflect(d, facet);
    vec3 light = scaled(follow(p, x, mirrored, before, weight * share, depth + BOUNCE), share);
    if (share < 1) {
        vec3 bent = optics_refract(d, n, ratio, through);
        light =
            add(light, scaled(follow(p, x, bent, beyond, weight * (1 - share), depth + BOUNCE), 1 - share));
    }
    return light;
}

static vec3 shade_liquid(path *p, const tracer_hit *hit, vec3 x, vec3 d, int inside, float weight,
                         int depth) {
    bool entering = dot(hit->facet, d) < 0;
    if (hit->beyond >= 0 && !is_glass(inside)) /* another liquid: bends light alike, and has this face too */
        return follow(p, x, d, entering ? hit->material : hit->beyond, weight, depth + STRAIGHT);
    if (is_glass(inside)) {
        const int without = entering ? hit->material : IN_AIR;
        return follow(p, x, d, in_glass(before_glass(inside), without), weight, depth + STRAIGHT);
    }
    if (!entering && wets(p, hit, x, d)) return follow(p, x, d, IN_AIR, weight, depth + BOUNCE);
    if (!entering && touches_glass(p, hit, x, d))
        return follow(p, x, d, in_glass(hit->material, IN_AIR), weight, depth + STRAIGHT);
    vec3 n = flattened_normal(p, hit, x), facet = hit->facet;
    if ((dot(n, d) < 0) != entering) n = facet; /* smoothed past the horizon */
    if (!entering) n = scaled(n, -1), facet = scaled(facet, -1);
    return split(p, x, d, n, facet, entering ? IN_AIR : hit->material, entering, hit->material, weight,
                 depth);
}

/* A droplet is a sphere: the ray leaves it under the angle it came in, after a chord known in advance. A drop
 * in the scene stands for many smaller ones, which scatter: a quarter of its light is white, from the sun and
 * the whole sky. */
static vec3 shade_drop(path *p, const tracer_hit *hit, vec3 x, vec3 d, float weight, int depth) {
    vec3 n = dot(hit->facet, d) < 0 ? hit->facet : scaled(hit->facet, -1);
    float through, share = optics_fresnel(&through, -dot(n, d), 1 / WATER_INDEX);
    vec3 within = optics_refract(d, n, 1 / WATER_INDEX, through);
    vec3 leave = along(x, within, 2 * hit->radius * through);
    vec3 inward = normalized(sub(along(x, n, -hit->radius), leave));
    vec3 out = optics_refract(within, inward, WATER_INDEX, clamp(-dot(n, d), 0, 1));
    vec3 light = scaled(follow(p, x, optics_reflect(d, n), IN_AIR, weight * share, depth + BOUNCE), share);
    light =
        add(light, scaled(follow(p, leave, out, IN_AIR, weight * (1 - share), depth + BOUNCE), 1 - share));
    const sky *s = &p->s->sky;
    vec3 scattered = mix(mix(s->ground, s->zenith, 0.5f), s->horizon, 0.6f);
    return mix(light, along(scattered, s->sun, 0.25f), 0.25f);
}

static vec3 shade_glass(path *p, const tracer_hit *hit, vec3 x, vec3 d, int inside, float weight, int depth) {
    vec3 n = dot(hit->normal, d) < 0 ? hit->normal : scaled(hit->normal, -1);
    float unused, once = optics_fresnel(&unused, -dot(n, d), 1 / 1.5f);
    float share = inside < 0 ? 2 * once / (1 + once) : 0; /* both faces of the pane; none against liquid */
    vec3 light = scaled(
        add(optics_sky(&p->s->sky, optics_reflect(d, n)), optics_sun_glow(&p->s->sky, optics_reflect(d, n))),
        share);
    vec3 through = follow(p, x, d, inside, weight * (1 - share), depth + BOUNCE);
    if (inside < 0)
        through = mul(through, vec(0.93f, 0.965f, 0.955f)); /* so that an empty tank can be seen */
    return add(light, scaled(through, 1 - share));
}

/* A face of a body of glass. Light that comes out of air or a liquid, through the glass and into the same
 * goes straight; else it bends and is mirrored where it leaves the glass, as at the liquid's own surface.
 * Rims are darker: there light goes a longer way through the glass. */
static vec3 shade_clear(path *p, const tracer_hit *hit, vec3 x, vec3 d, int inside, float weight, int depth) {
    const bool leaving = dot(hit->facet, d) > 0;
    const vec3 n = leaving ? scaled(hit->normal, -1) : hit->normal;
    const float cosine = fmaxf(-dot(n, d), 0.25f);
    const int before = is_glass(inside) ? before_glass(inside) : inside;
    const int without = is_glass(inside) ? without_glass(inside) : inside;
    const vec3 tint = mix(grey(1), p->s->material[hit->material].color, 0.12f);
    const vec3 left = vec(powf(tint.x, 1 / cosine), powf(tint.y, 1 / cosine), powf(tint.z, 1 / cosine));
    if (leaving && before != without) {
        const bool into = before == IN_AIR;
        return mul(split(p, x, d, n, n, inside, into, into ? without : before, weight, depth), left);
    }
    float unused, share = before == IN_AIR ? optics_fresnel(&unused, cosine, 1 / 1.5f) : 0;
    const vec3 mirrored = optics_reflect(d, n);
    vec3 light = scaled(add(optics_sky(&p->s->sky, mirrored), optics_sun_glow(&p->s->sky, mirrored)), share);
    const int beyond = leaving ? without : in_glass(before, without);
    vec3 through = follow(p, x, d, beyond, weight * (1 - share), depth + STRAIGHT);
    return add(light, scaled(mul(through, left), 1 - share));
}

/* Light that liquid itself sends back: what depth swallows returns in part, in the liquid's colour. */
static vec3 tinted(const path *p, vec3 light, int material, float distance) {
    vec3 left = optics_transmit(absorption_of(p, material), distance);
    vec3 body =
        scaled(mul(p->s->material[material].color, mix(p->s->sky.horizon, p->s->sky.zenith, 0.5f)), 0.30f);
    return add(mul(light, left), mul(body, sub(grey(1), left)));
}

static vec3 through_smoke(path *p, vec3 o, vec3 d, float far, vec3 behind) {
    float u[1][2];
    if (!p->h) return behind;
    draw(u, p, 1);
    return haze_over(p->h, o, d, far, behind, u[0][0]);
}

static vec3 follow(path *p, vec3 o, vec3 d, int inside, float weight, int depth) {
    if (depth >= DEPTH_MAX || weight < WEIGHT_MIN)
        return inside < 0 ? shade_miss(p, o, d) : optics_sky(&p->s->sky, d);
    tracer_hit hit;
    unsigned see = inside < 0 ? SEE_ALL : SEE_ALL & ~(unsigned)SEE_DROPS;
    if (!tracer_nearest(&hit, p->t, o, d, p->nudge, INFINITY, see))
        return through_smoke(p, o, d, INFINITY, shade_miss(p, o, d));
    vec3 x = along(o, d, hit.distance), light;
    if (hit.what == SEE_FLOOR) light = shade_floor(p, x, d, hit.distance, weight);
    else if (hit.what == SEE_DROPS && !picture_opaque(p->s->material[hit.material].kind))
        light = shade_drop(p, &hit, x, d, weight, depth);
    else if (hit.what == SEE_LIQUID) light = shade_liquid(p, &hit, x, d, inside, weight, depth);
    else if (p->s->material[hit.material].kind == PICTURE_GLASS)
        light = shade_glass(p, &hit, x, d, inside, weight, depth);
    else if (p->s->material[hit.material].kind == PICTURE_CLEAR)
        light = shade_clear(p, &hit, x, d, inside, weight, depth);
    else light = shade_solid(p, &hit, x, d, weight);
    if (hit.what == SEE_LIQUID && dot(hit.facet, d) > 0 && !is_glass(inside) && hit.beyond < 0)
        inside = hit.material; /* seen from within, however it got there */
    return inside < 0 ? through_smoke(p, o, d, hit.distance, light) : tinted(p, light, inside, hit.distance);
}

vec3 shade_ray(const shade_maps *m, const picture_scene *s, vec3 origin, vec3 direction, uint64_t pixel,
               unsigned sample) {
    vec3 size = sub(s->upper, s->lower);
    float scale = fmaxf(size.x, fmaxf(size.y, size.z));
    path p = {.t = m->tracer,
              .c = m->caustics,
              .a = m->ambient,
              .h = m->haze,
              .s = s,
              .pixel = pixel,
              .sample = sample,
              .samples = m->samples,
              .scale = scale,
              .nudge = 1e-4f * scale};
    vec3 light = follow(&p, origin, direction, IN_AIR, 1, 0);
    float peak = fmaxf(light.x, fmaxf(light.y, light.z));
    return peak > SAMPLE_MAX ? scaled(light, SAMPLE_MAX / peak) : light;
}
