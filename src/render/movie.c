/* A movie through the ffmpeg command: the pictures go into its standard input one after the other.
 *
 * Where frames are missing (drawn with `every`) the picture before them stays, so that the movie runs at the
 * speed of the scene. ffmpeg's input is a socket and not a pipe: writing to one that is gone is then an error
 * and no signal to the host program. What ffmpeg says goes to an unnamed file and from there into the report.
 * The name's ending chooses the container. Limits: H.264, even sides (an odd one gets a line more). */
#include <rheo/render.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/cache.h"
#include "render/picture_list.h"

enum { PICTURE_BYTES_MAX = 1 << 30, TAIL = 360 };

extern char **environ;

/* ---- names ---- */

static bool ends_with(const char *file, const char *ending) {
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    return dot && dot != file && dot - 1 != slash && (!slash || dot > slash) && !strcasecmp(dot, ending);
}

/* ffmpeg's name of the container, or NULL: a scene or mesh named by mistake must not become a movie. */
static const char *container_of(const char *file) {
    static const char *const known[][2] = {
        {".mp4", "mp4"}, {".m4v", "mp4"}, {".mov", "mov"}, {".mkv", "matroska"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (ends_with(file, known[i][0])) return known[i][1];
    return NULL;
}

static rheo_status refuse_name(const char *file, const char *what, const char *allowed, rheo_report *report) {
    rheo_status status =
        report_fail(report, RHEO_USAGE, allowed, "the name does not end like that of a %s", what);
    report_place(report, file, 0, 0, NULL);
    return status;
}

static rheo_status require_movie_name(const char *file, rheo_report *report) {
    if (container_of(file)) return RHEO_OK;
    return refuse_name(file, "movie", ".mp4, .m4v, .mov, .mkv", report);
}

/* ---- ffmpeg ---- */

static rheo_status fail_start(rheo_report *report, int error) {
    if (error == ENOENT)
        return report_fail(report, RHEO_IO, "install it (apt-get install ffmpeg)",
                           "the command ffmpeg is not there");
    return report_fail(report, RHEO_IO, NULL, "ffmpeg cannot be started: %s", strerror(error));
}

/* 0, or the error number. */
static int start_ffmpeg(pid_t *child, int input, FILE *said, const char *output, const char *container,
                        double fps) {
    char rate[32];
    snprintf(rate, sizeof rate, "%.9g", fps);
    const char *arguments[] = {"ffmpeg",     "-hide_banner",
                               "-loglevel",  "error",
                               "-nostats",   "-y",
                               "-f",         "image2pipe",
                               "-framerate", rate,
                               "-c:v",       "png",
                               "-i",         "pipe:0",
                               "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-c:v",       "libx264",
                               "-preset",    "medium",
                               "-crf",       "17",
                               "-pix_fmt",   "yuv420p",
                               "-movflags",  "+faststart",
                               "-f",         container,
                               output,       NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    error = posix_spawnp(child, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* False when ffmpeg does not listen any more: its exit code and words then say why. */
static bool send_all(int to, const unsigned char *data, size_t count) {
    while (count) {
        ssize_t sent = send(to, data, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent;
        count -= (size_t)sent;
    }
    return true;
}

static rheo_status send_pictures(int to, const char *cache, const picture_list *list, rheo_report *report) {
    bool listening = true;
    for (int i = 0; listening && i < list->count; ++i) {
        char path[FILE_PATH_MAX];
        unsigned char *data;
        size_t count;
        if (!cache_path(path, cache, CACHE_PICTURE, NULL, list->frame[i]))
            return report_fail(report, RHEO_IO, NULL, "the cache's path is too long");
        rheo_status status = file_read(&data, &count, path, PICTURE_BYTES_MAX, report);
        if (status) return status;
        int shown = i + 1 < list->count ? list->frame[i + 1] - list->frame[i] : 1;
        for (int k = 0; listening && k < shown; ++k) listening = send_all(to, data, count);
        mem_free(data);
    }
    return RHEO_OK;
}

static rheo_status fail_ffmpeg(rheo_report *report, FILE *said, int code) {
    char tail[TAIL + 1] = "";
    long end = fseek(said, 0, SEEK_END) ? 0 : ftell(said);
    if (end > 0 && !fseek(said, end > TAIL ? end - TAIL : 0, SEEK_SET)) tail[fread(tail, 1, TAIL, said)] = 0;
    for (size_t l = strlen(tail); l && (tail[l - 1] == '\n' || tail[l - 1] == '\r'); --l) tail[l - 1] = 0;
    return report_fail(report, RHEO_IO, NULL, "ffmpeg failed (%d): %s", code,
                       tail[0] ? tail : "it gave no reason");
}

static int wait_for(pid_t child) {
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + (WIFSIGNALED(state) ? WTERMSIG(state) : 0);
}

static rheo_status encode(const char *output, const char *container, const char *cache,
                          const picture_list *list, double fps, FILE *said, rheo_report *report) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return report_fail(report, RHEO_IO, NULL, "no socket for ffmpeg: %s", strerror(errno));
    pid_t child;
    int error = start_ffmpeg(&child, ends[0], said, output, container, fps);
    close(ends[0]);
    if (error) {
        close(ends[1]);
        return fail_start(report, error);
    }
    rheo_status status = send_pictures(ends[1], cache, list, report);
    close(ends[1]);
    int code = wait_for(child);
    if (!status && code) status = fail_ffmpeg(report, said, code);
    return status;
}

/* The writer names the temporary file, finds out whether the place can be written to, and puts the movie in
 * its place. */
static rheo_status write_movie(const char *movie_file, const char *cache, const picture_list *list,
                               double fps, rheo_report *report) {
    file_writer w;
    rheo_status status = file_open(&w, movie_file, report);
    if (status) return status;
    FILE *said = tmpfile();
    status = said ? encode(w.temporary, container_of(movie_file), cache, list, fps, said, report)
                  : report_fail(report, RHEO_IO, NULL, "no temporary file: %s", strerror(errno));
    if (said) fclose(said);
    if (!status) return file_commit(&w, report);
    file_abandon(&w);
    report_place(report, movie_file, 0, 0, NULL);
    return status;
}

/* ---- before the pictures ---- */

/* By starting it: only that tells whether it can be. */
static rheo_status require_ffmpeg(rheo_report *report) {
    static const char *const arguments[] = {"ffmpeg", "-version", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return fail_start(report, error);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(&child, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return fail_start(report, error);
    int code = wait_for(child);
    return code ? report_fail(report, RHEO_IO, NULL, "ffmpeg does not work: it ended with %d", code)
                : RHEO_OK;
}

static rheo_status require_place(const char *file, rheo_report *report) {
    struct stat about;
    if (!stat(file, &about) && S_ISDIR(about.st_mode)) return file_fail(report, file, "write", EISDIR);
    file_writer w;
    rheo_status status = file_open(&w, file, report);
    if (!status) file_abandon(&w);
    return status;
}

rheo_status rheo_check_movie(const char *movie_file, const char *sheet_file, const char *cache,
                             rheo_report *report) {
    if (!movie_file || !cache)
        return report_fail(report, RHEO_USAGE, NULL, "a file and a cache directory are needed");
    rheo_status status = require_movie_name(movie_file, report);
    if (!status && sheet_file && !ends_with(sheet_file, ".png"))
        status = refuse_name(sheet_file, "picture", ".png", report);
    cache_manifest m;
    if (!status && !(status = cache_read_manifest(&m, cache, report))) cache_free_manifest(&m);
    if (!status) status = require_place(movie_file, report);
    if (!status && sheet_file) status = require_place(sheet_file, report);
    return status ? status : require_ffmpeg(report);
}

rheo_status rheo_make_movie(const char *movie_file, const char *cache, rheo_report *report) {
    if (!movie_file || !cache)
        return report_fail(report, RHEO_USAGE, NULL, "a file and a cache directory are needed");
    cache_manifest m;
    rheo_status status = require_movie_name(movie_file, report);
    if (!status) status = cache_read_manifest(&m, cache, report);
    if (status) return status;
    double fps = m.fps > 0 ? m.fps : 30;
    cache_free_manifest(&m);
    picture_list list;
    status = picture_list_read(&list, cache, report);
    if (status) return status;
    status = write_movie(movie_file, cache, &list, fps, report);
    picture_list_free(&list);
    return status;
}
