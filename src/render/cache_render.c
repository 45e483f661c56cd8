/* Pictures of a cache's frames, one after the other; a frame's tiles share the threads.
 *
 * A picture that is newer than its mesh and has the size, the looks and at least the samples asked for is
 * kept, so a render that was stopped goes on where it was. */
#include <rheo/render.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/memory.h"
#include "core/report.h"
#include "render/cache_scene.h"
#include "render/png_file.h"
#include "render/tracer.h"

enum { SAMPLES_MAX = 4096 };

rheo_render_options rheo_default_render_options(void) {
    return (rheo_render_options){
        .width = 640, .height = 360, .samples = 4, .first_frame = -1, .last_frame = -1, .every = 1};
}

static rheo_status check_options(const rheo_render_options *o, rheo_report *report) {
    if (o->width < 16 || o->height < 16 || o->width > 16384 || o->height > 16384)
        return report_fail(report, RHEO_USAGE, "16 to 16384 pixels a side", "a picture of %d x %d pixels",
                           o->width, o->height);
    if (o->samples < 1 || o->samples > SAMPLES_MAX)
        return report_fail(report, RHEO_USAGE, "1 to 4096", "%d samples a pixel", o->samples);
    if (o->every < 1) return report_fail(report, RHEO_USAGE, "1 or more", "every %d frames", o->every);
    if (o->threads < 0)
        return report_fail(report, RHEO_USAGE, "0 (all cores) or more", "%d threads", o->threads);
    if (o->last_frame >= 0 && o->first_frame > o->last_frame)
        return report_fail(report, RHEO_USAGE, "first <= last", "frames %d to %d", o->first_frame,
                           o->last_frame);
    return RHEO_OK;
}

/* ---- which frames ---- */

typedef struct frame_list {
    int *frame;
    int count;
} frame_list;

static rheo_status list_frames(frame_list *list, const cache_manifest *m, const rheo_render_options *o,
                               const char *cache, rheo_report *report) {
    int first = -1, last = -1, start = o->first_frame > 0 ? o->first_frame : 0;
    list->frame = mem_alloc((size_t)(m->frame_count + 1) * sizeof *list->frame);
    if (!list->frame) return report_no_memory(report, "the list of frames");
    for (int f = 0; f < m->frame_count; ++f) {
        if (!cache_scene_source(m, f)) continue;
        if (first < 0) first = f;
        last = f;
        if (f < start || (o->last_frame >= 0 && f > o->last_frame) || (f - start) % o->every) continue;
        list->frame[list->count++] = f;
    }
    rheo_status status = RHEO_OK;
    if (first < 0)
        status = report_fail(report, RHEO_INVALID,
                             "run the scene with output: { mesh: true }, or make meshes with `rheo mesh`",
                             "the cache holds no meshes and no volumes to draw");
    else if (!list->count)
        status = report_fail(report, RHEO_INVALID, NULL,
                             "none of the frames asked for is there: they are from %d to %d", first, last);
    if (status) report_place(report, cache, 0, 0, NULL);
    return status;
}

static bool newer(const struct stat *a, const struct stat *b) {
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static void write_note(char note[NOTE_MAX], uint64_t looks, int samples) {
    snprintf(note, NOTE_MAX, "looks %016" PRIx64 " samples %d", looks, samples);
}

/* Drawn with more samples is as good: a movie does not undo the fine pictures it is made from. */
static bool shows_looks(const char *picture, uint64_t looks, int samples) {
    char note[NOTE_MAX];
    uint64_t drawn_looks;
    int drawn_samples;
    png_read_note(note, picture);
    return sscanf(note, "looks %" SCNx64 " samples %d", &drawn_looks, &drawn_samples) == 2 &&
           drawn_looks == looks && drawn_samples >= samples;
}

static bool is_up_to_date(const char *picture, const char *mesh, uint64_t looks,
                          const rheo_render_options *o) {
    struct stat p, m;
    int width, height;
    return !stat(picture, &p) && !stat(mesh, &m) && newer(&p, &m) &&
           png_read_size(&width, &height, picture) && width == o->width && height == o->height &&
           shows_looks(picture, looks, o->samples);
}

/* ---- drawing ---- */

typedef struct job {
    const char *cache;
    const rheo_render_options *options;
    const cache_manifest *manifest;
    cache_scene *scene;
    uint64_t looks; /* of the scene */
    pool *pool;
    image image;
} job;

/* *drawn: false when the picture was there already. */
static rheo_status draw_frame(bool *drawn, job *j, int frame, rheo_report *report) {
    const rheo_render_options *o = j->options;
    char picture[FILE_PATH_MAX], mesh[FILE_PATH_MAX];
    *drawn = false;
    if (!cache_path(picture, j->cache, CACHE_PICTURE, NULL, frame) ||
        !cache_scene_path(mesh, j->cache, cache_scene_source(j->manifest, frame)->name))
        return report_fail(report, RHEO_IO, NULL, "the cache's path is too long");
    if (!o->redo && is_up_to_date(picture, mesh, j->looks, o)) return RHEO_OK;
    rheo_status status = cache_scene_load_frame(j->scene, frame, (float)o->width / (float)o->height, report);
    if (!status)
        status = picture_paint(j->image.pixels, o->width, o->height, o->samples, &j->scene->picture, j->pool,
                               o->cancel, report);
    if (!status) status = png_write(picture, &j->image, report);
    *drawn = !status;
    return status;
}

static rheo_status draw_frames(int *pictures, job *j, const frame_list *list, rheo_report *report) {
    const rheo_render_options *o = j->options;
    for (int i = 0; i < list->count; ++i) {
        if (o->cancel && *o->cancel) return report_fail(report, RHEO_INTERRUPTED, NULL, "stopped on request");
        bool drawn;
        rheo_status status = draw_frame(&drawn, j, list->frame[i], report);
        if (status) return status;
        *pictures += drawn;
        if (o->on_frame) o->on_frame(o->user, list->frame[i], i + 1, list->count);
    }
    return RHEO_OK;
}

static rheo_status render_manifest(int *pictures, const char *cache, const cache_manifest *m,
                                   const rheo_render_options *o, rheo_report *report) {
    job j = {.cache = cache, .options = o, .manifest = m};
    frame_list list = {0};
    char frames[FILE_PATH_MAX];
    rheo_status status = list_frames(&list, m, o, cache, report);
    if (!status && cache_scene_path(frames, cache, cache_directory(CACHE_PICTURE)))
        status = directory_make(frames, report);
    if (!status) status = cache_scene_open(&j.scene, cache, m, report);
    if (!status) status = image_make(&j.image, o->width, o->height, report);
    if (!status) {
        j.looks = cache_scene_looks(j.scene->scene);
        write_note(j.image.note, j.looks, o->samples);
        j.pool = pool_create(o->threads);
        status = draw_frames(pictures, &j, &list, report);
        pool_free(j.pool);
    }
    image_free(&j.image);
    cache_scene_free(j.scene);
    mem_free(list.frame);
    return status;
}

rheo_status rheo_render_cache(int *pictures, const char *cache, const rheo_render_options *options,
                              rheo_report *report) {
    rheo_render_options defaults = rheo_default_render_options();
    const rheo_render_options *o = options ? options : &defaults;
    int unused;
    if (!pictures) pictures = &unused;
    *pictures = 0;
    rheo_status status = check_options(o, report);
    if (status) return status;
    if (!cache) return report_fail(report, RHEO_USAGE, NULL, "no cache directory given");
    if (!tracer_available())
        return report_fail(report, RHEO_USAGE, "install libembree-dev and rebuild",
                           "this rheo was built without Embree");
    cache_manifest m;
    status = cache_read_manifest(&m, cache, report);
    if (status) return status;
    status = render_manifest(pictures, cache, &m, o, report);
    cache_free_manifest(&m);
    return status;
}
