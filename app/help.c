/* `rheo help TOPIC`. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

static const char json_help[] =
    "With --json, `rheo run` prints one object a line on stdout. Numbers that are not finite are null.\n"
    "\n"
    "{\"event\":\"start\",\"scene\":..,\"version\":..,\"threads\":..,\"dim\":..,\"cells\":[x,y,z],\"dx\":m}\n"
    "{\"event\":\"frame\",\"frame\":1,\"time\":s,\"steps\":..,\"particles\":..,\"liquid_cells\":..,\n"
    " \"volume\":m3,\"volume_drift\":relative to what was put in and has not left,\"emitted\":m3 by "
    "emitters\n"
    "   since the start,\"outflow\":m3 through open sides since the start,\"divergence\":max |div u| 1/s,\n"
    " \"speed\":max |u| in the liquid m/s,\"kinetic\":J,\"potential\":J,\"heat\":J,\"surface_area\":m2 where "
    "a surface was made,\n"
    " \"temperature\":[min,max],\n"
    " \"solids\":[{\"name\":..,\"force\":[N],\"torque\":[N m, about its centre]}], by pressure and "
    "viscosity\n"
    " \"bodies\":[{\"name\":..,\"position\":[..],\"velocity\":[..],\"spin\":[..],\"orientation\":[w,x,y,z]}],"
    "\n"
    " \"fluids\":[{\"name\":..,\"particles\":..,\"mass\":kg,\"volume\":m3,\"centroid\":[..],\"bounds\":[[..],"
    "[..]]}],\n"
    " \"counts\":{\"emitted\":..,\"outflow\":..,\"rescued\":..,\"spray\":..,\"rejected\":..,\"refused\":..},"
    "\n"
    "   where an emitter has no room also \"refusing\":{\"emitter\":index of the first,\"fluid\":..}; it "
    "stops until there is\n"
    " \"solves\":{\"pressure\":{\"unknowns\":..,\"iterations\":..,\"residual\":..,\"converged\":true},\n"
    "   \"viscosity\":{the same, where it is solved}},\n"
    "   where liquid fills a space without air also \"closed_regions\":..,\"incompatible\":share of the "
    "right\n"
    "   side that such a space cannot take and that was left out of the solve\n"
    "   with solver.separation also \"rounds\":linear solves of a step,\"separated\":cells that liquid may\n"
    "   leave,\"violation\":of 0 <= p complementary to outflow >= 0\n"
    " \"seconds\":{\"total\":..,\"<stage>\":..},\"memory\":bytes}\n"
    "   in 2D mass, volume and energies are those of a layer one cell deep; the heat of liquids, forces and "
    "torques\n"
    "   are those of a metre of depth\n"
    "   of a frame that was interrupted and resumed, seconds are those since then; all else is of the whole\n"
    "{\"event\":\"end\",\"status\":\"done\"|\"interrupted\"|\"diverged\"|\"failed\",\"frames\":..,"
    "\"seconds\":..,\"peak_memory\":bytes}\n"
    "   where it diverged or failed also "
    "\"error\":{\"file\":..,\"line\":..,\"column\":..,\"path\":..,\"message\":..,"
    "\"allowed\":..,\"nearest\":..}\n"
    "   (a scene that cannot be read gives this event alone, and so does a --set that does not fit it; "
    "other\n"
    "   wrong arguments, exit code 2 too, none)\n"
    "\n"
    "`check` prints one object of the scene it could read, with findings, else the end event; `render`, "
    "`movie` and\n"
    "`mesh` print an end event without the figures of a run.\n"
    "`info`, `scenes`, `materials`, `reproduce` and `bench` print objects of their own.\n";

static const char exit_help[] =
    "0  done\n"
    "1  internal: a promise of rheo itself is broken; or `reproduce` found a row that fails\n"
    "2  usage: wrong arguments\n"
    "3  invalid scene or input file (too little memory counts here)\n"
    "4  diverged: the state became non-finite; the last good frame is intact\n"
    "5  reading or writing failed, disk full\n"
    "6  interrupted, state saved\n";

static rheo_status print_scene_format(bool markdown) {
    int length = rheo_describe_scene_format(NULL, 0, markdown);
    char *text = malloc((size_t)length + 1);
    if (!text) return RHEO_INTERNAL;
    rheo_describe_scene_format(text, length + 1, markdown);
    fputs(text, stdout);
    free(text);
    return RHEO_OK;
}

static rheo_status print_command_topic(const command *c) {
    print_command_help(stdout, c);
    if (c->run != command_materials) return RHEO_OK;
    puts("");
    return command_materials(&(options){0});
}

/* The only name that begins with the word, or the word itself. */
static const char *complete(const char *word, const char *const *names) {
    const char *found = NULL;
    for (int i = 0; names[i]; ++i) {
        if (!strcmp(names[i], word)) return word;
        if (strncmp(names[i], word, strlen(word))) continue;
        if (found) return word;
        found = names[i];
    }
    return found ? found : word;
}

rheo_status command_help(const options *o) {
    const char *names[32] = {"scene", "json", "exit-codes", NULL};
    int count = 3;
    if (!o->arg_count) {
        print_overview(stdout);
        return RHEO_OK;
    }
    for (const command *c = commands; c->name; ++c)
        if (is_listed(c)) names[count++] = c->name;
    const char *topic = complete(o->args[0], names);
    if (!strcmp(topic, "scene")) return print_scene_format(o->markdown);
    if (!strcmp(topic, "json")) return fputs(json_help, stdout) < 0 ? RHEO_IO : RHEO_OK;
    if (!strcmp(topic, "exit-codes")) return fputs(exit_help, stdout) < 0 ? RHEO_IO : RHEO_OK;
    for (const command *c = commands; c->name; ++c)
        if (!strcmp(topic, c->name)) return print_command_topic(c);
    return fail_choice(topic, names, "there is no help about '%.80s'", topic);
}
