/* 8 bit RGB pictures in PNG files. */
#ifndef RENDER_PNG_FILE_H
#define RENDER_PNG_FILE_H

#include <stdbool.h>
#include <rheo/status.h>

enum { NOTE_MAX = 64 };

typedef struct image {
    int width, height;
    unsigned char *pixels; /* [height][width][3], sRGB */
    char note[NOTE_MAX];   /* goes into the file as text, under the keyword "rheo"; empty: none */
} image;

rheo_status image_make(image *i, int width, int height, rheo_report *report);
void image_free(image *i);
/* Under a temporary name first: a file of this name is always whole. */
rheo_status png_write(const char *file, const image *i, rheo_report *report);
/* Any PNG, brought to 8 bit RGB over white. */
rheo_status png_read(image *i, const char *file, rheo_report *report);
/* From the header alone; false when it is not a PNG that can be read. */
bool png_read_size(int *width, int *height, const char *file);
/* The note that png_write() put there; empty where there is none. */
void png_read_note(char note[NOTE_MAX], const char *file);
#endif
