/* HDF5: one dataset an array, chunked, byte-shuffled, deflated, Fletcher-32 a chunk; attributes of the root
 * group say format, rheo's version, frame and scene. No times are stored, so equal states give equal files.
 *
 * The file is built in memory (the `core` driver) and goes to disk through io/file.h: HDF5 cannot recover
 * from a write that fails half-way, a full disk must. It costs the compressed size in memory while it is
 * written. Before reading, the file's checksum is held against the manifest's: HDF5's own reader is not made
 * for damaged files. */
#include "io/checkpoint.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

struct checkpoint {
    hid_t file;
};

enum {
    CHUNK = 1 << 16,
    DEFLATE_LEVEL = 1
}; /* elements; higher levels gain a few per cent and cost several times more */

static hid_t stored_type(state_type type) {
    switch (type) {
    case STATE_F32: return H5T_IEEE_F32LE;
    case STATE_F64: return H5T_IEEE_F64LE;
    case STATE_U32: return H5T_STD_U32LE;
    case STATE_U8: return H5T_STD_U8LE;
    default: return H5T_STD_I64LE;
    }
}

static hid_t native_type(state_type type) {
    switch (type) {
    case STATE_F32: return H5T_NATIVE_FLOAT;
    case STATE_F64: return H5T_NATIVE_DOUBLE;
    case STATE_U32: return H5T_NATIVE_UINT32;
    case STATE_U8: return H5T_NATIVE_UINT8;
    default: return H5T_NATIVE_INT64;
    }
}

/* HDF5 prints its errors unless told not to; the teller is put back afterwards. */
typedef struct silence {
    H5E_auto2_t function;
    void *data;
} silence;
static silence be_silent(void) {
    silence s = {0};
    H5Eget_auto2(H5E_DEFAULT, &s.function, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}
static void speak_again(silence s) {
    H5Eset_auto2(H5E_DEFAULT, s.function, s.data);
}

static int put_attribute(hid_t file, const char *name, uint64_t value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int failed = a < 0 || H5Awrite(a, H5T_NATIVE_UINT64, &value) < 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    return failed;
}

static int get_attribute(hid_t file, const char *name, uint64_t *value) {
    if (H5Aexists(file, name) <= 0) return -1;
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    if (a < 0) return -1;
    hid_t space = H5Aget_space(a);
    int failed =
        space < 0 || H5Sget_simple_extent_npoints(space) != 1 || H5Aread(a, H5T_NATIVE_UINT64, value) < 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(a);
    return failed ? -1 : 0;
}

static int put_array(hid_t file, const state_array *array) {
    hsize_t size = array->count, chunk = array->count < CHUNK ? array->count : CHUNK;
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL), set = -1;
    int failed = how < 0 || space < 0 || H5Pset_obj_track_times(how, false) < 0;
    if (!failed && array->count)
        failed = H5Pset_chunk(how, 1, &chunk) < 0 || H5Pset_shuffle(how) < 0 ||
                 H5Pset_deflate(how, DEFLATE_LEVEL) < 0 || H5Pset_fletcher32(how) < 0;
    if (!failed)
        set = H5Dcreate2(file, array->name, stored_type(array->type), space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set < 0) failed = 1;
    if (!failed && array->count)
        failed = H5Dwrite(set, native_type(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return failed;
}

static int build(hid_t file, const checkpoint_head *head, const state_array *arrays, int count) {
    int failed = put_attribute(file, "format", CHECKPOINT_FORMAT) ||
                 put_attribute(file, "frame", (uint64_t)head->frame) ||
                 put_attribute(file, "partial", head->partial) || put_attribute(file, "scene", head->scene);
    for (int i = 0; i < count && !failed; ++i) failed = put_array(file, &arrays[i]);
    return failed || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
}

/* The finished image of a `core` file, without copying it. */
static rheo_status save_image(file_writer *w, hid_t file, const char *path, rheo_report *report) {
    void **image = NULL;
    ssize_t size = H5Fget_file_image(file, NULL, 0); /* the used part; the image itself has spare room */
    if (size <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) < 0 || !image || !*image)
        return report_fail(report, RHEO_INTERNAL, NULL, "HDF5 gave no image of a checkpoint");
    rheo_status status = file_open(w, path, report);
    if (status != RHEO_OK) return status;
    file_write(w, *image, (size_t)size);
    return file_commit(w, report);
}

void checkpoint_name(char name[CACHE_NAME_MAX], int frame, bool partial) {
    if (partial) snprintf(name, CACHE_NAME_MAX, "%s/partial.%06d.h5", cache_directory(CACHE_STATE), frame);
    else cache_name(name, CACHE_STATE, NULL, frame);
}

rheo_status checkpoint_write(cache_file *file, const char *cache, const checkpoint_head *head,
                             const state_array *arrays, int count, rheo_report *report) {
    char path[FILE_PATH_MAX];
    file_writer w;
    *file = (cache_file){.kind = CACHE_STATE, .frame = head->frame, .partial = head->partial};
    checkpoint_name(file->name, head->frame, head->partial);
    if (snprintf(path, sizeof path, "%s/%s", cache, file->name) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    silence before = be_silent();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, (size_t)1 << 22, false);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(creation, false);
    hid_t image = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    rheo_status status;
    if (image < 0 || build(image, head, arrays, count)) status = report_no_memory(report, "a checkpoint");
    else status = save_image(&w, image, path, report);
    if (image >= 0) H5Fclose(image);
    speak_again(before);
    if (status != RHEO_OK) return status;
    file->bytes = w.bytes;
    file->checksum = w.checksum;
    return RHEO_OK;
}

/* ---- reading ---- */

static rheo_status damaged(rheo_report *report, const char *path, const char *message) {
    report_fail(report, RHEO_INVALID, "a checkpoint as rheo wrote it", "%s", message);
    report_place(report, path, 0, 0, NULL);
    return RHEO_INVALID;
}

rheo_status checkpoint_open(checkpoint **c, checkpoint_head *head, const char *path, rheo_report *report) {
    uint64_t format = 0, frame = 0, partial = 0;
    *c = NULL;
    silence before = be_silent();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int failed = file < 0 || get_attribute(file, "format", &format) || get_attribute(file, "frame", &frame) ||
                 get_attribute(file, "partial", &partial) || get_attribute(file, "scene", &head->scene);
    rheo_status status = RHEO_OK;
    if (failed) status = damaged(report, path, "not a checkpoint, or damaged");
    else if (format != CHECKPOINT_FORMAT)
        status = damaged(report, path, "a checkpoint of another version of rheo");
    else if (frame > INT32_MAX || partial > 1)
        status = damaged(report, path, "a checkpoint of an impossible frame");
    else if (!(*c = mem_alloc(sizeof **c))) status = report_no_memory(report, "a checkpoint");
    if (status != RHEO_OK && file >= 0) H5Fclose(file);
    if (status == RHEO_OK) {
        (*c)->file = file;
        head->frame = (int)frame;
        head->partial = partial == 1;
    }
    speak_again(before);
    return status;
}

void checkpoint_close(checkpoint *c) {
    if (!c) return;
    H5Fclose(c->file);
    mem_free(c);
}

int checkpoint_read(void *opened, const state_array *into) {
    checkpoint *c = opened;
    silence before = be_silent();
    hid_t set =
        H5Lexists(c->file, into->name, H5P_DEFAULT) > 0 ? H5Dopen2(c->file, into->name, H5P_DEFAULT) : -1;
    hid_t type = set >= 0 ? H5Dget_type(set) : -1, space = set >= 0 ? H5Dget_space(set) : -1;
    int failed = type < 0 || space < 0 || H5Tequal(type, stored_type(into->type)) <= 0 ||
                 H5Sget_simple_extent_npoints(space) != (hssize_t)into->count;
    if (!failed && into->count)
        failed = H5Dread(set, native_type(into->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, into->data) < 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    speak_again(before);
    return failed ? -1 : 0;
}

uint64_t checkpoint_scene(const uint64_t section[CACHE_SECTIONS]) {
    return checksum_add(CHECKSUM_START, section, CACHE_SECTIONS * sizeof *section);
}

rheo_status checkpoint_load(rheo_sim *sim, const char *cache, const cache_file *file, uint64_t scene,
                            rheo_report *report) {
    char path[FILE_PATH_MAX];
    uint64_t size, sum;
    checkpoint *c;
    checkpoint_head head;
    if (snprintf(path, sizeof path, "%s/%s", cache, file->name) >= (int)sizeof path)
        return report_fail(report, RHEO_IO, NULL, "the path of the cache is too long");
    if (file_measure(&size, &sum, path, UINT64_MAX)) return damaged(report, path, "a checkpoint is missing");
    if (size != file->bytes || sum != file->checksum) return damaged(report, path, "a checkpoint is damaged");
    rheo_status status = checkpoint_open(&c, &head, path, report);
    if (status != RHEO_OK) return status;
    if (head.frame != file->frame || head.partial != file->partial || head.scene != scene)
        status = damaged(report, path, "a checkpoint of another run");
    else status = sim_restore_state(sim, checkpoint_read, c, report);
    checkpoint_close(c);
    report_place(report, path, 0, 0, NULL);
    return status;
}
