/* Each fluid by its own look: a mesh, or its particles as balls; and what flies on its own. */
#include "render/cache_liquid.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "render/touching.h"
#include "render/warmth.h"
#include "solid/vector.h"

#define DROP_SHARE 0.7f /* of spray's radius: at full size it looks like hail */
#define BALL_SHARE 1.1f /* of a particle's: neighbours touch, and gaps between them stay small */
#define DENSE_SPAN 0.1  /* of the density at rest: half of the scale of colours */

typedef struct {
    picture_scene *to;
    cache_liquid *l;
    const rheo_scene *scene;
    const char *cache;
    const cache_manifest *m;
    int frame;
    int material[RHEO_FLUIDS_MAX];
    rheo_report *report;
} job;

void cache_liquid_free(cache_liquid *l) {
    for (int f = 0; f < RHEO_FLUIDS_MAX; ++f) {
        rheo_free_mesh(&l->mesh[f]);
        mem_free(l->paint[f]);
        mem_free(l->beyond[f]);
    }
    mem_free(l->drop);
    mem_free(l->ball);
    mem_free(l->ball_paint);
    *l = (cache_liquid){0};
}

/* ---- looks ---- */

static rheo_fluid_look look_of(const rheo_fluid *f) {
    for (const rheo_material *m = rheo_list_materials(); f->look == RHEO_FLUID_AUTO && m->name; ++m)
        if (f->material && !strcmp(m->name, f->material)) return m->look;
    return f->look;
}

static picture_kind kind_of(const rheo_fluid *f) {
    switch (look_of(f)) {
    case RHEO_FLUID_GLOSSY:
    case RHEO_FLUID_PARTICLES: return PICTURE_MATTE;
    case RHEO_FLUID_TRANSLUCENT: return PICTURE_WAX;
    case RHEO_FLUID_MATTE:
    case RHEO_FLUID_GLOWING:
    case RHEO_FLUID_TEMPERATURE: return PICTURE_DULL;
    default: return PICTURE_LIQUID;
    }
}

static vec3 warmth_color(const rheo_scene *scene, double degrees) {
    double span[2];
    warmth_span(span, scene);
    return warmth_scale((degrees - span[0]) / (span[1] - span[0]));
}

static void put_color(float to[3], vec3 color) {
    to[0] = color.x;
    to[1] = color.y;
    to[2] = color.z;
}

/* ---- meshes ---- */

/* Colours of vertices from their temperatures, where the fluid's look asks for them. */
static rheo_status paint_warmth(picture_mesh *mesh, const job *j, int fluid) {
    const rheo_fluid_look look = j->scene->fluid_count ? j->scene->fluids[fluid].look : RHEO_FLUID_AUTO;
    const bool glows = look == RHEO_FLUID_GLOWING;
    const float *temperature = j->l->mesh[fluid].temperature;
    if (!temperature || !(glows || look == RHEO_FLUID_TEMPERATURE)) return RHEO_OK;
    float *paint = j->l->paint[fluid] = mem_alloc(3 * mesh->vertex_count * sizeof *paint);
    if (!paint) return report_no_memory(j->report, "colours");
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double degrees = (double)temperature[v];
        put_color(paint + 3 * v, glows ? warmth_glow(degrees) : warmth_color(j->scene, degrees));
    }
    *(glows ? &mesh->glow : &mesh->albedo) = paint;
    return RHEO_OK;
}

static bool has_mesh(const job *j, int fluid) {
    return !j->scene->fluid_count || look_of(&j->scene->fluids[fluid]) != RHEO_FLUID_PARTICLES;
}

/* What the cache lacks, and what would have written it. */
static rheo_status lacks(const job *j, const char *cure, const char *what, const char *of) {
    report_fail(j->report, RHEO_INVALID, cure, "frame %d has no %s%s", j->frame, what, of);
    report_place(j->report, j->cache, 0, 0, NULL);
    return RHEO_INVALID;
}

static rheo_status read_mesh(const job *j, int fluid) {
    char path[FILE_PATH_MAX], stem[CACHE_NAME_MAX];
    cache_fluid_stem(stem, j->scene, fluid);
    const cache_file *file = cache_find_stem(j->m, CACHE_MESH, stem, j->frame);
    if (!file) return lacks(j, "a run with output: { mesh: true }, or `rheo mesh`", "mesh of ", stem);
    const rheo_status status = cache_whole_file(path, j->cache, file, j->report);
    return status ? status : ply_read_mesh(&j->l->mesh[fluid], path, j->report);
}

/* Where a clear fluid touches an opaque one only that one's mesh stays: what is seen through it is there. */
static rheo_status part_from_others(const job *j, int fluid) {
    rheo_mesh *m = &j->l->mesh[fluid];
    int16_t *beyond;
    size_t kept = 0;
    if (cache_meshes(j->scene) < 2 || kind_of(&j->scene->fluids[fluid]) != PICTURE_LIQUID) return RHEO_OK;
    beyond = j->l->beyond[fluid] = mem_alloc((m->triangle_count + 1) * sizeof *beyond);
    if (!beyond || touching_find(beyond, j->l->mesh, cache_meshes(j->scene), fluid))
        return report_no_memory(j->report, "meshes that touch");
    for (size_t t = 0; t < m->triangle_count; ++t) {
        const int material = beyond[t] < 0 ? -1 : j->material[beyond[t]];
        if (material >= 0 && picture_opaque(j->to->material[material].kind)) continue;
        memmove(m->triangle + 3 * kept, m->triangle + 3 * t, 3 * sizeof *m->triangle);
        beyond[kept++] = (int16_t)material;
    }
    m->triangle_count = kept;
    return RHEO_OK;
}

static rheo_status add_mesh(const job *j, int fluid) {
    const rheo_mesh *read = &j->l->mesh[fluid];
    rheo_status status = part_from_others(j, fluid);
    if (status || !read->triangle_count) return status;
    picture_mesh mesh = {.vertex_count = read->vertex_count,
                         .triangle_count = read->triangle_count,
                         .position = read->position,
                         .normal = read->normal,
                         .triangle = read->triangle,
                         .material = j->material[fluid],
                         .beyond = j->l->beyond[fluid]};
    status = paint_warmth(&mesh, j, fluid);
    picture_add_mesh(j->to, mesh);
    return status;
}

static rheo_status add_meshes(const job *j) {
    rheo_status status = RHEO_OK;
    for (int f = 0; f < cache_meshes(j->scene) && !status; ++f)
        if (has_mesh(j, f)) status = read_mesh(j, f);
    for (int f = 0; f < cache_meshes(j->scene) && !status; ++f)
        if (has_mesh(j, f)) status = add_mesh(j, f);
    return status;
}

/* ---- particles ---- */

static rheo_status read_particles(ply_particles *p, const job *j, const cache_file *file) {
    char path[FILE_PATH_MAX];
    const rheo_status status = cache_whole_file(path, j->cache, file, j->report);
    return status ? status : ply_read_particles(p, path, j->report);
}

static void put_sphere(float to[4], const ply_particles *p, size_t i, float radius) {
    memcpy(to, p->position[i], 3 * sizeof *to);
    to[3] = radius;
}

/* Sorted by fluid, a group each. What is drawn as balls has its spray among them. */
static rheo_status add_spray(const job *j) {
    const cache_file *file = cache_find_file(j->m, CACHE_SPRAY, j->frame);
    ply_particles spray = {0};
    if (!file) return RHEO_OK;
    rheo_status status = read_particles(&spray, j, file);
    if (status) return status;
    j->l->drop = mem_alloc((spray.count + 1) * sizeof *j->l->drop);
    if (!j->l->drop) status = report_no_memory(j->report, "the spray");
    size_t at = 0;
    for (int f = 0; !status && f < j->scene->fluid_count; ++f) {
        const size_t first = at;
        if (look_of(&j->scene->fluids[f]) == RHEO_FLUID_PARTICLES) continue;
        for (size_t i = 0; i < spray.count; ++i) {
            if (spray.fluid && spray.fluid[i] != f) continue;
            const float radius =
                spray.radius && spray.radius[i] > 0 ? spray.radius[i] : 0.3f * (float)j->m->dx;
            put_sphere(j->l->drop[at++], &spray, i, DROP_SHARE * radius);
        }
        if (at > first)
            picture_add_drops(j->to, (picture_drops){.count = at - first,
                                                     .sphere = (const float(*)[4])j->l->drop + first,
                                                     .material = j->material[f]});
    }
    ply_free_particles(&spray);
    return status;
}

/* The speed of a fall through half of the domain, m/s. */
static double fall_speed(const rheo_scene *scene, double time) {
    double gravity[3];
    rheo_evaluate_curve(gravity, &scene->gravity, time);
    const double pull = vec_length(gravity);
    return sqrt(fmax(pull, 1e-3) * scene->size[1]);
}

static vec3 ball_color(const job *j, const rheo_fluid *f, const ply_particles *p, size_t i, double fast) {
    const float *v = p->velocity[i];
    switch (f->paint) {
    case RHEO_PAINT_SPEED:
        return warmth_scale(sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) / fast);
    case RHEO_PAINT_DENSITY: return warmth_scale(0.5 + 0.5 * ((double)p->density[i] - 1) / DENSE_SPAN);
    case RHEO_PAINT_TEMPERATURE: return warmth_color(j->scene, (double)p->temperature[i]);
    default: return vec((float)f->color[0], (float)f->color[1], (float)f->color[2]);
    }
}

static rheo_status put_balls(const job *j, const ply_particles *p) {
    const double fast = fall_speed(j->scene, j->frame / j->scene->fps);
    j->l->ball = mem_alloc((p->count + 1) * sizeof *j->l->ball);
    j->l->ball_paint = mem_alloc((p->count + 1) * sizeof *j->l->ball_paint);
    if (!j->l->ball || !j->l->ball_paint) return report_no_memory(j->report, "balls");
    size_t at = 0;
    for (int f = 0; f < j->scene->fluid_count; ++f) {
        const rheo_fluid *fluid = &j->scene->fluids[f];
        const size_t first = at;
        if (look_of(fluid) != RHEO_FLUID_PARTICLES) continue;
        for (size_t i = 0; i < p->count; ++i) {
            if (p->fluid[i] != f) continue;
            put_sphere(j->l->ball[at], p, i, BALL_SHARE * p->radius[i]);
            put_color(j->l->ball_paint[at++], ball_color(j, fluid, p, i, fast));
        }
        picture_add_drops(j->to, (picture_drops){.count = at - first,
                                                 .sphere = (const float(*)[4])j->l->ball + first,
                                                 .albedo = (const float(*)[3])j->l->ball_paint + first,
                                                 .material = j->material[f]});
    }
    return RHEO_OK;
}

static rheo_status add_balls(const job *j) {
    const cache_file *file = cache_find_file(j->m, CACHE_PARTICLES, j->frame);
    ply_particles p = {0};
    if (!file)
        return lacks(j, "a run with look: particles or output: { particles: true }", "particles to draw", "");
    rheo_status status = read_particles(&p, j, file);
    if (!status) status = put_balls(j, &p);
    ply_free_particles(&p);
    return status;
}

rheo_status cache_liquid_add(picture_scene *to, cache_liquid *l, const rheo_scene *scene, const char *cache,
                             const cache_manifest *m, int frame, rheo_report *report) {
    job j = {to, l, scene, cache, m, frame, {0}, report};
    bool balls = false;
    for (int f = 0; f < scene->fluid_count; ++f) {
        const double *color = scene->fluids[f].color;
        balls |= look_of(&scene->fluids[f]) == RHEO_FLUID_PARTICLES;
        j.material[f] = picture_add_material(to, kind_of(&scene->fluids[f]),
                                             vec((float)color[0], (float)color[1], (float)color[2]));
    }
    if (!scene->fluid_count) j.material[0] = picture_add_material(to, PICTURE_LIQUID, grey(0.8f));
    rheo_status status = add_meshes(&j);
    if (!status && balls) status = add_balls(&j);
    return status ? status : add_spray(&j);
}
