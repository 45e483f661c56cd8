/* How rheo says that something went wrong.
 *
 * Bad input and failing resources are a status plus a report that the caller owns; numerical trouble is data
 * in the step's statistics; a programmer's error is an assert. The library never prints and never exits. */
#ifndef RHEO_STATUS_H
#define RHEO_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RHEO_API __attribute__((visibility("default")))
#else
#define RHEO_API
#endif

/* The values are the command's exit codes. */
typedef enum rheo_status {
    RHEO_OK = 0,
    RHEO_INTERNAL = 1,    /* a promise of the library itself is broken */
    RHEO_USAGE = 2,       /* wrong arguments to the command or the API */
    RHEO_INVALID = 3,     /* a scene or an input file is not acceptable (too little memory counts here) */
    RHEO_DIVERGED = 4,    /* the state became non-finite; the last good frame is intact */
    RHEO_IO = 5,          /* reading or writing failed, disk full */
    RHEO_INTERRUPTED = 6, /* stopped on request, state saved */
} rheo_status;

/* Where, what, what is allowed, and a likely correction; empty strings where there is nothing to say. */
typedef struct rheo_report {
    rheo_status status;
    char file[512];    /* "dam.yaml", a mesh file, a cache directory */
    int line, column;  /* from 1; 0 when not known */
    char path[256];    /* "fluids[0].viscosity" */
    char message[512]; /* what was wrong */
    char allowed[512]; /* what would be right */
    char nearest[64];  /* the nearest known name */
} rheo_report;

/* One text of several lines, "file:line:column: path: message" first; returns the length as snprintf does. */
RHEO_API int rheo_print_report(char *text, int size, const rheo_report *report);

#ifdef __cplusplus
}
#endif
#endif
