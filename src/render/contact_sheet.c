/* Contact sheets: evenly chosen pictures, each pixel the mean of the light over the area it covers.
 *
 *     small(x, y) = sum over pixels p of area(p and cell) big(p) / area(cell),    in linear light, not in
 * sRGB codes. */
#include <rheo/render.h>

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "io/cache.h"
#include "render/contact_sheet.h"
#include "render/optics.h"
#include "render/picture_list.h"

enum { PLACES_MAX = 400 };

sheet_layout sheet_plan(int columns, int rows, int pictures, int picture_width, int picture_height) {
    sheet_layout l = {.columns = columns < pictures ? columns : pictures};
    int needed = (pictures + l.columns - 1) / l.columns;
    l.rows = rows < needed ? rows : needed;
    l.width = (SHEET_WIDTH - (l.columns + 1) * SHEET_GAP) / l.columns;
    if (l.width > picture_width) l.width = picture_width;
    if (l.width < 16) l.width = 16;
    l.height = (int)((double)l.width * picture_height / picture_width + 0.5);
    if (l.height < 1) l.height = 1;
    l.sheet[0] = l.columns * l.width + (l.columns + 1) * SHEET_GAP;
    l.sheet[1] = l.rows * l.height + (l.rows + 1) * SHEET_GAP;
    return l;
}

int sheet_choose(int i, int places, int pictures) {
    if (places < 2) return 0;
    return (int)(((long)i * (pictures - 1) + (places - 1) / 2) / (places - 1));
}

static void shrink_pixel(unsigned char out[3], const image *big, const double low[2], const double high[2],
                         const float linear[256]) {
    double sum[3] = {0}, area = 0;
    for (int y = (int)low[1]; y < big->height && y < high[1]; ++y)
        for (int x = (int)low[0]; x < big->width && x < high[0]; ++x) {
            double across = fmin(high[0], x + 1) - fmax(low[0], x),
                   down = fmin(high[1], y + 1) - fmax(low[1], y);
            const unsigned char *p = big->pixels + 3 * ((size_t)y * (size_t)big->width + (size_t)x);
            area += across * down;
            for (int c = 0; c < 3; ++c) sum[c] += across * down * (double)linear[p[c]];
        }
    for (int c = 0; c < 3; ++c) out[c] = optics_srgb((float)(sum[c] / area));
}

void image_shrink(image *small, const image *big) {
    float linear[256];
    for (int v = 0; v < 256; ++v) linear[v] = optics_linear((unsigned char)v);
    const double step[2] = {(double)big->width / small->width, (double)big->height / small->height};
    for (int y = 0; y < small->height; ++y)
        for (int x = 0; x < small->width; ++x) {
            const double low[2] = {x * step[0], y * step[1]},
                         high[2] = {(x + 1) * step[0], (y + 1) * step[1]};
            shrink_pixel(small->pixels + 3 * ((size_t)y * (size_t)small->width + (size_t)x), big, low, high,
                         linear);
        }
}

static void paste(image *sheet, const image *small, int left, int top) {
    for (int y = 0; y < small->height; ++y)
        memcpy(sheet->pixels + 3 * ((size_t)(top + y) * (size_t)sheet->width + (size_t)left),
               small->pixels + 3 * (size_t)y * (size_t)small->width, 3 * (size_t)small->width);
}

static rheo_status read_picture(image *i, const char *cache, int frame, rheo_report *report) {
    char path[FILE_PATH_MAX];
    if (!cache_path(path, cache, CACHE_PICTURE, NULL, frame))
        return report_fail(report, RHEO_IO, NULL, "the cache's path is too long");
    return png_read(i, path, report);
}

static rheo_status fill_sheet(image *sheet, const sheet_layout *l, const picture_list *list,
                              const char *cache, rheo_report *report) {
    int places = l->columns * l->rows;
    if (places > list->count) places = list->count;
    image small;
    rheo_status status = image_make(&small, l->width, l->height, report);
    for (int i = 0; !status && i < places; ++i) {
        image big;
        status = read_picture(&big, cache, list->frame[sheet_choose(i, places, list->count)], report);
        if (status) break;
        image_shrink(&small, &big);
        image_free(&big);
        paste(sheet, &small, SHEET_GAP + i % l->columns * (l->width + SHEET_GAP),
              SHEET_GAP + i / l->columns * (l->height + SHEET_GAP));
    }
    image_free(&small);
    return status;
}

static rheo_status make_sheet(const char *file, const char *cache, const picture_list *list, int columns,
                              int rows, rheo_report *report) {
    image first, sheet = {0};
    rheo_status status = read_picture(&first, cache, list->frame[0], report);
    if (status) return status;
    sheet_layout l = sheet_plan(columns, rows, list->count, first.width, first.height);
    image_free(&first);
    status = image_make(&sheet, l.sheet[0], l.sheet[1], report);
    if (!status) {
        memset(sheet.pixels, 24, 3 * (size_t)sheet.width * (size_t)sheet.height);
        status = fill_sheet(&sheet, &l, list, cache, report);
    }
    if (!status) status = png_write(file, &sheet, report);
    image_free(&sheet);
    return status;
}

rheo_status rheo_make_contact_sheet(const char *png_file, const char *cache, int columns, int rows,
                                    rheo_report *report) {
    if (!png_file || !cache)
        return report_fail(report, RHEO_USAGE, NULL, "a file and a cache directory are needed");
    if (columns < 1 || rows < 1 || columns > PLACES_MAX / rows)
        return report_fail(report, RHEO_USAGE, "1 x 1 to 400 pictures in all", "a sheet of %d x %d pictures",
                           columns, rows);
    picture_list list;
    rheo_status status = picture_list_read(&list, cache, report);
    if (status) return status;
    status = make_sheet(png_file, cache, &list, columns, rows, report);
    picture_list_free(&list);
    return status;
}
