/* Writes the names of DESIGN's scene contract. Numbers go out with as many digits as they need to come back
 * the same, so equal texts mean equal scenes. Limits: pictures of a scene, not of its file: comments and
 * order are not kept (the manifest has the file's own text beside this). */
#include "io/scene_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "io/json.h"

typedef struct writer {
    file_writer w;
    uint64_t meshes; /* checksum of the contents of mesh files in the present section */
    uint64_t text;   /* of its text, up to `counted` */
    size_t counted;
} writer;

/* What was written since counts for the simulation, or does not: how things look. */
static void count_text(writer *t) {
    if (!t->w.error) t->text = checksum_add(t->text, t->w.buffer + t->counted, t->w.held - t->counted);
    t->counted = t->w.held;
}
static void pass_text(writer *t) {
    t->counted = t->w.held;
}

static const char *const shape_words[] = {"box",   "sphere", "capsule", "cylinder",   "torus",
                                          "plane", "mesh",   "union",   "difference", "intersection"};
static const char *const method_words[] = {"flip", "apic",     "pic",   "semi-lagrangian",
                                           "mac",  "levelset", "smoke", "sph"};
static const char *const coupling_words[] = {"monolithic", "rigid-fluid", "solid-to-fluid", "fluid-to-solid"};
static const char *const wall_words[] = {"closed", "open", "periodic"};
static const char *const side_words[] = {"left", "right", "bottom", "top", "back", "front"};
static const char *const surface_words[] = {"density", "average", "spheres", "pressure", "kernel", "color"};
static const char *const advection_words[] = {"maccormack", "bfecc", "semi-lagrangian"};
static const char *const motion_words[] = {"static", "keyed", "dynamic"};
static const char *const look_words[] = {"auto", "matte", "glass", "hidden"};
static const char *const stress_words[] = {"corotational", "upper-convected", "fixed-axes", "newtonian"};
static const char *const integrator_words[] = {"leap-frog", "euler", "prediction-relaxation"};
static const char *const fluid_look_words[] = {"auto",        "clear",   "glossy",      "matte",
                                               "translucent", "glowing", "temperature", "particles"};
static const char *const paint_words[] = {"color", "speed", "density", "temperature"};
static const char *const viscosity_words[] = {"auto", "none", "laplacian", "full", "stokes", "tree"};
static const char *const scheme_words[] = {"quadratic", "wang"};
static const char *const law_words[] = {"none", "linear", "quadratic", "exponential"};
static const char *const mean_words[] = {"harmonic", "geometric", "arithmetic"};
static const char *const joint_words[] = {"ball", "hinge", "slider", "fixed", "motor"};
static const char *const quantity_words[] = {"velocity", "pressure", "temperature",
                                             "phi",      "density",  "viscosity"};

static void put_key(writer *t, const char *key) {
    unsigned char last = t->w.held ? t->w.buffer[t->w.held - 1] : '{';
    file_print(&t->w, "%s\"%s\": ", last == '{' ? "" : ", ", key);
}
static void put_real(writer *t, const char *key, double value) {
    put_key(t, key);
    json_put_number(&t->w, value);
}
static void put_whole(writer *t, const char *key, long long value) {
    put_key(t, key);
    file_print(&t->w, "%lld", value);
}
static void put_flag(writer *t, const char *key, bool value) {
    put_key(t, key);
    file_print(&t->w, value ? "true" : "false");
}
static void put_word(writer *t, const char *key, const char *text) {
    put_key(t, key);
    json_put_text(&t->w, text);
}
static void put_vector(writer *t, const char *key, const double *v) {
    put_key(t, key);
    json_put_vector(&t->w, v, 3);
}

static void put_value(writer *t, const double *value, int width) {
    if (width == 1) json_put_number(&t->w, value[0]);
    else json_put_vector(&t->w, value, width);
}

static void put_curve(writer *t, const char *key, const rheo_curve *c) {
    if (c->count == 0) return;
    put_key(t, key);
    if (c->count == 1) {
        put_value(t, c->values, c->width);
        return;
    }
    file_print(&t->w, "{\"keys\": [");
    for (int k = 0; k < c->count; ++k) {
        file_print(&t->w, k ? ", [" : "[");
        json_put_number(&t->w, c->times[k]);
        file_print(&t->w, ", ");
        put_value(t, c->values + k * c->width, c->width);
        file_print(&t->w, "]");
    }
    file_print(&t->w, "]}");
}

static void put_shape(writer *t, const rheo_shape *s);
static void put_placed(writer *t, const rheo_shape *s);

static void put_shapes(writer *t, const rheo_shape *shapes, int count) {
    file_print(&t->w, "[");
    for (int i = 0; i < count; ++i) {
        if (i) file_print(&t->w, ", ");
        put_shape(t, &shapes[i]);
    }
    file_print(&t->w, "]");
}

static void put_fills(writer *t, const rheo_shape *fill, int count) {
    file_print(&t->w, "[");
    for (int i = 0; i < count; ++i) {
        if (i) file_print(&t->w, ", ");
        put_placed(t, &fill[i]);
        if (fill[i].at != 0) put_real(t, "at", fill[i].at);
        file_print(&t->w, "}");
    }
    file_print(&t->w, "]");
}

static void put_mesh_file(writer *t, const rheo_shape *s) {
    char *full = s->file ? realpath(s->file, NULL) : NULL;
    uint64_t size = 0, sum = 0;
    if (s->file && file_measure(&size, &sum, s->file, UINT64_MAX) == 0)
        t->meshes = checksum_add(t->meshes, &sum, sizeof sum);
    put_word(t, "file", full ? full : s->file ? s->file : "");
    put_real(t, "scale", s->file_scale);
    free(full);
}

/* What each kind is given by, in the order of the contract. */
static void put_form(writer *t, const rheo_shape *s) {
    static const char *const first[] = {"min", "center", "from", "from", "center", "point"};
    static const char *const second[] = {"max", NULL, "to", "to", "axis", "normal"};
    file_print(&t->w, "{");
    if (s->kind == RHEO_SHAPE_MESH) {
        put_mesh_file(t, s);
    } else {
        put_vector(t, first[s->kind], s->a);
        if (second[s->kind]) put_vector(t, second[s->kind], s->b);
        if (s->kind != RHEO_SHAPE_BOX && s->kind != RHEO_SHAPE_PLANE) put_real(t, "radius", s->radius);
        if (s->kind == RHEO_SHAPE_TORUS) put_real(t, "tube", s->tube);
    }
    file_print(&t->w, "}");
}

/* A shape up to the bracket that closes it. */
static void put_placed(writer *t, const rheo_shape *s) {
    file_print(&t->w, "{");
    put_key(t, shape_words[s->kind]);
    if (s->kind >= RHEO_SHAPE_UNION) put_shapes(t, s->children, s->child_count);
    else put_form(t, s);
    if (s->scale[0] != 1 || s->scale[1] != 1 || s->scale[2] != 1) put_vector(t, "scale", s->scale);
    if (s->rotate_degrees != 0) {
        put_key(t, "rotate");
        file_print(&t->w, "{");
        put_vector(t, "axis", s->rotate_axis);
        put_real(t, "degrees", s->rotate_degrees);
        file_print(&t->w, "}");
    }
    if (s->move[0] != 0 || s->move[1] != 0 || s->move[2] != 0) put_vector(t, "move", s->move);
}

static void put_shape(writer *t, const rheo_shape *s) {
    put_placed(t, s);
    file_print(&t->w, "}");
}

static void put_slip(writer *t, double slip) {
    if (slip < 0 || slip >= RHEO_SLIP_FREE) put_word(t, "slip", slip < 0 ? "auto" : "free");
    else put_real(t, "slip", slip);
}

static void put_domain(writer *t, const rheo_scene *s) {
    double size[3];
    for (int a = 0; a < 3; ++a)
        size[a] = a < s->dim ? s->size[a] : 1; /* the third of a plane scene means nothing */
    file_print(&t->w, "{");
    put_whole(t, "dim", s->dim);
    put_vector(t, "size", size);
    put_whole(t, "cells", s->cells);
    put_key(t, "walls");
    file_print(&t->w, "{");
    for (int side = 0; side < 2 * s->dim; ++side) put_word(t, side_words[side], wall_words[s->wall[side]]);
    file_print(&t->w, "}");
    if (!rheo_describe_method(s->method)->gas) put_slip(t, s->slip);
    file_print(&t->w, "}");
}

static void put_sph(writer *t, const rheo_scene *s) {
    static const char *const pressure_words[] = {"projection", "state", "source"};
    static const char *const kernel_words[] = {"wendland", "cubic", "poly6", "spiky", "viscosity"};
    if (!rheo_describe_method(s->method)->gridless) return;
    put_key(t, "sph");
    file_print(&t->w, "{");
    put_word(t, "pressure", pressure_words[s->sph.pressure]);
    put_word(t, "integrator", integrator_words[s->sph.integrator]);
    put_word(t, "stress", stress_words[s->sph.stress]);
    put_word(t, "tension", s->sph.tension == RHEO_SPH_CURVATURE ? "curvature" : "cohesion");
    put_word(t, "kernel", kernel_words[s->sph.kernel]);
    put_real(t, "spacing", s->sph.spacing);
    put_real(t, "density_error", s->sph.density_error);
    put_real(t, "jitter", s->sph.jitter);
    put_real(t, "calm", s->sph.calm);
    file_print(&t->w, "}");
}

static void put_solver(writer *t, const rheo_scene *s) {
    file_print(&t->w, "{");
    put_word(t, "method", method_words[s->method]);
    put_word(t, "coupling", coupling_words[s->coupling]);
    if (!rheo_describe_method(s->method)->gridless) {
        put_word(t, "pressure", s->pressure == RHEO_MIC ? "mic" : "multigrid");
        put_real(t, "tolerance", s->tolerance);
        put_whole(t, "max_iterations", s->max_iterations);
    }
    if (rheo_describe_method(s->method)->gridless) {
        put_flag(t, "separation", s->separation);
        put_whole(t, "seed", (long long)s->seed);
    } else if (rheo_describe_method(s->method)->gas) {
        put_word(t, "advection", advection_words[s->advection]);
        put_real(t, "confinement", s->confinement);
    } else {
        put_real(t, "pic_blend", s->pic_blend);
        put_flag(t, "volume_correction", s->volume_correction);
        put_flag(t, "separation", s->separation);
        put_word(t, "viscosity", viscosity_words[s->viscosity]);
        if (s->viscosity == RHEO_VISCOSITY_TREE) {
            put_whole(t, "levels", s->viscous_levels);
            put_word(t, "scheme", scheme_words[s->viscous_scheme]);
        }
        put_word(t, "viscous_mean", mean_words[s->viscous_mean]);
        put_word(t, "viscous_surface", s->viscous_held ? "held" : "free");
        put_whole(t, "seed", (long long)s->seed);
    }
    put_sph(t, s);
    file_print(&t->w, "}");
}

static void fluid_name(char name[CACHE_NAME_MAX], const rheo_scene *s, int fluid) {
    const char *given = s->fluids[fluid].name;
    cache_stem(name, given, "fluid");
    if (!given || !given[0]) name[5] = (char)('a' + fluid % 26), name[6] = 0;
}

/* What follows from temperature, where liquids have one. */
static void put_fluid_heat(writer *t, const rheo_fluid *f) {
    put_real(t, "temperature", f->temperature);
    put_real(t, "conductivity", f->conductivity);
    put_real(t, "heat_capacity", f->heat_capacity);
    if (!(f->latent_heat > 0)) return;
    put_real(t, "latent_heat", f->latent_heat);
    put_key(t, "melting");
    json_put_vector(&t->w, f->melting, 2);
}

static void put_viscosity(writer *t, const rheo_fluid *f) {
    if (!f->law) {
        if (f->viscosity_keys.count) put_curve(t, "viscosity", &f->viscosity_keys);
        else put_real(t, "viscosity", f->viscosity);
        return;
    }
    put_key(t, "viscosity");
    file_print(&t->w, "{");
    put_word(t, "law", law_words[f->law]);
    put_key(t, "temperature");
    file_print(&t->w, "[");
    for (int k = 0; k < 2; ++k) {
        if (k) file_print(&t->w, ", ");
        json_put_vector(&t->w, (double[2]){f->law_temperature[k], f->law_viscosity[k]}, 2);
    }
    file_print(&t->w, "]}");
}

static void put_fluid(writer *t, const rheo_scene *s, int i) {
    const rheo_fluid *f = &s->fluids[i];
    char name[CACHE_NAME_MAX];
    fluid_name(name, s, i);
    put_word(t, "name", name);
    if (f->material) put_word(t, "material", f->material);
    put_real(t, "density", f->density);
    put_viscosity(t, f);
    if (rheo_solves_heat(s)) put_fluid_heat(t, f);
    if (f->surface_tension > 0) put_real(t, "surface_tension", f->surface_tension);
    if (f->elasticity > 0) {
        put_real(t, "elasticity", f->elasticity);
        put_real(t, "relaxation_time", f->relaxation_time);
        put_real(t, "yield_stress", f->yield_stress);
        put_real(t, "mobility", f->mobility);
    }
    if (rheo_describe_method(s->method)->gas) {
        put_real(t, "temperature", f->temperature);
        put_real(t, "soot", f->soot);
        put_real(t, "expansion", f->expansion);
    }
    if (f->fill_count) {
        put_key(t, "fill");
        put_fills(t, f->fill, f->fill_count);
    }
    put_vector(t, "velocity", f->velocity);
    count_text(t);
    put_vector(t, "color", f->color);
    put_word(t, "look", fluid_look_words[f->look]);
    if (f->paint) put_word(t, "paint", paint_words[f->paint]);
    pass_text(t);
}

static void put_interface(writer *t, const rheo_scene *s, int i) {
    const rheo_interface *f = &s->interfaces[i];
    char one[CACHE_NAME_MAX], two[CACHE_NAME_MAX];
    fluid_name(one, s, f->between[0]);
    fluid_name(two, s, f->between[1]);
    put_key(t, "between");
    file_print(&t->w, "[");
    json_put_text(&t->w, one);
    file_print(&t->w, ", ");
    json_put_text(&t->w, two);
    file_print(&t->w, "]");
    put_real(t, "tension", f->tension);
}

static void put_emitter(writer *t, const rheo_scene *s, int i) {
    const rheo_emitter *e = &s->emitters[i];
    char name[CACHE_NAME_MAX];
    double until = fmin(e->during[1], 1e9); /* the contract's "for ever" */
    fluid_name(name, s, e->fluid);
    put_word(t, "fluid", name);
    put_key(t, "shape");
    put_shape(t, &e->shape);
    put_curve(t, "velocity", &e->velocity);
    put_key(t, "during");
    json_put_vector(&t->w, (double[2]){e->during[0], until}, 2);
    if (rheo_solves_heat(s)) put_curve(t, "temperature", &e->temperature);
    if (!rheo_describe_method(s->method)->gas) return;
    put_curve(t, "rate", &e->rate);
    put_curve(t, "temperature", &e->temperature);
}

static void put_heat_source(writer *t, const rheo_scene *s, int i) {
    put_key(t, "shape");
    put_shape(t, &s->heat_sources[i].shape);
    put_curve(t, "temperature", &s->heat_sources[i].temperature);
    put_curve(t, "power", &s->heat_sources[i].power);
}

static void put_solid(writer *t, const rheo_scene *s, int i) {
    const rheo_solid *o = &s->solids[i];
    if (o->name) put_word(t, "name", o->name);
    put_key(t, "shape");
    put_shape(t, &o->shape);
    put_word(t, "inside", o->inside_fluid ? "fluid" : "solid");
    if (o->shape.thin) {
        put_flag(t, "thin", true);
        put_real(t, "thickness", o->shape.thickness);
    }
    put_word(t, "motion", motion_words[o->motion]);
    put_curve(t, "position", &o->position);
    if (o->rotation_degrees.count) {
        put_key(t, "rotation");
        file_print(&t->w, "{");
        put_vector(t, "axis", o->rotation_axis);
        put_curve(t, "degrees", &o->rotation_degrees);
        file_print(&t->w, "}");
    }
    if (o->motion == RHEO_DYNAMIC) {
        put_real(t, "density", o->density);
        put_vector(t, "velocity", o->velocity);
        put_vector(t, "spin", o->spin);
    }
    put_real(t, "friction", o->friction);
    put_real(t, "static_friction", o->static_friction);
    put_real(t, "restitution", o->restitution);
    if (!rheo_describe_method(s->method)->gas) put_slip(t, o->slip);
    put_curve(t, "temperature", &o->temperature);
    if (o->heat_capacity > 0) put_real(t, "heat_capacity", o->heat_capacity);
    if (o->adhesion > 0) put_real(t, "adhesion", o->adhesion);
    count_text(t);
    put_vector(t, "color", o->color);
    put_word(t, "look", look_words[o->look]);
    pass_text(t);
}

/* Solids made by hand may have no name; the reader then calls them solidN. */
static void put_solid_name(writer *t, const char *key, const rheo_scene *s, int solid) {
    char name[32];
    snprintf(name, sizeof name, "solid%d", solid);
    put_word(t, key, solid < 0 ? "world" : s->solids[solid].name ? s->solids[solid].name : name);
}

static void put_joint(writer *t, const rheo_scene *s, int i) {
    const rheo_joint *j = &s->joints[i];
    put_word(t, "type", joint_words[j->kind]);
    put_solid_name(t, "a", s, j->a);
    put_solid_name(t, "b", s, j->b);
    put_vector(t, "anchor", j->anchor);
    put_vector(t, "axis", j->axis);
    put_key(t, "limits");
    json_put_vector(&t->w, j->limits, 2);
    put_curve(t, "speed", &j->speed);
    put_real(t, "force", j->force);
}

static void put_probe(writer *t, const rheo_scene *s, int i) {
    const rheo_probe *p = &s->probes[i];
    const char *before = "";
    put_word(t, "name", p->name ? p->name : "probe");
    put_vector(t, "from", p->from);
    put_vector(t, "to", p->to);
    put_whole(t, "samples", p->samples);
    put_key(t, "of");
    file_print(&t->w, "[");
    for (int q = 0; q < 5; ++q)
        if (p->of >> q & 1) {
            file_print(&t->w, "%s\"%s\"", before, quantity_words[q]);
            before = ", ";
        }
    file_print(&t->w, "]");
}

static void put_list(writer *t, const rheo_scene *s, int count,
                     void (*put)(writer *, const rheo_scene *, int)) {
    if (!count) return;
    file_print(&t->w, "[");
    for (int i = 0; i < count; ++i) {
        file_print(&t->w, i ? ", {" : "{");
        put(t, s, i);
        file_print(&t->w, "}");
    }
    file_print(&t->w, "]");
}

static void put_side_temperatures(writer *t, const rheo_scene *s) {
    put_key(t, "walls");
    file_print(&t->w, "{");
    for (int side = 0; side < 2 * s->dim; ++side) put_curve(t, side_words[side], &s->side_temperature[side]);
    file_print(&t->w, "}");
}

static void put_heat(writer *t, const rheo_scene *s) {
    put_key(t, "heat");
    file_print(&t->w, "{");
    put_real(t, "ambient", s->ambient);
    if (rheo_solves_heat(s)) {
        put_real(t, "exchange", s->exchange);
        put_real(t, "speed", s->heat_speed);
        put_side_temperatures(t, s);
    }
    if (s->heat_source_count) put_key(t, "sources");
    put_list(t, s, s->heat_source_count, put_heat_source);
    file_print(&t->w, "}");
}

/* One section with its key, and the checksum of what it wrote. */
static void put_section(writer *t, uint64_t *checksum, const rheo_scene *s, int which) {
    t->meshes = t->text = CHECKSUM_START;
    const int counts[CACHE_SECTIONS] = {
        1, 1, 0, 1, s->fluid_count, s->emitter_count, s->solid_count, s->probe_count};
    if (counts[which]) put_key(t, cache_sections[which]);
    pass_text(t);
    switch (which) {
    case 0: put_domain(t, s); break;
    case 1:
        file_print(&t->w, "{");
        put_whole(t, "frames", s->frames);
        pass_text(t); /* more frames of the same scene are the same scene */
        put_real(t, "fps", s->fps);
        put_real(t, "cfl", s->cfl);
        put_real(t, "dt_max", s->dt_max);
        file_print(&t->w, "}");
        break;
    case 2: put_curve(t, "gravity", &s->gravity); break;
    case 3: put_solver(t, s); break;
    case 4:
        put_list(t, s, s->fluid_count, put_fluid);
        if (s->interface_count) put_key(t, "interfaces");
        put_list(t, s, s->interface_count, put_interface);
        put_heat(t, s); /* what the fluid starts from, or reports; no section of its own */
        break;
    case 5: put_list(t, s, s->emitter_count, put_emitter); break;
    case 6: /* joints belong to the solids they hold */
        put_list(t, s, s->solid_count, put_solid);
        if (s->joint_count) put_key(t, "joints");
        put_list(t, s, s->joint_count, put_joint);
        break;
    default: put_list(t, s, s->probe_count, put_probe); break;
    }
    count_text(t);
    if (which == 3 && s->output_rest) /* particles carry it */
        t->text = checksum_add(t->text, "rest", 4);
    *checksum = checksum_add(t->meshes, (const unsigned char *)&t->text, sizeof t->text);
}

char *scene_text(uint64_t section[CACHE_SECTIONS], const rheo_scene *s) {
    writer t = {0};
    if (!file_open_memory(&t.w)) return NULL;
    file_print(&t.w, "{");
    if (s->title && s->title[0]) put_word(&t, "title", s->title);
    for (int i = 0; i < CACHE_SECTIONS; ++i) put_section(&t, &section[i], s, i);
    put_key(&t, "output");
    file_print(&t.w, "{");
    put_flag(&t, "mesh", s->output_mesh);
    put_flag(&t, "particles", s->output_particles);
    put_flag(&t, "rest_position", s->output_rest);
    put_flag(&t, "volume", s->output_volume);
    put_whole(&t, "checkpoint_every", s->checkpoint_every);
    if (!rheo_describe_method(s->method)->gas) put_word(&t, "surface", surface_words[s->surface]);
    file_print(&t.w, "}");
    put_key(&t, "camera");
    file_print(&t.w, "{");
    put_curve(&t, "eye", &s->camera_eye);
    put_curve(&t, "target", &s->camera_target);
    put_curve(&t, "fov", &s->camera_fov);
    file_print(&t.w, "}}");
    return file_take_memory(&t.w);
}
