/* The scene format in words, for `rheo help scene` and docs/scene-reference.md, from the rows of params.c. */
#include <rheo/scene.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "scene/params.h"

typedef struct page {
    char *text;
    size_t size, length;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool fits = p->length < p->size;
    int length = vsnprintf(fits ? p->text + p->length : NULL, fits ? p->size - p->length : 0, format, args);
    va_end(args);
    if (length > 0) p->length += (size_t)length;
}

static const char intro[] =
    "A scene file is YAML. Units are SI, Y is up. An unknown key is an error.\n"
    "A value that can be keyed is either constant or { keys: [[time, value], ...] } with rising times in "
    "seconds:\n"
    "linear between keys, constant before the first and after the last. The command line can replace any "
    "value:\n"
    "--set domain.cells=32 --set 'fluids[0].viscosity=2'.\n";

static const char *const headings[SECTIONS] = {
    [IN_SCENE] = "the top level of the file",
    [IN_DOMAIN] = "the box in which everything happens",
    [IN_TIME] = "how long the simulation runs, and its time steps",
    [IN_SOLVER] = "how the equations are solved",
    [IN_SPH] = "method sph: how particles are held apart",
    [IN_FLUID] = "one entry per fluid",
    [IN_INTERFACE] = "one entry per pair of fluids that is not as its fluids say by themselves",
    [IN_EMITTER] = "one entry per source of liquid or smoke",
    [IN_SOLID] = "one entry per obstacle, container or body",
    [IN_ROTATION] = "the rotation of a keyed solid",
    [IN_JOINT] = "one entry per joint",
    [IN_HEAT] = "temperature of the air and, for smoke, sources of heat",
    [IN_HEAT_SOURCE] = "one entry per part of the domain held at a temperature",
    [IN_PROBE] = "one entry per point or line on which to measure",
    [IN_OUTPUT] = "what is written for each frame",
    [IN_CAMERA] = "the view of the pictures",
    [IN_BOX] = "shape",
    [IN_SPHERE] = "shape",
    [IN_CAPSULE] = "shape: a cylinder with round caps",
    [IN_CYLINDER] = "shape",
    [IN_TORUS] = "shape: a ring",
    [IN_PLANE] = "shape: the half-space behind a plane",
    [IN_MESH] = "shape: a closed triangle mesh",
    [IN_PLACEMENT] = "where and how large the shape is, applied in this order",
    [IN_ROTATE] = "the rotation of a shape",
    [IN_APPEARANCE] = "when a fill appears",
};

static const char combinations[] =
    "Each takes a list of shapes, nested at most 16 deep; difference subtracts the others from "
    "the first.";

/* A bar inside a cell of a Markdown table must be escaped. */
static void put_cell(page *p, const char *text) {
    for (; *text; ++text) put(p, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_row(page *out, const param *p, bool markdown) {
    char allowed[400];
    param_allowed(allowed, sizeof allowed, p);
    const char *standard = p->required ? "required" : p->standard[0] ? p->standard : "-";
    if (markdown) {
        put(out, "| `%s` | ", p->name);
        put_cell(out, p->help);
        put(out, " | ");
        put_cell(out, allowed);
        put(out, p->required || standard[0] == '-' ? " | %s |\n" : " | `%s` |\n", standard);
    } else {
        put(out, "  %-18s %s\n", p->name, p->help);
        if (p->type != P_SECTION && p->type != P_LIST) put(out, "  %-18s   %s", "", allowed);
        if (p->type != P_SECTION && p->type != P_LIST)
            put(out,
                p->required      ? "; required\n"
                : p->standard[0] ? "; default %s\n"
                                 : "\n%s",
                p->required ? "" : p->standard);
        else if (p->required) put(out, "  %-18s   required\n", "");
    }
}

static void put_examples(page *out, bool markdown) {
    put(out,
        markdown ? "\n## Examples\n\nEach is a complete scene.\n" : "\nexamples, each a complete scene\n");
    for (const scene_example *e = scene_examples; e->title; ++e) {
        put(out, markdown ? "\n%s:\n\n```yaml\n%s```\n" : "\n# %s\n\n%s", e->title, e->text);
    }
}

int rheo_describe_scene_format(char *text, int size, bool markdown) {
    page out = {.text = text, .size = size > 0 ? (size_t)size : 0};
    if (markdown) put(&out, "# Scene files\n\n<!-- written by `rheo help scene --markdown` -->\n\n");
    put(&out, "%s", intro);
    for (int in = 0; in < SECTIONS; ++in) {
        put(&out,
            markdown ? "\n## %s\n\n%s\n\n| key | meaning | allowed | default |\n|---|---|---|---|\n"
                     : "\n%s: %s\n",
            section_name((section)in), headings[in]);
        for (int i = 0; i < scene_param_count; ++i)
            if (scene_params[i].in == (section)in) put_row(&out, &scene_params[i], markdown);
    }
    put(&out,
        markdown ? "\n## union, difference, intersection\n\n%s\n"
                 : "\nunion, difference, intersection\n  %s\n",
        combinations);
    put_examples(&out, markdown);
    return (int)out.length;
}

const char *rheo_find_nearest_name(const char *word, const char *const *names) {
    return report_nearest(word, names);
}
