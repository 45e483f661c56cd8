/* Mesh files: the same cube in every format, and many broken ones. */
#include "check.h"
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/random.h"
#include "geom/mesh.h"
#include "../../bench/primitives.h"

static char folder[] = "/tmp/rheo-mesh-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    return path;
}

static const char *write_text(const char *name, const char *text) {
    return write_bytes(name, text, strlen(text));
}

/* Reads, requires a closed cube of side 2 and lets go. */
static void check_cube(const char *path, bool closed) {
    tri_mesh m;
    rheo_report report = {0};
    rheo_status status = mesh_read(&m, path, &report);
    if (status) fail_msg("%s: %s", path, report.message);
    assert_int_equal(m.triangle_count, 12);
    if (closed) {
        status = mesh_require_closed(&m, path, &report);
        if (status) fail_msg("%s: %s", path, report.message);
        assert_int_equal(m.vertex_count, 8);
        check_near(mesh_volume(&m), 8, 1e-12);
    }
    mesh_free(&m);
}

static void make_cube(tri_mesh *m) {
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    mesh_make_box(m, low, high);
}

static const char cube_obj[] = "# a cube\nmtllib x.mtl\no cube\n"
                               "v -1 -1 -1\nv 1.0 -1 -1\r\nv -1 1e0 -1 1.0\nv 10E-1 +1 -1\n"
                               "v -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1. 1 .1e1\nvt 0 0\nvn 0 0 1\n";

static void obj_is_read(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s%s", cube_obj,
             "f 1 3 4 2\nf 5/1 6/1 8/1 7/1\nf 1//1 2//1 6//1 5//1\nf 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -4 -2 "
             "\\\n -6\nf 2 4 8 6 # end");
    check_cube(write_text("cube.obj", text), true);
}

static void ply_text_is_read(void **state) {
    (void)state;
    check_cube(
        write_text(
            "cube.ply",
            "ply\nformat ascii 1.0\ncomment hello\nelement vertex 8\nproperty float x\nproperty double y\n"
            "property uchar red\nproperty float32 z\nelement face 6\nproperty list uchar int vertex_indices\n"
            "element edge 1\nproperty int a\nend_header\n"
            "-1 -1 0 -1\n1 -1 0 -1\n-1 1 0 -1\n1 1 0 -1\n-1 -1 0 1\n1 -1 0 1\n-1 1 0 1\n1 1 0 1\n"
            "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n3\n"),
        true);
}

static void put(unsigned char **at, const void *value, size_t size, bool big) {
    const unsigned char *from = value;
    for (size_t b = 0; b < size; ++b) *(*at)++ = from[big ? size - 1 - b : b];
}

static size_t make_ply(unsigned char *bytes, bool big) {
    tri_mesh m;
    make_cube(&m);
    int header =
        sprintf((char *)bytes,
                "ply\nformat binary_%s_endian 1.0\nelement vertex 8\nproperty double x\nproperty float y\n"
                "property short z\nproperty list uchar float junk\nelement face 12\n"
                "property uchar flag\nproperty list ushort uint vertex_index\nend_header\n",
                big ? "big" : "little");
    unsigned char *at = bytes + header;
    for (size_t v = 0; v < 8; ++v) {
        float y = (float)m.vertex[v][1], junk = 7;
        int16_t z = (int16_t)m.vertex[v][2];
        unsigned char two = 2;
        put(&at, &m.vertex[v][0], 8, big);
        put(&at, &y, 4, big);
        put(&at, &z, 2, big);
        put(&at, &two, 1, big);
        put(&at, &junk, 4, big);
        put(&at, &junk, 4, big);
    }
    for (size_t t = 0; t < 12; ++t) {
        uint16_t three = 3;
        unsigned char flag = 9;
        put(&at, &flag, 1, big);
        put(&at, &three, 2, big);
        for (int c = 0; c < 3; ++c) put(&at, &m.triangle[t][c], 4, big);
    }
    mesh_free(&m);
    return (size_t)(at - bytes);
}

static void ply_bytes_are_read(void **state) {
    (void)state;
    unsigned char bytes[4096];
    for (int big = 0; big < 2; ++big) check_cube(write_bytes("cube.PLY", bytes, make_ply(bytes, big)), true);
}

static size_t make_stl(unsigned char *bytes) {
    tri_mesh m;
    make_cube(&m);
    memset(bytes, 0, 84);
    memcpy(bytes, "solid but not really", 20); /* a known trap */
    unsigned char *at = bytes + 80;
    uint32_t count = 12;
    put(&at, &count, 4, false);
    for (size_t t = 0; t < 12; ++t) {
        float zero = 0;
        uint16_t none = 0;
        for (int a = 0; a < 3; ++a) put(&at, &zero, 4, false);
        for (int c = 0; c < 3; ++c)
            for (int a = 0; a < 3; ++a) {
                float x = (float)m.vertex[m.triangle[t][c]][a];
                put(&at, &x, 4, false);
            }
        put(&at, &none, 2, false);
    }
    mesh_free(&m);
    return (size_t)(at - bytes);
}

static size_t make_stl_text(char *text, double jitter) {
    tri_mesh m;
    make_cube(&m);
    char *at = text + sprintf(text, "solid cube of mine\n");
    for (size_t t = 0; t < 12; ++t) {
        at += sprintf(at, " facet normal 0 0 1\n  outer loop\n");
        for (int c = 0; c < 3; ++c) {
            const double *v = m.vertex[m.triangle[t][c]];
            at += sprintf(at, "   vertex %.12g %.12g %.12g\n", v[0], v[1] + jitter * (double)(t % 3), v[2]);
        }
        at += sprintf(at, "  endloop\n endfacet\n");
    }
    at += sprintf(at, "endsolid cube of mine\n");
    mesh_free(&m);
    return (size_t)(at - text);
}

static void stl_is_read(void **state) {
    (void)state;
    unsigned char bytes[4096];
    char text[8192];
    check_cube(write_bytes("cube.stl", bytes, make_stl(bytes)), true);
    check_cube(write_bytes("text.stl", text, make_stl_text(text, 0)), true);
    make_stl_text(text, 2e-10);
    tri_mesh m;
    assert_int_equal(mesh_read(&m, write_text("near.stl", text), NULL), RHEO_OK);
    assert_int_equal(m.vertex_count, 8); /* joined though not the same */
    mesh_free(&m);
}

/* Seams: an OBJ whose faces share no vertices is closed once they are joined. */
static void seams_are_joined(void **state) {
    (void)state;
    tri_mesh cube;
    make_cube(&cube);
    char text[8192], *at = text;
    for (int t = 0; t < 12; ++t) {
        for (int c = 0; c < 3; ++c) {
            const double *v = cube.vertex[cube.triangle[t][c]];
            at += sprintf(at, "v %g %g %g\n", v[0], v[1], v[2]);
        }
        at += sprintf(at, "f -3 -2 -1\n");
    }
    mesh_free(&cube);
    check_cube(write_text("seams.obj", text), true);
}

typedef struct {
    const char *name, *text, *says;
    int line;
} bad_file;

static void bad_files_are_refused(void **state) {
    (void)state;
    static const bad_file bad[] = {
        {"empty.obj", "", "empty", 0},
        {"nothing.obj", "# only a comment\n", "no triangles", 0},
        {"unknown.xyz", "v 0 0 0\n", ".obj, .ply, .stl", 0},
        {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "vertex 9", 4},
        {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "vertex 0", 4},
        {"back.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "vertex -4", 4},
        {"huge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "a face uses vertex", 4},
        {"two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "2 corners", 3},
        {"nan.obj", "v 0 nan 0\n", "coordinate 'nan' is not a finite number", 1},
        {"big.obj", "v 0 1e999 0\n", "finite", 1},
        {"short.obj", "v 0 0\n", "coordinate", 1},
        {"word.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "whole number", 4},
        {"hex.obj", "v 0x10 0 0\n", "coordinate", 1},
        {"magic.ply", "plywood\n", "not a PLY", 1},
        {"format.ply", "ply\nformat binary_middle_endian 1.0\n", "unknown PLY format", 2},
        {"noend.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "does not end", 0},
        {"count.ply",
         "ply\nformat ascii 1.0\nelement vertex 99999999999999\nproperty float x\nproperty float y\nproperty "
         "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
         "more than the file holds", 0},
        {"minus.ply", "ply\nformat ascii 1.0\nelement vertex -3\n", "valid count", 3},
        {"bare.ply",
         "ply\nformat ascii 1.0\nelement stuff 900000000000\nelement vertex 1\nproperty float x\nproperty "
         "float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 "
         "0\n3 0 0 0\n",
         "more than the file holds", 0},
        {"list.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
         "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n4000000000 1 2\n",
         "claims 4000000000", 11},
        {"range.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
         "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n",
         "uses vertex 1", 11},
        {"ends.ply",
         "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
         "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 1",
         "ends too early", 0},
        {"noface.ply",
         "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float "
         "z\nend_header\n",
         "no faces", 0},
        {"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n", "unknown type", 4},
        {"orphan.ply", "ply\nformat ascii 1.0\nproperty float x\n", "no element", 3},
        {"twice.ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", "twice", 4},
        {"short.stl", "not solid", "does not fit", 0},
        {"cut.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "before endsolid", 0},
        {"two.stl", "solid x\nvertex 0 0 0\nvertex 0 0 1\nendfacet\nendsolid\n", "2 vertices", 4},
        {"four.stl", "solid x\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 1\nvertex 1 1 1\nendsolid\n",
         "more than three", 5},
        {"word.stl", "solid x\nbogus\nendsolid\n", "unknown word", 2},
        {"none.stl", "solid x\nendsolid\n", "no triangles", 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        tri_mesh m;
        rheo_report report = {0};
        const char *path = write_text(bad[i].name, bad[i].text);
        assert_int_equal(mesh_read(&m, path, &report), RHEO_INVALID);
        if (!strstr(report.message, bad[i].says)) fail_msg("%s says '%s'", bad[i].name, report.message);
        if (bad[i].line && report.line != bad[i].line) fail_msg("%s: line %d", bad[i].name, report.line);
        assert_string_equal(report.file, path);
        assert_true(report.allowed[0] != 0);
        assert_null(m.vertex);
        assert_null(m.triangle);
    }
    tri_mesh m;
    rheo_report report = {0};
    unsigned char bytes[4096]; /* of a byte file that begins like a text one, with bytes to spare */
    const size_t size = make_stl(bytes);
    assert_int_equal(mesh_read(&m, write_bytes("long.stl", bytes, size + 4), &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "does not fit its 12 triangles"));
    assert_int_equal(mesh_read(&m, path_of("missing.obj"), &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "cannot open"));
    mkdir(path_of("folder.obj"), 0700);
    assert_int_equal(mesh_read(&m, path_of("folder.obj"), &report), RHEO_INVALID);
}

/* Every cut of a good file, and many with flipped bytes, end in an answer. */
static void damaged_files_are_survived(void **state) {
    (void)state;
    unsigned char bytes[8192], damaged[8192];
    for (int kind = 0; kind < 4; ++kind) {
        static const char *const name[4] = {"d.ply", "d.ply", "d.stl", "t.stl"};
        size_t size = kind < 2    ? make_ply(bytes, kind)
                      : kind == 2 ? make_stl(bytes)
                                  : make_stl_text((char *)bytes, 0);
        for (uint64_t round = 0; round < 300; ++round) {
            memcpy(damaged, bytes, size);
            size_t length = round % 3 ? size : 1 + random_bits(1, round, 0) % size;
            for (uint64_t f = 0; f < round % 4; ++f)
                damaged[random_bits(2, round, f) % size] = (unsigned char)random_bits(3, round, f);
            tri_mesh m;
            rheo_report report;
            if (mesh_read(&m, write_bytes(name[kind], damaged, length), &report) == RHEO_OK) {
                if (mesh_require_closed(&m, "damaged", &report) == RHEO_OK) {
                    mesh_tree *t = mesh_tree_make(&m);
                    const double x[3] = {0, 0, 0};
                    assert_true(isfinite(mesh_tree_distance(t, x)));
                    mesh_tree_free(t);
                }
                mesh_free(&m);
            }
        }
    }
}

/* Every triangle of many, and every place. */
static void large_files_are_read_whole(void **state) {
    (void)state;
    tri_mesh m, read;
    const double zero[3] = {0, 0, 0};
    mesh_make_sphere(&m, zero, 1, 7);
    FILE *out = fopen(path_of("large.obj"), "wb");
    for (size_t v = 0; v < m.vertex_count; ++v)
        fprintf(out, "v %.17g %.17g %.17g\n", m.vertex[v][0], m.vertex[v][1], m.vertex[v][2]);
    for (size_t t = 0; t < m.triangle_count; ++t)
        fprintf(out, "f %u %u %u\n", m.triangle[t][0] + 1, m.triangle[t][1] + 1, m.triangle[t][2] + 1);
    fclose(out);
    assert_int_equal(mesh_read(&read, path_of("large.obj"), NULL), RHEO_OK);
    printf("OBJ of %zu triangles\n", read.triangle_count);
    assert_int_equal(read.triangle_count, m.triangle_count);
    assert_int_equal(read.vertex_count, m.vertex_count);
    assert_memory_equal(read.triangle, m.triangle, m.triangle_count * sizeof *m.triangle);
    for (size_t v = 0; v < m.vertex_count; ++v)
        for (int a = 0; a < 3; ++a) check_near(read.vertex[v][a], m.vertex[v][a], 1e-15);
    mesh_free(&m);
    mesh_free(&read);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read),
        cmocka_unit_test(ply_text_is_read),
        cmocka_unit_test(ply_bytes_are_read),
        cmocka_unit_test(stl_is_read),
        cmocka_unit_test(seams_are_joined),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(large_files_are_read_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
