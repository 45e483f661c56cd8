/* From a cache's files to a picture's tables.
 *
 * The scene text of the manifest gives camera, solids and colours; the frame's files give the surface, the
 * spray and where dynamic bodies are. A solid's surface is the zero set of d(R^T (x - p) + c), its distance
 * carried along by the placement (p, R); a plain mesh is drawn by its triangles. */
#include "render/cache_scene.h"

#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "geom/mesh.h"
#include "sim/definition.h"
#include "solid/vector.h"

#define DENSE_SMOKE 1.8f  /* what the eye expects of smoke */
#define FLAT_SMOKE  0.45f /* metres of smoke that a plane scene is thick */

bool cache_scene_path(char path[FILE_PATH_MAX], const char *cache, const char *name) {
    return snprintf(path, FILE_PATH_MAX, "%s/%s", cache, name) < FILE_PATH_MAX;
}

/* ---- once a cache ---- */

/* As shape.c maps a mesh: c + R S (v - c) + m, c the middle of its bounds, c + m the shape's centre. */
static rheo_status load_triangles(cache_solid *s, const rheo_shape *def, rheo_report *report) {
    tri_mesh m;
    rheo_status status = mesh_read(&m, def->file, report);
    if (!status && !def->thin)
        status = mesh_require_closed(&m, def->file, report); /* turned as shape.c does */
    if (status) {
        mesh_free(&m);
        return status;
    }
    double lower[3], upper[3], turn[9];
    mesh_bounds(lower, upper, &m);
    mat_rotation(turn, def->rotate_axis, def->rotate_degrees * (M_PI / 180));
    s->vertex = mem_alloc(m.vertex_count * sizeof *s->vertex);
    s->position = mem_alloc(m.vertex_count * 3 * sizeof *s->position);
    s->triangle = mem_alloc(m.triangle_count * 3 * sizeof *s->triangle);
    if (!s->vertex || !s->position || !s->triangle) {
        mesh_free(&m);
        return report_no_memory(report, "a solid's mesh");
    }
    for (size_t v = 0; v < m.vertex_count; ++v) {
        double from[3];
        for (int a = 0; a < 3; ++a)
            from[a] = def->scale[a] * def->file_scale * (m.vertex[v][a] - 0.5 * (lower[a] + upper[a]));
        for (int a = 0; a < 3; ++a)
            s->vertex[v][a] =
                s->centre[a] + turn[3 * a] * from[0] + turn[3 * a + 1] * from[1] + turn[3 * a + 2] * from[2];
    }
    memcpy(s->triangle, m.triangle, m.triangle_count * sizeof *m.triangle);
    s->vertex_count = m.vertex_count;
    s->triangle_count = m.triangle_count;
    s->triangles = true;
    mesh_free(&m);
    return RHEO_OK;
}

static rheo_status compile_solids(cache_scene *c, rheo_report *report) {
    const rheo_scene *scene = c->scene;
    c->solid = mem_alloc((size_t)(scene->solid_count + 1) * sizeof *c->solid);
    if (!c->solid) return report_no_memory(report, "the solids");
    for (int i = 0; i < scene->solid_count; ++i) {
        const rheo_shape *def = &scene->solids[i].shape;
        cache_solid *s = &c->solid[i];
        bool flat = scene->dim == 2;
        rheo_status status =
            flat ? shape_make_flat(&s->shape, def, report) : shape_make(&s->shape, def, report);
        if (status) return status;
        shape_centre(s->centre, s->shape);
        if (!flat && def->kind == RHEO_SHAPE_MESH && (status = load_triangles(s, def, report))) return status;
    }
    return RHEO_OK;
}

rheo_status cache_scene_open(cache_scene **out, const char *cache, const cache_manifest *m,
                             rheo_report *report) {
    *out = NULL;
    cache_scene *c = mem_alloc(sizeof *c);
    if (!c) return report_no_memory(report, "the picture's scene");
    c->cache = cache;
    c->manifest = m;
    rheo_status status = cache_load_scene(&c->scene, m, report);
    if (!status) {
        definition_fit_sides(c->scene); /* the box that was simulated */
        status = compile_solids(c, report);
    }
    if (status) {
        cache_scene_free(c);
        return status;
    }
    *out = c;
    return RHEO_OK;
}

static void free_frame(cache_scene *c) {
    cache_liquid_free(&c->liquid);
    volume_free(&c->volume);
}

void cache_scene_free(cache_scene *c) {
    if (!c) return;
    free_frame(c);
    for (int i = 0; c->solid && i < c->scene->solid_count; ++i) {
        shape_free(c->solid[i].shape);
        mem_free(c->solid[i].vertex);
        mem_free(c->solid[i].position);
        mem_free(c->solid[i].triangle);
    }
    mem_free(c->solid);
    if (c->scene) rheo_free_scene(c->scene);
    mem_free(c);
}

/* ---- solids of a frame ---- */

static double placed_distance(const void *body, const double x[3]) {
    const cache_solid *s = body;
    return placement_distance(&s->place, s->shape, x) - s->swell;
}

/* A plane scene's vessel: everything around its inside. */
static double around_distance(const void *body, const double x[3]) {
    const cache_solid *s = body;
    return -placement_distance(&s->place, s->shape, x);
}

static void rotation_of(double r[9], const double q[4]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

/* body: where the frame's file has it, or NULL */
static void place_solid(cache_solid *s, const rheo_solid *def, double time, const rheo_body_stats *body) {
    s->place = placement_of_solid(def, s->shape, time, 0);
    if (def->motion != RHEO_DYNAMIC || !body) return;
    memcpy(s->place.position, body->position, sizeof s->place.position);
    rotation_of(s->place.rotation, body->orientation);
}

static void place_point(double x[3], const cache_solid *s, const double y[3]) {
    const double *r = s->place.rotation;
    double from[3] = {y[0] - s->centre[0], y[1] - s->centre[1], y[2] - s->centre[2]};
    for (int a = 0; a < 3; ++a)
        x[a] = s->place.position[a] + r[3 * a] * from[0] + r[3 * a + 1] * from[1] + r[3 * a + 2] * from[2];
}

/* The box about the placed shape; the domain's where the shape is infinite. */
static void placed_bounds(double lower[3], double upper[3], const cache_solid *s, const picture_scene *p) {
    const double low[3] = {(double)p->lower.x, (double)p->lower.y, (double)p->lower.z};
    const double high[3] = {(double)p->upper.x, (double)p->upper.y, (double)p->upper.z};
    double own[2][3];
    bool finite = true;
    shape_bounds(own[0], own[1], s->shape);
    for (int a = 0; a < 3; ++a) {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
        if (p->flat && a == 2) own[0][a] = low[a], own[1][a] = high[a];
        finite = finite && isfinite(own[0][a]) && isfinite(own[1][a]);
    }
    for (int k = 0; finite && k < 8; ++k) {
        double x[3], y[3] = {own[k & 1][0], own[k >> 1 & 1][1], own[k >> 2][2]};
        place_point(x, s, y);
        for (int a = 0; a < 3; ++a) {
            lower[a] = fmin(lower[a], x[a]);
            upper[a] = fmax(upper[a], x[a]);
        }
    }
    double margin = s->swell + 1e-3 * (high[0] - low[0]);
    for (int a = 0; a < 3; ++a) {
        bool cut = !finite || (p->flat && a == 2);
        lower[a] = cut ? low[a] : lower[a] - margin;
        upper[a] = cut ? high[a] : upper[a] + margin;
    }
    if (p->flat)
        upper[2] += 0.05 * (high[2] - low[2]); /* in front of the liquid's slab, not in one plane with it */
}

/* The liquid's mesh ends on solids, to within a part of a cell: two surfaces in one place, of which now one
 * and now the other would be hit first. Drawn a little larger, a solid is what a ray through the liquid
 * meets, and a vessel, by a little more, stands clear of what it holds, solids that touch it among them. */
#define SWELL        0.2 /* cells */
#define VESSEL_SWELL 0.35

/* What of a fixed solid lies outside the domain is of no use to the fluid, and in the way of the view; of one
 * that moves, where it reaches out on both sides. */
static void cut_to_domain(double lower[3], double upper[3], const picture_scene *p, int fixed) {
    const double low[3] = {(double)p->lower.x, (double)p->lower.y, (double)p->lower.z};
    const double high[3] = {(double)p->upper.x, (double)p->upper.y, (double)p->upper.z};
    for (int a = 0; a < (p->flat ? 2 : 3); ++a) {
        if (!fixed && !(lower[a] < low[a] && upper[a] > high[a])) continue;
        lower[a] = fmax(lower[a], low[a]);
        upper[a] = fmin(upper[a], high[a]);
    }
}

/* In front of what it holds and a little of what smoke's cells smear over its walls. */
static bool add_flat_vessel(picture_scene *p, const cache_solid *s, const rheo_solid *def) {
    const int material = picture_add_material(p, PICTURE_MATTE, vec_of(def->color));
    vec3 upper = p->upper;
    upper.z += 0.05f * (p->upper.z - p->lower.z);
    return material >= 0 &&
           picture_add_solid(p, (picture_solid){around_distance, s, p->lower, upper, material, 0}) >= 0;
}

/* A sheet has one face, through which nothing is entered. */
static picture_kind kind_of(const rheo_solid *def) {
    if (def->inside_fluid || (def->look == RHEO_LOOK_GLASS && def->shape.thin)) return PICTURE_GLASS;
    return def->look == RHEO_LOOK_GLASS ? PICTURE_CLEAR : PICTURE_MATTE;
}

static vec3 vertex_of(const float *position, size_t v) {
    return vec(position[3 * v], position[3 * v + 1], position[3 * v + 2]);
}

/* The triangles of a mesh moved outwards by the swell, by the mean normal of those around each vertex: they
 * must overlap the liquid beside them as what is drawn by its distance does. False: no memory. */
static bool grow(cache_solid *s) {
    float *normal = mem_alloc(3 * s->vertex_count * sizeof *normal);
    if (!normal) return false;
    for (size_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->triangle + 3 * t;
        const vec3 a = vertex_of(s->position, v[0]), b = vertex_of(s->position, v[1]);
        const vec3 n = cross(sub(b, a), sub(vertex_of(s->position, v[2]), a));
        for (int c = 0; c < 3; ++c) {
            normal[3 * v[c]] += n.x;
            normal[3 * v[c] + 1] += n.y;
            normal[3 * v[c] + 2] += n.z;
        }
    }
    for (size_t v = 0; v < s->vertex_count; ++v) {
        const vec3 n = vertex_of(normal, v);
        const float size = length(n), far = size > 0 ? (float)s->swell / size : 0;
        s->position[3 * v] += far * n.x;
        s->position[3 * v + 1] += far * n.y;
        s->position[3 * v + 2] += far * n.z;
    }
    mem_free(normal);
    return true;
}

static bool add_solid(picture_scene *p, cache_solid *s, const rheo_solid *def, double dx) {
    if (def->look == RHEO_LOOK_HIDDEN) return true;
    s->swell = (def->inside_fluid ? VESSEL_SWELL : SWELL) * dx;
    if (p->flat && def->inside_fluid) return add_flat_vessel(p, s, def);
    int material = picture_add_material(p, kind_of(def), vec_of(def->color));
    if (material < 0) return false;
    if (s->triangles) {
        for (size_t v = 0; v < s->vertex_count; ++v) {
            double x[3];
            place_point(x, s, s->vertex[v]);
            for (size_t a = 0; a < 3; ++a) s->position[3 * v + a] = (float)x[a];
        }
        if (!grow(s)) return false;
        picture_mesh mesh = {.vertex_count = s->vertex_count,
                             .triangle_count = s->triangle_count,
                             .position = s->position,
                             .triangle = s->triangle,
                             .material = material};
        return picture_add_mesh(p, mesh) >= 0;
    }
    double lower[3], upper[3];
    placed_bounds(lower, upper, s, p);
    if (!def->inside_fluid) cut_to_domain(lower, upper, p, def->motion == RHEO_STATIC);
    return picture_add_solid(p, (picture_solid){placed_distance, s, vec_of(lower), vec_of(upper), material,
                                                (float)s->swell}) >= 0;
}

static rheo_status add_solids(cache_scene *c, int frame, rheo_report *report) {
    rheo_body_stats *bodies;
    rheo_status status = cache_load_bodies(&bodies, c->cache, c->manifest, c->scene, frame, report);
    const rheo_body_stats *next = bodies;
    for (int i = 0; i < c->scene->solid_count && !status; ++i) {
        const rheo_solid *def = &c->scene->solids[i];
        const rheo_body_stats *body = next && def->motion != RHEO_STATIC ? next++ : NULL;
        place_solid(&c->solid[i], def, frame / c->scene->fps, body);
        if (!add_solid(&c->picture, &c->solid[i], def, c->manifest->dx))
            status = report_fail(report, RHEO_INVALID, "at most 256 solids, 22 of them meshes",
                                 "too many solids to draw");
    }
    mem_free(bodies);
    return status;
}

/* ---- smoke of a frame ---- */

const cache_file *cache_scene_source(const cache_manifest *m, int frame) {
    static const cache_kind kinds[] = {CACHE_MESH, CACHE_VOLUME, CACHE_PARTICLES};
    const cache_file *found = NULL;
    for (int i = 0; i < 3 && !found; ++i) found = cache_find_file(m, kinds[i], frame);
    return found;
}

static rheo_status add_smoke(cache_scene *c, const cache_file *file, rheo_report *report) {
    const rheo_scene *scene = c->scene;
    rheo_status status = volume_read(&c->volume, c->cache, file, report);
    if (status) return status;
    const volume *v = &c->volume;
    const double color[3] = {scene->fluids[0].color[0], scene->fluids[0].color[1], scene->fluids[0].color[2]};
    c->picture.volume = (picture_volume){
        .cells = {v->cells[0], v->cells[1], v->cells[2]},
        .density = v->density,
        .lower = vec_of(v->origin),
        .spacing = (float)v->dx,
        .strength = c->picture.flat ? FLAT_SMOKE / (float)v->dx : DENSE_SMOKE * c->picture.tint,
        .material = picture_add_material(&c->picture, PICTURE_SMOKE, vec_of(color)),
    };
    return RHEO_OK;
}

static rheo_status add_fluid(cache_scene *c, int frame, rheo_report *report) {
    const cache_file *file = cache_scene_source(c->manifest, frame);
    return file && file->kind == CACHE_VOLUME
               ? add_smoke(c, file, report)
               : cache_liquid_add(&c->picture, &c->liquid, c->scene, c->cache, c->manifest, frame, report);
}

static bool same_constant(const rheo_curve *a, const rheo_curve *b) {
    return a->count == 1 && b->count == 1 &&
           !memcmp(a->values, b->values, (size_t)b->width * sizeof *b->values);
}

/* The default scene looks at a unit cube; a scene that leaves it at that gave no camera, and gets one that
 * fits. */
static bool has_camera(const rheo_scene *scene) {
    rheo_scene plain = rheo_default_scene();
    return scene->camera_eye.count > 0 && !(same_constant(&scene->camera_eye, &plain.camera_eye) &&
                                            same_constant(&scene->camera_target, &plain.camera_target) &&
                                            same_constant(&scene->camera_fov, &plain.camera_fov));
}

static void aim_camera(cache_scene *c, double time) {
    const rheo_scene *scene = c->scene;
    if (scene->dim == 2 || !has_camera(scene)) return;
    double eye[3], target[3] = {0.5 * scene->size[0], 0.4 * scene->size[1], 0.5 * scene->size[2]}, fov = 35;
    rheo_evaluate_curve(eye, &scene->camera_eye, time);
    if (scene->camera_target.count) rheo_evaluate_curve(target, &scene->camera_target, time);
    if (scene->camera_fov.count) rheo_evaluate_curve(&fov, &scene->camera_fov, time);
    c->picture.camera = camera_look(vec_of(eye), vec_of(target), (float)fov);
}

rheo_status cache_scene_load_frame(cache_scene *c, int frame, float aspect, rheo_report *report) {
    const rheo_scene *scene = c->scene;
    free_frame(c);
    bool flat = scene->dim == 2;
    const double upper[3] = {scene->size[0], scene->size[1], flat ? c->manifest->dx : scene->size[2]};
    picture_begin(&c->picture, grey(0), vec_of(upper), flat, (float)c->manifest->dx, aspect);
    aim_camera(c, frame / scene->fps);
    rheo_status status = add_fluid(c, frame, report);
    if (!status) status = add_solids(c, frame, report);
    if (status) return status;
    int line = picture_add_material(&c->picture, PICTURE_LINE, vec(0.10f, 0.11f, 0.13f));
    picture_add_mesh(&c->picture, picture_make_edges(&c->edges, &c->picture, line));
    return RHEO_OK;
}

/* ---- looks ---- */

static uint64_t add_curve(uint64_t sum, const rheo_curve *c) {
    const size_t keys = (size_t)c->count;
    sum = checksum_add(sum, &c->count, sizeof c->count);
    if (keys > 1) sum = checksum_add(sum, c->times, keys * sizeof *c->times);
    return checksum_add(sum, c->values, keys * (size_t)c->width * sizeof *c->values);
}

uint64_t cache_scene_looks(const rheo_scene *scene) {
    uint64_t sum = add_curve(CHECKSUM_START, &scene->camera_eye);
    sum = add_curve(sum, &scene->camera_target);
    sum = add_curve(sum, &scene->camera_fov);
    for (int i = 0; i < scene->fluid_count; ++i)
        sum = checksum_add(sum, scene->fluids[i].color, sizeof scene->fluids[i].color);
    for (int i = 0; i < scene->fluid_count; ++i) {
        const int look[2] = {(int)scene->fluids[i].look, (int)scene->fluids[i].paint};
        if (look[0]) sum = checksum_add(sum, look, (look[1] ? 2 : 1) * sizeof *look);
    }
    for (int i = 0; i < scene->solid_count; ++i) {
        const int look = (int)scene->solids[i].look;
        sum = checksum_add(sum, scene->solids[i].color, sizeof scene->solids[i].color);
        sum = checksum_add(sum, &look, sizeof look);
    }
    return sum;
}
