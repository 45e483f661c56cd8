/* Light at a surface against the textbook's numbers; cameras against points whose place in the picture is
 * known. */
#include "check.h"
#include "render/camera.h"
#include "render/optics.h"

/* At normal incidence F = ((n - 1) / (n + 1))^2; at Brewster's angle only the s part is reflected. */
static void test_fresnel_known_values(void **state) {
    (void)state;
    float through;
    check_near(optics_fresnel(&through, 1, 1 / 1.33f), pow(0.33 / 2.33, 2), 1e-6);
    check_near(through, 1, 1e-6);
    check_near(optics_fresnel(&through, 0, 1 / 1.33f), 1, 1e-6);
    double brewster = atan(1.33), refracted = asin(sin(brewster) / 1.33);
    double s = sin(brewster - refracted) / sin(brewster + refracted);
    check_near(optics_fresnel(&through, (float)cos(brewster), 1 / 1.33f), 0.5 * s * s, 1e-6);
}

static void test_snell_and_flatness(void **state) {
    (void)state;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 45; ++k) {
            double angle = k * M_PI / 180, ratio = side ? 1.33 : 1 / 1.33;
            vec3 n = normalized(vec(0.2f, 0.9f, -0.3f)), t = normalized(cross(n, vec(1, 0, 0)));
            vec3 d = sub(scaled(t, (float)sin(angle)), scaled(n, (float)cos(angle)));
            float through;
            optics_fresnel(&through, -dot(d, n), (float)ratio);
            vec3 bent = optics_refract(d, n, (float)ratio, through);
            check_near(length(bent), 1, 1e-5);
            check_near(dot(bent, t), ratio * sin(angle), 1e-5); /* Snell */
            check_near(dot(bent, cross(n, t)), 0, 1e-5);        /* in the plane of incidence */
            check_below(dot(bent, n), 0);                       /* on the other side */
            check_near(dot(optics_reflect(d, n), n), cos(angle), 1e-5);
        }
}

/* Light goes either way with the same share: F(i, n) = F(t, 1/n), and what is not reflected goes through:
 * with the amplitudes of transmission the two shares add up to one. */
static void test_energy(void **state) {
    (void)state;
    for (int k = 0; k <= 88; ++k) {
        double i = k * M_PI / 180, t = asin(sin(i) / 1.33);
        float through, unused;
        double there = (double)optics_fresnel(&through, (float)cos(i), 1 / 1.33f);
        double back = (double)optics_fresnel(&unused, through, 1.33f);
        check_near(there, back, 2e-5);
        double ts = 2 * cos(i) / (cos(i) + 1.33 * cos(t)), tp = 2 * cos(i) / (1.33 * cos(i) + cos(t));
        double passed = 0.5 * (ts * ts + tp * tp) * 1.33 * cos(t) / cos(i);
        check_near(there + passed, 1, 2e-5);
    }
}

static void test_total_reflection(void **state) {
    (void)state;
    double critical = asin(1 / 1.33);
    float through;
    check_near(optics_fresnel(&through, (float)cos(critical + 0.01), 1.33f), 1, 0);
    check_near(through, 0, 0);
    check_below(optics_fresnel(&through, (float)cos(critical - 0.01), 1.33f), 0.75);
    assert_true(through > 0);
}

static void test_absorption(void **state) {
    (void)state;
    vec3 a = optics_absorption(vec(0.5f, 1, 0));
    vec3 one = optics_transmit(a, 1), three = optics_transmit(a, 3);
    check_near(one.x, 0.5, 1e-6);
    check_near(three.x, 0.125, 1e-6);
    check_near(three.y, 1, 0);
    check_below(one.z, 1e-5);
}

static void test_codes(void **state) {
    (void)state;
    for (int v = 0; v < 256; ++v) assert_int_equal(optics_srgb(optics_linear((unsigned char)v)), v);
    float last = -1;
    for (int k = 0; k < 400; ++k) {
        vec3 c = optics_film(grey(0.05f * (float)k));
        assert_true(c.x >= last && c.x <= 1);
        last = c.x;
    }
}

/* Where a point is seen; false when it is behind the eye. */
static bool camera_project(float *x, float *y, const camera *c, vec3 point, int width, int height) {
    vec3 p = sub(point, c->eye);
    float depth = dot(p, c->forward);
    if (depth <= 0) return false;
    float unit = c->half * (c->parallel ? 1 : depth);
    *x = 0.5f * ((float)width + dot(p, c->right) / unit * (float)height);
    *y = 0.5f * (float)height * (1 - dot(p, c->up) / unit);
    return true;
}

static void test_pinhole(void **state) {
    (void)state;
    camera c = camera_look(vec(0, 0, 5), vec(0, 0, 0), 90);
    float x = 0, y = 0;
    assert_true(camera_project(&x, &y, &c, vec(0, 0, 0), 640, 360));
    check_near(x, 320, 1e-3);
    check_near(y, 180, 1e-3);
    assert_true(camera_project(&x, &y, &c, vec(5, 5, 0), 640, 360)); /* 45 degrees up: the upper edge */
    check_near(x, 500, 1e-3);
    check_near(y, 0, 1e-3);
    assert_false(camera_project(&x, &y, &c, vec(0, 0, 6), 640, 360));
}

static void test_ray_and_projection_agree(void **state) {
    (void)state;
    camera all[] = {
        camera_look(vec(2, 1.5f, 2), vec(0.5f, 0.4f, 0.5f), 35), camera_fit(vec(0, 0, 0), vec(1, 1, 1), 1.7f),
        camera_flat(vec(0, 0, 0), vec(2, 1, 0.1f), 1.7f), camera_look(vec(0, 3, 0), vec(0, 0, 0), 40)};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        vec3 o, d;
        float x = 0, y = 0;
        camera_ray(&o, &d, &all[k], 123.25f, 45.5f, 340, 200);
        check_near(length(d), 1, 1e-6);
        assert_true(camera_project(&x, &y, &all[k], along(o, d, 2.5f), 340, 200));
        check_near(x, 123.25, 2e-3);
        check_near(y, 45.5, 2e-3);
    }
}

/* Every corner is in the frame, and the frame is not wasted: some corner is near its edge. */
static void test_fit(void **state) {
    (void)state;
    const vec3 sizes[] = {{1, 1, 1}, {4, 1, 1}, {0.2f, 3, 0.2f}, {1, 0.3f, 8}};
    for (int k = 0; k < 4; ++k)
        for (int wide = 0; wide < 2; ++wide) {
            int width = wide ? 640 : 200, height = 360;
            camera c = camera_fit(vec(0, 0, 0), sizes[k], (float)width / (float)height);
            double nearest = 1e9;
            for (int v = 0; v < 8; ++v) {
                vec3 p = vec(v & 1 ? sizes[k].x : 0, v & 2 ? sizes[k].y : 0, v & 4 ? sizes[k].z : 0);
                float x = 0, y = 0;
                assert_true(camera_project(&x, &y, &c, p, width, height));
                double room = fmin(fmin((double)x, width - (double)x) / width,
                                   fmin((double)y, height - (double)y) / height);
                nearest = smaller(nearest, room);
            }
            check_below(0, nearest);
            check_below(nearest, 0.16);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresnel_known_values),
        cmocka_unit_test(test_snell_and_flatness),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_total_reflection),
        cmocka_unit_test(test_absorption),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_pinhole),
        cmocka_unit_test(test_ray_and_projection_agree),
        cmocka_unit_test(test_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
