/* Periodic boxes: discrete Fourier modes have known eigenvalues, regions join across the sides, and the
 * number of iterations does not follow the size. */
#include "check.h"
#include "core/random.h"
#include "linear_problem.h"

#define EACH_CELL(p)                                                                                         \
    for (int k = 0; k < (p)->b.n[2]; ++k)                                                                    \
        for (int j = 0; j < (p)->b.n[1]; ++j)                                                                \
            for (int i = 0; i < (p)->b.n[0]; ++i)

static const double TAU = 6.28318530717958647692;

/* The cell beside (i, j, k), around periodic axes; -1: none. */
static ptrdiff_t beside(const problem *p, int i, int j, int k, int axis, int way) {
    int at[3] = {i, j, k}, n = p->b.n[axis];
    at[axis] += way;
    if (at[axis] < 0 || at[axis] >= n) {
        if (!p->b.periodic[axis]) return -1;
        at[axis] = (at[axis] + n) % n;
    }
    return box_at(&p->b, at[0], at[1], at[2]);
}

/* Coefficient 1 between unknowns that are neighbours, also across periodic sides; `air` for the rest. */
static void link_around(problem *p, float air) {
    for (int a = 0; a < p->b.dim; ++a) memset(p->face[a], 0, p->b.size * sizeof(float));
    memset(p->extra, 0, p->b.size * sizeof(float));
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        for (int side = 0; side < 2 * p->b.dim && p->unknown[c]; ++side) {
            const int a = side / 2, high = side & 1;
            const ptrdiff_t n = beside(p, i, j, k, a, high ? 1 : -1);
            if (n < 0) continue;
            if (!p->unknown[n]) p->extra[c] += air;
            else p->face[a][high ? c + p->b.step[a] : c] = 1;
        }
    }
}

/* |b - A x| / |b| in double, above what rounding x to float may cause. */
static double residual_around(problem *p) {
    double rr = 0, bb = 0, ff = 0;
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        if (!p->unknown[c]) continue;
        double ax = (double)p->extra[c] * (double)p->x[c], size = fabs(ax);
        for (int side = 0; side < 2 * p->b.dim; ++side) {
            const int a = side / 2, high = side & 1;
            const ptrdiff_t n = beside(p, i, j, k, a, high ? 1 : -1);
            const double f = (double)p->face[a][high ? c + p->b.step[a] : c];
            if (n < 0) continue;
            ax += f * ((double)p->x[c] - (double)p->x[n]);
            size += f * (fabs((double)p->x[c]) + fabs((double)p->x[n]));
        }
        rr += ((double)p->rhs[c] - ax) * ((double)p->rhs[c] - ax);
        bb += (double)p->rhs[c] * (double)p->rhs[c];
        ff += size * size;
    }
    return larger(0, sqrt(rr / bb) - 6e-8 * sqrt(ff / bb));
}

static poisson_result solve_with(problem *p, int threads, double tolerance) {
    pool *w = pool_create(threads);
    poisson *s = poisson_create(&p->b, w, POISSON_MULTIGRID);
    assert_non_null(s);
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(poisson_setup(s, &p->system), 0);
    poisson_result r = poisson_solve(s, p->x, p->rhs, tolerance, 500);
    poisson_free(s);
    pool_free(w);
    return r;
}

static problem make_around(int dim, int nx, int ny, int nz, int axes) {
    problem p = make(dim, nx, ny, nz);
    for (int a = 0; a < dim; ++a) p.b.periodic[a] = (uint8_t)(axes >> a & 1);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_around(&p, 1);
    return p;
}

/* A mode m of cosines and sines is an eigenvector: 2 - 2 cos(2 pi m / n), summed over the axes. */
static void check_mode(int dim, int nx, int ny, int nz, const int m[3]) {
    problem p = make_around(dim, nx, ny, nz, 7);
    double value = 0, worst = 0;
    for (int a = 0; a < dim; ++a) value += 2 - 2 * cos(TAU * m[a] / p.b.n[a]);
    for (int turn = 0; turn < 2; ++turn) {
        EACH_CELL(&p) {
            const double angle =
                TAU * (m[0] * i / (double)nx + m[1] * j / (double)ny + m[2] * k / (double)nz);
            p.rhs[box_at(&p.b, i, j, k)] = (float)(value * (turn ? sin(angle) : cos(angle)));
        }
        const poisson_result r = solve_with(&p, 1, 1e-7);
        assert_true(r.converged);
        assert_int_equal(r.closed_regions, 1);
        EACH_CELL(&p) {
            const double angle =
                TAU * (m[0] * i / (double)nx + m[1] * j / (double)ny + m[2] * k / (double)nz);
            worst =
                larger(worst, fabs((double)p.x[box_at(&p.b, i, j, k)] - (turn ? sin(angle) : cos(angle))));
        }
    }
    printf("%dD %3d x %3d x %3d mode %d %d %d: error %.1e\n", dim, nx, ny, nz, m[0], m[1], m[2], worst);
    check_below(worst, 2e-5);
    drop(&p);
}

static void test_modes(void **state) {
    (void)state;
    check_mode(2, 32, 32, 1, (int[]){1, 0, 0});
    check_mode(2, 48, 24, 1, (int[]){2, 1, 0});
    check_mode(2, 16, 6, 1, (int[]){3, 1, 0});
    check_mode(2, 24, 32, 1, (int[]){1, 1, 0}); /* rows of a block and a half */
    check_mode(2, 8, 16, 1, (int[]){1, 0, 0});
    check_mode(3, 40, 16, 24, (int[]){2, 1, 1});
    check_mode(3, 32, 16, 32, (int[]){0, 0, 1});
    check_mode(3, 16, 20, 16, (int[]){1, 2, 1});
}

/* Random right-hand sides: as many iterations whatever the size, for every choice of axes. */
static void test_iterations(void **state) {
    (void)state;
    static const int size[][4] = {{2, 32, 32, 1},  {2, 64, 64, 1},   {2, 128, 128, 1}, {2, 256, 256, 1},
                                  {2, 48, 80, 1},  {2, 240, 112, 1}, {3, 32, 32, 32},  {3, 64, 64, 64},
                                  {3, 48, 48, 48}, {3, 80, 48, 16},  {2, 64, 24, 1},   {2, 128, 232, 1},
                                  {3, 48, 24, 40}, {3, 32, 56, 24},  {2, 24, 64, 1},   {2, 232, 128, 1},
                                  {3, 40, 24, 24}, {3, 56, 40, 8}};
    for (size_t t = 0; t < sizeof size / sizeof *size; ++t)
        for (int axes = 1; axes < (size[t][0] == 3 ? 8 : 4); ++axes) {
            problem p = make_around(size[t][0], size[t][1], size[t][2], size[t][3], axes);
            double sum = 0;
            EACH_CELL(&p) {
                const ptrdiff_t c = box_at(&p.b, i, j, k);
                p.rhs[c] = random_unit(5, (uint64_t)c, 1) - 0.5f;
                sum += (double)p.rhs[c];
            }
            EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] -= (float)(sum / (double)box_cells(&p.b));
            const poisson_result r = solve_with(&p, 1, 1e-6);
            printf("%dD %3d x %3d x %3d axes %d: %d iterations, residual %.1e\n", size[t][0], size[t][1],
                   size[t][2], size[t][3], axes, r.iterations, residual_around(&p));
            assert_true(r.converged);
            check_below(r.iterations, 14);
            check_below(residual_around(&p), 1.0001e-6);
            drop(&p);
        }
}

/* Blobs of random cells with air between: the regions join across the sides, threads change nothing. */
static void test_regions(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        problem p = make_around(dim, 48, 40, dim == 3 ? 24 : 1, 7);
        EACH_CELL(&p) { /* a slanted band around the box and a drop on its corner */
            const int band = (i + j) % 24 < 5, di = (i + 24) % 48 - 24, dj = (j + 20) % 40 - 20;
            p.unknown[box_at(&p.b, i, j, k)] = (uint8_t)(band || di * di + dj * dj < 30);
        }
        link_around(&p, 1.5f);
        EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] = random_unit(6, (uint64_t)(i + 50 * j), 2) - 0.3f;
        const poisson_result r = solve_with(&p, 1, 1e-6);
        assert_true(r.converged);
        assert_int_equal(r.closed_regions, 0);
        check_below(residual_around(&p), 1.0001e-6);
        float *first = mem_alloc(p.b.size * sizeof *first);
        memcpy(first, p.x, p.b.size * sizeof *first);
        for (int threads = 2; threads < 4; ++threads) {
            assert_int_equal(solve_with(&p, threads, 1e-6).iterations, r.iterations);
            assert_memory_equal(first, p.x, p.b.size * sizeof *first);
        }
        mem_free(first);
        link_around(&p, 0); /* two walls across x cut the ring once and once more: two closed regions */
        EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = (uint8_t)(i != 7 && i != 31);
        link_around(&p, 0);
        EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] = (float)((i + j) % 2) - 0.5f;
        assert_int_equal(solve_with(&p, 2, 1e-6).closed_regions, 2);
        drop(&p);
    }
}

/* Walls across x leave one region less when the sides join, wherever in a block the rows end. */
static void test_seams_join(void **state) {
    (void)state;
    for (int nx = 8; nx <= 56; nx += 8)
        for (int wall = 0; wall < nx; wall += 3) {
            problem p = make_around(2, nx, 8, 1, 1);
            EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = (uint8_t)(i != wall && (j != 4 || i == 0));
            link_around(&p, 0);
            EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] = (float)((i + j) % 2) - 0.5f;
            const poisson_result r = solve_with(&p, 1, 1e-6);
            assert_int_equal(r.closed_regions, wall == 0 ? 2 : 1);
            assert_true(r.converged);
            drop(&p);
        }
}

static void test_refusals(void **state) {
    (void)state;
    box b = box_make(2, (const int[]){25, 32, 1});
    assert_true(poisson_can_wrap(&b, POISSON_MIC));
    b.periodic[1] = 1;
    assert_true(poisson_can_wrap(&b, POISSON_MULTIGRID));
    assert_false(poisson_can_wrap(&b, POISSON_MIC));
    b.periodic[0] = 1;
    assert_false(poisson_can_wrap(&b, POISSON_MULTIGRID));
    assert_null(poisson_create(&b, NULL, POISSON_MULTIGRID));
    b.n[0] = 3 * POISSON_WRAP_CELLS;
    assert_true(poisson_can_wrap(&b, POISSON_MULTIGRID));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),      cmocka_unit_test(test_iterations), cmocka_unit_test(test_regions),
        cmocka_unit_test(test_seams_join), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
