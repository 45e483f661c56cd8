/* The doctor: compiles the shapes of a scene, measures what would start where, and looks for what cannot be
 * meant. What a run will take is foretell.c's.
 *
 * Volumes are counted on a jittered lattice of points over a shape's bounds, V ~ |bounds| hits / points,
 * error about V / sqrt(hits). Limits: emitted volume is flow through a disc of the emitter's own volume. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "core/report.h"
#include "scene/doctor.h"
#include "sim/definition.h"
#include "solid/curve.h"
#include "solid/thin.h"
#include "solid/world.h"

enum { LATTICE_3D = 26, LATTICE_2D = 130 };
/* Octants that are counted one by one, and of meshes, whose distances take longer. */
static const double OCTANTS_MAX = 3e6, MESH_OCTANTS_MAX = 1e5;
#define SIDE_TOLERANCE 0.01 /* of a side of the domain: what it may be longer or shorter without a word */
#define SIDE_WARNING   0.05
#define FILL_TOLERANCE 0.02 /* of a fill: what the grid may put in more or less without a word */
#define FILL_WARNING   0.1  /* the same without a warning */
#define SPECK          0.1  /* of a cell: what a solid is at least, all sides together */
#define COMMON_LOSS    0.05 /* of a fill: a post that stands in a pool is no slip of the pen */

/* What the lattice found of a shape. */
typedef struct sample {
    double volume;       /* m3 (m2 in 2D) within the domain */
    double open;         /* of that, outside solids */
    double by_container; /* of that, lost to solids with `inside: fluid` */
    double depth;        /* m, deepest point found inside the shape itself */
    bool outside;        /* reaches out of the domain */
} sample;

static void add_finding(doctor *d, rheo_severity severity, const rheo_report *report) {
    if (severity == RHEO_ERROR && d->status == RHEO_OK) {
        d->status = report->status;
        if (d->report) *d->report = *report;
    }
    if (d->out->count >= RHEO_FINDINGS_MAX) return;
    rheo_finding *f = &d->out->findings[d->out->count++];
    f->severity = severity;
    f->report = *report;
}

void doctor_find(doctor *d, rheo_severity severity, const char *path, const char *allowed, const char *format,
                 ...) {
    rheo_report report;
    va_list args;
    va_start(args, format);
    report_fail_list(&report, RHEO_INVALID, allowed, format, args);
    va_end(args);
    report_place(&report, NULL, 0, 0, path);
    rheo_place_report(&report, d->scene);
    add_finding(d, severity, &report);
}

/* --- compiling --- */

/* What is wrong with a mesh: its file and line go into the message, so that the place can be the scene's. */
static void name_mesh(rheo_report *report) {
    char message[sizeof report->message], line[16] = "";
    if (report->line) snprintf(line, sizeof line, ":%d", report->line);
    const size_t length = strlen(report->file), most = 240; /* of a long path the end tells more */
    snprintf(message, sizeof message, "%.240s%s: %.240s", report->file + (length > most ? length - most : 0),
             line, report->message);
    memcpy(report->message, message, sizeof message);
    report->file[0] = '\0';
    report->line = report->column = 0;
}

static shape *make_shape(doctor *d, const rheo_shape *def, const char *path) {
    shape *made = NULL;
    rheo_report report = {0};
    rheo_status status =
        d->scene->dim == 2 ? shape_make_flat(&made, def, &report) : shape_make(&made, def, &report);
    if (status == RHEO_OK) return made;
    report.status = status;
    if (report.file[0]) name_mesh(&report);
    report_place(&report, NULL, 0, 0, path);
    rheo_place_report(&report, d->scene);
    add_finding(d, RHEO_ERROR, &report);
    return NULL;
}

static void place_solid(doctor *d, int i) {
    const rheo_scene *s = d->scene;
    d->place[i] = placement_of_solid(&s->solids[i], d->solid[i], 0, 0);
    const obstacle seen = {.shape = d->solid[i], .def = &s->solids[i], .now = d->place[i]};
    d->thin[i] = obstacle_is_thin(&seen, d->out->dx, s->dim) > 0;
}

static bool make_shapes(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->fluid_count; ++i) d->fill_count += s->fluids[i].fill_count;
    d->fill = calloc((size_t)d->fill_count + 1, sizeof *d->fill);
    d->solid = calloc((size_t)s->solid_count + 1, sizeof *d->solid);
    d->emitter = calloc((size_t)s->emitter_count + 1, sizeof *d->emitter);
    d->place = calloc((size_t)s->solid_count + 1, sizeof *d->place);
    d->thin = calloc((size_t)s->solid_count + 1, sizeof *d->thin);
    if (!d->fill || !d->solid || !d->emitter || !d->place || !d->thin) {
        doctor_find(d, RHEO_ERROR, "", NULL, "out of memory for the shapes");
        return false;
    }
    int k = 0;
    for (int i = 0; i < s->fluid_count; ++i)
        for (int j = 0; j < s->fluids[i].fill_count; ++j) {
            snprintf(path, sizeof path, "fluids[%d].fill[%d]", i, j);
            const rheo_shape fill = definition_fit_fill(&s->fluids[i].fill[j], d->given, s);
            d->fill[k++] = make_shape(d, &fill, path);
        }
    for (int i = 0; i < s->emitter_count; ++i) {
        snprintf(path, sizeof path, "emitters[%d].shape", i);
        d->emitter[i] = make_shape(d, &s->emitters[i].shape, path);
    }
    for (int i = 0; i < s->solid_count; ++i) {
        snprintf(path, sizeof path, "solids[%d].shape", i);
        d->solid[i] = make_shape(d, &s->solids[i].shape, path);
        if (d->solid[i]) place_solid(d, i);
    }
    return d->status == RHEO_OK;
}

static void free_shapes(doctor *d) {
    for (int i = 0; d->fill && i < d->fill_count; ++i) shape_free(d->fill[i]);
    for (int i = 0; d->solid && i < d->scene->solid_count; ++i) shape_free(d->solid[i]);
    for (int i = 0; d->emitter && i < d->scene->emitter_count; ++i) shape_free(d->emitter[i]);
    free(d->fill);
    free(d->solid);
    free(d->emitter);
    free(d->place);
    free(d->thin);
}

/* --- sampling --- */

/* The first solid that holds x, or -1. */
static int solid_at(const doctor *d, const double x[3]) {
    for (int i = 0; i < d->scene->solid_count; ++i) {
        double distance = placement_distance(&d->place[i], d->solid[i], x);
        if (d->scene->solids[i].inside_fluid ? distance > 0 : distance < 0) return i;
    }
    return -1;
}

static void count_point(sample *s, const doctor *d, const double x[3], double weight) {
    s->volume += weight;
    int solid = solid_at(d, x);
    if (solid < 0) s->open += weight;
    else if (d->scene->solids[solid].inside_fluid) s->by_container += weight;
}

/* Measures `s` on its own bounds; with `clip` only what lies in the domain; without what earlier fills hold.
 */
static sample measure(const doctor *d, const shape *s, bool clip, int earlier) {
    const rheo_scene *scene = d->scene;
    sample result = {0};
    double low[3], high[3], cell = 1;
    int n[3] = {1, 1, 1};
    shape_bounds(low, high, s);
    for (int a = 0; a < scene->dim; ++a) {
        const double end = fmax(scene->size[a], d->given->size[a]); /* a side made shorter is said once */
        bool out = low[a] < -0.01 * d->out->dx || high[a] > end + 0.01 * d->out->dx;
        if (out && isfinite(low[a]) && isfinite(high[a])) result.outside = true;
        if (clip || !isfinite(low[a]) || !isfinite(high[a])) {
            low[a] = fmax(low[a], 0);
            high[a] = fmin(high[a], scene->size[a]);
        }
        if (!(low[a] < high[a])) return result;
        n[a] = scene->dim == 3 ? LATTICE_3D : LATTICE_2D;
        cell *= (high[a] - low[a]) / n[a];
    }
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i) {
                const int at[3] = {i, j, k};
                uint64_t id = (uint64_t)((k * n[1] + j) * n[0] + i);
                double x[3] = {0};
                for (int a = 0; a < scene->dim; ++a)
                    x[a] = low[a] +
                           (high[a] - low[a]) * (at[a] + (double)random_unit(7, id, (uint64_t)a)) / n[a];
                double distance = shape_distance(s, x);
                result.depth = fmax(result.depth, -distance);
                bool counted = distance >= 0;
                for (int e = 0; e < earlier && !counted; ++e) counted = shape_distance(d->fill[e], x) < 0;
                if (!counted) count_point(&result, d, x, cell);
            }
    return result;
}

static bool has_mesh(const rheo_shape *def) {
    bool found = def->kind == RHEO_SHAPE_MESH;
    for (int i = 0; i < def->child_count && !found; ++i) found = has_mesh(&def->children[i]);
    return found;
}

/* The volume of the octants of cells (2D: quarters) whose middles lie in fill k and not in the first
 * `earlier`, which is what a run fills; solids are not looked at but for *any, whether one of the octants
 * lies outside them. -1 when there are too many to be counted quickly. */
static double octant_volume(bool *any, const doctor *d, int k, int earlier, const rheo_shape *def) {
    const rheo_scene *s = d->scene;
    const double octant = 0.5 * d->out->dx;
    double low[3], high[3], total = 1;
    int from[3] = {0, 0, 0}, to[3] = {1, 1, 1};
    long count = 0;
    *any = true;
    shape_bounds(low, high, d->fill[k]);
    for (int a = 0; a < s->dim; ++a) {
        from[a] = (int)fmax(0, floor(low[a] / octant));
        to[a] = (int)fmin(2 * d->out->cells[a], ceil(high[a] / octant));
        total *= fmax(0, to[a] - from[a]);
    }
    if (total * (earlier + 1) > (has_mesh(def) ? MESH_OCTANTS_MAX : OCTANTS_MAX)) return -1;
    *any = false;
    for (int z = from[2]; z < to[2]; ++z)
        for (int y = from[1]; y < to[1]; ++y)
            for (int x = from[0]; x < to[0]; ++x) {
                const double at[3] = {octant * (x + 0.5), octant * (y + 0.5),
                                      s->dim == 3 ? octant * (z + 0.5) : 0};
                bool in = shape_distance(d->fill[k], at) < 0;
                for (int e = 0; e < earlier && in; ++e) in = shape_distance(d->fill[e], at) >= 0;
                count += in;
                if (in && !*any) *any = solid_at(d, at) < 0;
            }
    return (double)count * pow(octant, s->dim);
}

/* --- the looks --- */

/* Whole octants are filled or not: on a coarse grid that may be more or less than the scene says. */
static void compare_fill(doctor *d, int fluid, double filled, double wanted) {
    char path[NODE_PATH_MAX];
    const char *unit = d->scene->dim == 3 ? "m3" : "m2";
    if (rheo_describe_method(d->scene->method)->gas || fabs(filled - wanted) <= FILL_TOLERANCE * wanted)
        return;
    snprintf(path, sizeof path, "fluids[%d].fill", fluid);
    const bool much = fabs(filled - wanted) > FILL_WARNING * wanted;
    doctor_find(d, much ? RHEO_WARNING : RHEO_NOTE, path, "more cells, or sides on multiples of half a cell",
                "%.3g %s of %.3g %s at this grid (%+.3g%%): whole %s of cells are filled", filled, unit,
                wanted, unit, 100 * (filled / wanted - 1), d->scene->dim == 3 ? "eighths" : "quarters");
}

/* Cells are cubes: sides that are no whole number of them long are made so. */
static void look_at_sides(doctor *d) {
    for (int a = 0; a < d->scene->dim; ++a) {
        const double wanted = d->given->size[a], made = d->scene->size[a];
        if (fabs(made - wanted) <= SIDE_TOLERANCE * wanted) continue;
        const bool much = fabs(made - wanted) > SIDE_WARNING * wanted;
        const int cells = d->out->cells[a];
        doctor_find(
            d, much ? RHEO_WARNING : RHEO_NOTE, "domain.size", "sides that are whole numbers of cells",
            "the domain is %.3g m along %c, not %.3g m: %d cells of %.3g m; fills that are plain boxes up to "
            "its side go with it",
            made, "xyz"[a], wanted, cells, made / cells);
    }
}

/* Bounds beyond one side of the domain: wholly outside. */
static bool is_outside(const rheo_scene *s, const double low[3], const double high[3]) {
    bool out = false;
    for (int a = 0; a < s->dim; ++a)
        out = out || high[a] < -1e-9 * s->size[a] || low[a] > (1 + 1e-9) * s->size[a];
    return out;
}

/* Why a fill adds nothing. */
static void explain_empty_fill(doctor *d, int k, const char *path) {
    double low[3], high[3];
    shape_bounds(low, high, d->fill[k]);
    if (is_outside(d->scene, low, high))
        doctor_find(d, RHEO_WARNING, path, "shapes that reach into the domain",
                    "the fill lies outside the domain");
    else
        doctor_find(d, RHEO_WARNING, path, "shapes that leave something",
                    k ? "the fill adds nothing: it is empty, or lies within earlier fills"
                      : "the fill is empty: nothing is left of its shapes");
}

static void look_at_fills(doctor *d) {
    const rheo_scene *s = d->scene;
    const bool by_volume = rheo_choose_viscosity(s) != RHEO_VISCOSITY_NONE; /* stiff fluids are cut so */
    double cell = pow(d->out->dx, s->dim);
    char path[NODE_PATH_MAX];
    int k = 0;
    for (int i = 0; i < s->fluid_count; ++i) {
        double filled = 0, wanted = 0;
        for (int j = 0; j < s->fluids[i].fill_count; ++j, ++k) {
            const rheo_shape *fill = &s->fluids[i].fill[j];
            const int earlier = fill->at > 0 ? 0 : k; /* where others are by then nobody knows */
            sample m = measure(d, d->fill[k], true, earlier);
            bool seeds = false;
            const double octants = by_volume ? -1 : octant_volume(&seeds, d, k, earlier, fill);
            const bool counted = octants >= 0 && !rheo_describe_method(s->method)->gas;
            d->has_seeds = d->has_seeds || (counted ? seeds : m.open > 0);
            d->put_in += octants < 0 || m.volume <= 0 ? m.open : octants * m.open / m.volume;
            filled += octants < 0 ? m.volume : octants;
            wanted += m.volume;
            double lost = m.volume - m.open - m.by_container;
            snprintf(path, sizeof path, "fluids[%d].fill[%d]", i, j);
            d->out->fluid_volume += m.open;
            d->wanted += m.volume;
            if (fill->at > s->frames / s->fps)
                doctor_find(d, RHEO_WARNING, path, "an earlier at, or more frames",
                            "the fill appears at %g s, after the last frame", fill->at);
            if (m.volume <= 0 && octants <= 0) explain_empty_fill(d, k, path);
            else if (m.outside)
                doctor_find(d, RHEO_WARNING, path, NULL,
                            "part of the fill lies outside the domain and is left out");
            if (m.volume > 0 && m.open <= 0)
                doctor_find(d, RHEO_ERROR, path, "a fill outside the solids",
                            "the fluid lies entirely inside solids");
            else if (lost > 0.005 * m.volume)
                doctor_find(d, lost > COMMON_LOSS * m.volume ? RHEO_WARNING : RHEO_NOTE, path, NULL,
                            "%.3g%% of the fill lies inside solids and is left out", 100 * lost / m.volume);
            else if (m.by_container > 0.005 * m.volume)
                doctor_find(d, RHEO_NOTE, path, NULL, "the fill is cut to its container: %.3g%% is left out",
                            100 * m.by_container / m.volume);
            if (m.open > 0 && m.open < cell)
                doctor_find(d, RHEO_WARNING, path, "more cells or a larger fill",
                            "the fill is smaller than a grid cell");
        }
        compare_fill(d, i, filled, wanted);
    }
}

/* Returns the volume that comes out during the run, as flow through a disc (3D) or segment (2D) of the same
 * size. */
static double look_at_emitter(doctor *d, int i, bool *works) {
    const rheo_scene *s = d->scene;
    const rheo_emitter *e = &s->emitters[i];
    char path[NODE_PATH_MAX];
    double duration = s->frames / s->fps, v[3] = {0};
    sample m = measure(d, d->emitter[i], true, 0);
    *works = m.open > 0;
    snprintf(path, sizeof path, "emitters[%d].shape", i);
    if (shape_is_empty(d->emitter[i]))
        doctor_find(d, RHEO_WARNING, path, "shapes that leave something",
                    "the emitter is empty: nothing is left of its shapes");
    else if (m.volume <= 0)
        doctor_find(d, RHEO_WARNING, path, "a shape that reaches into the domain",
                    "the emitter lies outside the domain");
    else if (m.open <= 0)
        doctor_find(d, RHEO_WARNING, path, "a shape outside the solids", "the emitter lies inside solids");
    else if (m.outside)
        doctor_find(d, RHEO_WARNING, path, NULL, "part of the emitter lies outside the domain");
    if (m.open > 0 && 2 * m.depth < d->out->dx)
        doctor_find(d, RHEO_WARNING, path, "more cells or a larger emitter",
                    "the emitter is thinner than a grid cell");
    snprintf(path, sizeof path, "emitters[%d].during", i);
    if (e->during[0] >= duration)
        doctor_find(d, RHEO_WARNING, path, NULL, "the emitter starts after the end of the run (%g s)",
                    duration);
    double from = fmin(e->during[0], duration), to = fmin(e->during[1], duration);
    rheo_evaluate_curve(v, &e->velocity, 0.5 * (from + to));
    return m.open +
           pow(m.open, (s->dim - 1.0) / s->dim) * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * (to - from);
}

/* What is held at a temperature: shapes that can be made and reach what is to be heated. */
static void look_at_heat(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->heat_source_count; ++i) {
        snprintf(path, sizeof path, "heat.sources[%d].shape", i);
        shape *made = make_shape(d, &s->heat_sources[i].shape, path);
        if (!made) continue;
        const sample m = measure(d, made, true, 0);
        if (shape_is_empty(made))
            doctor_find(d, RHEO_WARNING, path, "shapes that leave something",
                        "the heat source is empty: nothing is left of its shapes");
        else if (m.volume <= 0)
            doctor_find(d, RHEO_WARNING, path, "a shape that reaches into the domain",
                        "the heat source lies outside the domain");
        shape_free(made);
    }
}

/* Whether anything will ever move; `emits`: an emitter works. */
static void require_fluid(doctor *d, bool emits) {
    const rheo_scene *s = d->scene;
    if (d->has_seeds || emits || s->heat_source_count || d->status != RHEO_OK) return;
    if (s->emitter_count)
        doctor_find(d, RHEO_ERROR, "emitters", "a fill or an emitter in the domain, outside solids",
                    "there is no fluid at all: nothing to start with and no emitter that works");
    else if (!d->fill_count)
        doctor_find(d, RHEO_ERROR, "fluids", "a fill, or an emitter",
                    "there is no fluid at all: no fill and no emitter");
    else if (d->wanted <= 0)
        doctor_find(d, RHEO_ERROR, "fluids[0].fill", "shapes that reach into the domain",
                    "there is no fluid at all: every fill is empty or lies outside the domain");
    else
        doctor_find(
            d, RHEO_ERROR, "fluids[0].fill", "a larger fill, more cells, or an emitter",
            "there is no fluid at all: no %s of a cell (%.3g m) has its middle in the fill, outside solids",
            s->dim == 3 ? "eighth" : "quarter", 0.5 * d->out->dx);
}

static bool has_periodic_sides(const rheo_scene *s) {
    for (int a = 0; a < s->dim; ++a)
        if (s->wall[2 * a] == RHEO_WALL_PERIODIC) return true;
    return false;
}

static void look_at_thin(doctor *d, const char *path) {
    const char *const passes = rheo_describe_method(d->scene->method)->gas ? "gas" : "particle";
    if (has_periodic_sides(d->scene)) {
        doctor_find(d, RHEO_ERROR, path, "solids thicker than a cell or two, more cells, or closed sides",
                    "the solid is thinner than a cell (%.2g m) or two in places, which does not go with "
                    "periodic sides yet",
                    d->out->dx);
        return;
    }
    doctor_find(d, RHEO_NOTE, path, NULL,
                "the solid is thinner than a cell (%.2g m) or two in places: it closes the faces it crosses "
                "and no %s passes it",
                d->out->dx, passes);
}

/* A body does not go on at the other side of the domain: it is said before, as the run ends when it gets
 * there.
 */
static void look_at_body(doctor *d, const char *path) {
    for (int a = 0; a < d->scene->dim; ++a)
        if (d->scene->wall[2 * a] == RHEO_WALL_PERIODIC)
            doctor_find(d, RHEO_WARNING, path,
                        "closed sides along that axis, or a body that stays clear of them",
                        "the run ends when this body comes to a periodic side, along %c", "xyz"[a]);
}

static void look_at_solids(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    double eye[3] = {0};
    if (s->camera_eye.count) rheo_evaluate_curve(eye, &s->camera_eye, 0);
    for (int i = 0; i < s->solid_count; ++i) {
        if (s->solids[i].inside_fluid) continue;
        snprintf(path, sizeof path, "solids[%d].shape", i);
        if (d->thin[i]) look_at_thin(d, path);
        if (s->solids[i].motion == RHEO_DYNAMIC) look_at_body(d, path);
        if (s->dim == 3 && s->camera_eye.count && placement_distance(&d->place[i], d->solid[i], eye) < 0)
            doctor_find(d, RHEO_WARNING, "camera.eye", NULL, "the camera stands inside the solid '%s'",
                        s->solids[i].name ? s->solids[i].name : "");
    }
}

/* The end of a straight piece of a curve that begins at `from`: the next key, no later than `to`. */
static double piece_end(const rheo_curve *c, double from, double to) {
    for (int k = 0; k < c->count; ++k)
        if (c->count > 1 && c->times[k] > from) return fmin(c->times[k], to);
    return to;
}

/* Whether a keyed solid is outside all the time: between two frames, too, the ball around it passes through
 * the box around the two ends of each straight piece of its way. */
static bool stays_outside(const rheo_scene *s, const rheo_solid *def, const shape *of) {
    double centre[3];
    shape_centre(centre, of);
    const double radius = shape_radius(of, centre);
    if (!isfinite(radius)) return false;
    placement here = placement_of_solid(def, of, 0, 0);
    double time = 0;
    for (int frame = 0; frame < s->frames;) {
        const double end = (frame + 1) / s->fps, next = piece_end(&def->position, time, end);
        const placement there = placement_of_solid(def, of, next, 0);
        double low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            low[a] = fmin(here.position[a], there.position[a]) - radius;
            high[a] = fmax(here.position[a], there.position[a]) + radius;
        }
        if (!is_outside(s, low, high)) return false;
        here = there;
        time = next;
        frame += next >= end;
    }
    return true;
}

/* Solids of which nothing is left, and those that are where nothing is: keyed ones may come in.
 * That bodies lie outside is world_create()'s to say. */
static void look_for_stray_solids(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    double low[3], high[3];
    for (int i = 0; i < s->solid_count; ++i) {
        const bool dynamic = s->solids[i].motion == RHEO_DYNAMIC;
        snprintf(path, sizeof path, "solids[%d].shape", i);
        const bool empty = shape_is_empty(d->solid[i]);
        if (empty && !dynamic)
            doctor_find(d, RHEO_WARNING, path, "shapes that leave something",
                        "the solid is empty: nothing is left of its shapes");
        if (empty || s->solids[i].inside_fluid) continue;
        if (s->solids[i].motion == RHEO_KEYED) {
            if (stays_outside(s, &s->solids[i], d->solid[i]))
                doctor_find(d, RHEO_WARNING, path, "a shape, or keys, that reach into the domain",
                            "the solid stays outside the domain and does nothing");
            continue;
        }
        shape_bounds(low, high, d->solid[i]);
        const double size = 2 * shape_reach(d->solid[i]);
        if (isfinite(high[0] - low[0]) && size < SPECK * d->out->dx)
            doctor_find(d, RHEO_WARNING, path, "a larger shape (is its scale right?) or more cells",
                        "the solid is %.3g m across, a speck beside a cell of %.3g m, and does nothing", size,
                        d->out->dx);
        if (!dynamic && is_outside(s, low, high))
            doctor_find(d, RHEO_WARNING, path, "a shape that reaches into the domain",
                        "the solid lies outside the domain and does nothing");
    }
}

static void look_for_stray_probes(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    double low[3], high[3];
    for (int i = 0; i < s->probe_count; ++i) {
        const rheo_probe *p = &s->probes[i];
        for (int a = 0; a < 3; ++a) {
            low[a] = fmin(p->from[a], p->to[a]);
            high[a] = fmax(p->from[a], p->to[a]);
        }
        snprintf(path, sizeof path, "probes[%d]", i);
        if (is_outside(s, low, high))
            doctor_find(d, RHEO_WARNING, path, "points within the domain",
                        "the probe lies outside the domain");
        else if (is_outside(s, p->from, p->from) || is_outside(s, p->to, p->to))
            doctor_find(d, RHEO_NOTE, path, NULL, "part of the probe lies outside the domain");
    }
}

/* Whether a scene file gives `key` in the map at `path`; of scenes filled by hand nothing is missing. */
static bool is_given(const doctor *d, const char *path, const char *key) {
    const scene_owner *owner = d->scene->owner;
    return !owner || !owner->root || node_find(node_locate(owner->root, path), key);
}

/* Joints of a scene file of which half is given: where they turn, about what, and what drives them. */
static void look_at_joints(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->joint_count; ++i) {
        const rheo_joint *joint = &s->joints[i];
        const bool slides = joint->kind == RHEO_JOINT_SLIDER, ball = joint->kind == RHEO_JOINT_BALL;
        if (joint->kind == RHEO_JOINT_FIXED) continue;
        snprintf(path, sizeof path, "joints[%d]", i);
        if (!slides && !is_given(d, path, "anchor"))
            doctor_find(d, RHEO_WARNING, path, "anchor: [x, y, z]",
                        "no anchor is given: the joint turns about the corner (0, 0, 0) of the domain");
        if (!ball && s->dim == 3 && !is_given(d, path, "axis"))
            doctor_find(d, RHEO_WARNING, path, "axis: [x, y, z]", "no axis is given: the joint %s z",
                        slides ? "slides along" : "turns about");
        if (!(joint->force > 0) && curve_largest(&joint->speed, 0, s->frames / s->fps) > 0)
            doctor_find(d, RHEO_WARNING, path, "force: above 0, or no speed",
                        "no force is given: nothing drives the joint at its speed");
    }
}

/* What is left to a default that only a slip of the pen would mean. */
static void look_for_halves(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->emitter_count && s->fluid_count > 1; ++i) {
        snprintf(path, sizeof path, "emitters[%d]", i);
        if (!is_given(d, path, "fluid"))
            doctor_find(d, RHEO_WARNING, path, "fluid: the name of one of the fluids",
                        "no fluid is given: '%.60s' comes out, the first of %d",
                        s->fluids[0].name ? s->fluids[0].name : "", s->fluid_count);
    }
    for (int i = 0; i < s->probe_count; ++i) {
        const rheo_probe *p = &s->probes[i];
        snprintf(path, sizeof path, "probes[%d]", i);
        if (p->samples > 1 && !memcmp(p->from, p->to, (size_t)s->dim * sizeof *p->from))
            doctor_find(d, RHEO_WARNING, path, "to: [x, y, z] elsewhere, or no samples",
                        "%s: its %d samples are one point",
                        is_given(d, path, "to") ? "the line has no length" : "no end of the line is given",
                        p->samples);
    }
}

static void note_repairs(doctor *d, const shape *s, const char *path) {
    char text[320];
    shape_repairs(text, sizeof text, s);
    if (text[0]) doctor_find(d, RHEO_WARNING, path, NULL, "%s", text);
}

static void look_at_meshes(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    int k = 0;
    for (int i = 0; i < s->fluid_count; ++i)
        for (int j = 0; j < s->fluids[i].fill_count; ++j) {
            snprintf(path, sizeof path, "fluids[%d].fill[%d]", i, j);
            note_repairs(d, d->fill[k++], path);
        }
    for (int i = 0; i < s->solid_count; ++i) {
        snprintf(path, sizeof path, "solids[%d].shape", i);
        note_repairs(d, d->solid[i], path);
    }
}

/* Bodies that cannot start: without a volume, outside, one in another. */
static void look_at_bodies(doctor *d) {
    world *w = NULL;
    rheo_report report = {0};
    const rheo_status status = world_create(&w, d->scene, d->solid, d->out->dx, &report);
    world_free(w);
    if (status == RHEO_OK) return;
    report.status = status;
    rheo_place_report(&report, d->scene);
    add_finding(d, RHEO_ERROR, &report);
}

static void look_at_methods(doctor *d) {
    const rheo_scene *s = d->scene;
    const rheo_method_info *method = rheo_describe_method(s->method);
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->fluid_count; ++i) {
        snprintf(path, sizeof path, "fluids[%d]", i);
        if (!method->viscosity && !method->shears && !method->gridless &&
            definition_thickest(&s->fluids[i]) > 0.1)
            doctor_find(d, RHEO_WARNING, path, "method: apic, flip, pic, semi-lagrangian, mac use it",
                        "a viscosity of %g Pa s has no effect with this method",
                        definition_thickest(&s->fluids[i]));
        const char *material = s->fluids[i].material;
        const bool gas = material && strcmp(material, "smoke") == 0;
        if (material && gas != method->gas)
            doctor_find(d, RHEO_WARNING, path,
                        gas ? "method: smoke, or a liquid" : "material: smoke, or a method for liquids",
                        gas ? "the material '%s' is a gas, and this method moves it as a liquid"
                            : "the material '%s' is a liquid, and method smoke moves it as a gas",
                        material);
    }
    doctor_viscosity(d);
    doctor_heat(d);
    doctor_elastic(d);
}

rheo_status rheo_check_scene(rheo_preflight *preflight, const rheo_scene *scene, const char *out,
                             rheo_report *report) {
    *preflight = (rheo_preflight){0};
    rheo_scene fitted = *scene;
    doctor d = {.out = preflight, .scene = &fitted, .given = scene, .report = report};
    rheo_report invalid = {0};
    rheo_status status = rheo_validate_scene(scene, &invalid);
    if (status != RHEO_OK) {
        add_finding(&d, RHEO_ERROR, &invalid);
        return status;
    }
    preflight->dx = definition_cells(preflight->cells, scene);
    definition_fit_sides(&fitted); /* the domain of a run */
    if (make_shapes(&d)) {
        double emitted = 0;
        bool any = false;
        look_at_sides(&d);
        look_at_fills(&d);
        for (int i = 0; i < scene->emitter_count; ++i) {
            bool works;
            emitted += look_at_emitter(&d, i, &works);
            any = any || works;
        }
        look_at_heat(&d);
        require_fluid(&d, any);
        look_at_meshes(&d);
        look_at_solids(&d);
        look_for_stray_solids(&d);
        look_for_stray_probes(&d);
        look_at_joints(&d);
        look_for_halves(&d);
        look_at_bodies(&d);
        look_at_methods(&d);
        doctor_foretell(&d, emitted, out);
    }
    free_shapes(&d);
    return d.status;
}
