/* Saying things: reports on stderr, numbers and texts as JSON on stdout. */
#include "app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool use_color(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
}

void print_report(const rheo_report *report) {
    char text[2048];
    rheo_print_report(text, sizeof text, report);
    if (use_color()) fprintf(stderr, "\033[31m%s\033[0m\n", text[0] ? text : "failed");
    else fprintf(stderr, "%s\n", text[0] ? text : "failed");
}

void format_bytes(char text[16], double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000;
        ++unit;
    }
    snprintf(text, 16, "%.3g %s", bytes, units[unit]);
}

void format_seconds(char text[24], double seconds) {
    if (!(seconds < 1e9)) snprintf(text, 24, "long");
    else if (seconds < 10) snprintf(text, 24, "%.2g s", seconds);
    else if (seconds < 100) snprintf(text, 24, "%.0f s", seconds);
    else if (seconds < 3600) snprintf(text, 24, "%d:%02d min", (int)seconds / 60, (int)seconds % 60);
    else snprintf(text, 24, "%d:%02d h", (int)(seconds / 3600), (int)(seconds / 60) % 60);
}

rheo_status finish_output(rheo_status status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (status != RHEO_OK) return status;
    if (errno != EPIPE)
        fprintf(stderr, "rheo: cannot write to standard output\n"); /* the reader has left: not news */
    return RHEO_IO;
}

void print_json_text(FILE *to, const char *text) {
    fputc('"', to);
    for (; text && *text; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(to, "\\%c", c);
        else if (c < 32) fprintf(to, "\\u%04x", c);
        else fputc(c, to);
    }
    fputc('"', to);
}

void print_json_number(FILE *to, double value) {
    if (isfinite(value)) fprintf(to, "%.9g", value);
    else fputs("null", to);
}
