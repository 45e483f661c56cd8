/* What every scene must satisfy, loaded or filled by hand: the ranges of params.c, and combinations.
 *
 * Messages name a path; for loaded scenes the loader adds file, line and column from the path. */
#include <rheo/scene.h>

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <rheo/sim.h>
#include "core/report.h"
#include "grid/tree.h"
#include "linear/poisson.h"
#include "scene/params.h"
#include "scene/scene_internal.h"
#include "sim/definition.h"

typedef struct checker {
    const rheo_scene *scene;
    rheo_report *report;
} checker;

__attribute__((format(printf, 4, 5))) static rheo_status fail(const checker *c, const char *path,
                                                              const char *allowed, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report_fail_list(c->report, RHEO_INVALID, allowed, format, args);
    va_end(args);
    report_place(c->report, NULL, 0, 0, path);
    return RHEO_INVALID;
}

__attribute__((format(printf, 2, 3))) static const char *path_of(char path[NODE_PATH_MAX], const char *format,
                                                                 ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(path, NODE_PATH_MAX, format, args);
    va_end(args);
    return path;
}

/* --- ranges --- */

static bool in_range(double value, const param *p) {
    return isfinite(value) && (p->above ? value > p->low : value >= p->low) && value <= p->high;
}

static rheo_status check_numbers(const checker *c, const double *values, int count, const param *p,
                                 const char *path) {
    for (int i = 0; i < count; ++i) {
        if (in_range(values[i], p)) continue;
        char allowed[400], at[NODE_PATH_MAX];
        param_allowed(allowed, sizeof allowed, p);
        if (count > 1) path_of(at, "%.240s[%d]", path, i);
        else path_of(at, "%.250s", path);
        return fail(c, at, allowed, isfinite(values[i]) ? "%g is out of range" : "%g is not a finite number",
                    values[i]);
    }
    return RHEO_OK;
}

static rheo_status check_curve(const checker *c, const rheo_curve *curve, int width, const param *p,
                               const char *path) {
    if (curve->count == 0) return RHEO_OK;
    char allowed[400], at[NODE_PATH_MAX];
    param_allowed(allowed, sizeof allowed, p);
    if (curve->count < 0 || curve->width != width || !curve->values || (curve->count > 1 && !curve->times))
        return fail(c, path, allowed, "a curve must have keys of %d number%s", width, width > 1 ? "s" : "");
    for (int i = 0; i < curve->count; ++i) {
        bool keyed = curve->count > 1;
        path_of(at, keyed ? "%.230s.keys[%d]" : "%.250s", path, i);
        if (keyed && !isfinite(curve->times[i]))
            return fail(c, at, allowed, "the time of a key is not finite");
        if (keyed && i > 0 && !(curve->times[i] > curve->times[i - 1]))
            return fail(c, at, allowed, "key times must rise: %g comes after %g", curve->times[i],
                        curve->times[i - 1]);
        if (keyed) path_of(at, "%.220s.keys[%d][1]", path, i);
        const rheo_status status = check_numbers(c, &curve->values[i * width], width, p, at);
        if (status) return status;
    }
    return RHEO_OK;
}

static rheo_status check_choice(const checker *c, const void *from, const param *p, const char *path) {
    int count = 0, value;
    if (p->size == sizeof(bool)) return RHEO_OK;
    memcpy(&value, from, sizeof value);
    while (p->names[count]) ++count;
    if (value >= 0 && value < count) return RHEO_OK;
    char allowed[400];
    param_allowed(allowed, sizeof allowed, p);
    return fail(c, path, allowed, "%d is not one of the known values", value);
}

static rheo_status check_name(const checker *c, const char *name, const param *p, const char *path) {
    if (!name && !p->required) return RHEO_OK; /* by hand; the files are then numbered */
    bool good = name && name[0] && strlen(name) <= 60 && name[0] != '-';
    for (const char *l = name; good && *l; ++l) good = isalnum((unsigned char)*l) || *l == '-' || *l == '_';
    if (good) return RHEO_OK;
    char allowed[400];
    param_allowed(allowed, sizeof allowed, p);
    return fail(c, path, allowed, "'%.60s' cannot be used as a name", name ? name : "");
}

static rheo_status check_slip(const checker *c, double slip, const param *p, const char *path) {
    char allowed[400];
    if (slip == RHEO_SLIP_AUTO || slip == RHEO_SLIP_FREE || (slip >= p->low && slip <= p->high))
        return RHEO_OK;
    param_allowed(allowed, sizeof allowed, p);
    return fail(c, path, allowed, "%g is not a slip length", slip);
}

static rheo_status check_sides(const checker *c, const rheo_curve *side, const param *p, const char *path) {
    rheo_status status = RHEO_OK;
    char at[NODE_PATH_MAX];
    for (int i = 0; i < 6 && status == RHEO_OK; ++i)
        status = check_curve(c, &side[i], 1, p, path_of(at, "%.220s.%s", path, side_names[i]));
    return status;
}

/* All rows of a section that are plain numbers, choices, names or curves. */
static rheo_status check_section(const checker *c, const void *base, section in, const char *path) {
    rheo_status status = RHEO_OK;
    int dim = c->scene->dim;
    for (int i = 0; i < scene_param_count && status == RHEO_OK; ++i) {
        const param *p = &scene_params[i];
        if (p->in != in) continue;
        const void *from = (const char *)base + p->offset;
        char at[NODE_PATH_MAX];
        path_of(at, "%.200s%s%s", path, path[0] ? "." : "", p->name);
        int whole;
        switch (p->type) {
        case P_SECTION: status = check_section(c, base, p->sub, at); break;
        case P_INT:
            memcpy(&whole, from, sizeof whole);
            status = check_numbers(c, &(double){whole}, 1, p, at);
            break;
        case P_ENDLESS:
        case P_REAL: status = check_numbers(c, from, 1, p, at); break;
        case P_VECTOR:
        case P_SCALE: status = check_numbers(c, from, dim, p, at); break;
        case P_COLOR: status = check_numbers(c, from, 3, p, at); break;
        case P_SPAN: status = check_numbers(c, from, 2, p, at); break;
        case P_CHOICE: status = check_choice(c, from, p, at); break;
        case P_SLIP: status = check_slip(c, *(const double *)from, p, at); break;
        case P_NAME: status = check_name(c, *(const char *const *)from, p, at); break;
        case P_CURVE1:
        case P_VISCOSITY: status = check_curve(c, from, 1, p, at); break;
        case P_SIDES: status = check_sides(c, from, p, at); break;
        case P_CURVE3: status = check_curve(c, from, 3, p, at); break;
        default: break;
        }
    }
    return status;
}

/* --- shapes --- */

static bool has_length(const double v[3]) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 0;
}

/* What turns does so about an axis, in a plane scene about z. */
static rheo_status check_turn(const checker *c, const double axis[3], bool any_way, const char *path) {
    if (!has_length(axis)) return fail(c, path, "not 0 0 0", "the axis has no length");
    if (c->scene->dim == 3 || any_way || (axis[0] == 0 && axis[1] == 0)) return RHEO_OK;
    return fail(c, path, "[0, 0, 1] or [0, 0, -1]", "a plane scene turns about z, not about [%g, %g, %g]",
                axis[0], axis[1], axis[2]);
}

static rheo_status check_shape(const checker *c, const rheo_shape *s, const char *path, int depth) {
    char at[NODE_PATH_MAX];
    if ((int)s->kind < 0 || s->kind > RHEO_SHAPE_INTERSECTION)
        return fail(c, path, NULL, "unknown kind of shape");
    const char *kind = shape_names[s->kind];
    path_of(at, "%.200s.%s", path, kind);
    rheo_status status = RHEO_OK;
    if (s->kind < RHEO_SHAPE_UNION) status = check_section(c, s, (section)(IN_BOX + (int)s->kind), at);
    if (status == RHEO_OK) status = check_section(c, s, IN_PLACEMENT, path);
    if (status != RHEO_OK) return status;
    for (int axis = 0; s->kind == RHEO_SHAPE_BOX && axis < c->scene->dim; ++axis)
        if (!(s->a[axis] < s->b[axis]))
            return fail(c, at, "min below max in every direction",
                        "the box is empty: min %g, max %g along %c", s->a[axis], s->b[axis], "xyz"[axis]);
    if (s->kind == RHEO_SHAPE_CYLINDER && c->scene->dim == 3 && !memcmp(s->a, s->b, sizeof s->a))
        return fail(c, at, "two different points", "from and to of the cylinder are the same point");
    if (s->kind == RHEO_SHAPE_TORUS && !has_length(s->b))
        return fail(c, at, "not 0 0 0", "the axis has no length");
    if (s->kind == RHEO_SHAPE_PLANE && !has_length(s->b))
        return fail(c, at, "not 0 0 0", "the normal has no length");
    char turn[NODE_PATH_MAX];
    /* how a mesh or a ring lies decides which section of it a plane scene has */
    const bool any_way = s->kind == RHEO_SHAPE_MESH || s->kind == RHEO_SHAPE_TORUS;
    if (s->rotate_degrees != 0)
        status = check_turn(c, s->rotate_axis, any_way, path_of(turn, "%.200s.rotate.axis", path));
    if (status != RHEO_OK) return status;
    if (s->kind == RHEO_SHAPE_MESH && (!s->file || !s->file[0]))
        return fail(c, at, "a mesh file", "no file is named");
    if (s->kind < RHEO_SHAPE_UNION) return RHEO_OK;
    if (s->child_count < 1 || !s->children)
        return fail(c, at, "a list of shapes", "there are no shapes in the %s", kind);
    if (depth >= SHAPE_DEPTH_MAX) return fail(c, at, "at most 16 levels", "shapes nested too deeply");
    for (int i = 0; i < s->child_count && status == RHEO_OK; ++i) {
        char child[NODE_PATH_MAX];
        path_of(child, "%.230s[%d]", at, i);
        status = check_shape(c, &s->children[i], child, depth + 1);
    }
    return status;
}

/* --- the parts of a scene --- */

static rheo_status check_periodic(const checker *c, int side, int cells) {
    const rheo_scene *s = c->scene;
    const int axis = side / 2;
    char path[NODE_PATH_MAX], allowed[160];
    path_of(path, "domain.walls.%s", side_names[side]);
    if (s->wall[side ^ 1] != RHEO_WALL_PERIODIC)
        return fail(c, path, "periodic for both sides: { x: periodic }",
                    "%s is periodic, the opposite side is not", side_names[side]);
    if (rheo_describe_method(s->method)->available && !rheo_describe_method(s->method)->periodic)
        return fail(c, path, "closed, open; method: flip, apic, pic, semi-lagrangian, smoke, sph",
                    "method %s has no periodic sides in this version", method_names[s->method]);
    if (s->pressure == RHEO_MIC)
        return fail(c, "solver.pressure", "multigrid", "periodic sides need the multigrid solver");
    if (s->separation)
        return fail(c, "solver.separation", "false", "separation and periodic sides do not go together yet");
    for (int i = 0; i < s->solid_count; ++i)
        if (s->solids[i].motion == RHEO_DYNAMIC && s->coupling != RHEO_MONOLITHIC)
            return fail(c, "solver.coupling", "monolithic", "bodies in a periodic box need this coupling");
    const int whole = POISSON_WRAP_CELLS, fewer = cells / whole * whole;
    if (cells == fewer) return RHEO_OK;
    snprintf(allowed, sizeof allowed,
             "a multiple of %d cells along %c when it is periodic: %d or %d of this size", whole, "xyz"[axis],
             fewer ? fewer : whole, (fewer ? fewer : whole) + whole);
    return fail(c, "domain.cells", allowed, "there are %d cells along %c, which is periodic", cells,
                "xyz"[axis]);
}

static rheo_status check_domain(const checker *c) {
    const rheo_scene *s = c->scene;
    if (s->dim != 2 && s->dim != 3) return fail(c, "domain.dim", "2 or 3", "%d is not a dimension", s->dim);
    rheo_status status = check_section(c, s, IN_SCENE, "");
    if (status != RHEO_OK) return status;
    const rheo_method_info *method = rheo_describe_method(s->method);
    int cells[3];
    definition_cells(cells, s);
    for (int axis = 0; axis < s->dim; ++axis)
        if (cells[axis] < 2)
            return fail(c, "domain.size",
                        "at least two cells in every direction: more cells or a thicker domain",
                        "the domain is less than two cells thick along %c", "xyz"[axis]);
    for (int side = 0; side < 2 * s->dim; ++side) {
        if ((int)s->wall[side] < 0 || s->wall[side] > RHEO_WALL_PERIODIC)
            return fail(c, "domain.walls", "closed, open, periodic", "unknown kind of wall");
        if (s->wall[side] == RHEO_WALL_PERIODIC && (status = check_periodic(c, side, cells[side / 2])))
            return status;
    }
    if (s->frames / s->fps > 1e9)
        return fail(c, "time.frames", "less than 1e9 s in all", "the run is too long");
    if (s->separation && method->available && !method->separation)
        return fail(c, "solver.separation", "false; method: flip, apic, pic, semi-lagrangian",
                    "method %s has no separation in this version", method_names[s->method]);
    if (!method->available)
        return fail(c, "solver.method", "flip, apic, pic, semi-lagrangian, mac, smoke, sph",
                    "the method '%s' is not in this version", method_names[s->method]);
    if (!method->gridless) return RHEO_OK;
    if (s->coupling == RHEO_RIGID_FLUID || s->coupling == RHEO_FLUID_TO_SOLID)
        return fail(c, "solver.coupling", "monolithic, solid-to-fluid",
                    "method %s has no such coupling in this version", method_names[s->method]);
    if (rheo_solves_heat(s))
        return fail(c, "heat", "method: flip, apic, pic, semi-lagrangian; or everything as warm as the air",
                    "method %s carries no heat in this version", method_names[s->method]);
    return RHEO_OK;
}

/* What is written follows from what there is: liquids have surfaces and particles, smoke has a volume. */
static rheo_status check_output(const checker *c) {
    const rheo_scene *s = c->scene;
    const rheo_method_info *method = rheo_describe_method(s->method);
    if (s->output_volume && !method->volume)
        return fail(c, "output.volume", "false; method: smoke",
                    "volumes are written of smoke only, in this version");
    if (s->output_mesh && !method->mesh)
        return fail(c, "output.mesh", "false; volume: true", "smoke has no surface to make a mesh of");
    if (s->output_rest && !method->particles)
        return fail(c, "output.rest_position", "false", "smoke has no particles that could carry it");
    if (method->gridless && s->surface == RHEO_SURFACE_PRESSURE)
        return fail(c, "output.surface", "density, average, spheres, kernel, color",
                    "method %s has no pressure on a grid to draw", method_names[s->method]);
    if (s->output_particles && !method->particles)
        return fail(c, "output.particles", "false; volume: true", "smoke has no particles to write");
    return RHEO_OK;
}

static rheo_status check_heat(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    const bool gas = rheo_describe_method(s->method)->gas;
    for (int side = 0; side < 2 * s->dim && rheo_solves_heat(s); ++side)
        if (s->wall[side] == RHEO_WALL_PERIODIC)
            return fail(c, path_of(path, "domain.walls.%s", side_names[side]), "closed, open",
                        "heat in liquids and periodic sides do not go together yet");
    for (int i = 0; i < s->fluid_count && rheo_solves_heat(s); ++i)
        if (!(s->fluids[i].heat_capacity > 0))
            return fail(c, path_of(path, "fluids[%d].heat_capacity", i), "above 0 J/(kg K)",
                        "what has a temperature has a heat capacity, not %g", s->fluids[i].heat_capacity);
    for (int i = 0; i < s->heat_source_count; ++i) {
        const rheo_heat_source *h = &s->heat_sources[i];
        rheo_status status = check_section(c, h, IN_HEAT_SOURCE, path_of(path, "heat.sources[%d]", i));
        if (status == RHEO_OK)
            status = check_shape(c, &h->shape, path_of(path, "heat.sources[%d].shape", i), 0);
        if (status != RHEO_OK) return status;
        path_of(path, "heat.sources[%d]", i);
        if (gas && h->power.count)
            return fail(c, path, "a temperature", "smoke is heated by temperatures, not by power");
        if (!h->temperature.count == !h->power.count)
            return fail(c, path, gas ? "a temperature" : "a temperature, or a power",
                        h->power.count ? "a source has a temperature or a power, not both"
                                       : "'temperature' is missing (temperature at which it is held)");
    }
    return RHEO_OK;
}

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static rheo_status same_name(const checker *c, const char *path, const char *name) {
    return fail(c, path, "a different name for each", "the name '%.60s' is used twice", name);
}

/* K: some hundred floats of what melts; of a narrower zone they do not tell how much of it is molten. */
#define ZONE_LEAST 1e-3

static rheo_status check_melting(const checker *c, int i) {
    const rheo_fluid *f = &c->scene->fluids[i];
    char path[NODE_PATH_MAX];
    const bool zone = f->melting[0] != 0 || f->melting[1] != 0;
    if (f->latent_heat > 0 && !zone)
        return fail(c, path_of(path, "fluids[%d].melting", i), "melting: [from, to] beside latent_heat",
                    "latent heat needs temperatures at which it is taken up");
    if (zone && !(f->melting[0] < f->melting[1]))
        return fail(c, path_of(path, "fluids[%d].melting", i), "[from, to] with from below to",
                    "the melting zone from %g to %g is empty", f->melting[0], f->melting[1]);
    if (zone && f->melting[1] - f->melting[0] < ZONE_LEAST * (1 - 1e-6)) /* as written: but for rounding */
        return fail(c, path_of(path, "fluids[%d].melting", i), "[from, to] at least 0.001 K apart",
                    "the melting zone is too narrow: %g K", f->melting[1] - f->melting[0]);
    if (!f->law) return RHEO_OK;
    path_of(path, "fluids[%d].viscosity.temperature", i);
    for (int k = 0; k < 2; ++k) {
        if (!(f->law_temperature[k] >= -273.15 && f->law_temperature[k] <= 1e4))
            return fail(c, path, "-273.15 to 10000 degrees C", "a temperature of %g is out of range",
                        f->law_temperature[k]);
        if (!(f->law_viscosity[k] >= 0 && f->law_viscosity[k] <= VISCOSITY_MOST))
            return fail(c, path, "0 to 1e9 Pa s", "a viscosity of %g is out of range", f->law_viscosity[k]);
        if (f->law == RHEO_LAW_EXPONENTIAL && !(f->law_viscosity[k] > 0))
            return fail(c, path, "above 0, or another law", "no exponential leads to a viscosity of 0");
    }
    if (!(f->law_temperature[0] < f->law_temperature[1]))
        return fail(c, path, "rising temperatures", "the law is upside down: %g comes after %g",
                    f->law_temperature[1], f->law_temperature[0]);
    return RHEO_OK;
}

/* What the scene's law of stress would pass over. A material's own yield is not a wish of the scene. */
static rheo_status check_stress(const checker *c, int i) {
    const rheo_fluid *f = &c->scene->fluids[i];
    const rheo_sph_stress law = c->scene->sph.stress;
    const rheo_material *m = rheo_list_materials();
    char path[NODE_PATH_MAX];
    if (!rheo_describe_method(c->scene->method)->gridless || law == RHEO_SPH_NEWTONIAN) return RHEO_OK;
    if (f->mobility > 0 && law != RHEO_SPH_CONVECTED)
        return fail(c, path_of(path, "fluids[%d].mobility", i),
                    "0; or solver: { sph: { stress: upper-convected } }",
                    "a law of stress other than upper-convected has no mobility");
    while (m->name && !same(m->name, f->material)) ++m;
    const bool own = f->yield_stress < RHEO_NEVER && !(m->name && f->yield_stress == m->yield_stress);
    if (own && f->elasticity > 0 && law == RHEO_SPH_CONVECTED)
        return fail(c, path_of(path, "fluids[%d].yield_stress", i),
                    ".inf; or solver: { sph: { stress: corotational } }",
                    "upper-convected stress does not yield");
    return RHEO_OK;
}

/* Balls are drawn of particles, and coloured by what these know. */
static rheo_status check_look(const checker *c, int i) {
    const rheo_fluid *f = &c->scene->fluids[i];
    const rheo_method_info *method = rheo_describe_method(c->scene->method);
    const char *name = method_names[c->scene->method];
    char path[NODE_PATH_MAX];
    if (f->look == RHEO_FLUID_PARTICLES && !method->particles)
        return fail(c, path_of(path, "fluids[%d].look", i), "auto; or a method of liquid",
                    "method %s has no particles to draw", name);
    path_of(path, "fluids[%d].paint", i);
    if (f->paint != RHEO_PAINT_COLOR && !method->particles)
        return fail(c, path, "color; or a method of liquid", "method %s has no particles to draw", name);
    if (f->paint == RHEO_PAINT_DENSITY && !method->gridless)
        return fail(c, path, "color, speed; or method: sph",
                    "particles of method %s have no density of their own", name);
    if (f->paint == RHEO_PAINT_TEMPERATURE && !rheo_solves_heat(c->scene))
        return fail(c, path,
                    method->gridless ? "color, speed, density"
                                     : "color, speed; or a temperature other than the ambient one",
                    "nothing in the scene is warmer or colder than the rest");
    return RHEO_OK;
}

static rheo_status check_fill(const checker *c, const rheo_shape *fill, const char *path) {
    rheo_status status = check_shape(c, fill, path, 0);
    if (status == RHEO_OK) status = check_section(c, fill, IN_APPEARANCE, path);
    if (status == RHEO_OK && fill->at > 0 && rheo_describe_method(c->scene->method)->gas) {
        char at[NODE_PATH_MAX];
        return fail(c, path_of(at, "%s.at", path), "an emitter with during",
                    "fills of smoke are there at the start");
    }
    return status;
}

static rheo_status check_fluids(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    if (s->fluid_count < 1 || !s->fluids)
        return fail(c, "fluids", "at least one fluid", "there is no fluid at all");
    if (s->fluid_count > RHEO_FLUIDS_MAX)
        return fail(c, "fluids", "at most 16", "%d fluids are too many", s->fluid_count);
    if (rheo_describe_method(s->method)->gas && s->fluid_count > 1)
        return fail(c, "fluids[1]", "one fluid; emitters may differ in temperature",
                    "method smoke has one fluid");
    for (int i = 0; i < s->fluid_count; ++i) {
        const rheo_fluid *f = &s->fluids[i];
        rheo_status status = check_section(c, f, IN_FLUID, path_of(path, "fluids[%d]", i));
        for (int k = 0; k < f->fill_count && status == RHEO_OK; ++k)
            status = check_fill(c, &f->fill[k], path_of(path, "fluids[%d].fill[%d]", i, k));
        if (status != RHEO_OK) return status;
        for (int k = 0; k < i; ++k)
            if (same(s->fluids[k].name, f->name))
                return same_name(c, path_of(path, "fluids[%d].name", i), f->name);
        status = check_melting(c, i);
        if (status == RHEO_OK) status = check_stress(c, i);
        if (status == RHEO_OK) status = check_look(c, i);
        if (status != RHEO_OK) return status;
        if (f->density != s->fluids[0].density && !rheo_describe_method(s->method)->gridless)
            return fail(c, path_of(path, "fluids[%d].density", i), "the same density for all fluids",
                        "the grid methods have one density: %g kg/m3 here, %g in fluids[0]", f->density,
                        s->fluids[0].density);
    }
    return RHEO_OK;
}

static rheo_status check_interfaces(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    if (s->interface_count && !rheo_describe_method(s->method)->gridless)
        return fail(c, "interfaces", "method: sph", "only particles alone know of interfaces between fluids");
    for (int i = 0; i < s->interface_count; ++i) {
        const rheo_interface *f = &s->interfaces[i];
        rheo_status status = check_section(c, f, IN_INTERFACE, path_of(path, "interfaces[%d]", i));
        if (status != RHEO_OK) return status;
        path_of(path, "interfaces[%d].tension", i);
        if (f->tension != RHEO_TENSION_AUTO && f->tension < 0)
            return fail(c, path, "0 N/m and above; or -1: by the fluids' own", "%g is out of range",
                        f->tension);
        if (f->tension != RHEO_TENSION_AUTO && s->sph.tension == RHEO_SPH_CURVATURE)
            return fail(c, path, "-1; or solver: { sph: { tension: cohesion } }",
                        "tension by curvature knows of surfaces against air only");
        path_of(path, "interfaces[%d].between", i);
        for (int k = 0; k < 2; ++k)
            if (f->between[k] < 0 || f->between[k] >= s->fluid_count)
                return fail(c, path, "indices of fluids", "an interface of an unknown fluid");
        if (f->between[0] == f->between[1])
            return fail(c, path, "two different fluids", "an interface of a fluid with itself");
        for (int k = 0; k < i; ++k) {
            const int *other = s->interfaces[k].between;
            if ((other[0] == f->between[0] && other[1] == f->between[1]) ||
                (other[1] == f->between[0] && other[0] == f->between[1]))
                return fail(c, path, "each pair once", "interfaces[%d] is between the same fluids", k);
        }
    }
    return RHEO_OK;
}

static bool any_viscous(const rheo_scene *s) {
    for (int i = 0; i < s->fluid_count; ++i)
        if (definition_thickest(&s->fluids[i]) > 0) return true;
    return false;
}

/* The largest leaves must find room between the sides, which the smallest line. */
static rheo_status check_levels(const checker *c) {
    const rheo_scene *s = c->scene;
    int cells[3], least = INT_MAX, most = 1;
    if (s->viscosity != RHEO_VISCOSITY_TREE) return RHEO_OK;
    definition_cells(cells, s);
    for (int a = 0; a < s->dim; ++a) least = cells[a] < least ? cells[a] : least;
    while (most < TREE_LEVELS_MAX && (1 << most) + TREE_MARGIN <= least) ++most;
    if (s->viscous_levels <= most) return RHEO_OK;
    char allowed[64];
    if (most < 2) snprintf(allowed, sizeof allowed, "viscosity: full, or more cells");
    else snprintf(allowed, sizeof allowed, "2 to %d, or more cells", most);
    return fail(c, most < 2 ? "solver.viscosity" : "solver.levels", allowed,
                "%d sizes of cells are more than %d cells across have room for", s->viscous_levels, least);
}

/* What a viscous solve needs of a scene, where one is asked for. */
static rheo_status check_viscosity(const checker *c) {
    const rheo_scene *s = c->scene;
    const rheo_method_info *method = rheo_describe_method(s->method);
    const bool asked = s->viscosity != RHEO_VISCOSITY_AUTO && s->viscosity != RHEO_VISCOSITY_NONE;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->fluid_count; ++i)
        if (!(s->fluids[i].viscosity >= 0 && s->fluids[i].viscosity <= VISCOSITY_MOST))
            return fail(c, path_of(path, "fluids[%d].viscosity", i), "a number [Pa s], 0 to 1e9",
                        "%g is out of range", s->fluids[i].viscosity);
    if (s->viscous_held && s->viscosity != RHEO_VISCOSITY_LAPLACIAN)
        return fail(c, "solver.viscous_surface", "free, or viscosity: laplacian",
                    "only the laplacian can be held by the air");
    if (!asked) return RHEO_OK;
    if (method->available && !method->viscosity)
        return fail(c, "solver.viscosity", "leave it out; method: flip, apic, pic, semi-lagrangian",
                    "method %s does not solve viscosity implicitly", method_names[s->method]);
    if (definition_bars_viscosity(s))
        return fail(c, "solver.viscosity", "none", "viscosity and %s do not go together yet",
                    definition_bars_viscosity(s));
    if (!any_viscous(s))
        return fail(c, "solver.viscosity", "auto, none; or a higher fluids[].viscosity",
                    "nothing is viscous: all viscosities are 0");
    return check_levels(c);
}

static rheo_status check_emitters(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->emitter_count; ++i) {
        const rheo_emitter *e = &s->emitters[i];
        if (e->fluid < 0 || e->fluid >= s->fluid_count)
            return fail(c, path_of(path, "emitters[%d].fluid", i), "one of the fluids",
                        "there is no fluid %d", e->fluid);
        rheo_status status = check_section(c, e, IN_EMITTER, path_of(path, "emitters[%d]", i));
        if (status == RHEO_OK) status = check_shape(c, &e->shape, path_of(path, "emitters[%d].shape", i), 0);
        if (status != RHEO_OK) return status;
        if (!(e->during[0] < e->during[1]))
            return fail(c, path_of(path, "emitters[%d].during", i), "[from, to] with from before to",
                        "the span from %g to %g is empty", e->during[0], e->during[1]);
    }
    return RHEO_OK;
}

static rheo_status check_motion(const checker *c, const rheo_solid *solid, int i) {
    char path[NODE_PATH_MAX];
    bool keyed = solid->position.count || solid->rotation_degrees.count;
    path_of(path, "solids[%d].motion", i);
    if (solid->motion == RHEO_DYNAMIC && keyed)
        return fail(c, path, "motion: keyed",
                    "a dynamic solid has no position or rotation keys; place it with move and rotate");
    if (solid->motion == RHEO_DYNAMIC && solid->inside_fluid)
        return fail(c, path, "inside: solid",
                    "a container (inside: fluid) reaches without end and has no mass");
    if (solid->motion == RHEO_KEYED && !keyed)
        return fail(c, path, "position: { keys: [[time, [x, y, z]], ...] } or rotation",
                    "a keyed solid needs position or rotation keys");
    if (solid->motion == RHEO_STATIC && keyed)
        return fail(c, path, "motion: keyed",
                    "a static solid has no position or rotation; place it with move and rotate");
    if (!solid->rotation_degrees.count) return RHEO_OK;
    return check_turn(c, solid->rotation_axis, false, path_of(path, "solids[%d].rotation.axis", i));
}

/* A thin solid is its surface: a mesh, which liquid may meet from both sides. */
static rheo_status check_thin(const checker *c, const rheo_solid *solid, int i) {
    char path[NODE_PATH_MAX];
    const rheo_shape *shape = &solid->shape;
    if (!shape->thin && shape->thickness > 0)
        return fail(c, path_of(path, "solids[%d].thickness", i), "thin: true beside it, or leave it out",
                    "only a thin mesh has a thickness");
    if (!shape->thin) return RHEO_OK;
    path_of(path, "solids[%d].thin", i);
    if (shape->kind != RHEO_SHAPE_MESH)
        return fail(c, path, "leave it out: other shapes may be as thin as they are",
                    "thin: true is for meshes");
    if (solid->inside_fluid)
        return fail(c, path, "leave out one of the two", "a thin mesh has no inside for 'inside: fluid'");
    if (solid->motion == RHEO_DYNAMIC)
        return fail(c, path, "motion: static or keyed, or a closed mesh without thin",
                    "a thin mesh cannot be dynamic");
    if (c->scene->dim == 2) return fail(c, path, "domain.dim: 3", "a thin mesh is for three dimensions");
    for (int side = 0; side < 6; ++side)
        if (c->scene->wall[side] == RHEO_WALL_PERIODIC)
            return fail(c, path, "no periodic sides, or a mesh without thin",
                        "thin meshes and periodic sides do not go together yet");
    return RHEO_OK;
}

static rheo_status check_solids(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->solid_count; ++i) {
        const rheo_solid *solid = &s->solids[i];
        rheo_status status = check_section(c, solid, IN_SOLID, path_of(path, "solids[%d]", i));
        if (status == RHEO_OK)
            status = check_shape(c, &solid->shape, path_of(path, "solids[%d].shape", i), 0);
        if (status == RHEO_OK) status = check_motion(c, solid, i);
        if (status == RHEO_OK) status = check_thin(c, solid, i);
        if (status != RHEO_OK) return status;
        if (solid->inside_fluid && solid->look == RHEO_LOOK_MATTE && s->dim == 3)
            return fail(c, path_of(path, "solids[%d].look", i), "glass or auto",
                        "a container (inside: fluid) that is matte would hide all it holds");
        if (same(solid->name, "world"))
            return fail(c, path_of(path, "solids[%d].name", i), "another name",
                        "'world' is what joints call the world itself");
        for (int k = 0; k < i; ++k)
            if (same(s->solids[k].name, solid->name))
                return same_name(c, path_of(path, "solids[%d].name", i), solid->name);
    }
    return RHEO_OK;
}

static bool is_solid(const rheo_scene *s, int index) {
    return index >= -1 && index < s->solid_count;
}

static bool is_dynamic(const rheo_scene *s, int index) {
    return index >= 0 && s->solids[index].motion == RHEO_DYNAMIC;
}

/* A joint counts from where the scene has its solids: limits that leave out 0 would throw the body at once.
 */
static rheo_status check_limits(const checker *c, const rheo_joint *joint, int i) {
    const double none = 1e9, from = joint->limits[0], to = joint->limits[1];
    const bool slides = joint->kind == RHEO_JOINT_SLIDER;
    char path[NODE_PATH_MAX];
    path_of(path, "joints[%d].limits", i);
    if (!(from <= to))
        return fail(c, path, "[from, to] with from not above to", "the limits from %g to %g leave nothing",
                    from, to);
    if (joint->kind == RHEO_JOINT_BALL || joint->kind == RHEO_JOINT_FIXED) return RHEO_OK;
    if (from > 0 || to < 0)
        return fail(c, path,
                    slides ? "[from, to] in m, from at most 0 and to at least 0: the start is 0"
                           : "[from, to] in degrees, from -180 to 0 and to 0 to 180: the start is 0",
                    "the limits from %g to %g do not hold the start (0)", from, to);
    if (!slides && ((from < -180 && from > -none) || (to > 180 && to < none)))
        return fail(c, path, "-180 to 180 degrees; leave limits out for a joint that turns on and on",
                    "%g degrees is out of range", from < -180 && from > -none ? from : to);
    return RHEO_OK;
}

static bool turns(const rheo_joint *joint) {
    return joint->kind == RHEO_JOINT_HINGE || joint->kind == RHEO_JOINT_MOTOR;
}

static rheo_status check_joint(const checker *c, const rheo_joint *joint, int i) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    rheo_status status = check_section(c, joint, IN_JOINT, path_of(path, "joints[%d]", i));
    if (status != RHEO_OK) return status;
    if (!is_solid(s, joint->a) || !is_solid(s, joint->b))
        return fail(c, path, "indices of solids, or -1 for the world", "a joint of an unknown solid");
    if (!is_dynamic(s, joint->a) && !is_dynamic(s, joint->b))
        return fail(c, path_of(path, "joints[%d].a", i), "a or b with motion: dynamic",
                    "neither end of the joint can move");
    if (joint->a == joint->b)
        return fail(c, path_of(path, "joints[%d].b", i), "two different solids",
                    "a joint of a solid with itself");
    double axis[3] = {joint->axis[0], joint->axis[1], s->dim == 3 ? joint->axis[2] : 0};
    path_of(path, "joints[%d].axis", i);
    if (joint->kind == RHEO_JOINT_SLIDER && !has_length(axis))
        return fail(c, path, s->dim == 3 ? "not 0 0 0" : "[x, y], not 0 0",
                    s->dim == 3 ? "the axis has no length" : "the axis has no length in the plane");
    if (turns(joint) && (status = check_turn(c, joint->axis, false, path))) return status;
    if ((status = check_limits(c, joint, i))) return status;
    if (joint->kind == RHEO_JOINT_BALL || joint->kind == RHEO_JOINT_FIXED) {
        const bool ball = joint->kind == RHEO_JOINT_BALL;
        const char *const has_none = ball ? "a ball joint turns freely" : "a fixed joint does not move";
        if (joint->force > 0 || joint->speed.count > 1 ||
            (joint->speed.count == 1 && joint->speed.values[0] != 0))
            return fail(c, path_of(path, joint->force > 0 ? "joints[%d].force" : "joints[%d].speed", i),
                        "type: hinge, motor or slider, or no speed and force", "%s: nothing drives it",
                        has_none);
        if (joint->limits[0] > -1e9 || joint->limits[1] < 1e9)
            return fail(c, path_of(path, "joints[%d].limits", i),
                        "type: hinge, motor or slider, or no limits", "%s: it has no limits", has_none);
    }
    if (joint->kind == RHEO_JOINT_MOTOR && !(joint->force > 0))
        return fail(c, path_of(path, "joints[%d].force", i), "above 0",
                    "a motor needs the most torque it has");
    return RHEO_OK;
}

/* Whether two axes of a scene of dim dimensions have one direction, or opposite ones. */
static bool along(const double a[3], const double b[3], int dim) {
    double aa = 0, bb = 0, ab = 0;
    for (int k = 0; k < dim; ++k) aa += a[k] * a[k], bb += b[k] * b[k], ab += a[k] * b[k];
    return ab * ab >= (1 - 1e-12) * aa * bb;
}

/* Whether two joints hold the same two solids in the same way: a second one adds no more than rows that
 * contradict the first by rounding. A motor is a hinge. Two ball joints in two places are a hinge, and meant.
 */
static bool is_same_joint(const rheo_joint *p, const rheo_joint *q, int dim) {
    const bool same_ends = (p->a == q->a && p->b == q->b) || (p->a == q->b && p->b == q->a);
    if (!same_ends || (p->kind != q->kind && !(turns(p) && turns(q)))) return false;
    if (p->kind == RHEO_JOINT_FIXED) return true;
    if (p->kind == RHEO_JOINT_SLIDER) return along(p->axis, q->axis, dim);
    if (p->kind == RHEO_JOINT_BALL || dim == 2)
        return memcmp(p->anchor, q->anchor, (size_t)dim * sizeof *p->anchor) == 0;
    double apart[3];
    for (int k = 0; k < 3; ++k) apart[k] = p->anchor[k] - q->anchor[k];
    return along(p->axis, q->axis, dim) && along(apart, p->axis, dim);
}

/* Why a joint is one too many beside another like it. */
static rheo_status refuse_twin(const checker *c, const rheo_joint *joint, int i, int twin) {
    const rheo_joint *other = &c->scene->joints[twin];
    const bool places = turns(joint) && memcmp(joint->anchor, other->anchor, sizeof joint->anchor) != 0;
    char path[NODE_PATH_MAX];
    return fail(c, path_of(path, "joints[%d]", i), "each once; one motor has limits, speed and force",
                "joints[%d] holds these two in the same way already%s", twin,
                places ? ": one hinge is enough, and where on its axis it lies changes nothing" : "");
}

static rheo_status check_joints(const checker *c) {
    const rheo_scene *s = c->scene;
    rheo_status status = RHEO_OK;
    for (int i = 0; i < s->joint_count && status == RHEO_OK; ++i) {
        status = check_joint(c, &s->joints[i], i);
        for (int k = 0; k < i && status == RHEO_OK; ++k)
            if (is_same_joint(&s->joints[k], &s->joints[i], s->dim))
                return refuse_twin(c, &s->joints[i], i, k);
    }
    return status;
}

static rheo_status check_probes(const checker *c) {
    const rheo_scene *s = c->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->probe_count; ++i) {
        const rheo_probe *probe = &s->probes[i];
        rheo_status status = check_section(c, probe, IN_PROBE, path_of(path, "probes[%d]", i));
        if (status != RHEO_OK) return status;
        path_of(path, "probes[%d].of", i);
        if (!probe->of || probe->of >= 2 * RHEO_OF_VISCOSITY)
            return fail(c, path, "velocity, pressure, phi, density, viscosity",
                        "the probe measures nothing known");
        if (probe->of & RHEO_OF_TEMPERATURE && !rheo_describe_method(s->method)->gas && !rheo_solves_heat(s))
            return fail(c, path, "velocity, pressure, phi, density",
                        "nothing in the scene is warmer or colder than the rest");
        if (probe->of & RHEO_OF_PHI && !rheo_describe_method(s->method)->mesh)
            return fail(c, path, "velocity, pressure, temperature, density", "smoke has no surface");
        for (int k = 0; k < i; ++k)
            if (!strcmp(s->probes[k].name, probe->name))
                return same_name(c, path_of(path, "probes[%d].name", i), probe->name);
    }
    return RHEO_OK;
}

static rheo_status check_camera(const checker *c) {
    const rheo_scene *s = c->scene;
    for (int i = 0; i < s->camera_eye.count;
         ++i) { /* at the eye's keys; in between the directions cannot vanish by intent */
        double target[3] = {0};
        double time = s->camera_eye.count > 1 ? s->camera_eye.times[i] : 0;
        if (!s->camera_target.count) break;
        rheo_evaluate_curve(target, &s->camera_target, time);
        if (!memcmp(target, &s->camera_eye.values[3 * i], sizeof target))
            return fail(c, "camera.target", "a point away from the eye",
                        "the camera looks at the point where it stands");
    }
    return RHEO_OK;
}

rheo_status rheo_validate_scene(const rheo_scene *scene, rheo_report *report) {
    checker c = {.scene = scene, .report = report};
    rheo_status status = check_domain(&c);
    if (status == RHEO_OK) status = check_output(&c);
    if (status == RHEO_OK) status = check_fluids(&c);
    if (status == RHEO_OK) status = check_interfaces(&c);
    if (status == RHEO_OK) status = check_viscosity(&c);
    if (status == RHEO_OK) status = check_emitters(&c);
    if (status == RHEO_OK) status = check_solids(&c);
    if (status == RHEO_OK) status = check_joints(&c);
    if (status == RHEO_OK) status = check_heat(&c);
    if (status == RHEO_OK) status = check_probes(&c);
    if (status == RHEO_OK) status = check_camera(&c);
    if (status != RHEO_OK) rheo_place_report(report, scene);
    return status;
}
