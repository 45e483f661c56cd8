/* Scenes from files, from the names of built-in ones, and from memory; their simulations; defaults. */
#include <rheo/sim.h>
#include <rheo/material.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/memory.h"
#include "core/report.h"
#include "scene/params.h"
#include "scene/scene_internal.h"

rheo_scene rheo_default_scene(void) {
    static const double start[1] = {0}, gravity[3] = {0, -9.81, 0}, fov[1] = {35};
    static const double eye[3] = {1.9, 1.25, 2.5}, target[3] = {0.5, 0.35, 0.5};
    rheo_scene scene = {.title = ""};
    params_fill_defaults(&scene, IN_SCENE);
    scene.gravity = (rheo_curve){.count = 1, .times = start, .values = gravity, .width = 3};
    scene.camera_eye = (rheo_curve){.count = 1, .times = start, .values = eye, .width = 3};
    scene.camera_target = (rheo_curve){.count = 1, .times = start, .values = target, .width = 3};
    scene.camera_fov = (rheo_curve){.count = 1, .times = start, .values = fov, .width = 1};
    for (int side = 0; side < 6; ++side) scene.side_temperature[side] = (rheo_curve){.width = 1};
    return scene;
}

rheo_shape rheo_default_shape(rheo_shape_kind kind) {
    rheo_shape shape = {.kind = kind};
    params_fill_defaults(&shape, IN_PLACEMENT);
    if (kind < RHEO_SHAPE_UNION) params_fill_defaults(&shape, (section)(IN_BOX + (int)kind));
    return shape;
}

rheo_fluid rheo_default_fluid(void) {
    const rheo_material *water = rheo_list_materials();
    rheo_fluid fluid = {.name = water->name, .material = water->name, .viscosity_keys = {.width = 1}};
    params_fill_defaults(&fluid, IN_FLUID);
    fluid.density = water->density;
    fluid.viscosity = water->viscosity;
    fluid.conductivity = water->conductivity;
    fluid.heat_capacity = water->heat_capacity;
    fluid.relaxation_time = fluid.yield_stress = RHEO_NEVER;
    memcpy(fluid.color, water->color, sizeof fluid.color);
    return fluid;
}

rheo_interface rheo_default_interface(void) {
    rheo_interface interface = {.between = {0, 1}};
    params_fill_defaults(&interface, IN_INTERFACE);
    return interface;
}

rheo_emitter rheo_default_emitter(void) {
    static const double start[1] = {0}, still[3] = {0};
    rheo_emitter emitter = {.velocity = {.count = 1, .times = start, .values = still, .width = 3},
                            .rate = {.width = 1},
                            .temperature = {.width = 1}};
    params_fill_defaults(&emitter, IN_EMITTER);
    return emitter;
}

rheo_solid rheo_default_solid(void) {
    rheo_solid solid = {
        .position = {.width = 3}, .rotation_degrees = {.width = 1}, .temperature = {.width = 1}};
    params_fill_defaults(&solid, IN_SOLID);
    return solid;
}

rheo_joint rheo_default_joint(void) {
    static const double start[1] = {0}, still[1] = {0};
    rheo_joint joint = {.b = -1, .speed = {.count = 1, .times = start, .values = still, .width = 1}};
    params_fill_defaults(&joint, IN_JOINT);
    return joint;
}

rheo_heat_source rheo_default_heat_source(void) {
    static const double start[1] = {0}, warm[1] = {20};
    return (rheo_heat_source){.temperature = {.count = 1, .times = start, .values = warm, .width = 1},
                              .power = {.width = 1}};
}

void rheo_place_report(rheo_report *report, const rheo_scene *scene) {
    if (!report || !scene) return; /* no scene: loading it failed, and that report has its place */
    const scene_owner *owner = scene->owner;
    if (owner && owner->root && report->path[0]) {
        const node *n = node_locate(owner->root, report->path);
        report_place(report, n->source, n->line, n->column, NULL);
    } else if (scene->file) {
        report_place(report, scene->file, 0, 0, NULL);
    }
}

/* Without a camera in the file: from the front, a little above and to the right, so that the domain fills the
 * picture; a plane scene is looked at straight on. */
static rheo_status place_camera(rheo_scene *scene, arena *memory, rheo_report *report) {
    double *eye = arena_alloc(memory, 3 * sizeof *eye), *target = arena_alloc(memory, 3 * sizeof *target);
    if (!eye || !target) return report_no_memory(report, "the camera");
    double depth = scene->dim == 3 ? scene->size[2] : 0;
    double reach = fmax(fmax(scene->size[0], 1.6 * scene->size[1]), depth);
    target[0] = 0.5 * scene->size[0];
    target[1] = (scene->dim == 3 ? 0.35 : 0.5) * scene->size[1];
    target[2] = 0.5 * depth;
    eye[0] = target[0] + (scene->dim == 3 ? 0.85 * reach : 0);
    eye[1] = target[1] + (scene->dim == 3 ? 0.55 * reach : 0);
    eye[2] = target[2] + (scene->dim == 3 ? 1.25 * reach : 1.2 * reach);
    const node *camera = node_find(((scene_owner *)scene->owner)->root, "camera");
    if (!camera || !node_find(camera, "eye"))
        scene->camera_eye = (rheo_curve){.count = 1, .times = target, .values = eye, .width = 3};
    if (!camera || !node_find(camera, "target"))
        scene->camera_target = (rheo_curve){.count = 1, .times = target, .values = target, .width = 3};
    return RHEO_OK;
}

/* "domain.cells=32" */
static rheo_status apply_set(scene_owner *owner, const char *set, rheo_report *report) {
    const char *equals = strchr(set, '=');
    char label[200], path[NODE_PATH_MAX];
    snprintf(label, sizeof label, "--set %.180s", set);
    char *source = arena_text(&owner->memory, label);
    if (!source) return report_no_memory(report, "the scene");
    rheo_status status = RHEO_OK;
    node *value = NULL;
    if (!equals || equals == set || equals - set >= (ptrdiff_t)sizeof path) {
        status = report_fail(report, RHEO_USAGE, "path=value, for example domain.cells=32",
                             "not a path and a value");
    } else if (!equals[1 + strspn(equals + 1, " \t")]) {
        status = report_fail(report, RHEO_USAGE, "path=value, for example domain.cells=32",
                             "there is no value after '='");
    } else {
        memcpy(path, set, (size_t)(equals - set));
        path[equals - set] = '\0';
        status = node_parse(&value, equals + 1, strlen(equals + 1), source, &owner->memory, report);
        if (status == RHEO_OK) status = node_set(owner->root, path, value, &owner->memory, report);
        else if (report) report->line = report->column = 0;
    }
    report_place(report, source, 0, 0, NULL);
    return status;
}

/* Places inside a --set text mean nothing to the user: only the text itself does. */
static void forget_lines(node *n) {
    n->line = n->column = n->key_line = n->key_column = 0;
    for (node *child = n->first; child; child = child->next) forget_lines(child);
}

static void forget_set_lines(node *n, const char *file) {
    if (strcmp(n->source, file) != 0) forget_lines(n);
    else
        for (node *child = n->first; child; child = child->next) forget_set_lines(child, file);
}

/* What only one kind of method uses; said with another it is a mistake, not to be passed over. */
static const struct {
    bool gas;
    const char *within, *key; /* `within` a list: of each of its items */
} method_keys[] = {
    {true, "solver", "advection"},      {true, "solver", "confinement"},
    {true, "fluids", "soot"},           {true, "fluids", "expansion"},
    {true, "emitters", "rate"},         {false, "solver", "pic_blend"},
    {false, "solver", "seed"},          {false, "output", "surface"},
    {false, "domain", "slip"},          {false, "solver", "volume_correction"},
    {false, "solver", "separation"},    {false, "solver", "viscosity"},
    {false, "solver", "viscous_mean"},  {false, "solver", "viscous_surface"},
    {false, "solids", "slip"},          {false, "fluids", "latent_heat"},
    {false, "fluids", "melting"},       {false, "fluids", "conductivity"},
    {false, "fluids", "heat_capacity"}, {false, "solids", "temperature"},
    {false, "solids", "heat_capacity"}, {false, "heat", "exchange"},
    {false, "heat", "speed"},           {false, "heat", "walls"},
};

static rheo_status refuse_key(const node *at, const rheo_scene *scene, const char *within, int index,
                              rheo_report *report) {
    char path[NODE_PATH_MAX];
    if (index >= 0) snprintf(path, sizeof path, "%s[%d].%s", within, index, at->key);
    else snprintf(path, sizeof path, "%s.%s", within, at->key);
    report_fail(report, RHEO_INVALID,
                rheo_describe_method(scene->method)->gas ? "leave it out" : "method: smoke",
                "'%s' means nothing with method '%s'", at->key, method_names[scene->method]);
    report_place(report, at->source, at->key_line, at->key_column, path);
    return RHEO_INVALID;
}

/* The same of keys that only particles without a grid use, and of those that they do not. */
static const struct {
    bool sph;
    const char *within, *key;
} sph_keys[] = {
    {true, "solver", "sph"},
    {true, "fluids", "surface_tension"},
    {true, "fluids", "elasticity"},
    {true, "fluids", "relaxation_time"},
    {true, "fluids", "yield_stress"},
    {true, "fluids", "mobility"},
    {true, "solids", "adhesion"},
    {false, "solver", "pressure"},
    {false, "solver", "pic_blend"},
    {false, "solver", "tolerance"},
    {false, "solver", "max_iterations"},
    {false, "solver", "volume_correction"},
    {false, "solver", "viscosity"},
    {false, "solver", "viscous_mean"},
    {false, "solver", "viscous_surface"},
};

static rheo_status refuse_sph_key(const node *at, const rheo_scene *scene, const char *within, int index,
                                  bool sph, rheo_report *report) {
    const rheo_status status = refuse_key(at, scene, within, index, report);
    if (report) snprintf(report->allowed, sizeof report->allowed, sph ? "method: sph" : "leave it out");
    return status;
}

static rheo_status check_sph_keys(const rheo_scene *scene, rheo_report *report) {
    const node *root = ((const scene_owner *)scene->owner)->root;
    const bool sph = rheo_describe_method(scene->method)->gridless;
    for (size_t i = 0; i < sizeof sph_keys / sizeof *sph_keys; ++i) {
        if (sph_keys[i].sph == sph) continue;
        const node *map = node_find(root, sph_keys[i].within);
        if (!map) continue;
        const bool list = map->kind == NODE_LIST;
        int index = list ? 0 : -1;
        for (const node *item = list ? map->first : map; item; item = list ? item->next : NULL) {
            const node *at = node_find(item, sph_keys[i].key);
            if (at) return refuse_sph_key(at, scene, sph_keys[i].within, index, sph_keys[i].sph, report);
            index += list;
        }
    }
    return RHEO_OK;
}

static rheo_status check_method_keys(const rheo_scene *scene, rheo_report *report) {
    const node *root = ((const scene_owner *)scene->owner)->root;
    const bool gas = rheo_describe_method(scene->method)->gas;
    for (size_t i = 0; i < sizeof method_keys / sizeof *method_keys; ++i) {
        if (method_keys[i].gas == gas) continue;
        const char *within = method_keys[i].within;
        const node *map = node_find(root, within);
        if (!map) continue;
        const bool list = map->kind == NODE_LIST;
        int index = list ? 0 : -1;
        for (const node *item = list ? map->first : map; item; item = list ? item->next : NULL) {
            const node *at = node_find(item, method_keys[i].key);
            const bool is_off = at && at->kind == NODE_SCALAR && strcmp(at->text, "false") == 0;
            if (at && !is_off) return refuse_key(at, scene, within, index, report);
            index += list;
        }
    }
    return RHEO_OK;
}

/* What only cells of several sizes ask for. */
static rheo_status check_tree_keys(const rheo_scene *scene, rheo_report *report) {
    static const char *const keys[] = {"levels", "scheme"};
    const node *solver = node_find(((const scene_owner *)scene->owner)->root, "solver");
    for (int i = 0; i < 2 && solver && scene->viscosity != RHEO_VISCOSITY_TREE; ++i) {
        const node *at = node_find(solver, keys[i]);
        char path[NODE_PATH_MAX];
        if (!at) continue;
        snprintf(path, sizeof path, "solver.%s", keys[i]);
        report_fail(report, RHEO_INVALID, "viscosity: tree, or leave it out",
                    "'%s' means nothing without viscosity: tree", keys[i]);
        report_place(report, at->source, at->key_line, at->key_column, path);
        return RHEO_INVALID;
    }
    return RHEO_OK;
}

/* Smoke has no surface: unless the file says otherwise its volume is written instead. */
static void choose_output(rheo_scene *scene) {
    if (rheo_describe_method(scene->method)->mesh) return;
    const node *output = node_find(((const scene_owner *)scene->owner)->root, "output");
    if (!output || !node_find(output, "mesh")) scene->output_mesh = false;
    if (!output || !node_find(output, "volume")) scene->output_volume = true;
}

/* Liquid whose temperature is not given is as warm as the air. */
static void choose_temperatures(rheo_scene *scene) {
    const node *list = node_find(((const scene_owner *)scene->owner)->root, "fluids");
    if (rheo_describe_method(scene->method)->gas || !list) return;
    int i = 0;
    for (const node *item = list->first; item && i < scene->fluid_count; item = item->next, ++i) {
        rheo_fluid *fluid = &scene->fluids[i];
        if (!node_find(item, "temperature")) fluid->temperature = scene->ambient;
        if (fluid->law) fluid->viscosity = rheo_evaluate_viscosity(fluid, fluid->temperature, 0);
    }
}

static rheo_status fill_scene(rheo_scene *scene, const char *text, size_t length, const char *directory,
                              const char *const *set, int set_count, rheo_report *report) {
    scene_owner *owner = scene->owner;
    rheo_status status = node_parse(&owner->root, text, length, scene->file, &owner->memory, report);
    if (status != RHEO_OK) return status;
    if (owner->root->kind != NODE_MAP) {
        report_fail(report, RHEO_INVALID, "keys such as domain, fluids, solids",
                    "a scene is a map of names and values");
        report_place(report, scene->file, owner->root->line, owner->root->column, NULL);
        return RHEO_INVALID;
    }
    for (int i = 0; i < set_count; ++i) {
        status = apply_set(owner, set[i], report);
        if (status != RHEO_OK) return status;
    }
    if (set_count) forget_set_lines(owner->root, scene->file);
    bool rewritten = false;
    status = scene_read_tree(scene, &rewritten, directory, report);
    if (status == RHEO_OK) status = check_method_keys(scene, report);
    if (status == RHEO_OK) status = check_sph_keys(scene, report);
    if (status == RHEO_OK) status = check_tree_keys(scene, report);
    if (status == RHEO_OK) choose_output(scene);
    if (status == RHEO_OK) choose_temperatures(scene);
    if (status == RHEO_OK) status = place_camera(scene, &owner->memory, report);
    if (status == RHEO_OK) status = rheo_validate_scene(scene, report);
    if (status != RHEO_OK) return status;
    char *copy = set_count || rewritten ? node_write(owner->root, &owner->memory)
                                        : arena_alloc(&owner->memory, length + 1);
    if (!copy) return report_no_memory(report, "the scene");
    if (!set_count && !rewritten) memcpy(copy, text, length);
    scene->source = copy;
    return RHEO_OK;
}

rheo_status scene_parse_text(rheo_scene **scene, const char *text, size_t length, const char *name,
                             const char *directory, const char *const *set, int set_count,
                             rheo_report *report) {
    *scene = NULL;
    scene_owner *owner = calloc(1, sizeof *owner);
    rheo_scene *made = owner ? arena_alloc(&owner->memory, sizeof *made) : NULL;
    if (!made) {
        free(owner);
        return report_no_memory(report, "the scene");
    }
    *made = rheo_default_scene();
    made->owner = owner;
    made->file = arena_text(&owner->memory, name);
    rheo_status status = made->file ? fill_scene(made, text, length, directory, set, set_count, report)
                                    : report_no_memory(report, "the scene");
    if (status != RHEO_OK) {
        rheo_free_scene(made);
        return status;
    }
    *scene = made;
    return RHEO_OK;
}

void rheo_free_scene(rheo_scene *scene) {
    if (!scene || !scene->owner) return;
    scene_owner *owner = scene->owner; /* the scene itself lives in the arena */
    arena_free(&owner->memory);
    free(owner);
}

/* A whole file; *text is the caller's to free. */
static rheo_status read_file(char **text, size_t *length, const char *file, rheo_report *report) {
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        report_fail(report, RHEO_IO, "a readable file", "cannot open the scene file: %s", strerror(errno));
        return RHEO_IO;
    }
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    while (data) {
        used += fread(data + used, 1, capacity - used, stream);
        if (used < capacity || used > NODE_TEXT_MAX) break;
        capacity *= 2;
        char *grown = realloc(data, capacity);
        if (!grown) free(data);
        data = grown;
    }
    bool failed = ferror(stream) != 0;
    fclose(stream);
    if (!data) return report_no_memory(report, "the scene file");
    if (failed) {
        free(data);
        return report_fail(report, RHEO_IO, NULL, "cannot read the scene file");
    }
    *text = data;
    *length = used;
    return RHEO_OK;
}

static const rheo_builtin_scene *find_builtin(const char *name) {
    for (const rheo_builtin_scene *b = rheo_list_scenes(); b->name; ++b)
        if (strcmp(b->name, name) == 0) return b;
    return NULL;
}

static rheo_status unknown_scene(const char *name, rheo_report *report) {
    const char *names[64] = {NULL};
    char allowed[400] = "a scene file, or one of: ";
    int count = 0;
    for (const rheo_builtin_scene *b = rheo_list_scenes(); b->name && count < 63; ++b) {
        size_t length = strlen(allowed);
        snprintf(allowed + length, sizeof allowed - length, "%s%s", count ? ", " : "", b->name);
        names[count++] = b->name;
    }
    report_fail(report, RHEO_INVALID, allowed, "there is no such scene file or built-in scene");
    report_place(report, name, 0, 0, NULL);
    const char *nearest = report_nearest(name, names);
    if (report && nearest) snprintf(report->nearest, sizeof report->nearest, "%s", nearest);
    return RHEO_INVALID;
}

rheo_status rheo_parse_scene(rheo_scene **scene, const char *text, size_t length, const char *name,
                             rheo_report *report) {
    *scene = NULL;
    if (!text || !name)
        return report_fail(report, RHEO_USAGE, "a text and what to call it",
                           "rheo_parse_scene() was given NULL instead of a text");
    const rheo_status status = scene_parse_text(scene, text, length, name, ".", NULL, 0, report);
    report_place(status == RHEO_OK ? NULL : report, name, 0, 0, NULL);
    return status;
}

rheo_status rheo_load_scene(rheo_scene **scene, const char *file_or_name, const char *const *set,
                            int set_count, rheo_report *report) {
    *scene = NULL;
    int given = file_or_name && (set || set_count <= 0);
    for (int i = 0; given && i < set_count; ++i) given = set[i] != NULL;
    if (!given)
        return report_fail(report, RHEO_USAGE,
                           "the name of a file or built-in scene, and of each setting its text",
                           "rheo_load_scene() was given NULL instead of a text");
    const rheo_builtin_scene *builtin = find_builtin(file_or_name);
    if (builtin)
        return scene_parse_text(scene, builtin->text, strlen(builtin->text), file_or_name, ".", set,
                                set_count, report);
    struct stat info;
    if (stat(file_or_name, &info) != 0) return unknown_scene(file_or_name, report);
    if (!S_ISREG(info.st_mode)) {
        report_fail(report, RHEO_INVALID, "a scene file (YAML)", "this is not a file");
        report_place(report, file_or_name, 0, 0, NULL);
        return RHEO_INVALID;
    }
    char *text = NULL;
    size_t length = 0;
    rheo_status status = read_file(&text, &length, file_or_name, report);
    const char *slash = strrchr(file_or_name, '/');
    char *directory =
        slash ? strndup(file_or_name, slash == file_or_name ? 1 : (size_t)(slash - file_or_name)) : NULL;
    if (status == RHEO_OK && slash && !directory) status = report_no_memory(report, "a file name");
    if (status == RHEO_OK)
        status = scene_parse_text(scene, text, length, file_or_name, directory ? directory : ".", set,
                                  set_count, report);
    report_place(status == RHEO_OK ? NULL : report, file_or_name, 0, 0, NULL);
    free(directory);
    free(text);
    return status;
}

rheo_status rheo_open_sim(rheo_sim **sim, const char *file_or_name, rheo_report *report) {
    rheo_scene *scene;
    *sim = NULL;
    rheo_status status = rheo_load_scene(&scene, file_or_name, NULL, 0, report);
    if (status) return status;
    status = rheo_create_sim(sim, scene, 0, report);
    if (status) rheo_place_report(report, scene);
    rheo_free_scene(scene);
    return status;
}
