/* Signed distance to meshes against brute force and exact answers; closedness. */
#include "check.h"
#include "core/random.h"
#include "geom/mesh.h"
#include "../../bench/primitives.h"

static const double zero[3] = {0, 0, 0};

static void draw(double x[3], uint64_t i, double size) {
    for (uint64_t a = 0; a < 3; ++a) x[a] = size * (2 * (double)random_unit(3, i, a) - 1);
}

static void sphere_distance(void **state) {
    (void)state;
    tri_mesh m;
    const double centre[3] = {0.1, -0.2, 0.3};
    mesh_make_sphere(&m, centre, 0.5, 5);
    assert_int_equal(mesh_require_closed(&m, "sphere", NULL), RHEO_OK);
    check_near(mesh_volume(&m), 4 * M_PI / 3 * 0.125, 2e-3);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 3000; ++i) {
        double x[3];
        draw(x, i, 1);
        double r = sqrt(pow(x[0] - 0.1, 2) + pow(x[1] + 0.2, 2) + pow(x[2] - 0.3, 2));
        check_near(mesh_tree_distance(t, x), r - 0.5, 1.5e-3);
    }
    mesh_tree_free(t);
    mesh_free(&m);
}

/* On and near corners and edges of a box the exact distance is known. */
static void box_distance(void **state) {
    (void)state;
    const double low[3] = {-0.5, -0.4, -0.3}, high[3] = {0.5, 0.4, 0.3};
    tri_mesh m;
    mesh_make_box(&m, low, high);
    assert_int_equal(mesh_require_closed(&m, "box", NULL), RHEO_OK);
    check_near(mesh_volume(&m), 1.0 * 0.8 * 0.6, 1e-12);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 20000; ++i) {
        double x[3], out2 = 0, in = -1e9;
        draw(x, i, 1);
        if (i % 4 == 1) /* close to a corner */
            for (int a = 0; a < 3; ++a) x[a] = (x[a] < 0 ? low[a] : high[a]) + 1e-4 * x[a];
        if (i % 4 == 2) /* close to an edge */
            for (int a = 0; a < 2; ++a) x[a] = (x[a] < 0 ? low[a] : high[a]) + 1e-4 * x[a];
        for (int a = 0; a < 3; ++a) {
            double q = fabs(x[a]) - high[a];
            out2 += q > 0 ? q * q : 0;
            in = larger(in, q);
        }
        check_near(mesh_tree_distance(t, x), in > 0 ? sqrt(out2) : in, 1e-12);
    }
    mesh_tree_free(t);
    mesh_free(&m);
}

/* A torus is concave: points in its hole are outside however near the surface. */
static void torus_sign(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_torus(&m, zero, 0.5, 0.2, 200, 100);
    assert_int_equal(mesh_require_closed(&m, "torus", NULL), RHEO_OK);
    check_near(mesh_volume(&m), 2 * M_PI * M_PI * 0.5 * 0.04, 1e-3);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 5000; ++i) {
        double x[3];
        draw(x, i, 0.8);
        double across = sqrt(x[0] * x[0] + x[1] * x[1]) - 0.5;
        check_near(mesh_tree_distance(t, x), sqrt(across * across + x[2] * x[2]) - 0.2, 1.5e-3);
    }
    mesh_tree_free(t);
    mesh_free(&m);
}

/* An L-shaped prism: the reflex edge, and directly over its vertices. */
static void concave_prism(void **state) {
    (void)state;
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const uint32_t lid[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    double vertex[12][3];
    uint32_t triangle[20][3];
    for (int v = 0; v < 12; ++v) {
        vertex[v][0] = outline[v % 6][0];
        vertex[v][1] = outline[v % 6][1];
        vertex[v][2] = v / 6;
    }
    for (uint32_t t = 0; t < 4; ++t)
        for (uint32_t c = 0; c < 3; ++c) {
            triangle[t][c] = lid[t][c] + 6;
            triangle[4 + t][c] = lid[t][2 - c];
        }
    for (uint32_t s = 0; s < 6; ++s) {
        uint32_t n = (s + 1) % 6, quad[6] = {s, n, n + 6, s, n + 6, s + 6};
        memcpy(triangle[8 + 2 * s], quad, sizeof quad);
    }
    tri_mesh m = {.vertex_count = 12, .triangle_count = 20, .vertex = vertex, .triangle = triangle};
    assert_int_equal(mesh_require_closed(&m, "prism", NULL), RHEO_OK);
    check_near(mesh_volume(&m), 3, 1e-12);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 20000; ++i) {
        double x[3];
        draw(x, i, 1);
        if (i % 2) /* near the reflex edge */
            for (int a = 0; a < 2; ++a) x[a] = 1 + 1e-3 * x[a];
        else
            for (int a = 0; a < 2; ++a) x[a] = 1 + 1.5 * x[a];
        x[2] = 0.5 + 0.7 * x[2];
        bool inside =
            x[2] > 0 && x[2] < 1 && x[0] > 0 && x[1] > 0 && x[0] < 2 && x[1] < 2 && (x[0] < 1 || x[1] < 1);
        double d = mesh_tree_distance(t, x);
        assert_true((d < 0) == inside);
    }
    mesh_tree_free(t);
}

/* The winding number as the sum of the solid angles of all triangles (Van Oosterom and Strackee 1983). */
static double winding_by_angles(const tri_mesh *m, const double x[3]) {
    double sum = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double r[3][3], size[3], triple = 0;
        for (int q = 0; q < 3; ++q) {
            for (int a = 0; a < 3; ++a) r[q][a] = m->vertex[m->triangle[t][q]][a] - x[a];
            size[q] = sqrt(r[q][0] * r[q][0] + r[q][1] * r[q][1] + r[q][2] * r[q][2]);
        }
        double under = size[0] * size[1] * size[2];
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            triple += r[0][a] * (r[1][b] * r[2][c] - r[1][c] * r[2][b]);
            under += size[a] * (r[b][0] * r[c][0] + r[b][1] * r[c][1] + r[b][2] * r[c][2]);
        }
        sum += 2 * atan2(triple, under);
    }
    return sum / (4 * M_PI);
}

static void join_meshes(tri_mesh *both, const tri_mesh *a, const tri_mesh *b, double (*vertex)[3],
                        uint32_t (*triangle)[3]) {
    *both = (tri_mesh){.vertex = vertex, .triangle = triangle};
    const tri_mesh *const parts[2] = {a, b};
    for (int p = 0; p < 2; ++p) {
        const uint32_t first = (uint32_t)both->vertex_count;
        for (size_t v = 0; v < parts[p]->vertex_count; ++v)
            memcpy(vertex[both->vertex_count++], parts[p]->vertex[v], sizeof *vertex);
        for (size_t t = 0; t < parts[p]->triangle_count; ++t, ++both->triangle_count)
            for (int c = 0; c < 3; ++c) triangle[both->triangle_count][c] = parts[p]->triangle[t][c] + first;
    }
}

/* Two parts that overlap, asked where rays along the axes meet corners, edges and faces edge on: what lies in
 * either is inside. */
static void signs_hold_where_rays_graze(void **state) {
    (void)state;
    const double low[2][3] = {{-1, -1, -1}, {-0.5, -0.5, 0}}, high[2][3] = {{1, 1, 0.5}, {0.5, 0.5, 2}};
    double vertex[16][3];
    uint32_t triangle[24][3];
    tri_mesh part[2], m;
    for (int p = 0; p < 2; ++p) mesh_make_box(&part[p], low[p], high[p]);
    join_meshes(&m, &part[0], &part[1], vertex, triangle);
    assert_int_equal(mesh_require_closed(&m, "boxes", NULL), RHEO_OK);
    mesh_tree *t = mesh_tree_make(&m);
    int inside = 0;
    for (int k = -9; k <= 17; ++k)
        for (int j = -9; j <= 9; ++j)
            for (int i = -9; i <= 9; ++i) {
                const double x[3] = {i / 8.0, j / 8.0, k / 8.0}, d = mesh_tree_distance(t, x);
                bool in = false;
                for (int p = 0; p < 2; ++p) {
                    bool within = true;
                    for (int a = 0; a < 3; ++a) within = within && x[a] > low[p][a] && x[a] < high[p][a];
                    in = in || within;
                }
                if (isnan(d) || (d != 0 && (d < 0) != in)) fail_msg("(%g, %g, %g): %g", x[0], x[1], x[2], d);
                inside += in;
            }
    assert_true(inside > 2000);
    mesh_tree_free(t);
    for (int p = 0; p < 2; ++p) mesh_free(&part[p]);
}

/* A rough torus in an oblique frame and another one through it, near and far from the surface, and in line
 * with vertices. */
static void signs_are_those_of_solid_angles(void **state) {
    (void)state;
    tri_mesh part[2], m;
    const double beside[3] = {0.4, 0.1, -0.05};
    static double vertex[2 * 23 * 9][3];
    static uint32_t triangle[4 * 23 * 9][3];
    mesh_make_torus(&part[0], zero, 0.5, 0.2, 23, 9);
    mesh_make_torus(&part[1], beside, 0.4, 0.15, 23, 9);
    for (int p = 0; p < 2; ++p)
        for (size_t v = 0; v < part[p].vertex_count; ++v) {
            double *x = part[p].vertex[v], y = x[1];
            for (uint64_t a = 0; a < 3; ++a)
                x[a] += 0.02 * ((double)random_unit(8 + (uint64_t)p, v, a) - 0.5);
            x[1] = 0.8 * y + 0.6 * x[2];
            x[2] = -0.6 * y + 0.8 * x[2];
        }
    join_meshes(&m, &part[0], &part[1], vertex, triangle);
    assert_int_equal(mesh_require_closed(&m, "tori", NULL), RHEO_OK);
    mesh_tree *t = mesh_tree_make(&m);
    int inside = 0;
    for (uint64_t i = 0; i < 6000; ++i) {
        double x[3], shift[3];
        const double *corner = m.vertex[random_bits(5, i, 0) % m.vertex_count];
        draw(x, i, 0.8);
        draw(shift, i + 10000, 1e-6);
        if (i % 3 == 1) x[i % 2] = corner[i % 2], x[2] = corner[2]; /* a ray meets the corner */
        if (i % 3 == 2)
            for (int a = 0; a < 3; ++a) x[a] = corner[a] + shift[a]; /* just beside it */
        const double w = winding_by_angles(&m, x), d = mesh_tree_distance(t, x);
        check_near(w, round(w), 1e-9);
        if (isnan(d) || (d < 0) != (w > 0.5))
            fail_msg("%d: (%g, %g, %g): %g, winding number %g", (int)i, x[0], x[1], x[2], d, w);
        inside += d < 0;
    }
    assert_true(inside > 1500 && inside < 4500);
    mesh_tree_free(t);
    for (int p = 0; p < 2; ++p) mesh_free(&part[p]);
}

/* Against every triangle by sampling: no other point of the surface is nearer, and one is that near. */
static void distance_is_the_least(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_torus(&m, zero, 0.5, 0.2, 11, 7);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 60; ++i) {
        double x[3], least = INFINITY;
        draw(x, i, 0.9);
        for (size_t q = 0; q < m.triangle_count; ++q)
            for (int u = 0; u <= 24; ++u)
                for (int v = 0; v <= 24 - u; ++v) {
                    double d2 = 0;
                    for (int a = 0; a < 3; ++a) {
                        double p = (u * m.vertex[m.triangle[q][0]][a] + v * m.vertex[m.triangle[q][1]][a] +
                                    (24 - u - v) * m.vertex[m.triangle[q][2]][a]) /
                                   24;
                        d2 += (p - x[a]) * (p - x[a]);
                    }
                    least = smaller(least, d2);
                }
        double d = fabs(mesh_tree_distance(t, x));
        check_below(d, sqrt(least) + 1e-12);
        check_below(sqrt(least), d + 0.02);
    }
    mesh_tree_free(t);
    mesh_free(&m);
}

/* A fine ball without two neighbouring triangles, and without one elsewhere: closed, little volume lost. */
static void small_holes_are_closed(void **state) {
    (void)state;
    const double centre[3] = {0, 0, 0};
    tri_mesh m;
    assert_int_equal(mesh_make_sphere(&m, centre, 1, 6), 0);
    const double whole = mesh_volume(&m);
    size_t kept = 0;
    for (size_t t = 0; t < m.triangle_count; ++t) {
        if (t == 100 || t == 101 || t == 20000) continue;
        memmove(m.triangle[kept++], m.triangle[t], sizeof *m.triangle);
    }
    m.triangle_count = kept;
    assert_int_equal(mesh_require_closed(&m, "ball", NULL), RHEO_OK);
    assert_in_range(m.repaired.holes, 2, 3);
    assert_false(m.repaired.turned);
    check_near(mesh_volume(&m), whole, 1e-4);
    mesh_free(&m);
}

/* Only one triangle can be meant where one is missing, also on a coarse ball. */
static void a_missing_triangle_is_put_back(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_sphere(&m, zero, 1, 2);
    const double whole = mesh_volume(&m);
    m.triangle_count -= 1;
    assert_int_equal(mesh_require_closed(&m, "ball", NULL), RHEO_OK);
    assert_int_equal(m.repaired.holes, 1);
    check_near(mesh_volume(&m), whole, 1e-12);
    mesh_free(&m);
}

/* Half of a cube's side, however large, but not a side of a tetrahedron, which may be meant to be open. */
static void half_a_side_is_put_back(void **state) {
    (void)state;
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint32_t side[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (size_t gone = 0; gone < 12; ++gone) {
        tri_mesh m;
        mesh_make_sphere(&m, zero, 1, 1); /* for its arrays */
        assert_true(m.vertex_count >= 8 && m.triangle_count >= 12);
        m.vertex_count = 8;
        m.triangle_count = 11;
        memcpy(m.vertex, corner, sizeof corner);
        for (size_t t = 0, to = 0; t < 12; ++t)
            if (t != gone) memcpy(m.triangle[to++], side[t], sizeof side[t]);
        assert_int_equal(mesh_require_closed(&m, "cube", NULL), RHEO_OK);
        assert_int_equal(m.repaired.holes, 1);
        check_near(mesh_volume(&m), 1, 1e-12);
        mesh_free(&m);
    }
}

static void inside_out_is_turned(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_sphere(&m, zero, 1, 3);
    for (size_t t = 0; t < m.triangle_count; ++t) {
        uint32_t swap = m.triangle[t][0];
        m.triangle[t][0] = m.triangle[t][1];
        m.triangle[t][1] = swap;
    }
    assert_true(mesh_volume(&m) < 0);
    assert_int_equal(mesh_require_closed(&m, "sphere", NULL), RHEO_OK);
    assert_true(mesh_volume(&m) > 0);
    mesh_free(&m);
}

static void turn_triangle(tri_mesh *m, size_t t) {
    const uint32_t swap = m->triangle[t][0];
    m->triangle[t][0] = m->triangle[t][1];
    m->triangle[t][1] = swap;
}

/* Single triangles, a patch of them, nearly half of a sphere: the fewer are turned, and the volume is the
 * sphere's again. Where most are wrong, so is the whole, which is then turned as a whole. */
static void wrong_windings_are_turned(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_sphere(&m, zero, 1, 3);
    const double volume = mesh_volume(&m);
    const size_t count = m.triangle_count;
    mesh_free(&m);
    const struct {
        size_t first, every, number;
        bool inside_out;
    } cases[] = {
        {5, 1, 1, false}, {0, 7, count / 7, false}, {3, 1, count / 2 - 2, false}, {0, 1, count - 3, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        mesh_make_sphere(&m, zero, 1, 3);
        for (size_t i = 0; i < cases[c].number; ++i) turn_triangle(&m, cases[c].first + cases[c].every * i);
        assert_int_equal(mesh_require_closed(&m, "sphere", NULL), RHEO_OK);
        assert_int_equal(m.repaired.flipped, cases[c].inside_out ? count - cases[c].number : cases[c].number);
        assert_int_equal(m.repaired.turned, cases[c].inside_out);
        check_near(mesh_volume(&m), volume, 1e-12);
        mesh_free(&m);
    }
}

/* A wrong triangle beside one that is missing: both are put right. */
static void holes_and_windings_together(void **state) {
    (void)state;
    tri_mesh m;
    mesh_make_sphere(&m, zero, 1, 4);
    const double volume = mesh_volume(&m);
    const uint32_t *gone = m.triangle[--m.triangle_count];
    size_t beside = 0;
    for (int shared = 0; shared < 2; ++beside) {
        shared = 0;
        for (int i = 0; i < 9; ++i) shared += m.triangle[beside][i / 3] == gone[i % 3];
    }
    turn_triangle(&m, beside - 1);
    assert_int_equal(mesh_require_closed(&m, "sphere", NULL), RHEO_OK);
    assert_int_equal(m.repaired.flipped, 1);
    assert_int_equal(m.repaired.holes, 1);
    check_near(mesh_volume(&m), volume, 1e-12);
    mesh_free(&m);
}

/* Six vertices of the projective plane: closed, every edge shared by two, one side only. */
static void one_sided_surfaces_are_refused(void **state) {
    (void)state;
    static const uint32_t faces[10][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1},
                                          {1, 2, 4}, {2, 3, 5}, {3, 4, 1}, {4, 5, 2}, {5, 1, 3}};
    tri_mesh m;
    rheo_report report = {0};
    mesh_make_sphere(&m, zero, 1, 3); /* for its arrays */
    memcpy(m.triangle, faces, sizeof faces);
    m.triangle_count = 10;
    assert_int_equal(mesh_require_closed(&m, "p.obj", &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "opposite ways near ("));
    assert_non_null(strstr(report.message, "in the file's coordinates"));
    assert_int_equal(m.repaired.flipped, 0);
    mesh_free(&m);
}

static void faults_are_named(void **state) {
    (void)state;
    tri_mesh m;
    rheo_report report = {0};
    mesh_make_sphere(&m, zero, 1, 3);
    m.triangle_count -= 4; /* a hole: those of one triangle before it was divided */
    assert_int_equal(mesh_require_closed(&m, "ball.obj", &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "hole near ("));
    assert_non_null(strstr(report.message, "6 open edges"));
    assert_string_equal(report.file, "ball.obj");
    assert_true(report.allowed[0] != 0);
    mesh_free(&m);

    mesh_make_sphere(&m, zero, 1, 2);
    memcpy(m.triangle[7], m.triangle[8], sizeof *m.triangle); /* one twice, one missing */
    assert_int_equal(mesh_require_closed(&m, NULL, &report), RHEO_INVALID);
    mesh_free(&m);

    mesh_make_sphere(&m, zero, 0, 2);
    assert_int_equal(mesh_require_closed(&m, NULL, &report), RHEO_INVALID);
    mesh_free(&m);

    mesh_make_sphere(&m, zero, 1, 2);
    m.vertex[m.triangle[0][0]][1] = NAN;
    assert_int_equal(mesh_require_closed(&m, NULL, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "finite"));
    m.triangle_count = 0;
    assert_int_equal(mesh_require_closed(&m, NULL, &report), RHEO_INVALID);
    mesh_free(&m);
}

/* Of a ball of many triangles: their planes lie within it by a part of the square of their edges. */
static void fine_balls_are_balls(void **state) {
    (void)state;
    tri_mesh m;
    double worst = 0;
    mesh_make_sphere(&m, zero, 1, 7);
    assert_int_equal(mesh_require_closed(&m, NULL, NULL), RHEO_OK);
    mesh_tree *t = mesh_tree_make(&m);
    for (uint64_t i = 0; i < 20000; ++i) {
        double x[3];
        draw(x, i, 1);
        const double radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        worst = larger(worst, fabs(mesh_tree_distance(t, x) - (radius - 1)));
    }
    printf("%zu triangles: distance off by %.2e\n", m.triangle_count, worst);
    check_below(worst, 1e-4);
    mesh_tree_free(t);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_distance),
        cmocka_unit_test(box_distance),
        cmocka_unit_test(torus_sign),
        cmocka_unit_test(concave_prism),
        cmocka_unit_test(signs_hold_where_rays_graze),
        cmocka_unit_test(signs_are_those_of_solid_angles),
        cmocka_unit_test(distance_is_the_least),
        cmocka_unit_test(a_missing_triangle_is_put_back),
        cmocka_unit_test(inside_out_is_turned),
        cmocka_unit_test(small_holes_are_closed),
        cmocka_unit_test(half_a_side_is_put_back),
        cmocka_unit_test(wrong_windings_are_turned),
        cmocka_unit_test(holes_and_windings_together),
        cmocka_unit_test(one_sided_surfaces_are_refused),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(fine_balls_are_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
