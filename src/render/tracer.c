/* Ray queries: triangles and droplets by Embree 3 or 4, solids by sphere tracing, the floor as a plane.
 *
 * Sphere tracing (Hart 1996): from a point at distance D of a surface, a step of D along any direction cannot
 * cross it; steps end when D falls under a tolerance. Each kind has its own Embree scene, so that a query
 * pays only for what it asks. The trees are built by one thread: their form, and with it which of two
 * triangles answers on a shared edge, must not depend on the machine's cores. Limits: a sphere-traced solid
 * thinner than the tolerance is missed. */
#include "render/tracer.h"

#include "core/memory.h"
#include "core/report.h"

#ifdef RHEO_HAVE_EMBREE

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

enum { KIND_LIQUID, KIND_DROPS, KIND_SOLID, KIND_CASTER, KINDS, STEPS_MAX = 160 };

struct tracer {
    const picture_scene *scene;
    RTCDevice device;
    RTCScene tree[KINDS];                   /* NULL where there is nothing of the kind */
    int mesh_of[KINDS][2 * PICTURE_MESHES]; /* or drops, by Embree's geometry number */
    bool casters;                           /* any solid by its distance that blocks light */
    float scale;                            /* m: the domain's longest side */
};

/* The one difference between Embree 3 and 4 that matters here: how a query carries its options. */
static void ask_nearest(RTCScene tree, struct RTCRayHit *ray) {
#if RTC_VERSION_MAJOR >= 4
    struct RTCIntersectArguments arguments;
    rtcInitIntersectArguments(&arguments);
    rtcIntersect1(tree, ray, &arguments);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tree, &context, ray);
#endif
}

static void ask_blocked(RTCScene tree, struct RTCRay *ray) {
#if RTC_VERSION_MAJOR >= 4
    struct RTCOccludedArguments arguments;
    rtcInitOccludedArguments(&arguments);
    rtcOccluded1(tree, ray, &arguments);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(tree, &context, ray);
#endif
}

static struct RTCRay embree_ray(vec3 o, vec3 d, float near, float far) {
    return (struct RTCRay){.org_x = o.x,
                           .org_y = o.y,
                           .org_z = o.z,
                           .tnear = near,
                           .dir_x = d.x,
                           .dir_y = d.y,
                           .dir_z = d.z,
                           .tfar = far,
                           .mask = ~0u};
}

/* ---- building ---- */

static bool attach(tracer *t, int kind, RTCGeometry geometry, int index) {
    if (!t->tree[kind]) {
        t->tree[kind] = rtcNewScene(t->device);
        if (!t->tree[kind]) return false;
        rtcSetSceneFlags(t->tree[kind], RTC_SCENE_FLAG_ROBUST);
    }
    rtcCommitGeometry(geometry);
    unsigned number = rtcAttachGeometry(t->tree[kind], geometry);
    if (number >= 2 * PICTURE_MESHES) return false;
    t->mesh_of[kind][number] = index;
    return true;
}

static void *buffer(RTCGeometry g, enum RTCBufferType type, unsigned slot, enum RTCFormat format,
                    size_t stride, size_t count) {
    return rtcSetNewGeometryBuffer(g, type, slot, format, stride, count);
}

/* Embree copies: its buffers need padding that ours do not promise. */
static bool add_mesh(tracer *t, int kind, int index) {
    const picture_mesh *m = &t->scene->mesh[index];
    if (!m->triangle_count) return true;
    RTCGeometry g = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!g) return false;
    float *position =
        buffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), m->vertex_count);
    uint32_t *triangle =
        buffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t), m->triangle_count);
    bool good = position && triangle;
    if (good) {
        for (size_t i = 0; i < 3 * m->vertex_count; ++i) position[i] = m->position[i];
        for (size_t i = 0; i < 3 * m->triangle_count; ++i) triangle[i] = m->triangle[i];
        good = attach(t, kind, g, index);
    }
    rtcReleaseGeometry(g);
    return good;
}

static bool add_drops(tracer *t, int kind, int index) {
    const picture_drops *d = &t->scene->drops[index];
    if (!d->count) return true;
    RTCGeometry g = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!g) return false;
    float *sphere = buffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float), d->count);
    if (sphere)
        for (size_t i = 0; i < d->count; ++i)
            for (int c = 0; c < 4; ++c) sphere[4 * i + (size_t)c] = d->sphere[i][c];
    bool good = sphere && attach(t, kind, g, index);
    rtcReleaseGeometry(g);
    return good;
}

static bool build(tracer *t) {
    const picture_scene *s = t->scene;
    for (int m = 0; m < s->mesh_count; ++m) {
        picture_kind kind = s->material[s->mesh[m].material].kind;
        if (!add_mesh(t, kind == PICTURE_LIQUID ? KIND_LIQUID : KIND_SOLID, m)) return false;
        if (picture_opaque(kind) && !add_mesh(t, KIND_CASTER, m)) return false;
    }
    for (int d = 0; d < s->drops_count; ++d) {
        if (!add_drops(t, KIND_DROPS, d)) return false;
        if (s->drops[d].albedo && !add_drops(t, KIND_CASTER, d)) return false;
    }
    for (int k = 0; k < KINDS; ++k)
        if (t->tree[k]) rtcCommitScene(t->tree[k]);
    for (int i = 0; i < s->solid_count; ++i)
        t->casters |= picture_opaque(s->material[s->solid[i].material].kind);
    return rtcGetDeviceError(t->device) == RTC_ERROR_NONE;
}

rheo_status tracer_make(tracer **out, const picture_scene *s, rheo_report *report) {
    *out = NULL;
    tracer *t = mem_alloc(sizeof *t);
    if (!t) return report_no_memory(report, "the picture's geometry");
    t->scene = s;
    vec3 size = sub(s->upper, s->lower);
    t->scale = fmaxf(size.x, fmaxf(size.y, size.z));
    t->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!t->device) {
        mem_free(t);
        return report_fail(report, RHEO_INTERNAL, NULL, "Embree cannot start (error %d)",
                           (int)rtcGetDeviceError(NULL));
    }
    if (!build(t)) {
        tracer_free(t);
        return report_no_memory(report, "the picture's geometry");
    }
    *out = t;
    return RHEO_OK;
}

void tracer_free(tracer *t) {
    if (!t) return;
    for (int k = 0; k < KINDS; ++k)
        if (t->tree[k]) rtcReleaseScene(t->tree[k]);
    rtcReleaseDevice(t->device);
    mem_free(t);
}

bool tracer_available(void) {
    return true;
}

/* ---- triangles and droplets ---- */

static vec3 vertex_normal(const picture_mesh *m, uint32_t v) {
    return vec(m->normal[3 * (size_t)v], m->normal[3 * (size_t)v + 1], m->normal[3 * (size_t)v + 2]);
}

static vec3 smooth_normal(const picture_mesh *m, unsigned triangle, float u, float v, vec3 facet) {
    if (!m->normal) return facet;
    const uint32_t *corner = m->triangle + 3 * (size_t)triangle;
    vec3 n = scaled(vertex_normal(m, corner[0]), 1 - u - v);
    n = along(along(n, vertex_normal(m, corner[1]), u), vertex_normal(m, corner[2]), v);
    float l = length(n);
    return l > 1e-6f && dot(n, facet) > 0 ? scaled(n, 1 / l) : facet;
}

static vec3 vertex_mean(const float *of, const picture_mesh *m, unsigned triangle, float u, float v) {
    const uint32_t *corner = m->triangle + 3 * (size_t)triangle;
    const float share[3] = {1 - u - v, u, v};
    vec3 sum = grey(0);
    for (int c = 0; c < 3; ++c) {
        const float *at = of + 3 * (size_t)corner[c];
        sum = along(sum, vec(at[0], at[1], at[2]), share[c]);
    }
    return sum;
}

/* What a hit has of its own material where no mesh says otherwise. */
static void take_material(tracer_hit *hit, const tracer *t) {
    hit->beyond = -1;
    hit->albedo = t->scene->material[hit->material].color;
    hit->glow = grey(0);
}

static bool nearest_in_tree(tracer_hit *hit, const tracer *t, int kind, vec3 o, vec3 d, float near,
                            float far) {
    if (!t->tree[kind]) return false;
    struct RTCRayHit ray = {.ray = embree_ray(o, d, near, far)};
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    ask_nearest(t->tree[kind], &ray);
    if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    hit->distance = ray.ray.tfar;
    hit->facet = normalized(vec(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z));
    int index = t->mesh_of[kind][ray.hit.geomID];
    if (kind == KIND_DROPS) {
        const picture_drops *drops = &t->scene->drops[index];
        hit->material = drops->material;
        hit->radius = drops->sphere[ray.hit.primID][3];
        take_material(hit, t);
        if (drops->albedo) {
            const float *c = drops->albedo[ray.hit.primID];
            hit->albedo = vec(c[0], c[1], c[2]);
        }
        hit->normal = hit->facet;
        hit->what = SEE_DROPS;
    } else {
        const picture_mesh *m = &t->scene->mesh[index];
        hit->material = m->material;
        hit->normal = smooth_normal(m, ray.hit.primID, ray.hit.u, ray.hit.v, hit->facet);
        hit->what = kind == KIND_LIQUID ? SEE_LIQUID : SEE_SOLID;
        take_material(hit, t);
        if (m->albedo) hit->albedo = vertex_mean(m->albedo, m, ray.hit.primID, ray.hit.u, ray.hit.v);
        if (m->beyond) hit->beyond = m->beyond[ray.hit.primID];
        if (m->glow) hit->glow = vertex_mean(m->glow, m, ray.hit.primID, ray.hit.u, ray.hit.v);
    }
    return true;
}

/* ---- solids by distance ---- */

/* The part of (near, far) inside a box, and the axis through which the ray comes in (-1: starts inside). */
static bool clip_to_box(float *near, float *far, int *axis, const picture_solid *s, vec3 o, vec3 d) {
    const float origin[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
    const float low[3] = {s->lower.x, s->lower.y, s->lower.z}, high[3] = {s->upper.x, s->upper.y, s->upper.z};
    *axis = -1;
    for (int a = 0; a < 3; ++a) {
        if (fabsf(way[a]) < 1e-12f) {
            if (origin[a] < low[a] || origin[a] > high[a]) return false;
            continue;
        }
        float in = (low[a] - origin[a]) / way[a], out = (high[a] - origin[a]) / way[a];
        if (in > out) {
            float swap = in;
            in = out;
            out = swap;
        }
        if (in > *near) {
            *near = in;
            *axis = a;
        }
        *far = fminf(*far, out);
    }
    return *near < *far;
}

static double solid_distance(const picture_solid *s, vec3 x) {
    const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
    return s->distance(s->body, at);
}

static vec3 solid_normal(const picture_solid *s, vec3 x, float h) {
    vec3 n =
        vec((float)(solid_distance(s, vec(x.x + h, x.y, x.z)) - solid_distance(s, vec(x.x - h, x.y, x.z))),
            (float)(solid_distance(s, vec(x.x, x.y + h, x.z)) - solid_distance(s, vec(x.x, x.y - h, x.z))),
            (float)(solid_distance(s, vec(x.x, x.y, x.z + h)) - solid_distance(s, vec(x.x, x.y, x.z - h))));
    return normalized(n);
}

/* The distance where the ray crosses the solid's surface, or < 0. A ray that starts inside (a tank's shell)
 * is followed to the way out; one that comes through the cut of an infinite solid meets it at the cut. */
static float cross_solid(int *cut, const tracer *t, const picture_solid *s, vec3 o, vec3 d, float near,
                         float far) {
    int axis;
    if (!clip_to_box(&near, &far, &axis, s, o, d)) return -1;
    float tolerance = 1e-5f * t->scale, at = near;
    *cut = -1;
    double first = solid_distance(s, along(o, d, at));
    if (first < 0 && axis >= 0) {
        *cut = axis;
        return at;
    }
    double sign = first < 0 ? -1 : 1;
    for (int step = 0; step < STEPS_MAX && at < far; ++step) {
        double free = sign * solid_distance(s, along(o, d, at));
        if (free < (double)tolerance && at > near) return at;
        at += fmaxf((float)free, tolerance);
    }
    return -1;
}

static bool nearest_solid(tracer_hit *hit, const tracer *t, vec3 o, vec3 d, float near, float far) {
    bool found = false;
    for (int i = 0; i < t->scene->solid_count; ++i) {
        const picture_solid *s = &t->scene->solid[i];
        int cut;
        float at = cross_solid(&cut, t, s, o, d, near, far);
        if (at < 0) continue;
        far = at;
        found = true;
        vec3 facing = cut < 0 ? solid_normal(s, along(o, d, at), 1e-4f * t->scale)
                              : vec(cut == 0 ? -d.x : 0, cut == 1 ? -d.y : 0, cut == 2 ? -d.z : 0);
        hit->facet = hit->normal = normalized(facing);
        hit->distance = at;
        hit->material = s->material;
        hit->what = SEE_SOLID;
        take_material(hit, t);
    }
    return found;
}

/* A liquid's mesh follows a vessel's wall but for a part of a cell at its edges, where it is blunt. */
bool tracer_against_vessel(vec3 *normal, const tracer *t, vec3 x, vec3 facet) {
    for (int i = 0; i < t->scene->solid_count; ++i) {
        const picture_solid *s = &t->scene->solid[i];
        if (t->scene->material[s->material].kind != PICTURE_GLASS || s->swell <= 0) continue;
        if (fabs(solid_distance(s, x) + (double)s->swell) > 0.2 * (double)t->scene->contact) continue;
        *normal = solid_normal(s, x, 1e-4f * t->scale);
        if (dot(*normal, facet) > 0.6f) return true;
    }
    return false;
}

/* ---- queries ---- */

bool tracer_nearest(tracer_hit *hit, const tracer *t, vec3 o, vec3 d, float near, float far, unsigned see) {
    static const unsigned sees[] = {
        [KIND_LIQUID] = SEE_LIQUID, [KIND_DROPS] = SEE_DROPS, [KIND_SOLID] = SEE_SOLID};
    bool found = false;
    if ((see & SEE_FLOOR) && t->scene->floor && d.y < 0) {
        float at = (t->scene->lower.y - 1e-4f * t->scale - o.y) / d.y;
        if (at > near && at < far) {
            *hit = (tracer_hit){at, SEE_FLOOR, -1, -1, {0, 1, 0}, {0, 1, 0}, 0, {0, 0, 0}, {0, 0, 0}};
            far = at;
            found = true;
        }
    }
    for (int kind = 0; kind <= KIND_SOLID; ++kind)
        if ((see & sees[kind]) && nearest_in_tree(hit, t, kind, o, d, near, far)) {
            far = hit->distance;
            found = true;
        }
    if ((see & SEE_SOLID) && nearest_solid(hit, t, o, d, near, far)) found = true;
    return found;
}

bool tracer_blocked(const tracer *t, vec3 o, vec3 d, float near, float far) {
    if (t->tree[KIND_CASTER]) {
        struct RTCRay ray = embree_ray(o, d, near, far);
        ask_blocked(t->tree[KIND_CASTER], &ray);
        if (ray.tfar < 0) return true;
    }
    for (int i = 0; t->casters && i < t->scene->solid_count; ++i) {
        const picture_solid *s = &t->scene->solid[i];
        int cut;
        if (picture_opaque(t->scene->material[s->material].kind) &&
            cross_solid(&cut, t, s, o, d, near, far) >= 0)
            return true;
    }
    return false;
}

#else /* without Embree */

rheo_status tracer_make(tracer **t, const picture_scene *s, rheo_report *report) {
    (void)s;
    *t = NULL;
    return report_fail(report, RHEO_USAGE, "install libembree-dev and rebuild",
                       "this rheo was built without Embree");
}

void tracer_free(tracer *t) {
    (void)t;
}

bool tracer_available(void) {
    return false;
}

bool tracer_nearest(tracer_hit *hit, const tracer *t, vec3 o, vec3 d, float near, float far, unsigned see) {
    (void)hit, (void)t, (void)o, (void)d, (void)near, (void)far, (void)see;
    return false;
}

bool tracer_against_vessel(vec3 *normal, const tracer *t, vec3 x, vec3 facet) {
    (void)normal, (void)t, (void)x, (void)facet;
    return false;
}

bool tracer_blocked(const tracer *t, vec3 o, vec3 d, float near, float far) {
    (void)t, (void)o, (void)d, (void)near, (void)far;
    return false;
}
#endif
