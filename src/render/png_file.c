/* PNG through libpng's simplified interface, which needs no long jumps. That knows no text, so a note is a
 * tEXt chunk set by hand behind the header (PNG specification, 2nd edition: 5.3 layout, annex D the
 * CRC, 11.3.4.3 tEXt). Limits: 8 bit, no alpha; only a note in that very place is found again. */
#include "render/png_file.h"

#include <errno.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/file.h"

enum { SIDE_MAX = 32768, HEADER = 8 + 25 }; /* signature and IHDR */

static const char KEYWORD[] = "rheo"; /* with the 0 that ends a keyword in the file too */

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

/* ---- notes ---- */

static uint32_t crc(const unsigned char *bytes, size_t count) {
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; ++i) {
        c ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    }
    return ~c;
}

static void put_big_endian(unsigned char to[4], uint32_t value) {
    for (int i = 0; i < 4; ++i) to[i] = (unsigned char)(value >> (24 - 8 * i));
}

enum { CHUNK_MAX = 12 + sizeof KEYWORD + NOTE_MAX };

/* Length, type, keyword and text, CRC; returns the bytes of it all. */
static size_t make_chunk(unsigned char chunk[CHUNK_MAX], const char *note) {
    const size_t text = strnlen(note, NOTE_MAX - 1), held = sizeof KEYWORD + text;
    if (!text) return 0;
    put_big_endian(chunk, (uint32_t)held);
    memcpy(chunk + 4, "tEXt", 4);
    memcpy(chunk + 8, KEYWORD, sizeof KEYWORD);
    memcpy(chunk + 8 + sizeof KEYWORD, note, text);
    put_big_endian(chunk + 8 + held, crc(chunk + 4, 4 + held));
    return 12 + held;
}

void png_read_note(char note[NOTE_MAX], const char *file) {
    unsigned char head[HEADER + CHUNK_MAX] = {0}, again[CHUNK_MAX];
    FILE *f = fopen(file, "rb");
    const size_t read = f ? fread(head, 1, sizeof head, f) : 0, first = HEADER + 8 + sizeof KEYWORD;
    if (f) fclose(f);
    memset(note, 0, NOTE_MAX);
    if (read < first || memcmp(head + HEADER, "\0\0\0", 3) || head[HEADER + 3] <= sizeof KEYWORD) return;
    const size_t text = head[HEADER + 3] - sizeof KEYWORD;
    if (text >= NOTE_MAX) return;
    memcpy(note, head + first, text);
    const size_t bytes = make_chunk(again, note); /* whole, and ours, if it comes out the same */
    if (memcmp(head + HEADER, again, bytes)) memset(note, 0, NOTE_MAX);
}

/* ---- pictures ---- */

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
        unsigned char note[CHUNK_MAX];
        file_write(&w, coded, HEADER);
        file_write(&w, note, make_chunk(note, i->note));
        file_write(&w, coded + HEADER, bytes - HEADER);
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
