/* The `rheo` command: what its files share. It uses the public headers only. */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdio.h>
#include <rheo/rheo.h>

enum { ARGS_MAX = 4, SETS_MAX = 256 };

typedef struct options {
    const char *args[ARGS_MAX];
    int arg_count;
    const char *sets[SETS_MAX];
    int set_count;
    const char *out, *output, *sheet, *surface, *only;
    int frames, cells, threads;         /* 0: not given */
    int width, height, samples;         /* 0: not given */
    int frame, first_frame, last_frame; /* -1: not given */
    int every;
    bool resume, overwrite, redo, verify, json, quiet, verbose, markdown, list, help, version;
} options;

typedef struct command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *help;    /* one line */
    const char *details; /* more lines for `rheo help NAME`, or NULL */
    const char *options; /* names of those it takes, each between spaces */
    int least, most;     /* arguments */
    rheo_status (*run)(const options *o);
} command;

extern const command commands[];  /* ended by a NULL name */
bool is_listed(const command *c); /* not those that only say that they are not there yet */
extern volatile int cancel_requested;
void catch_interrupts(void);

/* arguments.c: 0 or RHEO_USAGE with a message on stderr */
rheo_status parse_arguments(options *o, const command **chosen, int argc, char **argv);
void print_command_help(FILE *to, const command *c);
void print_overview(FILE *to);
rheo_status fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A word that is none of the names: says so, the nearest of them, and all of them. */
rheo_status fail_choice(const char *word, const char *const *names, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* talk.c */
void print_report(const rheo_report *report);
/* The report on stderr and, with --json, the event that ends the output. `summary` is a run's; NULL for what
 * simulates nothing. Returns the status. */
rheo_status print_failure(const options *o, const rheo_report *report, const rheo_run_summary *summary,
                          rheo_status status);
void print_json_end(const rheo_run_summary *summary, const rheo_report *report, rheo_status status);
const char *status_word(rheo_status status); /* of an end event */
bool use_color(void);
void format_seconds(char text[24], double seconds);
const char *plural(long long count);               /* "s" unless it is one */
void print_shell_word(FILE *to, const char *text); /* quoted where a shell would take it apart */
rheo_status finish_output(rheo_status status);     /* I/O when stdout could not be written */
void print_json_text(FILE *to, const char *text);
void print_json_pair(const char *before, const char *name, const char *text); /* before"name":"text" */
void print_json_number(FILE *to, double value);

/* progress.c */
typedef struct progress {
    int total, done, first;
    double start, drawn; /* s */
    bool tty, quiet;
    char now[256]; /* of the last frame */
} progress;
void progress_start(progress *p, int first, int total, bool quiet); /* the clock runs from here on */
void progress_step(progress *p, int done, const char *now);
/* On a terminal, and not too often: what is done of the frame under way, in frames since the start. */
void progress_stage(progress *p, double done, const char *stage);
/* Lines that are no progress: they do not stand in the bar, and --quiet does not keep them back. */
void progress_say(const progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(progress *p);
double wall_time(void);

/* the commands */
rheo_status command_run(const options *o);
rheo_status command_check(const options *o);
rheo_status command_mesh(const options *o);
rheo_status command_render(const options *o);
rheo_status command_movie(const options *o);
rheo_status command_view(const options *o);
rheo_status command_info(const options *o);
rheo_status command_new(const options *o);
rheo_status command_scenes(const options *o);
rheo_status command_materials(const options *o);
rheo_status command_reproduce(const options *o);
rheo_status command_bench(const options *o);
rheo_status command_help(const options *o);

/* The scene of o->args[0] with --set, --frames and --cells applied; prints the report when it fails. */
rheo_status load_scene(rheo_scene **scene, const options *o);
/* Warnings of a preflight on stderr, --quiet or not; notes too when verbose. */
void print_findings(const rheo_preflight *preflight, bool verbose);
#endif
