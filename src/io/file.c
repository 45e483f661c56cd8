/* Writing to a temporary name, fsync, rename, fsync of the directory: the order POSIX needs for a file that
 * survives a crash whole. Limits: on file systems that ignore fsync the promise is only as good as they are.
 */
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/memory.h"
#include "core/report.h"

static const char TEMPORARY_END[] = ".tmp";

uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; ++i) checksum = (checksum ^ b[i]) * 0x100000001B3u;
    return checksum;
}

bool file_is_temporary(const char *name) {
    size_t length = strlen(name), end = sizeof TEMPORARY_END - 1;
    return length > end + 1 && name[0] == '.' && strcmp(name + length - end, TEMPORARY_END) == 0;
}

rheo_status file_fail(rheo_report *report, const char *path, const char *verb, int error) {
    const char *help = NULL;
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        help = "a disk with more room; then go on with --resume";
    else if (error == EACCES || error == EROFS || error == EPERM) help = "a directory that can be written to";
    report_fail(report, RHEO_IO, help, "cannot %s: %s", verb, strerror(error));
    report_place(report, path, 0, 0, NULL);
    return RHEO_IO;
}

rheo_status file_open(file_writer *w, const char *path, rheo_report *report) {
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    *w = (file_writer){.descriptor = -1, .checksum = CHECKSUM_START};
    if (strlen(path) >= sizeof w->path) return file_fail(report, path, "write", ENAMETOOLONG);
    strcpy(w->path, path);
    snprintf(w->temporary, sizeof w->temporary, "%.*s.%s%s", directory, path, path + directory,
             TEMPORARY_END);
    w->capacity = FILE_BUFFER;
    w->buffer = mem_alloc(w->capacity);
    if (!w->buffer) return report_no_memory(report, "a file buffer");
    w->descriptor = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->descriptor < 0) {
        int error = errno;
        mem_free(w->buffer);
        return file_fail(report, path, "write", error);
    }
    return RHEO_OK;
}

/* All of it, or errno. */
static int write_all(int descriptor, const unsigned char *bytes, size_t count) {
    while (count) {
        ssize_t done = write(descriptor, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        bytes += done;
        count -= (size_t)done;
    }
    return 0;
}

/* Makes room in the buffer: by writing it out, or in memory by doubling it. */
static void flush(file_writer *w) {
    if (w->memory) {
        unsigned char *grown = w->error ? NULL : mem_grow(w->buffer, w->capacity, 2 * w->capacity);
        if (!grown) {
            w->error = ENOMEM;
            w->held = 0;
            return;
        }
        w->buffer = grown;
        w->capacity *= 2;
        return;
    }
    if (!w->error) w->error = write_all(w->descriptor, w->buffer, w->held);
    w->held = 0;
}

void file_write(file_writer *w, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    if (w->error) return;
    w->bytes += count;
    w->checksum = checksum_add(w->checksum, bytes, count);
    while (count) {
        size_t part = w->capacity - w->held;
        if (part > count) part = count;
        memcpy(w->buffer + w->held, from, part);
        w->held += part;
        from += part;
        count -= part;
        if (w->held == w->capacity) flush(w);
    }
}

void file_print(file_writer *w, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof text) w->error = w->error ? w->error : EOVERFLOW;
    else file_write(w, text, (size_t)length);
}

void directory_sync(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor); /* some file systems refuse this; the rename itself has happened all the same */
    close(descriptor);
}

static void sync_parent(const char *path) {
    char parent[FILE_PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash) directory_sync(".");
    else if (snprintf(parent, sizeof parent, "%.*s", (int)(slash - path) + 1, path) > 0)
        directory_sync(parent);
}

static void close_writer(file_writer *w) {
    if (w->descriptor >= 0 && close(w->descriptor) && !w->error) w->error = errno;
    w->descriptor = -1;
    mem_free(w->buffer);
    w->buffer = NULL;
}

rheo_status file_commit(file_writer *w, rheo_report *report) {
    flush(w);
    if (!w->error && fsync(w->descriptor) && errno != EINVAL) w->error = errno;
    close_writer(w);
    if (!w->error && rename(w->temporary, w->path)) w->error = errno;
    if (w->error) {
        unlink(w->temporary);
        return file_fail(report, w->path, "write", w->error);
    }
    sync_parent(w->path);
    return RHEO_OK;
}

void file_abandon(file_writer *w) {
    close_writer(w);
    unlink(w->temporary);
}

bool file_open_memory(file_writer *w) {
    *w = (file_writer){.descriptor = -1, .checksum = CHECKSUM_START, .memory = true, .capacity = 4096};
    w->buffer = mem_alloc(w->capacity);
    return w->buffer != NULL;
}

char *file_take_memory(file_writer *w) {
    file_write(w, "", 1);
    char *text = (char *)w->buffer;
    if (w->error) mem_free(text);
    w->buffer = NULL;
    return w->error ? NULL : text;
}

rheo_status file_cut(const char *path, uint64_t bytes, uint64_t checksum, rheo_report *report) {
    uint64_t size, found;
    if (file_measure(&size, &found, path, bytes)) return file_fail(report, path, "read", errno);
    if (size < bytes || found != checksum) {
        report_fail(report, RHEO_INVALID, "the file as the run left it", "changed since it was written");
        report_place(report, path, 0, 0, NULL);
        return RHEO_INVALID;
    }
    if (truncate(path, (off_t)bytes)) return file_fail(report, path, "shorten", errno);
    return RHEO_OK;
}

rheo_status file_append(const char *path, uint64_t *bytes, uint64_t *checksum, const char *text, size_t count,
                        rheo_report *report) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return file_fail(report, path, "write", errno);
    int error = 0;
    /* what a killed run added after the last complete frame goes first */
    if (ftruncate(descriptor, (off_t)*bytes) || lseek(descriptor, 0, SEEK_END) < 0) error = errno;
    if (!error) error = write_all(descriptor, (const unsigned char *)text, count);
    if (!error && fsync(descriptor) && errno != EINVAL) error = errno;
    if (error && ftruncate(descriptor, (off_t)*bytes)) error = errno;
    if (close(descriptor) && !error) error = errno;
    if (error) return file_fail(report, path, "write", error);
    *bytes += count;
    *checksum = checksum_add(*checksum, text, count);
    return RHEO_OK;
}

rheo_status file_read(unsigned char **data, size_t *count, const char *path, size_t most,
                      rheo_report *report) {
    *data = NULL;
    *count = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return file_fail(report, path, "read", errno);
    struct stat about;
    if (fstat(descriptor, &about) || !S_ISREG(about.st_mode)) {
        int error = S_ISREG(about.st_mode) ? errno : EISDIR;
        close(descriptor);
        return file_fail(report, path, "read", error);
    }
    size_t size = (size_t)about.st_size, got = 0;
    if (size > most) {
        close(descriptor);
        report_fail(report, RHEO_INVALID, NULL, "too large: %zu bytes, at most %zu are read", size, most);
        report_place(report, path, 0, 0, NULL);
        return RHEO_INVALID;
    }
    unsigned char *all = mem_alloc(size + 1);
    if (!all) {
        close(descriptor);
        return report_no_memory(report, "a file's content");
    }
    while (got < size) {
        ssize_t part = read(descriptor, all + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) {
            int error = errno;
            close(descriptor);
            mem_free(all);
            return file_fail(report, path, "read", error);
        }
        if (part == 0) break;
        got += (size_t)part;
    }
    close(descriptor);
    all[got] = 0;
    *data = all;
    *count = got;
    return RHEO_OK;
}

int file_measure(uint64_t *size, uint64_t *checksum, const char *path, uint64_t bytes) {
    struct stat about;
    if (stat(path, &about)) return -1;
    if (!S_ISREG(about.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    *size = (uint64_t)about.st_size;
    if (!checksum) return 0;
    FILE *f = fopen(path, "rbe");
    if (!f) return -1;
    unsigned char part[1 << 15];
    size_t got;
    uint64_t left = bytes;
    *checksum = CHECKSUM_START;
    while (left && (got = fread(part, 1, left < sizeof part ? (size_t)left : sizeof part, f)) > 0) {
        *checksum = checksum_add(*checksum, part, got);
        left -= got;
    }
    int failed = ferror(f);
    fclose(f);
    if (failed) errno = EIO;
    return failed ? -1 : 0;
}

rheo_status directory_make(const char *path, rheo_report *report) {
    char part[FILE_PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return file_fail(report, path, "make the directory", length ? ENAMETOOLONG : ENOENT);
    strcpy(part, path);
    for (size_t i = 1; i <= length; ++i) {
        if (part[i] != '/' && part[i] != 0) continue;
        char kept = part[i];
        part[i] = 0;
        struct stat about;
        if (mkdir(part, 0777) && errno != EEXIST) return file_fail(report, path, "make the directory", errno);
        if (stat(part, &about)) return file_fail(report, path, "make the directory", errno);
        if (!S_ISDIR(about.st_mode)) return file_fail(report, path, "make the directory", ENOTDIR);
        part[i] = kept;
    }
    return RHEO_OK;
}

bool directory_in_use(const char *path) {
    DIR *d = opendir(path);
    bool used = false;
    if (!d) return false;
    for (struct dirent *e; (e = readdir(d)) && !used;)
        used = strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !file_is_temporary(e->d_name);
    closedir(d);
    return used;
}

rheo_status directory_require_writable(const char *path, rheo_report *report) {
    /* access() lies on read-only mounts of some kinds and for root; making a file does not */
    file_writer w;
    char name[FILE_PATH_MAX];
    if (snprintf(name, sizeof name, "%s/probe", path) >= (int)sizeof name)
        return file_fail(report, path, "write", ENAMETOOLONG);
    rheo_status status = file_open(&w, name, report);
    if (status == RHEO_OK) file_abandon(&w);
    else if (report) snprintf(report->file, sizeof report->file, "%s", path);
    return status;
}
