/* What `rheo reproduce` and `rheo bench` run: published or exact numbers beside ours, and speed beside
 * bandwidth. Part of the command (bench/), not of the library: this header is not installed. */
#ifndef RHEO_MEASURE_H
#define RHEO_MEASURE_H

#include <rheo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rheo_case_name {
    const char *name, *help;
} rheo_case_name;

/* NULL-terminated by name. */
const rheo_case_name *rheo_list_reproductions(void);
const rheo_case_name *rheo_list_benches(void);

/* `print` gets each finished line of text (a row of the table, or a JSON object). *passed counts rows that
 * hold, *failed those that do not. `name` NULL runs all; `only`, when not NULL,
 * runs of the case the set-ups that have it in their name. */
rheo_status rheo_reproduce(int *passed, int *failed, const char *name, const char *only, int threads,
                           int json, void (*print)(void *user, const char *line), void *user,
                           rheo_report *report);
rheo_status rheo_bench(const char *name, int threads, int json, void (*print)(void *user, const char *line),
                       void *user, rheo_report *report);

#ifdef __cplusplus
}
#endif
#endif
