/* What went wrong, where, and what would be right: filled once, by whoever knows first. */
#include "core/report.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rheo_status report_fail(rheo_report *report, rheo_status status, const char *allowed, const char *message,
                        ...) {
    va_list args;
    va_start(args, message);
    report_fail_list(report, status, allowed, message, args);
    va_end(args);
    return status;
}

rheo_status report_fail_list(rheo_report *report, rheo_status status, const char *allowed,
                             const char *message, va_list args) {
    if (!report) return status;
    *report = (rheo_report){.status = status};
    vsnprintf(report->message, sizeof report->message, message, args);
    if (allowed) snprintf(report->allowed, sizeof report->allowed, "%s", allowed);
    return status;
}

void report_place(rheo_report *report, const char *file, int line, int column, const char *path) {
    if (!report) return;
    /* a line belongs to its file: a mesh's trouble does not get the line of the scene that names the mesh */
    const int same = !report->file[0] || (file && strcmp(file, report->file) == 0);
    if (!report->line && same) {
        report->line = line;
        report->column = column;
    }
    if (file && !report->file[0]) snprintf(report->file, sizeof report->file, "%s", file);
    if (path && !report->path[0]) snprintf(report->path, sizeof report->path, "%s", path);
}

/* Levenshtein distance with a cost of one for a swap of neighbours and none for capital letters, over names
 * of at most WORD letters. */
enum { WORD = 48 };
static int is_same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}
static int edit_distance(const char *a, const char *b) {
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la > WORD || lb > WORD) return WORD;
    int row[3][WORD + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= lb; ++j) last[j] = j;
    for (int i = 1; i <= la; ++i) {
        now[0] = i;
        for (int j = 1; j <= lb; ++j) {
            int cost = last[j - 1] + !is_same(a[i - 1], b[j - 1]);
            if (last[j] + 1 < cost) cost = last[j] + 1;
            if (now[j - 1] + 1 < cost) cost = now[j - 1] + 1;
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]) &&
                before[j - 2] + 1 < cost)
                cost = before[j - 2] + 1;
            now[j] = cost;
        }
        int *t = before;
        before = last;
        last = now;
        now = t;
    }
    return last[lb];
}

const char *report_nearest(const char *word, const char *const *names) {
    const char *best = NULL;
    if (strlen(word) > WORD) return NULL;
    /* a third of the letters, at least one, may be wrong; the dashes of options are no letters */
    int least = 1 + (int)strlen(word + strspn(word, "-")) / 3;
    for (; *names; ++names) {
        int d = edit_distance(word, *names);
        if (d <= least) {
            best = *names;
            least = d - 1;
        }
    }
    return best;
}

/* Bytes at `at` that a terminal would obey, and not show: control characters, in UTF-8 those from U+0080 on
 * too, line ends U+2028 and 9, and the marks U+061C, U+200E and F, U+202A to E, U+2066 to 9 that turn the
 * order of what follows, and U+FEFF. */
static size_t obeyed(const unsigned char *at) {
    if (at[0] < 32 || at[0] == 127) return 1;
    if ((at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0) || (at[0] == 0xD8 && at[1] == 0x9C)) return 2;
    if (at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF) return 3;
    const int turns =
        at[0] == 0xE2 &&
        ((at[1] == 0x80 && (at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE))) ||
         (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9));
    return turns ? 3 : 0;
}

/* Words of a file may hold what a terminal would obey. */
static void clean(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        const size_t hidden = obeyed((const unsigned char *)from);
        *to++ = hidden ? '?' : *from;
        from += hidden ? hidden : 1;
    }
    *to = '\0';
}

int rheo_print_report(char *text, int size, const rheo_report *report) {
    char place[600] = "", name[300] = "", allowed[600] = "", nearest[128] = "";
    rheo_report copy = *report;
    const rheo_report *r = &copy;
    char *const texts[] = {copy.file, copy.path, copy.message, copy.allowed, copy.nearest};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) clean(texts[i]);
    if (r->file[0] && r->line) snprintf(place, sizeof place, "%.511s:%d:%d: ", r->file, r->line, r->column);
    else if (r->file[0]) snprintf(place, sizeof place, "%.511s: ", r->file);
    if (r->path[0]) snprintf(name, sizeof name, "%.255s: ", r->path);
    if (r->allowed[0]) snprintf(allowed, sizeof allowed, "\n  allowed: %s", r->allowed);
    if (r->nearest[0]) snprintf(nearest, sizeof nearest, "\n  did you mean '%s'?", r->nearest);
    return snprintf(text, (size_t)size, "%s%s%s%s%s", place, name, r->message, nearest, allowed);
}
