/* The doctor that looks at a scene before anything runs. */
#ifndef RHEO_PREFLIGHT_H
#define RHEO_PREFLIGHT_H

#include <stddef.h>
#include <rheo/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rheo_severity { RHEO_NOTE, RHEO_WARNING, RHEO_ERROR } rheo_severity;

enum { RHEO_FINDINGS_MAX = 32 };
typedef struct rheo_finding {
    rheo_severity severity;
    rheo_report report; /* where and what */
} rheo_finding;

typedef struct rheo_preflight {
    rheo_finding findings[RHEO_FINDINGS_MAX];
    int count;
    int cells[3];
    double dx;               /* m */
    double particles;        /* estimated at the start */
    double fluid_volume;     /* m3, outside solids */
    double memory;           /* bytes, estimated peak */
    double memory_available; /* bytes */
    double disk;             /* bytes for the whole run */
    double disk_available;   /* bytes where `out` would be; 0 when not asked */
    double steps;            /* for the whole run */
    double seconds;          /* for the whole run on all cores, within a factor of two or so */
} rheo_preflight;

/* RHEO_OK when the scene can run (warnings are fine); else the first error's status, and its report. `out`
 * may be NULL. */
RHEO_API rheo_status rheo_check_scene(rheo_preflight *preflight, const rheo_scene *scene, const char *out,
                                      rheo_report *report);

/* "1.25 GB": three digits and a power of 1000, as all sizes in messages; returns the length as snprintf does.
 */
RHEO_API int rheo_print_bytes(char *text, int size, double bytes);

#ifdef __cplusplus
}
#endif
#endif
