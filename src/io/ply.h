/* Binary little-endian PLY: surfaces with normals and velocities, and particles. Metres, m/s, degrees C. */
#ifndef IO_PLY_H
#define IO_PLY_H

#include <rheo/sim.h>
#include "io/file.h"

typedef struct ply_particles {
    size_t count;
    float (*position)[3]; /* m */
    float (*velocity)[3]; /* m/s */
    float (*rest)[3];     /* m */
    uint32_t *id;
    float *radius;      /* m, of a sphere of the particle's own volume */
    float *temperature; /* degrees C */
    float *density;     /* relative to rest, 0 where the file has none */
    uint8_t *fluid;     /* index in the scene's list */
} ply_particles;

enum { PLY_ALL, PLY_SPRAY };

/* `file` gets size and checksum when not NULL. */
rheo_status ply_write_mesh(const char *path, const rheo_mesh *mesh, file_writer *file, rheo_report *report);
/* which: all particles, or those outside the surface only. */
rheo_status ply_write_particles(const char *path, const rheo_particle_view *view, int which,
                                double temperature, file_writer *file, rheo_report *report);

/* What is missing in the file (all but the position) is zero. Free with rheo_free_mesh, ply_free_particles.
 * On failure nothing needs freeing. */
rheo_status ply_read_mesh(rheo_mesh *mesh, const char *path, rheo_report *report);
rheo_status ply_read_particles(ply_particles *particles, const char *path, rheo_report *report);
void ply_free_particles(ply_particles *particles);

/* The same from memory; `path` is for messages. */
rheo_status ply_parse_mesh(rheo_mesh *mesh, const unsigned char *data, size_t count, const char *path,
                           rheo_report *report);
rheo_status ply_parse_particles(ply_particles *particles, const unsigned char *data, size_t count,
                                const char *path, rheo_report *report);
#endif
