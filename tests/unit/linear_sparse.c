/* Conjugate gradients on sums of squares against a dense solve. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "linear/sparse.h"

enum { UNKNOWNS = 60, RANDOM = 90, TERMS = RANDOM + UNKNOWNS, WIDE = 5 };

typedef struct problem {
    sparse terms;
    double b[UNKNOWNS], dense[UNKNOWNS][UNKNOWNS];
} problem;

/* The last unknown has a mass that is none. */
static void make(problem *p) {
    *p = (problem){0};
    assert_int_equal(sparse_hold_rows(&p->terms, TERMS), 0);
    assert_int_equal(sparse_hold_entries(&p->terms, TERMS * WIDE), 0);
    for (int r = 0; r < RANDOM; ++r) {
        p->terms.first[r] = r * WIDE;
        for (int e = 0; e < WIDE; ++e) {
            p->terms.column[r * WIDE + e] =
                (int)((UNKNOWNS - 1) * random_unit(1, (uint64_t)r, (uint64_t)e)); /* some come twice */
            p->terms.value[r * WIDE + e] = (double)random_unit(2, (uint64_t)r, (uint64_t)e) - 0.5;
        }
        for (int e = 0; e < WIDE * WIDE; ++e)
            p->dense[p->terms.column[r * WIDE + e / WIDE]][p->terms.column[r * WIDE + e % WIDE]] +=
                p->terms.value[r * WIDE + e / WIDE] * p->terms.value[r * WIDE + e % WIDE];
    }
    const int last = RANDOM * WIDE + UNKNOWNS - 1;
    p->terms.first[TERMS - 1] = last;
    p->terms.first[TERMS] = last + 1;
    p->terms.column[last] = UNKNOWNS - 1;
    p->terms.value[last] = 1e-22;
    for (int i = 0; i < UNKNOWNS - 1; ++i) {
        const double mass = 0.01 + (double)random_unit(3, (uint64_t)i, 0);
        p->terms.first[RANDOM + i] = RANDOM * WIDE + i;
        p->terms.column[RANDOM * WIDE + i] = i;
        p->terms.value[RANDOM * WIDE + i] = sqrt(mass);
        p->dense[i][i] += mass;
        p->b[i] = (double)random_unit(4, (uint64_t)i, 0);
    }
}

static void solve(void **state) {
    (void)state;
    problem p;
    make(&p);
    for (int kind = SPARSE_JACOBI; kind <= SPARSE_MULTIGRID; ++kind) {
        double x[UNKNOWNS] = {0}, y[UNKNOWNS];
        sparse_solver *s = sparse_solver_create(NULL, (sparse_kind)kind);
        x[UNKNOWNS - 1] = 7;
        assert_int_equal(sparse_solver_setup(s, &p.terms, UNKNOWNS, &(sparse_ladder){.steps = 0}), 0);
        assert_int_equal(sparse_solver_unknowns(s), UNKNOWNS - 1);
        const sparse_result r = sparse_solve(s, x, p.b, 1e-12, 500);
        assert_true(r.converged);
        sparse_product(s, y, x);
        for (int i = 0; i < UNKNOWNS - 1; ++i) {
            double sum = 0;
            for (int j = 0; j < UNKNOWNS; ++j) sum += p.dense[i][j] * x[j];
            check_near(sum, p.b[i], 1e-10);
            check_near(y[i], sum, 1e-12);
        }
        check_near(x[UNKNOWNS - 1], 7, 0);
        sparse_solver_free(s);
    }
    sparse_free(&p.terms);
}

/* A chain that is held at its first end: its lower triangle is its own factor, so that IC(0) is exact. */
static void chain(void **state) {
    (void)state;
    enum { LONG = 3000 };
    sparse terms = {0};
    double *b = mem_alloc(LONG * sizeof *b), *x = mem_alloc(LONG * sizeof *x);
    assert_int_equal(sparse_hold_rows(&terms, LONG), 0);
    assert_int_equal(sparse_hold_entries(&terms, 2 * LONG), 0);
    for (int r = 0, at = 0; r < LONG; ++r) {
        terms.first[r] = at;
        terms.column[at] = r;
        terms.value[at++] = 1;
        if (r > 0) terms.column[at] = r - 1;
        if (r > 0) terms.value[at++] = -1;
        terms.first[r + 1] = at;
        b[r] = 1;
    }
    sparse_solver *s = sparse_solver_create(NULL, SPARSE_IC);
    assert_int_equal(sparse_solver_setup(s, &terms, LONG, NULL), 0);
    const sparse_result r = sparse_solve(s, x, b, 1e-6, 10);
    assert_true(r.converged);
    check_near(x[0], LONG, 1e-3);
    sparse_solver_free(s);
    sparse_free(&terms);
    mem_free(b);
    mem_free(x);
}

/* The same by multigrid, with linear interpolation: few iterations at any length. */
static void ladder(void **state) {
    (void)state;
    enum { STEPS = 5 };
    for (int length = 255; length < 3000; length = 2 * length + 1) {
        sparse terms = {0}, P[STEPS] = {{0}};
        int columns[STEPS], n = length;
        double *b = mem_alloc((size_t)length * sizeof *b), *x = mem_alloc((size_t)length * sizeof *x);
        assert_int_equal(sparse_hold_rows(&terms, length + 1) | sparse_hold_entries(&terms, 2 * length + 2),
                         0);
        for (int r = 0, at = 0; r <= length; ++r) {
            terms.first[r] = at;
            for (int e = 0; e < 2; ++e) {
                if (r - e < 0 || r - e >= length) continue;
                terms.column[at] = r - e;
                terms.value[at++] = e ? -1 : 1;
            }
            terms.first[r + 1] = at;
        }
        for (int step = 0; step < STEPS; ++step, n = columns[step - 1]) {
            columns[step] = n / 2;
            assert_int_equal(sparse_hold_rows(&P[step], n) | sparse_hold_entries(&P[step], 2 * n), 0);
            for (int i = 0, at = 0; i < n; ++i) {
                P[step].first[i] = at;
                for (int c = (i - 1) / 2; c <= i / 2; ++c) {
                    if (c >= columns[step] || abs(2 * c + 1 - i) > 1) continue;
                    P[step].column[at] = c;
                    P[step].value[at++] = i % 2 ? 1 : 0.5;
                }
                P[step].first[i + 1] = at;
            }
        }
        for (int i = 0; i < length; ++i) b[i] = (double)random_unit(8, (uint64_t)i, 0) - 0.5;
        sparse_solver *s = sparse_solver_create(NULL, SPARSE_MULTIGRID);
        assert_int_equal(sparse_solver_setup(s, &terms, length, &(sparse_ladder){P, columns, STEPS}), 0);
        const sparse_result r = sparse_solve(s, x, b, 1e-8, 100);
        assert_true(r.converged);
        check_below(r.iterations, 9);
        sparse_solver_free(s);
        sparse_free(&terms);
        for (int step = 0; step < STEPS; ++step) sparse_free(&P[step]);
        mem_free(b);
        mem_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solve), cmocka_unit_test(chain),
                                       cmocka_unit_test(ladder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
