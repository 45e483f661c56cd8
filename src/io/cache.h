/* A cache directory: where its files are and what its manifest says.
 *
 * OUT/manifest.json lists the complete frames, each with its files, their sizes and checksums; what is not
 * listed does not count. It is replaced as a whole after a frame's files are in place, so a reader never sees
 * half a frame. */
#ifndef IO_CACHE_H
#define IO_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <rheo/sim.h>
#include "io/file.h"

enum { CACHE_FORMAT = 1, CACHE_NAME_MAX = 192 };

typedef enum cache_kind {
    CACHE_MESH,      /* mesh/NAME.NNNNNN.ply */
    CACHE_PARTICLES, /* particles/NAME.NNNNNN.ply */
    CACHE_SPRAY,     /* particles/spray.NNNNNN.ply: those outside the surface */
    CACHE_VOLUME,    /* volume/NAME.NNNNNN.h5 */
    CACHE_BODIES,    /* bodies/bodies.NNNNNN.json */
    CACHE_PROBE,     /* probes/NAME.csv, its size and checksum as of the frame */
    CACHE_STATE,     /* state/state.NNNNNN.h5 */
    CACHE_PICTURE,   /* frames/frame.NNNNNN.png; never in the manifest */
    CACHE_KINDS
} cache_kind;

typedef struct cache_file {
    cache_kind kind;
    int frame;
    bool partial;              /* state: some steps past the frame's end */
    char name[CACHE_NAME_MAX]; /* below the cache directory */
    uint64_t bytes, checksum;
} cache_file;

/* What must be the same in a scene for a run to go on, a checksum a section. */
enum { CACHE_SECTIONS = 8 };
extern const char *const cache_sections[CACHE_SECTIONS];

typedef struct cache_manifest {
    char version[32], status[32], title[256];
    char scene_file[512];
    char *scene;  /* the scene file's text; NULL when the scene was made by a program */
    char *values; /* all values as they were in force (--set, materials and defaults included), a scene in
                     JSON */
    uint64_t section[CACHE_SECTIONS];
    double fps;
    int dim, cells[3];
    double dx;                    /* m */
    char surface[CACHE_NAME_MAX]; /* NAME in mesh/NAME.NNNNNN.ply, of several fluids the first one's */
    int frame_count;              /* complete: 0 ... frame_count - 1 */
    cache_file *files;            /* of frames and checkpoints, in the order written */
    size_t file_count, file_capacity;
} cache_manifest;

/* CACHE/mesh/NAME.000012.ply and so on; `name` is ignored where the kind has a fixed one. False: too long. */
bool cache_path(char path[FILE_PATH_MAX], const char *cache, cache_kind kind, const char *name, int frame);
/* The part of it below the cache. */
void cache_name(char name[CACHE_NAME_MAX], cache_kind kind, const char *stem, int frame);
/* A file name from any text: letters, digits, '-' and '_'. */
void cache_stem(char stem[CACHE_NAME_MAX], const char *text, const char *otherwise);
/* The stem of a fluid's own files, counted from 0; no two are alike. */
void cache_fluid_stem(char stem[CACHE_NAME_MAX], const rheo_scene *scene, int fluid);
const char *cache_directory(cache_kind kind);

rheo_status cache_read_manifest(cache_manifest *m, const char *cache, rheo_report *report);
rheo_status cache_parse_manifest(cache_manifest *m, const char *text, size_t count, const char *path,
                                 rheo_report *report);
rheo_status cache_write_manifest(const cache_manifest *m, const char *cache, rheo_report *report);
void cache_free_manifest(cache_manifest *m);
bool cache_add_file(cache_manifest *m, const cache_file *file); /* false: no memory */
/* The frame's file of a kind, or NULL. */
const cache_file *cache_find_file(const cache_manifest *m, cache_kind kind, int frame);
/* The one of them that is called so. */
const cache_file *cache_find_stem(const cache_manifest *m, cache_kind kind, const char *stem, int frame);
/* Where a scene's liquid has meshes by fluid: how many, else 1. */
int cache_meshes(const rheo_scene *scene);
/* One of them. */
rheo_status cache_make_mesh(rheo_mesh *mesh, rheo_sim *sim, const rheo_scene *scene, int index,
                            rheo_report *report);

/* Two runs in one directory would spoil each other: RHEO_IO when another holds it. Closing the descriptor
 * lets go. */
rheo_status cache_lock(int *descriptor, const char *cache, rheo_report *report);

/* The scene of the manifest as it was in force, loaded again. Free with rheo_free_scene. */
rheo_status cache_load_scene(rheo_scene **scene, const cache_manifest *m, rheo_report *report);

/* The path of a listed file that is as long as it was written and has its checksum; RHEO_INVALID otherwise,
 * RHEO_IO when it cannot be read. */
rheo_status cache_whole_file(char path[FILE_PATH_MAX], const char *cache, const cache_file *file,
                             rheo_report *report);

/* Bodies of a frame as written by the run; at most `most`, names cut to 63 letters. */
typedef struct cache_body {
    char name[64];
    rheo_body_stats body;
} cache_body;
rheo_status cache_read_bodies(cache_body *bodies, int *count, int most, const char *path,
                              rheo_report *report);
rheo_status cache_parse_bodies(cache_body *bodies, int *count, int most, const char *text, size_t size,
                               const char *path, rheo_report *report);
/* Where the frame's file has the scene's solids that are not static, one each in their order; NULL without
 * such a file. Free with mem_free. */
rheo_status cache_load_bodies(rheo_body_stats **bodies, const char *cache, const cache_manifest *m,
                              const rheo_scene *scene, int frame, rheo_report *report);
#endif
