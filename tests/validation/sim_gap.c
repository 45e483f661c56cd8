/* A flat body that sinks onto an oblique wall parallel to it: the water between them gives way, the body
 * touches down and slides along the wall as one does that starts there. Openings from one distance of all
 * solids cut the gap into sealed chambers, which held the body six tenths of a cell off, or drove it uphill.
 *
 * Without friction, 2.5 times as dense as the water. */
#include "check.h"

#include "scenes_by_hand.h"

#define TOUCHES  0.15 /* cells off the wall */
#define HALF     0.12 /* m, of the body along the wall */
#define HIGH     0.035
#define START    -0.18 /* m along the wall from its middle, where the domain's is */
#define FOOT_Y   0.251
#define DOWN_END 0.3 /* m along the wall, where the tank's corner begins to matter */

typedef struct {
    int dim, cells;
    double slope, gap; /* cells, at the start */
} gap_case;

typedef struct {
    double touched;    /* s; -1: never */
    double way, speed; /* down the wall, m and m/s */
    double uphill;     /* m/s, at most, once it has touched */
} slide;

typedef struct {
    double along[2], across[2];
} frame;

static frame frame_of(const gap_case *c) {
    const double length = sqrt(1 + c->slope * c->slope);
    return (frame){{1 / length, -c->slope / length}, {c->slope / length, 1 / length}};
}

static void add_solids(setup *t, const gap_case *c) {
    const frame f = frame_of(c);
    const double up = HIGH + c->gap / c->cells, half[3] = {HALF, HIGH, HALF};
    double middle[3] = {0.5, FOOT_Y, 0.25};
    rheo_shape wall = rheo_default_shape(RHEO_SHAPE_PLANE);
    memcpy(wall.a, middle, sizeof wall.a);
    for (int a = 0; a < 3; ++a) wall.b[a] = a < 2 ? f.across[a] : 0;
    for (int a = 0; a < 2; ++a) middle[a] += START * f.along[a] + up * f.across[a];
    add_solid(t, wall)->friction = 0;
    add_body(t, turned(box_about(middle, half), 0, 0, 1, -atan(c->slope) * 180 / M_PI), 2500)->friction = 0;
}

static slide sink(const gap_case *c, double seconds, int threads) {
    setup t;
    set_up(&t, RHEO_APIC, c->dim, c->cells);
    set_size(&t, 1, 0.75, 0.5);
    t.fluid[0].density = 1000;
    fill_pool(&t, 0.65);
    add_solids(&t, c);
    rheo_sim *sim = start_sim(&t.scene, threads);
    const frame f = frame_of(c);
    slide out = {.touched = -1};
    rheo_frame_stats stats = {0};
    while (stats.time < seconds - 1e-9 && out.way < DOWN_END - START) {
        stats = run_frames(sim, 1);
        const rheo_body_stats b = body_of(sim, 0);
        const double d[2] = {b.position[0] - 0.5, b.position[1] - FOOT_Y};
        const double off = (d[0] * f.across[0] + d[1] * f.across[1] - HIGH) * c->cells;
        out.speed = b.velocity[0] * f.along[0] + b.velocity[1] * f.along[1];
        out.way = d[0] * f.along[0] + d[1] * f.along[1] - START;
        if (out.touched < 0 && off < TOUCHES) out.touched = stats.time;
        if (out.touched >= 0) out.uphill = larger(out.uphill, -out.speed);
    }
    rheo_free_sim(sim);
    return out;
}

/* As one that starts on the wall; it is as fast after falling through the water, within what eddies do. */
static void check_slide(int dim, int cells, double slope, double seconds) {
    const slide falls = sink(&(gap_case){dim, cells, slope, 3}, seconds, 2),
                lies = sink(&(gap_case){dim, cells, slope, 0.01}, seconds, 2);
    printf(
        "%dD, %d cells, slope %.2f: touches after %.2f s, %.3f m at %.3f m/s; from the wall %.3f m at %.3f\n",
        dim, cells, slope, falls.touched, falls.way, falls.speed, lies.way, lies.speed);
    assert_true(falls.touched > 0 && falls.touched < 0.5);
    check_below(falls.uphill, 0);
    check_near(falls.speed / lies.speed, 1, 0.08);
    check_near(falls.way / lies.way, 1, 0.1);
}

static void flat_bodies_slide_down_in_the_plane(void **state) {
    (void)state;
    static const double slopes[] = {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.55};
    for (int i = 0; i < 8; ++i) check_slide(2, 64, slopes[i], 0.8);
    for (int i = 0; i < 8; i += 2) check_slide(2, i % 4 ? 48 : 80, slopes[i], 0.8);
}

static void flat_bodies_slide_down(void **state) {
    (void)state;
    check_slide(3, 32, 0.15, 0.8);
    check_slide(3, 32, 0.3, 0.7);
    check_slide(3, 32, 0.4, 0.6);
}

/* Down to contact, where faces of two solids are found in parallel. */
static void threads_do_not_matter(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const gap_case c = {dim, 32, 0.3, 2};
        const slide one = sink(&c, 0.35, 1), two = sink(&c, 0.35, 2), five = sink(&c, 0.35, 5);
        assert_true(one.touched > 0);
        assert_memory_equal(&one, &two, sizeof one);
        assert_memory_equal(&one, &five, sizeof one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flat_bodies_slide_down_in_the_plane),
                                       cmocka_unit_test(flat_bodies_slide_down),
                                       cmocka_unit_test(threads_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
