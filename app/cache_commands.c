/* Commands that work from a cache or measure: mesh, render, movie, info, reproduce, bench. */
#include "app.h"

#include <string.h>
#include <rheo/measure.h>

rheo_status command_mesh(const options *o) {
    static const char *const names[] = {"density", "average", "spheres", "pressure", "kernel", "color", NULL};
    int surface = 0, meshes = 0;
    rheo_report report = {0};
    while (o->surface && names[surface] && strcmp(names[surface], o->surface) != 0) ++surface;
    if (!names[surface]) return fail_choice(o->surface, names, "there is no surface '%.80s'", o->surface);
    const rheo_surface chosen = (rheo_surface)surface;
    rheo_status status =
        rheo_remesh_cache(&meshes, o->args[0], o->surface ? &chosen : NULL, o->threads, &report);
    rheo_cache_info info = {0};
    if (status == RHEO_OK) status = rheo_read_cache_info(&info, o->args[0], false, &report);
    if (status != RHEO_OK) return print_failure(o, &report, NULL, status);
    if (o->json) printf("{\"event\":\"end\",\"status\":\"done\",\"meshes\":%d}\n", meshes);
    else if (!o->quiet)
        fprintf(stderr, "%d mesh%s in %s/mesh/\n", meshes, meshes == 1 ? "" : "es", o->args[0]);
    const int frames = info.last_frame - info.first_frame + 1;
    const int by_pressure = o->surface && chosen == RHEO_SURFACE_PRESSURE;
    if (meshes < frames)
        fprintf(stderr,
                "%d of %d frames stay as they were, so surfaces are mixed now: these have no %s\n"
                "  right: a run with output: { %s }\n",
                frames - meshes, frames, by_pressure ? "checkpoint" : "particles and no checkpoint",
                by_pressure ? "checkpoint_every: 1" : "particles: true");
    return status;
}

static void on_picture(void *user, int frame, int done, int total) {
    progress *p = user;
    char now[32];
    p->total = total; /* known only now; the clock runs since the first picture was begun */
    snprintf(now, sizeof now, "picture of frame %d", frame);
    progress_step(p, done, now);
}

static rheo_status make_pictures(const options *o, int *pictures) {
    rheo_render_options r = rheo_default_render_options();
    rheo_report report = {0};
    progress p;
    progress_start(&p, 0, 0, o->quiet || o->json);
    if (o->width) r.width = o->width;
    if (o->height) r.height = o->height;
    if (o->samples) r.samples = o->samples;
    r.first_frame = o->frame >= 0 ? o->frame : o->first_frame;
    r.last_frame = o->frame >= 0 ? o->frame : o->last_frame;
    r.every = o->every;
    r.threads = o->threads;
    r.redo = o->redo;
    r.cancel = &cancel_requested;
    r.on_frame = on_picture;
    r.user = &p;
    catch_interrupts();
    rheo_status status = rheo_render_cache(pictures, o->args[0], &r, &report);
    if (p.total) progress_end(&p);
    if (status == RHEO_INTERRUPTED) {
        fprintf(stderr, "interrupted: the pictures made so far are kept\n");
        if (o->json) print_json_end(NULL, &report, status);
    } else if (status != RHEO_OK) {
        print_failure(o, &report, NULL, status);
    }
    return status;
}

rheo_status command_render(const options *o) {
    int pictures = 0;
    rheo_status status = make_pictures(o, &pictures);
    if (status != RHEO_OK) return status;
    if (o->json) printf("{\"event\":\"end\",\"status\":\"done\",\"pictures\":%d}\n", pictures);
    else if (!o->quiet)
        fprintf(stderr, "%d picture%s in %s/frames/\n", pictures, plural(pictures), o->args[0]);
    return RHEO_OK;
}

rheo_status command_movie(const options *o) {
    char file[1024];
    int pictures = 0;
    rheo_report report = {0};
    if (snprintf(file, sizeof file, "%s/movie.mp4", o->args[0]) >= (int)sizeof file)
        return fail_usage("the name of the cache is too long");
    const char *movie = o->output ? o->output : file;
    rheo_status status = rheo_check_movie(movie, o->sheet, o->args[0], &report);
    if (status != RHEO_OK) return print_failure(o, &report, NULL, status);
    status = make_pictures(o, &pictures);
    if (status != RHEO_OK) return status;
    status = rheo_make_movie(movie, o->args[0], &report);
    if (status == RHEO_OK && o->sheet) status = rheo_make_contact_sheet(o->sheet, o->args[0], 4, 3, &report);
    if (status != RHEO_OK) return print_failure(o, &report, NULL, status);
    if (o->json) {
        print_json_pair("{\"event\":\"end\",\"status\":\"done\",", "movie", movie);
        puts("}");
    } else if (!o->quiet) {
        fprintf(stderr, "movie: %s\n", movie);
        if (o->sheet) fprintf(stderr, "sheet: %s\n", o->sheet);
    }
    return RHEO_OK;
}

static const char *problem_of(const rheo_cache_info *i, int n) {
    return n ? i->further[n - 1] : i->problem;
}

static int told_problems(const rheo_cache_info *i) {
    return i->problem_count < RHEO_PROBLEMS_TOLD ? i->problem_count : RHEO_PROBLEMS_TOLD;
}

static void print_info_json(const rheo_cache_info *i) {
    print_json_pair("{\"event\":\"info\",", "title", i->title);
    print_json_pair(",", "scene", i->scene_file);
    print_json_pair(",", "version", i->version);
    print_json_pair(",", "status", i->status);
    printf(",\"first_frame\":%d,\"last_frame\":%d,\"fps\":%.9g,\"dim\":%d,\"cells\":[%d,%d,%d],\"dx\":%.9g",
           i->first_frame, i->last_frame, i->fps, i->dim, i->cells[0], i->cells[1], i->cells[2], i->dx);
    printf(",\"meshes\":%d,\"particles\":%d,\"volumes\":%d,\"checkpoints\":%d,\"pictures\":%d,\"bytes\":%zu",
           i->meshes, i->particles, i->volumes, i->checkpoints, i->pictures, i->bytes);
    print_json_pair(",", "problem", i->problem);
    printf(",\"problem_count\":%d,\"problems\":[", i->problem_count);
    for (int n = 0; n < told_problems(i); ++n) {
        if (n) putchar(',');
        print_json_text(stdout, problem_of(i, n));
    }
    puts("]}");
}

static void print_info(const rheo_cache_info *i) {
    char bytes[24];
    rheo_print_bytes(bytes, sizeof bytes, (double)i->bytes);
    printf("title        %s\n", i->title);
    printf("scene        %s\n", i->scene_file);
    printf("made by      rheo %s\n", i->version);
    printf("status       %s\n", i->status);
    if (i->last_frame >= i->first_frame)
        printf("frames       %d to %d at %g a second\n", i->first_frame, i->last_frame, i->fps);
    else printf("frames       none\n");
    printf("grid         %d x %d x %d cells of %.4g m\n", i->cells[0], i->cells[1], i->cells[2], i->dx);
    printf("meshes       %d\nparticles    %d\nvolumes      %d\ncheckpoints  %d\npictures     %d\n", i->meshes,
           i->particles, i->volumes, i->checkpoints, i->pictures);
    printf("size         %s\n", bytes);
    for (int n = 0; n < told_problems(i); ++n) printf("problem      %s\n", problem_of(i, n));
    if (i->problem_count > told_problems(i))
        printf("             and %d more\n", i->problem_count - told_problems(i));
}

rheo_status command_info(const options *o) {
    rheo_cache_info info = {0};
    rheo_report report = {0};
    rheo_status status = rheo_read_cache_info(&info, o->args[0], o->verify, &report);
    bool something = status == RHEO_OK || info.version[0];
    if (status != RHEO_OK) print_report(&report);
    if (o->json && something) print_info_json(&info);
    else if (o->json) print_json_end(NULL, &report, status);
    else if (something) print_info(&info);
    return status;
}

static void print_line(void *user, const char *line) {
    (void)user;
    size_t length = strlen(line);
    fputs(line, stdout);
    if (!length || line[length - 1] != '\n') putchar('\n');
    fflush(stdout);
}

static rheo_status check_case(const rheo_case_name *cases, const options *o, const char *what) {
    const char *names[64] = {NULL};
    for (int i = 0; cases[i].name && i < 63; ++i) {
        names[i] = cases[i].name;
        if (o->list) printf("%-18s %s\n", cases[i].name, cases[i].help);
        if (o->arg_count && !strcmp(o->args[0], cases[i].name)) return RHEO_OK;
    }
    if (o->list || !o->arg_count) return RHEO_OK;
    return fail_choice(o->args[0], names, "there is no %s '%.80s'", what, o->args[0]);
}

rheo_status command_reproduce(const options *o) {
    int passed = 0, failed = 0;
    rheo_report report = {0};
    rheo_status status = check_case(rheo_list_reproductions(), o, "case");
    if (status != RHEO_OK || o->list) return status;
    status = rheo_reproduce(&passed, &failed, o->arg_count ? o->args[0] : NULL, o->only, o->threads, o->json,
                            print_line, NULL, &report);
    if (status != RHEO_OK) {
        print_report(&report);
        return status;
    }
    if (!o->quiet) fprintf(stderr, "%d rows hold, %d do not\n", passed, failed);
    return failed ? RHEO_INTERNAL : RHEO_OK;
}

rheo_status command_bench(const options *o) {
    rheo_report report = {0};
    rheo_status status = check_case(rheo_list_benches(), o, "bench");
    if (status != RHEO_OK || o->list) return status;
    status = rheo_bench(o->arg_count ? o->args[0] : NULL, o->threads, o->json, print_line, NULL, &report);
    if (status != RHEO_OK) print_report(&report);
    return status;
}
