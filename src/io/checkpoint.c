/* HDF5 (io/h5.h): one dataset an array; attributes of the root group say format, rheo's version, frame and
 * scene. Before reading, the file's checksum is held against the manifest's: HDF5's own reader is not made
 * for damaged files. */
#include "io/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "io/h5.h"

struct checkpoint {
    hid_t file;
};

enum { CHUNK = 1 << 16 }; /* elements */

static hid_t stored_type(state_type type) {
    switch (type) {
    case STATE_F32: return H5T_IEEE_F32LE;
    case STATE_F64: return H5T_IEEE_F64LE;
    case STATE_U32: return H5T_STD_U32LE;
    case STATE_U8: return H5T_STD_U8LE;
    case STATE_I32: return H5T_STD_I32LE;
    default: return H5T_STD_I64LE;
    }
}

static hid_t native_type(state_type type) {
    switch (type) {
    case STATE_F32: return H5T_NATIVE_FLOAT;
    case STATE_F64: return H5T_NATIVE_DOUBLE;
    case STATE_U32: return H5T_NATIVE_UINT32;
    case STATE_U8: return H5T_NATIVE_UINT8;
    case STATE_I32: return H5T_NATIVE_INT32;
    default: return H5T_NATIVE_INT64;
    }
}

static int put_array(hid_t file, const state_array *array) {
    const hsize_t size = array->count, chunk = array->count < CHUNK ? array->count : CHUNK;
    return h5_put_array(file, array->name, stored_type(array->type), native_type(array->type), 1, &size,
                        &chunk, array->data);
}

static int build(hid_t file, const checkpoint_head *head, const state_array *arrays, int count) {
    int failed = h5_put_whole(file, "format", CHECKPOINT_FORMAT) ||
                 h5_put_whole(file, "frame", (uint64_t)head->frame) ||
                 h5_put_whole(file, "partial", head->partial) || h5_put_whole(file, "scene", head->scene);
    for (int i = 0; i < count && !failed; ++i) failed = put_array(file, &arrays[i]);
    return failed;
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
    h5_silence before = h5_be_silent();
    hid_t image = h5_create(path);
    rheo_status status;
    if (image < 0 || build(image, head, arrays, count)) status = report_no_memory(report, "a checkpoint");
    else status = h5_save(&w, image, path, report);
    if (image >= 0) H5Fclose(image);
    h5_speak_again(before);
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
    h5_silence before = h5_be_silent();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int failed = file < 0 || h5_get_whole(file, "format", &format) || h5_get_whole(file, "frame", &frame) ||
                 h5_get_whole(file, "partial", &partial) || h5_get_whole(file, "scene", &head->scene);
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
    h5_speak_again(before);
    return status;
}

void checkpoint_close(checkpoint *c) {
    if (!c) return;
    H5Fclose(c->file);
    mem_free(c);
}

int checkpoint_read(void *opened, const state_array *into) {
    checkpoint *c = opened;
    h5_silence before = h5_be_silent();
    const int failed = h5_get_array(c->file, into->name, stored_type(into->type), native_type(into->type),
                                    into->count, into->data);
    h5_speak_again(before);
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
