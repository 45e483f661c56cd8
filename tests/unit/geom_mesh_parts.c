/* Parts of a mesh that are inside out are turned; holes, and meshes that are inside out as a whole, are told
 * from them. */
#include "check.h"

#include "core/memory.h"
#include "geom/mesh.h"
#include "../../bench/primitives.h"

enum { PARTS = 4 };

typedef struct {
    double low, high; /* of a cube, along all axes, but for `off` along x */
    double off;
    int inside_out;
} cube;

static void join(tri_mesh *all, const cube *cubes, int count) {
    tri_mesh one[PARTS];
    *all = (tri_mesh){0};
    for (int i = 0; i < count; ++i) {
        const cube *c = &cubes[i];
        mesh_make_box(&one[i], (const double[]){c->low + c->off, c->low, c->low},
                      (const double[]){c->high + c->off, c->high, c->high});
        all->vertex_count += one[i].vertex_count;
        all->triangle_count += one[i].triangle_count;
    }
    all->vertex = mem_alloc(all->vertex_count * sizeof *all->vertex);
    all->triangle = mem_alloc(all->triangle_count * sizeof *all->triangle);
    size_t vertex = 0, triangle = 0;
    for (int i = 0; i < count; ++i) {
        for (size_t t = 0; t < one[i].triangle_count; ++t, ++triangle)
            for (int c = 0; c < 3; ++c)
                all->triangle[triangle][c] =
                    (uint32_t)vertex + one[i].triangle[t][cubes[i].inside_out ? 2 - c : c];
        memcpy(all->vertex + vertex, one[i].vertex, one[i].vertex_count * sizeof *all->vertex);
        vertex += one[i].vertex_count;
        mesh_free(&one[i]);
    }
}

static void expect(const char *what, const cube *cubes, int count, double volume, size_t flipped,
                   int turned) {
    tri_mesh m;
    rheo_report report = {0};
    join(&m, cubes, count);
    if (mesh_require_closed(&m, what, &report)) fail_msg("%s: %s", what, report.message);
    if (m.repaired.flipped != flipped || m.repaired.turned != turned)
        fail_msg("%s: %zu triangles flipped, turned %d", what, m.repaired.flipped, m.repaired.turned);
    check_near(mesh_volume(&m), volume, 1e-12);
    mesh_free(&m);
}

static void test_parts(void **state) {
    (void)state;
    const cube apart[] = {{0, 1, 0, 0}, {0, 1, 2, 0}}, second[] = {{0, 1, 0, 0}, {0, 0.5, 2, 1}},
               larger[] = {{0, 0.5, 2, 0}, {0, 1, 0, 1}}, equal[] = {{0, 1, 0, 0}, {0, 1, 2, 1}},
               hole[] = {{0, 1, 0, 0}, {0.25, 0.75, 0, 1}}, both[] = {{0, 1, 0, 1}, {0.25, 0.75, 0, 0}},
               core[] = {{0, 1, 0, 0}, {0.25, 0.75, 0, 1}, {0.4, 0.6, 0, 1}, {0, 1, 2, 1}};
    expect("two apart", apart, 2, 2, 0, 0);
    expect("the smaller of two inside out", second, 2, 1.125, 12, 0);
    expect("the larger of two inside out", larger, 2, 1.125, 12, 0);
    expect("one of two alike inside out", equal, 2, 2, 12, 0);
    expect("a cube with a hole", hole, 2, 0.875, 0, 0);
    expect("the same inside out", both, 2, 0.875, 0, 1);
    expect("a core in a hole, and a neighbour, inside out", core, 4, 0.875 + 0.008 + 1, 24, 0);
}

/* As many as a heap of rubble has: not every pair is looked at. */
static void test_many(void **state) {
    (void)state;
    enum { SIDE = 20, MANY = SIDE * SIDE * SIDE };
    tri_mesh m = {.vertex_count = 8 * MANY, .triangle_count = 12 * MANY};
    m.vertex = mem_alloc(m.vertex_count * sizeof *m.vertex);
    m.triangle = mem_alloc(m.triangle_count * sizeof *m.triangle);
    for (int i = 0; i < MANY; ++i) {
        tri_mesh one;
        const double low[3] = {i % SIDE, i / SIDE % SIDE, (double)(i / (SIDE * SIDE))};
        mesh_make_box(&one, low, (const double[]){low[0] + 0.5, low[1] + 0.5, low[2] + 0.5});
        memcpy(m.vertex + (ptrdiff_t)8 * i, one.vertex, 8 * sizeof *m.vertex);
        for (int t = 0; t < 12; ++t)
            for (int c = 0; c < 3; ++c)
                m.triangle[12 * i + t][c] = (uint32_t)(8 * i) + one.triangle[t][i % 7 ? c : 2 - c];
        mesh_free(&one);
    }
    assert_int_equal(mesh_require_closed(&m, "rubble", NULL), RHEO_OK);
    assert_int_equal(m.repaired.flipped, 12 * ((MANY + 6) / 7));
    check_near(mesh_volume(&m), 0.125 * MANY, 1e-9);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
