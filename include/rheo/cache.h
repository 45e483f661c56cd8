/* Runs that leave a cache directory behind, and what can be read from one again. */
#ifndef RHEO_CACHE_H
#define RHEO_CACHE_H

#include <rheo/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rheo_run_options {
    const char *out; /* directory, made if need be; NULL writes nothing */
    int threads;     /* 0: all cores */
    bool resume;     /* go on from the newest good checkpoint in `out` */
    bool overwrite;  /* without resume: replace a finished, other or damaged cache in `out` (else refused
                        with a message) */
    const volatile int *cancel; /* looked at between steps; may be NULL */
    void (*on_start)(void *user, rheo_sim *sim, int first_frame);
    void (*on_frame)(void *user, rheo_sim *sim, const rheo_frame_stats *stats);
    void *user;
} rheo_run_options;

typedef struct rheo_run_summary {
    int frames; /* the last frame written */
    double seconds;
    size_t peak_memory; /* bytes, of the process */
    bool kept_damaged;  /* an unreadable manifest was replaced, and stays as RHEO_DAMAGED_MANIFEST */
} rheo_run_summary;
#define RHEO_DAMAGED_MANIFEST "manifest.json.damaged"

RHEO_API rheo_status rheo_run_scene(rheo_run_summary *summary, const rheo_scene *scene,
                                    const rheo_run_options *options, rheo_report *report);

/* Makes the meshes of a cache anew from its particles or checkpoints; surface NULL: as the scene said. */
RHEO_API rheo_status rheo_remesh_cache(int *meshes, const char *cache, const rheo_surface *surface,
                                       int threads, rheo_report *report);

enum { RHEO_PROBLEMS_TOLD = 10 };

typedef struct rheo_cache_info {
    char title[256], scene_file[512], version[32],
        status[32];              /* status: "running", "done", "interrupted", "diverged", "failed" */
    int first_frame, last_frame; /* complete frames; last < first when none */
    double fps;
    int dim, cells[3];
    double dx;
    int meshes, particles, volumes, checkpoints, pictures; /* files found whole */
    size_t bytes;
    int problem_count; /* files that are not whole; 1 when the manifest cannot be read */
    char problem[512]; /* "" or what is wrong with the first: missing, truncated, checksum differs */
    char further[RHEO_PROBLEMS_TOLD - 1][512]; /* with the next ones */
} rheo_cache_info;
/* verify: also compare all checksums. A damaged cache is RHEO_INVALID with `problem` filled as far as read.
 */
RHEO_API rheo_status rheo_read_cache_info(rheo_cache_info *info, const char *cache, bool verify,
                                          rheo_report *report);

#ifdef __cplusplus
}
#endif
#endif
