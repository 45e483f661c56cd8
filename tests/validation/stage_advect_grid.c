/* Advection on the grid against turning a smooth blob once around: order, no new extremes, both dimensions.
 */
#include "check.h"
#include "core/memory.h"
#include "stage/transport/advect_grid.h"

typedef struct {
    mac_grid g;
    mac_field u;
    openings o;
    float *f, *next, *scratch[2], *back[3];
} bench;

static float *field(const mac_grid *g) {
    float *f = mem_alloc(g->box.size * sizeof *f);
    assert_non_null(f);
    return f;
}

/* Solid rotation about the middle of a unit box (about z in 3D), once in 2 pi seconds. */
static void make(bench *b, int dim, int n, pool *p) {
    const int cells[3] = {n, n, dim == 3 ? 4 : 1};
    *b = (bench){.g = {.box = box_make(dim, cells), .dx = 1.0 / n, .pool = p}};
    assert_int_equal(mac_field_make(&b->u, &b->g), 0);
    b->f = field(&b->g);
    b->next = field(&b->g);
    for (int i = 0; i < 2; ++i) b->scratch[i] = field(&b->g);
    for (int a = 0; a < 3; ++a) b->back[a] = field(&b->g);
    const int deep = dim == 3 ? GHOST : 0;
    for (int k = -deep; k < cells[2] + deep; ++k)
        for (int j = -GHOST; j < n + GHOST; ++j)
            for (int i = -GHOST; i < n + GHOST; ++i) {
                const ptrdiff_t c = box_at(&b->g.box, i, j, k);
                b->u.value[0][c] = (float)-((j + 0.5) / n - 0.5);
                b->u.value[1][c] = (float)((i + 0.5) / n - 0.5);
            }
}

static void discard(bench *b) {
    mac_field_free(&b->u);
    mem_free(b->f);
    mem_free(b->next);
    for (int i = 0; i < 2; ++i) mem_free(b->scratch[i]);
    for (int a = 0; a < 3; ++a) mem_free(b->back[a]);
}

/* A bump with four continuous derivatives. */
static double blob(double x, double y) {
    const double r = hypot(x - 0.5, y - 0.7) / 0.22;
    return r < 1 ? pow(1 - r * r, 5) : 0;
}

static void fill(bench *b, int at) {
    const int n = b->g.box.n[0];
    for (int k = 0; k < b->g.box.n[2]; ++k)
        for (int j = 0; j < n + (at == 1); ++j)
            for (int i = 0; i < n + (at == 0); ++i)
                b->f[box_at(&b->g.box, i, j, k)] =
                    (float)blob((i + (at == 0 ? 0 : 0.5)) / n, (j + (at == 1 ? 0 : 0.5)) / n);
}

/* The mean error after one turn; asserts that nothing left [0, 1]. */
static double turn(int dim, int n, advect_scheme scheme, int at, pool *p) {
    bench b;
    make(&b, dim, n, p);
    fill(&b, at);
    const int steps = 3 * n; /* about a cell a step where the blob is */
    advect_paths paths = {.back = {b.back[0], b.back[1], b.back[2]}};
    advect_trace(&paths, &b.g, &b.u, &b.o, at, 2 * M_PI / steps);
    for (int s = 0; s < steps; ++s) {
        advect_fill_border(b.f, &b.g, at, NULL, 0);
        advect_carry(b.next, b.scratch, b.f, &paths, &b.g, scheme);
        float *kept = b.f;
        b.f = b.next;
        b.next = kept;
    }
    double error = 0, low = 1, high = 0;
    for (int k = 0; k < b.g.box.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const double f = (double)b.f[box_at(&b.g.box, i, j, k)];
                error += fabs(f - blob((i + (at == 0 ? 0 : 0.5)) / n, (j + (at == 1 ? 0 : 0.5)) / n));
                low = smaller(low, f);
                high = larger(high, f);
            }
    assert_true(low >= 0 && high <= 1);
    error /= (double)n * n * b.g.box.n[2];
    discard(&b);
    return error;
}

static double print_orders(const char *name, int dim, advect_scheme scheme, int at) {
    static const int sizes[] = {40, 80, 160};
    double error[3], order = 0;
    const int most = dim == 3 ? 2 : 3;
    pool *p = pool_create(2);
    for (int i = 0; i < most; ++i) {
        error[i] = turn(dim, sizes[i], scheme, at, p);
        order = i ? log2(error[i - 1] / error[i]) : 0;
        printf("%-18s %dD N %3d  mean error %.3e  order %.2f\n", name, dim, sizes[i], error[i], order);
    }
    pool_free(p);
    return order;
}

static void maccormack_is_second_order(void **state) {
    (void)state;
    assert_true(print_orders("maccormack", 2, ADVECT_MACCORMACK, ADVECT_CELLS) > 1.8);
    assert_true(print_orders("maccormack, faces", 2, ADVECT_MACCORMACK, 0) > 1.8);
    assert_true(print_orders("maccormack", 3, ADVECT_MACCORMACK, ADVECT_CELLS) > 1.6); /* coarser */
}

static void bfecc_is_second_order(void **state) {
    (void)state;
    assert_true(print_orders("bfecc", 2, ADVECT_BFECC, ADVECT_CELLS) > 1.8);
    assert_true(print_orders("bfecc, faces", 2, ADVECT_BFECC, 1) > 1.8);
}

static void semi_lagrangian_is_first_order(void **state) {
    (void)state;
    const double order = print_orders("semi-lagrangian", 2, ADVECT_SEMI_LAGRANGIAN, ADVECT_CELLS);
    assert_true(order > 0.6 && order < 1.3);
}

/* One step of a bounded random field through a random velocity: nothing beyond what was there. */
static void no_new_extremes(void **state) {
    (void)state;
    for (int scheme = 0; scheme < 3; ++scheme)
        for (int dim = 2; dim <= 3; ++dim) {
            bench b;
            make(&b, dim, 24, NULL);
            unsigned seed = 7;
            for (size_t i = 0; i < b.g.box.size; ++i) {
                b.f[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
                for (int a = 0; a < dim; ++a)
                    b.u.value[a][i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1;
            }
            advect_paths paths = {.back = {b.back[0], b.back[1], b.back[2]}};
            for (int side = 0; side < 2 * dim; ++side) b.o.open_wall[side] = side & 1;
            advect_trace(&paths, &b.g, &b.u, &b.o, ADVECT_CELLS, 0.2);
            advect_carry(b.next, b.scratch, b.f, &paths, &b.g, (advect_scheme)scheme);
            for (int k = 0; k < b.g.box.n[2]; ++k)
                for (int j = 0; j < 24; ++j)
                    for (int i = 0; i < 24; ++i) {
                        const float f = b.next[box_at(&b.g.box, i, j, k)];
                        assert_true(f >= 0 && f <= 1);
                    }
            discard(&b);
        }
}

/* A path along a column of the grid sees nothing of the columns beside it: what the correction makes of a
 * ripple that it meets there stays within the ripple, though the next column is full. */
static void nothing_comes_from_beside_a_path(void **state) {
    (void)state;
    for (int scheme = 0; scheme < 3; ++scheme)
        for (int dim = 2; dim <= 3; ++dim) {
            bench b;
            make(&b, dim, 24, NULL);
            for (int k = 0; k < b.g.box.n[2]; ++k)
                for (int j = 0; j < 24; ++j)
                    for (int i = 0; i < 24; ++i)
                        b.f[box_at(&b.g.box, i, j, k)] = i < 12 ? 0.1f * (float)(j / 2 % 2) : 1;
            for (int a = 0; a < dim; ++a)
                for (size_t i = 0; i < b.g.box.size; ++i) b.u.value[a][i] = a == 1;
            advect_fill_border(b.f, &b.g, ADVECT_CELLS, NULL, 0);
            advect_paths paths = {.back = {b.back[0], b.back[1], b.back[2]}};
            advect_trace(&paths, &b.g, &b.u, &b.o, ADVECT_CELLS, 0.3 / 24);
            advect_carry(b.next, b.scratch, b.f, &paths, &b.g, (advect_scheme)scheme);
            double most = 0;
            for (int j = 0; j < 24; ++j)
                most = larger(most, (double)b.next[box_at(&b.g.box, 11, j, 1 % b.g.box.n[2])]);
            printf("scheme %d, %dD: ripple of 0.1 beside a full column, then %.4f\n", scheme, dim, most);
            check_below(most, 0.1 + 1e-6);
            discard(&b);
        }
}

/* A velocity that is not a number must not lead a path out of the field. */
static void paths_end_inside(void **state) {
    (void)state;
    bench b;
    make(&b, 3, 16, NULL);
    for (int a = 0; a < 3; ++a)
        for (size_t i = 0; i < b.g.box.size; ++i) b.u.value[a][i] = a == 0 ? NAN : a == 1 ? 1e30f : -INFINITY;
    advect_paths paths = {.back = {b.back[0], b.back[1], b.back[2]}};
    advect_trace(&paths, &b.g, &b.u, &b.o, ADVECT_CELLS, 1);
    advect_carry(b.next, b.scratch, b.f, &paths, &b.g, ADVECT_MACCORMACK);
    for (int a = 0; a < 3; ++a) {
        const float back = b.back[a][box_at(&b.g.box, 8, 8, 2)];
        assert_true(back >= 0 && back <= (float)b.g.box.n[a]);
    }
    discard(&b);
}

/* A border has the nearest value at closed sides, the outside's at open ones, corners included. */
static void borders_are_filled(void **state) {
    (void)state;
    bench b;
    make(&b, 3, 12, NULL);
    const uint8_t open[6] = {0, 0, 0, 1, 0, 0};
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 12; ++j)
            for (int i = 0; i < 12; ++i) b.f[box_at(&b.g.box, i, j, k)] = (float)(i + 100 * j + 10000 * k);
    advect_fill_border(b.f, &b.g, ADVECT_CELLS, open, -1);
    check_near((double)b.f[box_at(&b.g.box, -3, 4, 3)], 30400, 0);
    check_near((double)b.f[box_at(&b.g.box, 14, -2, 5)], 30011, 0);
    check_near((double)b.f[box_at(&b.g.box, 5, 12, 2)], -1, 0);
    check_near((double)b.f[box_at(&b.g.box, 13, 14, 6)], -1, 0);
    discard(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maccormack_is_second_order),
        cmocka_unit_test(bfecc_is_second_order),
        cmocka_unit_test(semi_lagrangian_is_first_order),
        cmocka_unit_test(no_new_extremes),
        cmocka_unit_test(nothing_comes_from_beside_a_path),
        cmocka_unit_test(paths_end_inside),
        cmocka_unit_test(borders_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
