/* Reading the command line: one table of options, each command names those it takes. */
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FLAG, TEXT, COUNT, THREADS, FRAME, SET } option_kind;

typedef struct option {
    const char *name, *brief; /* --name, -b or "" */
    option_kind kind;
    size_t offset; /* of the field */
    const char *argument, *help;
} option;

#define AT(field) offsetof(options, field)
static const option table[] = {
    {"--out", "-o", TEXT, AT(out), "DIR", "where the cache goes (default: out/NAME)"},
    {"--frames", "", COUNT, AT(frames), "N", "frames to simulate instead of the scene's"},
    {"--cells", "", COUNT, AT(cells), "N", "cells along the longest side instead of the scene's"},
    {"--threads", "", THREADS, AT(threads), "N", "threads (default: one a core; the result is the same)"},
    {"--set", "", SET, AT(sets), "PATH=VALUE", "replace a value of the scene, e.g. solver.method=apic"},
    {"--resume", "", FLAG, AT(resume), "", "go on from the last saved state"},
    {"--overwrite", "", FLAG, AT(overwrite), "", "replace the cache that is there"},
    {"--surface", "", TEXT, AT(surface), "NAME",
     "density, average, spheres, pressure, kernel or color (default: as in the scene)"},
    {"--width", "", COUNT, AT(width), "N", "pixels across (default: 640)"},
    {"--height", "", COUNT, AT(height), "N", "pixels down (default: 360)"},
    {"--samples", "", COUNT, AT(samples), "N", "rays a pixel (default: 4)"},
    {"--frame", "", FRAME, AT(frame), "N", "this frame only"},
    {"--first", "", FRAME, AT(first_frame), "N", "from this frame on"},
    {"--last", "", FRAME, AT(last_frame), "N", "up to this frame"},
    {"--every", "", COUNT, AT(every), "N", "only each Nth frame"},
    {"--redo", "", FLAG, AT(redo), "", "also make pictures that are up to date"},
    {"--output", "", TEXT, AT(output), "FILE", "name of the movie: .mp4, .m4v, .mov or .mkv"},
    {"--sheet", "", TEXT, AT(sheet), "FILE", "also a contact sheet (PNG) of 4 x 3 pictures"},
    {"--verify", "", FLAG, AT(verify), "", "compare checksums"},
    {"--list", "", FLAG, AT(list), "", "only name what there is"},
    {"--only", "", TEXT, AT(only), "TEXT", "of a case only the set-ups that have TEXT in their name"},
    {"--markdown", "", FLAG, AT(markdown), "", "help scene: as the reference in docs/"},
    {"--json", "", FLAG, AT(json), "", "one JSON object a line on stdout (`rheo help json`)"},
    {"--quiet", "-q", FLAG, AT(quiet), "", "no progress; warnings and errors all the same"},
    {"--verbose", "-v", FLAG, AT(verbose), "", "more about each frame"},
    {"--help", "-h", FLAG, AT(help), "", "explain the command"},
    {"--version", "", FLAG, AT(version), "", "print the version"},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const char *asked; /* the command that was named, NULL before */

rheo_status fail_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("rheo: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n  see: rheo help%s%s\n", asked ? " " : "", asked ? asked : "");
    return RHEO_USAGE;
}

rheo_status fail_choice(const char *word, const char *const *names, const char *format, ...) {
    const char *nearest = rheo_find_nearest_name(word, names);
    va_list args;
    va_start(args, format);
    fputs("rheo: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    if (nearest) fprintf(stderr, "\n  did you mean '%s'?", nearest);
    fputs("\n  allowed: ", stderr);
    for (int i = 0; names[i]; ++i) fprintf(stderr, "%s%s", i ? ", " : "", names[i]);
    fputs("\n", stderr);
    return RHEO_USAGE;
}

static bool takes(const command *c, const option *o) {
    char name[32];
    if (o->offset == AT(help)) return true;
    if (o->offset == AT(version)) return c == NULL;
    snprintf(name, sizeof name, " %s ", o->name);
    return c && strstr(c->options, name);
}

static const option *find_option(const char *word, size_t length) {
    for (int i = 0; i < OPTIONS; ++i) {
        if (strlen(table[i].name) == length && !strncmp(table[i].name, word, length)) return &table[i];
        if (table[i].brief[0] && length == 2 && !strncmp(table[i].brief, word, 2)) return &table[i];
    }
    return NULL;
}

static rheo_status unknown_option(const command *c, const char *word) {
    const char *names[OPTIONS + 1];
    char clean[64];
    int count = 0;
    for (int i = 0; i < OPTIONS; ++i)
        if (takes(c, &table[i])) names[count++] = table[i].name;
    names[count] = NULL;
    snprintf(clean, sizeof clean, "%.*s", (int)strcspn(word, "="), word);
    return fail_choice(clean, names, "%s%sunknown option '%.80s'", c ? c->name : "", c ? ": " : "", word);
}

static rheo_status set_number(options *o, const option *which, const char *value) {
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    const long least = which->kind == FRAME ? 0 : 1,
               most = which->kind == THREADS ? RHEO_THREADS_MAX : INT_MAX;
    const bool written = value[strspn(value, "+-0123456789")] == '\0'; /* strtol() passes over blanks */
    const bool fits = written && end != value && !*end && !errno && number >= least && number <= most;
    if (!fits)
        return fail_usage("%s needs a whole number from %ld to %ld, not '%.80s'", which->name, least, most,
                          value);
    int whole = (int)number;
    memcpy((char *)o + which->offset, &whole, sizeof whole);
    return RHEO_OK;
}

static rheo_status set_option(options *o, const option *which, const char *value) {
    switch (which->kind) {
    case FLAG: *(bool *)((char *)o + which->offset) = true; return RHEO_OK;
    case TEXT:
        if (!value[0]) return fail_usage("%s needs %s", which->name, which->argument);
        memcpy((char *)o + which->offset, &value, sizeof value);
        return RHEO_OK;
    case SET:
        if (o->set_count == SETS_MAX - 2) return fail_usage("too many --set");
        o->sets[o->set_count++] = value;
        return RHEO_OK;
    default: return set_number(o, which, value);
    }
}

/* "--name value", "--name=value" or a flag; *i moves on past the value. `given`: what each option has so far.
 */
static rheo_status take_option(options *o, const char *given[OPTIONS], const command *c, int *i, int argc,
                               char **argv) {
    const char *word = argv[*i], *equals = strchr(word, '=');
    const option *which = find_option(word, equals ? (size_t)(equals - word) : strlen(word));
    if (!which || !takes(c, which)) return unknown_option(c, word);
    if (which->kind == FLAG && equals) return fail_usage("%s takes no value", which->name);
    if (which->kind == FLAG) return set_option(o, which, NULL);
    const char *value = equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    if (!value) return fail_usage("%s needs %s", which->name, which->argument);
    if (!equals && find_option(value, strlen(value)))
        return fail_usage("%s needs %s, and an option follows: '%s'", which->name, which->argument, value);
    const char **before = &given[which - table];
    if (*before && which->kind != SET && strcmp(*before, value) != 0)
        return fail_usage("%s %.80s and %s %.80s contradict each other: give one of them", which->name,
                          *before, which->name, value);
    *before = value;
    return set_option(o, which, value);
}

static rheo_status choose_command(const command **chosen, const char *word) {
    const char *names[32] = {NULL};
    int count = 0;
    for (int i = 0; commands[i].name; ++i) {
        if (is_listed(&commands[i])) names[count++] = commands[i].name;
        if (!strcmp(word, commands[i].name)) *chosen = &commands[i];
    }
    if (*chosen) return RHEO_OK;
    return fail_choice(word, names, "unknown command '%.80s'", word);
}

/* Whether a --set gives the value at `path`. */
static bool sets(const options *o, const char *path) {
    const size_t length = strlen(path);
    bool found = false;
    for (int i = 0; i < o->set_count && !found; ++i)
        found = !strncmp(o->sets[i], path, length) && o->sets[i][length] == '=';
    return found;
}

static rheo_status refuse_contradictions(const options *o) {
    if (o->resume && o->overwrite)
        return fail_usage("--resume and --overwrite contradict each other: go on, or start anew");
    if (o->quiet && o->verbose) return fail_usage("--quiet and --verbose contradict each other");
    if (o->frame >= 0 && (o->first_frame >= 0 || o->last_frame >= 0))
        return fail_usage("--frame and %s contradict each other: one frame, or a span of them",
                          o->first_frame >= 0 ? "--first" : "--last");
    if (o->first_frame >= 0 && o->last_frame >= 0 && o->first_frame > o->last_frame)
        return fail_usage("--first %d is after --last %d", o->first_frame, o->last_frame);
    if (o->cells && sets(o, "domain.cells"))
        return fail_usage("--cells and --set domain.cells contradict each other: give one of them");
    if (o->frames && sets(o, "time.frames"))
        return fail_usage("--frames and --set time.frames contradict each other: give one of them");
    return RHEO_OK;
}

rheo_status parse_arguments(options *o, const command **chosen, int argc, char **argv) {
    *o = (options){.frame = -1, .first_frame = -1, .last_frame = -1, .every = 1};
    *chosen = NULL;
    const char *given[OPTIONS] = {NULL};
    bool only_arguments = false;
    for (int i = 1; i < argc; ++i) {
        rheo_status status = RHEO_OK;
        const char *word = argv[i];
        if (!only_arguments && !strcmp(word, "--")) only_arguments = true;
        else if (!only_arguments && word[0] == '-' && word[1])
            status = take_option(o, given, *chosen, &i, argc, argv);
        else if (!*chosen) status = choose_command(chosen, word);
        else if (o->arg_count < (*chosen)->most) o->args[o->arg_count++] = word;
        else status = fail_usage("%s: one argument too many: '%.80s'", (*chosen)->name, word);
        if (status != RHEO_OK) return status;
        if (*chosen) asked = (*chosen)->name;
    }
    if (o->help || o->version) return RHEO_OK;
    if (!*chosen) {
        print_overview(stderr);
        return RHEO_USAGE;
    }
    if (o->arg_count < (*chosen)->least)
        return fail_usage("usage: rheo %s %s [options]", (*chosen)->name, (*chosen)->usage);
    return refuse_contradictions(o);
}

void print_command_help(FILE *to, const command *c) {
    fprintf(to, "rheo %s %s [options]\n  %s\n", c->name, c->usage, c->help);
    if (c->details) fprintf(to, "\n%s\n", c->details);
    fprintf(to, "\noptions:\n");
    for (int i = 0; i < OPTIONS; ++i) {
        if (!takes(c, &table[i])) continue;
        char name[48];
        snprintf(name, sizeof name, "%s%s%s %s", table[i].brief, table[i].brief[0] ? ", " : "", table[i].name,
                 table[i].argument);
        fprintf(to, "  %-22s %s\n", name, table[i].help);
    }
}

void print_overview(FILE *to) {
    fprintf(to, "rheo %s: fluid animation from a scene file to a movie\n\n", RHEO_VERSION);
    fprintf(to, "  rheo run dam-break --out out/dam     simulate a built-in scene\n");
    fprintf(to, "  rheo movie out/dam                   pictures and an MP4 of it\n");
    fprintf(to, "  rheo new my.yaml                     a scene of your own to start from\n\ncommands:\n");
    for (const command *c = commands; c->name; ++c)
        if (is_listed(c)) fprintf(to, "  %-10s %-8s %s\n", c->name, c->usage, c->help);
    fprintf(to, "\n`rheo help COMMAND` lists the options of a command.\n");
}
