/* Files that are either whole or not there.
 *
 * A file is written under a temporary name beside its place, flushed to the disk and renamed; a kill or a
 * full disk at any moment leaves the old file, or none. Its size and checksum are taken from the bytes as
 * they pass. */
#ifndef IO_FILE_H
#define IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rheo/status.h>

enum { FILE_PATH_MAX = 4096, FILE_BUFFER = 1 << 18 };

/* FNV-1a, 64 bits: simple, and it can go on from a stored value when a file is appended to. */
#define CHECKSUM_START 0xCBF29CE484222325u
uint64_t checksum_add(uint64_t checksum, const void *bytes, size_t count);

typedef struct file_writer {
    char path[FILE_PATH_MAX], temporary[FILE_PATH_MAX + 8];
    int descriptor;
    int error; /* errno of the first failure, 0 for none */
    uint64_t bytes, checksum;
    size_t held, capacity; /* bytes in the buffer, and its size */
    unsigned char *buffer;
    bool memory; /* nothing is flushed, the buffer grows */
} file_writer;

/* After a failed open nothing needs closing. Writing after a failure does nothing: look at the end. */
rheo_status file_open(file_writer *w, const char *path, rheo_report *report);
void file_write(file_writer *w, const void *bytes, size_t count);
void file_print(file_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush, sync, rename, sync the directory; on failure the temporary file is removed and RHEO_IO returned. */
rheo_status file_commit(file_writer *w, rheo_report *report);
void file_abandon(file_writer *w); /* removes the temporary file */

/* The same calls into memory. Taking gives the text, ended by a zero, to be freed with mem_free; NULL: no
 * memory. */
bool file_open_memory(file_writer *w);
char *file_take_memory(file_writer *w);

/* Opens for appending after cutting to `bytes`; the old content must have `checksum`. */
rheo_status file_cut(const char *path, uint64_t bytes, uint64_t checksum, rheo_report *report);
/* Adds text to the end and syncs; size and checksum are brought up to date. */
rheo_status file_append(const char *path, uint64_t *bytes, uint64_t *checksum, const char *text, size_t count,
                        rheo_report *report);

/* The whole file, a zero byte after its end; to be freed with mem_free. Refuses more than `most` bytes. */
rheo_status file_read(unsigned char **data, size_t *count, const char *path, size_t most,
                      rheo_report *report);
/* Size, and with `checksum` not NULL the checksum of the first `bytes` bytes (all when bytes is UINT64_MAX).
 * -1 with errno when it cannot be read. */
int file_measure(uint64_t *size, uint64_t *checksum, const char *path, uint64_t bytes);

/* Makes the directory and its parents. */
rheo_status directory_make(const char *path, rheo_report *report);
void directory_sync(const char *path);
/* True when there is such a directory and it holds anything but temporary files of ours. */
bool directory_in_use(const char *path);
/* RHEO_IO unless a file can be made in it. */
rheo_status directory_require_writable(const char *path, rheo_report *report);
/* Whether a name is that of a temporary file made here. */
bool file_is_temporary(const char *name);
rheo_status file_fail(rheo_report *report, const char *path, const char *verb, int error);
#endif
