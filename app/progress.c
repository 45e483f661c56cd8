/* Progress on stderr: a bar with the time to go on a terminal, plain lines otherwise. */
#define _GNU_SOURCE
#include "app.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* "3 min to go", or nothing before there is anything to tell it by. */
static void time_left(char text[40], const progress *p, double done) {
    const double made = done - p->first;
    char left[24];
    text[0] = '\0';
    if (!(made > 0)) return;
    format_seconds(left, (wall_time() - p->start) / made * (p->total - done));
    snprintf(text, 40, "%s to go", left);
}

static int terminal_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* One line, cut where the terminal ends. */
static void draw(progress *p, double done, const char *now) {
    enum { WIDTH = 24 };
    char bar[WIDTH + 1], left[40], count[40];
    const double share = p->total > 0 ? done / p->total : 1;
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(WIDTH * (share < 1 ? share : 1)));
    bar[WIDTH] = '\0';
    time_left(left, p, done);
    snprintf(count, sizeof count, "%d/%d", p->done, p->total);
    const int room = terminal_columns() - WIDTH - 8 - (int)(strlen(count) + strlen(left));
    const bool color = use_color();
    fprintf(stderr, "\r%s[%s]%s %s  %s  %.*s\033[K", color ? "\033[36m" : "", bar, color ? "\033[0m" : "",
            count, left, room > 0 ? room : 0, now);
    fflush(stderr);
    p->drawn = wall_time();
}

/* `now` is a few words about the present state. */
void progress_step(progress *p, int done, const char *now) {
    p->done = done;
    if (p->quiet) return;
    if (p->tty) {
        snprintf(p->now, sizeof p->now, "%s", now);
        draw(p, done, now);
        return;
    }
    char left[40];
    time_left(left, p, done);
    fprintf(stderr, "frame %d of %d: %s%s%s\n", done, p->total, now, left[0] ? ", " : "", left);
}

void progress_stage(progress *p, double done, const char *stage) {
    const double often = 0.1; /* s */
    char now[sizeof p->now + 64];
    if (p->quiet || !p->tty || wall_time() - p->drawn < often) return;
    snprintf(now, sizeof now, "%s  %s", stage, p->now);
    draw(p, done, now);
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
