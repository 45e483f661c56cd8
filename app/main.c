/* rheo: the command. Exit codes are the values of rheo_status (`rheo help exit-codes`). */
#define _GNU_SOURCE
#include "app.h"

#include <signal.h>

volatile int cancel_requested = 0;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    cancel_requested = 1;
}

/* The first Ctrl-C asks for a stop after the step under way; a second one ends the program at once. A
 * terminal that closes hangs up more than once, by the shell and by the system, and not at all under nohup.
 */
void catch_interrupts(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_flags = 0;
    sigaction(SIGHUP, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

const command commands[] = {
    {"run", "SCENE", "simulate a scene and leave a cache of meshes",
     "SCENE is a scene file or the name of a built-in scene (`rheo scenes`).\n"
     "Ctrl-C, SIGTERM or a closed terminal finish the step, save the state and exit with 6;\n"
     "--resume goes on from there.",
     " --out --frames --cells --threads --set --resume --overwrite --json --quiet --verbose ", 1, 1,
     command_run},
    {"check", "SCENE", "check a scene without running it",
     "Reads the scene and its meshes; looks for thin solids, overlaps and misplaced fluid;\n"
     "estimates memory, disk and time.",
     " --out --frames --cells --threads --set --json --quiet --verbose ", 1, 1, command_check},
    {"mesh", "CACHE", "make the meshes of a cache again", NULL, " --surface --threads --json --quiet ", 1, 1,
     command_mesh},
    {"render", "CACHE", "make pictures from a cache",
     "Writes CACHE/frames/frame.NNNNNN.png; pictures that are up to date are kept unless --redo is given.",
     " --width --height --samples --frame --first --last --every --redo --threads --json --quiet ", 1, 1,
     command_render},
    {"movie", "CACHE", "make the missing pictures, then an MP4",
     "Writes CACHE/movie.mp4 unless --output says otherwise; --sheet also writes a contact sheet.",
     " --output --sheet --width --height --samples --redo --threads --json --quiet ", 1, 1, command_movie},
    {"view", "SCENE", "open a window (not in this version)", NULL, " --json --quiet ", 0, 1, command_view},
    {"info", "CACHE", "say what a cache holds", "--verify also compares all checksums.",
     " --verify --json --quiet ", 1, 1, command_info},
    {"new", "FILE", "write a commented scene to start from", NULL, " --quiet ", 1, 1, command_new},
    {"scenes", "[NAME]", "list the built-in scenes, or print one", NULL, " --json ", 0, 1, command_scenes},
    {"materials", "[NAME]", "list the built-in materials, or one", NULL, " --json ", 0, 1, command_materials},
    {"reproduce", "[CASE]", "recompute published numbers and print them beside ours",
     "Without CASE all cases run; --list names them. Exits with 1 when a row does not hold.",
     " --list --only --threads --json --quiet ", 0, 1, command_reproduce},
    {"bench", "[NAME]", "measure speed beside this machine's bandwidth",
     "Without NAME all run; --list names them.", " --list --threads --json --quiet ", 0, 1, command_bench},
    {"help", "[TOPIC]", "explain a command or: scene, materials, json, exit-codes", NULL, " --markdown ", 0,
     1, command_help},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};

bool is_listed(const command *c) {
    return c->run != command_view;
}

static void print_version(void) {
    printf("rheo %s\n", RHEO_VERSION);
#ifdef RHEO_HAVE_EMBREE
    printf("pictures: yes (Embree)\n");
#else
    printf("pictures: no (install libembree-dev and build again)\n");
#endif
    printf("bodies: yes (ODE)\n");
    printf("volumes: yes (HDF5; OpenVDB: not in this version)\n");
    printf("window: not in this version\n");
#ifdef RHEO_HAVE_HYPRE
    printf("peer of `rheo bench`: yes (hypre)\n");
#else
    printf("peer of `rheo bench`: no (install libhypre-dev and build again)\n");
#endif
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); /* so is a file-size limit */
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, seen where it happens */
    options o;
    const command *chosen = NULL;
    rheo_status status = parse_arguments(&o, &chosen, argc, argv);
    if (status != RHEO_OK) return (int)status;
    if (o.version) print_version();
    else if (!chosen) print_overview(stdout);
    else if (o.help) print_command_help(stdout, chosen);
    else status = chosen->run(&o);
    return (int)finish_output(status);
}
