/* Redistancing a distorted distance of a sphere and a plane: error by resolution, zero set, threads. */
#include "check.h"
#include "core/memory.h"
#include "grid/levelset.h"

enum { BAND = 4 };

static double exact(int dim, double x, double y, double z) {
    double r2 = (x - 0.51) * (x - 0.51) + (y - 0.48) * (y - 0.48) + (dim == 3 ? (z - 0.53) * (z - 0.53) : 0);
    return sqrt(r2) - 0.31;
}

static mac_grid make_grid(int dim, int n, pool *p) {
    const int cells[3] = {n, n, n};
    mac_grid g = {.box = box_make(dim, cells), .dx = 1.0 / n, .pool = p};
    return g;
}

static void centre(double x[3], const mac_grid *g, int i, int j, int k) {
    x[0] = (i + 0.5) * g->dx;
    x[1] = (j + 0.5) * g->dx;
    x[2] = (k + 0.5) * g->dx;
}

/* The sphere's distance times a factor that bends its slope between 1/2 and 2 but keeps the zero. */
static float *make_bent(const mac_grid *g) {
    float *phi = mem_alloc(g->box.size * sizeof *phi);
    int deep = g->box.dim == 3 ? 1 : 0;
    for (int k = -deep; k < g->box.n[2] + deep; ++k)
        for (int j = -1; j <= g->box.n[1]; ++j)
            for (int i = -1; i <= g->box.n[0]; ++i) {
                double x[3];
                centre(x, g, i, j, k);
                double bend = 1.25 + 0.75 * sin(7 * x[0] + 3 * x[1]);
                phi[box_at(&g->box, i, j, k)] = (float)(exact(g->box.dim, x[0], x[1], x[2]) * bend);
            }
    return phi;
}

typedef struct {
    double worst, mean, worst_next;
} errors;

static errors measure(int dim, int n) {
    mac_grid g = make_grid(dim, n, NULL);
    float *phi = make_bent(&g);
    assert_int_equal(levelset_redistance(phi, &g, BAND), 0);
    errors e = {0};
    long count = 0;
    for (int k = 0; k < g.box.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                double x[3];
                centre(x, &g, i, j, k);
                double d = exact(dim, x[0], x[1], x[2]), got = phi[box_at(&g.box, i, j, k)];
                assert_true((d < 0) == (got < 0) || fabs(d) < 1e-6);
                if (fabs(d) > (BAND - 0.5) * g.dx) {
                    check_below(fabs(got), BAND * g.dx * 1.000001);
                    check_below((BAND - 1) * g.dx, fabs(got));
                    continue;
                }
                double error = fabs(got - d);
                e.worst = larger(e.worst, error);
                if (fabs(d) < g.dx) e.worst_next = larger(e.worst_next, error);
                e.mean += error;
                ++count;
            }
    e.mean /= (double)count;
    mem_free(phi);
    return e;
}

static void sphere_converges(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        errors before = {0};
        for (int n = 16; n <= 128; n *= 2) {
            errors e = measure(dim, n);
            printf("%dD N %4d  mean %.3e order %5.2f  worst %.3e order %5.2f (in cells %.3f)  next to the "
                   "surface %.3e\n",
                   dim, n, e.mean, n > 16 ? log2(before.mean / e.mean) : 0, e.worst,
                   n > 16 ? log2(before.worst / e.worst) : 0, e.worst * n, e.worst_next);
            if (n > 32) {
                check_below(0.9, log2(before.mean / e.mean));
                check_below(e.worst * n, 0.25);
            }
            before = e;
        }
    }
}

static void plane_is_exact(void **state) {
    (void)state;
    mac_grid g = make_grid(3, 24, NULL);
    const double normal[3] = {0.48, 0.6, 0.64};
    float *phi = mem_alloc(g.box.size * sizeof *phi);
    for (int k = -1; k <= 24; ++k)
        for (int j = -1; j <= 24; ++j)
            for (int i = -1; i <= 24; ++i) {
                double x[3];
                centre(x, &g, i, j, k);
                double d = normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2] - 0.87;
                phi[box_at(&g.box, i, j, k)] = (float)(2 * d);
            }
    levelset_redistance(phi, &g, BAND);
    double worst = 0;
    for (int k = 6; k < 18; ++k)
        for (int j = 6; j < 18; ++j)
            for (int i = 6; i < 18; ++i) {
                double x[3];
                centre(x, &g, i, j, k);
                double d = normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2] - 0.87;
                if (fabs(d) < BAND * g.dx) worst = larger(worst, fabs(d - phi[box_at(&g.box, i, j, k)]));
            }
    printf("plane: worst %.3e cells\n", worst / g.dx);
    check_below(worst, 2e-3 * g.dx);
    mem_free(phi);
}

/* How far redistancing moves crossings between cells of a curved surface, in cells. */
static double crossings_moved(int n, int rounds) {
    mac_grid g = make_grid(3, n, NULL);
    float *phi = make_bent(&g), *before = mem_alloc(g.box.size * sizeof *phi);
    memcpy(before, phi, g.box.size * sizeof *phi);
    for (int round = 0; round < rounds; ++round) assert_int_equal(levelset_redistance(phi, &g, BAND), 0);
    double worst = 0;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n - 1; ++i) {
                ptrdiff_t c = box_at(&g.box, i, j, k);
                assert_true((before[c] < 0) == (phi[c] < 0));
                if ((before[c] < 0) == (before[c + 1] < 0)) continue;
                double was = before[c] / (before[c] - before[c + 1]), is = phi[c] / (phi[c] - phi[c + 1]);
                worst = larger(worst, fabs(was - is));
            }
    mem_free(phi);
    mem_free(before);
    return worst;
}

/* Crossings between cells stay: to second order, and again and again without drift. */
static void zero_set_stays(void **state) {
    (void)state;
    double before = 0;
    for (int n = 24; n <= 96; n *= 2) {
        const double moved = crossings_moved(n, 1);
        const double order = 1 + log2(before / moved); /* of the way, m */
        printf("N %4d  crossings moved by at most %.4f cells, order %.2f\n", n, moved, n > 24 ? order : 0);
        if (n > 24) check_below(1.7, order);
        before = moved;
    }
    const double worst = crossings_moved(48, 5);
    printf("crossings moved by at most %.3f cells in 5 rounds\n", worst);
    check_below(worst, 0.15);
}

static void threads_agree(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    float *result[3];
    size_t bytes = 0;
    for (int t = 0; t < 3; ++t) {
        pool *p = pool_create(threads[t]);
        mac_grid g = make_grid(3, 40, p);
        bytes = g.box.size * sizeof(float);
        result[t] = make_bent(&g);
        levelset_redistance(result[t], &g, BAND);
        pool_free(p);
        if (t > 0) assert_memory_equal(result[0], result[t], bytes);
    }
    for (int t = 0; t < 3; ++t) mem_free(result[t]);
}

static void one_sign_and_borders(void **state) {
    (void)state;
    mac_grid g = make_grid(3, 8, NULL);
    float *phi = mem_alloc(g.box.size * sizeof *phi);
    for (size_t i = 0; i < g.box.size; ++i) phi[i] = -0.001f;
    levelset_redistance(phi, &g, 3);
    for (int i = -GHOST; i < 8 + GHOST; ++i) check_near(phi[box_at(&g.box, i, -3, 10)], -3 * g.dx, 1e-7);
    for (size_t i = 0; i < g.box.size; ++i) phi[i] = NAN;
    assert_int_equal(levelset_redistance(phi, &g, 3), 0);
    mem_free(phi);
}

/* A wider band goes on outwards from a narrower one, and changes nothing in it. */
static void bands_agree(void **state) {
    (void)state;
    pool *p = pool_create(2);
    mac_grid g = make_grid(3, 64, p);
    float *narrow = make_bent(&g), *wide = make_bent(&g);
    double worst = 0;
    assert_int_equal(levelset_redistance(narrow, &g, 3), 0);
    assert_int_equal(levelset_redistance(wide, &g, 5), 0);
    for (int k = 0; k < 64; ++k)
        for (int j = 0; j < 64; ++j)
            for (int i = 0; i < 64; ++i) {
                const ptrdiff_t c = box_at(&g.box, i, j, k);
                if (fabs((double)wide[c]) < 2 * g.dx)
                    worst = larger(worst, fabs((double)wide[c] - (double)narrow[c]) / g.dx);
            }
    printf("bands of 3 and 5 cells differ by %.1e cells\n", worst);
    check_below(worst, 1e-5);
    mem_free(narrow);
    mem_free(wide);
    pool_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_converges),     cmocka_unit_test(plane_is_exact),
        cmocka_unit_test(zero_set_stays),       cmocka_unit_test(threads_agree),
        cmocka_unit_test(one_sign_and_borders), cmocka_unit_test(bands_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
