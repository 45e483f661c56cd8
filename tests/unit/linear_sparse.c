/* Conjugate gradients on sums of squares against a dense solve. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "linear/sparse.h"

enum { UNKNOWNS = 60, TERMS = 90, WIDE = 5 };

typedef struct problem {
    sparse terms;
    double mass[UNKNOWNS], b[UNKNOWNS], dense[UNKNOWNS][UNKNOWNS];
} problem;

/* The last unknown is in no term and has no mass. */
static void make(problem *p) {
    *p = (problem){0};
    assert_int_equal(sparse_hold_rows(&p->terms, TERMS), 0);
    assert_int_equal(sparse_hold_entries(&p->terms, TERMS * WIDE), 0);
    for (int r = 0; r < TERMS; ++r) {
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
    p->terms.first[TERMS] = TERMS * WIDE;
    for (int i = 0; i < UNKNOWNS - 1; ++i) {
        p->mass[i] = 0.01 + (double)random_unit(3, (uint64_t)i, 0);
        p->dense[i][i] += p->mass[i];
        p->b[i] = (double)random_unit(4, (uint64_t)i, 0);
    }
}

static void solve(void **state) {
    (void)state;
    problem p;
    make(&p);
    for (int kind = SPARSE_JACOBI; kind <= SPARSE_IC; ++kind) {
        double x[UNKNOWNS] = {0}, y[UNKNOWNS];
        sparse_solver *s = sparse_solver_create(NULL, (sparse_kind)kind);
        x[UNKNOWNS - 1] = 7;
        assert_int_equal(sparse_solver_setup(s, &p.terms, p.mass, UNKNOWNS), 0);
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

/* A chain: its lower triangle is its own factor, so that IC(0) is exact. */
static void chain(void **state) {
    (void)state;
    enum { LONG = 3000 };
    sparse terms = {0};
    double *b = mem_alloc(LONG * sizeof *b), *x = mem_alloc(LONG * sizeof *x),
           *mass = mem_alloc(LONG * sizeof *mass);
    assert_int_equal(sparse_hold_rows(&terms, LONG - 1), 0);
    assert_int_equal(sparse_hold_entries(&terms, 2 * LONG), 0);
    for (int r = 0; r < LONG; ++r) {
        terms.first[r] = 2 * r;
        mass[r] = r == 0;
        b[r] = 1;
        if (r == LONG - 1) break;
        for (int e = 0; e < 2; ++e) {
            terms.column[2 * r + e] = r + e;
            terms.value[2 * r + e] = e ? 1 : -1;
        }
    }
    sparse_solver *s = sparse_solver_create(NULL, SPARSE_IC);
    assert_int_equal(sparse_solver_setup(s, &terms, mass, LONG), 0);
    const sparse_result r = sparse_solve(s, x, b, 1e-6, 10);
    assert_true(r.converged);
    check_near(x[0], LONG, 1e-3);
    sparse_solver_free(s);
    sparse_free(&terms);
    mem_free(b);
    mem_free(x);
    mem_free(mass);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solve), cmocka_unit_test(chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
