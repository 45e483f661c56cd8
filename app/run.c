/* `rheo run`: simulate and leave a cache; frames as progress on stderr or as JSON on stdout. */
#define _GNU_SOURCE
#include "app.h"

#include <math.h>
#include <string.h>

#define SQUEEZE 1e-3 /* share of a closed space's flow that is no rounding any more */
#define ASTRAY  0.1  /* share of the volume that no flow explains */

typedef struct runner {
    const options *o;
    const rheo_scene *scene;
    const rheo_preflight *preflight;
    progress bar;
    int last_before; /* the last frame of the cache that is gone on with, -1: none */
    bool idle;       /* no frame is wanted that is not there */
    bool deaf;       /* standard output failed */
    bool full;       /* it was said that an emitter has no room */
    bool astray;     /* it was said that the volume is off */
    bool squeezed;   /* it was said that a closed space is pressed together */
    double drift;    /* how far the volume is off by the grid's first reading, or was said to be */
} runner;

static void put_vector(const char *key, const double *v, int n) {
    printf("\"%s\":[", key);
    for (int i = 0; i < n; ++i) {
        if (i) putchar(',');
        print_json_number(stdout, v[i]);
    }
    putchar(']');
}

static void put_number(const char *key, double value) {
    printf(",\"%s\":", key);
    print_json_number(stdout, value);
}

static void put_solve(const char *name, const rheo_solve_stats *s) {
    printf("\"%s\":{\"unknowns\":%lld,\"iterations\":%d", name, (long long)s->unknowns, s->iterations);
    put_number("residual", s->residual);
    printf(",\"converged\":%s", s->converged ? "true" : "false");
    if (s->closed_regions) {
        printf(",\"closed_regions\":%d", s->closed_regions);
        put_number("incompatible", s->incompatible);
    }
    if (s->rounds) {
        printf(",\"rounds\":%d,\"separated\":%lld", s->rounds, (long long)s->separated);
        put_number("violation", s->violation);
    }
    putchar('}');
}

static void put_bodies(rheo_sim *sim, int count) {
    printf(",\"bodies\":[");
    for (int i = 0; i < count; ++i) {
        rheo_body_stats body;
        const char *name = "";
        rheo_read_body(&body, &name, sim, i);
        print_json_pair(i ? ",{" : "{", "name", name);
        putchar(',');
        put_vector("position", body.position, 3);
        putchar(',');
        put_vector("velocity", body.velocity, 3);
        putchar(',');
        put_vector("spin", body.spin, 3);
        putchar(',');
        put_vector("orientation", body.orientation, 4);
        if (isfinite(body.temperature)) put_number("temperature", body.temperature);
        putchar('}');
    }
    putchar(']');
}

static void put_solids(const runner *r, const rheo_sim *sim) {
    printf(",\"solids\":[");
    for (int i = 0; i < r->scene->solid_count; ++i) {
        rheo_solid_stats felt;
        rheo_read_solid(&felt, sim, i);
        print_json_pair(i ? ",{" : "{", "name", r->scene->solids[i].name);
        putchar(',');
        put_vector("force", felt.force, 3);
        putchar(',');
        put_vector("torque", felt.torque, 3);
        putchar('}');
    }
    putchar(']');
}

static void put_fluids(const runner *r, const rheo_frame_stats *s) {
    printf(",\"fluids\":[");
    for (int i = 0; i < s->fluid_count && i < r->scene->fluid_count; ++i) {
        const rheo_fluid_stats *f = &s->fluids[i];
        print_json_pair(i ? ",{" : "{", "name", r->scene->fluids[i].name);
        printf(",\"particles\":%lld", (long long)f->particles);
        put_number("mass", f->mass);
        put_number("volume", f->volume);
        if (rheo_solves_heat(r->scene)) put_number("temperature", f->temperature);
        putchar(',');
        put_vector("centroid", f->centroid, 3);
        printf(",\"bounds\":[[");
        for (int c = 0; c < 6; ++c) {
            if (c == 3) printf("],[");
            else if (c) putchar(',');
            print_json_number(stdout, c < 3 ? f->lower[c] : f->upper[c - 3]);
        }
        printf("]]}");
    }
    putchar(']');
}

static const char *refusing_fluid(const runner *r, const rheo_frame_stats *s) {
    return r->scene->fluids[r->scene->emitters[s->refusing - 1].fluid].name;
}

static void put_refusing(const runner *r, const rheo_frame_stats *s) {
    printf(",\"refusing\":{\"emitter\":%d", s->refusing - 1);
    print_json_pair(",", "fluid", refusing_fluid(r, s));
    putchar('}');
}

static void put_frame(const runner *r, rheo_sim *sim, const rheo_frame_stats *s) {
    printf("{\"event\":\"frame\",\"frame\":%d", s->frame);
    put_number("time", s->time);
    printf(",\"steps\":%d,\"particles\":%lld,\"liquid_cells\":%lld", s->steps, (long long)s->particles,
           (long long)s->liquid_cells);
    put_number("volume", s->volume);
    put_number("volume_drift", s->volume_drift);
    put_number("emitted", s->emitted);
    put_number("outflow", s->outflow);
    put_number("divergence", s->divergence);
    put_number("speed", s->speed);
    put_number("kinetic", s->kinetic);
    put_number("potential", s->potential);
    put_number("heat", s->heat);
    if (s->heat_missed != 0) put_number("heat_missed", s->heat_missed);
    if (s->surface_area > 0) put_number("surface_area", s->surface_area);
    putchar(',');
    put_vector("temperature", s->temperature, 2);
    put_bodies(sim, s->body_count);
    put_solids(r, sim);
    put_fluids(r, s);
    printf(",\"counts\":{\"emitted\":%lld,\"outflow\":%lld,\"rescued\":%lld,\"spray\":%lld,\"rejected\":%lld,"
           "\"refused\":%lld}",
           (long long)s->counts.emitted, (long long)s->counts.outflow, (long long)s->counts.rescued,
           (long long)s->counts.spray, (long long)s->counts.rejected, (long long)s->counts.refused);
    if (rheo_describe_method(r->scene->method)->gridless) {
        putchar(',');
        put_vector("compression", s->compression, 2);
        putchar(',');
        put_vector("momentum", s->momentum, 3);
        putchar(',');
        put_vector("angular_momentum", s->angular_momentum, 3);
        if (s->stress.unknowns) put_number("elastic_energy", s->elastic);
    }
    if (s->refusing > 0) put_refusing(r, s);
    printf(",\"solves\":{");
    put_solve("pressure", &s->pressure);
    if (s->density.unknowns) {
        putchar(',');
        put_solve("density", &s->density);
    }
    if (s->viscosity.unknowns) {
        putchar(',');
        put_solve("viscosity", &s->viscosity);
    }
    if (s->stress.unknowns) {
        putchar(',');
        put_solve("stress", &s->stress);
    }
    printf("},\"seconds\":{\"total\":");
    print_json_number(stdout, s->seconds);
    for (int i = 0; i < s->stage_count; ++i) put_number(s->stages[i].name, s->stages[i].seconds);
    printf("},\"memory\":%zu}\n", s->memory);
}

/* Stops the run when nobody listens any more: what cannot be said is lost. */
static void hear(runner *r) {
    if (fflush(stdout) == 0) return;
    r->deaf = true;
    cancel_requested = 1;
}

static void say_nothing_to_do(const runner *r, int first_frame) {
    const int wanted = r->scene->frames, last = first_frame - 1;
    if (r->o->quiet) return;
    if (wanted == last) fprintf(stderr, "nothing to do: frames 0 to %d are there\n", last);
    else
        fprintf(stderr, "nothing to do: frames 0 to %d are there, and %d frame%s %s asked for\n", last,
                wanted, plural(wanted), wanted == 1 ? "is" : "are");
}

/* What is made again comes out the same, but takes its time: it is said, also to the quiet. */
static void say_where_it_goes_on(const runner *r, int first_frame) {
    const int first = first_frame > 1 ? first_frame : 0;
    char again[80] = "";
    if (r->last_before >= first)
        snprintf(again, sizeof again,
                 first < r->last_before ? "; frames %d to %d are made again" : "; frame %d is made again",
                 first, r->last_before);
    if (first == 0) fprintf(stderr, "note: no checkpoint to go on from: starts at the beginning%s\n", again);
    else if (again[0] || !r->o->quiet) fprintf(stderr, "goes on after frame %d%s\n", first - 1, again);
}

static void on_stage(void *user, const char *stage, double time) {
    runner *r = user;
    progress_stage(&r->bar, time * r->scene->fps, stage);
}

/* What the grid makes of the volume before the first step: coarse ones see more or less than there is. */
static double first_drift(rheo_sim *sim) {
    rheo_frame_stats s;
    rheo_read_stats(&s, sim);
    return isfinite(s.volume_drift) ? s.volume_drift : 0;
}

static void on_start(void *user, rheo_sim *sim, int first_frame) {
    runner *r = user;
    progress_start(&r->bar, first_frame > 0 ? first_frame - 1 : 0, r->scene->frames,
                   r->o->quiet || r->o->json);
    rheo_watch_stages(sim, on_stage, r);
    r->idle = r->o->resume && first_frame > r->scene->frames;
    if (first_frame == 0) r->drift = first_drift(sim);
    if (r->idle) say_nothing_to_do(r, first_frame);
    else if (r->o->resume) say_where_it_goes_on(r, first_frame);
    if (!r->o->json) return;
    print_json_pair("{\"event\":\"start\",", "scene", r->o->args[0]);
    printf(",\"version\":\"%s\",\"threads\":%d,\"dim\":%d,\"cells\":[%d,%d,%d]", RHEO_VERSION,
           rheo_count_threads(sim), r->scene->dim, r->preflight->cells[0], r->preflight->cells[1],
           r->preflight->cells[2]);
    put_number("dx", r->preflight->dx);
    puts("}");
    hear(r);
}

/* Whether keys moved a solid between two times. */
static bool was_moved(const rheo_solid *solid, double from, double to) {
    double before[4] = {0}, after[4] = {0};
    if (solid->motion != RHEO_KEYED) return false;
    if (solid->position.count) {
        rheo_evaluate_curve(before, &solid->position, from);
        rheo_evaluate_curve(after, &solid->position, to);
    }
    if (solid->rotation_degrees.count) {
        rheo_evaluate_curve(before + 3, &solid->rotation_degrees, from);
        rheo_evaluate_curve(after + 3, &solid->rotation_degrees, to);
    }
    return memcmp(before, after, sizeof before) != 0;
}

/* Who may press: the keyed solids that moved around a time, at most three; else what the scene has. */
static void name_pressers(char *text, size_t size, const rheo_scene *s, double time) {
    int named = 0;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < s->solid_count && named < 3 && length < size; ++i)
        if (was_moved(&s->solids[i], time - 1 / s->fps, time + 1 / s->fps))
            length += (size_t)snprintf(text + length, size - length, "%s'%.40s'", named++ ? " or " : "",
                                       s->solids[i].name ? s->solids[i].name : "a keyed solid");
    if (!named) snprintf(text, size, "%s", s->emitter_count ? "an emitter" : "a solid");
}

/* Fluid without air that is pressed together, or drawn apart: the solve leaves out what cannot be, and some
 * of the volume is then lost or made. Said once. */
static void warn_of_squeeze(runner *r, const rheo_frame_stats *s) {
    const bool is_smoke = rheo_describe_method(r->scene->method)->gas;
    char who[160];
    if (r->squeezed || !(s->pressure.incompatible > SQUEEZE)) return;
    r->squeezed = true;
    if (isfinite(s->volume_drift)) r->drift = s->volume_drift;
    name_pressers(who, sizeof who, r->scene, s->time);
    progress_say(
        &r->bar,
        "warning: at t = %.4g s %s presses or pulls at %s that fills a closed space: %.*f%% of the flow "
        "there has no place to go and is left out (volume %+.2f%%)\n"
        "  allowed: an open side, %sa way out%s\n",
        s->time, who, is_smoke ? "gas" : "liquid", s->pressure.incompatible < 0.1,
        100 * s->pressure.incompatible, 100 * s->volume_drift, is_smoke ? "or " : "some air, ",
        is_smoke ? "" : ", or solver.separation for walls that draw away");
}

/* An emitter in a closed space that is full: it stands still until there is room. Said once. */
static void warn_of_full(runner *r, const rheo_frame_stats *s) {
    if (r->full || s->refusing <= 0) return;
    r->full = true;
    progress_say(
        &r->bar,
        "warning: at t = %.4g s emitters[%d] of '%.40s' stops: the closed space that it feeds is full\n"
        "  allowed: an open side, a way out, more air, or an earlier end (emitters[%d].during)\n",
        s->time, s->refusing - 1, refusing_fluid(r, s), s->refusing - 1);
}

static bool couples_apart(const rheo_scene *s) {
    bool bodies = false;
    for (int i = 0; i < s->solid_count; ++i) bodies = bodies || s->solids[i].motion == RHEO_DYNAMIC;
    return bodies && s->coupling != RHEO_MONOLITHIC;
}

/* Liquid that takes up other room than it should, and than it did at the start: pressed into films by what
 * pressure does not hold up, or too few cells for its drops. Said once. Of smoke the volume is no room but an
 * amount, which is conserved but for what warn_of_squeeze() says. */
static void warn_of_volume(runner *r, const rheo_frame_stats *s) {
    const double off = s->volume_drift;
    if (r->astray || rheo_describe_method(r->scene->method)->gas || !isfinite(off)) return;
    if (fabs(off) < ASTRAY || fabs(off - r->drift) < ASTRAY) return;
    r->astray = true;
    progress_say(&r->bar,
                 "warning: at t = %.4g s the liquid takes up %.3g%% %s room than what was put in\n"
                 "  allowed: more cells, a smaller time.cfl%s\n",
                 s->time, 100 * fabs(off), off < 0 ? "less" : "more",
                 couples_apart(r->scene) ? ", or solver.coupling: monolithic" : "");
}

static void on_frame(void *user, rheo_sim *sim, const rheo_frame_stats *s) {
    runner *r = user;
    warn_of_squeeze(r, s);
    warn_of_full(r, s);
    warn_of_volume(r, s);
    if (r->o->json) {
        put_frame(r, sim, s);
        hear(r);
        return;
    }
    char now[256];
    int length = rheo_describe_method(r->scene->method)->gas
                     ? snprintf(now, sizeof now, "%.2f s, %d step%s, smoke %.3g m3 (%+.1f%%), up to %.0f C",
                                s->seconds, s->steps, plural(s->steps), s->volume, 100 * s->volume_drift,
                                s->temperature[1])
                     : snprintf(now, sizeof now, "%.2f s, %d step%s, %lld particle%s, volume %+.2f%%",
                                s->seconds, s->steps, plural(s->steps), (long long)s->particles,
                                plural(s->particles), 100 * s->volume_drift);
    if (r->o->verbose && length > 0 && length < (int)sizeof now)
        snprintf(now + length, sizeof now - (size_t)length, ", speed %.3g m/s, pressure %d its to %.1e%s",
                 s->speed, s->pressure.iterations, s->pressure.residual,
                 s->pressure.converged ? "" : " (not converged)");
    else if (!s->pressure.converged && length > 0 && length < (int)sizeof now)
        snprintf(now + length, sizeof now - (size_t)length, ", pressure not converged (%.1e)",
                 s->pressure.residual);
    length = (int)strlen(now);
    if (!s->viscosity.converged && length < (int)sizeof now)
        snprintf(now + length, sizeof now - (size_t)length, ", viscosity not converged (%.1e)",
                 s->viscosity.residual);
    length = (int)strlen(now);
    if (!s->stress.converged && length < (int)sizeof now)
        snprintf(now + length, sizeof now - (size_t)length, ", stress not converged (%.1e)",
                 s->stress.residual);
    progress_step(&r->bar, s->frame, now);
}

/* "scenes/dam.yaml" -> "out/dam" */
static void default_directory(char *out, size_t size, const char *scene) {
    const char *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    snprintf(out, size, "out/%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static void print_summary(const runner *r, const rheo_run_summary *s, const char *out, rheo_status status) {
    char memory[24], seconds[24];
    if (r->o->quiet) return;
    rheo_print_bytes(memory, sizeof memory, (double)s->peak_memory);
    format_seconds(seconds, s->seconds);
    if (!r->idle)
        fprintf(stderr, "%s: %d frame%s in %s, at most %s of memory\n", status_word(status), s->frames,
                plural(s->frames), seconds, memory);
    fprintf(stderr, "  cache:  %s\n", out);
    if (r->scene->output_mesh) fprintf(stderr, "  meshes: %s/mesh/\n", out);
    if (r->scene->output_volume) fprintf(stderr, "  volumes: %s/volume/\n", out);
    if (status == RHEO_INTERRUPTED) fprintf(stderr, "  go on:  the same command with --resume\n");
    if (status == RHEO_OK && (r->scene->output_mesh || r->scene->output_volume)) {
        fputs("  movie:  rheo movie ", stderr);
        print_shell_word(stderr, out);
        fputc('\n', stderr);
    }
}

/* The last frame of the cache that is there, -1: none. */
static int last_frame_in(const char *out) {
    rheo_cache_info info;
    rheo_report unheard;
    rheo_read_cache_info(&info, out, false, &unheard);
    return info.last_frame;
}

/* A run that goes on does not look into frames that were there before. */
static void warn_of_damage(const char *out) {
    rheo_cache_info info;
    rheo_report unheard;
    if (rheo_read_cache_info(&info, out, false, &unheard) == RHEO_OK || !info.problem[0]) return;
    fprintf(stderr,
            "warning: %s/%s: a file of an earlier frame is damaged, and is not made again\n"
            "  allowed: --overwrite instead of --resume to make all frames again; rheo info --verify lists "
            "what is whole\n",
            out, info.problem);
}

static rheo_status run_scene(const options *o, const rheo_scene *scene, const char *out) {
    rheo_report report = {0};
    rheo_preflight preflight;
    rheo_status status = rheo_check_scene(&preflight, scene, out, &report);
    print_findings(&preflight, o->verbose);
    if (status != RHEO_OK) return print_failure(o, &report, &(rheo_run_summary){0}, status);
    runner r = {.o = o, .scene = scene, .preflight = &preflight};
    rheo_run_options run = {.out = out,
                            .threads = o->threads,
                            .resume = o->resume,
                            .overwrite = o->overwrite,
                            .cancel = &cancel_requested,
                            .on_start = on_start,
                            .on_frame = on_frame,
                            .user = &r};
    rheo_run_summary summary = {0};
    r.last_before = o->resume ? last_frame_in(out) : -1;
    catch_interrupts();
    status = rheo_run_scene(&summary, scene, &run, &report);
    if (status != RHEO_OK) rheo_place_report(&report, scene);
    bool started = r.bar.start > 0;
    if (started) progress_end(&r.bar);
    if (summary.kept_damaged)
        fprintf(stderr, "note: the damaged manifest that was there is kept as %s/%s\n", out,
                RHEO_DAMAGED_MANIFEST);
    if (o->resume && (status == RHEO_OK || status == RHEO_INTERRUPTED)) warn_of_damage(out);
    if (status != RHEO_OK && status != RHEO_INTERRUPTED) print_report(&report);
    if (o->json) {
        print_json_end(&summary, &report, status);
    } else if (started && (status == RHEO_OK || status == RHEO_INTERRUPTED)) {
        print_summary(&r, &summary, out, status);
    }
    if (r.deaf) {
        fprintf(stderr, "rheo: standard output cannot be written; the run is saved in %s\n", out);
        return RHEO_IO;
    }
    return status;
}

rheo_status command_run(const options *o) {
    char out[1024];
    rheo_scene *scene;
    rheo_status status = load_scene(&scene, o);
    if (status != RHEO_OK) return status;
    default_directory(out, sizeof out, o->args[0]);
    status = run_scene(o, scene, o->out ? o->out : out);
    rheo_free_scene(scene);
    return status;
}
