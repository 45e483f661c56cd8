/* A run that leaves a cache behind and can be killed at any moment.
 *
 * The order that makes this safe: a frame's files (each whole or absent), the checkpoint, then the manifest
 * that lists them, then the removal of checkpoints it no longer lists. A resumed run starts from the newest
 * listed checkpoint that reads whole, drops the frames after it and makes them again; since the simulation is
 * a function of its state alone, they come out byte for byte as they would have. An interrupt between frames'
 * ends saves the state as it is between two steps ("partial") under the number of the last complete frame. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <rheo/cache.h>
#include "core/memory.h"
#include "core/report.h"
#include "core/timer.h"
#include "io/checkpoint.h"
#include "io/frame.h"
#include "io/scene_text.h"
#include "sim/definition.h"

typedef struct run {
    const rheo_scene *scene;
    const rheo_run_options *options;
    const char *out; /* NULL: nothing is written */
    rheo_report *report;
    rheo_sim *sim;
    cache_manifest m;
    int lock;     /* descriptor of the locked directory, -1 */
    bool damaged; /* the manifest that is there cannot be read, and is to be replaced */
    bool idle;    /* all frames that are wanted are there */
} run;

enum { CHECKPOINTS_KEPT = 2 };

/* ---- the directory ---- */

static rheo_status refuse(run *r, const char *allowed, const char *message, const char *detail) {
    report_fail(r->report, RHEO_USAGE, allowed, message, detail);
    report_place(r->report, r->out, 0, 0, NULL);
    return RHEO_USAGE;
}

/* A manifest that cannot be read: nothing to go on from, but it can be replaced like a sound one. The report
 * says what is wrong with it. */
static rheo_status look_at_damage(run *r) {
    if (r->options->overwrite && !r->options->resume) {
        r->damaged = true;
        if (r->report) *r->report = (rheo_report){0};
        return RHEO_OK;
    }
    if (r->report)
        snprintf(r->report->allowed, sizeof r->report->allowed,
                 "--overwrite without --resume to replace the damaged cache, or another directory");
    return RHEO_INVALID;
}

/* The unreadable manifest stays beside the new one, should somebody want to mend it. */
static rheo_status keep_damaged(run *r) {
    char from[FILE_PATH_MAX], to[FILE_PATH_MAX];
    if (snprintf(from, sizeof from, "%s/manifest.json", r->out) >= (int)sizeof from ||
        snprintf(to, sizeof to, "%s/%s", r->out, RHEO_DAMAGED_MANIFEST) >= (int)sizeof to)
        return file_fail(r->report, r->out, "write", ENAMETOOLONG);
    return rename(from, to) ? file_fail(r->report, to, "write", errno) : RHEO_OK;
}

/* Reads the manifest that is there, if any, and says no where it must not be replaced. */
static rheo_status look_at_directory(run *r, cache_manifest *old) {
    char path[FILE_PATH_MAX];
    cache_free_manifest(old);
    r->damaged = false;
    if (!directory_in_use(r->out)) return RHEO_OK;
    if (snprintf(path, sizeof path, "%s/manifest.json", r->out) >= (int)sizeof path)
        return file_fail(r->report, r->out, "write", ENAMETOOLONG);
    if (access(path, F_OK))
        return refuse(r, "an empty or new directory",
                      "the directory is not empty and holds no cache of rheo%s", "");
    rheo_status status = cache_read_manifest(old, r->out, r->report);
    if (status == RHEO_INVALID) return look_at_damage(r);
    if (status != RHEO_OK) return status;
    if (!r->options->resume && !r->options->overwrite)
        return refuse(r, "--resume to go on with it, --overwrite to replace it, or another directory",
                      old->title[0] ? "there is a cache already, of '%s'" : "there is a cache already%s",
                      old->title);
    return RHEO_OK;
}

static bool is_listed(const cache_manifest *m, const char *name) {
    for (size_t i = 0; i < m->file_count; ++i)
        if (strcmp(m->files[i].name, name) == 0) return true;
    return false;
}

/* PREFIX.NNNNNN.END: names that only rheo makes here. A CSV among the probes' may be anybody's. */
static bool is_ours(const char *name) {
    if (file_is_temporary(name)) return true;
    const char *end = strrchr(name, '.');
    if (!end || end - name < 8 || end[-7] != '.') return false;
    for (int i = 1; i <= 6; ++i)
        if (end[-i] < '0' || end[-i] > '9') return false;
    return strcmp(end, ".ply") == 0 || strcmp(end, ".json") == 0 || strcmp(end, ".h5") == 0 ||
           strcmp(end, ".png") == 0;
}

/* Removes what the manifest does not list: leftovers of a killed run, checkpoints grown old, a replaced
 * cache. */
static void sweep(const run *r, cache_kind kind) {
    char directory[FILE_PATH_MAX], name[CACHE_NAME_MAX];
    if (snprintf(directory, sizeof directory, "%s/%s", r->out, cache_directory(kind)) >=
        (int)sizeof directory)
        return;
    DIR *d = opendir(directory);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        if (!is_ours(e->d_name)) continue;
        int length = snprintf(name, sizeof name, "%s/%s", cache_directory(kind), e->d_name);
        if (length < (int)sizeof name && !is_listed(&r->m, name)) unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

/* Probes have no number in their names, so what goes is what the replaced cache lists of them. */
static void sweep_probes(const run *r, const cache_manifest *old) {
    char path[FILE_PATH_MAX];
    for (size_t i = 0; i < old->file_count; ++i) {
        const cache_file *file = &old->files[i];
        if (file->kind != CACHE_PROBE || is_listed(&r->m, file->name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", r->out, file->name) < (int)sizeof path) unlink(path);
    }
}

static void sweep_all(const run *r, bool pictures) {
    static const cache_kind once[] = {CACHE_MESH,   CACHE_PARTICLES, CACHE_VOLUME,
                                      CACHE_BODIES, CACHE_PROBE,     CACHE_STATE};
    for (size_t i = 0; i < sizeof once / sizeof *once; ++i) sweep(r, once[i]);
    if (pictures) sweep(r, CACHE_PICTURE);
}

/* ---- the manifest ---- */

static rheo_status fill_manifest(run *r) {
    cache_manifest *m = &r->m;
    const rheo_scene *s = r->scene;
    snprintf(m->version, sizeof m->version, "%s", RHEO_VERSION);
    snprintf(m->status, sizeof m->status, "running");
    snprintf(m->title, sizeof m->title, "%s", s->title ? s->title : "");
    snprintf(m->scene_file, sizeof m->scene_file, "%s", s->file ? s->file : "");
    m->fps = s->fps;
    m->dim = s->dim;
    m->dx = definition_cells(m->cells, s);
    cache_fluid_stem(m->surface, s, 0);
    m->values = scene_text(m->section, s);
    if (s->source && (m->scene = mem_alloc(strlen(s->source) + 1))) strcpy(m->scene, s->source);
    if (!m->values || (s->source && !m->scene)) return report_no_memory(r->report, "the manifest");
    return RHEO_OK;
}

static rheo_status write_status(run *r, const char *status, rheo_report *report) {
    snprintf(r->m.status, sizeof r->m.status, "%s", status);
    return cache_write_manifest(&r->m, r->out, report);
}

/* ---- checkpoints ---- */

static void forget_file(cache_manifest *m, size_t index) {
    memmove(&m->files[index], &m->files[index + 1], (m->file_count - index - 1) * sizeof *m->files);
    --m->file_count;
}

/* Unlists all but the newest of the frames' own, and states between frames once there is a newer one. Their
 * files go when the manifest without them is on disk. */
static void forget_old_checkpoints(cache_manifest *m) {
    int newer = 0;
    for (size_t i = m->file_count; i-- > 0;) {
        if (m->files[i].kind != CACHE_STATE) continue;
        bool old = m->files[i].partial ? i + 1 < m->file_count : newer++ >= CHECKPOINTS_KEPT;
        if (old) forget_file(m, i);
    }
}

static rheo_status save_checkpoint(run *r, bool partial) {
    state_array arrays[STATE_ARRAYS_MAX];
    cache_file file;
    char directory[FILE_PATH_MAX];
    checkpoint_head head = {r->m.frame_count - 1, partial, checkpoint_scene(r->m.section)};
    snprintf(directory, sizeof directory, "%s/%s", r->out, cache_directory(CACHE_STATE));
    rheo_status status = directory_make(directory, r->report);
    if (status != RHEO_OK) return status;
    /* one of the same name is about to be replaced: a kill between the two must not leave it listed */
    checkpoint_name(file.name, head.frame, partial);
    if (is_listed(&r->m, file.name)) {
        for (size_t i = r->m.file_count; i-- > 0;)
            if (strcmp(r->m.files[i].name, file.name) == 0) forget_file(&r->m, i);
        status = cache_write_manifest(&r->m, r->out, r->report);
        if (status != RHEO_OK) return status;
    }
    int count = sim_list_state(arrays, r->sim);
    status = checkpoint_write(&file, r->out, &head, arrays, count, r->report);
    if (status != RHEO_OK) return status;
    if (!cache_add_file(&r->m, &file)) return report_no_memory(r->report, "the manifest");
    forget_old_checkpoints(&r->m);
    return RHEO_OK;
}

/* ---- starting ---- */

static rheo_status require_same_scene(run *r, const cache_manifest *old) {
    char what[256] = "";
    for (int s = 0; s < CACHE_SECTIONS; ++s) {
        size_t length = strlen(what);
        if (old->section[s] != r->m.section[s])
            snprintf(what + length, sizeof what - length, "%s%s", length ? ", " : "", cache_sections[s]);
    }
    if (!what[0]) return RHEO_OK;
    report_fail(r->report, RHEO_INVALID,
                "the same scene; frames, output, colours, looks and camera may differ",
                "the cache is of another scene; different: %s", what);
    report_place(r->report, r->out, 0, 0, NULL);
    return RHEO_INVALID;
}

/* A restore that fails half-way spoils the sim: each attempt gets a fresh one. */
static rheo_status remake_sim(run *r) {
    rheo_free_sim(r->sim);
    r->sim = NULL;
    return rheo_create_sim(&r->sim, r->scene, r->options->threads, r->report);
}

/* Frames whose checkpoints are there but cannot be read are not given up unasked: made again, by another
 * version perhaps, they may differ. */
static rheo_status refuse_restart(run *r) {
    if (r->report)
        snprintf(r->report->allowed, sizeof r->report->allowed,
                 "--overwrite instead of --resume to start from the beginning, or another directory");
    return RHEO_INVALID;
}

/* Goes back to the newest checkpoint that reads whole; to the start where none was made yet. */
static rheo_status restore(run *r) {
    bool spoilt = false;
    for (size_t i = r->m.file_count; i-- > 0;) {
        cache_file file = r->m.files[i];
        if (file.kind != CACHE_STATE) continue;
        rheo_status status = spoilt ? remake_sim(r) : RHEO_OK;
        if (status != RHEO_OK) return status;
        spoilt = true;
        if (file.frame < r->m.frame_count &&
            checkpoint_load(r->sim, r->out, &file, checkpoint_scene(r->m.section), r->report) == RHEO_OK) {
            frame_drop_after(&r->m, file.frame);
            return RHEO_OK;
        }
        forget_file(&r->m, i);
    }
    if (spoilt) return refuse_restart(r);
    frame_drop_after(&r->m, -1);
    return RHEO_OK;
}

/* What counts is what the directory holds once it is locked: another run may have come and gone since the
 * first look. */
static rheo_status claim_directory(run *r, cache_manifest *old) {
    rheo_status status = directory_make(r->out, r->report);
    if (status == RHEO_OK) status = cache_lock(&r->lock, r->out, r->report);
    if (status == RHEO_OK) status = look_at_directory(r, old);
    if (status == RHEO_OK) status = directory_require_writable(r->out, r->report);
    return status;
}

/* No more frames are wanted than there are: they stay, and what became of the run that made them. */
static rheo_status leave_frames(run *r, const cache_manifest *old) {
    rheo_status status = RHEO_OK;
    r->idle = true;
    snprintf(r->m.status, sizeof r->m.status, "%s", old->status);
    if (strcmp(old->values, r->m.values) != 0) /* other colours, another camera */
        status = cache_write_manifest(&r->m, r->out, r->report);
    if (status == RHEO_OK) sweep_all(r, false); /* killed between its last manifest and its last sweep */
    return status;
}

static rheo_status open_cache(run *r, cache_manifest *old) {
    rheo_status status = claim_directory(r, old);
    const bool resume = r->options->resume && old->values;
    if (status == RHEO_OK && resume) status = require_same_scene(r, old);
    if (status != RHEO_OK) return status;
    if (resume) {
        r->m.files = old->files;
        r->m.file_count = old->file_count;
        r->m.file_capacity = old->file_capacity;
        r->m.frame_count = old->frame_count;
        old->files = NULL;
        const int more = r->m.frame_count - 1 - r->scene->frames;
        if (more > 0 || (more == 0 && strcmp(old->status, "done") == 0)) return leave_frames(r, old);
        status = restore(r);
        if (status == RHEO_OK) status = frame_cut_probes(&r->m, r->out, r->scene, r->report);
    }
    if (status == RHEO_OK && r->damaged) status = keep_damaged(r);
    if (status == RHEO_OK) status = write_status(r, "running", r->report);
    if (status == RHEO_OK) sweep_all(r, !resume);
    if (status == RHEO_OK && !resume) sweep_probes(r, old);
    return status;
}

/* ---- running ---- */

/* The frame's files, a checkpoint where one is due, the manifest. */
static rheo_status keep_frame(run *r, rheo_frame_stats *stats) {
    if (!r->out) return RHEO_OK;
    rheo_status status = frame_write(&r->m, stats, r->out, r->sim, r->scene, r->report);
    if (status != RHEO_OK) return status;
    int frame = r->m.frame_count - 1, every = r->scene->checkpoint_every;
    bool last = frame >= r->scene->frames, due = last || (every > 0 && frame > 0 && frame % every == 0);
    if (due) status = save_checkpoint(r, false);
    if (status == RHEO_OK) status = write_status(r, last ? "done" : "running", r->report);
    if (status == RHEO_OK && due) sweep(r, CACHE_STATE);
    return status;
}

/* Keeps what can be kept after a frame that did not come about; what went wrong before stays the report. */
static rheo_status stop_early(run *r, rheo_status why) {
    rheo_report *loud = r->report, quiet;
    if (!r->out) return why;
    if (why == RHEO_INTERRUPTED) {
        rheo_status status = save_checkpoint(r, true);
        if (status == RHEO_OK) status = write_status(r, "interrupted", loud);
        if (status == RHEO_OK) sweep(r, CACHE_STATE);
        return status == RHEO_OK ? why : status;
    }
    r->report = &quiet;
    write_status(r, why == RHEO_DIVERGED ? "diverged" : "failed", &quiet);
    r->report = loud;
    return why;
}

static rheo_status simulate(run *r, rheo_run_summary *summary) {
    const rheo_run_options *o = r->options;
    rheo_frame_stats stats;
    rheo_status status = RHEO_OK;
    int done = r->out ? r->m.frame_count - 1 : -1;
    if (o->on_start) o->on_start(o->user, r->sim, done < 0 ? 0 : done + 1);
    if (done < 0) {
        rheo_read_stats(&stats, r->sim);
        status = keep_frame(r, &stats);
        if (status == RHEO_OK) done = 0;
    }
    while (status == RHEO_OK && done < r->scene->frames) {
        if (o->cancel && *o->cancel) status = report_fail(r->report, RHEO_INTERRUPTED, NULL, "interrupted");
        else status = rheo_advance_frame(r->sim, o->cancel, &stats, r->report);
        if (status == RHEO_OK) status = keep_frame(r, &stats);
        if (status != RHEO_OK) break;
        ++done;
        if (o->on_frame) o->on_frame(o->user, r->sim, &stats);
    }
    summary->frames = done < 0 ? 0 : done;
    if (status == RHEO_OK && r->out && !r->idle && strcmp(r->m.status, "done"))
        return write_status(r, "done", r->report);
    return status == RHEO_OK ? RHEO_OK : stop_early(r, status);
}

rheo_status rheo_run_scene(rheo_run_summary *summary, const rheo_scene *scene,
                           const rheo_run_options *options, rheo_report *report) {
    run r = {.scene = scene, .options = options, .out = options->out, .report = report, .lock = -1};
    cache_manifest old = {0};
    rheo_run_summary none;
    double start = timer_now();
    if (!summary) summary = &none;
    *summary = (rheo_run_summary){0};
    rheo_status status = rheo_validate_scene(scene, report);
    if (status == RHEO_OK && r.out) status = look_at_directory(&r, &old); /* an early no, nothing made yet */
    if (status == RHEO_OK) status = rheo_create_sim(&r.sim, scene, options->threads, report);
    if (status == RHEO_OK && r.out) status = fill_manifest(&r);
    if (status == RHEO_OK && r.out) status = open_cache(&r, &old);
    summary->kept_damaged = status == RHEO_OK && r.damaged;
    if (status == RHEO_OK) status = simulate(&r, summary);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    summary->seconds = timer_now() - start;
    summary->peak_memory = (size_t)usage.ru_maxrss * 1024;
    if (r.sim) rheo_free_sim(r.sim);
    if (r.lock >= 0) close(r.lock);
    cache_free_manifest(&r.m);
    cache_free_manifest(&old);
    return status;
}
