/* Marching cubes: closed and manifold for any signs, second order in area and volume, same for any thread
 * count. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "geom/marching.h"
#include "geom/mesh_facing.h"
#include "manifold.h"

typedef double (*shape_function)(const double x[3]);

static double sphere(const double x[3]) {
    return sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.49) * (x[1] - 0.49) + (x[2] - 0.52) * (x[2] - 0.52)) -
           0.31;
}
static double torus(const double x[3]) {
    double across = sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5)) - 0.28;
    return sqrt(across * across + (x[2] - 0.5) * (x[2] - 0.5)) - 0.11;
}
static double cylinder(const double x[3]) {
    return sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.49) * (x[1] - 0.49)) - 0.31;
}

/* Along an axis: the centres of cells, and the sides. */
static double place(int at, int n, double dx) {
    return at < 0 ? 0 : at >= n ? n * dx : (at + 0.5) * dx;
}

static float *sample(const box *b, double dx, shape_function f) {
    float *field = mem_alloc(b->size * sizeof *field);
    int deep = b->dim == 3 ? 1 : 0;
    for (int k = -deep; k < b->n[2] + deep; ++k)
        for (int j = -1; j <= b->n[1]; ++j)
            for (int i = -1; i <= b->n[0]; ++i) {
                const double x[3] = {place(i, b->n[0], dx), place(j, b->n[1], dx), place(k, b->n[2], dx)};
                field[box_at(b, i, j, k)] = (float)f(x);
            }
    return field;
}

/* Noise on cells and sides; what lies beyond says inside, and must not be asked. `levels`: how many different
 * values, few to provoke exact zeros. */
static float *noise(const box *b, uint64_t seed, int levels) {
    float *field = mem_alloc(b->size * sizeof *field);
    int deep = b->dim == 3 ? 1 : 0;
    for (size_t i = 0; i < b->size; ++i) field[i] = -1;
    for (int k = -deep; k < b->n[2] + deep; ++k)
        for (int j = -1; j <= b->n[1]; ++j)
            for (int i = -1; i <= b->n[0]; ++i) {
                float r = random_unit(seed, (uint64_t)box_at(b, i, j, k), 0) - 0.5f;
                field[box_at(b, i, j, k)] = levels ? (float)((int)(r * (float)levels)) : r;
            }
    return field;
}

static void measure(double *area, double *volume, double *least_area, const rheo_mesh *m) {
    *area = *volume = 0;
    *least_area = INFINITY;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double p[3][3], u[3], v[3], c[3];
        for (int e = 0; e < 3; ++e)
            for (int a = 0; a < 3; ++a)
                p[e][a] = m->position[3 * m->triangle[3 * t + (size_t)e] + (uint32_t)a];
        for (int a = 0; a < 3; ++a) {
            u[a] = p[1][a] - p[0][a];
            v[a] = p[2][a] - p[0][a];
        }
        for (int a = 0; a < 3; ++a) c[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
        double one = 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        *area += one;
        *least_area = smaller(*least_area, one);
        for (int a = 0; a < 3; ++a) *volume += p[0][a] * c[a] / 6;
    }
}

static const double origin[3] = {0, 0, 0};

static void check_normals(const rheo_mesh *m) {
    for (size_t v = 0; v < m->vertex_count; ++v) {
        const float *n = m->normal + 3 * v;
        check_near((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-5);
    }
}

static void sphere_converges(void **state) {
    (void)state;
    const double r = 0.31, true_area = 4 * M_PI * r * r, true_volume = true_area * r / 3;
    double before[2] = {0, 0};
    for (int n = 16; n <= 128; n *= 2) {
        const int cells[3] = {n, n, n};
        box b = box_make(3, cells);
        float *field = sample(&b, 1.0 / n, sphere);
        rheo_mesh m;
        assert_int_equal(marching_cubes(&m, &b, 1.0 / n, origin, field, NULL, NULL), RHEO_OK);
        double area, volume, least;
        measure(&area, &volume, &least, &m);
        double ea = fabs(area / true_area - 1), ev = fabs(volume / true_volume - 1);
        printf("sphere N %4d  area %.3e order %5.2f  volume %.3e order %5.2f\n", n, ea,
               n > 16 ? log2(before[0] / ea) : 0, ev, n > 16 ? log2(before[1] / ev) : 0);
        assert_true(volume > 0 && least > 0);
        check_normals(&m);
        if (n <= 32) assert_int_equal(check_manifold(&m), 2);
        if (n > 16) {
            check_below(1.8, log2(before[0] / ea));
            check_below(1.8, log2(before[1] / ev));
        }
        for (size_t v = 0; v < m.vertex_count; ++v) { /* normals point away from the centre */
            const float *x = m.position + 3 * v, *q = m.normal + 3 * v;
            double cosine = ((x[0] - 0.5) * q[0] + (x[1] - 0.49) * q[1] + (x[2] - 0.52) * q[2]) / r;
            check_below(0.97, cosine);
        }
        before[0] = ea;
        before[1] = ev;
        rheo_free_mesh(&m);
        mem_free(field);
    }
}

static void torus_has_a_hole(void **state) {
    (void)state;
    const int cells[3] = {40, 40, 40};
    box b = box_make(3, cells);
    float *field = sample(&b, 1.0 / 40, torus);
    rheo_mesh m;
    marching_cubes(&m, &b, 1.0 / 40, origin, field, NULL, NULL);
    assert_int_equal(check_manifold(&m), 0); /* V - E + F */
    rheo_free_mesh(&m);
    mem_free(field);
}

static void noise_is_manifold(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; ++seed)
        for (int levels = 0; levels <= 4; levels += 4) {
            const int cells[3] = {17, 9 + (int)seed, 70 - 5 * (int)seed};
            box b = box_make(3, cells);
            float *field = noise(&b, seed, levels);
            rheo_mesh m;
            marching_cubes(&m, &b, 0.1, origin, field, NULL, NULL);
            assert_true(m.triangle_count > 1000);
            check_manifold(&m);
            check_normals(&m);
            double area, volume, least;
            measure(&area, &volume, &least, &m);
            assert_true(least > 0 && volume > 0);
            rheo_free_mesh(&m);
            mem_free(field);
        }
}

/* All 256 sign patterns of one cube, in both roles of the samples around it. */
static void every_cube_closes(void **state) {
    (void)state;
    const int cells[3] = {2, 2, 2};
    box b = box_make(3, cells);
    float *field = mem_alloc(b.size * sizeof *field);
    for (int signs = 1; signs < 256; ++signs) {
        for (size_t i = 0; i < b.size; ++i) field[i] = 0.7f;
        for (int c = 0; c < 8; ++c)
            if (signs >> c & 1) field[box_at(&b, c & 1, c >> 1 & 1, c >> 2)] = -0.4f;
        rheo_mesh m;
        marching_cubes(&m, &b, 1, origin, field, NULL, NULL);
        check_manifold(&m);
        rheo_free_mesh(&m);
    }
    mem_free(field);
}

static void plane_is_closed(void **state) {
    (void)state;
    for (int round = 0; round < 8; ++round) {
        const int cells[3] = {30, 21, 1};
        box b = box_make(2, cells);
        float *field =
            round == 0 ? sample(&b, 1.0 / 30, cylinder) : noise(&b, (uint64_t)round, round & 1 ? 0 : 4);
        rheo_mesh m;
        marching_cubes(&m, &b, 1.0 / 30, origin, field, NULL, NULL);
        check_manifold(&m);
        check_normals(&m);
        double area, volume, least;
        measure(&area, &volume, &least, &m);
        assert_true(volume > 0 && least > 0);
        rheo_free_mesh(&m);
        mem_free(field);
    }
    double before = 0;
    for (int n = 16; n <= 128; n *= 2) {
        const int cells[3] = {n, n, 1};
        box b = box_make(2, cells);
        float *field = sample(&b, 1.0 / n, cylinder);
        rheo_mesh m;
        marching_cubes(&m, &b, 1.0 / n, origin, field, NULL, NULL);
        double area, volume, least;
        measure(&area, &volume, &least, &m);
        double e = fabs(volume * n / (M_PI * 0.31 * 0.31) - 1);
        printf("disc N %4d  volume %.3e order %5.2f\n", n, e, n > 16 ? log2(before / e) : 0);
        if (n > 16) check_below(1.7, log2(before / e));
        before = e;
        rheo_free_mesh(&m);
        mem_free(field);
    }
}

static double tilted_water(const double x[3]) {
    return x[1] - 0.47 + 0.31 * (x[0] - 0.5) - 0.23 * (x[2] - 0.5);
}
static double all_inside(const double x[3]) {
    return -1 - x[0];
}

static void check_in_box(const rheo_mesh *m, const double upper[3]) {
    for (size_t v = 0; v < m->vertex_count; ++v)
        for (size_t a = 0; a < 3; ++a)
            assert_true(m->position[3 * v + a] >= 0 && m->position[3 * v + a] <= (float)upper[a]);
}

/* A plane's field is linear, so all that is left of the error is the hair by which samples keep off the
 * sides: the box's edges are blunt by 2^-11 of a cell. Where a surface meets a side there is no bevel. */
static void sides_cut_sharply(void **state) {
    (void)state;
    for (int n = 8; n <= 32; n *= 2) {
        const int cells[3] = {n, n, n};
        const double one[3] = {1, 1, 1};
        box b = box_make(3, cells);
        float *field = sample(&b, 1.0 / n, tilted_water);
        rheo_mesh m;
        marching_cubes(&m, &b, 1.0 / n, origin, field, NULL, NULL);
        double area, volume, least;
        measure(&area, &volume, &least, &m);
        const double steep = sqrt(1 + 0.31 * 0.31 + 0.23 * 0.23), exact_area = steep + 1 + 4 * 0.47;
        printf("tilted water N %3d  volume error %.2e  area error %.2e\n", n, volume - 0.47,
               area - exact_area);
        check_near(volume, 0.47, 1e-5);
        check_near(area, exact_area, 8 * 0x1p-11 / n);
        assert_int_equal(check_manifold(&m), 2);
        check_normals(&m);
        check_in_box(&m, one);
        assert_true(least > 0);
        for (size_t v = 0; v < m.vertex_count;
             ++v) { /* each lies on the plane or on a side, with its normal */
            const float *x = m.position + 3 * v, *q = m.normal + 3 * v;
            const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
            int on_side = 0;
            for (int a = 0; a < 3; ++a) on_side += (x[a] == 0 && q[a] == -1) || (x[a] == 1 && q[a] == 1);
            if (!on_side) {
                check_near(tilted_water(at), 0, 0x1p-11 / n);
                check_near((double)q[1] * steep, 1, 2 * 0x1p-11);
            }
        }
        rheo_free_mesh(&m);
        mem_free(field);
    }
    const int cells[3] = {5, 70, 3};
    const double upper[3] = {0.5, 7, 0.3};
    box b = box_make(3, cells);
    float *field = sample(&b, 0.1, all_inside);
    rheo_mesh m;
    marching_cubes(&m, &b, 0.1, origin, field, NULL, NULL);
    double area, volume, least;
    measure(&area, &volume, &least, &m);
    assert_int_equal(check_manifold(&m), 2);
    check_in_box(&m, upper);
    check_near(volume, 0.5 * 7 * 0.3, 1e-6);
    rheo_free_mesh(&m);
    mem_free(field);
}

static double half_plane(const double x[3]) {
    return x[1] - 0.3 - 0.4 * x[0];
}

static void plane_ends_at_sides(void **state) {
    (void)state;
    const int cells[3] = {16, 16, 1};
    box b = box_make(2, cells);
    float *field = sample(&b, 1.0 / 16, half_plane);
    rheo_mesh m;
    marching_cubes(&m, &b, 1.0 / 16, origin, field, NULL, NULL);
    double area, volume, least;
    measure(&area, &volume, &least, &m);
    assert_int_equal(check_manifold(&m), 2);
    check_near(volume * 16, 0.5, 1e-5);
    assert_true(least > 0);
    rheo_free_mesh(&m);
    mem_free(field);
}

static void threads_agree(void **state) {
    (void)state;
    const int cells[3] = {90, 30, 25};
    box b = box_make(3, cells);
    float *field = noise(&b, 5, 0);
    rheo_mesh one;
    marching_cubes(&one, &b, 0.1, origin, field, NULL, NULL);
    for (int threads = 2; threads <= 5; threads += 3) {
        pool *p = pool_create(threads);
        rheo_mesh m;
        marching_cubes(&m, &b, 0.1, origin, field, p, NULL);
        assert_int_equal(m.vertex_count, one.vertex_count);
        assert_int_equal(m.triangle_count, one.triangle_count);
        assert_memory_equal(m.position, one.position, 12 * m.vertex_count);
        assert_memory_equal(m.normal, one.normal, 12 * m.vertex_count);
        assert_memory_equal(m.triangle, one.triangle, 12 * m.triangle_count);
        rheo_free_mesh(&m);
        pool_free(p);
    }
    rheo_free_mesh(&one);
    mem_free(field);
}

/* How many vertices have a normal that opposes the sum of their triangles'. */
static long facing_inwards(const rheo_mesh *m) {
    double(*sum)[3] = calloc(m->vertex_count + 1, sizeof *sum);
    long count = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t *v = m->triangle + 3 * t;
        const float *a = m->position + 3 * v[0], *b = m->position + 3 * v[1], *c = m->position + 3 * v[2];
        for (int e = 0; e < 3; ++e) {
            const int f = (e + 1) % 3, g = (e + 2) % 3;
            const double n =
                (double)(b[f] - a[f]) * (double)(c[g] - a[g]) - (double)(b[g] - a[g]) * (double)(c[f] - a[f]);
            for (int corner = 0; corner < 3; ++corner) sum[v[corner]][e] += n;
        }
    }
    for (size_t v = 0; v < m->vertex_count; ++v) {
        double along = 0, size = 0;
        for (int e = 0; e < 3; ++e) {
            along += sum[v][e] * (double)m->normal[3 * v + (size_t)e];
            size += fabs(sum[v][e]);
        }
        count += along < -1e-5 * size;
    }
    free(sum);
    return count;
}

/* Gradients of noise point anywhere; of a smooth surface they are left as they are. */
static void normals_face_outwards(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const int cells[3] = {60, 24, dim == 3 ? 20 : 1};
        box b = box_make(dim, cells);
        float *field = noise(&b, 6, 0);
        rheo_mesh one, m;
        double area, area_of_one, volume, least;
        marching_cubes(&one, &b, 0.1, origin, field, NULL, NULL);
        const long before = facing_inwards(&one);
        assert_int_equal(mesh_face_outwards(&one, &area_of_one, NULL), 0);
        const long after = facing_inwards(&one);
        printf("%dD: %ld of %zu normals faced inwards, then %ld\n", dim, before, one.vertex_count, after);
        assert_true(before > 0);
        assert_int_equal(after, 0);
        check_normals(&one);
        measure(&area, &volume, &least, &one);
        check_near(area_of_one / area, 1, 1e-6);
        pool *p = pool_create(4);
        marching_cubes(&m, &b, 0.1, origin, field, p, NULL);
        mesh_face_outwards(&m, &area, p);
        assert_memory_equal(m.normal, one.normal, 12 * m.vertex_count);
        assert_true(area == area_of_one);
        rheo_free_mesh(&m);
        rheo_free_mesh(&one);
        pool_free(p);
        mem_free(field);
    }
}

static void smooth_normals_stay(void **state) {
    (void)state;
    const int cells[3] = {24, 24, 24};
    box b = box_make(3, cells);
    float *field = sample(&b, 1.0 / 24, torus);
    rheo_mesh m, turned;
    double area;
    marching_cubes(&m, &b, 1.0 / 24, origin, field, NULL, NULL);
    marching_cubes(&turned, &b, 1.0 / 24, origin, field, NULL, NULL);
    assert_int_equal(mesh_face_outwards(&turned, &area, NULL), 0);
    assert_memory_equal(m.normal, turned.normal, 12 * m.vertex_count);
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) assert_true(turned.velocity[i] == 0);
    rheo_free_mesh(&m);
    rheo_free_mesh(&turned);
    mem_free(field);
}

static void odd_values(void **state) {
    (void)state;
    const int cells[3] = {6, 6, 6};
    box b = box_make(3, cells);
    float *field = noise(&b, 9, 0);
    field[box_at(&b, 3, 3, 3)] = NAN;
    field[box_at(&b, 1, 3, 3)] = -INFINITY;
    field[box_at(&b, 4, 2, 3)] = INFINITY;
    rheo_mesh m;
    marching_cubes(&m, &b, 0.1, origin, field, NULL, NULL);
    check_manifold(&m);
    check_normals(&m);
    for (size_t v = 0; v < 3 * m.vertex_count; ++v) assert_true(isfinite(m.position[v]));
    rheo_free_mesh(&m);
    for (size_t i = 0; i < b.size; ++i) field[i] = 1;
    assert_int_equal(marching_cubes(&m, &b, 0.1, origin, field, NULL, NULL), RHEO_OK);
    assert_int_equal(m.vertex_count, 0);
    rheo_free_mesh(&m);
    rheo_free_mesh(&m);
    mem_free(field);
}

/* A surface takes triangles by the square of the resolution, not by its cells. */
static void triangles_grow_with_the_surface(void **state) {
    (void)state;
    pool *p = pool_create(2);
    size_t before = 0;
    for (int n = 32; n <= 128; n *= 2) {
        const int cells[3] = {n, n, n};
        box b = box_make(3, cells);
        float *field = sample(&b, 1.0 / n, sphere);
        rheo_mesh m;
        assert_int_equal(marching_cubes(&m, &b, 1.0 / n, origin, field, p, NULL), RHEO_OK);
        printf("%d^3, 2 threads: %zu triangles\n", n, m.triangle_count);
        assert_true(m.triangle_count > 0);
        if (before) check_near((double)m.triangle_count / (double)before, 4, 0.1);
        before = m.triangle_count;
        rheo_free_mesh(&m);
        mem_free(field);
    }
    pool_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_converges),
        cmocka_unit_test(torus_has_a_hole),
        cmocka_unit_test(noise_is_manifold),
        cmocka_unit_test(every_cube_closes),
        cmocka_unit_test(plane_is_closed),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(odd_values),
        cmocka_unit_test(triangles_grow_with_the_surface),
        cmocka_unit_test(sides_cut_sharply),
        cmocka_unit_test(plane_ends_at_sides),
        cmocka_unit_test(normals_face_outwards),
        cmocka_unit_test(smooth_normals_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
