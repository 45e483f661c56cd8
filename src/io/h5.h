/* What files in HDF5 share: made in memory, written whole, numbers as attributes, arrays compressed. */
#ifndef IO_H5_H
#define IO_H5_H

#include <hdf5.h>
#include <stdint.h>
#include "io/file.h"

/* HDF5 prints its errors unless told not to; the teller is put back afterwards. */
typedef struct h5_silence {
    H5E_auto2_t function;
    void *data;
} h5_silence;
h5_silence h5_be_silent(void);
void h5_speak_again(h5_silence s);

/* A file that exists in memory only; < 0: no memory. */
hid_t h5_create(const char *path);
/* Writes it to its place through io/file.h. */
rheo_status h5_save(file_writer *w, hid_t file, const char *path, rheo_report *report);

/* All return 0, or not 0 on failure. */
int h5_put_whole(hid_t file, const char *name, uint64_t value);
int h5_get_whole(hid_t file, const char *name, uint64_t *value);
int h5_put_reals(hid_t file, const char *name, const double *values, int count);
int h5_get_reals(hid_t file, const char *name, double *values, int count);
/* One dataset of `rank` sizes in chunks of the given sizes, shuffled, deflated, Fletcher-32 a chunk. */
int h5_put_array(hid_t file, const char *name, hid_t stored, hid_t native, int rank, const hsize_t *size,
                 const hsize_t *chunk, const void *data);
/* Reads a dataset that must be of the stored type and have `count` elements. */
int h5_get_array(hid_t file, const char *name, hid_t stored, hid_t native, size_t count, void *data);
#endif
