/* PNG through libpng's simplified interface, which needs no long jumps. Limits: 8 bit, no alpha. */
#include "render/png_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/file.h"

enum { SIDE_MAX = 32768 };

rheo_status image_make(image *i, int width, int height, rheo_report *report) {
    *i = (image){0};
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX)
        return report_fail(report, RHEO_USAGE, "1 to 32768 pixels a side", "a picture of %d x %d pixels",
                           width, height);
    i->pixels = mem_alloc(3 * (size_t)width * (size_t)height);
    if (!i->pixels)
        return report_fail(report, RHEO_INVALID, "a smaller picture", "out of memory for %d x %d pixels",
                           width, height);
    i->width = width;
    i->height = height;
    return RHEO_OK;
}

void image_free(image *i) {
    mem_free(i->pixels);
    *i = (image){0};
}

static rheo_status fail_file(rheo_report *report, const char *file, const char *what, const char *why) {
    rheo_status status = report_fail(report, RHEO_IO, NULL, "cannot %s: %s", what, why);
    report_place(report, file, 0, 0, NULL);
    return status;
}

rheo_status png_write(const char *file, const image *i, rheo_report *report) {
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)i->width,
                     .height = (png_uint_32)i->height,
                     .format = PNG_FORMAT_RGB};
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
    unsigned char *coded = mem_alloc(bytes);
    if (!coded)
        return report_fail(report, RHEO_INVALID, "a smaller picture", "out of memory for writing a picture");
    file_writer w;
    rheo_status status = RHEO_OK;
    if (!png_image_write_to_memory(&png, coded, &bytes, 0, i->pixels, 0, NULL))
        status = fail_file(report, file, "write the picture", png.message);
    if (!status) status = file_open(&w, file, report);
    if (!status) {
        file_write(&w, coded, bytes);
        status = file_commit(&w, report);
    }
    mem_free(coded);
    return status;
}

rheo_status png_read(image *i, const char *file, rheo_report *report) {
    *i = (image){0};
    png_image png = {.version = PNG_IMAGE_VERSION};
    FILE *f = fopen(file, "rb");
    if (!f) return fail_file(report, file, "read the picture", strerror(errno));
    rheo_status status = RHEO_OK;
    if (!png_image_begin_read_from_stdio(&png, f)) {
        status = fail_file(report, file, "read the picture", png.message);
    } else {
        png.format = PNG_FORMAT_RGB;
        png_color white = {255, 255, 255};
        status = image_make(i, png.width > SIDE_MAX ? 0 : (int)png.width,
                            png.height > SIDE_MAX ? 0 : (int)png.height, report);
        if (!status && !png_image_finish_read(&png, &white, i->pixels, 0, NULL)) {
            status = fail_file(report, file, "read the picture", png.message);
            image_free(i);
        }
        png_image_free(&png);
    }
    fclose(f);
    return status;
}

bool png_read_size(int *width, int *height, const char *file) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    FILE *f = fopen(file, "rb");
    if (!f) return false;
    bool good = png_image_begin_read_from_stdio(&png, f) && png.width <= SIDE_MAX && png.height <= SIDE_MAX;
    if (good) {
        *width = (int)png.width;
        *height = (int)png.height;
    }
    png_image_free(&png);
    fclose(f);
    return good;
}
