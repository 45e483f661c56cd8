/* Filling a rheo_report (which may be NULL) and returning its status in one expression. */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <stdarg.h>
#include <rheo/status.h>

/* message and allowed are printf formats for the one, plain text for the other; allowed may be NULL. */
rheo_status report_fail(rheo_report *report, rheo_status status, const char *allowed, const char *message,
                        ...) __attribute__((format(printf, 4, 5)));
/* The same with the format's arguments in a list, for functions that take a format of their own. */
rheo_status report_fail_list(rheo_report *report, rheo_status status, const char *allowed,
                             const char *message, va_list args) __attribute__((format(printf, 4, 0)));
/* Adds the place to a report that lacks one. file and path may be NULL. */
void report_place(rheo_report *report, const char *file, int line, int column, const char *path);
/* The name of `names` (NULL-terminated) nearest to `word` by edit distance, or NULL when none is near. */
const char *report_nearest(const char *word, const char *const *names);
#define report_no_memory(report, what)                                                                       \
    report_fail(report, RHEO_INVALID, "fewer cells or a smaller domain", "out of memory for %s", what)
#endif
