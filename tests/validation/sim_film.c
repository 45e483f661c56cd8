/* Faces that lie on each other under water: a film transmits the pressure of the water around, so a light
 * body comes off what it lies on, a heavy one off what it hangs under, and what is heavy stays where it
 * stands. Without a film between them all of these stuck as if there were a vacuum.
 *
 * In the plane, 48 cells a metre; and a board in 3D. */
#include "check.h"

#include "scenes_by_hand.h"

enum { CELLS = 48 };

typedef struct {
    int dim;
    double density;
    double lower[2], upper[2];             /* of the body, m; in 3D as deep as wide, in the middle */
    double shelf_lower[2], shelf_upper[2]; /* of what it touches; nothing where they are the same, and from
                                              the left side on another one at the right */
    double level;                          /* of the water, m */
} film_case;

typedef struct {
    double place[2], last[2]; /* m: of the body's middle after a third of the time, and at its end */
    double spin;              /* rad/s, the fastest at the end of a frame */
    double flow;              /* m/s, the fastest liquid */
    double drift;             /* of the volume, the largest */
    double highest;           /* m: middle of the first body */
    double divergence;        /* 1/s, the largest */
    int iterations, closed;   /* of the solve; regions without air */
} outcome;

static rheo_shape block(const double lower[2], const double upper[2], int deep) {
    const double half = deep ? 0.5 : 0.5 * (upper[0] - lower[0]);
    return box_between(lower[0], lower[1], 0.5 - half, upper[0], upper[1], 0.5 + half);
}

/* under: the density of what it touches, if that is a body too, or 0. */
static outcome watch_over(double under, int cells, const film_case *c, double seconds, rheo_method method) {
    setup t;
    const int has_shelf = c->shelf_upper[0] > c->shelf_lower[0];
    const double other_lower[2] = {1 - c->shelf_upper[0], c->shelf_lower[1]},
                 other_upper[2] = {1 - c->shelf_lower[0], c->shelf_upper[1]};
    set_up(&t, method, c->dim, cells);
    t.fluid[0].density = 1000;
    fill_pool(&t, c->level);
    if (has_shelf) add_solid(&t, block(c->shelf_lower, c->shelf_upper, 1));
    if (has_shelf && !(c->shelf_lower[0] > 0)) add_solid(&t, block(other_lower, other_upper, 1));
    if (has_shelf && under > 0) t.solid[0].motion = RHEO_DYNAMIC, t.solid[0].density = under;
    add_body(&t, block(c->lower, c->upper, 0), c->density);

    outcome out = {0};
    rheo_sim *sim = start_sim(&t.scene, 2);
    rheo_frame_stats stats = {0};
    while (stats.time < seconds - 1e-9) {
        stats = run_frames(sim, 1);
        const rheo_body_stats b = body_of(sim, 0);
        for (int a = 0; a < 2; ++a) {
            if (stats.time < seconds / 3 + 1e-9) out.place[a] = b.position[a];
            out.last[a] = b.position[a];
        }
        out.highest = larger(out.highest, b.position[1]);
        out.spin = larger(out.spin, fabs(b.spin[2]));
        out.flow = larger(out.flow, stats.speed);
        out.drift = larger(out.drift, fabs(stats.volume_drift));
        out.divergence = larger(out.divergence, stats.divergence);
        if (stats.pressure.iterations > out.iterations) out.iterations = stats.pressure.iterations;
        if (stats.pressure.closed_regions > out.closed) out.closed = stats.pressure.closed_regions;
    }
    printf("%dD, density %.0f: (%.4f, %.4f), then (%.4f, %.4f) m; liquid %.2f m/s, %d iterations\n", c->dim,
           c->density, out.place[0], out.place[1], out.last[0], out.last[1], out.flow, out.iterations);
    rheo_free_sim(sim);
    return out;
}

static outcome watch_on(int cells, const film_case *c, double seconds, rheo_method method) {
    return watch_over(0, cells, c, seconds, method);
}

static outcome watch(const film_case *c, double seconds, rheo_method method) {
    return watch_on(c->dim == 3 ? 24 : CELLS, c, seconds, method);
}

static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC};

/* From the floor, from a shelf between planes of the grid, along a wall. In half a second a cell at least,
 * and a third of one where hardly anything lifts them. */
static void light_bodies_come_off(void **state) {
    (void)state;
    static const film_case cases[] = {
        {2, 500, {0.35, 0}, {0.65, 0.12}, {0, 0}, {0, 0}, 0.7},
        {2, 900, {0.35, 0}, {0.65, 0.12}, {0, 0}, {0, 0}, 0.7},
        {2, 100, {0.35, 0.1031}, {0.65, 0.2231}, {0.2, 0.02}, {0.8, 0.1031}, 0.7},
        {2, 500, {0, 0.25}, {0.15, 0.4}, {0, 0}, {0, 0}, 0.7},
        {3, 500, {0.3, 0}, {0.7, 0.15}, {0, 0}, {0, 0}, 0.7},
    };
    for (int i = 0; i < 5; ++i)
        for (int m = 0; m < 2; ++m) {
            const outcome o = watch(&cases[i], 1.5, methods[m]);
            const double start = 0.5 * (cases[i].lower[1] + cases[i].upper[1]);
            assert_true(o.place[1] - start > (cases[i].density > 800 ? 0.3 : 1.0) / CELLS);
            assert_true(o.last[1] - start > (cases[i].density > 800 ? 0.05 : 0.3));
            check_below(o.flow, 4);
            check_below(o.iterations, 40);
        }
}

static void heavy_bodies_fall_off_what_they_are_under(void **state) {
    (void)state;
    const film_case stone = {2, 3000, {0.35, 0.3}, {0.65, 0.4}, {0.2, 0.4}, {0.8, 0.46}, 0.7};
    for (int m = 0; m < 2; ++m) {
        const outcome o = watch(&stone, 1.5, methods[m]);
        assert_true(o.place[1] < 0.35 - 1.0 / CELLS);
        check_near(o.last[1], 0.05, 0.05 / CELLS);
    }
}

/* A plate whose middle is beyond its support tips. */
static void what_overhangs_tips(void **state) {
    (void)state;
    const film_case plate = {2, 2500, {0.3, 0.3}, {0.7, 0.36}, {0.2, 0.1}, {0.45, 0.3}, 0.8};
    const outcome o = watch(&plate, 0.6, RHEO_FLIP);
    assert_true(o.spin > 1);
    check_below(o.flow, 5);
}

/* Heavy ones on the floor and in a corner, and light ones under a shelf, lie still. */
static void what_is_pressed_on_rests(void **state) {
    (void)state;
    static const film_case cases[] = {
        {2, 2500, {0.35, 0}, {0.65, 0.12}, {0, 0}, {0, 0}, 0.7},
        {2, 2500, {0, 0}, {0.2, 0.15}, {0, 0}, {0, 0}, 0.7},
        {2, 500, {0.35, 0.3}, {0.65, 0.4}, {0.2, 0.4}, {0.8, 0.46}, 0.7},
    };
    for (int i = 0; i < 3; ++i) {
        const outcome o = watch(&cases[i], 1.5, RHEO_FLIP);
        for (int a = 0; a < 2; ++a)
            check_near(o.last[a], 0.5 * (cases[i].lower[a] + cases[i].upper[a]), 0.02 / CELLS);
        check_below(o.flow, 0.15);
        check_below(o.drift, 0.005);
        check_below(o.divergence, 0.01);
        assert_int_equal(o.closed, 0);
    }
}

/* Boards thinner than a cell or two, from the floor and from a shelf wherever its planes are: as they rise in
 * open water, where one of 0.3 cells takes 0.7 s for a cell. thick: in cells. */
static void thin_boards_come_off(void **state) {
    (void)state;
    static const struct {
        int dim;
        double density, thick, shelf, least; /* least: in 1.5 s; all in cells */
    } cases[] = {
        {2, 500, 0.3, 0, 1},   {2, 500, 0.6, 0, 3},   {2, 100, 0.6, 0, 5},     {2, 500, 1.1, 0, 5},
        {2, 900, 1.35, 0, 1},  {2, 500, 0.5, 8.3, 2}, {2, 500, 0.3, 8.6, 1.2}, {2, 500, 0.8, 8.8, 4},
        {2, 500, 1.3, 8.9, 5}, {3, 500, 0.5, 0, 2.5}, {3, 100, 0.8, 0, 8},     {3, 500, 1.5, 0, 8},
    };
    for (int i = 0; i < 12; ++i) {
        const double dx = 1.0 / (cases[i].dim == 3 ? 24 : CELLS), low = cases[i].shelf * dx;
        film_case board = {cases[i].dim, cases[i].density, {0.35, low}, {0.65, low + cases[i].thick * dx},
                           {0, 0},       {0, 0},           0.6};
        if (low > 0) memcpy(board.shelf_lower, (const double[]){0.25, low - 4 * dx}, sizeof board.lower);
        if (low > 0) memcpy(board.shelf_upper, (const double[]){0.75, low}, sizeof board.upper);
        const outcome o = watch(&board, 1.5, RHEO_APIC);
        assert_true(o.last[1] - low - 0.5 * cases[i].thick * dx > cases[i].least * dx);
        check_below(o.flow, 3);
        check_below(o.drift, 0.02);
    }
}

/* Heavy ones lie still on the floor, and fall off what they are under. */
static void heavy_thin_boards(void **state) {
    (void)state;
    static const double thick[] = {0.3, 0.6, 1.1};
    for (int i = 0; i < 3; ++i) {
        const double t = thick[i] / CELLS, under = 12.4 / CELLS;
        const film_case lying = {2, 2500, {0.35, 0}, {0.65, t}, {0, 0}, {0, 0}, 0.6};
        const film_case hanging = {
            2, 2500, {0.35, under - t}, {0.65, under}, {0.2, under}, {0.8, under + 0.08}, 0.6};
        const outcome rest = watch(&lying, 1, RHEO_APIC), fall = watch(&hanging, 1.5, RHEO_APIC);
        check_near(rest.last[1], 0.5 * t, 0.02 / CELLS);
        check_below(rest.flow, 0.1);
        assert_true(fall.last[1] < under - 0.5 * t - 3.0 / CELLS);
    }
}

/* Light boards thinner than a cell under a shelf rest as thick ones do, wherever its planes are. */
static void thin_boards_rest_under_a_shelf(void **state) {
    (void)state;
    static const double thick[] = {0.3, 0.6, 1.1}, planes[] = {12, 12.4, 12.6, 12.9};
    for (int i = 0; i < 12; ++i) {
        const double top = planes[i % 4] / CELLS, low = top - thick[i / 4] / CELLS;
        const film_case board = {2, 500, {0.35, low}, {0.65, top}, {0.2, top}, {0.8, top + 0.08}, 0.6};
        const outcome o = watch(&board, 1, RHEO_APIC);
        check_near(o.last[1], 0.5 * (low + top), 0.02 / CELLS);
        check_below(o.flow, 0.15);
    }
}

/* A thin board does not come off a body, thick or thin, but neither throws them; water that fills a tank lets
 * go of one. */
static void boards_on_bodies_and_in_full_tanks(void **state) {
    (void)state;
    const film_case pair = {2, 700, {0.3, 0.3}, {0.7, 0.3125}, {0.3, 0.1}, {0.7, 0.3}, 0.6};
    check_below(watch_over(300, 40, &pair, 1.5, RHEO_APIC).highest, 0.7);
    const film_case stack = {2, 200, {0.3, 1 / 32.0}, {0.7, 2 / 32.0}, {0.3, 0}, {0.7, 1 / 32.0}, 0.5};
    check_below(watch_over(200, 32, &stack, 1, RHEO_FLIP).highest, 0.02);
    const film_case full = {2, 500, {0.3, 0}, {0.7, 0.0125}, {0, 0}, {0, 0}, 1};
    check_below(1.5 / 40, watch_on(40, &full, 1.5, RHEO_APIC).last[1]);
}

/* A block with all faces on planes of the grid: rounding leaves single cells along them, more than can be
 * told apart. */
static void blocks_on_planes_come_off(void **state) {
    (void)state;
    const film_case block = {3, 500, {0.15, 0}, {0.45, 0.15}, {0, 0}, {0, 0}, 0.5};
    assert_true(watch_on(40, &block, 0.3, RHEO_APIC).last[1] > 0.075 + 1.0 / 40);
}

/* A piston on water that it shuts in, air above: no film leads past it. Under a lid that leaves little air as
 * well. */
static void pistons_stay_up(void **state) {
    (void)state;
    static const film_case cases[] = {
        {2, 2000, {0, 0.25}, {1, 0.75}, {0, 0}, {0, 0}, 0.25},
        {2, 2000, {0, 0.25}, {1, 0.975}, {0, 0}, {0, 0}, 0.25},
        {3, 2000, {0, 0.25}, {1, 0.75}, {0, 0}, {0, 0}, 0.25},
    };
    for (int i = 0; i < 3; ++i) {
        const outcome o = watch(&cases[i], 1, RHEO_APIC);
        check_near(o.last[1], 0.5 * (cases[i].lower[1] + cases[i].upper[1]), 0.02 / CELLS);
        check_below(o.flow, 0.01);
        check_below(o.drift, 0.005);
        assert_int_equal(o.closed, 1);
    }
}

/* A lid, thick or thin, over a chamber full of water: what the chamber's pressure is, contacts leave open,
 * and it must not throw the lid. */
static void lids_over_full_chambers_rest(void **state) {
    (void)state;
    static const double thick[] = {3, 2, 0.9}, planes[] = {15, 15.4};
    for (int i = 0; i < 6; ++i) {
        const double low = planes[i % 2] / CELLS, high = low + thick[i / 2] / CELLS;
        const film_case lid = {2, 2500, {0.28, low}, {0.72, high}, {0, low - 0.06}, {0.37, low}, 0.6};
        const outcome o = watch(&lid, 0.5, RHEO_APIC);
        check_near(o.last[1], 0.5 * (low + high), 0.02 / CELLS);
        check_below(o.flow, 0.1);
        check_below(o.iterations, 40);
    }
}

/* A tank that a box fills but for gaps beside it and a layer of air: the air stays air. */
static void little_air_stays_air(void **state) {
    (void)state;
    const film_case post = {2, 940, {0.01, 0.3}, {0.99, 0.97}, {0, 0}, {0, 0}, 0.93};
    const outcome o = watch(&post, 0.5, RHEO_FLIP);
    assert_int_equal(o.closed, 0);
    check_below(o.drift, 0.05);
}

/* Water half as high as the box: 0.3 of its density floats, 0.8 stands. */
static void boxes_in_a_puddle(void **state) {
    (void)state;
    film_case box = {2, 300, {0.35, 0}, {0.65, 0.2}, {0, 0}, {0, 0}, 0.1};
    assert_true(watch(&box, 1.5, RHEO_FLIP).last[1] > 0.1 + 0.5 / CELLS);
    box.density = 800;
    check_near(watch(&box, 1.5, RHEO_FLIP).last[1], 0.1, 0.02 / CELLS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_bodies_come_off),
                                       cmocka_unit_test(heavy_bodies_fall_off_what_they_are_under),
                                       cmocka_unit_test(what_overhangs_tips),
                                       cmocka_unit_test(what_is_pressed_on_rests),
                                       cmocka_unit_test(thin_boards_come_off),
                                       cmocka_unit_test(heavy_thin_boards),
                                       cmocka_unit_test(thin_boards_rest_under_a_shelf),
                                       cmocka_unit_test(boards_on_bodies_and_in_full_tanks),
                                       cmocka_unit_test(boxes_in_a_puddle),
                                       cmocka_unit_test(pistons_stay_up),
                                       cmocka_unit_test(lids_over_full_chambers_rest),
                                       cmocka_unit_test(blocks_on_planes_come_off),
                                       cmocka_unit_test(little_air_stays_air)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
