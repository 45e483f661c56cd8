/* Kernels of particles: exact integrals, moments, gradients, lattices and walls. */
#include "check.h"
#include "stage/sph/kernel.h"

static const double pi = 3.14159265358979323846;

/* integral of f(r) over the support */
static double integral(const sph_kernel *k, double (*f)(const sph_kernel *, double)) {
    enum { N = 20000 };
    double sum = 0;
    for (int i = 0; i < N; ++i) {
        const double r = (i + 0.5) / N, shell = k->dim == 3 ? 4 * pi * r * r : 2 * pi * r;
        sum += f(k, r) * shell / N;
    }
    return sum;
}

/* -x . grad W: integrates to the dimension */
static double stretch(const sph_kernel *k, double r) {
    return -sph_kernel_over_r(k, r) * r * r;
}

static void integrals(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int kind = 0; kind < SPH_KERNELS; ++kind) {
            const sph_kernel k = sph_kernel_make((sph_kernel_kind)kind, dim);
            check_near(integral(&k, sph_kernel_value), 1, 2e-3); /* viscosity: flat below SPH_NEAREST */
            check_near(integral(&k, stretch), dim, 4e-3);
        }
}

static void gradients_and_laplacians(void **state) {
    const double h = 1e-4;
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int kind = 0; kind < SPH_KERNELS; ++kind) {
            const sph_kernel k = sph_kernel_make((sph_kernel_kind)kind, dim);
            for (double r = 0.11; r < 0.99; r += 0.13) {
                const double up = sph_kernel_value(&k, r + h), down = sph_kernel_value(&k, r - h);
                const double slope = (up - down) / (2 * h), middle = sph_kernel_value(&k, r);
                check_near(sph_kernel_over_r(&k, r) * r, slope, 1e-4 * (1 + fabs(slope)));
                const double bend = (up - 2 * middle + down) / (h * h) + (dim - 1) * slope / r;
                check_near(sph_kernel_laplacian(&k, r), bend, 3e-3 * (1 + fabs(bend)));
            }
        }
}

static void eight_at_a_time(void **state) {
    (void)state;
    for (int kind = 0; kind < SPH_KERNELS; ++kind) {
        const sph_kernel k = sph_kernel_make((sph_kernel_kind)kind, 3);
        const vec8 r = {0.05f, 0.15f, 0.3f, 0.45f, 0.55f, 0.7f, 0.85f, 0.95f};
        vec8 w, g;
        sph_shape8(&w, &g, k.kind, r);
        for (int l = 0; l < LANES; ++l) {
            const double at = (double)r[l];
            check_near((double)(k.scale * w[l]), sph_kernel_value(&k, at),
                       1e-4 * sph_kernel_value(&k, at) + 1e-5);
            check_near((double)(k.scale * g[l]), sph_kernel_over_r(&k, at),
                       1e-4 * fabs(sph_kernel_over_r(&k, at)) + 1e-4);
        }
    }
}

/* On a lattice that begins half a spacing off a wall the density is 1 at every particle. */
static void lattice_beside_a_wall(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int kind = 0; kind < SPH_KERNELS; ++kind) {
            const sph_kernel k = sph_kernel_make((sph_kernel_kind)kind, dim);
            const int deep = dim == 3 ? 2 : 0;
            for (int layer = 0; layer < 4; ++layer) {
                double sum = 0;
                float share, slope;
                for (int c = -deep; c <= deep; ++c)
                    for (int b = -2; b <= 2; ++b)
                        for (int a = -layer; a <= 2; ++a)
                            sum += (double)k.volume *
                                   sph_kernel_value(&k, SPH_SPACING * sqrt(a * a + b * b + c * c));
                sph_kernel_wall(&share, &slope, &k, (float)(SPH_SPACING * (layer + 0.5)));
                check_near(sum + (double)share, 1, 1e-5);
                assert_true(slope <= 0);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals),
        cmocka_unit_test(gradients_and_laplacians),
        cmocka_unit_test(eight_at_a_time),
        cmocka_unit_test(lattice_beside_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
