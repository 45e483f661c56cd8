#include "scratch.h"
#include <hdf5.h>
#include <unistd.h>
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/scene_text.h"
#include "core/memory.h"

/* Manifests and checkpoints come back as they went out; damaged, foreign and newer ones are refused with a
 * reason. */

static int make_cache(void **state) {
    return make_directory(state) || directory_make(in_directory("state"), NULL) ? -1 : 0;
}

static void put(const char *name, const void *bytes, size_t count) {
    FILE *f = fopen(in_directory(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    fclose(f);
}

static char *copy(const char *text) {
    return strcpy(mem_alloc(strlen(text) + 1), text);
}

static cache_manifest example(void) {
    cache_manifest m = {.version = "1.2.3",
                        .status = "interrupted",
                        .title = "a \"title\" \\ with\ttabs \xC3\xA9 \xE6\xB0\xB4",
                        .scene_file = "dir/dam.yaml",
                        .fps = 29.97,
                        .dim = 3,
                        .cells = {4, 5, 6},
                        .dx = 1.0 / 3,
                        .surface = "water",
                        .frame_count = 2};
    m.scene = copy("title: x\nfluids: [ { name: 'w' } ] # comment\n\tend\x01\n");
    m.values = copy("{\"title\": \"x\", \"time\": {\"fps\": 30}}");
    for (int s = 0; s < CACHE_SECTIONS; ++s) m.section[s] = 0xF000000000000001u + (uint64_t)s;
    cache_file files[] = {{CACHE_MESH, 0, false, "mesh/water.000000.ply", 10, 1},
                          {CACHE_PROBE, 0, false, "probes/p.csv", 7, 2},
                          {CACHE_MESH, 1, false, "mesh/water.000001.ply", (1ull << 52) + 1, UINT64_MAX},
                          {CACHE_SPRAY, 1, false, "particles/spray.000001.ply", 12, 4},
                          {CACHE_STATE, 1, true, "state/partial.000001.h5", 13, 5}};
    for (size_t i = 0; i < 5; ++i) assert_true(cache_add_file(&m, &files[i]));
    return m;
}

static void manifest_round_trip(void **state) {
    (void)state;
    cache_manifest out = example(), in;
    rheo_report report = {0};
    assert_int_equal(cache_write_manifest(&out, directory, &report), RHEO_OK);
    if (cache_read_manifest(&in, directory, &report) != RHEO_OK)
        fail_msg("%s %s", report.path, report.message);
    assert_string_equal(in.version, out.version);
    assert_string_equal(in.status, out.status);
    assert_string_equal(in.title, out.title);
    assert_string_equal(in.scene_file, out.scene_file);
    assert_string_equal(in.scene, out.scene);
    assert_non_null(strstr(in.values, "\"fps\": 30"));
    assert_string_equal(in.surface, out.surface);
    assert_true(in.fps == out.fps && in.dx == out.dx && in.dim == 3 && in.cells[2] == 6);
    assert_memory_equal(in.section, out.section, sizeof in.section);
    assert_int_equal(in.frame_count, 2);
    assert_int_equal(in.file_count, 5);
    for (size_t i = 0; i < 5; ++i) {
        assert_string_equal(in.files[i].name, out.files[i].name);
        assert_true(in.files[i].kind == out.files[i].kind && in.files[i].frame == out.files[i].frame);
        assert_true(in.files[i].bytes == out.files[i].bytes && in.files[i].checksum == out.files[i].checksum);
        assert_true(in.files[i].partial == out.files[i].partial);
    }
    assert_ptr_equal(cache_find_file(&in, CACHE_SPRAY, 1), &in.files[3]);
    assert_null(cache_find_file(&in, CACHE_SPRAY, 0));
    cache_free_manifest(&in);
    cache_free_manifest(&out);
}

/* Replaces `what` by `with` in a good manifest. */
static rheo_status with_change(rheo_report *report, const char *what, const char *with) {
    cache_manifest out = example(), in;
    assert_int_equal(cache_write_manifest(&out, directory, NULL), RHEO_OK);
    cache_free_manifest(&out);
    unsigned char *text;
    size_t count;
    assert_int_equal(file_read(&text, &count, in_directory("manifest.json"), 1 << 20, NULL), RHEO_OK);
    char *at = strstr((char *)text, what);
    assert_non_null(at);
    char *changed = malloc(count + strlen(with) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - (char *)text), (char *)text, with, at + strlen(what));
    rheo_status status = cache_parse_manifest(&in, changed, strlen(changed), "manifest.json", report);
    if (status == RHEO_OK) cache_free_manifest(&in);
    free(changed);
    mem_free(text);
    return status;
}

static void bad_manifests(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"\"format\": 1", "\"format\": 2"},
        {"\"format\": 1", "\"format\": \"one\""},
        {"\"format\": 1,", ""},
        {"\"fps\": 29.97", "\"fps\": -1"},
        {"\"fps\": 29.97", "\"fps\": nan"},
        {"\"dim\": 3", "\"dim\": 4"},
        {"\"dim\": 3", "\"dim\": 2.5"},
        {"[4, 5, 6]", "[4, 5]"},
        {"[4, 5, 6]", "[4, 5, 0]"},
        {"[4, 5, 6]", "[4, 5, 1e99]"},
        {"\"frame\": 1, \"time\"", "\"frame\": 3, \"time\""},
        {"mesh/water.000001.ply", "../../etc/passwd"},
        {"mesh/water.000001.ply", "mesh/../../x"},
        {"mesh/water.000001.ply", "mesh/.x"},
        {"\"kind\": \"spray\"", "\"kind\": \"steam\""},
        {"\"bytes\": 12", "\"bytes\": -12"},
        {"0000000000000004", "4"},
        {"0000000000000004", "000000000000000g"},
        {"\"partial\": true", "\"partial\": 1"},
        {"\"checkpoints\": [", "\"checkpoints\": ["
                               "7, "},
        {"\"values\": {", "\"values\": 7, \"v\": {"},
        {"\"frames\": [", "\"frames\": 7, \"f\": ["},
        {"}\n", ""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        rheo_report report = {0};
        rheo_status status = with_change(&report, changes[i][0], changes[i][1]);
        if (status != RHEO_INVALID || !report.message[0])
            fail_msg("change %zu (%s) was taken", i, changes[i][1]);
    }
    rheo_report report = {0};
    assert_int_equal(with_change(&report, "\"format\": 1", "\"format\": 2"), RHEO_INVALID);
    assert_string_equal(report.path, "format");
    assert_non_null(strstr(report.allowed, "this is 2"));
    assert_int_equal(with_change(&report, "\"axis\": \"y\"", "\"axis\": \"y\""), RHEO_OK);
}

static void truncated_manifests(void **state) {
    (void)state;
    cache_manifest out = example(), in;
    unsigned char *text;
    size_t count;
    assert_int_equal(cache_write_manifest(&out, directory, NULL), RHEO_OK);
    cache_free_manifest(&out);
    assert_int_equal(file_read(&text, &count, in_directory("manifest.json"), 1 << 20, NULL), RHEO_OK);
    for (size_t cut = 0; cut + 2 < count; ++cut) {
        rheo_report report = {0};
        if (cache_parse_manifest(&in, (char *)text, cut, "m", &report) != RHEO_INVALID)
            fail_msg("cut at %zu was taken", cut);
    }
    mem_free(text);
    assert_int_equal(cache_read_manifest(&in, in_directory("nowhere"), NULL), RHEO_INVALID);
}

static void bodies(void **state) {
    (void)state;
    static const char good[] =
        "{\"frame\": 1, \"time\": 0.1, \"bodies\": [{\"name\": \"wall\", \"position\": [1, 2, 3], "
        "\"orientation\": [1, 0, 0, 0], \"velocity\": [0, 0, -1e-3], \"spin\": [0, 0, 1]}]}";
    cache_body body[2];
    int count;
    assert_int_equal(cache_parse_bodies(body, &count, 2, good, sizeof good - 1, "b", NULL), RHEO_OK);
    assert_int_equal(count, 1);
    assert_string_equal(body[0].name, "wall");
    assert_true(body[0].body.position[2] == 3 && body[0].body.velocity[2] == -1e-3);
    static const char bad[] =
        "{\"bodies\": [{\"name\": \"wall\", \"position\": [1, 2], \"orientation\": [1, 0, 0, 0]}]}";
    assert_int_equal(cache_parse_bodies(body, &count, 2, bad, sizeof bad - 1, "b", NULL), RHEO_INVALID);
    assert_int_equal(count, 0);
}

/* What decides the run changes the section's checksum; what does not, does not. */
static void scene_sections(void **state) {
    (void)state;
    rheo_scene a = rheo_default_scene(), b;
    uint64_t first[CACHE_SECTIONS], second[CACHE_SECTIONS];
    char *text = scene_text(first, &a);
    assert_non_null(text);
    mem_free(text);
    b = a;
    b.frames += 5;
    b.output_particles = !b.output_particles;
    b.title = "another";
    mem_free(scene_text(second, &b));
    assert_memory_equal(first, second, sizeof first);
    b = a;
    b.cells += 1;
    b.tolerance *= 2;
    mem_free(scene_text(second, &b));
    for (int s = 0; s < CACHE_SECTIONS; ++s)
        assert_int_equal(first[s] != second[s],
                         !strcmp(cache_sections[s], "domain") || !strcmp(cache_sections[s], "solver"));
    rheo_solid sheet = {.shape = {.kind = RHEO_SHAPE_MESH, .file = "none.obj", .thin = true}};
    b = a;
    b.solids = &sheet;
    b.solid_count = 1;
    text = scene_text(first, &b);
    assert_non_null(strstr(text, "\"thin\": true"));
    mem_free(text);
    sheet.shape.thickness = 0.01;
    mem_free(scene_text(second, &b));
    for (int s = 0; s < CACHE_SECTIONS; ++s)
        assert_int_equal(first[s] != second[s], !strcmp(cache_sections[s], "solids"));
}

/* ---- checkpoints ---- */

enum { N = 100000 };
static float reals[N];
static double doubles[3] = {1.0 / 3, -0.0, 1e300};
static uint32_t words[5] = {0, 1, UINT32_MAX, 7, 8};
static uint8_t octets[3] = {1, 2, 255};
static int64_t longs[2] = {INT64_MIN, INT64_MAX};
static const state_array arrays[] = {{"x", STATE_F32, N, reals},      {"clock", STATE_F64, 3, doubles},
                                     {"id", STATE_U32, 5, words},     {"fluid", STATE_U8, 3, octets},
                                     {"counts", STATE_I64, 2, longs}, {"none", STATE_F32, 0, NULL}};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static cache_file write_checkpoint(int frame, bool partial) {
    cache_file file;
    checkpoint_head head = {frame, partial, 0xABCDEF0123456789u};
    for (int i = 0; i < N; ++i) reals[i] = sinf((float)i);
    assert_int_equal(checkpoint_write(&file, directory, &head, arrays, ARRAYS, NULL), RHEO_OK);
    return file;
}

static void checkpoint_round_trip(void **state) {
    (void)state;
    cache_file file = write_checkpoint(12, true);
    assert_string_equal(file.name, "state/partial.000012.h5");
    checkpoint *c;
    checkpoint_head head;
    rheo_report report;
    assert_int_equal(checkpoint_open(&c, &head, in_directory(file.name), &report), RHEO_OK);
    assert_true(head.frame == 12 && head.partial && head.scene == 0xABCDEF0123456789u);
    static const size_t width[] = {
        [STATE_F32] = 4, [STATE_F64] = 8, [STATE_U32] = 4, [STATE_U8] = 1, [STATE_I32] = 4, [STATE_I64] = 8};
    for (int i = 0; i < ARRAYS; ++i) {
        state_array into = arrays[i];
        size_t bytes = into.count * width[into.type];
        into.data = malloc(bytes + 1);
        assert_int_equal(checkpoint_read(c, &into), 0);
        if (bytes) assert_memory_equal(into.data, arrays[i].data, bytes);
        free(into.data);
    }
    float some[3];
    assert_int_equal(checkpoint_read(c, &(state_array){"y", STATE_F32, 3, some}), -1);     /* missing */
    assert_int_equal(checkpoint_read(c, &(state_array){"clock", STATE_F32, 3, some}), -1); /* another type */
    assert_int_equal(checkpoint_read(c, &(state_array){"fluid", STATE_U8, 2, some}), -1);  /* another size */
    checkpoint_close(c);
    printf("checkpoint: %d floats in %llu bytes\n", N, (unsigned long long)file.bytes);
    check_below((double)file.bytes, 1.1 * N * 4);
}

static void checkpoints_repeat(void **state) {
    (void)state;
    cache_file a = write_checkpoint(3, false);
    sleep(1); /* a stored time would show */
    cache_file b = write_checkpoint(3, false);
    assert_true(a.checksum == b.checksum && a.bytes == b.bytes);
}

static void damaged_checkpoints(void **state) {
    (void)state;
    cache_file file = write_checkpoint(5, false);
    unsigned char *data;
    size_t count;
    char name[CACHE_NAME_MAX];
    strcpy(name, file.name);
    assert_int_equal(file_read(&data, &count, in_directory(name), 1 << 24, NULL), RHEO_OK);
    rheo_report report;
    put(name, data, count / 2);
    assert_int_equal(checkpoint_load(NULL, directory, &file, 0xABCDEF0123456789u, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "damaged"));
    data[count / 2] ^= 1;
    put(name, data, count);
    assert_int_equal(checkpoint_load(NULL, directory, &file, 0xABCDEF0123456789u, &report), RHEO_INVALID);
    data[count / 2] ^= 1;
    put(name, data, count);
    assert_int_equal(checkpoint_load(NULL, directory, &file, 1, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "another run"));
    unlink(in_directory(name));
    assert_int_equal(checkpoint_load(NULL, directory, &file, 0xABCDEF0123456789u, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "missing"));
    mem_free(data);
}

/* HDF5's own checks find a flipped byte in the data of an array even without the manifest. */
static void damaged_array(void **state) {
    (void)state;
    cache_file file = write_checkpoint(6, false);
    unsigned char *data;
    size_t count;
    char name[CACHE_NAME_MAX];
    strcpy(name, file.name);
    assert_int_equal(file_read(&data, &count, in_directory(name), 1 << 24, NULL), RHEO_OK);
    data[count / 2] ^= 0x55;
    put(name, data, count);
    mem_free(data);
    checkpoint *c;
    checkpoint_head head;
    assert_int_equal(checkpoint_open(&c, &head, in_directory(name), NULL), RHEO_OK);
    float *into = malloc(N * sizeof *into);
    assert_int_equal(checkpoint_read(c, &(state_array){"x", STATE_F32, N, into}), -1);
    free(into);
    checkpoint_close(c);
}

static void wrong_version(void **state) {
    (void)state;
    cache_file file = write_checkpoint(7, false);
    char path[256];
    strcpy(path, in_directory(file.name));
    hid_t h = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), a = H5Aopen(h, "format", H5P_DEFAULT);
    uint64_t newer = CHECKPOINT_FORMAT + 1;
    H5Awrite(a, H5T_NATIVE_UINT64, &newer);
    H5Aclose(a);
    H5Fclose(h);
    checkpoint *c;
    checkpoint_head head;
    rheo_report report;
    assert_int_equal(checkpoint_open(&c, &head, path, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "another version"));
    put("state/junk.h5", "junk", 4);
    assert_int_equal(checkpoint_open(&c, &head, in_directory("state/junk.h5"), &report), RHEO_INVALID);
}

static void appended_files(void **state) {
    (void)state;
    uint64_t bytes = 0, sum = CHECKSUM_START, bytes1, sum1;
    char path[256];
    strcpy(path, in_directory("rows.csv"));
    assert_int_equal(file_append(path, &bytes, &sum, "one\n", 4, NULL), RHEO_OK);
    bytes1 = bytes, sum1 = sum;
    assert_int_equal(file_append(path, &bytes, &sum, "two\n", 4, NULL), RHEO_OK);
    uint64_t size, all;
    assert_int_equal(file_measure(&size, &all, path, UINT64_MAX), 0);
    assert_true(size == 8 && bytes == 8 && all == sum);
    assert_int_equal(file_cut(path, bytes1, sum1 + 1, NULL), RHEO_INVALID);
    assert_int_equal(file_cut(path, 9, sum1, NULL), RHEO_INVALID);
    assert_int_equal(file_cut(path, bytes1, sum1, NULL), RHEO_OK);
    assert_int_equal(file_measure(&size, &all, path, UINT64_MAX), 0);
    assert_true(size == 4 && all == sum1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifest_round_trip), cmocka_unit_test(bad_manifests),
        cmocka_unit_test(truncated_manifests), cmocka_unit_test(bodies),
        cmocka_unit_test(scene_sections),      cmocka_unit_test(checkpoint_round_trip),
        cmocka_unit_test(checkpoints_repeat),  cmocka_unit_test(damaged_checkpoints),
        cmocka_unit_test(damaged_array),       cmocka_unit_test(wrong_version),
        cmocka_unit_test(appended_files),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_directory);
}
