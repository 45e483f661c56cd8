/* One frame's files. */
#ifndef IO_FRAME_H
#define IO_FRAME_H

#include "io/cache.h"

/* Writes what the scene asks for and lists it in the manifest as the frame after the last; the manifest
 * itself is not written. On failure the frame's files are gone and the manifest is as before. stats gets the
 * surface's area and the time taken. */
rheo_status frame_write(cache_manifest *m, rheo_frame_stats *stats, const char *cache, rheo_sim *sim,
                        const rheo_scene *scene, rheo_report *report);

/* Drops the frames after `last` from the manifest; probes are cut by frame_cut_probes. */
void frame_drop_after(cache_manifest *m, int last);
/* Brings probes/ to what the manifest's last frame says. */
rheo_status frame_cut_probes(const cache_manifest *m, const char *cache, const rheo_scene *scene,
                             rheo_report *report);
#endif
