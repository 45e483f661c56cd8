/* Bounded Poisson systems against projected Gauss-Seidel, run in double until nothing moves, and against what
 * can be said beforehand: no suction, no bounds felt; full vessels; vessels pulled wider. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "linear/lcp.h"

typedef struct problem {
    box b;
    float *face[3], *extra, *rhs, *x;
    uint8_t *unknown, *bounded;
    poisson_row rows[64];
    int first[3], groups;
} problem;

/* A box of cells; the top row has air above it when `air`, all cells at the box's sides are bounded. */
static problem make(int dim, int n, int air) {
    problem p = {.b = box_make(dim, (int[3]){n, n, dim == 3 ? n : 1})};
    for (int a = 0; a < dim; ++a) p.face[a] = mem_alloc(p.b.size * sizeof(float));
    p.extra = mem_alloc(p.b.size * sizeof(float));
    p.rhs = mem_alloc(p.b.size * sizeof(float));
    p.x = mem_alloc(p.b.size * sizeof(float));
    p.unknown = mem_alloc(p.b.size);
    p.bounded = mem_alloc(p.b.size);
    for (int k = 0; k < p.b.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const ptrdiff_t c = box_at(&p.b, i, j, k);
                const int at[3] = {i, j, k};
                p.unknown[c] = 1;
                for (int a = 0; a < dim; ++a) {
                    p.face[a][c] = at[a] > 0 ? 0.2f + random_unit(11, (uint64_t)c, (unsigned)a) : 0;
                    p.bounded[c] |= at[a] == 0 || (at[a] == n - 1 && !(air && a == 1));
                }
                p.extra[c] = air && j == n - 1 ? 1.7f : 0;
                p.rhs[c] = random_unit(5, (uint64_t)c, 1) - 0.5f;
            }
    return p;
}

static void drop(problem *p) {
    void *const blocks[] = {p->face[0], p->face[1], p->face[2], p->extra,
                            p->rhs,     p->x,       p->unknown, p->bounded};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
}

#define EACH_CELL(p)                                                                                         \
    for (int k = 0; k < (p)->b.n[2]; ++k)                                                                    \
        for (int j = 0; j < (p)->b.n[1]; ++j)                                                                \
            for (int i = 0; i < (p)->b.n[0]; ++i)

/* Two bodies that pull on a dozen cells each. */
static void add_bodies(problem *p) {
    const int n = p->b.n[0];
    int count = 0;
    for (p->groups = 0; p->groups < 2; ++p->groups) {
        p->first[p->groups] = count;
        for (int e = 0; e < 12; ++e) {
            poisson_row *k = &p->rows[count++];
            k->cell = (int32_t)box_at(&p->b, 1 + e % 3, (e + 4 * p->groups) % (n - 1), 0);
            for (int r = 0; r < POISSON_RANK; ++r)
                k->value[r] =
                    0.8f * (random_unit(17, 12 * (uint64_t)p->groups + (uint64_t)e, (unsigned)r) - 0.5f);
            if (e % 4 == 0) continue; /* on one side of a face only */
            p->rows[count] = *k;
            p->rows[count].cell += (int32_t)p->b.step[1];
            for (int r = 0; r < POISSON_RANK; ++r) p->rows[count].value[r] *= -1;
            ++count;
        }
    }
    p->first[2] = count;
}

static double times_row(const double *dense, const double *x, size_t row, size_t cells) {
    double sum = 0;
    for (size_t c = 0; c < cells; ++c) sum += dense[row * cells + c] * x[c];
    return sum;
}

/* The whole matrix, cells in the order of the box. */
static double *assemble(const problem *p, size_t *cells) {
    const size_t n = *cells = box_cells(&p->b);
    double *dense = mem_alloc(n * n * sizeof *dense);
    size_t *place = mem_alloc(p->b.size * sizeof *place);
    assert_true(dense && place);
    EACH_CELL(p) place[box_at(&p->b, i, j, k)] = box_dense(&p->b, i, j, k);
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        const size_t r = place[c];
        dense[r * n + r] += (double)p->extra[c];
        for (int a = 0; a < p->b.dim; ++a) {
            const double f = (double)p->face[a][c];
            if (!(f > 0)) continue;
            const size_t o = place[c - p->b.step[a]];
            dense[r * n + r] += f;
            dense[o * n + o] += f;
            dense[r * n + o] -= f;
            dense[o * n + r] -= f;
        }
    }
    double *column = mem_alloc(n * sizeof *column);
    for (int g = 0; g < p->groups; ++g)
        for (int m = 0; m < POISSON_RANK; ++m) {
            memset(column, 0, n * sizeof *column);
            for (int e = p->first[g]; e < p->first[g + 1]; ++e)
                column[place[p->rows[e].cell]] += (double)p->rows[e].value[m];
            for (size_t r = 0; r < n; ++r)
                for (size_t c = 0; c < n; ++c) dense[r * n + c] += column[r] * column[c];
        }
    mem_free(column);
    mem_free(place);
    return dense;
}

static double *reference(const problem *p) {
    size_t n;
    double *dense = assemble(p, &n), *x = mem_alloc(n * sizeof *x), most = 1;
    for (int sweep = 0; sweep < 200000 && most > 1e-12; ++sweep) {
        most = 0;
        EACH_CELL(p) {
            const size_t r = box_dense(&p->b, i, j, k);
            const ptrdiff_t c = box_at(&p->b, i, j, k);
            const double rest = (double)p->rhs[c] - times_row(dense, x, r, n);
            double next = x[r] + rest / dense[r * n + r];
            if (p->bounded[c] && next < 0) next = 0;
            most = larger(most, fabs(next - x[r]));
            x[r] = next;
        }
    }
    check_below(most, 1e-12);
    mem_free(dense);
    return x;
}

static lcp_result solve(problem *p, int threads, poisson_kind kind) {
    const lcp_problem given = {.system = {{p->face[0], p->face[1], p->face[2]}, p->extra, p->unknown},
                               .bounded = p->bounded,
                               .term = {p->rows, p->first, p->groups}};
    lcp_result r;
    pool *w = pool_create(threads);
    poisson *s = poisson_create(&p->b, w, kind);
    lcp *l = lcp_create(&p->b);
    assert_true(s && l);
    assert_int_equal(lcp_solve(&r, l, s, p->x, p->rhs, &given, 1e-7, 500), 0);
    lcp_free(l);
    poisson_free(s);
    pool_free(w);
    return r;
}

static void check_against_reference(problem *p, const char *name) {
    double *exact = reference(p), size = 0, error = 0;
    const lcp_result r = solve(p, 1, POISSON_MULTIGRID);
    float *once = mem_alloc(p->b.size * sizeof *once);
    memcpy(once, p->x, p->b.size * sizeof *once);
    EACH_CELL(p) {
        const double e = exact[box_dense(&p->b, i, j, k)];
        size = larger(size, fabs(e));
        error = larger(error, fabs(e - (double)p->x[box_at(&p->b, i, j, k)]));
    }
    printf("%-28s rounds %2d iterations %3d at zero %4lld error %.1e least rest %.1e product %.1e\n", name,
           r.rounds, r.solve.iterations, (long long)r.active, error / size, r.least_rest, r.product);
    assert_true(r.settled && r.solve.converged);
    assert_true(r.active > 0);
    assert_true(r.least_value >= 0);
    check_below(-r.least_rest, 2e-7);
    check_below(r.product, 1e-6);
    check_below(error, 2e-5 * size);
    /* warm-started it is found at once; threads and the preconditioner change nothing that counts */
    const lcp_result again = solve(p, 2, POISSON_MULTIGRID);
    assert_int_equal(again.active, r.active);
    check_below(again.rounds, 1);
    memset(p->x, 0, p->b.size * sizeof *p->x);
    solve(p, 5, POISSON_MULTIGRID);
    assert_memory_equal(once, p->x, p->b.size * sizeof *once);
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(solve(p, 1, POISSON_MIC).active, r.active);
    mem_free(once);
    mem_free(exact);
}

static void small_systems(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int bodies = 0; bodies < 2; ++bodies) {
            problem p = make(dim, dim == 3 ? 7 : 17, 1);
            if (bodies) add_bodies(&p);
            check_against_reference(&p, bodies ? "random, two bodies" : "random");
            drop(&p);
        }
}

/* Suction on half of the walls from no start at all: guessed on coarser grids, so that finer ones do not need
 * more rounds; threads change nothing. */
static void cold_start_needs_few_rounds(void **state) {
    (void)state;
    int rounds[2];
    for (int fine = 0; fine < 2; ++fine) {
        const int n = fine ? 48 : 24;
        problem p = make(3, n, 1);
        EACH_CELL(&p) {
            const double x[3] = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
            p.rhs[box_at(&p.b, i, j, k)] +=
                (float)(2 * sin(9 * x[0]) * cos(7 * x[1]) + 2 * cos(5 * x[2] + 3 * x[0]));
        }
        const lcp_result r = solve(&p, 1, POISSON_MULTIGRID);
        printf("cold, %d cells a side: rounds %d iterations %d at zero %lld least rest %.1e product %.1e\n",
               n, r.rounds, r.solve.iterations, (long long)r.active, r.least_rest, r.product);
        assert_true(r.settled && r.solve.converged);
        assert_true(r.active > n * n);
        check_below(-r.least_rest, 2e-7);
        check_below(r.product, 1e-6);
        rounds[fine] = r.rounds;
        float *once = mem_alloc(p.b.size * sizeof *once);
        memcpy(once, p.x, p.b.size * sizeof *once);
        memset(p.x, 0, p.b.size * sizeof *p.x);
        solve(&p, 3, POISSON_MULTIGRID);
        assert_memory_equal(once, p.x, p.b.size * sizeof *once);
        mem_free(once);
        drop(&p);
    }
    check_below(rounds[0], 7);
    check_below(rounds[1], 7);
}

/* Pressed against the walls everywhere: the bounds are not felt and nothing differs by a bit. */
static void pressed_is_plain(void **state) {
    (void)state;
    problem p = make(3, 20, 1);
    EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] = j == 0 ? 1 : 0;
    float *bounded = mem_alloc(p.b.size * sizeof *bounded);
    const lcp_result r = solve(&p, 1, POISSON_MULTIGRID);
    memcpy(bounded, p.x, p.b.size * sizeof *bounded);
    memset(p.x, 0, p.b.size * sizeof *p.x);
    memset(p.bounded, 0, p.b.size);
    solve(&p, 1, POISSON_MULTIGRID);
    assert_memory_equal(bounded, p.x, p.b.size * sizeof *bounded);
    assert_int_equal(r.rounds, 1);
    assert_int_equal(r.active, 0);
    mem_free(bounded);
    drop(&p);
}

static void set_sum(problem *p, double wanted) {
    double sum = 0, count = 0;
    EACH_CELL(p) {
        sum += (double)p->rhs[box_at(&p->b, i, j, k)];
        count += 1;
    }
    EACH_CELL(p) p->rhs[box_at(&p->b, i, j, k)] += (float)((wanted - sum) / count);
}

/* A full vessel: nothing separates, and the least pressure at its walls is 0. */
static void full_vessel_stays_full(void **state) {
    (void)state;
    problem p = make(2, 24, 0);
    set_sum(&p, 0);
    const lcp_result r = solve(&p, 1, POISSON_MULTIGRID);
    assert_int_equal(r.active, 0);
    assert_int_equal(r.rounds, 1);
    assert_int_equal(r.solve.closed_regions, 1);
    check_near(r.least_value, 0, 0);
    assert_true(r.solve.converged && r.settled);
    check_below(r.product, 1e-5);
    drop(&p);
}

/* Pulled wider, a void opens somewhere, and the reference agrees where. Squeezed, nothing can give way. */
static void vessel_pulled_wider_opens(void **state) {
    (void)state;
    problem p = make(2, 12, 0);
    set_sum(&p, -3);
    check_against_reference(&p, "closed, pulled wider");
    set_sum(&p, 3);
    memset(p.x, 0, p.b.size * sizeof *p.x);
    const lcp_result r = solve(&p, 1, POISSON_MULTIGRID);
    assert_int_equal(r.active, 0);
    assert_true(r.solve.incompatibility > 1e-3);
    check_near(r.least_value, 0, 0);
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_systems),
        cmocka_unit_test(cold_start_needs_few_rounds),
        cmocka_unit_test(pressed_is_plain),
        cmocka_unit_test(full_vessel_stays_full),
        cmocka_unit_test(vessel_pulled_wider_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
