/* The tree of a scene file -> rheo_scene, driven by the rows of params.c.
 *
 * Only kinds are judged here (a number where a number belongs, known names, nothing missing); ranges and
 * combinations are rheo_validate_scene()'s, whose messages get their places from the same tree. In 2D the
 * third components are set so that shapes are prisms or slices through z = 0. */
#include "scene/read.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rheo/material.h>
#include <rheo/sim.h>
#include "core/report.h"

rheo_status read_fail(reader *r, const node *n, const char *path, const char *allowed, const char *nearest,
                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    report_fail_list(r->report, RHEO_INVALID, allowed, format, args);
    va_end(args);
    report_place(r->report, n->source, n->line, n->column, path);
    if (r->report && nearest) snprintf(r->report->nearest, sizeof r->report->nearest, "%s", nearest);
    return RHEO_INVALID;
}

void read_join(char path[NODE_PATH_MAX], const char *parent, const char *name) {
    snprintf(path, NODE_PATH_MAX, "%.180s%s%.64s", parent, parent[0] ? "." : "", name);
}

void read_join_index(char path[NODE_PATH_MAX], const char *parent, int index) {
    snprintf(path, NODE_PATH_MAX, "%.220s[%d]", parent, index);
}

static bool is_nothing(const node *n) {
    return strcmp(node_kind_name(n), "nothing") == 0;
}

static bool read_number(double *value, const node *n);

static bool is_quoted_number(const node *n) {
    node plain = *n;
    double number;
    plain.quoted = false;
    return n->kind == NODE_SCALAR && n->quoted && read_number(&number, &plain);
}

/* A list where numbers in a list belong: what is wrong is its length, or the first item that is no number. */
static rheo_status fail_numbers(reader *r, const node *n, const char *path, const char *allowed) {
    char at[NODE_PATH_MAX];
    double number;
    int i = 0;
    const node *item = n->first;
    for (; item && read_number(&number, item); item = item->next) ++i;
    if (!item)
        return read_fail(r, n, path, allowed, NULL, "a list of %d number%s is not what belongs here",
                         n->count, n->count == 1 ? "" : "s");
    read_join_index(at, path, i);
    if (is_quoted_number(item))
        return read_fail(r, item, at, allowed, NULL, "\"%.60s\" in quotes is a text, not a number",
                         item->text);
    if (item->kind == NODE_SCALAR && !is_nothing(item))
        return read_fail(r, item, at, allowed, NULL, "'%.60s' is not a number", item->text);
    return read_fail(r, item, at, allowed, NULL, "%s is not a number", node_kind_name(item));
}

rheo_status read_fail_type(reader *r, const node *n, const char *path, const param *p) {
    static const char *const truths[] = {"true", "false", NULL};
    char allowed[400];
    param_allowed(allowed, sizeof allowed, p);
    const bool numbers = p->type == P_VECTOR || p->type == P_COLOR || p->type == P_SCALE ||
                         p->type == P_SPAN || p->type == P_CURVE3;
    if (numbers && n->kind == NODE_LIST && n->count) return fail_numbers(r, n, path, allowed);
    if (is_quoted_number(n))
        return read_fail(r, n, path, allowed, NULL, "\"%.60s\" in quotes is a text, not a number", n->text);
    double number;
    if (p->type == P_INT && read_number(&number, n))
        return read_fail(r, n, path, allowed, NULL,
                         number == floor(number) ? "%.60s is out of range" : "%.60s is not a whole number",
                         n->text);
    if (n->kind == NODE_SCALAR && strcmp(node_kind_name(n), "nothing") != 0)
        return read_fail(r, n, path, allowed, p->type == P_BOOL ? report_nearest(n->text, truths) : NULL,
                         "'%.60s' is not what belongs here", n->text);
    return read_fail(r, n, path, allowed, NULL, "%s is not what belongs here", node_kind_name(n));
}

/* --- plain values --- */

static bool read_number(double *value, const node *n) {
    if (n->kind != NODE_SCALAR || n->quoted || !n->text[0]) return false;
    const char *text = n->text;
    const char *unsigned_text = text + (text[0] == '-' || text[0] == '+');
    if (!strcasecmp(unsigned_text, ".inf") || !strcasecmp(unsigned_text, ".nan")) {
        double size = tolower((unsigned char)unsigned_text[1]) == 'i' ? INFINITY : NAN;
        *value = text[0] == '-' ? -size : size;
        return true;
    }
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && !isspace((unsigned char)text[0]);
}

static bool read_integer(int *value, const node *n) {
    double number;
    if (!read_number(&number, n) || !(fabs(number) <= INT_MAX) || number != floor(number)) return false;
    *value = (int)number;
    return true;
}

static bool read_bool(bool *value, const node *n) {
    if (n->kind != NODE_SCALAR || n->quoted) return false;
    *value = strcmp(n->text, "true") == 0;
    return *value || strcmp(n->text, "false") == 0;
}

/* `least` to `most` numbers in a list; those not given keep their value. */
static bool read_numbers(double *values, const node *n, int least, int most) {
    if (n->kind != NODE_LIST || n->count < least || n->count > most) return false;
    int i = 0;
    for (const node *item = n->first; item; item = item->next)
        if (!read_number(&values[i++], item)) return false;
    return true;
}

static bool read_vector(const reader *r, double v[3], const node *n) {
    return read_numbers(v, n, r->scene->dim == 2 ? 2 : 3, 3);
}

static rheo_status read_text(reader *r, const char **text, const node *n, const char *path, const param *p) {
    if (n->kind != NODE_SCALAR || is_nothing(n)) return read_fail_type(r, n, path, p);
    for (const char *c = n->text; *c; ++c)
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t')
            return read_fail(r, n, path, "printable text", NULL,
                             "the text holds a control character (code %d)", (unsigned char)*c);
    *text = n->text;
    return RHEO_OK;
}

/* Adds ": a, b, ..." of names that the scene itself gives. */
static void name_some(char *text, size_t size, const char *const *names) {
    enum { SOME = 20 }; /* all materials */
    size_t length = strlen(text);
    for (int i = 0; i <= SOME && names[i] && length < size; ++i)
        length += (size_t)snprintf(text + length, size - length, "%s%.40s", i ? ", " : ": ",
                                   i < SOME ? names[i] : "...");
}

/* The index of a word in a list of names; an unknown word fails with the nearest one. */
static rheo_status read_choice(reader *r, int *index, const node *n, const char *const *names,
                               const char *path, const param *p) {
    const char *here[NODE_KEYS_MAX] = {NULL};
    int count = 0;
    if (n->kind != NODE_SCALAR || is_nothing(n)) return read_fail_type(r, n, path, p);
    for (int i = 0; names[i]; ++i)
        if (strcmp(n->text, names[i]) == 0) {
            *index = i;
            return RHEO_OK;
        }
    for (int i = 0; names[i] && count < NODE_KEYS_MAX - 1; ++i)
        if (!param_is_later(p, names[i])) here[count++] = names[i];
    char allowed[400];
    param_allowed(allowed, sizeof allowed, p);
    if (p->type == P_FLUID || p->type == P_FLUIDS || p->type == P_SOLID || p->type == P_MATERIAL)
        name_some(allowed, sizeof allowed, here);
    return read_fail(r, n, path, allowed, report_nearest(n->text, here), "'%.60s' is not known", n->text);
}

/* --- curves --- */

static bool read_value(const reader *r, double *value, int width, const node *n) {
    return width == 1 ? read_number(value, n) : read_vector(r, value, n);
}

static rheo_status read_keys(reader *r, rheo_curve *curve, int width, const node *keys, const char *path,
                             const param *p) {
    if (keys->kind != NODE_LIST || keys->count < 1) return read_fail_type(r, keys, path, p);
    double *times = arena_alloc(r->memory, (size_t)keys->count * sizeof *times);
    double *values = arena_alloc(r->memory, (size_t)(keys->count * width) * sizeof *values);
    if (!times || !values) return report_no_memory(r->report, "the scene's keys");
    int i = 0;
    for (const node *key = keys->first; key; key = key->next, ++i) {
        char at[NODE_PATH_MAX];
        read_join_index(at, path, i);
        if (key->kind != NODE_LIST || key->count != 2 || !read_number(&times[i], key->first))
            return read_fail(r, key, at, width == 1 ? "[time, value]" : "[time, [x, y, z]]", NULL,
                             "%s is not a time and a value", node_kind_name(key));
        if (!isfinite(times[i]))
            return read_fail(r, key->first, at, "a finite time in s", NULL,
                             "the time of a key is not finite");
        if (read_value(r, &values[i * width], width, key->first->next)) continue;
        snprintf(at + strlen(at), sizeof at - strlen(at), "[1]");
        return read_fail_type(r, key->first->next, at, p);
    }
    *curve = (rheo_curve){.count = keys->count, .times = times, .values = values, .width = width};
    return RHEO_OK;
}

static rheo_status read_curve(reader *r, rheo_curve *curve, int width, const node *n, const char *path,
                              const param *p) {
    if (n->kind == NODE_MAP) {
        const node *keys = node_find(n, "keys");
        char at[NODE_PATH_MAX];
        if (!keys || n->count != 1) {
            const node *odd = n->first && n->first == keys ? n->first->next : n->first;
            static const char *const only[] = {"keys", NULL};
            if (!odd) return read_fail_type(r, n, path, p);
            return read_fail(r,
                             &(node){.source = odd->source, .line = odd->key_line, .column = odd->key_column},
                             path, "keys", report_nearest(odd->key, only), "unknown key '%.60s'", odd->key);
        }
        read_join(at, path, "keys");
        return read_keys(r, curve, width, keys, at, p);
    }
    double *values = arena_alloc(r->memory, 3 * sizeof *values),
           *times = arena_alloc(r->memory, sizeof *times);
    if (!values || !times) return report_no_memory(r->report, "the scene");
    if (!read_value(r, values, width, n)) return read_fail_type(r, n, path, p);
    *curve = (rheo_curve){.count = 1, .times = times, .values = values, .width = width};
    return RHEO_OK;
}

/* --- names of other things --- */

/* Particles alone know of elasticity, and of a viscosity beside it. */
static void take_material(const reader *r, rheo_fluid *fluid, const rheo_material *material) {
    fluid->material = material->name;
    fluid->density = material->density;
    fluid->viscosity = material->viscosity;
    fluid->conductivity = material->conductivity;
    fluid->heat_capacity = material->heat_capacity;
    memcpy(fluid->color, material->color, sizeof fluid->color);
    if (!(material->elasticity > 0) || !rheo_describe_method(r->scene->method)->gridless) return;
    fluid->viscosity = material->solvent;
    fluid->elasticity = material->elasticity;
    fluid->relaxation_time = material->relaxation_time;
    fluid->yield_stress = material->yield_stress;
}

static rheo_status read_material(reader *r, rheo_fluid *fluid, const node *n, const char *path,
                                 const param *p) {
    const rheo_material *materials = rheo_list_materials();
    const char *names[64] = {NULL};
    for (int i = 0; materials[i].name && i < 63; ++i) names[i] = materials[i].name;
    int index = 0;
    rheo_status status = read_choice(r, &index, n, names, path, p);
    if (status != RHEO_OK) return status;
    take_material(r, fluid, &materials[index]);
    return RHEO_OK;
}

/* A number, or a name of one. */
static rheo_status read_slip(reader *r, double *slip, const node *n, const char *path, const param *p) {
    static const double named[] = {RHEO_SLIP_AUTO, RHEO_SLIP_FREE, 0};
    int index = 0;
    if (read_number(slip, n)) {
        if (*slip >= p->low && *slip <= p->high) return RHEO_OK;
        char allowed[400];
        param_allowed(allowed, sizeof allowed, p);
        return read_fail(r, n, path, allowed, NULL, "%.60s is out of range", n->text);
    }
    const rheo_status status = read_choice(r, &index, n, p->names, path, p);
    if (status == RHEO_OK) *slip = named[index];
    return status;
}

static rheo_status read_fluid_reference(reader *r, int *index, const node *n, const char *path,
                                        const param *p) {
    const char *names[RHEO_FLUIDS_MAX + 1] = {NULL};
    for (int i = 0; i < r->scene->fluid_count && i < RHEO_FLUIDS_MAX; ++i)
        names[i] = r->scene->fluids[i].name;
    return read_choice(r, index, n, names, path, p);
}

static rheo_status read_fluid_pair(reader *r, int pair[2], const node *n, const char *path, const param *p) {
    if (n->kind != NODE_LIST || n->count != 2) return read_fail_type(r, n, path, p);
    const node *item = n->first;
    for (int i = 0; i < 2; ++i, item = item->next) {
        char at[NODE_PATH_MAX];
        read_join_index(at, path, i);
        const rheo_status status = read_fluid_reference(r, &pair[i], item, at, p);
        if (status != RHEO_OK) return status;
    }
    return RHEO_OK;
}

static rheo_status read_solid_reference(reader *r, int *index, const node *n, const char *path,
                                        const param *p) {
    const int count = r->scene->solid_count;
    const char **names = arena_alloc(r->memory, (size_t)(count + 2) * sizeof *names);
    if (!names) return report_no_memory(r->report, "names");
    for (int i = 0; i < count; ++i) names[i] = r->scene->solids[i].name;
    names[count] = "world";
    rheo_status status = read_choice(r, index, n, names, path, p);
    if (*index == count) *index = -1;
    return status;
}

static rheo_status read_set(reader *r, unsigned *bits, const node *n, const char *path, const param *p) {
    if (n->kind != NODE_LIST || !n->count) return read_fail_type(r, n, path, p);
    *bits = 0;
    int i = 0;
    for (const node *item = n->first; item; item = item->next) {
        char at[NODE_PATH_MAX];
        int index = 0;
        read_join_index(at, path, i++);
        rheo_status status = read_choice(r, &index, item, p->names, at, p);
        if (status != RHEO_OK) return status;
        if (*bits >> index & 1)
            return read_fail(r, item, at, "each once", NULL, "'%.60s' is given twice", item->text);
        *bits |= 1u << index;
    }
    return RHEO_OK;
}

/* The index of an item's key among the sides; one that the scene has not fails with those it has. */
static rheo_status read_side(reader *r, int *side, const node *item, const char *path) {
    static const char *const sides[] = {"left",  "right", "bottom", "top", "back",
                                        "front", "x",     "y",      "z",   NULL};
    static const char *const flat[] = {"left", "right", "bottom", "top", "x", "y", NULL};
    const node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
    const bool plane = r->scene->dim == 2;
    *side = 0;
    while (sides[*side] && strcmp(sides[*side], item->key) != 0) ++*side;
    if (!sides[*side])
        return read_fail(r, &key, path,
                         plane ? "left, right, bottom, top, x, y"
                               : "left, right, bottom, top, back, front, x, y, z",
                         report_nearest(item->key, plane ? flat : sides), "unknown side '%.60s'", item->key);
    if (plane && (*side == 4 || *side == 5 || *side == 8))
        return read_fail(r, &key, path, "left, right, bottom, top, x, y", NULL,
                         "a plane scene has no side '%s'", item->key);
    return RHEO_OK;
}

/* One word for all sides, or a map by side or by axis; no side is given twice. */
static rheo_status read_walls(reader *r, rheo_wall wall[6], const node *n, const char *path, const param *p) {
    const node *given[6] = {NULL};
    int kind = 0;
    if (n->kind == NODE_SCALAR) {
        rheo_status status = read_choice(r, &kind, n, p->names, path, p);
        for (int side = 0; status == RHEO_OK && side < 6; ++side) wall[side] = (rheo_wall)kind;
        return status;
    }
    if (n->kind != NODE_MAP) return read_fail_type(r, n, path, p);
    for (const node *item = n->first; item; item = item->next) {
        char at[NODE_PATH_MAX];
        int side = 0;
        read_join(at, path, item->key);
        rheo_status status = read_side(r, &side, item, at);
        if (status == RHEO_OK) status = read_choice(r, &kind, item, p->names, at, p);
        if (status != RHEO_OK) return status;
        const int first = side < 6 ? side : 2 * (side - 6), last = side < 6 ? side : first + 1;
        for (int s = first; s <= last; ++s) {
            const node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
            if (given[s])
                return read_fail(r, &key, at, "an axis, or its two sides one by one", NULL,
                                 "'%s' and '%s' both say what one side is", given[s]->key, item->key);
            given[s] = item;
            wall[s] = (rheo_wall)kind;
        }
    }
    return RHEO_OK;
}

/* { bottom: 90 }: curves by side. */
static rheo_status read_sides(reader *r, rheo_curve side[6], const node *n, const char *path,
                              const param *p) {
    if (n->kind != NODE_MAP) return read_fail_type(r, n, path, p);
    for (const node *item = n->first; item; item = item->next) {
        char at[NODE_PATH_MAX];
        int which = 0;
        read_join(at, path, item->key);
        rheo_status status = read_side(r, &which, item, at);
        const int first = which < 6 ? which : 2 * (which - 6), last = which < 6 ? which : first + 1;
        for (int s = first; s <= last && status == RHEO_OK; ++s)
            status = read_curve(r, &side[s], 1, item, at, p);
        if (status != RHEO_OK) return status;
    }
    return RHEO_OK;
}

/* { law, temperature: [[T0, v0], [T1, v1]] } */
static rheo_status read_law(reader *r, rheo_fluid *fluid, const node *n, const char *path, const param *p) {
    static const char *const known[] = {"law", "temperature", "keys", NULL};
    static const char *const laws[] = {"linear", "quadratic", "exponential", NULL};
    const param choice = {.name = "law", .type = P_CHOICE, .unit = "", .names = laws};
    const node *law = node_find(n, "law"), *keys = node_find(n, "temperature");
    char at[NODE_PATH_MAX];
    int index = 0;
    for (const node *item = n->first; item; item = item->next) {
        const node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
        if (item != law && item != keys)
            return read_fail(r, &key, path, "law and temperature", report_nearest(item->key, known),
                             "'%.60s' does not go with a law", item->key);
    }
    if (!law || !keys) return read_fail_type(r, n, path, p);
    read_join(at, path, "law");
    const rheo_status status = read_choice(r, &index, law, laws, at, &choice);
    if (status != RHEO_OK) return status;
    read_join(at, path, "temperature");
    const node *key = keys->kind == NODE_LIST && keys->count == 2 ? keys->first : NULL;
    for (int i = 0; i < 2; ++i, key = key ? key->next : NULL) {
        double pair[2];
        if (!key || !read_numbers(pair, key, 2, 2))
            return read_fail(r, key ? key : keys, at, "two points, [[T0, v0], [T1, v1]]", NULL,
                             "a temperature and its viscosity belong here, twice");
        fluid->law_temperature[i] = pair[0];
        fluid->law_viscosity[i] = pair[1];
    }
    fluid->law = (rheo_viscosity_law)(index + 1);
    return RHEO_OK;
}

static rheo_status read_viscosity(reader *r, rheo_fluid *fluid, const node *n, const char *path,
                                  const param *p) {
    if (n->kind == NODE_MAP && (node_find(n, "law") || node_find(n, "temperature")))
        return read_law(r, fluid, n, path, p);
    return read_curve(r, &fluid->viscosity_keys, 1, n, path, p);
}

/* A keyed rotation: { axis, degrees }, or { axis, keys }, or the angle or its keys alone. */
static rheo_status read_rotation(reader *r, rheo_solid *solid, const node *n, const char *path) {
    const param *degrees = NULL;
    for (int i = 0; i < scene_param_count; ++i)
        if (scene_params[i].in == IN_ROTATION && scene_params[i].type == P_CURVE1) degrees = &scene_params[i];
    if (n->kind != NODE_MAP) return read_curve(r, &solid->rotation_degrees, 1, n, path, degrees);
    const node *keys = node_find(n, "keys");
    if (!keys) return read_section(r, solid, n, IN_ROTATION, path);
    const node *axis = node_find(n, "axis");
    char at[NODE_PATH_MAX];
    read_join(at, path, "axis");
    if (axis && !read_vector(r, solid->rotation_axis, axis))
        return read_fail(r, axis, at, "[x, y, z]", NULL, "an axis must be three numbers");
    for (const node *item = n->first; item; item = item->next) {
        static const char *const known[] = {"axis", "keys", NULL};
        if (item == axis || item == keys) continue;
        node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
        return read_fail(r, &key, path, "axis and keys, or axis and degrees",
                         report_nearest(item->key, known), "'%.60s' does not go with keys", item->key);
    }
    read_join(at, path, "keys");
    return read_keys(r, &solid->rotation_degrees, 1, keys, at, degrees);
}

/* --- lists of things --- */

/* "paraffin wax" -> "paraffin-wax": a material's name as a file name. */
static char *name_of_material(reader *r, const char *material) {
    char *name = arena_text(r->memory, material);
    for (char *c = name; c && *c; ++c)
        if (*c == ' ') *c = '-';
    return name;
}

/* Only a body that the liquid moves has a weight and a velocity of its own to start with. */
static rheo_status refuse_dynamic_keys(reader *r, const rheo_solid *solid, const node *n, const char *path) {
    static const char *const keys[] = {"density", "velocity", "spin"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && solid->motion != RHEO_DYNAMIC; ++i) {
        const node *given = node_find(n, keys[i]);
        char at[NODE_PATH_MAX];
        if (!given) continue;
        read_join(at, path, keys[i]);
        node key = {.source = given->source, .line = given->key_line, .column = given->key_column};
        return read_fail(r, &key, at, "leave it out, or motion: dynamic", NULL,
                         "'%s' means nothing for a %s solid", keys[i],
                         solid->motion == RHEO_KEYED ? "keyed" : "static");
    }
    return RHEO_OK;
}

static rheo_status finish_item(reader *r, void *item, section in, const node *n, const char *path,
                               int index) {
    char name[32];
    if (in == IN_FLUID) {
        rheo_fluid *fluid = item;
        if (fluid->viscosity_keys.count) fluid->viscosity = fluid->viscosity_keys.values[0];
        if (fluid->viscosity_keys.count == 1) fluid->viscosity_keys = (rheo_curve){.width = 1};
        if (!fluid->name && !(fluid->name = name_of_material(r, fluid->material)))
            return report_no_memory(r->report, "a name");
    } else if (in == IN_SOLID) {
        rheo_solid *solid = item;
        snprintf(name, sizeof name, "solid%d", index);
        if (!solid->name && !(solid->name = arena_text(r->memory, name)))
            return report_no_memory(r->report, "a name");
        if (!node_find(n, "motion") && (solid->position.count || solid->rotation_degrees.count))
            solid->motion = RHEO_KEYED;
        return refuse_dynamic_keys(r, solid, n, path);
    } else if (in == IN_PROBE) {
        rheo_probe *probe = item;
        bool line = node_find(n, "to") != NULL;
        if (!line) memcpy(probe->to, probe->from, sizeof probe->to);
        if (!node_find(n, "samples")) probe->samples = line ? 64 : 1;
    }
    return RHEO_OK;
}

static void start_item(const reader *r, void *item, section in) {
    if (in == IN_FLUID) {
        *(rheo_fluid *)item = rheo_default_fluid();
        ((rheo_fluid *)item)->name = NULL;
        if (!rheo_describe_method(r->scene->method)->gas) return;
        for (const rheo_material *m = rheo_list_materials(); m->name; ++m)
            if (!strcmp(m->name, "smoke")) take_material(r, item, m);
    } else if (in == IN_HEAT_SOURCE) {
        *(rheo_heat_source *)item = rheo_default_heat_source();
        ((rheo_heat_source *)item)->temperature = (rheo_curve){.width = 1};
    } else if (in == IN_INTERFACE) {
        *(rheo_interface *)item = rheo_default_interface();
    } else if (in == IN_EMITTER) {
        *(rheo_emitter *)item = rheo_default_emitter();
    } else if (in == IN_SOLID) {
        *(rheo_solid *)item = rheo_default_solid();
    } else if (in == IN_JOINT) {
        *(rheo_joint *)item = rheo_default_joint();
    }
}

static rheo_status read_list(reader *r, const node *n, const param *p, const char *path) {
    static const size_t sizes[SECTIONS] = {
        [IN_FLUID] = sizeof(rheo_fluid),     [IN_INTERFACE] = sizeof(rheo_interface),
        [IN_EMITTER] = sizeof(rheo_emitter), [IN_SOLID] = sizeof(rheo_solid),
        [IN_JOINT] = sizeof(rheo_joint),     [IN_HEAT_SOURCE] = sizeof(rheo_heat_source),
        [IN_PROBE] = sizeof(rheo_probe)};
    rheo_scene *scene = r->scene;
    if (n->kind != NODE_LIST) return read_fail_type(r, n, path, p);
    if (n->count > 4096)
        return read_fail(r, n, path, "at most 4096", NULL, "a list of %d is too long", n->count);
    if (p->sub == IN_FLUID && n->count > RHEO_FLUIDS_MAX)
        return read_fail(r, n, path, "at most 16", NULL, "%d fluids are too many", n->count);
    char *items = arena_alloc(r->memory, (size_t)n->count * sizes[p->sub]);
    if (!items) return report_no_memory(r->report, "the scene");
    switch (p->sub) { /* counts before items, so that a failure leaves a consistent scene */
    case IN_FLUID: scene->fluids = (rheo_fluid *)(void *)items; break;
    case IN_INTERFACE: scene->interfaces = (rheo_interface *)(void *)items; break;
    case IN_EMITTER: scene->emitters = (rheo_emitter *)(void *)items; break;
    case IN_SOLID: scene->solids = (rheo_solid *)(void *)items; break;
    case IN_JOINT: scene->joints = (rheo_joint *)(void *)items; break;
    case IN_HEAT_SOURCE: scene->heat_sources = (rheo_heat_source *)(void *)items; break;
    default: scene->probes = (rheo_probe *)(void *)items; break;
    }
    int i = 0;
    for (const node *item = n->first; item; item = item->next, ++i) {
        char at[NODE_PATH_MAX];
        void *into = items + (size_t)i * sizes[p->sub];
        read_join_index(at, path, i);
        start_item(r, into, p->sub);
        rheo_status status = read_section(r, into, item, p->sub, at);
        if (status == RHEO_OK) status = finish_item(r, into, p->sub, item, at, i);
        if (status != RHEO_OK) return status;
    }
    switch (p->sub) {
    case IN_FLUID: scene->fluid_count = n->count; break;
    case IN_INTERFACE: scene->interface_count = n->count; break;
    case IN_EMITTER: scene->emitter_count = n->count; break;
    case IN_SOLID: scene->solid_count = n->count; break;
    case IN_JOINT: scene->joint_count = n->count; break;
    case IN_HEAT_SOURCE: scene->heat_source_count = n->count; break;
    default: scene->probe_count = n->count; break;
    }
    return RHEO_OK;
}

/* --- rows --- */

static rheo_status read_param(reader *r, void *base, const node *n, const param *p, const char *path) {
    void *into = (char *)base + p->offset;
    bool good = true;
    int index = 0;
    rheo_status status;
    switch (p->type) {
    case P_SECTION:
        return p->sub == IN_ROTATION ? read_rotation(r, base, n, path)
                                     : read_section(r, base, n, p->sub, path);
    case P_LIST: return read_list(r, n, p, path);
    case P_INT: good = read_integer(into, n); break;
    case P_REAL: good = read_number(into, n); break;
    case P_ENDLESS:
        good = read_number(into, n);
        if (good && *(double *)into == INFINITY) *(double *)into = RHEO_NEVER;
        break;
    case P_BOOL: good = read_bool(into, n); break;
    case P_TEXT:
    case P_NAME: return read_text(r, into, n, path, p);
    case P_VECTOR: good = read_vector(r, into, n); break;
    case P_COLOR: good = read_numbers(into, n, 3, 3); break;
    case P_SPAN: good = read_numbers(into, n, 2, 2); break;
    case P_SCALE: {
        double *scale = into;
        good = read_number(scale, n);
        if (good) scale[1] = scale[2] = scale[0];
        else good = read_vector(r, scale, n);
        break;
    }
    case P_CHOICE:
        status = read_choice(r, &index, n, p->names, path, p);
        if (status != RHEO_OK) return status;
        if (p->size == sizeof(bool)) *(bool *)into = index != 0;
        else *(int *)into = index;
        return RHEO_OK;
    case P_CURVE1: return read_curve(r, into, 1, n, path, p);
    case P_CURVE3: return read_curve(r, into, 3, n, path, p);
    case P_SHAPE: return read_shape(r, into, n, path);
    case P_SHAPES: return read_shapes(r, base, n, path, p);
    case P_WALLS: return read_walls(r, into, n, path, p);
    case P_SIDES: return read_sides(r, into, n, path, p);
    case P_VISCOSITY: return read_viscosity(r, base, n, path, p);
    case P_SLIP: return read_slip(r, into, n, path, p);
    case P_MATERIAL: return read_material(r, base, n, path, p);
    case P_FLUID: return read_fluid_reference(r, into, n, path, p);
    case P_FLUIDS: return read_fluid_pair(r, into, n, path, p);
    case P_SOLID: return read_solid_reference(r, into, n, path, p);
    case P_SET: return read_set(r, into, n, path, p);
    case P_LATER:
        return read_fail(r, n, path, "leave it out", NULL, "'%s' (%s) is not in this version", p->name,
                         p->help);
    }
    return good ? RHEO_OK : read_fail_type(r, n, path, p);
}

static void list_keys(char *text, size_t size, const char *before, section in) {
    size_t length = (size_t)snprintf(text, size, "%s", before);
    const char *comma = "";
    for (int i = 0; i < scene_param_count && length < size; ++i) {
        if (scene_params[i].in != in) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s", comma, scene_params[i].name);
        comma = ", ";
    }
}

static rheo_status check_keys(reader *r, const node *map, section in, const char *path) {
    const char *names[NODE_KEYS_MAX] = {NULL};
    int count = 0;
    for (int i = 0; i < scene_param_count; ++i)
        if (scene_params[i].in == in && count < NODE_KEYS_MAX - 1) names[count++] = scene_params[i].name;
    for (const node *item = map->first; item; item = item->next) {
        int i = 0;
        while (i < count && strcmp(names[i], item->key) != 0) ++i;
        if (i < count) continue;
        char allowed[400], at[NODE_PATH_MAX];
        list_keys(allowed, sizeof allowed, "", in);
        read_join(at, path, item->key);
        node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
        return read_fail(r, &key, at, allowed, report_nearest(item->key, names), "unknown key '%.60s'",
                         item->key);
    }
    return RHEO_OK;
}

rheo_status read_section(reader *r, void *into, const node *map, section in, const char *path) {
    if (map->kind != NODE_MAP) {
        char allowed[400];
        list_keys(allowed, sizeof allowed, "a map, { name: value }, of: ", in);
        return read_fail(r, map, path, allowed, NULL, "%s is not what belongs here", node_kind_name(map));
    }
    rheo_status status = check_keys(r, map, in, path);
    for (int i = 0; i < scene_param_count && status == RHEO_OK; ++i) {
        const param *p = &scene_params[i];
        if (p->in != in) continue;
        const node *value = node_find(map, p->name);
        char at[NODE_PATH_MAX], allowed[400];
        read_join(at, path, p->name);
        if (value) {
            status = read_param(r, into, value, p, at);
        } else if (p->required) {
            param_allowed(allowed, sizeof allowed, p);
            status = read_fail(r, map, at, allowed, NULL, "'%s' is missing (%s)", p->name, p->help);
        }
        /* everything else depends on whether z exists */
        if (p->in == IN_DOMAIN && !strcmp(p->name, "dim") && r->scene->dim != 2 && r->scene->dim != 3)
            status =
                read_fail(r, value ? value : map, at, "2 or 3", NULL, "%d is not a dimension", r->scene->dim);
    }
    return status;
}

rheo_status scene_read_tree(rheo_scene *scene, bool *rewritten, const char *directory, rheo_report *report) {
    scene_owner *owner = scene->owner;
    reader r = {.memory = &owner->memory, .report = report, .scene = scene, .directory = directory};
    rheo_status status = read_section(&r, scene, owner->root, IN_SCENE, "");
    *rewritten = r.rewritten;
    return status;
}
