/* The Stokes solver against dense matrices, and its iterations on scene S. */
#include "check.h"
#include "linear/stokes.h"
#include "viscous_dense.h"

typedef struct problem {
    viscous_problem v;
    float *open[3], *q, *g;
    uint8_t *liquid;
    stokes_system system;
} problem;

static problem around(viscous_problem v) {
    problem p = {.v = v};
    for (int c = 0; c < v.b.dim; ++c) {
        p.open[c] = mem_alloc(v.b.size * sizeof(float));
        p.system.open[c] = p.open[c];
    }
    p.q = mem_alloc(v.b.size * sizeof(float));
    p.g = mem_alloc(v.b.size * sizeof(float));
    p.liquid = mem_alloc(v.b.size);
    p.system.liquid = p.liquid;
    p.system.faces = v.system;
    return p;
}

static void drop(problem *p) {
    for (int c = 0; c < p->v.b.dim; ++c) mem_free(p->open[c]);
    mem_free(p->q);
    mem_free(p->g);
    mem_free(p->liquid);
    viscous_drop(&p->v);
}

static viscous_result solve_with(problem *p, viscous_kind kind, int threads, double tolerance, int cap) {
    pool *w = pool_create(threads);
    stokes *s = stokes_create(&p->v.b, w, kind);
    assert_non_null(s);
    assert_int_equal(stokes_setup(s, &p->system), 0);
    const viscous_result r =
        stokes_solve(s, p->v.u, p->q, (const float *const *)p->v.rhs, p->g, NULL, NULL, tolerance, cap);
    stokes_free(s);
    pool_free(w);
    return r;
}

/* ---- against a dense solve ---- */

/* A cell in five is air, a face in ten closed, all others are open by random shares. */
static problem random_problem(int dim, const int n[3], int weighted, uint64_t seed) {
    problem p = around(viscous_random(dim, n, weighted, seed));
    EACH_SAMPLE(&p.v, i, j, k) {
        const ptrdiff_t q = box_at(&p.v.b, i, j, k);
        const int inside = i < n[0] && j < n[1] && k < n[2];
        p.liquid[q] = inside && random_unit(seed, (uint64_t)q, 100) > 0.2f;
        p.q[q] = random_unit(seed, (uint64_t)q, 101);
        p.g[q] = random_unit(seed, (uint64_t)q, 102) - 0.5f;
        for (int c = 0; c < dim; ++c) {
            if (random_unit(seed, (uint64_t)q, (uint64_t)(110 + c)) > 0.1f) p.v.mass[c][q] += 0.1f;
            const float share = random_unit(seed, (uint64_t)q, (uint64_t)(103 + c));
            p.open[c][q] = share < 0.1f ? 0 : share > 0.6f ? 1 : share;
        }
    }
    return p;
}

/* The whole matrix: live faces, then cells that are no air. */
typedef struct saddle {
    dense d;
    size_t count;
    int *of_face, *of_cell; /* row of a face, of a cell by its place in the box; -1: none */
    double *a, *b;
} saddle;

static double *entry(saddle *s, int row, int column) {
    return &s->a[(size_t)row * s->count + (size_t)column];
}

static bool is_air(const saddle *s, const problem *p, const int at[3]) {
    bool any = false;
    if (!p->liquid[box_at(&p->v.b, at[0], at[1], at[2])]) return true;
    for (int n = 0; n < 2 * p->v.b.dim; ++n) {
        int face[3] = {at[0], at[1], at[2]};
        face[n / 2] += n & 1;
        const ptrdiff_t q = box_at(&p->v.b, face[0], face[1], face[2]);
        const bool live = s->d.live[number_of(&s->d, n / 2, face)];
        if (!(p->open[n / 2][q] > 0)) continue;
        if (!live && p->v.owner[n / 2][q] != VISCOUS_KNOWN) return true;
        any |= live;
    }
    return !any;
}

static void number_all(saddle *s, const problem *p) {
    s->of_face = mem_alloc((size_t)s->d.count * sizeof *s->of_face);
    s->of_cell = mem_alloc(p->v.b.size * sizeof *s->of_cell);
    for (int f = 0; f < s->d.count; ++f) s->of_face[f] = s->d.live[f] ? (int)s->count++ : -1;
    for (size_t q = 0; q < p->v.b.size; ++q) s->of_cell[q] = -1;
    EACH_SAMPLE(&p->v, i, j, k)
    if (i < p->v.b.n[0] && j < p->v.b.n[1] && k < p->v.b.n[2] && !is_air(s, p, (int[3]){i, j, k}))
        s->of_cell[box_at(&p->v.b, i, j, k)] = (int)s->count++;
}

static void fill_cell(saddle *s, const problem *p, const problem *start, const int at[3]) {
    const int cell = s->of_cell[box_at(&p->v.b, at[0], at[1], at[2])];
    if (cell < 0) return;
    s->b[cell] = -(double)p->g[box_at(&p->v.b, at[0], at[1], at[2])];
    for (int n = 0; n < 2 * p->v.b.dim; ++n) {
        int face[3] = {at[0], at[1], at[2]};
        face[n / 2] += n & 1;
        const ptrdiff_t q = box_at(&p->v.b, face[0], face[1], face[2]);
        const double out = (n & 1 ? 1 : -1) * (double)p->open[n / 2][q];
        const int row = s->of_face[number_of(&s->d, n / 2, face)];
        if (row >= 0) *entry(s, row, cell) = *entry(s, cell, row) = -out;
        else s->b[cell] += out * (double)start->v.u[n / 2][q];
    }
}

static saddle saddle_make(const problem *p, const problem *start) {
    saddle s = {.d = dense_make(&p->v)};
    const size_t faces = (size_t)s.d.count;
    number_all(&s, p);
    s.a = mem_alloc(s.count * s.count * sizeof *s.a);
    s.b = mem_alloc(s.count * sizeof *s.b);
    double *known = mem_alloc(faces * sizeof *known);
    EACH_SAMPLE(&p->v, i, j, k)
    for (int c = 0; c < p->v.b.dim; ++c) {
        const ptrdiff_t q = box_at(&p->v.b, i, j, k);
        const int f = number_of(&s.d, c, (int[3]){i, j, k});
        if (s.of_face[f] >= 0) s.b[s.of_face[f]] = (double)p->v.rhs[c][q];
        known[f] = p->v.owner[c][q] == VISCOUS_KNOWN ? (double)start->v.u[c][q] : 0;
    }
    for (size_t r = 0; r < faces; ++r)
        for (size_t c = 0; c < faces; ++c) {
            if (s.of_face[r] < 0) continue;
            if (s.of_face[c] >= 0) *entry(&s, s.of_face[r], s.of_face[c]) = s.d.a[r * faces + c];
            else s.b[s.of_face[r]] -= s.d.a[r * faces + c] * known[c];
        }
    EACH_SAMPLE(&p->v, i, j, k) fill_cell(&s, p, start, (int[3]){i, j, k});
    mem_free(known);
    return s;
}

static void saddle_drop(saddle *s) {
    mem_free(s->a);
    mem_free(s->b);
    mem_free(s->of_face);
    mem_free(s->of_cell);
    dense_free(&s->d);
}

/* b <- A^-1 b, by elimination with the largest entry of all as pivot. Returns the smallest pivot. */
static double eliminate(saddle *s) {
    const size_t n = s->count;
    double *x = mem_alloc(n * sizeof *x), least = INFINITY;
    size_t *column = mem_alloc(n * sizeof *column);
    for (size_t i = 0; i < n; ++i) column[i] = i;
    for (size_t k = 0; k < n; ++k) {
        size_t r_most = k, c_most = k;
        for (size_t r = k; r < n; ++r)
            for (size_t c = k; c < n; ++c)
                if (fabs(s->a[r * n + c]) > fabs(s->a[r_most * n + c_most])) {
                    r_most = r;
                    c_most = c;
                }
        for (size_t c = 0; c < n; ++c) {
            const double was = s->a[k * n + c];
            s->a[k * n + c] = s->a[r_most * n + c];
            s->a[r_most * n + c] = was;
        }
        for (size_t r = 0; r < n; ++r) {
            const double was = s->a[r * n + k];
            s->a[r * n + k] = s->a[r * n + c_most];
            s->a[r * n + c_most] = was;
        }
        const double b = s->b[k];
        s->b[k] = s->b[r_most];
        s->b[r_most] = b;
        const size_t was = column[k];
        column[k] = column[c_most];
        column[c_most] = was;
        least = fmin(least, fabs(s->a[k * n + k]));
        for (size_t r = k + 1; r < n; ++r) {
            const double factor = s->a[r * n + k] / s->a[k * n + k];
            if (!(fabs(factor) > 0)) continue;
            for (size_t c = k; c < n; ++c) s->a[r * n + c] -= factor * s->a[k * n + c];
            s->b[r] -= factor * s->b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; ++c) s->b[k] -= s->a[k * n + c] * x[column[c]];
        x[column[k]] = s->b[k] / s->a[k * n + k];
    }
    memcpy(s->b, x, n * sizeof *x);
    mem_free(x);
    mem_free(column);
    return least;
}

static void check_random(int dim, int weighted, viscous_kind kind) {
    const int n[3] = {dim == 2 ? 8 : 4, dim == 2 ? 9 : 4, dim == 2 ? 1 : 3};
    const uint64_t seed = (uint64_t)(dim + 10 * weighted);
    problem p = random_problem(dim, n, weighted, seed), start = random_problem(dim, n, weighted, seed);
    const viscous_result r = solve_with(&p, kind, 1, 1e-7, 4000);
    saddle s = saddle_make(&p, &start);
    const double pivot = eliminate(&s);
    double of_u = 0, of_q = 0;
    EACH_SAMPLE(&p.v, i, j, k) {
        const ptrdiff_t q = box_at(&p.v.b, i, j, k);
        if (s.of_cell[q] >= 0) of_q = larger(of_q, fabs((double)p.q[q] - s.b[s.of_cell[q]]));
        else if (i < n[0] && j < n[1] && k < n[2]) check_near((double)p.q[q], 0, 0);
        for (int c = 0; c < dim; ++c) {
            const int row = s.of_face[number_of(&s.d, c, (int[3]){i, j, k})];
            const double wanted = row >= 0 ? s.b[row] : (double)start.v.u[c][q];
            of_u = larger(of_u, fabs((double)p.v.u[c][q] - wanted));
        }
    }
    printf("dense %dD weighted %d kind %d: faces %lld cells %lld closed %d pivot %.1e iterations %d residual "
           "%.1e outflow %.1e error u %.1e q %.1e\n",
           dim, weighted, (int)kind, (long long)r.unknowns, (long long)r.cells, r.closed_regions, pivot,
           r.iterations, r.residual, r.outflow, of_u, of_q);
    assert_true(r.converged);
    assert_int_equal(r.cells + r.unknowns, s.count);
    check_below(of_u, 3e-5);
    check_below(of_q, 1e-3);
    saddle_drop(&s);
    drop(&p);
    drop(&start);
}

static void test_against_dense(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int weighted = 0; weighted < 2; ++weighted)
            for (int kind = VISCOUS_MULTIGRID; kind <= (int)VISCOUS_JACOBI; ++kind)
                check_random(dim, weighted, (viscous_kind)kind);
}

/* ---- scene S ---- */

static problem scene(int n, scene_s s) {
    problem p = around(viscous_scene_s(n, s));
    EACH_SAMPLE(&p.v, i, j, k) {
        const ptrdiff_t q = box_at(&p.v.b, i, j, k);
        double x[3] = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
        p.liquid[q] = share_at(&s, x, 1.0 / n) > 0;
        for (int c = 0; c < 3; ++c) {
            double face[3] = {x[0], x[1], x[2]};
            face[c] -= 0.5 / n;
            const double room = 0.5 + (.35 - distance_to(face, .5, .5, .5)) * n;
            p.open[c][q] = s.contained ? (float)fmin(fmax(room, 0), 1) : 1;
        }
    }
    return p;
}

static viscous_result measure(int n, scene_s s, int threads) {
    problem p = scene(n, s);
    const viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, threads, 1e-4, 1000);
    printf("scene S %3d nu %g jump %g %s: faces %lld cells %lld iterations %d residual %.2e outflow %.2e "
           "floating %d closed %d\n",
           n, s.nu, s.jump, s.contained ? "contained" : "alone", (long long)r.unknowns, (long long)r.cells,
           r.iterations, r.residual, r.outflow, r.floating, r.closed_regions);
    assert_true(r.converged);
    drop(&p);
    return r;
}

static void test_iterations_stay(void **state) {
    (void)state;
    for (int n = 16; n <= 64; n *= 2) {
        check_below(measure(n, (scene_s){1, 1, .01, 1}, 2).iterations, 34);
        check_below(measure(n, (scene_s){1e3, 1, .01, 1}, 2).iterations, 50);
        const viscous_result r = measure(n, (scene_s){1, 1, .01, 0}, 2);
        check_below(r.iterations, 28);
        assert_int_equal(r.floating, 1);
        check_below(measure(n, (scene_s){1e4, 1, .01, 0}, 2).iterations, 34);
        check_below(measure(n, (scene_s){0.1, 1, .01, 1}, 2).iterations, 38); /* inertia matters */
        check_below(measure(n, (scene_s){1e-3, 1, .01, 1}, 2).iterations, 34);
        check_below(measure(n, (scene_s){1, 1e6, .01, 1}, 2).iterations, 85);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    for (int contained = 0; contained < 2; ++contained) {
        problem first = scene(40, (scene_s){10, 1e3, .01, contained});
        const viscous_result r = solve_with(&first, VISCOUS_MULTIGRID, 1, 1e-4, 1000);
        for (int threads = 2; threads <= 5; threads += 3) {
            problem p = scene(40, (scene_s){10, 1e3, .01, contained});
            assert_int_equal(solve_with(&p, VISCOUS_MULTIGRID, threads, 1e-4, 1000).iterations, r.iterations);
            for (int c = 0; c < 3; ++c)
                assert_memory_equal(first.v.u[c], p.v.u[c], p.v.b.size * sizeof(float));
            assert_memory_equal(first.q, p.q, p.v.b.size * sizeof(float));
            drop(&p);
        }
        drop(&first);
    }
}

/* ---- a full box ---- */

/* Walls that do not let anything out, and cells that shall swell by a share each: what the box cannot hold is
 * taken off evenly, and pressure has no level of its own. */
static void test_closed_box(void **state) {
    (void)state;
    enum { N = 12 };
    problem p = around(viscous_make(2, (int[3]){N, N, 1}, 0));
    EACH_SAMPLE(&p.v, i, j, k) {
        const ptrdiff_t q = box_at(&p.v.b, i, j, k);
        const int at[2] = {i, j};
        p.liquid[q] = i < N && j < N;
        p.v.normal[0][q] = p.liquid[q] ? 20 : 0;
        p.v.edge[2][0][q] = 10;
        p.g[q] = p.liquid[q] ? (i < 3 ? 2 : 1) : 0;
        for (int c = 0; c < 2; ++c) {
            const int wall = at[c] == 0 || at[c] == N, out = at[1 - c] == N;
            p.v.mass[c][q] = out ? 0 : wall ? 0.5f : 1;
            p.v.owner[c][q] = wall || out ? VISCOUS_KNOWN : VISCOUS_FREE;
            p.v.rhs[c][q] = c == 1 && !wall && !out ? -5 : 0;
            p.open[c][q] = !wall && !out;
        }
    }
    const viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 400);
    double mean = 0, most = 0;
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            const ptrdiff_t q = box_at(&p.v.b, i, j, 0);
            double out = 0;
            for (int c = 0; c < 2; ++c) out += (double)(p.v.u[c][q + p.v.b.step[c]] - p.v.u[c][q]);
            most = larger(most, fabs(out - (i < 3 ? 0.75 : -0.25)));
            mean += (double)p.q[q] / (N * N);
        }
    printf("closed box: regions %d lost %.3f of what is asked, iterations %d residual %.1e, outflow off by "
           "%.1e, mean of q %.1e\n",
           r.closed_regions, r.incompatibility, r.iterations, r.residual, most, mean);
    assert_true(r.converged);
    assert_int_equal(r.closed_regions, 1);
    check_near(r.incompatibility, 1, 1e-6);
    check_below(most, 1e-4);
    check_near(mean, 0, 1e-5);
    drop(&p);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    problem p = around(viscous_make(3, (int[3]){6, 6, 6}, 0));
    const ptrdiff_t q = box_at(&p.v.b, 3, 3, 3);
    p.v.u[0][q] = 7;
    p.q[q] = 7;
    viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 100);
    assert_true(r.converged);
    assert_int_equal(r.unknowns, 0);
    check_near((double)p.v.u[0][q], 7, 0);
    check_near((double)p.q[q], 0, 0);
    p.v.mass[0][q] = 1; /* one face, no cell, and nothing on the right */
    r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 100);
    assert_true(r.converged);
    assert_int_equal(r.unknowns, 1);
    assert_int_equal(r.cells, 0);
    check_near((double)p.v.u[0][q], 0, 0);
    drop(&p);
}

static void test_cap_is_a_result(void **state) {
    (void)state;
    problem p = scene(32, (scene_s){100, 1, .01, 1});
    const viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 5);
    assert_false(r.converged);
    assert_int_equal(r.iterations, 5);
    assert_true(r.residual > 1e-6 && r.residual < 1);
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense), cmocka_unit_test(test_iterations_stay),
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_closed_box),
        cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_cap_is_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
