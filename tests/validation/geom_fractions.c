/* Cut fractions: exact for planes, their limits, and the volume of a sphere and area of a disc to second
 * order. */
#include "check.h"
#include "core/random.h"
#include "geom/fractions.h"

static double draw(uint64_t a, uint64_t b) {
    return 2 * (double)random_unit(11, a, b) - 1;
}

static void segments(void **state) {
    (void)state;
    check_near(closed_middle_segment(-1, 3), -0.375, 1e-15); /* the first quarter is closed */
    check_near(closed_middle_segment(3, -1), 0.375, 1e-15);
    check_near(closed_middle_segment(-1, -1), 0, 0);
    check_near(fraction_segment(1, 1), 1, 0);
    check_near(fraction_segment(-1, -2), 0, 0);
    check_near(fraction_segment(-1, 3), 0.75, 1e-15);
    check_near(fraction_segment(3, -1), 0.75, 1e-15);
    check_near(fraction_segment(0, -1), 0, 0);
    check_near(fraction_segment(0, 1), 1, 0);
}

/* Area of the unit square where n . x + d >= 0, by clipping the square; its moments about the middle. */
static double clip_square(double moment[2], double nx, double ny, double d) {
    const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double poly[8][2], area = 0;
    int count = 0;
    for (int c = 0; c < 4; ++c) {
        const double *p = square[c], *q = square[(c + 1) & 3];
        double a = nx * p[0] + ny * p[1] + d, b = nx * q[0] + ny * q[1] + d;
        if (a >= 0) {
            poly[count][0] = p[0];
            poly[count++][1] = p[1];
        }
        if ((a >= 0) != (b >= 0)) {
            double t = a / (a - b);
            poly[count][0] = p[0] + t * (q[0] - p[0]);
            poly[count++][1] = p[1] + t * (q[1] - p[1]);
        }
    }
    moment[0] = moment[1] = 0;
    for (int c = 0; c < count; ++c) {
        const double *p = poly[c], *q = poly[(c + 1) % count];
        const double part = 0.5 * (p[0] * q[1] - p[1] * q[0]);
        area += part;
        for (int a = 0; a < 2; ++a) moment[a] += part * ((p[a] + q[a]) / 3);
    }
    for (int a = 0; a < 2; ++a) moment[a] -= 0.5 * area;
    return area;
}

static void squares_cut_by_lines(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 2000; ++i) {
        double nx = draw(i, 0), ny = draw(i, 1), d = draw(i, 2);
        const double corner[8] = {d, nx + d, ny + d, nx + ny + d};
        double moment[2], middle[2], exact = clip_square(moment, nx, ny, d);
        check_near(fraction_square(corner), exact, 1e-12);
        check_near(fraction_negative_cube(corner, 2), 1 - exact, 1e-12);
        closed_middle_square(middle, corner); /* what is open and what is closed balance about the middle */
        for (int a = 0; a < 2; ++a) check_near((1 - exact) * middle[a], exact > 0 ? -moment[a] : 0, 1e-12);
    }
}

static void ambiguous_squares(void **state) {
    (void)state;
    const double joined[4] = {1, -0.5, -0.5, 1}, parted[4] = {-1, 0.5, 0.5, -1};
    check_near(fraction_square(joined), 1 - (1.0 / 3) * (1.0 / 3), 1e-12); /* closed corners of 1/3 cut off */
    check_near(fraction_square(parted), (1.0 / 3) * (1.0 / 3), 1e-12);
    const double none[4] = {-1, -1, -1, -1}, all[4] = {0, 0, 1, 1};
    check_near(fraction_square(none), 0, 0);
    check_near(fraction_square(all), 1, 0);
}

/* Volume of the unit cube where n . x + d < 0, n > 0: sum over corners of (-1)^k max(0, -d - n . corner)^3 /
 * (6 nx ny nz). */
static double clip_cube(const double n[3], double d) {
    double sum = 0;
    for (int c = 0; c < 8; ++c) {
        double left = -d, sign = 1;
        for (int a = 0; a < 3; ++a)
            if (c >> a & 1) {
                left -= n[a];
                sign = -sign;
            }
        if (left > 0) sum += sign * left * left * left;
    }
    return sum / (6 * n[0] * n[1] * n[2]);
}

static void cubes_cut_by_planes(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 2000; ++i) {
        double n[3], d = 2 * draw(i, 3) - 1, corner[8];
        for (int a = 0; a < 3; ++a) n[a] = 0.05 + fabs(draw(i, (uint64_t)a));
        for (int c = 0; c < 8; ++c) corner[c] = d + n[0] * (c & 1) + n[1] * (c >> 1 & 1) + n[2] * (c >> 2);
        check_near(fraction_negative_cube(corner, 3), clip_cube(n, d), 1e-10);
    }
    for (int axis = 0; axis < 3; ++axis) { /* aligned */
        double corner[8];
        for (int c = 0; c < 8; ++c) corner[c] = (c >> axis & 1) - 0.3;
        check_near(fraction_negative_cube(corner, 3), 0.3, 1e-14);
    }
}

/* In [0, 1], continuous, and not falling when a value falls. */
static void cubes_are_smooth(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 3000; ++i) {
        double corner[8], lower[8];
        for (uint64_t c = 0; c < 8; ++c) lower[c] = corner[c] = draw(i, c);
        double f = fraction_negative_cube(corner, 3);
        lower[i % 8] -= 1e-6;
        double g = fraction_negative_cube(lower, 3);
        assert_true(f >= 0 && f <= 1);
        check_below(f, g + 1e-12);
        check_near(f, g, 1e-3);
    }
}

static double ball_volume(int n, int dim) {
    double sum = 0, h = 1.0 / n, corner[8];
    for (int k = 0; k < (dim == 3 ? n : 1); ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                for (int c = 0; c < 1 << dim; ++c) {
                    double x = (i + (c & 1)) * h - 0.5, y = (j + (c >> 1 & 1)) * h - 0.47,
                           z = (k + (c >> 2)) * h - 0.51;
                    corner[c] = sqrt(x * x + y * y + (dim == 3 ? z * z : 0)) - 0.37;
                }
                sum += fraction_negative_cube(corner, dim) * pow(h, dim);
            }
    return sum;
}

static void balls_converge(void **state) {
    (void)state;
    const double exact[4] = {0, 0, M_PI * 0.37 * 0.37, 4 * M_PI / 3 * 0.37 * 0.37 * 0.37};
    for (int dim = 2; dim <= 3; ++dim) {
        double before = 0;
        for (int n = 8; n <= 64; n *= 2) {
            double e = fabs(ball_volume(n, dim) / exact[dim] - 1);
            printf("%dD N %3d  volume %.3e order %5.2f\n", dim, n, e, n > 8 ? log2(before / e) : 0);
            if (n > 8) check_below(1.8, log2(before / e));
            before = e;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments),          cmocka_unit_test(squares_cut_by_lines),
        cmocka_unit_test(ambiguous_squares), cmocka_unit_test(cubes_cut_by_planes),
        cmocka_unit_test(cubes_are_smooth),  cmocka_unit_test(balls_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
