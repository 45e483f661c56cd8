#include "scratch.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/ply.h"
#include "core/memory.h"

/* PLY files come back as they went out, and nothing that is not one is taken for one. */

static void mesh_round_trip(void **state) {
    (void)state;
    float position[12] = {0, 0, 0, 1, 0, 0, 0, 1e-30f, 0, 0.1f, 0.2f, 3e30f};
    float normal[12] = {0, 0, 1, 0, 1, 0, 1, 0, 0, -1, 0, 0}, velocity[12];
    uint32_t triangle[6] = {0, 1, 2, 3, 2, 1};
    for (int i = 0; i < 12; ++i) velocity[i] = (float)i / 3.0f;
    rheo_mesh out = {4, 2, position, normal, velocity, triangle, NULL, NULL}, in;
    out.rest = velocity; /* of no use to what reads meshes, and in no one's way */
    file_writer w;
    rheo_report report;
    const char *path = in_directory("mesh.ply");
    assert_int_equal(ply_write_mesh(path, &out, &w, &report), RHEO_OK);
    uint64_t size, sum;
    assert_int_equal(file_measure(&size, &sum, path, UINT64_MAX), 0);
    assert_true(size == w.bytes && sum == w.checksum);
    assert_int_equal(ply_read_mesh(&in, path, &report), RHEO_OK);
    assert_int_equal(in.vertex_count, 4);
    assert_int_equal(in.triangle_count, 2);
    assert_memory_equal(in.position, position, sizeof position);
    assert_memory_equal(in.normal, normal, sizeof normal);
    assert_memory_equal(in.velocity, velocity, sizeof velocity);
    assert_memory_equal(in.triangle, triangle, sizeof triangle);
    rheo_free_mesh(&in);
}

static void empty_mesh(void **state) {
    (void)state;
    rheo_mesh out = {0}, in;
    const char *path = in_directory("empty.ply");
    assert_int_equal(ply_write_mesh(path, &out, NULL, NULL), RHEO_OK);
    assert_int_equal(ply_read_mesh(&in, path, NULL), RHEO_OK);
    assert_int_equal(in.vertex_count, 0);
    rheo_free_mesh(&in);
}

static void particles_round_trip(void **state) {
    (void)state;
    float x[3] = {0, 1.5f, 2}, y[3] = {1, 2, 3}, u[3] = {-1, 0, 1}, v[3] = {4, 5, 6};
    uint32_t id[3] = {7, 4000000000u, 9};
    uint8_t fluid[3] = {0, 255, 1}, spray[3] = {0, 1, 0};
    rheo_particle_view view = {.count = 3,
                               .position = {x, y, NULL},
                               .velocity = {u, v, NULL},
                               .id = id,
                               .fluid = fluid,
                               .spray = spray,
                               .dx = 0.25,
                               .origin = {1, 0, 0},
                               .radius = 0.125};
    ply_particles in;
    const char *path = in_directory("all.ply");
    assert_int_equal(ply_write_particles(path, &view, PLY_ALL, 20, NULL, NULL), RHEO_OK);
    assert_int_equal(ply_read_particles(&in, path, NULL), RHEO_OK);
    assert_int_equal(in.count, 3);
    for (int i = 0; i < 3; ++i) {
        assert_true(in.position[i][0] == 1 + 0.25f * x[i] && in.position[i][1] == 0.25f * y[i] &&
                    in.position[i][2] == 0);
        assert_true(in.velocity[i][0] == u[i] && in.velocity[i][1] == v[i] && in.velocity[i][2] == 0);
        assert_true(in.id[i] == id[i] && in.fluid[i] == fluid[i]);
        assert_true(in.radius[i] == 0.125f && in.temperature[i] == 20);
    }
    ply_free_particles(&in);
    path = in_directory("spray.ply");
    assert_int_equal(ply_write_particles(path, &view, PLY_SPRAY, 20, NULL, NULL), RHEO_OK);
    assert_int_equal(ply_read_particles(&in, path, NULL), RHEO_OK);
    assert_int_equal(in.count, 1);
    assert_true(in.id[0] == 4000000000u);
    ply_free_particles(&in);
}

#define HEAD "ply\nformat binary_little_endian 1.0\n"
#define XYZ  "property float x\nproperty float y\nproperty float z\n"
#define LIST "property list uchar int vertex_indices\n"
#define Z4   "\0\0\0\0"
#define VERT Z4 Z4 Z4

/* Other layouts than our own that are still PLY. */
static void other_layouts(void **state) {
    (void)state;
    rheo_mesh m;
    static const char doubles[] =
        HEAD "comment hello\nelement vertex 1\nproperty uchar junk\nproperty double z\n"
             "property short y\nproperty int x\nend_header\n"
             "\7\0\0\0\0\0\0\0\100\376\377\5\0\0\0";
    assert_int_equal(ply_parse_mesh(&m, (const unsigned char *)doubles, sizeof doubles - 1, "d", NULL),
                     RHEO_OK);
    assert_true(m.position[0] == 5 && m.position[1] == -2 && m.position[2] == 2);
    assert_true(m.normal[0] == 0);
    rheo_free_mesh(&m);
    static const char wide[] =
        HEAD "element vertex 3\n" XYZ "element face 1\nproperty list int ushort vertex_index\n"
             "property uchar flag\nend_header\n" VERT VERT VERT "\3\0\0\0\2\0\1\0\0\0\1";
    assert_int_equal(ply_parse_mesh(&m, (const unsigned char *)wide, sizeof wide - 1, "w", NULL), RHEO_OK);
    assert_int_equal(m.triangle[0], 2);
    rheo_free_mesh(&m);
}

static void bad_files(void **state) {
    (void)state;
#define BAD(text)                                                                                            \
    { text, sizeof(text) - 1 }
    static const struct {
        const char *text;
        size_t size;
    } bad[] = {
        BAD(""),
        BAD("ply"),
        BAD("ply\n"),
        BAD("plx\nformat binary_little_endian 1.0\n"),
        BAD("ply\nformat ascii 1.0\nelement vertex 0\n" XYZ "end_header\n"),
        BAD("ply\nformat binary_big_endian 1.0\nelement vertex 0\n" XYZ "end_header\n"),
        BAD(HEAD "end_header\n"),
        BAD(HEAD "element vertex 1\n" XYZ),
        BAD(HEAD "element vertex -1\n" XYZ "end_header\n"),
        BAD(HEAD "element vertex 1x\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element vertex 99999999999999999999\n" XYZ "end_header\n"),
        BAD(HEAD "element vertex 4294967295\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element vertex 1\nproperty float x\nproperty float y\nend_header\n" VERT),
        BAD(HEAD "element vertex 1\nproperty quad x\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element vertex 1\n" XYZ LIST "end_header\n" VERT),
        BAD(HEAD "element vertex 2\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element vertex 1\n" XYZ "end_header\n" Z4 Z4 "\0\0\300\177"),
        BAD(HEAD "element vertex 1\n" XYZ "element vertex 1\n" XYZ "end_header\n" VERT VERT),
        BAD(HEAD "element face 0\n" LIST "element vertex 1\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element edge 0\n" XYZ "end_header\n"),
        BAD(HEAD "property float x\nelement vertex 1\n" XYZ "end_header\n" VERT),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\n" LIST "end_header\n" VERT "\3" Z4 Z4),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\n" LIST "end_header\n" VERT "\3" Z4 Z4 "\1\0\0\0"),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\n" LIST "end_header\n" VERT "\3" Z4 Z4
                 "\377\377\377\377"),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\n" LIST "end_header\n" VERT "\4" Z4 Z4 Z4 Z4),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\nproperty uchar a\nend_header\n" VERT "\3"),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\nproperty list uchar float v\nend_header\n" VERT
                 "\3" Z4 Z4 Z4),
        BAD(HEAD "element vertex 1\n" XYZ "element face 1\n" LIST LIST "end_header\n" VERT "\3" Z4 Z4 Z4),
        BAD(HEAD "what is this\nelement vertex 1\n" XYZ "end_header\n" VERT),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        rheo_mesh m;
        rheo_report report = {0};
        rheo_status status =
            ply_parse_mesh(&m, (const unsigned char *)bad[i].text, bad[i].size, "bad.ply", &report);
        if (status != RHEO_INVALID) fail_msg("bad PLY %zu was taken: %s", i, bad[i].text);
        assert_null(m.position);
        assert_string_equal(report.file, "bad.ply");
        assert_true(report.message[0]);
    }
    ply_particles p;
    static const char negative[] =
        HEAD "element vertex 1\n" XYZ "property int id\nend_header\n" VERT "\377\377\377\377";
    assert_int_equal(ply_parse_particles(&p, (const unsigned char *)negative, sizeof negative - 1, "n", NULL),
                     RHEO_INVALID);
    static const char fluid[] =
        HEAD "element vertex 1\n" XYZ "property ushort fluid\nend_header\n" VERT "\0\1";
    assert_int_equal(ply_parse_particles(&p, (const unsigned char *)fluid, sizeof fluid - 1, "f", NULL),
                     RHEO_INVALID);
    static const char radius[] =
        HEAD "element vertex 1\n" XYZ "property float radius\nend_header\n" VERT "\0\0\200\177";
    assert_int_equal(ply_parse_particles(&p, (const unsigned char *)radius, sizeof radius - 1, "r", NULL),
                     RHEO_INVALID);
}

/* Every cut of a good file is refused. */
static void truncation(void **state) {
    (void)state;
    float zero[9] = {0};
    uint32_t triangle[3] = {0, 1, 2};
    rheo_mesh out = {3, 1, zero, zero, zero, triangle, NULL, NULL}, in;
    const char *path = in_directory("cut.ply");
    unsigned char *data;
    size_t count;
    assert_int_equal(ply_write_mesh(path, &out, NULL, NULL), RHEO_OK);
    assert_int_equal(file_read(&data, &count, path, 1 << 20, NULL), RHEO_OK);
    for (size_t cut = 0; cut < count; ++cut) {
        unsigned char *part = malloc(cut + 1); /* so that a sanitizer sees a read past the end */
        memcpy(part, data, cut);
        assert_int_equal(ply_parse_mesh(&in, part, cut, path, NULL), RHEO_INVALID);
        free(part);
    }
    mem_free(data);
}

static void missing_and_unwritable(void **state) {
    (void)state;
    rheo_mesh m = {0};
    rheo_report report;
    assert_int_equal(ply_read_mesh(&m, in_directory("none.ply"), &report), RHEO_IO);
    assert_int_equal(ply_read_mesh(&m, directory, &report), RHEO_IO);
    assert_int_equal(ply_write_mesh("/proc/no/such/mesh.ply", &m, NULL, &report), RHEO_IO);
    assert_string_equal(report.file, "/proc/no/such/mesh.ply");
}

/* A full disk, played by a limit on file size: the old file stays, the temporary one goes. */
static void full_disk(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    float *many = calloc(3 * N, sizeof *many);
    rheo_mesh small = {0}, large = {N, 0, many, many, many, NULL, NULL, NULL}, in;
    struct rlimit before, tight;
    rheo_report report;
    const char *path = in_directory("full.ply");
    assert_int_equal(ply_write_mesh(path, &small, NULL, NULL), RHEO_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &tight);
    rheo_status status = ply_write_mesh(path, &large, NULL, &report);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, RHEO_IO);
    assert_non_null(strstr(report.message, strerror(EFBIG)));
    assert_int_equal(ply_read_mesh(&in, path, NULL), RHEO_OK);
    assert_int_equal(in.vertex_count, 0);
    rheo_free_mesh(&in);
    assert_int_equal(access(in_directory(".full.ply.tmp"), F_OK), -1);
    free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_round_trip),
        cmocka_unit_test(empty_mesh),
        cmocka_unit_test(particles_round_trip),
        cmocka_unit_test(other_layouts),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(truncation),
        cmocka_unit_test(missing_and_unwritable),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
