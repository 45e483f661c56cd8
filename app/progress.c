/* Progress on stderr: a bar with the time to go on a terminal, plain lines otherwise. */
#define _GNU_SOURCE
#include "app.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double wall_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *p, int first, int total, bool quiet) {
    *p = (progress){.total = total, .done = first, .first = first, .start = wall_time(), .quiet = quiet};
    p->tty = isatty(STDERR_FILENO) != 0;
}

/* `now` is a few words about the present state. */
void progress_step(progress *p, int done, const char *now) {
    p->done = done;
    if (p->quiet) return;
    int made = done - p->first;
    double each = made > 0 ? (wall_time() - p->start) / made : 0;
    char left[24];
    format_seconds(left, each * (p->total - done));
    if (!p->tty) {
        fprintf(stderr, "frame %d of %d: %s, %s to go\n", done, p->total, now, left);
        return;
    }
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    int full = p->total > 0 ? (int)((long long)WIDTH * done / p->total) : WIDTH;
    if (full > WIDTH) full = WIDTH;
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = '\0';
    bool color = use_color();
    fprintf(stderr, "\r%s[%s]%s %d/%d  %s  %s to go\033[K", color ? "\033[36m" : "", bar,
            color ? "\033[0m" : "", done, p->total, now, left);
    fflush(stderr);
}

void progress_say(const progress *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (p->tty && !p->quiet) fputs("\r\033[K", stderr); /* the bar comes again with the next frame */
    vfprintf(stderr, format, args);
    va_end(args);
}

void progress_end(progress *p) {
    if (p->tty && !p->quiet) fputs("\n", stderr);
}
