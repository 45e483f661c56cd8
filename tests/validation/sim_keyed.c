/* Liquid goes where keyed walls take it, wherever their keys lie between steps.
 *
 * A full closed tank leaves its liquid no choice: the centroid is the tank's, to fractions of a cell, however
 * it is shaken; a round one that is swung turns around it besides. And a wall does not care for a tenth of a
 * millisecond. */
#include "check.h"
#include "scenes_by_hand.h"

enum { CELLS = 48, FPS = 30, FRAMES = 30, KEYS_MOST = 1001 };
#define SIDE 1.2

typedef struct {
    setup t;
    rheo_solid *wall;
    int keys;
    double times[KEYS_MOST], places[KEYS_MOST][3], degrees[KEYS_MOST];
} stage;

static rheo_shape box(double x0, double y0, double x1, double y1) {
    return box_between(x0, y0, 0, x1, y1, 0);
}

static stage *make(rheo_method method, rheo_shape shape) {
    stage *s = calloc(1, sizeof *s);
    assert_non_null(s);
    set_up(&s->t, method, 2, CELLS);
    set_size(&s->t, SIDE, 1, 1);
    s->t.scene.fps = FPS;
    s->t.gravity[1] = 0;
    fill_with(&s->t, shape);
    s->wall = add_keyed(&s->t, shape, 0, NULL, NULL);
    s->wall->inside_fluid = true;
    return s;
}

static void add_key(stage *s, double time, double x, double y, double degrees) {
    s->times[s->keys] = time;
    s->places[s->keys][0] = x;
    s->places[s->keys][1] = y;
    s->degrees[s->keys++] = degrees;
    s->wall->position = (rheo_curve){s->keys, s->times, s->places[0], 3};
}

static void turns_too(stage *s) {
    s->wall->rotation_degrees = (rheo_curve){s->keys, s->times, s->degrees, 1};
    s->wall->rotation_axis[2] = 1;
}

typedef struct {
    double lag;   /* cells: the largest distance of the centroid from the wall's place */
    double drift; /* the largest |volume_drift| */
    double kinetic, most_kinetic;
    int64_t rescued;
} outcome;

static outcome watch(stage *s, int frames) {
    outcome o = {0};
    rheo_sim *sim = start_sim(&s->t.scene, 1);
    for (int frame = 1; frame <= frames; ++frame) {
        const rheo_frame_stats f = run_frames(sim, 1);
        const rheo_body_stats wall = body_of(sim, 0);
        for (int a = 0; a < 2; ++a)
            o.lag = larger(o.lag, fabs(f.fluids[0].centroid[a] - wall.position[a]) * CELLS / SIDE);
        o.drift = larger(o.drift, fabs(f.volume_drift));
        o.rescued += f.counts.rescued;
        o.kinetic = f.kinetic;
        o.most_kinetic = larger(o.most_kinetic, f.kinetic);
    }
    rheo_free_sim(sim);
    free(s);
    return o;
}

/* As a scene file has it: six decimals. */
static double rounded(double time) {
    return round(time * 1e6) / 1e6;
}

static void test_shaken_tank(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_SEMI_LAGRANGIAN, RHEO_MAC};
    static const int keys_a_second[] = {30, 47, 1000};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
        for (size_t k = 0; k < sizeof keys_a_second / sizeof *keys_a_second; ++k) {
            stage *s = make(methods[m], box(0.25, 0.25, 0.75, 0.75));
            for (int i = 0; i <= keys_a_second[k]; ++i) {
                const double t = (double)i / keys_a_second[k];
                add_key(s, rounded(t), 0.5 + 0.1 * (1 - cos(4 * M_PI * t)), 0.5, 0);
            }
            const outcome o = watch(s, FRAMES);
            print_message("method %d, %4d keys/s: lag %.3f cells, rescued %lld, drift %.3f\n",
                          (int)methods[m], keys_a_second[k], o.lag, (long long)o.rescued, o.drift);
            assert_true(o.lag < 0.05);
            assert_true(o.rescued <= 10);
            assert_true(o.drift < 0.03);
        }
}

/* Along an arc, turning with it: the water in a round tank goes along but does not turn. */
static void test_swung_tank(void **state) {
    (void)state;
    stage *s = make(RHEO_APIC, ball_at(0.35, 0.35, 0, 0.15));
    s->t.fill[0] = box(0.2, 0.2, 0.5, 0.5);
    for (int i = 0; i <= 1000; ++i) {
        const double t = i / 1000.0, angle = M_PI / 4 * (1 - cos(4 * M_PI * t));
        add_key(s, t, 0.35 + 0.4 * sin(angle), 0.75 - 0.4 * cos(angle), angle * 180 / M_PI);
    }
    turns_too(s);
    const outcome o = watch(s, FRAMES);
    print_message("swung: lag %.3f cells, rescued %lld, drift %.3f\n", o.lag, (long long)o.rescued, o.drift);
    assert_true(o.lag < 0.05);
    assert_true(o.rescued <= 20);
    assert_true(o.drift < 0.03);
}

/* A long box that turns about its middle presses its water around with it. */
static void test_turned_tank(void **state) {
    (void)state;
    outcome o[2];
    for (int shift = 0; shift < 2; ++shift) {
        stage *s = make(RHEO_APIC, box(0.25, 0.35, 0.95, 0.65));
        for (int i = 0; i <= 30; ++i) {
            const double t = i / 30.0;
            add_key(s, t + 1e-4 * shift, 0.6, 0.5, 60 * (1 - cos(4 * M_PI * t)));
        }
        turns_too(s);
        o[shift] = watch(s, FRAMES);
        print_message("turned, %g s late: lag %.3f cells, rescued %lld, drift %.3f, kinetic %.3g of %.3g J\n",
                      1e-4 * shift, o[shift].lag, (long long)o[shift].rescued, o[shift].drift,
                      o[shift].kinetic, o[shift].most_kinetic);
    }
    assert_true(o[1].drift < 0.06);
    assert_true(fabs(o[1].most_kinetic - o[0].most_kinetic) < 0.1 * o[0].most_kinetic);
}

/* A piston sets off, goes on and stops on frames, or a tenth of a millisecond later. */
static void test_late_keys(void **state) {
    (void)state;
    outcome o[2];
    for (int shift = 0; shift < 2; ++shift) {
        stage *s = make(RHEO_APIC, box(0.3, 0, SIDE, 0.4));
        const double late = 1e-4 * shift;
        s->t.gravity[1] = -9.81;
        s->t.scene.wall[RHEO_TOP] = RHEO_WALL_OPEN;
        s->wall->inside_fluid = false;
        s->wall->shape = box(0, -0.2, 0.3, 1.2);
        add_key(s, 0, 0.15, 0.5, 0);
        add_key(s, 0.1 + late, 0.15, 0.5, 0);
        add_key(s, 0.2 + late, 0.25, 0.5, 0);
        o[shift] = watch(s, 7); /* to just after it stopped */
        print_message("%g s late: rescued %lld, kinetic %.4g J\n", late, (long long)o[shift].rescued,
                      o[shift].kinetic);
    }
    assert_true(fabs(o[1].kinetic - o[0].kinetic) < 0.1 * o[0].kinetic);
    assert_true(llabs((long long)(o[1].rescued - o[0].rescued)) <= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shaken_tank),
        cmocka_unit_test(test_swung_tank),
        cmocka_unit_test(test_turned_tank),
        cmocka_unit_test(test_late_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
