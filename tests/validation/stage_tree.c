/* Steps on a graded tree under the grid: what turns, what is carried over, beside the regular solve. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "stage/viscosity/viscosity_inside.h"

enum { MOST = 5000 };

typedef struct drop {
    mac_grid g;
    float *phi, *mu, *node_phi;
    mac_field u, old;
    viscosity_input in;
    viscosity *v;
    double middle[3];
} drop;

#define EACH_FACE(d, c, i, j, k)                                                                             \
    for (int c = 0; c < (d)->g.box.dim; ++c)                                                                 \
        for (int k = 0; k < (d)->g.box.n[2] + (c == 2); ++k)                                                 \
            for (int j = 0; j < (d)->g.box.n[1] + (c == 1); ++j)                                             \
                for (int i = 0; i < (d)->g.box.n[0] + (c == 0); ++i)

static void face_place(double x[3], const drop *d, int c, int i, int j, int k) {
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; ++a) x[a] = a < d->g.box.dim ? (at[a] + (a == c ? 0 : 0.5)) * d->g.dx : 0;
}

/* A free ball in a box of n cells a side; distances are known to a cell, as a simulation has them. */
static drop make_drop(int dim, int n, double radius, pool *p) {
    drop d = {.g = {.box = box_make(dim, (int[3]){n, n, n}), .dx = 1.0 / n, .pool = p}};
    assert_int_equal(field_make(&d.phi, &d.g) | field_make(&d.mu, &d.g) | field_make(&d.node_phi, &d.g), 0);
    assert_int_equal(mac_field_make(&d.u, &d.g) | mac_field_make(&d.old, &d.g), 0);
    for (int a = 0; a < dim; ++a) d.middle[a] = 0.5 + 0.013 * a;
    for (int k = 0; k < d.g.box.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const int at[3] = {i, j, k};
                double square = 0;
                for (int a = 0; a < dim; ++a) square += pow((at[a] + 0.5) * d.g.dx - d.middle[a], 2);
                const ptrdiff_t c = box_at(&d.g.box, i, j, k);
                d.phi[c] = (float)fmin(fmax(sqrt(square) - radius, -d.g.dx), d.g.dx);
                d.mu[c] = 1;
            }
    d.in = (viscosity_input){.dt = 1, .density = 1, .phi = d.phi, .mu = d.mu};
    d.v = viscosity_create(&d.g, VISCOUS_MULTIGRID);
    assert_non_null(d.v);
    return d;
}

static void drop_free(drop *d) {
    viscosity_free(d->v);
    mem_free(d->phi);
    mem_free(d->mu);
    mem_free(d->node_phi);
    mac_field_free(&d->u);
    mac_field_free(&d->old);
}

static viscous_result step(drop *d, int levels, tree_scheme scheme, double tolerance) {
    d->in.levels = levels;
    d->in.scheme = scheme;
    mac_field_copy(&d->u, &d->old, &d->g);
    assert_int_equal(viscosity_assemble(d->v, &d->g, &d->in), 0);
    const viscous_result r = viscosity_solve(&d->u, NULL, NULL, d->v, &d->g, &d->in, tolerance, MOST);
    assert_true(r.converged);
    return r;
}

/* Momentum along the axes, and angular momentum about z. */
static void momentum_of(double sum[4], const drop *d, const mac_field *u) {
    memset(sum, 0, 4 * sizeof *sum);
    EACH_FACE(d, c, i, j, k) {
        const ptrdiff_t q = box_at(&d->g.box, i, j, k);
        const double push = (double)d->v->mass[c][q] * (double)u->value[c][q];
        double x[3];
        face_place(x, d, c, i, j, k);
        sum[c] += push;
        if (c < 2) sum[3] += c ? (x[0] - d->middle[0]) * push : -(x[1] - d->middle[1]) * push;
    }
}

/* What is left of the angular momentum of a free drop that turns. */
static double turning_left(int dim, int n, int levels, tree_scheme scheme, double nu, int64_t *unknowns) {
    drop d = make_drop(dim, n, 0.35, NULL);
    double before[4], after[4];
    EACH_FACE(&d, c, i, j, k) {
        double x[3];
        face_place(x, &d, c, i, j, k);
        d.old.value[c][box_at(&d.g.box, i, j, k)] = (float)(c == 0   ? d.middle[1] - x[1]
                                                            : c == 1 ? x[0] - d.middle[0]
                                                                     : 0);
    }
    for (size_t c = 0; c < d.g.box.size; ++c) d.mu[c] = (float)nu;
    const viscous_result r = step(&d, levels, scheme, 1e-9);
    momentum_of(before, &d, &d.old);
    momentum_of(after, &d, &d.u);
    *unknowns = r.unknowns;
    printf("%dD %3d, %d levels, %s, nu %-4g: %6lld unknowns, %3d iterations, angular momentum left %.9f\n",
           dim, n, levels,
           levels < 2            ? "regular"
           : scheme == TREE_WANG ? "wang"
                                 : "quadratic",
           nu, (long long)r.unknowns, r.iterations, after[3] / before[3]);
    drop_free(&d);
    return after[3] / before[3];
}

static void test_turning(void **state) {
    (void)state;
    int64_t all, some;
    check_near(turning_left(2, 64, 1, TREE_WANG, 1, &all), 1, 1e-6);
    check_near(turning_left(2, 64, 4, TREE_QUADRATIC, 1, &some), 1, 1e-6);
    assert_true(some < all / 2);
    check_near(turning_left(2, 64, 4, TREE_QUADRATIC, 0.01, &some), 1, 1e-6);
    check_below(turning_left(2, 64, 4, TREE_WANG, 1, &some), 0.6);
    check_below(turning_left(2, 64, 4, TREE_WANG, 0.01, &some), 0.99);
    check_near(turning_left(3, 24, 3, TREE_QUADRATIC, 1, &some), 1, 1e-6);
    check_below(turning_left(3, 24, 3, TREE_WANG, 1, &some), 0.9);
}

static void make_waves(drop *d, double noise) {
    EACH_FACE(d, c, i, j, k) {
        double x[3];
        face_place(x, d, c, i, j, k);
        const ptrdiff_t q = box_at(&d->g.box, i, j, k);
        d->old.value[c][q] = (float)(1 + c + sin(7 * x[0] + c) * cos(5 * x[1]) * cos(4 * x[2])) +
                             (float)noise * (random_unit(1, (uint64_t)q, (uint64_t)c) - 0.5f);
    }
}

/* Momentum of any velocity is kept, and what moves as one goes on. */
static void test_momentum(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int scheme = TREE_WANG; scheme <= TREE_QUADRATIC; ++scheme) {
            drop d = make_drop(dim, dim == 2 ? 64 : 24, 0.4, NULL);
            double before[4], after[4];
            make_waves(&d, 1);
            step(&d, 4, (tree_scheme)scheme, 1e-9);
            momentum_of(before, &d, &d.old);
            momentum_of(after, &d, &d.u);
            for (int a = 0; a < dim; ++a) check_near(after[a] / before[a], 1, 1e-7);
            EACH_FACE(&d, c, i, j, k) d.old.value[c][box_at(&d.g.box, i, j, k)] = (float)(3 + c);
            step(&d, 4, (tree_scheme)scheme, 1e-9);
            EACH_FACE(&d, c, i, j, k) {
                const ptrdiff_t q = box_at(&d.g.box, i, j, k);
                if (d.v->mass[c][q] > 0) check_near((double)d.u.value[c][q], 3 + c, 1e-5);
            }
            drop_free(&d);
        }
}

/* Distance from the regular step, relative to what that changes. */
static double beside_regular(int n, int levels, tree_scheme scheme, double jump) {
    drop d = make_drop(2, n, 0.4, NULL);
    mac_field regular;
    double sum = 0, change = 0;
    assert_int_equal(mac_field_make(&regular, &d.g), 0);
    make_waves(&d, 0);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            d.mu[box_at(&d.g.box, i, j, 0)] = (float)(3 * i < n + j ? 0.02 * jump : 0.02);
    step(&d, 1, scheme, 1e-8);
    mac_field_copy(&regular, &d.u, &d.g);
    step(&d, levels, scheme, 1e-8);
    EACH_FACE(&d, c, i, j, k) {
        const ptrdiff_t q = box_at(&d.g.box, i, j, k);
        if (!(d.v->mass[c][q] > 0)) continue;
        sum += pow((double)(d.u.value[c][q] - regular.value[c][q]), 2);
        change += pow((double)(d.old.value[c][q] - regular.value[c][q]), 2);
    }
    mac_field_free(&regular);
    drop_free(&d);
    return sqrt(sum / change);
}

static void test_beside_regular(void **state) {
    (void)state;
    double before[2] = {0, 0}, order = 0;
    for (int n = 64; n <= 256; n *= 2)
        for (int scheme = TREE_WANG; scheme <= TREE_QUADRATIC; ++scheme) {
            const double off = beside_regular(n, 4, (tree_scheme)scheme, 1);
            printf("%3d, %s: %.4f of the change off the regular step, order %.2f\n", n,
                   scheme == TREE_WANG ? "wang" : "quadratic", off, log2(before[scheme] / off));
            order = log2(before[scheme] / off);
            before[scheme] = off;
        }
    check_below(1.5, order); /* of the last one: quadratic */
    check_below(before[TREE_QUADRATIC], 0.2 * before[TREE_WANG]);
}

/* Where viscosity jumps leaves are the grid's. */
static void test_jump(void **state) {
    (void)state;
    const double off = beside_regular(128, 4, TREE_QUADRATIC, 1e3);
    printf("128, a jump of 1e3: %.4f of the change off the regular step\n", off);
    check_below(off, 0.02);
}

static void test_threads(void **state) {
    (void)state;
    mac_field first = {{NULL, NULL, NULL}};
    for (int threads = 1; threads <= 3; ++threads) {
        pool *p = pool_create(threads);
        drop d = make_drop(3, 24, 0.4, p);
        make_waves(&d, 1);
        step(&d, 3, TREE_QUADRATIC, 1e-6);
        if (threads == 1) {
            assert_int_equal(mac_field_make(&first, &d.g), 0);
            mac_field_copy(&first, &d.u, &d.g);
        }
        for (int c = 0; c < 3; ++c)
            assert_memory_equal(first.value[c], d.u.value[c], d.g.box.size * sizeof(float));
        drop_free(&d);
        pool_free(p);
    }
    mac_field_free(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turning), cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_beside_regular), cmocka_unit_test(test_jump),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
