/* Systems with a term of low rank, as rigid bodies make it: residuals in double, sealed chambers, light
 * bodies. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "linear/poisson.h"

typedef struct problem {
    box b;
    float *face[3], *extra, *rhs, *x;
    uint8_t *unknown;
    poisson_pair *pairs;
    int first[3], groups;
} problem;

#define EACH_CELL(p)                                                                                         \
    for (int k = 0; k < (p)->b.n[2]; ++k)                                                                    \
        for (int j = 0; j < (p)->b.n[1]; ++j)                                                                \
            for (int i = 0; i < (p)->b.n[0]; ++i)

static problem make(int nx, int ny, int nz) {
    problem p = {.b = box_make(3, (int[3]){nx, ny, nz})};
    for (int a = 0; a < 3; ++a) p.face[a] = mem_alloc(p.b.size * sizeof(float));
    p.extra = mem_alloc(p.b.size * sizeof(float));
    p.rhs = mem_alloc(p.b.size * sizeof(float));
    p.x = mem_alloc(p.b.size * sizeof(float));
    p.unknown = mem_alloc(p.b.size);
    p.pairs = mem_alloc(2 * p.b.size * sizeof *p.pairs);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    return p;
}

static void drop(problem *p) {
    for (int a = 0; a < 3; ++a) mem_free(p->face[a]);
    mem_free(p->extra);
    mem_free(p->rhs);
    mem_free(p->x);
    mem_free(p->unknown);
    mem_free(p->pairs);
}

static void carve(problem *p, const int lower[3], const int upper[3]) {
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) p->unknown[box_at(&p->b, i, j, k)] = 0;
}

static void link_all(problem *p, int open_top) {
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        if (!p->unknown[c]) continue;
        const int at[3] = {i, j, k};
        for (int a = 0; a < 3; ++a)
            if (at[a] > 0 && p->unknown[c - p->b.step[a]]) p->face[a][c] = 1;
        if (open_top && j == p->b.n[1] - 1) p->extra[c] = 2;
        p->rhs[c] = random_unit(3, (uint64_t)c, 1) - 0.5f;
    }
}

/* A body that fills the carved box: rows (e_a, r x e_a) / sqrt(mass) on its faces. */
static void add_body(problem *p, const int lower[3], const int upper[3], double mass) {
    const double scale = 1 / sqrt(mass);
    int n = p->first[p->groups];
    for (int a = 0; a < 3; ++a) {
        int low[3] = {lower[0], lower[1], lower[2]}, high[3] = {upper[0], upper[1], upper[2]};
        high[a] += 1;
        for (int k = low[2]; k < high[2]; ++k)
            for (int j = low[1]; j < high[1]; ++j)
                for (int i = low[0]; i < high[0]; ++i) {
                    const int at[3] = {i, j, k};
                    if (at[a] == 0 || at[a] == p->b.n[a]) continue; /* on the tank's own side */
                    const ptrdiff_t c = box_at(&p->b, i, j, k);
                    double arm[3], row[6] = {0};
                    for (int d = 0; d < 3; ++d) arm[d] = at[d] + (d != a) * 0.5 - 0.5 * (lower[d] + upper[d]);
                    row[a] = scale;
                    row[3 + (a + 1) % 3] = arm[(a + 2) % 3] * scale / 4;
                    row[3 + (a + 2) % 3] = -arm[(a + 1) % 3] * scale / 4;
                    poisson_pair *e = &p->pairs[n++];
                    e->low = c - p->b.step[a];
                    e->high = c;
                    for (int d = 0; d < 6; ++d) e->row[d] = (float)row[d];
                }
    }
    p->first[++p->groups] = n;
}

static double at_cell(const problem *p, ptrdiff_t c) {
    return p->unknown[c] ? (double)p->x[c] : 0;
}

/* |b - A x - C C^T x| / |b|, all in double. */
static double true_residual(const problem *p) {
    double *ax = mem_alloc(p->b.size * sizeof *ax), rr = 0, bb = 0;
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        ax[c] += (double)p->extra[c] * (double)p->x[c];
        for (int a = 0; a < 3; ++a) {
            if (!(p->face[a][c] > 0)) continue;
            const double flux = (double)p->face[a][c] * ((double)p->x[c] - (double)p->x[c - p->b.step[a]]);
            ax[c] += flux;
            ax[c - p->b.step[a]] -= flux;
        }
    }
    for (int g = 0; g < p->groups; ++g) {
        double t[6] = {0};
        for (int e = p->first[g]; e < p->first[g + 1]; ++e)
            for (int d = 0; d < 6; ++d)
                t[d] +=
                    (double)p->pairs[e].row[d] * (at_cell(p, p->pairs[e].low) - at_cell(p, p->pairs[e].high));
        for (int e = p->first[g]; e < p->first[g + 1]; ++e)
            for (int d = 0; d < 6; ++d) {
                ax[p->pairs[e].low] += (double)p->pairs[e].row[d] * t[d];
                ax[p->pairs[e].high] -= (double)p->pairs[e].row[d] * t[d];
            }
    }
    EACH_CELL(p) {
        const ptrdiff_t c = box_at(&p->b, i, j, k);
        if (!p->unknown[c]) continue;
        rr += ((double)p->rhs[c] - ax[c]) * ((double)p->rhs[c] - ax[c]);
        bb += (double)p->rhs[c] * (double)p->rhs[c];
    }
    mem_free(ax);
    return sqrt(rr / bb);
}

static poisson_result solve(problem *p, poisson_kind kind, pool *threads) {
    poisson *s = poisson_create(&p->b, threads, kind);
    const poisson_system system = {{p->face[0], p->face[1], p->face[2]}, p->extra, p->unknown};
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(poisson_setup(s, &system), 0);
    assert_int_equal(poisson_attach(s, p->pairs, p->first, p->groups), 0);
    const poisson_result r = poisson_solve(s, p->x, p->rhs, 1e-6, 200);
    poisson_free(s);
    return r;
}

static void bodies_of_any_mass(void **state) {
    (void)state;
    const int low1[3] = {6, 8, 6}, high1[3] = {14, 14, 14}, low2[3] = {20, 4, 18}, high2[3] = {26, 12, 26};
    for (double mass = 10; mass < 1e5; mass *= 10) {
        problem p = make(32, 32, 32);
        carve(&p, low1, high1);
        carve(&p, low2, high2);
        link_all(&p, 1);
        add_body(&p, low1, high1, mass);
        add_body(&p, low2, high2, 3 * mass);
        for (int kind = 0; kind < 2; ++kind) {
            const poisson_result r = solve(&p, kind ? POISSON_MIC : POISSON_MULTIGRID, NULL);
            const double residual = true_residual(&p);
            print_message("mass %7.0f of %d cells: %s %d iterations, residual %.1e\n", mass, 384,
                          kind ? "mic" : "multigrid", r.iterations, residual);
            assert_true(r.converged);
            assert_true(residual < 2e-6);
            if (!kind) assert_true(r.iterations <= 24);
        }
        drop(&p);
    }
}

/* A plug between two chambers without air: each alone could not take its inflow, the plug moves and lets
 * them. */
static void plug_between_sealed_chambers(void **state) {
    (void)state;
    const int low[3] = {0, 14, 0}, high[3] = {16, 18, 16};
    problem p = make(16, 32, 16);
    carve(&p, low, high);
    link_all(&p, 0);
    double sum[2] = {0, 0};
    EACH_CELL(&p) sum[j >= 16] += (double)p.rhs[box_at(&p.b, i, j, k)];
    /* inflow below, as much outflow above */
    EACH_CELL(&p) {
        const ptrdiff_t c = box_at(&p.b, i, j, k);
        if (p.unknown[c]) p.rhs[c] += (float)((j < 16 ? 20 - sum[0] : -20 - sum[1]) / (16 * 16 * 14));
    }
    add_body(&p, low, high, 500);
    const poisson_result r = solve(&p, POISSON_MULTIGRID, NULL);
    const double residual = true_residual(&p);
    print_message("plug: %d iterations, residual %.1e, incompatible %.1e\n", r.iterations, residual,
                  r.incompatibility);
    assert_true(r.converged);
    assert_true(residual < 2e-6);
    assert_true(r.incompatibility < 1e-5);
    assert_true(r.iterations <= 20);

    /* more in than out: only the common constant has to go */
    EACH_CELL(&p) {
        const ptrdiff_t c = box_at(&p.b, i, j, k);
        if (p.unknown[c]) p.rhs[c] += 0.01f;
    }
    const poisson_result more = solve(&p, POISSON_MULTIGRID, NULL);
    assert_true(more.converged);
    assert_true(more.incompatibility > 1e-3);
    drop(&p);
}

static void threads_change_nothing(void **state) {
    (void)state;
    const int low[3] = {6, 8, 6}, high[3] = {14, 14, 14};
    problem p = make(48, 40, 40);
    carve(&p, low, high);
    link_all(&p, 1);
    add_body(&p, low, high, 40);
    float *one = mem_alloc(p.b.size * sizeof *one);
    solve(&p, POISSON_MULTIGRID, NULL);
    memcpy(one, p.x, p.b.size * sizeof *one);
    for (int threads = 2; threads <= 5; threads += 3) {
        pool *workers = pool_create(threads);
        solve(&p, POISSON_MULTIGRID, workers);
        assert_memory_equal(one, p.x, p.b.size * sizeof *one);
        pool_free(workers);
    }
    mem_free(one);
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_any_mass),
        cmocka_unit_test(plug_between_sealed_chambers),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
