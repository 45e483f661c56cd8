/* Pictures and movies from a cache. */
#ifndef RHEO_RENDER_H
#define RHEO_RENDER_H

#include <rheo/cache.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rheo_render_options {
    int width, height;           /* pixels; 640 x 360 */
    int samples;                 /* rays a pixel; 4 */
    int first_frame, last_frame; /* -1: all there are */
    int every;                   /* 1: each frame */
    int threads;                 /* 0: all cores */
    bool redo;                   /* also frames whose picture is up to date */
    const volatile int *cancel;
    void (*on_frame)(void *user, int frame, int done, int total);
    void *user;
} rheo_render_options;

RHEO_API rheo_render_options rheo_default_render_options(void);
/* Writes CACHE/frames/frame.NNNNNN.png; `pictures` counts them. */
RHEO_API rheo_status rheo_render_cache(int *pictures, const char *cache, const rheo_render_options *options,
                                       rheo_report *report);
/* What can be known before pictures are drawn: names that end like a movie's (.mp4, .m4v, .mov, .mkv) and,
 * unless it is NULL, a sheet's (.png), else RHEO_USAGE; a cache; places that can be written to and the ffmpeg
 * command, else RHEO_IO. */
RHEO_API rheo_status rheo_check_movie(const char *movie_file, const char *sheet_file, const char *cache,
                                      rheo_report *report);
/* CACHE/frames -> H.264 through the ffmpeg command, in the container that the name's ending says. */
RHEO_API rheo_status rheo_make_movie(const char *movie_file, const char *cache, rheo_report *report);
/* columns x rows evenly chosen pictures of CACHE/frames in one PNG. */
RHEO_API rheo_status rheo_make_contact_sheet(const char *png_file, const char *cache, int columns, int rows,
                                             rheo_report *report);

#ifdef __cplusplus
}
#endif
#endif
