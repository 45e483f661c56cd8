/* The viscous solver against dense matrices summed from its energies, and its iterations on scene S. */
#include "check.h"
#include "linear/viscous_level.h"
#include "viscous_dense.h"

/* ---- the matrix by itself ---- */

/* x = A^-1 (b - A known) by Cholesky; x holds the known velocities and keeps them. */
static void dense_solve(const dense *d, double *x, const double *b) {
    const size_t n = (size_t)d->count;
    double *l = mem_alloc(n * n * sizeof *l), *y = mem_alloc(n * sizeof *y);
    for (size_t r = 0; r < n; ++r) {
        y[r] = d->live[r] ? b[r] : 0;
        for (size_t c = 0; c < n; ++c) {
            if (d->live[r] && !d->live[c]) y[r] -= d->a[r * n + c] * x[c];
            l[r * n + c] = d->live[r] && d->live[c] ? d->a[r * n + c] : r == c;
        }
    }
    for (size_t r = 0; r < n; ++r) {
        for (size_t c = 0; c <= r; ++c) {
            double sum = l[r * n + c];
            for (size_t k = 0; k < c; ++k) sum -= l[r * n + k] * l[c * n + k];
            if (c < r) l[r * n + c] = sum / l[c * n + c];
            else l[r * n + r] = sqrt(sum + 1e-12); /* what nothing holds stays where it is */
        }
        for (size_t c = 0; c < r; ++c) y[r] -= l[r * n + c] * y[c];
        y[r] /= l[r * n + r];
    }
    for (size_t r = n; r-- > 0;) {
        for (size_t k = r + 1; k < n; ++k) y[r] -= l[k * n + r] * y[k];
        y[r] /= l[r * n + r];
    }
    for (size_t r = 0; r < n; ++r)
        if (d->live[r]) x[r] = y[r];
    mem_free(l);
    mem_free(y);
}

/* ---- solves ---- */

static viscous_result solve_with(viscous_problem *p, viscous_kind kind, int threads, double tolerance,
                                 int cap) {
    pool *w = pool_create(threads);
    viscous *s = viscous_create(&p->b, w, kind);
    assert_non_null(s);
    assert_int_equal(viscous_setup(s, &p->system), 0);
    const viscous_result r = viscous_solve(s, p->u, (const float *const *)p->rhs, NULL, NULL, tolerance, cap);
    viscous_free(s);
    pool_free(w);
    return r;
}

/* The largest difference in A x, relative to the largest b, as singular parts may differ in x itself. */
static double compare_dense(const viscous_problem *p, const viscous_problem *start) {
    dense d = dense_make(p);
    const size_t n = (size_t)d.count;
    double *x = mem_alloc(n * sizeof *x), *b = mem_alloc(n * sizeof *b), *ours = mem_alloc(n * sizeof *x);
    double most = 0, size = 0;
    EACH_SAMPLE(p, i, j, k)
    for (int c = 0; c < p->b.dim; ++c) {
        const ptrdiff_t q = box_at(&p->b, i, j, k);
        const int f = number_of(&d, c, (int[3]){i, j, k});
        b[f] = (double)p->rhs[c][q];
        ours[f] = (double)p->u[c][q];
        x[f] = p->owner[c][q] == VISCOUS_KNOWN ? (double)start->u[c][q] : 0;
        if (p->owner[c][q] == VISCOUS_KNOWN) check_near(ours[f], x[f], 0);
        else if (!d.live[f]) check_near(ours[f], (double)start->u[c][q], 0);
    }
    dense_solve(&d, x, b);
    for (size_t r = 0; r < n; ++r) {
        double difference = 0;
        for (size_t c = 0; c < n && d.live[r]; ++c)
            if (d.live[c]) difference += d.a[r * n + c] * (x[c] - ours[c]);
        most = larger(most, fabs(difference));
        size = larger(size, fabs(b[r]));
    }
    mem_free(x);
    mem_free(b);
    mem_free(ours);
    dense_free(&d);
    return most / size;
}

static void test_against_dense(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int weighted = 0; weighted < 2; ++weighted)
            for (int kind = VISCOUS_MULTIGRID; kind <= (int)VISCOUS_JACOBI; ++kind) {
                const int n[3] = {dim == 2 ? 11 : 5, dim == 2 ? 9 : 4, dim == 2 ? 1 : 5};
                viscous_problem p = viscous_random(dim, n, weighted, (uint64_t)(dim + 10 * weighted));
                viscous_problem start = viscous_random(dim, n, weighted, (uint64_t)(dim + 10 * weighted));
                const viscous_result r = solve_with(&p, (viscous_kind)kind, 1, 1e-7, 2000);
                const double error = compare_dense(&p, &start);
                printf(
                    "dense %dD weighted %d kind %d: unknowns %lld iterations %d residual %.1e error %.1e\n",
                    dim, weighted, kind, (long long)r.unknowns, r.iterations, r.residual, error);
                assert_true(r.converged);
                check_below(error, 3e-5);
                viscous_drop(&p);
                viscous_drop(&start);
            }
}

/* ---- the cycle is symmetric and positive ---- */

static double dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void randomise(float *v, const viscous_level *l, uint64_t seed) {
    for (int c = 0; c < l->dim; ++c)
        for (size_t i = 0; i < l->size; ++i)
            v[(size_t)c * l->size + i] = l->inverse[c][i] > 0 ? random_unit(seed, i, (uint64_t)c) - 0.5f : 0;
}

static void check_cycle(const viscous_problem *p) {
    static viscous_level levels[VISCOUS_LEVELS];
    viscous_direct direct = {0};
    int count = 1;
    memset(levels, 0, sizeof levels);
    assert_int_equal(viscous_level_from_system(&levels[0], &p->b, NULL, &p->system), 0);
    assert_int_equal(viscous_level_finish(&levels[0], NULL, false), 0);
    for (; viscous_level_can_halve(&levels[count - 1]); ++count) {
        assert_int_equal(viscous_level_from_finer(&levels[count], &levels[count - 1], NULL), 0);
        assert_int_equal(viscous_level_finish(&levels[count], NULL, true), 0);
    }
    assert_int_equal(viscous_direct_setup(&direct, &levels[count - 1]), 0);
    const viscous_level *l = &levels[0];
    const size_t n = (size_t)l->dim * l->size, guard = (size_t)l->step[2] + 64;
    float *v[4];
    for (int i = 0; i < 4; ++i) v[i] = (float *)mem_alloc((n + 2 * guard) * sizeof(float)) + guard / 16 * 16;
    randomise(v[0], l, 5);
    randomise(v[1], l, 6);
    viscous_cycle(levels, count, &direct, NULL, v[2], v[0]);
    viscous_cycle(levels, count, &direct, NULL, v[3], v[1]);
    const double left = dot(v[2], v[1], n), right = dot(v[0], v[3], n), own = dot(v[2], v[0], n);
    printf("cycle of %d levels: %.7g %.7g, x.Mx %.4g\n", count, left, right, own);
    check_near(left, right, 1e-5 * own);
    assert_true(own > 0);
    for (int i = 0; i < 4; ++i) mem_free(v[i] - guard / 16 * 16);
    for (int i = 0; i < count; ++i) viscous_level_free(&levels[i]);
    viscous_direct_free(&direct);
}

static void test_cycle_is_symmetric(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int weighted = 0; weighted < 2; ++weighted) {
            const int n[3] = {dim == 2 ? 61 : 23, dim == 2 ? 40 : 17, dim == 2 ? 1 : 20};
            viscous_problem p = viscous_random(dim, n, weighted, 3);
            check_cycle(&p);
            viscous_drop(&p);
        }
    viscous_problem p = viscous_scene_s(32, (scene_s){1, 1, .01, 1});
    check_cycle(&p);
    viscous_drop(&p);
}

/* ---- scene S ---- */

static int iterations_of(int n, scene_s s, viscous_kind kind, int threads) {
    viscous_problem p = viscous_scene_s(n, s);
    const viscous_result r = solve_with(&p, kind, threads, 1e-4, 4000);
    printf("scene S %3d nu %g jump %g %s: unknowns %lld iterations %d residual %.2e floating %d\n", n, s.nu,
           s.jump, s.contained ? "contained" : "alone", (long long)r.unknowns, r.iterations, r.residual,
           r.floating);
    assert_true(r.converged);
    check_below(r.residual, 1e-4);
    viscous_drop(&p);
    return r.iterations;
}

static void test_iterations_stay(void **state) {
    (void)state;
    int least = INT32_MAX, most = 0;
    for (int n = 16; n <= 64; n *= 2) {
        const int here = iterations_of(n, (scene_s){1, 1, .01, 1}, VISCOUS_MULTIGRID, 2);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    check_below(most, 12);
    check_below(most - least, 3);
    for (int n = 16; n <= 64; n *= 2) {
        check_below(iterations_of(n, (scene_s){1e4, 1, .01, 1}, VISCOUS_MULTIGRID, 2), 28);
        check_below(iterations_of(n, (scene_s){1, 1e6, .01, 1}, VISCOUS_MULTIGRID, 2), 28);
    }
}

/* A ball that nothing holds: its rigid motion is taken out, and costs nothing however stiff it is. */
static void test_floating(void **state) {
    (void)state;
    for (int n = 16; n <= 64; n *= 2)
        for (double nu = 1; nu < 1e5; nu *= 1e4) {
            viscous_problem p = viscous_scene_s(n, (scene_s){nu, 1, .01, 0});
            const viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, 2, 1e-4, 4000);
            printf("floating ball %d nu %g: iterations %d residual %.2e floating %d\n", n, nu, r.iterations,
                   r.residual, r.floating);
            assert_true(r.converged);
            assert_int_equal(r.floating, 1);
            check_below(r.iterations, 12);
            viscous_drop(&p);
        }
}

static void test_same_bits(void **state) {
    (void)state;
    for (int kind = VISCOUS_MULTIGRID; kind <= (int)VISCOUS_JACOBI; ++kind) {
        viscous_problem first = viscous_scene_s(48, (scene_s){10, 1e3, .01, 1});
        const viscous_result r = solve_with(&first, (viscous_kind)kind, 1, 1e-5, 4000);
        for (int threads = 2; threads <= 5; threads += 3) {
            viscous_problem p = viscous_scene_s(48, (scene_s){10, 1e3, .01, 1});
            assert_int_equal(solve_with(&p, (viscous_kind)kind, threads, 1e-5, 4000).iterations,
                             r.iterations);
            for (int c = 0; c < 3; ++c) assert_memory_equal(first.u[c], p.u[c], p.b.size * sizeof(float));
            viscous_drop(&p);
        }
        viscous_drop(&first);
    }
}

/* ---- a body in the blob ---- */

/* Liquid ball of radius .33 n with a ball of radius .13 n in it, off the middle. */
static viscous_problem blob_with_body(int dim, int n, double nu) {
    viscous_problem p = viscous_make(dim, (int[3]){n, n, dim == 3 ? n : 1}, 0);
    const double middle = 0.51 * n, off = 0.45 * n;
    EACH_SAMPLE(&p, i, j, k) {
        const ptrdiff_t q = box_at(&p.b, i, j, k);
        for (int what = 0; what < 7; ++what) { /* cell, faces, edges */
            const int c = what - 1, e = what - 4;
            double x[3] = {i + 0.5, j + 0.5, dim == 3 ? k + 0.5 : middle};
            if (what > 0 && what < 4) x[c] -= 0.5;
            for (int a = 0; a < 3 && what > 3; ++a) x[a] -= a == e ? 0 : 0.5;
            if (dim == 2) x[2] = middle;
            const double hole = distance_to(x, off, off, middle) - 0.13 * n;
            double share = fmin(0.5 - (distance_to(x, middle, middle, middle) - 0.33 * n), 0.5 + hole);
            share = fmin(fmax(share, 0), 1);
            if (what == 0) p.normal[0][q] = (float)(2 * nu * share);
            else if (what > 3) {
                if (p.edge[e][0]) p.edge[e][0][q] = (float)(nu * share);
            } else if (c < dim) {
                p.mass[c][q] = (float)share;
                p.owner[c][q] = hole < 0;
                p.u[c][q] = random_unit(2, (uint64_t)q, (uint64_t)c) - 0.3f;
                p.rhs[c][q] = hole < 0 ? 0 : p.mass[c][q] * p.u[c][q];
            }
        }
    }
    return p;
}

static viscous_body ball_body(int dim, int n, double density) {
    viscous_body body = {.centre = {0.45 * n, 0.45 * n, dim == 3 ? 0.51 * n : 0.5}};
    const double r = 0.13 * n, pi = acos(-1);
    const double m = density * (dim == 3 ? 4 * pi / 3 * r * r * r : pi * r * r);
    for (int i = 0; i < 6; ++i) body.mass[7 * i] = i < 3 ? m : (dim == 3 ? 0.4 : 0.5) * m * r * r;
    return body;
}

/* Momentum, and angular momentum about the corner, of masses times u, or of rhs; sums of sizes in the last.
 */
static void add_momentum(double all[7], const viscous_problem *p, int of_rhs) {
    EACH_SAMPLE(p, i, j, k)
    for (int c = 0; c < p->b.dim; ++c) {
        const ptrdiff_t q = box_at(&p->b, i, j, k);
        if (p->owner[c][q] != VISCOUS_FREE) continue;
        const double f = of_rhs ? (double)p->rhs[c][q] : (double)p->mass[c][q] * (double)p->u[c][q];
        double x[3] = {i + 0.5, j + 0.5, k + 0.5};
        x[c] -= 0.5;
        all[c] += f;
        all[3 + (c + 1) % 3] += x[(c + 2) % 3] * f;
        all[3 + (c + 2) % 3] -= x[(c + 1) % 3] * f;
        all[6] += fabs(f);
    }
}

static void add_body(double all[7], const viscous_body *body, const double V[6]) {
    for (int c = 0; c < 3; ++c) {
        const double f = body->mass[7 * c] * V[c];
        all[c] += f;
        all[3 + (c + 1) % 3] += body->centre[(c + 2) % 3] * f;
        all[3 + (c + 2) % 3] -= body->centre[(c + 1) % 3] * f;
        all[3 + c] += body->mass[7 * (3 + c)] * V[3 + c];
    }
}

static void check_body(int dim, int n, double density, double nu, viscous_kind kind) {
    viscous_problem p = blob_with_body(dim, n, nu);
    const viscous_body body = ball_body(dim, n, density);
    double V[1][6] = {{0.2, 0, 0, 0, 0, 0.1}}, rhs[1][6], before[7] = {0}, after[7] = {0};
    for (int i = 0; i < 6; ++i) rhs[0][i] = body.mass[7 * i] * V[0][i];
    p.system.body = &body;
    p.system.bodies = 1;
    add_momentum(before, &p, 1);
    add_body(before, &body, V[0]);
    viscous *s = viscous_create(&p.b, NULL, kind);
    assert_int_equal(viscous_setup(s, &p.system), 0);
    const viscous_result r =
        viscous_solve(s, p.u, (const float *const *)p.rhs, V, (const double(*)[6])rhs, 1e-8, 3000);
    add_momentum(after, &p, 0);
    add_body(after, &body, V[0]);
    double worst = 0;
    for (int i = 0; i < 6; ++i)
        if (dim == 3 || i < 2 || i == 5)
            worst = larger(worst, fabs(after[i] - before[i]) / (before[6] * (i < 3 ? 1 : n)));
    printf(
        "body %dD %d density %g nu %g kind %d: iterations %d residual %.1e momenta %.1e V %.5f %.5f %.5f\n",
        dim, n, density, nu, kind, r.iterations, r.residual, worst, V[0][0], V[0][1], V[0][5]);
    assert_true(r.converged);
    check_below(worst, 1e-6);
    if (kind == VISCOUS_MULTIGRID) check_below(r.iterations, 30);
    viscous_free(s);
    viscous_drop(&p);
}

static void test_bodies(void **state) {
    (void)state;
    static const double densities[] = {1e-4, 0.1, 1, 100};
    for (int dim = 2; dim <= 3; ++dim)
        for (int i = 0; i < 4; ++i)
            for (double nu = 1; nu < 1e4; nu *= 1e3) check_body(dim, 32, densities[i], nu, VISCOUS_MULTIGRID);
    check_body(3, 24, 0.1, 1, VISCOUS_JACOBI);
    check_body(3, 24, 0.1, 1, VISCOUS_MULTIGRID);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    viscous_problem p = viscous_make(3, (int[3]){8, 8, 8}, 0);
    p.u[0][box_at(&p.b, 3, 3, 3)] = 7;
    viscous_result r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 100);
    assert_true(r.converged);
    assert_int_equal(r.unknowns, 0);
    check_near(p.u[0][box_at(&p.b, 3, 3, 3)], 7, 0);
    p.mass[0][box_at(&p.b, 3, 3, 3)] = 1; /* one face, and nothing on the right */
    r = solve_with(&p, VISCOUS_MULTIGRID, 1, 1e-6, 100);
    assert_true(r.converged);
    assert_int_equal(r.unknowns, 1);
    check_near(p.u[0][box_at(&p.b, 3, 3, 3)], 0, 0);
    viscous_drop(&p);
}

static void test_cap_is_a_result(void **state) {
    (void)state;
    viscous_problem p = viscous_scene_s(32, (scene_s){100, 1, .01, 1});
    const viscous_result r = solve_with(&p, VISCOUS_JACOBI, 1, 1e-6, 5);
    assert_false(r.converged);
    assert_int_equal(r.iterations, 5);
    assert_true(r.residual > 1e-6);
    viscous_drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense),   cmocka_unit_test(test_cycle_is_symmetric),
        cmocka_unit_test(test_iterations_stay), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_floating),        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_nothing_to_do),   cmocka_unit_test(test_cap_is_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
