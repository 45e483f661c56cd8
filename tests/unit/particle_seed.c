#include "check.h"
#include "particle/seed.h"

static mac_grid grid_make(int dim, int n) {
    int cells[3] = {n, n, n};
    return (mac_grid){.box = box_make(dim, cells), .dx = 0.25, .origin = {1, -2, 3}};
}

static int in_ball(void *context, const double x[3]) {
    const double *centre_and_radius = context;
    double r = 0;
    for (int a = 0; a < 3; ++a) r += (x[a] - centre_and_radius[a]) * (x[a] - centre_and_radius[a]);
    return r < centre_and_radius[3] * centre_and_radius[3];
}

static int octant_of(const particles *p, size_t i) {
    int o = 0;
    for (int a = 0; a < p->dim; ++a) o |= (int)(p->x[a][i] * 2) % 2 << a;
    return o;
}

static void test_one_a_octant(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        mac_grid g = grid_make(dim, 12);
        particles p;
        assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
        uint32_t id = 100;
        particles_seeding s = {
            .lower = {2, 3, 4}, .upper = {5, 7, 99}, .velocity = {1, 2, 3}, .fluid = 2, .seed = 7};
        long wanted = dim == 3 ? 3 * 4 * 8 * 8 : 3 * 4 * 4;
        assert_int_equal(particles_seed(&p, &g, &s, &id), wanted);
        assert_int_equal(p.count, wanted);
        assert_int_equal(id, 100 + wanted);
        for (size_t i = 0; i < p.count; ++i) {
            assert_int_equal(p.id[i], 100 + i);
            assert_int_equal(p.fluid[i], 2);
            assert_int_equal(p.spray[i], 0);
            for (int a = 0; a < dim; ++a) {
                assert_true(p.v[a][i] == (float)(a + 1));
                assert_true(p.x[a][i] >= (float)s.lower[a] && p.x[a][i] < (float)s.upper[a]);
            }
        }
        assert_int_equal(particles_sort(&p, &g), 0);
        for (size_t c = 0; c < p.cells; ++c) {
            uint32_t n = p.cell_start[c + 1] - p.cell_start[c];
            assert_true(n == 0 || n == 1u << dim);
            unsigned seen = 0;
            for (uint32_t q = p.cell_start[c]; q < p.cell_start[c + 1]; ++q) seen |= 1u << octant_of(&p, q);
            assert_true(n == 0 || seen == (1u << (1 << dim)) - 1);
        }
        particles_free(&p);
    }
}

/* The place of a candidate does not depend on the range it is asked for in. */
static void test_ranges_agree(void **state) {
    (void)state;
    mac_grid g = grid_make(3, 6);
    particles all, part;
    assert_int_equal(particles_make(&all, &g, NULL, 0), 0);
    assert_int_equal(particles_make(&part, &g, NULL, 0), 0);
    uint32_t id = 0;
    particles_seeding s = {.upper = {6, 6, 6}, .seed = 1};
    particles_seed(&all, &g, &s, &id);
    particles_seeding one = {.lower = {3, 2, 1}, .upper = {4, 3, 2}, .seed = 1};
    assert_int_equal(particles_seed(&part, &g, &one, &id), 8);
    assert_int_equal(particles_sort(&all, &g), 0);
    uint32_t first = all.cell_start[box_dense(&g.box, 3, 2, 1)];
    for (int q = 0; q < 8; ++q)
        for (int a = 0; a < 3; ++a) assert_true(part.x[a][q] == all.x[a][first + (uint32_t)q]);
    one.seed = 2;
    particles_seed(&part, &g, &one, &id);
    assert_true(part.x[0][0] != part.x[0][8]);
    one.upper[1] = 0;
    assert_int_equal(particles_seed(&part, &g, &one, &id), 0);
    particles_free(&all);
    particles_free(&part);
}

static void test_volume_of_a_ball(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        mac_grid g = grid_make(dim, 40);
        double ball[4] = {1 + 5, -2 + 5, dim == 3 ? 3 + 5 : 3, 4};
        particles p;
        assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
        uint32_t id = 0;
        particles_seeding s = {.upper = {40, 40, 40}, .accept = in_ball, .context = ball};
        long n = particles_seed(&p, &g, &s, &id);
        double pi = 3.14159265358979, cell = dim == 3 ? 0.25 * 0.25 * 0.25 / 8 : 0.25 * 0.25 / 4;
        double exact = dim == 3 ? 4 / 3.0 * pi * 64 : pi * 16, volume = (double)n * cell;
        printf("dim %d: volume of a ball %.4f, exact %.4f\n", dim, volume, exact);
        check_near(volume / exact, 1, 0.01);
        particles_free(&p);
    }
}

static void test_only_empty_refills_the_gaps(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        mac_grid g = grid_make(dim, 10);
        particles p;
        assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
        uint32_t id = 0;
        particles_seeding s = {.upper = {10, 10, 10}, .only_empty = 1};
        assert_int_equal(particles_sort(&p, &g), 0);
        long full = particles_seed(&p, &g, &s, &id);
        assert_int_equal(full, dim == 3 ? 8000 : 400);
        assert_int_equal(particles_sort(&p, &g), 0);
        assert_int_equal(particles_seed(&p, &g, &s, &id), 0);
        uint8_t *keep = calloc((size_t)full, 1);
        long dropped = 0;
        for (long i = 0; i < full; ++i) {
            keep[i] = i % 5 != 0;
            dropped += !keep[i];
        }
        particles_compact(&p, keep);
        assert_int_equal(particles_sort(&p, &g), 0);
        s.seed = 99;
        assert_int_equal(particles_seed(&p, &g, &s, &id), dropped);
        assert_int_equal(particles_sort(&p, &g), 0);
        for (size_t c = 0; c < p.cells; ++c) {
            unsigned seen = 0;
            for (uint32_t q = p.cell_start[c]; q < p.cell_start[c + 1]; ++q) seen |= 1u << octant_of(&p, q);
            assert_int_equal(seen, (1u << (1 << dim)) - 1);
        }
        free(keep);
        particles_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_a_octant),
        cmocka_unit_test(test_ranges_agree),
        cmocka_unit_test(test_volume_of_a_ball),
        cmocka_unit_test(test_only_empty_refills_the_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
