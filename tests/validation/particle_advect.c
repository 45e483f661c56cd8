/* Paths through rigid rotations, which trilinear lookups reproduce: what is left is the order in time. */
#include "check.h"
#include "core/random.h"
#include "particle/transfer.h"

enum { N = 32, COUNT = 200 };
static const double DX = 0.05, PI = 3.14159265358979323846;

typedef struct setup {
    mac_grid g;
    particles p;
    mac_field u;
    double x[COUNT][3]; /* where they started, cells */
} setup;

/* u = spin x (x - centre), in m/s; in 2D the spin is along z. */
static void set_rotation(mac_field *f, const mac_grid *g, const double spin[3]) {
    const box *b = &g->box;
    for (int axis = 0; axis < b->dim; ++axis)
        for (int k = b->dim == 3 ? -GHOST : 0; k <= (b->dim == 3 ? N + GHOST : 0); ++k)
            for (int j = -GHOST; j <= N + GHOST; ++j)
                for (int i = -GHOST; i <= N + GHOST; ++i) {
                    double r[3] = {i + 0.5 - N / 2, j + 0.5 - N / 2, b->dim == 3 ? k + 0.5 - N / 2 : 0};
                    r[axis] -= 0.5;
                    int p = (axis + 1) % 3, q = (axis + 2) % 3;
                    f->value[axis][box_at(b, i, j, k)] = (float)((spin[p] * r[q] - spin[q] * r[p]) * DX);
                }
}

static void setup_make(setup *s, int dim, const double spin[3]) {
    int n[3] = {N, N, N};
    *s = (setup){.g = {.box = box_make(dim, n), .dx = DX}};
    assert_int_equal(particles_make(&s->p, &s->g, NULL, 0), 0);
    assert_int_equal(particles_reserve(&s->p, COUNT), 0);
    s->p.count = COUNT;
    for (size_t i = 0; i < COUNT; ++i)
        for (int a = 0; a < dim; ++a) {
            s->p.x[a][i] = N / 2 + 9 * (2 * random_unit(1, i, (uint64_t)a) - 1);
            s->x[i][a] = (double)s->p.x[a][i];
        }
    assert_int_equal(mac_field_make(&s->u, &s->g), 0);
    set_rotation(&s->u, &s->g, spin);
}

static void setup_free(setup *s) {
    particles_free(&s->p);
    mac_field_free(&s->u);
}

/* One turn in `steps` steps: how far from the start, in cells. */
static double turn_error(int dim, int steps) {
    const double spin2[3] = {0, 0, 1}, spin3[3] = {2 / 7.0, 3 / 7.0, 6 / 7.0};
    setup s;
    setup_make(&s, dim, dim == 3 ? spin3 : spin2);
    for (int n = 0; n < steps; ++n)
        particles_advect(&s.p, &s.g, &s.u, (const double[3]){0, 0, 0}, 2 * PI / steps);
    double worst = 0;
    for (size_t i = 0; i < COUNT; ++i)
        for (int a = 0; a < dim; ++a) worst = larger(worst, fabs((double)s.p.x[a][i] - s.x[i][a]));
    setup_free(&s);
    return worst;
}

static void test_third_order(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double last = 0;
        for (int steps = 16; steps <= 64; steps *= 2) {
            double error = turn_error(dim, steps), order = last > 0 ? log2(last / error) : 0;
            printf("dim %d steps %d error %.3e cells order %.2f\n", dim, steps, error, order);
            if (last > 0) check_near(order, 3, 0.2);
            last = error;
        }
    }
}

static void test_spray_flies_on_its_own(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const double spin[3] = {0, 0, 1};
        setup s;
        setup_make(&s, dim, spin);
        for (size_t i = 0; i < COUNT; ++i) {
            s.p.spray[i] = i % 2 == 0;
            for (int a = 0; a < dim; ++a) s.p.v[a][i] = 0.1f * (float)(a + 1);
        }
        particles_advect(&s.p, &s.g, &s.u, (const double[3]){0, 0, 0}, 0.5);
        for (size_t i = 0; i < COUNT; i += 2)
            for (int a = 0; a < dim; ++a)
                check_near((double)s.p.x[a][i], s.x[i][a] + 0.5 * 0.1 * (a + 1) / DX, 1e-5);
        setup_free(&s);
    }
}

static void test_held_near_the_box_whatever_the_velocity(void **state) {
    (void)state;
    const float wild[5] = {1e9f, -1e9f, INFINITY, -INFINITY, NAN};
    for (int dim = 2; dim <= 3; ++dim)
        for (int w = 0; w < 5; ++w) {
            const double none[3] = {0};
            setup s;
            setup_make(&s, dim, none);
            for (int axis = 0; axis < dim; ++axis)
                for (size_t q = 0; q < s.g.box.size; ++q) s.u.value[axis][q] = wild[w];
            for (size_t i = 0; i < COUNT; i += 3) {
                s.p.spray[i] = 1;
                for (int a = 0; a < dim; ++a) s.p.v[a][i] = wild[w];
            }
            for (int repeat = 0; repeat < 2; ++repeat)
                particles_advect(&s.p, &s.g, &s.u, (const double[3]){0, 0, 0}, 1);
            for (size_t i = 0; i < COUNT; ++i)
                for (int a = 0; a < dim; ++a) {
                    assert_true(s.p.x[a][i] >= -(GHOST - 1) && s.p.x[a][i] <= N + GHOST - 1);
                    if (w == 0) assert_true(s.p.x[a][i] == N + GHOST - 1);
                    if (w == 1) assert_true(s.p.x[a][i] == -(GHOST - 1));
                }
            setup_free(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third_order),
        cmocka_unit_test(test_spray_flies_on_its_own),
        cmocka_unit_test(test_held_near_the_box_whatever_the_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
