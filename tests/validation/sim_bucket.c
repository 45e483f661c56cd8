/* The built-in scene `bucket` at 28 cells, where its walls are 0.13 of one thick: still above the
 * pool, pressed under, filled over the rim, carried away and tipped. Looked at from the bucket in every step,
 * no particle comes from one side of its walls to the other but over the rim. */
#include "check.h"

#include "scenes_by_hand.h"

#define RIM    0.11    /* m above the bucket's middle */
#define FLOOR  -0.1077 /* m, the middle of its floor */
#define RADIUS 0.12765 /* m, the middle of its wall */

typedef struct place {
    float along, across[2]; /* m: the bucket's own axes, from its middle */
} place;

static place look(const rheo_particle_view *v, size_t q, const rheo_body_stats *b) {
    const double c = 1 - 2 * b->orientation[3] * b->orientation[3],
                 s = 2 * b->orientation[0] * b->orientation[3]; /* turned about z */
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = v->origin[a] + v->dx * (double)v->position[a][q] - b->position[a];
    return (place){(float)(-s * d[0] + c * d[1]), {(float)(c * d[0] + s * d[1]), (float)d[2]}};
}

static int is_inside(place p) {
    return (double)p.along > FLOOR && (double)p.along < RIM &&
           hypot((double)p.across[0], (double)p.across[1]) < RADIUS;
}

/* Where the way from the one side to the other meets the wall: m below the rim; 0: it goes over it. */
static double through(place from, place to) {
    const int enters = is_inside(to);
    const place in = enters ? to : from, out = enters ? from : to;
    double low = 0, high = 1; /* of the way out */
    for (int i = 0; i < 40; ++i) {
        const float half = (float)(0.5 * (low + high));
        const place p = {in.along + half * (out.along - in.along),
                         {in.across[0] + half * (out.across[0] - in.across[0]),
                          in.across[1] + half * (out.across[1] - in.across[1])}};
        if (is_inside(p)) low = 0.5 * (low + high);
        else high = 0.5 * (low + high);
    }
    return larger(0, RIM - ((double)in.along + low * ((double)out.along - (double)in.along)));
}

typedef struct tally {
    long in, out, passed;
    double deepest;
} tally;

static void watch(tally *t, place *last, rheo_sim *sim, int first) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    const rheo_body_stats bucket = body_of(sim, 0);
    for (size_t q = 0; q < v.count; ++q) {
        const place now = look(&v, q, &bucket), then = last[v.id[q]];
        last[v.id[q]] = now;
        if (first || is_inside(now) == is_inside(then)) continue;
        const double deep = through(then, now);
        t->in += is_inside(now);
        t->out += is_inside(then);
        t->passed += !(deep <= 1e-6);
        t->deepest = larger(t->deepest, deep);
    }
}

static void test_bucket(void **state) {
    (void)state;
    const char *const set[] = {"domain.cells=28"};
    rheo_scene *scene;
    rheo_report report = {0};
    rheo_particle_view v;
    tally t = {0};
    if (rheo_load_scene(&scene, "bucket", set, 1, &report)) fail_msg("%s", report.message);
    rheo_sim *sim = start_sim(scene, 2);
    const int64_t count = stats_of(sim).particles;
    uint32_t ids = 0; /* nothing comes in later */
    rheo_view_particles(&v, sim);
    for (size_t q = 0; q < v.count; ++q) ids = v.id[q] < ids ? ids : v.id[q] + 1;
    place *last = calloc(ids, sizeof *last);
    assert_non_null(last);
    watch(&t, last, sim, 1);
    while (time_of(sim) < 4.7) { /* tipped at 4.6 s */
        step_sim(sim, 0);
        watch(&t, last, sim, 0);
    }
    print_message("bucket: %ld in and %ld out over the rim, %ld through the wall, %.3f cells under the rim\n",
                  t.in, t.out, t.passed, t.deepest / v.dx);
    assert_int_equal(stats_of(sim).particles, count);
    assert_true(t.in > 500 && t.out > 500);
    assert_int_equal(t.passed, 0);
    free(last);
    rheo_free_sim(sim);
    rheo_free_scene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bucket)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
