/* Hard shapes for both solvers: what they return is checked against the system itself, in double. */
#include "check.h"
#include "core/random.h"
#include "linear_problem.h"

#define EACH_CELL(p)                                                                                         \
    for (int k = 0; k < (p)->b.n[2]; ++k)                                                                    \
        for (int j = 0; j < (p)->b.n[1]; ++j)                                                                \
            for (int i = 0; i < (p)->b.n[0]; ++i)

static int inside(const problem *p, int i, int j, int k) {
    return i >= 0 && j >= 0 && k >= 0 && i < p->b.n[0] && j < p->b.n[1] && k < p->b.n[2];
}

/* Every face between two unknowns gets coefficient 1; a face to another cell of the box, if it is air, adds
 * `air`. */
static void link_all(problem *p, float air) {
    for (int a = 0; a < p->b.dim; ++a) memset(p->face[a], 0, p->b.size * sizeof(float));
    memset(p->extra, 0, p->b.size * sizeof(float));
    EACH_CELL(p) {
        ptrdiff_t c = box_at(&p->b, i, j, k);
        if (!p->unknown[c]) continue;
        p->rhs[c] = random_unit(3, (uint64_t)c, 1) - 0.5f;
        for (int side = 0; side < 2 * p->b.dim; ++side) {
            int a = side / 2, step = side & 1 ? 1 : -1;
            int at[3] = {i, j, k};
            at[a] += step;
            if (!inside(p, at[0], at[1], at[2])) continue;
            ptrdiff_t n = c + step * p->b.step[a];
            if (!p->unknown[n]) p->extra[c] += air;
            else p->face[a][step < 0 ? c : n] = 1;
        }
    }
}

/* |b - A x| / |b| in double; `floor` gets the part that rounding x to float may cause. */
static double true_residual(const problem *p, double *floor_) {
    double rr = 0, bb = 0, ff = 0;
    EACH_CELL(p) {
        ptrdiff_t c = box_at(&p->b, i, j, k);
        if (!p->unknown[c]) {
            check_near(p->x[c], 0, 0);
            continue;
        }
        double x = (double)p->x[c], d = (double)p->extra[c], ax = d * x, size = d * fabs(x);
        for (int a = 0; a < p->b.dim; ++a) {
            double low = (double)p->face[a][c], high = (double)p->face[a][c + p->b.step[a]];
            double before = low > 0 ? (double)p->x[c - p->b.step[a]] : 0;
            double after = high > 0 ? (double)p->x[c + p->b.step[a]] : 0;
            ax += low * (x - before) + high * (x - after);
            size += low * (fabs(x) + fabs(before)) + high * (fabs(x) + fabs(after));
        }
        double b = (double)p->rhs[c], r = b - ax;
        rr += r * r;
        bb += b * b;
        ff += size * size;
    }
    *floor_ = bb > 0 ? 6e-8 * sqrt(ff / bb) : 0;
    return bb > 0 ? sqrt(rr / bb) : sqrt(rr);
}

static poisson_result solve_with(problem *p, poisson_kind kind, int threads, double tolerance, int cap) {
    pool *w = pool_create(threads);
    poisson *s = poisson_create(&p->b, w, kind);
    assert_non_null(s);
    memset(p->x, 0, p->b.size * sizeof *p->x);
    assert_int_equal(poisson_setup(s, &p->system), 0);
    poisson_result r = poisson_solve(s, p->x, p->rhs, tolerance, cap);
    poisson_free(s);
    pool_free(w);
    return r;
}

/* Both solvers converge within `cap` (multigrid), tell the truth, and agree bit for bit over threads. */
static void check_solves(problem *p, const char *name, int cap) {
    size_t bytes = p->b.size * sizeof(float);
    float *first = mem_alloc(bytes);
    for (int kind = POISSON_MULTIGRID; kind <= (int)POISSON_MIC; ++kind) {
        poisson_result r = solve_with(p, (poisson_kind)kind, 1, 1e-6, 3000);
        double rounding, residual = true_residual(p, &rounding);
        printf("%-28s %s unknowns %7lld iterations %4d residual %.2e recomputed %.2e closed %d\n", name,
               kind == POISSON_MIC ? "mic" : "mg ", (long long)r.unknowns, r.iterations, r.residual, residual,
               r.closed_regions);
        assert_true(r.converged);
        check_below(r.residual, 1e-6);
        check_below(residual, 1.0001 * r.residual + rounding + 1e-12);
        if (kind == POISSON_MULTIGRID) check_below(r.iterations, cap);
        memcpy(first, p->x, bytes);
        for (int threads = 2; threads <= 5; threads += 3) {
            poisson_result again = solve_with(p, (poisson_kind)kind, threads, 1e-6, 3000);
            assert_int_equal(again.iterations, r.iterations);
            assert_memory_equal(first, p->x, bytes);
        }
    }
    mem_free(first);
}

static void test_single_cells(void **state) {
    (void)state;
    problem p = make(3, 19, 13, 17);
    EACH_CELL(&p) if (i % 3 == 1 && j % 3 == 1 && k % 3 == 1) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_all(&p, 1);
    check_solves(&p, "isolated cells", 3);
    drop(&p);
}

static void test_drops(void **state) {
    (void)state;
    problem p = make(3, 40, 40, 40);
    EACH_CELL(&p) {
        int dx = i % 10 - 4, dy = j % 10 - 5, dz = k % 10 - 5;
        p.unknown[box_at(&p.b, i, j, k)] =
            dx * dx + dy * dy + dz * dz <= 1 + (i / 10 + j / 10 + k / 10) % 4 * 4;
    }
    link_all(&p, 3);
    check_solves(&p, "drops", 20);
    drop(&p);
}

static void test_sheets_and_combs(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        problem p = make(3, 33, 33, 33);
        EACH_CELL(&p) {
            int at[3] = {i, j, k};
            p.unknown[box_at(&p.b, i, j, k)] = at[axis] % 4 == 1;
        }
        link_all(&p, 1);
        check_solves(&p, "one-cell sheets", 20);
        EACH_CELL(&p) { /* teeth on a base, closed but for the base's bottom */
            int at[3] = {i, j, k};
            p.unknown[box_at(&p.b, i, j, k)] = at[(axis + 1) % 3] < 4 || at[axis] % 2 == 0;
        }
        link_all(&p, 0);
        EACH_CELL(&p) {
            int at[3] = {i, j, k};
            if (at[(axis + 1) % 3] == 0) p.extra[box_at(&p.b, i, j, k)] = 2;
        }
        check_solves(&p, "comb", 80);
        drop(&p);
    }
}

static void test_checkerboards(void **state) {
    (void)state;
    for (int size = 1; size <= 3; ++size) {
        problem p = make(3, 30, 31, 29);
        EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = (i / size + j / size + k / size) % 2 == 0;
        link_all(&p, 1);
        check_solves(&p, "checkerboard", 25);
        drop(&p);
    }
}

static void test_basins_joined_by_one_cell(void **state) {
    (void)state;
    problem p = make(3, 41, 24, 24);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = i != 20 || (j == 11 && k == 7);
    link_all(&p, 0);
    EACH_CELL(&p) if (j == 23 && i < 20) p.extra[box_at(&p.b, i, j, k)] = 2;
    check_solves(&p, "two basins, one cell", 60);
    drop(&p);
}

/* A vent of next to nothing in a box of water, and basins that cracks join in a row: as quick as open water,
 * but that walls without thickness across coarse cells cost what they do anywhere. */
static void test_nearly_closed(void **state) {
    (void)state;
    for (float a = 0.3f; a > 1e-6f; a *= 0.1f) {
        problem p = make(3, 48, 33, 36);
        EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
        link_all(&p, 0);
        p.extra[box_at(&p.b, 20, 32, 17)] = a;
        check_solves(&p, "a vent", 15);
        for (int off = 0; off <= 3; off += 3) {
            link_all(&p, 0);
            EACH_CELL(&p) {
                const ptrdiff_t c = box_at(&p.b, i, j, k);
                p.extra[c] = j == 32 && i < 16 ? 2 : 0;
                if (i == 16 - off || i == 32 - off) p.face[0][c] = j == 5 && k == 20 ? a : 0;
            }
            check_solves(&p, off ? "basins in a row, off" : "basins in a row", off ? 60 : 15);
        }
        drop(&p);
    }
}

/* Nearly closed regions are looked for when a solve asks, not when a term stands beside the matrix: after one
 * was there the answer is what it is without, bit by bit, and as quick. */
static void test_nearly_closed_after_a_term(void **state) {
    (void)state;
    problem p = make(3, 48, 33, 36);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_all(&p, 0);
    p.extra[box_at(&p.b, 20, 32, 17)] = 1e-4f;
    const poisson_result alone = solve_with(&p, POISSON_MULTIGRID, 2, 1e-6, 3000);
    const size_t bytes = p.b.size * sizeof(float);
    float *first = mem_alloc(bytes);
    memcpy(first, p.x, bytes);
    const poisson_row rows[] = {{(int32_t)box_at(&p.b, 9, 9, 9), {0.1f, 0, 0, 0, 0, 0}},
                                {(int32_t)box_at(&p.b, 10, 9, 9), {-0.1f, 0, 0, 0, 0, 0}}};
    pool *w = pool_create(2);
    poisson *s = poisson_create(&p.b, w, POISSON_MULTIGRID);
    assert_int_equal(poisson_setup(s, &p.system), 0);
    assert_int_equal(poisson_attach(s, rows, (const int[]){0, 2}, 1), 0);
    poisson_solve(s, p.x, p.rhs, 1e-2, 3);
    assert_int_equal(poisson_attach(s, NULL, NULL, 0), 0);
    memset(p.x, 0, bytes);
    const poisson_result after = poisson_solve(s, p.x, p.rhs, 1e-6, 3000);
    assert_true(after.converged);
    check_below(after.iterations, 15);
    assert_int_equal(after.iterations, alone.iterations);
    assert_memory_equal(first, p.x, bytes);
    poisson_free(s);
    pool_free(w);
    mem_free(first);
    drop(&p);
}

static void test_perforated_plates(void **state) {
    (void)state;
    problem p = make(3, 48, 48, 48);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_all(&p, 0);
    EACH_CELL(&p) { /* plates without thickness: faces closed except at holes */
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (j % 6 == 3 && !(i % 8 == 2 && k % 8 == 5)) p.face[1][c] = 0;
        if (j == 47) p.extra[c] = 2;
    }
    check_solves(&p, "perforated plates", 100);
    drop(&p);
}

static void test_tiny_faces_and_large_extras(void **state) {
    (void)state;
    problem p = make(3, 37, 32, 29);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = j < 22 || (i + k) % 5 == 0;
    link_all(&p, 0);
    EACH_CELL(&p) {
        ptrdiff_t c = box_at(&p.b, i, j, k);
        for (int a = 0; a < 3; ++a) {
            float chance = random_unit(11, (uint64_t)c, (uint64_t)a);
            if (chance < 0.1f) p.face[a][c] *= 1e-3f;
            else if (chance < 0.5f) p.face[a][c] *= random_unit(13, (uint64_t)c, (uint64_t)a);
        }
        if (p.unknown[c] && j >= 21) p.extra[c] = random_unit(17, (uint64_t)c, 0) < 0.3f ? 100.0f : 1.5f;
    }
    check_solves(&p, "tiny faces, large extras", 40);
    drop(&p);
}

static void test_any_size(void **state) {
    (void)state;
    static const int size[][4] = {{3, 1, 1, 1},   {3, 2, 1, 1},   {3, 1, 50, 1},  {3, 1, 1, 35},
                                  {3, 100, 1, 1}, {3, 17, 1, 23}, {3, 15, 16, 1}, {3, 1, 33, 31},
                                  {3, 5, 63, 9},  {2, 1, 1, 1},   {2, 97, 45, 1}, {2, 1, 77, 1},
                                  {2, 130, 2, 1}};
    for (size_t s = 0; s < sizeof size / sizeof *size; ++s) {
        problem p = make(size[s][0], size[s][1], size[s][2], size[s][3]);
        EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
        link_all(&p, 0);
        p.extra[box_at(&p.b, 0, 0, 0)] = 2;
        char name[64];
        snprintf(name, sizeof name, "%dD %d x %d x %d", size[s][0], size[s][1], size[s][2], size[s][3]);
        check_solves(&p, name, 40);
        drop(&p);
    }
}

static void test_nothing_to_do(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        problem p = make(3, 20, 20, 20);
        p.x[box_at(&p.b, 3, 3, 3)] = 7;
        poisson *s = poisson_create(&p.b, NULL, (poisson_kind)kind);
        assert_int_equal(poisson_setup(s, &p.system), 0); /* no unknowns */
        poisson_result r = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
        assert_true(r.converged);
        assert_int_equal(r.unknowns, 0);
        check_near(p.x[box_at(&p.b, 3, 3, 3)], 0, 0);
        EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
        link_all(&p, 0);
        p.extra[box_at(&p.b, 0, 0, 0)] = 1;
        memset(p.rhs, 0, p.b.size * sizeof(float)); /* no right-hand side, but a warm start */
        p.x[box_at(&p.b, 5, 3, 3)] = 7;
        assert_int_equal(poisson_setup(s, &p.system), 0);
        r = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
        assert_true(r.converged);
        assert_int_equal(r.iterations, 0);
        check_near(p.x[box_at(&p.b, 5, 3, 3)], 0, 0);
        poisson_free(s);
        drop(&p);
    }
}

static void test_closed_regions(void **state) {
    (void)state;
    problem p = make(3, 43, 30, 22);
    /* an open pool, a closed tank, and thousands of closed single cells between them */
    EACH_CELL(&p) {
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (i < 10 || i > 30) p.unknown[c] = 1;
        else if (i > 12 && i < 29) p.unknown[c] = (i + j + k) % 2 == 0;
    }
    link_all(&p, 0);
    int singles = 0;
    EACH_CELL(&p) {
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (i < 10 && j == 29) p.extra[c] = 2;
        singles += p.unknown[c] && i > 12 && i < 29;
    }
    double sum = 0, size = 0;
    EACH_CELL(&p) {
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (i > 30) sum += (double)p.rhs[c];
        else if (i > 12) size += fabs((double)p.rhs[c]);
    }
    double all = size + fabs(sum), total = 0;
    EACH_CELL(&p) total += fabs((double)p.rhs[box_at(&p.b, i, j, k)]);
    for (int kind = 0; kind < 2; ++kind) {
        poisson_result r = solve_with(&p, (poisson_kind)kind, 2, 1e-6, 500);
        printf("closed regions: %d of %d + 1, iterations %d, incompatibility %.3g\n", r.closed_regions,
               singles, r.iterations, r.incompatibility);
        assert_true(r.converged);
        assert_int_equal(r.closed_regions, singles + 1);
        check_near(r.incompatibility, all / total, 1e-6);
        double mean = 0;
        EACH_CELL(&p) {
            ptrdiff_t c = box_at(&p.b, i, j, k);
            if (i > 30) mean += (double)p.x[c];
            else if (i > 12) check_near(p.x[c], 0, 0);
        }
        check_near(mean / (12 * 30 * 22), 0, 1e-5);
    }
    /* made compatible, the recomputed residual is what is reported */
    EACH_CELL(&p) {
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (i > 30) p.rhs[c] -= (float)(sum / (12 * 30 * 22));
        else if (i > 12) p.rhs[c] = 0;
    }
    check_solves(&p, "closed regions", 30);
    drop(&p);
}

static void test_closed_tank_with_plate(void **state) {
    (void)state;
    problem p = make(3, 47, 33, 50);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_all(&p, 0);
    double sum[2] = {0, 0}, cells[2] = {0, 0};
    EACH_CELL(&p) { /* a wall inside an aggregate parts two closed regions */
        ptrdiff_t c = box_at(&p.b, i, j, k);
        if (i == 21) p.face[0][c] = 0;
        sum[i >= 21] += (double)p.rhs[c];
        cells[i >= 21] += 1;
    }
    EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] -= (float)(sum[i >= 21] / cells[i >= 21]);
    check_solves(&p, "two closed tanks", 60);
    drop(&p);
}

static void test_cap_is_a_result(void **state) {
    (void)state;
    problem p = make(3, 32, 32, 32);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = 1;
    link_all(&p, 0);
    p.extra[box_at(&p.b, 4, 31, 4)] = 1;
    for (int kind = 0; kind < 2; ++kind) {
        poisson_result r = solve_with(&p, (poisson_kind)kind, 2, 1e-6, 2);
        double rounding, residual = true_residual(&p, &rounding);
        assert_false(r.converged);
        assert_int_equal(r.iterations, 2);
        check_near(residual, r.residual, 1e-6 * residual + rounding);
        assert_true(r.residual > 1e-6);
    }
    drop(&p);
}

static void test_several_solves_and_warm_start(void **state) {
    (void)state;
    problem p = make(3, 40, 40, 40);
    EACH_CELL(&p) p.unknown[box_at(&p.b, i, j, k)] = j < 25;
    link_all(&p, 2);
    poisson *s = poisson_create(&p.b, NULL, POISSON_MULTIGRID);
    assert_int_equal(poisson_setup(s, &p.system), 0);
    poisson_result cold = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
    size_t bytes = poisson_bytes(s);
    EACH_CELL(&p) p.rhs[box_at(&p.b, i, j, k)] *= 1 + 0.01f * random_unit(5, (uint64_t)i, (uint64_t)j);
    poisson_result warm = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
    poisson_result loose = poisson_solve(s, p.x, p.rhs, 1e-2, 100);
    printf("iterations cold %d, warm %d, loose %d; %zu bytes\n", cold.iterations, warm.iterations,
           loose.iterations, bytes);
    assert_true(warm.converged);
    assert_true(warm.iterations < cold.iterations);
    assert_int_equal(loose.iterations, 0);
    memset(p.x, 0, p.b.size * sizeof *p.x);
    check_below(poisson_solve(s, p.x, p.rhs, 1e-2, 100).iterations, 4);
    assert_int_equal(poisson_setup(s, &p.system), 0);
    assert_int_equal(poisson_bytes(s), bytes);                     /* buffers are kept */
    EACH_CELL(&p) if (j > 3) p.unknown[box_at(&p.b, i, j, k)] = 0; /* and serve a smaller system */
    link_all(&p, 1);
    memset(p.x, 0, p.b.size * sizeof *p.x);
    assert_int_equal(poisson_setup(s, &p.system), 0);
    poisson_result small = poisson_solve(s, p.x, p.rhs, 1e-6, 100);
    float *kept = mem_alloc(p.b.size * sizeof(float));
    memcpy(kept, p.x, p.b.size * sizeof(float));
    poisson_result fresh = solve_with(&p, POISSON_MULTIGRID, 1, 1e-6, 100);
    assert_int_equal(small.iterations, fresh.iterations);
    assert_memory_equal(kept, p.x, p.b.size * sizeof(float)); /* nothing of the earlier system is left */
    mem_free(kept);
    poisson_free(s);
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_cells),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_sheets_and_combs),
        cmocka_unit_test(test_checkerboards),
        cmocka_unit_test(test_basins_joined_by_one_cell),
        cmocka_unit_test(test_nearly_closed),
        cmocka_unit_test(test_nearly_closed_after_a_term),
        cmocka_unit_test(test_perforated_plates),
        cmocka_unit_test(test_tiny_faces_and_large_extras),
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_closed_regions),
        cmocka_unit_test(test_closed_tank_with_plate),
        cmocka_unit_test(test_cap_is_a_result),
        cmocka_unit_test(test_several_solves_and_warm_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
