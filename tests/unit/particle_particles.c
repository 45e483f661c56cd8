#include "check.h"
#include "core/parallel.h"
#include "core/random.h"
#include "particle/particles.h"

static mac_grid grid_make(int dim, int nx, int ny, int nz, pool *threads) {
    int n[3] = {nx, ny, nz};
    return (mac_grid){.box = box_make(dim, n), .dx = 0.1, .pool = threads};
}

/* Every column is a function of the id, so that a particle torn apart is seen. */
static void fill(particles *p, const mac_grid *g, size_t count, uint64_t seed) {
    assert_int_equal(particles_reserve(p, count), 0);
    for (size_t i = 0; i < count; ++i) {
        for (int a = 0; a < p->dim; ++a) {
            p->x[a][i] = random_unit(seed, i, (uint64_t)a) * (float)g->box.n[a] * 0.99999f;
            p->v[a][i] = (float)(a + 1) * (float)i;
        }
        p->id[i] = (uint32_t)i;
        p->fluid[i] = (uint8_t)(i % 7);
        p->spray[i] = (uint8_t)(i % 2);
        for (int e = 0; e < p->extra_count; ++e) p->extra[e][i] = (float)i * 0.5f + (float)e;
    }
    p->count = count;
}

static size_t cell_of(const particles *p, const mac_grid *g, size_t i) {
    return box_dense(&g->box, (int)p->x[0][i], (int)p->x[1][i], p->dim == 3 ? (int)p->x[2][i] : 0);
}

static void check_sorted(const particles *p, const mac_grid *g, size_t count, uint64_t seed) {
    assert_int_equal(p->count, count);
    assert_int_equal(p->cell_start[0], 0);
    assert_int_equal(p->cell_start[p->cells], count);
    uint8_t *seen = calloc(count + 1, 1);
    for (size_t c = 0; c < p->cells; ++c) {
        assert_true(p->cell_start[c] <= p->cell_start[c + 1]);
        for (size_t i = p->cell_start[c]; i < p->cell_start[c + 1]; ++i) {
            assert_int_equal(cell_of(p, g, i), c);
            uint32_t id = p->id[i];
            assert_true(id < count && !seen[id]++);
            if (i > p->cell_start[c]) assert_true(p->id[i - 1] < id); /* stable: ids grew before */
            for (int a = 0; a < p->dim; ++a) {
                assert_true(p->x[a][i] == random_unit(seed, id, (uint64_t)a) * (float)g->box.n[a] * 0.99999f);
                assert_true(p->v[a][i] == (float)(a + 1) * (float)id);
            }
            assert_int_equal(p->fluid[i], id % 7);
            assert_int_equal(p->spray[i], id % 2);
            for (int e = 0; e < p->extra_count; ++e)
                assert_true(p->extra[e][i] == (float)id * 0.5f + (float)e);
        }
    }
    free(seen);
}

static void test_sort_is_stable_and_moves_every_column(void **state) {
    (void)state;
    const char *names[] = {"a", "b", "c"};
    for (int dim = 2; dim <= 3; ++dim)
        for (int threads = 1; threads <= 5; threads += 2)
            for (int extras = 0; extras <= 3; ++extras) {
                pool *workers = pool_create(threads);
                mac_grid g = grid_make(dim, 37, 29, dim == 3 ? 17 : 1, workers);
                particles p;
                assert_int_equal(particles_make(&p, &g, names, extras), 0);
                fill(&p, &g, 150000, 5);
                assert_int_equal(particles_sort(&p, &g), 0);
                check_sorted(&p, &g, 150000, 5);
                assert_int_equal(particles_sort(&p, &g), 0); /* in order already */
                check_sorted(&p, &g, 150000, 5);
                particles_free(&p);
                pool_free(workers);
            }
}

static void test_empty_and_single_cell(void **state) {
    (void)state;
    mac_grid g = grid_make(3, 8, 9, 10, NULL);
    particles p;
    assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
    assert_int_equal(particles_sort(&p, &g), 0);
    for (size_t c = 0; c <= p.cells; ++c) assert_int_equal(p.cell_start[c], 0);
    fill(&p, &g, 1000, 1);
    for (size_t i = 0; i < p.count; ++i)
        for (int a = 0; a < 3; ++a) p.x[a][i] = 3.5f;
    assert_int_equal(particles_sort(&p, &g), 0);
    size_t c = box_dense(&g.box, 3, 3, 3);
    assert_int_equal(p.cell_start[c], 0);
    assert_int_equal(p.cell_start[c + 1], 1000);
    for (size_t i = 0; i < p.count; ++i) assert_int_equal(p.id[i], i);
    p.count = 0;
    assert_int_equal(particles_sort(&p, &g), 0);
    for (c = 0; c <= p.cells; ++c) assert_int_equal(p.cell_start[c], 0);
    particles_free(&p);
}

static void test_positions_outside_do_no_harm(void **state) {
    (void)state;
    mac_grid g = grid_make(3, 4, 4, 4, NULL);
    particles p;
    assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
    fill(&p, &g, 6, 1);
    const float odd[6] = {-2, 6, NAN, INFINITY, -INFINITY, 4};
    const size_t cell[6] = {0, 3, 0, 3, 0, 3};
    for (int i = 0; i < 6; ++i)
        for (int a = 0; a < 3; ++a) p.x[a][i] = odd[i];
    assert_int_equal(particles_sort(&p, &g), 0);
    for (size_t i = 0; i < 6; ++i) {
        size_t at = cell[p.id[i]], c = box_dense(&g.box, (int)at, (int)at, (int)at);
        assert_true(i >= p.cell_start[c] && i < p.cell_start[c + 1]);
    }
    particles_free(&p);
}

static void test_compact_keeps_order(void **state) {
    (void)state;
    const char *names[] = {"a"};
    mac_grid g = grid_make(2, 16, 16, 1, NULL);
    particles p;
    assert_int_equal(particles_make(&p, &g, names, 1), 0);
    fill(&p, &g, 1000, 3);
    uint8_t keep[1000];
    for (int i = 0; i < 1000; ++i) keep[i] = i % 3 != 1;
    particles_compact(&p, keep);
    assert_int_equal(p.count, 667);
    for (size_t i = 0; i < p.count; ++i) {
        uint32_t id = (uint32_t)(i / 2 * 3 + (i % 2 ? 2 : 0));
        assert_int_equal(p.id[i], id);
        assert_true(p.v[1][i] == 2 * (float)id);
        assert_true(p.extra[0][i] == (float)id * 0.5f);
        assert_int_equal(p.fluid[i], id % 7);
        assert_int_equal(p.spray[i], id % 2);
    }
    memset(keep, 0, sizeof keep);
    particles_compact(&p, keep);
    assert_int_equal(p.count, 0);
    particles_free(&p);
}

static void test_reserve_keeps_particles_and_memory_is_modest(void **state) {
    (void)state;
    mac_grid g = grid_make(3, 16, 16, 16, NULL);
    particles p;
    assert_int_equal(particles_make(&p, &g, NULL, 0), 0);
    fill(&p, &g, 5000, 9);
    assert_int_equal(particles_reserve(&p, 100000), 0);
    assert_int_equal(particles_reserve(&p, 10), 0);
    assert_int_equal(p.capacity, 100000);
    assert_int_equal(particles_sort(&p, &g), 0);
    check_sorted(&p, &g, 5000, 9);
    assert_int_equal(particles_reserve(&p, SIZE_MAX / 2), -1);
    assert_int_equal(p.count, 5000);
    assert_int_equal(p.capacity, 100000);
    check_below((double)particles_bytes(&p) / 100000, 45); /* bytes a particle: 30 and 12 of scratch */
    particles_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_is_stable_and_moves_every_column),
        cmocka_unit_test(test_empty_and_single_cell),
        cmocka_unit_test(test_positions_outside_do_no_harm),
        cmocka_unit_test(test_compact_keeps_order),
        cmocka_unit_test(test_reserve_keeps_particles_and_memory_is_modest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
