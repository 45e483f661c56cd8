/* Volumes of smoke: density and temperature on the grid, an HDF5 file a frame (docs/caches.md). */
#ifndef IO_VOLUME_H
#define IO_VOLUME_H

#include "io/cache.h"

enum { VOLUME_FORMAT = 1 };

/* Cell (i, j, k) is at [i + cells[0] * (j + cells[1] * k)]. */
typedef struct volume {
    int cells[3];
    double dx, origin[3]; /* m */
    float *density;       /* 1: as thick as it comes; 0 deep in solids */
    float *temperature;   /* degrees C */
} volume;

rheo_status volume_write(const char *path, const rheo_volume_view *view, int frame, file_writer *w,
                         rheo_report *report);
/* Size and checksum must be the manifest's: HDF5's own reader is not made for damaged files. */
rheo_status volume_read(volume *v, const char *cache, const cache_file *file, rheo_report *report);
void volume_free(volume *v);
#endif
