/* The transfers against sums written out in double, and against what they must keep: the partition of unity,
 * linear and angular momentum, linear fields. */
#include "check.h"
#include "core/parallel.h"
#include "core/random.h"
#include "particle/transfer.h"

static const char *const AFFINE[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};
static const double DX = 0.125;

typedef struct setup {
    mac_grid g;
    particles p;
    mac_field u, weight, before;
} setup;

static void scramble(mac_field *f, const mac_grid *g, uint64_t seed) {
    for (int axis = 0; axis < g->box.dim; ++axis)
        for (size_t q = 0; q < g->box.size; ++q)
            f->value[axis][q] = random_unit(seed, q, (uint64_t)axis) - 0.5f;
}

/* Particles at random in part of the box (some cells stay empty), sorted, with random velocities and
 * gradients; a few sit on cell borders and at the very ends. */
static void setup_make(setup *s, int dim, size_t count, pool *threads) {
    int n[3] = {19, 14, 11};
    *s = (setup){.g = {.box = box_make(dim, n), .dx = DX, .pool = threads}};
    assert_int_equal(particles_make(&s->p, &s->g, AFFINE, dim * dim), 0);
    assert_int_equal(particles_reserve(&s->p, count), 0);
    s->p.count = count;
    for (size_t i = 0; i < count; ++i) {
        for (int a = 0; a < dim; ++a) {
            float r = random_unit(1, i, (uint64_t)a), end = (float)s->g.box.n[a];
            float x = i % 3 ? r * end * 0.6f : r * end;
            if (i % 97 == 0) x = floorf(x);
            if (i % 101 == 0) x = end;
            s->p.x[a][i] = x < end ? x : nextafterf(end, 0);
            s->p.v[a][i] = random_unit(2, i, (uint64_t)a) - 0.5f;
        }
        for (int e = 0; e < dim * dim; ++e) s->p.extra[e][i] = random_unit(3, i, (uint64_t)e) * 4 - 2;
        s->p.id[i] = (uint32_t)i;
        s->p.spray[i] = i % 11 == 0;
    }
    assert_int_equal(particles_sort(&s->p, &s->g), 0);
    assert_int_equal(mac_field_make(&s->u, &s->g), 0);
    assert_int_equal(mac_field_make(&s->weight, &s->g), 0);
    assert_int_equal(mac_field_make(&s->before, &s->g), 0);
    scramble(&s->u, &s->g, 4); /* rubbish that must disappear, or fields to read */
    scramble(&s->weight, &s->g, 5);
    scramble(&s->before, &s->g, 6);
}

static void setup_free(setup *s) {
    particles_free(&s->p);
    mac_field_free(&s->u);
    mac_field_free(&s->weight);
    mac_field_free(&s->before);
}

typedef struct corner {
    ptrdiff_t at;
    double weight, slope[3], away[3]; /* gradient of the weight [1/cell], face minus particle [cells] */
} corner;

/* The 2^dim faces around a particle, in double. */
static int corners_of(corner *c, const box *b, const particles *p, size_t i, int axis) {
    int count = 1 << b->dim;
    for (int o = 0; o < count; ++o) {
        c[o] = (corner){.at = b->first, .weight = 1};
        for (int a = 0; a < b->dim; ++a) {
            double s = (double)p->x[a][i] - (a == axis ? 0 : 0.5), base = floor(s), f = s - base;
            int high = o >> a & 1;
            c[o].at += ((int)base + high) * b->step[a];
            c[o].weight *= high ? f : 1 - f;
            c[o].away[a] = high - f;
        }
        for (int d = 0; d < b->dim; ++d) {
            c[o].slope[d] = 1;
            for (int a = 0; a < b->dim; ++a) {
                double f = -c[o].away[a] + (o >> a & 1), w = o >> a & 1 ? f : 1 - f;
                c[o].slope[d] *= a == d ? (o >> a & 1 ? 1 : -1) : w;
            }
        }
    }
    return count;
}

static void test_to_grid_is_the_sum(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int affine = 0; affine <= 1; ++affine) {
            setup s;
            setup_make(&s, dim, 6000, NULL);
            particles_to_grid(&s.u, &s.weight, &s.g, &s.p, affine);
            double worst = 0, worst_weight = 0;
            for (int axis = 0; axis < dim; ++axis) {
                double *m = calloc(s.g.box.size, sizeof *m), *w = calloc(s.g.box.size, sizeof *w);
                corner c[8];
                for (size_t i = 0; i < s.p.count; ++i)
                    for (int o = corners_of(c, &s.g.box, &s.p, i, axis); o-- > 0;) {
                        double v = (double)s.p.v[axis][i];
                        for (int a = 0; a < dim && affine; ++a)
                            v += (double)s.p.extra[axis * dim + a][i] * c[o].away[a] * DX;
                        m[c[o].at] += c[o].weight * v;
                        w[c[o].at] += c[o].weight;
                    }
                for (size_t q = 0; q < s.g.box.size; ++q) {
                    double weight = (double)s.weight.value[axis][q], u = (double)s.u.value[axis][q];
                    worst_weight = larger(worst_weight, fabs(weight - w[q]) / (1 + w[q]));
                    if (w[q] > 1e-2) worst = larger(worst, fabs(u - m[q] / w[q]));
                    if (w[q] == 0) assert_true(weight == 0 && u == 0);
                    assert_true(isfinite(u));
                }
                free(m);
                free(w);
            }
            printf("dim %d affine %d: worst velocity %.2e, weight %.2e\n", dim, affine, worst, worst_weight);
            check_below(worst, 2e-5); /* weights of 1e-2 carry the rounding of positions of order 10 */
            check_below(worst_weight, 2e-6);
            setup_free(&s);
        }
}

typedef struct totals {
    double weight[3], momentum[3], spin[3]; /* about the origin */
} totals;

static totals grid_totals(const setup *s) {
    const box *b = &s->g.box;
    totals t = {0};
    for (int axis = 0; axis < b->dim; ++axis)
        for (int k = b->dim == 3 ? -GHOST : 0; k <= (b->dim == 3 ? b->n[2] + GHOST : 0); ++k)
            for (int j = -GHOST; j <= b->n[1] + GHOST; ++j)
                for (int i = -GHOST; i <= b->n[0] + GHOST; ++i) {
                    double x[3] = {i + 0.5, j + 0.5, k + 0.5};
                    x[axis] -= 0.5;
                    double w = (double)s->weight.value[axis][box_at(b, i, j, k)];
                    double m = w * (double)s->u.value[axis][box_at(b, i, j, k)];
                    t.weight[axis] += w;
                    t.momentum[axis] += m;
                    for (int a = 0; a < b->dim; ++a) {
                        if (a == axis) continue;
                        int about = 3 - a - axis; /* x_a u_axis counts along e_a x e_axis */
                        t.spin[about] += ((axis - a + 3) % 3 == 1 ? 1 : -1) * x[a] * DX * m;
                    }
                }
    return t;
}

/* With what the affine part carries: C_ab f (1 - f) dx^2 for the component a along b. */
static totals particle_totals(const setup *s, int affine) {
    const particles *p = &s->p;
    int dim = p->dim;
    totals t = {0};
    for (size_t i = 0; i < p->count; ++i)
        for (int axis = 0; axis < dim; ++axis) {
            double v = (double)p->v[axis][i];
            t.weight[axis] += 1;
            t.momentum[axis] += v;
            for (int a = 0; a < dim; ++a) {
                if (a == axis) continue;
                double x = (double)p->x[a][i], f = x - 0.5 - floor(x - 0.5), moment = x * DX * v;
                if (affine) moment += (double)p->extra[axis * dim + a][i] * f * (1 - f) * DX * DX;
                t.spin[3 - a - axis] += ((axis - a + 3) % 3 == 1 ? 1 : -1) * moment;
            }
        }
    return t;
}

static void check_totals(const totals *a, const totals *b, size_t count, int dim, int spin) {
    double worst[3] = {0};
    for (int d = 0; d < dim; ++d) {
        worst[0] = larger(worst[0], fabs(a->weight[d] - b->weight[d]) / (double)count);
        worst[1] = larger(worst[1], fabs(a->momentum[d] - b->momentum[d]) / (double)count);
    }
    for (int d = 0; d < 3 && spin; ++d)
        worst[2] = larger(worst[2], fabs(a->spin[d] - b->spin[d]) / (double)count);
    printf("dim %d: per particle, weight off %.1e, momentum off %.1e, spin off %.1e\n", dim, worst[0],
           worst[1], worst[2]);
    check_below(worst[0], 1e-7);
    check_below(worst[1], 1e-7);
    check_below(worst[2], 2e-7);
}

static void test_conservation(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int affine = 0; affine <= 1; ++affine) {
            setup s;
            setup_make(&s, dim, 6000, NULL);
            memset(s.p.spray, 0, s.p.count);
            particles_to_grid(&s.u, &s.weight, &s.g, &s.p, affine);
            totals before = particle_totals(&s, affine), grid = grid_totals(&s);
            check_totals(&before, &grid, s.p.count, dim, affine);
            /* and back: PIC keeps momentum, APIC angular momentum too */
            particles_from_grid(&s.p, &s.g, &s.u, NULL, 1, affine, NULL);
            totals after = particle_totals(&s, affine);
            check_totals(&after, &grid, s.p.count, dim, affine);
            setup_free(&s);
        }
}

static double linear(int axis, const double x[3]) {
    return 0.3 * (axis + 1) + (0.2 - 0.5 * axis) * x[0] + (0.7 + 0.1 * axis) * x[1] + (axis - 0.4) * x[2];
}

static double linear_slope(int axis, int a) {
    double zero[3] = {0}, one[3] = {a == 0, a == 1, a == 2};
    return linear(axis, one) - linear(axis, zero);
}

static void set_linear(mac_field *f, const mac_grid *g) {
    const box *b = &g->box;
    for (int axis = 0; axis < b->dim; ++axis)
        for (int k = b->dim == 3 ? -GHOST : 0; k <= (b->dim == 3 ? b->n[2] + GHOST : 0); ++k)
            for (int j = -GHOST; j <= b->n[1] + GHOST; ++j)
                for (int i = -GHOST; i <= b->n[0] + GHOST; ++i) {
                    double x[3] = {(i + 0.5) * DX, (j + 0.5) * DX, b->dim == 3 ? (k + 0.5) * DX : 0};
                    x[axis] -= 0.5 * DX;
                    f->value[axis][box_at(b, i, j, k)] = (float)linear(axis, x);
                }
}

static void test_affine_fields_are_exact(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        setup_make(&s, dim, 6000, NULL);
        memset(s.p.spray, 0, s.p.count);
        set_linear(&s.u, &s.g);
        double worst[3] = {0};
        particles_from_grid(&s.p, &s.g, &s.u, NULL, 1, 1, NULL);
        for (size_t i = 0; i < s.p.count; ++i)
            for (int axis = 0; axis < dim; ++axis) {
                double x[3] = {0};
                for (int a = 0; a < dim; ++a) x[a] = (double)s.p.x[a][i] * DX;
                worst[0] = larger(worst[0], fabs((double)s.p.v[axis][i] - linear(axis, x)));
                for (int a = 0; a < dim; ++a)
                    worst[1] =
                        larger(worst[1], fabs((double)s.p.extra[axis * dim + a][i] - linear_slope(axis, a)));
            }
        set_linear(&s.before, &s.g);
        particles_to_grid(&s.u, &s.weight, &s.g, &s.p, 1);
        for (int axis = 0; axis < dim; ++axis)
            for (size_t q = 0; q < s.g.box.size; ++q)
                if (s.weight.value[axis][q] > 1e-3f)
                    worst[2] = larger(worst[2], fabs((double)(s.u.value[axis][q] - s.before.value[axis][q])));
        printf("dim %d: linear field, velocity off %.1e, gradient off %.1e, back on the grid off %.1e\n", dim,
               worst[0], worst[1], worst[2]);
        check_below(worst[0], 2e-6);
        check_below(worst[1], 2e-5);
        check_below(worst[2], 1e-5);
        setup_free(&s);
    }
}

/* Where the gradient of the interpolated field jumps, either side is right. */
static int near_a_jump(const particles *p, size_t i) {
    for (int a = 0; a < p->dim; ++a) {
        double twice = 2 * (double)p->x[a][i];
        if (fabs(twice - nearbyint(twice)) < 1e-5) return 1;
    }
    return 0;
}

static void test_from_grid_is_the_sum(void **state) {
    (void)state;
    const double kick[3] = {0.25, -0.5, 1};
    const double flips[3] = {0, 0.95, 1};
    for (int dim = 2; dim <= 3; ++dim)
        for (int method = 0; method < 4; ++method) {
            int affine = method == 3;
            double flip = affine ? 0 : flips[method], worst = 0, worst_slope = 0;
            setup s, old;
            setup_make(&s, dim, 6000, NULL);
            setup_make(&old, dim, 6000, NULL);
            particles_from_grid(&s.p, &s.g, &s.u, &s.before, affine ? 1 : flip, affine, kick);
            corner c[8];
            for (size_t i = 0; i < s.p.count; ++i)
                for (int axis = 0; axis < dim; ++axis) {
                    double mean = 0, change = 0, slope[3] = {0}, v = (double)old.p.v[axis][i];
                    for (int o = corners_of(c, &s.g.box, &s.p, i, axis); o-- > 0;) {
                        double u = (double)s.u.value[axis][c[o].at];
                        mean += c[o].weight * u;
                        change += c[o].weight * (u - (double)s.before.value[axis][c[o].at]);
                        for (int a = 0; a < dim; ++a) slope[a] += c[o].slope[a] * u / DX;
                    }
                    int spray = old.p.spray[i];
                    double wanted = spray ? v + kick[axis] : flip * (v + change) + (1 - flip) * mean;
                    worst = larger(worst, fabs((double)s.p.v[axis][i] - wanted));
                    for (int a = 0; a < dim && !near_a_jump(&s.p, i); ++a) {
                        double keep = (double)old.p.extra[axis * dim + a][i];
                        double gradient = affine ? (spray ? 0 : slope[a]) : keep;
                        worst_slope =
                            larger(worst_slope, fabs((double)s.p.extra[axis * dim + a][i] - gradient));
                    }
                }
            printf("dim %d method %d: velocity off %.1e, gradient off %.1e\n", dim, method, worst,
                   worst_slope);
            check_below(worst, 2e-6);
            check_below(worst_slope, 4e-5);
            setup_free(&s);
            setup_free(&old);
        }
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    const double kick[3] = {0, -0.1, 0};
    for (int dim = 2; dim <= 3; ++dim)
        for (int affine = 0; affine <= 1; ++affine) {
            setup one;
            setup_make(&one, dim, 60000, NULL);
            particles_to_grid(&one.u, &one.weight, &one.g, &one.p, affine);
            particles_from_grid(&one.p, &one.g, &one.u, &one.before, 0.97, affine, kick);
            particles_advect(&one.p, &one.g, &one.u, (const double[3]){0, 0, 0}, 0.1);
            const int threads[2] = {2, 5};
            for (int t = 0; t < 2; ++t) {
                pool *workers = pool_create(threads[t]);
                setup s;
                setup_make(&s, dim, 60000, workers);
                particles_to_grid(&s.u, &s.weight, &s.g, &s.p, affine);
                particles_from_grid(&s.p, &s.g, &s.u, &s.before, 0.97, affine, kick);
                particles_advect(&s.p, &s.g, &s.u, (const double[3]){0, 0, 0}, 0.1);
                size_t bytes = s.g.box.size * sizeof(float), column = s.p.count * sizeof(float);
                for (int axis = 0; axis < dim; ++axis) {
                    assert_memory_equal(s.u.value[axis], one.u.value[axis], bytes);
                    assert_memory_equal(s.weight.value[axis], one.weight.value[axis], bytes);
                    assert_memory_equal(s.p.x[axis], one.p.x[axis], column);
                    assert_memory_equal(s.p.v[axis], one.p.v[axis], column);
                }
                for (int e = 0; e < dim * dim; ++e) assert_memory_equal(s.p.extra[e], one.p.extra[e], column);
                setup_free(&s);
                pool_free(workers);
            }
            setup_free(&one);
        }
}

static void test_empty_and_crowded(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup s;
        setup_make(&s, dim, 3000, NULL);
        for (size_t i = 0; i < s.p.count; ++i)
            for (int a = 0; a < dim; ++a) {
                s.p.x[a][i] = 5 + 0.999f * random_unit(8, i, (uint64_t)a);
                s.p.v[a][i] = 2;
            }
        assert_int_equal(particles_sort(&s.p, &s.g), 0);
        particles_to_grid(&s.u, &s.weight, &s.g, &s.p, 0);
        totals t = grid_totals(&s);
        for (int axis = 0; axis < dim; ++axis) {
            check_near(t.weight[axis], 3000, 3e-3);
            check_near(t.momentum[axis], 6000, 6e-3);
        }
        particles_from_grid(&s.p, &s.g, &s.u, NULL, 0, 0, NULL);
        for (size_t i = 0; i < s.p.count; ++i)
            for (int a = 0; a < dim; ++a)
                if (!s.p.spray[i]) check_near((double)s.p.v[a][i], 2, 1e-5);
        s.p.count = 0;
        assert_int_equal(particles_sort(&s.p, &s.g), 0);
        particles_to_grid(&s.u, &s.weight, &s.g, &s.p, 1);
        particles_from_grid(&s.p, &s.g, &s.u, NULL, 1, 1, NULL);
        particles_advect(&s.p, &s.g, &s.u, (const double[3]){0, 0, 0}, 0.1);
        for (int axis = 0; axis < dim; ++axis)
            for (size_t q = 0; q < s.g.box.size; ++q)
                assert_true(s.u.value[axis][q] == 0 && s.weight.value[axis][q] == 0);
        setup_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_grid_is_the_sum),      cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_affine_fields_are_exact), cmocka_unit_test(test_from_grid_is_the_sum),
        cmocka_unit_test(test_threads_do_not_matter),   cmocka_unit_test(test_empty_and_crowded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
