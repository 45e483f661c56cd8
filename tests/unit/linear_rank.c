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
    poisson_row *rows;
    int first[64], groups;
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
    p.rows = mem_alloc(4 * p.b.size * sizeof *p.rows);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    return p;
}

static void drop(problem *p) {
    for (int a = 0; a < 3; ++a) mem_free(p->face[a]);
    mem_free(p->extra);
    mem_free(p->rhs);
    mem_free(p->x);
    mem_free(p->unknown);
    mem_free(p->rows);
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
                    for (int side = -1; side < 2; side += 2) { /* below the face, above it */
                        poisson_row *e = &p->rows[n++];
                        e->cell = (int32_t)(side < 0 ? c - p->b.step[a] : c);
                        for (int d = 0; d < 6; ++d) e->value[d] = (float)(-side * row[d]);
                    }
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
            for (int d = 0; d < 6; ++d) t[d] += (double)p->rows[e].value[d] * at_cell(p, p->rows[e].cell);
        for (int e = p->first[g]; e < p->first[g + 1]; ++e)
            for (int d = 0; d < 6; ++d) ax[p->rows[e].cell] += (double)p->rows[e].value[d] * t[d];
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

static poisson_result solve_to(problem *p, poisson_kind kind, double tolerance, pool *threads) {
    poisson *s = poisson_create(&p->b, threads, kind);
    const poisson_system system = {{p->face[0], p->face[1], p->face[2]}, p->extra, p->unknown};
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(poisson_setup(s, &system), 0);
    assert_int_equal(poisson_attach(s, p->rows, p->first, p->groups), 0);
    const poisson_result r = poisson_solve(s, p->x, p->rhs, tolerance, 200);
    poisson_free(s);
    return r;
}

static poisson_result solve(problem *p, poisson_kind kind, pool *threads) {
    return solve_to(p, kind, 1e-6, threads);
}

typedef struct pair_of_bodies {
    const char *name;
    int low[2][3], high[2][3];
    int light, rest; /* iterations allowed below and from a tenth of the liquid's density */
} pair_of_bodies;

/* Densities of 0.01 to 20 times the liquid's: the cycle knows the bodies, so iterations hardly depend on
 * them. */
static void bodies_of_any_density(void **state) {
    (void)state;
    static const pair_of_bodies pairs[] = {
        {"blocks", {{6, 8, 6}, {20, 4, 18}}, {{14, 14, 14}, {26, 12, 26}}, 18, 11},
        {"plates", {{4, 12, 6}, {20, 4, 4}}, {{16, 13, 20}, {21, 16, 20}}, 34, 18},
        {"crumbs", {{6, 8, 6}, {20, 4, 18}}, {{8, 10, 8}, {21, 5, 19}}, 19, 12},
    };
    static const double densities[] = {0.01, 0.03, 0.1, 0.3, 1, 4, 20};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        for (size_t d = 0; d < sizeof densities / sizeof *densities; ++d) {
            const pair_of_bodies *two = &pairs[i];
            problem p = make(32, 32, 32);
            for (int n = 0; n < 2; ++n) carve(&p, two->low[n], two->high[n]);
            link_all(&p, 1);
            for (int n = 0; n < 2; ++n) {
                double cells = 1;
                for (int a = 0; a < 3; ++a) cells *= two->high[n][a] - two->low[n][a];
                add_body(&p, two->low[n], two->high[n], densities[d] * cells);
            }
            int iterations[2];
            for (int kind = 0; kind < 2; ++kind) {
                const poisson_result r = solve(&p, kind ? POISSON_MIC : POISSON_MULTIGRID, NULL);
                iterations[kind] = r.iterations;
                assert_true(r.converged);
                assert_true(true_residual(&p) < 2e-6);
            }
            print_message("%s of density %4.2f: multigrid %2d iterations, mic %2d\n", two->name, densities[d],
                          iterations[0], iterations[1]);
            assert_true(iterations[0] <= (densities[d] < 0.1 ? two->light : two->rest));
            drop(&p);
        }
}

/* Faces that are open by any share, which the cycle rounds where there are bodies: it takes as many
 * iterations as without rounding (20 and 11), and a solve after the bodies are gone has the bits of one that
 * never had any. */
static void bodies_among_cut_faces(void **state) {
    (void)state;
    static const double densities[] = {0.01, 0.1, 1, 8, 20};
    const int low[2][3] = {{6, 8, 6}, {20, 4, 18}}, high[2][3] = {{14, 14, 14}, {26, 12, 26}};
    for (size_t d = 0; d < sizeof densities / sizeof *densities; ++d) {
        problem p = make(40, 32, 32);
        for (int n = 0; n < 2; ++n) carve(&p, low[n], high[n]);
        link_all(&p, 1);
        EACH_CELL(&p) {
            const ptrdiff_t c = box_at(&p.b, i, j, k);
            for (int a = 0; a < 3; ++a) {
                const float share = random_unit(5, (uint64_t)c, (uint64_t)a);
                if (share < 0.5f) p.face[a][c] *= 0.01f + 1.9f * share;
            }
        }
        for (int n = 0; n < 2; ++n) add_body(&p, low[n], high[n], densities[d] * (n ? 6 * 8 * 8 : 8 * 6 * 8));
        poisson *s = poisson_create(&p.b, NULL, POISSON_MULTIGRID);
        const poisson_system system = {{p.face[0], p.face[1], p.face[2]}, p.extra, p.unknown};
        const size_t bytes = p.b.size * sizeof *p.x;
        float *alone = mem_alloc(bytes);
        assert_int_equal(poisson_setup(s, &system), 0);
        assert_true(poisson_solve(s, alone, p.rhs, 1e-6, 100).converged);
        assert_int_equal(poisson_attach(s, p.rows, p.first, p.groups), 0);
        const poisson_result r = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
        print_message("among cut faces, density %g: %d iterations\n", densities[d], r.iterations);
        assert_true(r.converged);
        assert_true(true_residual(&p) < 2e-6);
        assert_true(r.iterations <= (densities[d] < 0.1 ? 20 : 11));
        assert_int_equal(poisson_attach(s, NULL, NULL, 0), 0);
        memset(p.x, 0, bytes);
        assert_true(poisson_solve(s, p.x, p.rhs, 1e-6, 100).converged);
        assert_memory_equal(p.x, alone, bytes);
        mem_free(alone);
        poisson_free(s);
        drop(&p);
    }
}

/* Far lighter than the cycle can know: what it lacks of the bodies is put in when iterations do not end. */
static void bodies_of_next_to_nothing(void **state) {
    (void)state;
    static const double densities[] = {1e-3, 1e-4, 1e-5, 1e-6};
    const int low[2][3] = {{4, 8, 6}, {16, 4, 14}}, high[2][3] = {{12, 16, 14}, {20, 8, 20}};
    for (int bodies = 1; bodies <= 2; ++bodies)
        for (int open = 0; open < 2; ++open)
            for (size_t d = 0; d < sizeof densities / sizeof *densities; ++d) {
                problem p = make(24, 24, 24);
                double mean = 0;
                int64_t cells = 0;
                for (int n = 0; n < bodies; ++n) carve(&p, low[n], high[n]);
                link_all(&p, open);
                EACH_CELL(&p) {
                    const ptrdiff_t c = box_at(&p.b, i, j, k);
                    mean += (double)p.rhs[c];
                    cells += p.unknown[c];
                }
                EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] -= (float)(mean / (double)cells);
                for (int n = 0; n < bodies; ++n)
                    add_body(&p, low[n], high[n], densities[d] * (n ? 4 * 4 * 6 : 8 * 8 * 8));
                for (int kind = 0; kind < 2; ++kind) {
                    const poisson_result r = solve(&p, kind ? POISSON_MIC : POISSON_MULTIGRID, NULL);
                    print_message("%d of density %g, %s, %s: %d iterations, %.1e\n", bodies, densities[d],
                                  open ? "air above" : "closed", kind ? "mic" : "multigrid", r.iterations,
                                  r.residual);
                    assert_true(r.converged);
                    assert_true(r.iterations <= (kind ? 90 : 60));
                }
                drop(&p);
            }
}

/* A light plug between two sealed chambers of a few cells, one level in all. */
static void plug_in_a_few_cells(void **state) {
    (void)state;
    const int low[3] = {0, 2, 0}, high[3] = {3, 4, 3};
    static const double masses[] = {100, 1, 0.01, 1e-3, 1e-4};
    for (size_t m = 0; m < sizeof masses / sizeof *masses; ++m) {
        problem p = make(3, 7, 3);
        double sum[2] = {0, 0};
        carve(&p, low, high);
        link_all(&p, 0);
        EACH_CELL(&p) sum[j >= 4] += (double)p.rhs[box_at(&p.b, i, j, k)];
        EACH_CELL(&p) {
            const ptrdiff_t c = box_at(&p.b, i, j, k);
            if (p.unknown[c]) p.rhs[c] += (float)(j < 2 ? (2 - sum[0]) / 18 : (-2 - sum[1]) / 27);
        }
        add_body(&p, low, high, masses[m]);
        const poisson_result r = solve(&p, POISSON_MULTIGRID, NULL);
        print_message("plug of %g in %d cells: %d iterations, residual %.1e\n", masses[m], (int)r.unknowns,
                      r.iterations, r.residual);
        assert_int_equal(r.closed_regions, 2);
        assert_true(r.converged);
        assert_true(r.iterations <= (masses[m] < 1e-3 ? 150 : 12));
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

/* Many tubes, each with a plug between two sealed chambers. */
static void many_plugs(void **state) {
    (void)state;
    enum { PITCH = 4, LENGTH = 24, TUBES_X = 8, TUBES_Z = 6 };
    problem p = make(PITCH * TUBES_X, LENGTH, PITCH * TUBES_Z);
    for (int x = 0; x < PITCH * TUBES_X; x += PITCH)
        carve(&p, (int[3]){x, 0, 0}, (int[3]){x + 1, LENGTH, p.b.n[2]});
    for (int z = 0; z < PITCH * TUBES_Z; z += PITCH)
        carve(&p, (int[3]){0, 0, z}, (int[3]){p.b.n[0], LENGTH, z + 1});
    carve(&p, (int[3]){0, 10, 0}, (int[3]){p.b.n[0], 14, p.b.n[2]});
    link_all(&p, 0);
    EACH_CELL(&p) {
        const ptrdiff_t c = box_at(&p.b, i, j, k);
        if (p.unknown[c]) p.rhs[c] = (float)((j == 9) - (j == 14));
    }
    for (int x = 1; x < PITCH * TUBES_X; x += PITCH)
        for (int z = 1; z < PITCH * TUBES_Z; z += PITCH)
            add_body(&p, (int[3]){x, 10, z}, (int[3]){x + 3, 14, z + 3}, 5);
    const poisson_result r = solve(&p, POISSON_MULTIGRID, NULL);
    print_message("%d plugs: %d closed regions, %d iterations, residual %.1e, incompatible %.1e\n",
                  TUBES_X * TUBES_Z, r.closed_regions, r.iterations, true_residual(&p), r.incompatibility);
    assert_int_equal(r.closed_regions, 2 * TUBES_X * TUBES_Z);
    assert_true(r.converged);
    assert_true(true_residual(&p) < 2e-6);
    assert_true(r.incompatibility < 1e-5);
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

/* The product with the rows is taken off in double: residuals go as far down as without bodies, light or
 * heavy.
 */
static void tolerances_below_float(void **state) {
    (void)state;
    static const double densities[] = {0.01, 0.3, 5};
    for (int kind = 0; kind < 2; ++kind)
        for (int d = 0; d < 3; ++d) {
            problem p = make(24, 20, 22);
            const int low[2][3] = {{4, 3, 5}, {13, 9, 10}}, high[2][3] = {{10, 8, 12}, {19, 15, 15}};
            for (int b = 0; b < 2; ++b) carve(&p, low[b], high[b]);
            link_all(&p, 1);
            for (int b = 0; b < 2; ++b) {
                double volume = 1;
                for (int a = 0; a < 3; ++a) volume *= high[b][a] - low[b][a];
                add_body(&p, low[b], high[b], densities[d] * volume);
            }
            const poisson_result r = solve_to(&p, kind ? POISSON_MIC : POISSON_MULTIGRID, 1e-9, NULL);
            print_message("%s, density %g: residual %.2g after %d iterations\n", kind ? "mic" : "multigrid",
                          densities[d], r.residual, r.iterations);
            assert_true(r.converged);
            check_below(r.residual, 1e-9);
            drop(&p);
        }
}

/* A body that nothing turns has half the columns. A turn too small for rounding to notice gives it all of
 * them, and the same bits: beside one that does turn, in and out of the cycle, to tolerances below float. */
static void columns_of_zeros(void **state) {
    (void)state;
    const int low[2][3] = {{4, 5, 6}, {14, 8, 12}}, high[2][3] = {{10, 11, 12}, {20, 15, 19}};
    for (int light = 0; light < 2; ++light)
        for (int kind = POISSON_MULTIGRID; kind <= POISSON_MIC; ++kind)
            for (int below = 0; below < 2; ++below) {
                const double tolerance = below ? 1e-7 : 1e-6;
                problem p = make(24, 24, 24);
                for (int n = 0; n < 2; ++n) carve(&p, low[n], high[n]);
                link_all(&p, 1);
                for (int n = 0; n < 2; ++n) add_body(&p, low[n], high[n], light ? 20 : 2000);
                for (int e = 0; e < p.first[1]; ++e) memset(p.rows[e].value + 3, 0, 3 * sizeof(float));
                const poisson_result few = solve_to(&p, (poisson_kind)kind, tolerance, NULL);
                float *x = mem_alloc(p.b.size * sizeof *x);
                memcpy(x, p.x, p.b.size * sizeof *x);
                assert_true(few.converged && true_residual(&p) < 2e-6);
                p.rows[0].value[4] = 1e-30f;
                const poisson_result all = solve_to(&p, (poisson_kind)kind, tolerance, NULL);
                assert_int_equal(few.iterations, all.iterations);
                EACH_CELL(&p) {
                    const ptrdiff_t c = box_at(&p.b, i, j, k);
                    assert_true(x[c] == p.x[c]);
                }
                mem_free(x);
                drop(&p);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_any_density),        cmocka_unit_test(bodies_among_cut_faces),
        cmocka_unit_test(bodies_of_next_to_nothing),    cmocka_unit_test(plug_in_a_few_cells),
        cmocka_unit_test(plug_between_sealed_chambers), cmocka_unit_test(many_plugs),
        cmocka_unit_test(threads_change_nothing),       cmocka_unit_test(columns_of_zeros),
        cmocka_unit_test(tolerances_below_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
