/* Neighbours of particles against all pairs, and the momentum that lumps keep. */
#include "check.h"
#include "core/random.h"
#include "stage/sph/lumps.h"

enum { MOST = 600 };

static void scatter(particles *p, const mac_grid *g, size_t count) {
    assert_int_equal(particles_make(p, g, NULL, 0), 0);
    assert_int_equal(particles_reserve(p, count), 0);
    p->count = count;
    for (size_t i = 0; i < count; ++i) {
        for (int a = 0; a < p->dim; ++a)
            p->x[a][i] = 0.999f * (float)g->box.n[a] * random_unit(7, i, (uint64_t)a);
        p->id[i] = (uint32_t)i;
        p->fluid[i] = p->spray[i] = 0;
    }
    assert_int_equal(particles_sort(p, g), 0);
}

/* Closed and periodic, in the plane and in space: everyone within a cell, once, and none else. */
static void all_pairs(void **state) {
    (void)state;
    for (int which = 0; which < 4; ++which) {
        const int dim = 2 + which % 2, cells[3] = {5, 4, dim == 3 ? 4 : 1};
        mac_grid g = {.box = box_make(dim, cells), .dx = 1};
        for (int a = 0; a < dim; ++a) g.box.periodic[a] = which > 1;
        const sph_kernel k = sph_kernel_make(SPH_WENDLAND, dim);
        sph_fluid f = {.dim = dim, .g = &g, .kernel = k};
        particles p = {0};
        scatter(&p, &g, dim == 3 ? MOST : MOST / 4);
        assert_int_equal(sph_fluid_reserve(&f, p.count), 0);
        assert_int_equal(sph_pairs_find(&f.pairs, f.x, f.density, &g, &p, &k), 0);
        for (size_t i = 0; i < p.count; ++i) {
            int found[MOST] = {0}, around = 0;
            const int32_t *other = f.pairs.other + f.pairs.start[i];
            for (int n = 0; n < f.pairs.length[i]; ++n) {
                if (n < f.pairs.true_length[i]) ++found[other[n]];
                else assert_true(f.pairs.weight[f.pairs.start[i] + (uint32_t)n] == 0);
            }
            for (size_t j = 0; j < p.count; ++j) {
                double r2 = 0;
                for (int a = 0; a < dim; ++a) {
                    double d = (double)(p.x[a][i] - p.x[a][j]);
                    if (which / 2) d -= cells[a] * round(d / cells[a]);
                    r2 += d * d;
                }
                if (fabs(r2 - 1) < 1e-5) found[j] = i != j && r2 < 1; /* rounding decides */
                assert_int_equal(found[j], i != j && r2 < 1);
                around += found[j];
            }
            assert_true(around <= f.pairs.length[i]);
        }
        sph_fluid_free(&f);
        particles_free(&p);
    }
}

/* What lumps make of a residual without momentum has none, and none about a point. */
static void lumps_keep_momentum(void **state) {
    const int cells[3] = {9, 9, 9};
    mac_grid g = {.box = box_make(3, cells), .dx = 1};
    const sph_kernel k = sph_kernel_make(SPH_WENDLAND, 3);
    sph_fluid f = {.dim = 3, .g = &g, .kernel = k};
    particles p = {0};
    const sph_binding b = {NULL, 100};
    double sum[6] = {0}, size = 0;
    (void)state;
    scatter(&p, &g, 6000);
    assert_int_equal(sph_fluid_reserve(&f, p.count), 0);
    f.count = p.count;
    assert_int_equal(sph_pairs_find(&f.pairs, f.x, f.density, &g, &p, &k), 0);
    for (size_t i = 0; i < f.count; ++i) {
        f.lightness[i] = 1;
        for (int c = 0; c < 4; ++c) f.a[i][c] = 0;
    }
    for (size_t i = 0; i < f.count; ++i) /* pushes between neighbours */
        for (int n = 0; n < f.pairs.true_length[i]; ++n) {
            const size_t j = (size_t)f.pairs.other[f.pairs.start[i] + (uint32_t)n];
            if (j < i) continue;
            const float push = random_unit(3, i, j) - 0.5f;
            for (int c = 0; c < 3; ++c) {
                const float d = push * (f.x[i][c] - f.x[j][c]);
                f.a[i][c] += d;
                f.a[j][c] -= d;
            }
        }
    assert_int_equal(sph_lumps_make(&f, &b), 0);
    assert_true(sph_lumps_solve(&f, (const float(*)[4])f.a) > 0);
    for (size_t i = 0; i < f.count; ++i) {
        const vec4 v = sph_lump_motion(&f, i);
        for (int c = 0; c < 3; ++c) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            sum[c] += (double)v[c];
            sum[3 + c] += (double)(f.x[i][d] * v[e] - f.x[i][e] * v[d]);
            size += fabs((double)v[c]);
        }
    }
    for (int m = 0; m < 6; ++m) check_near(sum[m] / size, 0, m < 3 ? 1e-6 : 1e-5);
    sph_fluid_free(&f);
    particles_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(lumps_keep_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
