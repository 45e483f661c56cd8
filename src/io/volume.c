/* HDF5: root attributes format, frame, dx and origin [m]; datasets density and temperature, float, of the
 * sizes [z][y][x]. In solids the smoke beside them is continued by one cell, so that it can be interpolated;
 * deeper there is none. */
#include "io/volume.h"

#include <stdio.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/h5.h"

enum { CELLS_MAX = 1 << 14 };

static size_t count_cells(const volume *v) {
    return (size_t)v->cells[0] * (size_t)v->cells[1] * (size_t)v->cells[2];
}

static bool make(volume *v) {
    v->density = mem_alloc(count_cells(v) * sizeof *v->density);
    v->temperature = mem_alloc(count_cells(v) * sizeof *v->temperature);
    return v->density && v->temperature;
}

void volume_free(volume *v) {
    mem_free(v->density);
    mem_free(v->temperature);
    *v = (volume){0};
}

/* A cell in a solid whose neighbours are all in solids too. */
static bool is_inside(const rheo_volume_view *view, int i, int j, int k) {
    const ptrdiff_t at = i + j * view->row + k * view->plane, step[3] = {1, view->row, view->plane};
    const int cell[3] = {i, j, k};
    float open = view->share[at];
    for (int a = 0; a < 3; ++a) {
        if (cell[a] > 0) open += view->share[at - step[a]];
        if (cell[a] < view->cells[a] - 1) open += view->share[at + step[a]];
    }
    return open <= 0;
}

static bool copy_view(volume *v, const rheo_volume_view *view) {
    *v = (volume){.dx = view->dx};
    for (int a = 0; a < 3; ++a) {
        v->cells[a] = view->cells[a];
        v->origin[a] = view->origin[a];
    }
    if (!make(v)) return false;
    size_t to = 0;
    for (int k = 0; k < v->cells[2]; ++k)
        for (int j = 0; j < v->cells[1]; ++j)
            for (int i = 0; i < v->cells[0]; ++i, ++to) {
                const ptrdiff_t from = i + j * view->row + k * view->plane;
                v->density[to] = is_inside(view, i, j, k) ? 0 : view->density[from];
                v->temperature[to] = view->temperature[from];
            }
    return true;
}

static int build(hid_t file, const volume *v, int frame) {
    const hsize_t size[3] = {(hsize_t)v->cells[2], (hsize_t)v->cells[1], (hsize_t)v->cells[0]};
    const hsize_t chunk[3] = {size[0] < 16 ? size[0] : 16, size[1] < 64 ? size[1] : 64,
                              size[2] < 64 ? size[2] : 64};
    return h5_put_whole(file, "format", VOLUME_FORMAT) || h5_put_whole(file, "frame", (uint64_t)frame) ||
           h5_put_reals(file, "dx", &v->dx, 1) || h5_put_reals(file, "origin", v->origin, 3) ||
           h5_put_array(file, "density", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, size, chunk, v->density) ||
           h5_put_array(file, "temperature", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, size, chunk,
                        v->temperature);
}

rheo_status volume_write(const char *path, const rheo_volume_view *view, int frame, file_writer *w,
                         rheo_report *report) {
    volume v;
    if (!copy_view(&v, view)) {
        volume_free(&v);
        return report_no_memory(report, "a volume");
    }
    h5_silence before = h5_be_silent();
    hid_t file = h5_create(path);
    rheo_status status = file < 0 || build(file, &v, frame) ? report_no_memory(report, "a volume")
                                                            : h5_save(w, file, path, report);
    if (file >= 0) H5Fclose(file);
    h5_speak_again(before);
    volume_free(&v);
    return status;
}

/* ---- reading ---- */

static rheo_status damaged(rheo_report *report, const char *path, const char *message) {
    report_fail(report, RHEO_INVALID, "a volume as rheo wrote it", "%s", message);
    report_place(report, path, 0, 0, NULL);
    return RHEO_INVALID;
}

/* The sizes of a dataset, x first; 0 when they are not those of a volume. */
static int read_sizes(int cells[3], hid_t file, const char *name) {
    hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    hsize_t size[3] = {0, 0, 0};
    int good = space >= 0 && H5Sget_simple_extent_ndims(space) == 3 &&
               H5Sget_simple_extent_dims(space, size, NULL) == 3;
    for (int a = 0; a < 3; ++a) {
        good = good && size[a] >= 1 && size[a] <= CELLS_MAX;
        cells[2 - a] = (int)(good ? size[a] : 0);
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return good;
}

static rheo_status read_file(volume *v, const char *path, rheo_report *report) {
    uint64_t format = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    rheo_status status = RHEO_OK;
    if (file < 0 || h5_get_whole(file, "format", &format)) status = damaged(report, path, "not a volume");
    else if (format != VOLUME_FORMAT) status = damaged(report, path, "a volume of another version of rheo");
    else if (h5_get_reals(file, "dx", &v->dx, 1) || h5_get_reals(file, "origin", v->origin, 3) ||
             !read_sizes(v->cells, file, "density"))
        status = damaged(report, path, "a volume without a size");
    else if (!make(v)) status = report_no_memory(report, "a volume");
    else if (h5_get_array(file, "density", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, count_cells(v), v->density) ||
             h5_get_array(file, "temperature", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, count_cells(v),
                          v->temperature))
        status = damaged(report, path, "a damaged volume");
    if (file >= 0) H5Fclose(file);
    return status;
}

rheo_status volume_read(volume *v, const char *cache, const cache_file *listed, rheo_report *report) {
    char path[FILE_PATH_MAX];
    uint64_t size, sum;
    *v = (volume){0};
    if (snprintf(path, sizeof path, "%s/%s", cache, listed->name) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    if (file_measure(&size, &sum, path, UINT64_MAX)) return damaged(report, path, "a volume is missing");
    if (size != listed->bytes || sum != listed->checksum) return damaged(report, path, "a volume is damaged");
    h5_silence before = h5_be_silent();
    const rheo_status status = read_file(v, path, report);
    h5_speak_again(before);
    if (status != RHEO_OK) volume_free(v);
    return status;
}
