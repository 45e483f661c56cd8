/* Light in smoke: what is left of a ray, what an even cloud sends back, its shadow. */
#include "check.h"
#include "render/haze.h"

enum { N = 12 };
static float density[N * N * N];

/* A unit cube of the same density everywhere. */
static void prepare(picture_scene *s, float full) {
    picture_begin(s, vec(0, 0, 0), vec(1, 1, 1), false, 1.0f / N, 1);
    for (int i = 0; i < N * N * N; ++i) density[i] = full;
    s->volume = (picture_volume){.cells = {N, N, N},
                                 .density = density,
                                 .spacing = 1.0f / N,
                                 .strength = 1,
                                 .material = picture_add_material(s, PICTURE_SMOKE, grey(0.5f))};
}

static haze *make(tracer **t, const picture_scene *s) {
    haze *h;
    rheo_report report;
    if (tracer_make(t, s, &report)) skip(); /* built without Embree */
    assert_int_equal(haze_make(&h, *t, s, NULL, &report), RHEO_OK);
    return h;
}

/* Half is left after a metre of density 1, a quarter after two: Beer and Lambert. */
static void rays_lose_by_depth(void **state) {
    (void)state;
    picture_scene s;
    tracer *t;
    prepare(&s, 1);
    haze *h = make(&t, &s);
    check_near((double)haze_transmit(h, vec(0.5f, 0.5f, 3), vec(0, 0, -1), INFINITY).x, 0.5, 1e-4);
    check_near((double)haze_transmit(h, vec(0.5f, 0.5f, 3), vec(0, 0, -1), 2.5f).y, sqrt(0.5), 1e-4);
    check_near((double)haze_transmit(h, vec(2, 2, 3), vec(0, 0, -1), INFINITY).z, 1, 0);
    check_near((double)haze_transmit(NULL, vec(0.5f, 0.5f, 3), vec(0, 0, -1), INFINITY).z, 1, 0);
    haze_free(h);
    tracer_free(t);
}

/* No sun, nothing behind: what comes back is at most what the sky gives, and more of it from thicker smoke.
 */
static void smoke_sends_light_back(void **state) {
    (void)state;
    double before = 0;
    for (int thick = 1; thick <= 3; ++thick) {
        picture_scene s;
        tracer *t;
        prepare(&s, (float)thick);
        s.sky.sun = grey(0);
        s.sky.zenith = s.sky.horizon = s.sky.ground = grey(1);
        haze *h = make(&t, &s);
        const double light =
            (double)haze_over(h, vec(0.5f, 0.5f, 3), vec(0, 0, -1), INFINITY, grey(0), 0.5f).x;
        assert_true(light > before && light < 1);
        before = light;
        /* the share that is left of what is behind comes on top */
        const double with =
            (double)haze_over(h, vec(0.5f, 0.5f, 3), vec(0, 0, -1), INFINITY, grey(1), 0.5f).x;
        check_near(with - light, pow(0.5, thick), 2e-3);
        haze_free(h);
        tracer_free(t);
    }
}

/* The side towards the sun is lighter than the one away from it. */
static void smoke_shades_itself(void **state) {
    (void)state;
    picture_scene s;
    tracer *t;
    prepare(&s, 8);
    s.sky.sun_direction = vec(0, 0, 1);
    haze *h = make(&t, &s);
    const vec3 lit = haze_over(h, vec(0.5f, 0.5f, 3), vec(0, 0, -1), INFINITY, grey(0), 0.5f);
    const vec3 dark = haze_over(h, vec(0.5f, 0.5f, -3), vec(0, 0, 1), INFINITY, grey(0), 0.5f);
    assert_true(lit.x > 1.5f * dark.x);
    haze_free(h);
    tracer_free(t);
}

static void no_volume_is_no_haze(void **state) {
    (void)state;
    picture_scene s;
    haze *h;
    prepare(&s, 1);
    s.volume.density = NULL;
    assert_int_equal(haze_make(&h, NULL, &s, NULL, NULL), RHEO_OK);
    assert_null(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_lose_by_depth),
        cmocka_unit_test(smoke_sends_light_back),
        cmocka_unit_test(smoke_shades_itself),
        cmocka_unit_test(no_volume_is_no_haze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
