/* Deep copy of a scene without its shapes, so that the caller may forget it after creation; the domain in
 * cells. A plane scene's copy has no third components: nothing behind it needs to ask.
 *
 * Cells are cubes of the longest side / `cells`. Another side has round(side / dx) of them and is made that
 * long: liquid and bodies share one box. */
#include "sim/definition.h"

#include <math.h>
#include <string.h>

static double longest_side(const rheo_scene *s) {
    const double plane = fmax(s->size[0], s->size[1]);
    return s->dim == 3 ? fmax(plane, s->size[2]) : plane;
}

/* Along the longest side; a spacing of particles, two a cell, is made to fit. */
static int cells_along(const rheo_scene *scene) {
    if (!(scene->sph.spacing > 0)) return scene->cells;
    return (int)fmin(fmax(4, round(longest_side(scene) / (2 * scene->sph.spacing))), 4096);
}

double definition_cells(int cells[3], const rheo_scene *scene) {
    const double dx = longest_side(scene) / cells_along(scene);
    for (int a = 0; a < 3; ++a) cells[a] = a < scene->dim ? (int)fmax(1, round(scene->size[a] / dx)) : 1;
    return dx;
}

void definition_fit_sides(rheo_scene *scene) {
    const double longest = longest_side(scene);
    const int along = cells_along(scene);
    int cells[3];
    definition_cells(cells, scene);
    for (int a = 0; a < scene->dim; ++a) /* the longest to the last bit: it decides dx */
        scene->size[a] = cells[a] == along ? longest : longest * cells[a] / along;
}

double rheo_evaluate_viscosity(const rheo_fluid *f, double temperature, double time) {
    const double *t = f->law_temperature, *mu = f->law_viscosity;
    if (f->law == RHEO_LAW_NONE) {
        double now = f->viscosity;
        if (f->viscosity_keys.count) rheo_evaluate_curve(&now, &f->viscosity_keys, time);
        return now;
    }
    const double to = (t[1] - temperature) / (t[1] - t[0]), cold = fmin(fmax(to, 0), 1);
    if (cold == 0 || cold == 1) return mu[cold == 0];
    switch (f->law) {
    case RHEO_LAW_QUADRATIC: return mu[1] + (mu[0] - mu[1]) * cold * cold;
    case RHEO_LAW_EXPONENTIAL: return mu[1] * pow(mu[0] / mu[1], cold);
    default: return mu[1] + (mu[0] - mu[1]) * cold;
    }
}

static bool curve_differs(const rheo_curve *c, double from) {
    for (int k = 0; k < c->count; ++k)
        if (c->values[k] != from) return true;
    return false;
}

bool rheo_solves_heat(const rheo_scene *s) {
    bool any = s->exchange > 0 || s->heat_source_count > 0;
    if (rheo_describe_method(s->method)->gas) return false;
    for (int i = 0; i < s->fluid_count; ++i) {
        const rheo_fluid *f = &s->fluids[i];
        any |= f->law || f->latent_heat > 0 || (f->temperature != s->ambient && f->heat_capacity > 0);
    }
    for (int i = 0; i < s->emitter_count; ++i) any |= curve_differs(&s->emitters[i].temperature, s->ambient);
    for (int i = 0; i < s->solid_count; ++i) any |= s->solids[i].temperature.count > 0;
    for (int i = 0; i < 2 * s->dim; ++i) any |= s->side_temperature[i].count > 0;
    return any;
}

double definition_thickest(const rheo_fluid *fluid) {
    if (fluid->law) return fmax(fluid->law_viscosity[0], fluid->law_viscosity[1]);
    double most = fluid->viscosity;
    for (int k = 0; k < fluid->viscosity_keys.count; ++k) most = fmax(most, fluid->viscosity_keys.values[k]);
    return most;
}

double definition_viscosity(const rheo_fluid *fluid, double time) {
    return rheo_evaluate_viscosity(fluid, fluid->temperature, time);
}

bool definition_is_viscous(const rheo_scene *s) {
    const double half = 0.5 * longest_side(s) / s->cells, time = s->frames / s->fps;
    for (int i = 0; i < s->fluid_count; ++i)
        if (definition_thickest(&s->fluids[i]) / s->fluids[i].density * time > half * half) return true;
    return false;
}

const char *definition_bars_viscosity(const rheo_scene *s) {
    for (int side = 0; side < 2 * s->dim; ++side)
        if (s->wall[side] == RHEO_WALL_PERIODIC) return "periodic sides";
    if (s->separation) return "separation";
    for (int i = 0; i < s->solid_count; ++i)
        if (s->solids[i].motion == RHEO_DYNAMIC && s->coupling == RHEO_RIGID_FLUID) return "rigid-fluid";
    return NULL;
}

rheo_viscosity rheo_choose_viscosity(const rheo_scene *s) {
    if (!rheo_describe_method(s->method)->viscosity) return RHEO_VISCOSITY_NONE;
    if (s->viscosity != RHEO_VISCOSITY_AUTO) return s->viscosity;
    return definition_is_viscous(s) && !definition_bars_viscosity(s) ? RHEO_VISCOSITY_FULL
                                                                     : RHEO_VISCOSITY_NONE;
}

static double thinnest_of(const rheo_fluid *fluid) {
    if (fluid->law) return fmin(fluid->law_viscosity[0], fluid->law_viscosity[1]);
    double least = fluid->viscosity;
    for (int k = 0; k < fluid->viscosity_keys.count; ++k)
        least = fmin(least, fluid->viscosity_keys.values[k]);
    return least;
}

double definition_thinnest(const rheo_scene *s) {
    double least = INFINITY;
    if (rheo_choose_viscosity(s) == RHEO_VISCOSITY_NONE) return 0;
    for (int i = 0; i < s->fluid_count; ++i)
        least = fmin(least, thinnest_of(&s->fluids[i]) / s->fluids[i].density);
    return isfinite(least) ? least : 0;
}

bool definition_keeps_particles(const rheo_scene *scene) {
    bool drawn = scene->output_particles;
    for (int i = 0; i < scene->fluid_count; ++i) drawn |= scene->fluids[i].look == RHEO_FLUID_PARTICLES;
    return drawn && rheo_describe_method(scene->method)->particles;
}

double definition_slip(const rheo_scene *s, const rheo_solid *solid) {
    if (solid && solid->slip != RHEO_SLIP_AUTO) return solid->slip;
    if (s->slip != RHEO_SLIP_AUTO) return s->slip;
    return rheo_choose_viscosity(s) == RHEO_VISCOSITY_NONE ? RHEO_SLIP_FREE : 0;
}

/* Whether a shape lies where its numbers say. */
static bool is_plain(const rheo_shape *s) {
    bool plain = s->rotate_degrees == 0;
    for (int a = 0; a < 3; ++a) plain = plain && s->scale[a] == 1 && s->move[a] == 0;
    return plain;
}

rheo_shape definition_fit_fill(const rheo_shape *fill, const rheo_scene *given, const rheo_scene *fitted) {
    rheo_shape fit = *fill;
    for (int a = 0; a < given->dim && fill->kind == RHEO_SHAPE_BOX && is_plain(fill); ++a)
        if (fill->b[a] >= given->size[a] * (1 - 1e-9)) fit.b[a] = fmax(fill->b[a], fitted->size[a]);
    return fit;
}

static void *copy_bytes(arena *owner, const void *from, size_t bytes, int *fail) {
    if (!from || bytes == 0) return NULL;
    void *to = arena_alloc(owner, bytes);
    if (!to) {
        *fail = 1;
        return NULL;
    }
    return memcpy(to, from, bytes);
}

static const char *copy_text(arena *owner, const char *text, int *fail) {
    return text ? copy_bytes(owner, text, strlen(text) + 1, fail) : NULL;
}

/* Returns the values. */
static double *copy_curve(rheo_curve *c, arena *owner, int *fail) {
    const size_t keys = (size_t)c->count;
    if (keys > 1) c->times = copy_bytes(owner, c->times, keys * sizeof(double), fail);
    else c->times = NULL;
    double *values = copy_bytes(owner, c->values, keys * (size_t)c->width * sizeof(double), fail);
    c->values = values;
    return values;
}

/* Vectors that move or pull something: in a plane without z. */
static void copy_motion(rheo_curve *c, arena *owner, int dim, int *fail) {
    double *values = copy_curve(c, owner, fail);
    for (int k = 0; values && dim == 2 && k < c->count; ++k) values[3 * k + 2] = 0;
}

int definition_copy(rheo_scene *copy, arena *owner, const rheo_scene *scene) {
    int fail = 0;
    *copy = *scene;
    definition_fit_sides(copy);
    copy->owner = NULL;
    copy->title = copy_text(owner, scene->title, &fail);
    copy->source = NULL;
    copy->file = copy_text(owner, scene->file, &fail);
    copy->fluids =
        copy_bytes(owner, scene->fluids, (size_t)scene->fluid_count * sizeof *scene->fluids, &fail);
    copy->interfaces = copy_bytes(owner, scene->interfaces,
                                  (size_t)scene->interface_count * sizeof *scene->interfaces, &fail);
    copy->emitters =
        copy_bytes(owner, scene->emitters, (size_t)scene->emitter_count * sizeof *scene->emitters, &fail);
    copy->solids =
        copy_bytes(owner, scene->solids, (size_t)scene->solid_count * sizeof *scene->solids, &fail);
    copy->joints =
        copy_bytes(owner, scene->joints, (size_t)scene->joint_count * sizeof *scene->joints, &fail);
    copy->heat_sources = copy_bytes(owner, scene->heat_sources,
                                    (size_t)scene->heat_source_count * sizeof *scene->heat_sources, &fail);
    copy->probes =
        copy_bytes(owner, scene->probes, (size_t)scene->probe_count * sizeof *scene->probes, &fail);
    if (fail) return -1;
    const int dim = copy->dim;
    copy_motion(&copy->gravity, owner, dim, &fail);
    copy_curve(&copy->camera_eye, owner, &fail);
    copy_curve(&copy->camera_target, owner, &fail);
    copy_curve(&copy->camera_fov, owner, &fail);
    for (int side = 0; side < 6; ++side) copy_curve(&copy->side_temperature[side], owner, &fail);
    for (int i = 0; i < copy->fluid_count; ++i) {
        copy->fluids[i].name = copy_text(owner, scene->fluids[i].name, &fail);
        copy_curve(&copy->fluids[i].viscosity_keys, owner, &fail);
        copy->fluids[i].material = copy_text(owner, scene->fluids[i].material, &fail);
        copy->fluids[i].fill = NULL;
        if (dim == 2) copy->fluids[i].velocity[2] = 0;
    }
    for (int i = 0; i < copy->emitter_count; ++i) {
        copy_motion(&copy->emitters[i].velocity, owner, dim, &fail);
        copy_curve(&copy->emitters[i].rate, owner, &fail);
        copy_curve(&copy->emitters[i].temperature, owner, &fail);
        copy->emitters[i].shape = (rheo_shape){0};
    }
    for (int i = 0; i < copy->heat_source_count; ++i) {
        copy_curve(&copy->heat_sources[i].temperature, owner, &fail);
        copy_curve(&copy->heat_sources[i].power, owner, &fail);
        copy->heat_sources[i].shape = (rheo_shape){0};
    }
    for (int i = 0; i < copy->solid_count; ++i) {
        copy->solids[i].name = copy_text(owner, scene->solids[i].name, &fail);
        copy_motion(&copy->solids[i].position, owner, dim, &fail);
        if (dim == 2) copy->solids[i].velocity[2] = 0;
        copy_curve(&copy->solids[i].rotation_degrees, owner, &fail);
        copy_curve(&copy->solids[i].temperature, owner, &fail);
        copy->solids[i].shape = (rheo_shape){0};
    }
    for (int i = 0; i < copy->joint_count; ++i) copy_curve(&copy->joints[i].speed, owner, &fail);
    for (int i = 0; i < copy->probe_count; ++i)
        copy->probes[i].name = copy_text(owner, scene->probes[i].name, &fail);
    return fail ? -1 : 0;
}
