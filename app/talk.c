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

const char *status_word(rheo_status status) {
    switch (status) {
    case RHEO_OK: return "done";
    case RHEO_INTERRUPTED: return "interrupted";
    case RHEO_DIVERGED: return "diverged";
    default: return "failed";
    }
}

static void print_json_error(const rheo_report *report) {
    print_json_pair(",\"error\":{", "file", report->file);
    printf(",\"line\":%d,\"column\":%d", report->line, report->column);
    print_json_pair(",", "path", report->path);
    print_json_pair(",", "message", report->message);
    print_json_pair(",", "allowed", report->allowed);
    print_json_pair(",", "nearest", report->nearest);
    putchar('}');
}

void print_json_end(const rheo_run_summary *summary, const rheo_report *report, rheo_status status) {
    printf("{\"event\":\"end\",\"status\":\"%s\"", status_word(status));
    if (summary) {
        printf(",\"frames\":%d,\"seconds\":", summary->frames);
        print_json_number(stdout, summary->seconds);
        printf(",\"peak_memory\":%zu", summary->peak_memory);
    }
    if (status != RHEO_OK && status != RHEO_INTERRUPTED) print_json_error(report);
    puts("}");
}

rheo_status print_failure(const options *o, const rheo_report *report, const rheo_run_summary *summary,
                          rheo_status status) {
    print_report(report);
    if (o->json) print_json_end(summary, report, status);
    return status;
}

void format_seconds(char text[24], double seconds) {
    const double day = 86400, year = 365.25 * day;
    if (!(seconds < 2 * year)) snprintf(text, 24, "%.3g years", seconds / year);
    else if (seconds > 3 * day) snprintf(text, 24, "%.0f days", seconds / day);
    else if (seconds < 0.005) snprintf(text, 24, "0 s");
    else if (seconds < 0.1) snprintf(text, 24, "%.2f s", seconds);
    else if (seconds < 10) snprintf(text, 24, "%.2g s", seconds);
    else if (seconds < 100) snprintf(text, 24, "%.0f s", seconds);
    else if (seconds < 3600) snprintf(text, 24, "%d:%02d min", (int)seconds / 60, (int)seconds % 60);
    else snprintf(text, 24, "%d:%02d h", (int)(seconds / 3600), (int)(seconds / 60) % 60);
}

const char *plural(long long count) {
    return count == 1 ? "" : "s";
}

void print_shell_word(FILE *to, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%=";
    if (text[0] && !text[strspn(text, plain)]) {
        fputs(text, to);
        return;
    }
    fputc('\'', to);
    for (; *text; ++text) {
        if (*text == '\'') fputs("'\\''", to);
        else fputc(*text, to);
    }
    fputc('\'', to);
}

rheo_status finish_output(rheo_status status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (status != RHEO_OK) return status;
    if (errno != EPIPE)
        fprintf(stderr, "rheo: cannot write to standard output\n"); /* the reader has left: not news */
    return RHEO_IO;
}

void print_json_pair(const char *before, const char *name, const char *text) {
    printf("%s\"%s\":", before, name);
    print_json_text(stdout, text);
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
