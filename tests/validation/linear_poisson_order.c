/* -lap u = f inside a disc or ball cut out of the grid, u given on its surface by the ghost-fluid method:
 * second order in the largest error, in 2D and 3D, the same from both solvers. And multigrid's iterations do
 * not grow with the grid. */
#include "check.h"
#include "linear_problem.h"

/* u = sin(2x + 0.3) cosh(y) cos(3z): a field with lap u = (-4 + 1 - 9 [3D]) u */
static double exact(const double at[3], int dim) {
    return sin(2 * at[0] + 0.3) * cosh(at[1]) * (dim == 3 ? cos(3 * at[2]) : 1);
}
static double minus_laplacian(const double at[3], int dim) {
    return (dim == 3 ? 12 : 3) * exact(at, dim);
}

static double distance(const double at[3], int dim) {
    double dx = at[0] - 0.52, dy = at[1] - 0.49, dz = dim == 3 ? at[2] - 0.505 : 0;
    return sqrt(dx * dx + dy * dy + dz * dz) - 0.41;
}

static void fill_cell(problem *p, int n, int i, int j, int k) {
    int dim = p->b.dim;
    double h = 1.0 / n, at[3] = {(i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h}, here = distance(at, dim);
    ptrdiff_t c = box_at(&p->b, i, j, k);
    if (here >= 0) return;
    p->unknown[c] = 1;
    double b = h * h * minus_laplacian(at, dim), extra = 0;
    for (int side = 0; side < 2 * dim; ++side) {
        int a = side / 2, step = side & 1 ? 1 : -1;
        double other[3] = {at[0], at[1], at[2]};
        other[a] += step * h;
        double there = distance(other, dim);
        if (there < 0) {
            p->face[a][step < 0 ? c : c + p->b.step[a]] = 1;
            continue;
        }
        double low = 0, high = 1; /* the surface between, by bisection */
        for (int turn = 0; turn < 40; ++turn) {
            double middle = 0.5 * (low + high), point[3] = {at[0], at[1], at[2]};
            point[a] += step * h * middle;
            if (distance(point, dim) < 0) low = middle;
            else high = middle;
        }
        double theta = high < 1e-3 ? 1e-3 : high, surface[3] = {at[0], at[1], at[2]};
        surface[a] += step * h * high;
        extra += 1 / theta;
        b += exact(surface, dim) / theta;
    }
    p->extra[c] = (float)extra;
    p->rhs[c] = (float)b;
}

static poisson_result solve(problem *p, poisson_kind kind) {
    pool *w = pool_create(2);
    poisson *s = poisson_create(&p->b, w, kind);
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(poisson_setup(s, &p->system), 0);
    poisson_result r = poisson_solve(s, p->x, p->rhs, 1e-9, 1000);
    poisson_free(s);
    pool_free(w);
    assert_true(r.converged);
    return r;
}

static double largest_error(const problem *p, int n) {
    double largest = 0;
    for (int k = 0; k < p->b.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                ptrdiff_t c = box_at(&p->b, i, j, k);
                double at[3] = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
                if (p->unknown[c]) largest = larger(largest, fabs((double)p->x[c] - exact(at, p->b.dim)));
            }
    return largest;
}

static void check_order(int dim, int coarsest, int finest) {
    double first = 0, last = 0;
    for (int n = coarsest; n <= finest; n *= 2) {
        problem p = make(dim, n, n, n);
        for (int k = 0; k < p.b.n[2]; ++k)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) fill_cell(&p, n, i, j, k);
        poisson_result mg = solve(&p, POISSON_MULTIGRID);
        double error = largest_error(&p, n);
        poisson_result mic = solve(&p, POISSON_MIC);
        double error_mic = largest_error(&p, n);
        printf("%dD N %4d error %.3e (MIC %.3e) order %5.2f iterations %d (MIC %d)\n", dim, n, error,
               error_mic, last > 0 ? log2(last / error) : 0, mg.iterations, mic.iterations);
        check_near(error, error_mic, 2e-6 + 0.01 * error);
        if (first <= 0) first = error;
        last = error;
        drop(&p);
    }
    double order = log(first / last) / log((double)finest / coarsest);
    printf("%dD order over the range %.2f\n", dim, order);
    check_below(1.85, order);
}

static void test_order_2d(void **state) {
    (void)state;
    check_order(2, 16, 256);
}

static void test_order_3d(void **state) {
    (void)state;
    check_order(3, 12, 96);
}

/* A closed box with an open top, and the shape of a dam break: air at an oblique surface. */
static void test_iterations_do_not_grow(void **state) {
    (void)state;
    for (int shape = 0; shape < 2; ++shape) {
        int fewest = 1000, most = 0;
        for (int n = 16; n <= 96; n += n < 64 ? n : 32) {
            problem p = make(3, n, n, n);
            for (int k = 0; k < n; ++k)
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) {
                        ptrdiff_t c = box_at(&p.b, i, j, k);
                        double level =
                            (shape ? 0.6 - 0.5 * (i + 0.5) / n : 1) * n - (j + 0.5); /* depth in cells */
                        if (level <= 0) continue;
                        p.unknown[c] = 1;
                        if (i > 0 && p.unknown[c - 1]) p.face[0][c] = 1;
                        if (j > 0) p.face[1][c] = 1;
                        if (k > 0) p.face[2][c] = 1;
                        if (level <= 1) p.extra[c] = (float)(1 / fmax(level, 0.01));
                        p.rhs[c] = (float)(sin(7.0 * i / n) * cos(5.0 * j / n + 9.0 * k / n));
                    }
            poisson_result r = solve(&p, POISSON_MULTIGRID);
            printf("shape %d N %3d iterations %d\n", shape, n, r.iterations);
            fewest = r.iterations < fewest ? r.iterations : fewest;
            most = r.iterations > most ? r.iterations : most;
            drop(&p);
        }
        check_below(most, fewest + 3);
        check_below(most, 15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_2d),
        cmocka_unit_test(test_order_3d),
        cmocka_unit_test(test_iterations_do_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
