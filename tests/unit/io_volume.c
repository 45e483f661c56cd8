/* Volumes come back as they were written; damaged ones are refused. */
#include "check.h"
#include <unistd.h>
#include "io/volume.h"

static char base[64];

static int make_base(void **state) {
    (void)state;
    snprintf(base, sizeof base, "/tmp/rheo-volume-XXXXXX");
    return mkdtemp(base) ? 0 : -1;
}

static int drop_base(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

enum { NX = 5, NY = 4, NZ = 3, ROW = 9, PLANE = ROW * 7 };
static float density[PLANE * NZ], temperature[PLANE * NZ], share[PLANE * NZ];

static rheo_volume_view view(void) {
    for (int i = 0; i < PLANE * NZ; ++i) {
        density[i] = (float)i / 100;
        temperature[i] = (float)(20 + i);
        share[i] = 1;
    }
    return (rheo_volume_view){.cells = {NX, NY, NZ},
                              .row = ROW,
                              .plane = PLANE,
                              .density = density,
                              .temperature = temperature,
                              .share = share,
                              .dx = 0.125,
                              .origin = {1, 2, 3}};
}

static cache_file write_one(const rheo_volume_view *v) {
    char path[512];
    file_writer w;
    rheo_report report;
    cache_file file = {.kind = CACHE_VOLUME, .frame = 7, .name = "smoke.000007.h5"};
    snprintf(path, sizeof path, "%s/%s", base, file.name);
    if (volume_write(path, v, 7, &w, &report)) fail_msg("%s", report.message);
    file.bytes = w.bytes;
    file.checksum = w.checksum;
    return file;
}

static void volumes_come_back(void **state) {
    (void)state;
    const rheo_volume_view v = view();
    const cache_file file = write_one(&v);
    volume back;
    rheo_report report;
    if (volume_read(&back, base, &file, &report)) fail_msg("%s", report.message);
    assert_int_equal(back.cells[0], NX);
    assert_int_equal(back.cells[1], NY);
    assert_int_equal(back.cells[2], NZ);
    check_near(back.dx, 0.125, 0);
    check_near(back.origin[2], 3, 0);
    for (int k = 0; k < NZ; ++k)
        for (int j = 0; j < NY; ++j)
            for (int i = 0; i < NX; ++i) {
                const int to = i + NX * (j + NY * k), from = i + ROW * j + PLANE * k;
                check_near((double)back.density[to], (double)density[from], 0);
                check_near((double)back.temperature[to], (double)temperature[from], 0);
            }
    volume_free(&back);
}

/* Deep in a solid there is no smoke; beside it what is there stays, for interpolation. */
static void solids_hold_no_smoke(void **state) {
    (void)state;
    const rheo_volume_view v = view();
    volume back;
    rheo_report report;
    for (int i = 0; i < PLANE * NZ; ++i) share[i] = i % ROW < 2 ? 1 : 0; /* solid from the third cell on */
    const cache_file file = write_one(&v);
    if (volume_read(&back, base, &file, &report)) fail_msg("%s", report.message);
    check_near((double)back.density[2 + NX], (double)density[2 + ROW], 0);
    check_near((double)back.density[3 + NX], 0, 0);
    volume_free(&back);
}

static void damaged_volumes_are_refused(void **state) {
    (void)state;
    const rheo_volume_view v = view();
    cache_file file = write_one(&v);
    volume back;
    rheo_report report;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", base, file.name);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, (long)file.bytes / 2, SEEK_SET);
    fputc(0x5a, f);
    fputc(0xa5, f);
    fclose(f);
    assert_int_equal(volume_read(&back, base, &file, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "damaged"));
    assert_null(back.density);
    assert_int_equal(truncate(path, (off_t)file.bytes / 3), 0);
    assert_int_equal(volume_read(&back, base, &file, &report), RHEO_INVALID);
    unlink(path);
    assert_int_equal(volume_read(&back, base, &file, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "missing"));
}

/* A file that is whole but something else. */
static void other_files_are_refused(void **state) {
    (void)state;
    char path[512];
    volume back;
    rheo_report report;
    cache_file file = {.kind = CACHE_VOLUME, .name = "other.000000.h5"};
    snprintf(path, sizeof path, "%s/%s", base, file.name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("this is not a volume", f);
    fclose(f);
    assert_int_equal(file_measure(&file.bytes, &file.checksum, path, UINT64_MAX), 0);
    assert_int_equal(volume_read(&back, base, &file, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "not a volume"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_come_back),
        cmocka_unit_test(solids_hold_no_smoke),
        cmocka_unit_test(damaged_volumes_are_refused),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_base, drop_base);
}
