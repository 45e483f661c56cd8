/* A file is built in memory (the `core` driver) and goes to disk through io/file.h: HDF5 cannot recover from
 * a write that fails half-way, a full disk must. It costs the compressed size in memory while it is written.
 * No times are stored, so equal contents give equal files. */
#include "io/h5.h"

#include "core/report.h"

enum {
    DEFLATE_LEVEL = 1,  /* higher levels gain a few per cent and cost several times more */
    COMPRESS_LEAST = 64 /* elements: fewer are shorter as they are, in the file's own headers */
};

h5_silence h5_be_silent(void) {
    h5_silence s = {0};
    H5Eget_auto2(H5E_DEFAULT, &s.function, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

void h5_speak_again(h5_silence s) {
    H5Eset_auto2(H5E_DEFAULT, s.function, s.data);
}

hid_t h5_create(const char *path) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, (size_t)1 << 22, false);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    H5Pset_obj_track_times(creation, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

/* The finished image, without copying it. */
rheo_status h5_save(file_writer *w, hid_t file, const char *path, rheo_report *report) {
    void **image = NULL;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return report_no_memory(report, "an HDF5 file");
    ssize_t size = H5Fget_file_image(file, NULL, 0); /* the used part; the image itself has spare room */
    if (size <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) < 0 || !image || !*image)
        return report_fail(report, RHEO_INTERNAL, NULL, "HDF5 gave no image of a file");
    rheo_status status = file_open(w, path, report);
    if (status != RHEO_OK) return status;
    file_write(w, *image, (size_t)size);
    return file_commit(w, report);
}

static int put_attribute(hid_t file, const char *name, hid_t space, hid_t stored, hid_t native,
                         const void *value) {
    hid_t a = H5Acreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    int failed = a < 0 || H5Awrite(a, native, value) < 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    return failed;
}

static int get_attribute(hid_t file, const char *name, int count, hid_t native, void *value) {
    if (H5Aexists(file, name) <= 0) return -1;
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    if (a < 0) return -1;
    hid_t space = H5Aget_space(a);
    int failed = space < 0 || H5Sget_simple_extent_npoints(space) != count || H5Aread(a, native, value) < 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(a);
    return failed ? -1 : 0;
}

int h5_put_whole(hid_t file, const char *name, uint64_t value) {
    return put_attribute(file, name, H5Screate(H5S_SCALAR), H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

int h5_get_whole(hid_t file, const char *name, uint64_t *value) {
    return get_attribute(file, name, 1, H5T_NATIVE_UINT64, value);
}

int h5_put_reals(hid_t file, const char *name, const double *values, int count) {
    hsize_t size = (hsize_t)count;
    return put_attribute(file, name, H5Screate_simple(1, &size, NULL), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                         values);
}

int h5_get_reals(hid_t file, const char *name, double *values, int count) {
    return get_attribute(file, name, count, H5T_NATIVE_DOUBLE, values);
}

int h5_put_array(hid_t file, const char *name, hid_t stored, hid_t native, int rank, const hsize_t *size,
                 const hsize_t *chunk, const void *data) {
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, size, NULL), set = -1;
    const hssize_t elements = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const bool any = elements > 0;
    int failed = how < 0 || space < 0 || H5Pset_obj_track_times(how, false) < 0;
    if (!failed && any && elements < COMPRESS_LEAST) failed = H5Pset_layout(how, H5D_COMPACT) < 0;
    else if (!failed && any)
        failed = H5Pset_chunk(how, rank, chunk) < 0 || H5Pset_shuffle(how) < 0 ||
                 H5Pset_deflate(how, DEFLATE_LEVEL) < 0 || H5Pset_fletcher32(how) < 0;
    if (!failed) set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set < 0) failed = 1;
    if (!failed && any) failed = H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return failed;
}

int h5_get_array(hid_t file, const char *name, hid_t stored, hid_t native, size_t count, void *data) {
    hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    hid_t type = set >= 0 ? H5Dget_type(set) : -1, space = set >= 0 ? H5Dget_space(set) : -1;
    int failed = type < 0 || space < 0 || H5Tequal(type, stored) <= 0 ||
                 H5Sget_simple_extent_npoints(space) != (hssize_t)count;
    if (!failed && count) failed = H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return failed;
}
