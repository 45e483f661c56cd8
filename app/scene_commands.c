/* Commands about scenes that run nothing: check, new, scenes, materials, view. */
#define _GNU_SOURCE
#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What --cells and --frames gave is not called a --set. */
static void name_option(rheo_report *report, const options *o) {
    char set[48];
    snprintf(set, sizeof set, "--set domain.cells=%d", o->cells);
    if (o->cells && !strcmp(report->file, set))
        snprintf(report->file, sizeof report->file, "--cells %d", o->cells);
    snprintf(set, sizeof set, "--set time.frames=%d", o->frames);
    if (o->frames && !strcmp(report->file, set))
        snprintf(report->file, sizeof report->file, "--frames %d", o->frames);
}

rheo_status load_scene(rheo_scene **scene, const options *o) {
    const char *sets[SETS_MAX];
    char frames[48], cells[48];
    rheo_report report = {0};
    int count = o->set_count;
    memcpy(sets, o->sets, sizeof sets);
    if (o->frames) {
        snprintf(frames, sizeof frames, "time.frames=%d", o->frames);
        sets[count++] = frames;
    }
    if (o->cells) {
        snprintf(cells, sizeof cells, "domain.cells=%d", o->cells);
        sets[count++] = cells;
    }
    rheo_status status = rheo_load_scene(scene, o->args[0], sets, count, &report);
    name_option(&report, o);
    if (status == RHEO_INVALID && !strncmp(report.file, "--", 2))
        status = RHEO_USAGE; /* an argument is wrong */
    return status == RHEO_OK ? status : print_failure(o, &report, &(rheo_run_summary){0}, status);
}

static const char *const severities[] = {"note", "warning", "error"};

void print_findings(const rheo_preflight *preflight, bool verbose) {
    for (int i = 0; i < preflight->count; ++i) {
        const rheo_finding *f = &preflight->findings[i];
        char text[2048];
        if (f->severity == RHEO_ERROR || (f->severity == RHEO_NOTE && !verbose)) continue;
        rheo_print_report(text, sizeof text, &f->report);
        fprintf(stderr, "%s: %s\n", severities[f->severity], text);
    }
}

static void print_check_json(const rheo_preflight *p, rheo_status status) {
    printf("{\"event\":\"check\",\"status\":\"%s\",\"cells\":[%d,%d,%d],\"dx\":", status ? "invalid" : "ok",
           p->cells[0], p->cells[1], p->cells[2]);
    print_json_number(stdout, p->dx);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"particles", p->particles}, {"volume", p->fluid_volume},
                {"memory", p->memory},       {"memory_available", p->memory_available},
                {"disk", p->disk},           {"disk_available", p->disk_available},
                {"steps", p->steps},         {"seconds", p->seconds}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        printf(",\"%s\":", rows[i].name);
        print_json_number(stdout, rows[i].value);
    }
    printf(",\"findings\":[");
    for (int i = 0; i < p->count; ++i) {
        const rheo_finding *f = &p->findings[i];
        print_json_pair(i ? ",{" : "{", "severity", severities[f->severity]);
        print_json_pair(",", "path", f->report.path);
        print_json_pair(",", "file", f->report.file);
        printf(",\"line\":%d,\"column\":%d", f->report.line, f->report.column);
        print_json_pair(",", "message", f->report.message);
        print_json_pair(",", "allowed", f->report.allowed);
        print_json_pair(",", "nearest", f->report.nearest);
        printf("}");
    }
    puts("]}");
}

static void print_check(const rheo_preflight *p, const rheo_scene *scene) {
    char memory[24], available[24], disk[24], seconds[24];
    rheo_print_bytes(memory, sizeof memory, p->memory);
    rheo_print_bytes(available, sizeof available, p->memory_available);
    rheo_print_bytes(disk, sizeof disk, p->disk);
    format_seconds(seconds, p->seconds);
    printf("scene      %s\n", scene->title[0] ? scene->title : "(no title)");
    printf("grid       %d x %d x %d cells of %.4g m\n", p->cells[0], p->cells[1], p->cells[2], p->dx);
    printf("fluid      %.4g m%d, about %.3g particles at the start\n", p->fluid_volume, scene->dim,
           p->particles);
    printf("time       %d frame%s, %.4g s of motion, about %.3g steps, roughly %s of computing\n",
           scene->frames, plural(scene->frames), scene->frames / scene->fps, p->steps, seconds);
    printf("memory     about %s of %s\n", memory, available);
    printf("disk       about %s\n", disk);
}

rheo_status command_check(const options *o) {
    rheo_scene *scene;
    rheo_preflight preflight;
    rheo_report report = {0};
    rheo_status status = load_scene(&scene, o);
    if (status != RHEO_OK) return status;
    status = rheo_check_scene(&preflight, scene, o->out ? o->out : ".", &report);
    print_findings(&preflight, true);
    if (status != RHEO_OK) print_report(&report);
    if (o->json) print_check_json(&preflight, status);
    else if (preflight.dx > 0 && !o->quiet) print_check(&preflight, scene);
    if (!o->json && status == RHEO_OK) puts("ready      yes");
    rheo_free_scene(scene);
    return status;
}

static const char starter[] =
    "# A scene for rheo. Units are SI, Y is up; `rheo help scene` lists every key.\n"
    "# Check it with `rheo check FILE`, simulate it with `rheo run FILE`, then `rheo movie out/NAME`.\n"
    "title: My first scene\n"
    "\n"
    "domain:\n"
    "  size: [1, 1, 1]        # m\n"
    "  cells: 40              # along the longest side; 80 looks better but takes about 16 times as long\n"
    "  walls: closed          # or open, or by side: { top: open }\n"
    "\n"
    "time: { frames: 90, fps: 30 }\n"
    "gravity: [0, -9.81, 0]   # m/s2; or over time: { keys: [[0, [0, -9.81, 0]], [2, [0, 0, 0]]] }; "
    "emitters,\n"
    "                         # keyed solids, the speed of joints and the camera take keys too\n"
    "\n"
    "solver:\n"
    "  method: flip           # flip splashes most; apic is calmer\n"
    "\n"
    "fluids:\n"
    "  - name: water\n"
    "    material: water      # `rheo materials` lists them\n"
    "    fill:                # shapes that are full of water at the start\n"
    "      - box: { min: [0, 0, 0], max: [1, 0.15, 1] }\n"
    "      - sphere: { center: [0.5, 0.6, 0.5], radius: 0.18 }\n"
    "\n"
    "solids:\n"
    "  - name: post\n"
    "    shape: { cylinder: { from: [0.8, 0, 0.5], to: [0.8, 0.5, 0.5], radius: 0.05 } }\n"
    "\n"
    "output: { mesh: true, checkpoint_every: 10 }\n"
    "camera: { eye: [1.9, 1.25, 2.5], target: [0.5, 0.3, 0.5], fov: 32 }\n";

rheo_status command_new(const options *o) {
    const char *file = o->args[0];
    int descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST)
        return fail_usage("'%.200s' exists already and is left as it is; choose another name", file);
    size_t size = sizeof starter - 1;
    bool written = descriptor >= 0 && write(descriptor, starter, size) == (ssize_t)size;
    int error = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (!written) {
        if (descriptor >= 0) unlink(file);
        fprintf(stderr, "%s: cannot write: %s\n", file, strerror(error));
        return RHEO_IO;
    }
    if (!o->quiet) {
        fprintf(stderr, "wrote %s; next: rheo run ", file);
        print_shell_word(stderr, file);
        fputc('\n', stderr);
    }
    return RHEO_OK;
}

/* A line of `rheo scenes`: what it is called, how fine it is and how long it lasts. */
static rheo_status list_scene(const rheo_builtin_scene *s, bool json) {
    rheo_scene *scene;
    rheo_report report = {0};
    const rheo_status status = rheo_load_scene(&scene, s->name, NULL, 0, &report);
    if (status) {
        print_report(&report);
        return status;
    }
    const double seconds = scene->frames / scene->fps;
    if (json) {
        print_json_pair("{", "name", s->name);
        print_json_pair(",", "title", s->title);
        printf(",\"dim\":%d,\"cells\":%d,\"seconds\":", scene->dim, scene->cells);
        print_json_number(stdout, seconds);
        puts("}");
    } else {
        printf("%-18s %dD %4d cells %5.3g s  %s\n", s->name, scene->dim, scene->cells, seconds, s->title);
    }
    rheo_free_scene(scene);
    return RHEO_OK;
}

rheo_status command_scenes(const options *o) {
    const char *names[64] = {NULL};
    int count = 0;
    for (const rheo_builtin_scene *s = rheo_list_scenes(); s->name; ++s) {
        if (count < 63) names[count++] = s->name;
        if (o->arg_count) {
            if (strcmp(s->name, o->args[0])) continue;
            fputs(s->text, stdout);
            return RHEO_OK;
        }
        const rheo_status status = list_scene(s, o->json);
        if (status) return status;
    }
    if (o->arg_count) return fail_choice(o->args[0], names, "there is no built-in scene '%.80s'", o->args[0]);
    return RHEO_OK;
}

static void print_material_json(const rheo_material *m) {
    static const char *const looks[] = {"auto", "clear", "glossy", "matte"};
    print_json_pair("{", "name", m->name);
    printf(",\"density\":%.9g,\"viscosity\":%.9g,\"surface_tension\":%.9g,\"conductivity\":%.9g", m->density,
           m->viscosity, m->surface_tension, m->conductivity);
    printf(",\"heat_capacity\":%.9g,\"color\":[%.9g,%.9g,%.9g]", m->heat_capacity, m->color[0], m->color[1],
           m->color[2]);
    print_json_pair(",", "look", looks[m->look]);
    if (m->elasticity > 0) {
        printf(",\"elasticity\":%.9g,\"solvent\":%.9g", m->elasticity, m->solvent);
        if (m->relaxation_time < RHEO_NEVER) printf(",\"relaxation_time\":%.9g", m->relaxation_time);
        if (m->yield_stress < RHEO_NEVER) printf(",\"yield_stress\":%.9g", m->yield_stress);
    }
    print_json_pair(",", "help", m->help);
    puts("}");
}

static bool is_wanted(const options *o, const char *name) {
    return !o->arg_count || !strcmp(o->args[0], name);
}

rheo_status command_materials(const options *o) {
    const char *names[64] = {NULL};
    int count = 0, wanted = 0;
    for (const rheo_material *m = rheo_list_materials(); m->name && count < 63; ++m) {
        names[count++] = m->name;
        wanted += is_wanted(o, m->name);
    }
    if (!wanted) return fail_choice(o->args[0], names, "there is no material '%.80s'", o->args[0]);
    if (!o->json) {
        printf("%-13s %8s %9s %9s %12s %8s\n", "material", "density", "viscosity", "tension", "conductivity",
               "heat");
        printf("%-13s %8s %9s %9s %12s %8s\n", "", "kg/m3", "Pa s", "N/m", "W/(m K)", "J/(kg K)");
    }
    for (const rheo_material *m = rheo_list_materials(); m->name; ++m) {
        if (!is_wanted(o, m->name)) continue;
        if (o->json) print_material_json(m);
        else
            printf("%-13s %8.5g %9.3g %9.3g %12.3g %8.4g  %s\n", m->name, m->density, m->viscosity,
                   m->surface_tension, m->conductivity, m->heat_capacity, m->help);
    }
    return RHEO_OK;
}

rheo_status command_view(const options *o) {
    (void)o;
    fprintf(stderr, "rheo: the window is not in this version\n  use: rheo run, rheo render, rheo movie\n");
    return RHEO_USAGE;
}
