/* The thin solids picked for a cell give the answers of all of them, to the last bit. */
#include "check.h"
#include "core/random.h"
#include "rig.h"
#include "solid/thin.h"
#include "stage/solids_thin.h"
#include "stage/solids_thin_parts.h"

enum { N = 24, MOST = 100 };

typedef struct stand {
    mac_grid g;
    rheo_solid def[MOST];
    shape *shape[MOST];
    obstacle solids[MOST];
    int count;
} stand;

static double between(uint64_t *drawn, double low, double high) {
    return low + (high - low) * (double)random_unit(7, (*drawn)++, 0);
}

/* Plates, turned any way, within `side` of the middle of a box of 1 m; every third has a hole. */
static void setup(stand *s, rheo_shape (*parts)[2], int dim, int count, double side) {
    uint64_t drawn = 0;
    *s = (stand){.g = {.dx = 1.0 / N}, .count = count};
    s->g.box = box_make(dim, (const int[3]){N, N, dim == 3 ? N : 1});
    for (int i = 0; i < count; ++i) {
        rheo_report report = {0};
        double x[3];
        for (int a = 0; a < 3; ++a) x[a] = 0.5 + between(&drawn, -side, side);
        parts[i][0] = rig_box(x[0], x[1], x[2], 0.2 / N, between(&drawn, 1, 4) / N, 3.0 / N);
        parts[i][1] = rig_ball(x[0], x[1], x[2], 1.0 / N);
        rheo_shape form = parts[i][0];
        if (i % 3 == 0) {
            form.kind = RHEO_SHAPE_DIFFERENCE;
            form.children = parts[i];
            form.child_count = 2;
        }
        form.rotate_axis[0] = dim == 3 ? between(&drawn, -1, 1) : 0;
        form.rotate_degrees = between(&drawn, 0, 180);
        s->def[i] = (rheo_solid){.shape = form, .motion = i % 2 ? RHEO_STATIC : RHEO_KEYED};
        if (dim == 3 ? shape_make(&s->shape[i], &form, &report)
                     : shape_make_flat(&s->shape[i], &form, &report))
            fail_msg("%s", report.message);
        s->solids[i] = (obstacle){.shape = s->shape[i], .def = &s->def[i], .thin = i % 5 != 0};
        s->solids[i].now = placement_of_solid(&s->def[i], s->shape[i], 0, 0);
    }
}

/* A place at most `far` cells from the middle of c along every axis. */
static void draw_place(double x[3], const stand *s, uint64_t *drawn, const int c[3], double far) {
    for (int a = 0; a < 3; ++a) x[a] = s->g.dx * (c[a] + 0.5 + between(drawn, -far, far));
    if (s->g.box.dim == 2) x[2] = 0.5 * s->g.dx;
}

/* Returns how many of the ways were hidden. */
static int compare(const stand *s, uint64_t seed) {
    const picked_solids all = {.all = s->solids, .count = s->count};
    thin_pick pick;
    uint64_t drawn = seed;
    int hidden = 0;
    pick_begin(&pick, &s->g, s->solids, s->count);
    for (int q = 0; q < N * N * s->g.box.n[2]; ++q) {
        const int c[3] = {q % N, q / N % N, q / (N * N)};
        const picked_solids near = pick_cell(&pick, c);
        double x[3], y[3], own, wanted;
        draw_place(x, s, &drawn, c, 0.5);
        draw_place(y, s, &drawn, c, 1.6);
        const obstacle *nearest = picked_nearest(&wanted, &all, x), *found = picked_nearest(&own, &near, x);
        if (wanted < 2.1 * s->g.dx) {
            assert_ptr_equal(found, nearest);
            assert_true(own == wanted);
        }
        const int hides = picked_hide(&all, x, y, THIN_SKIN * s->g.dx);
        assert_int_equal(picked_hide(&near, x, y, THIN_SKIN * s->g.dx), hides);
        hidden += hides;
    }
    return hidden;
}

static void check_picks(int dim, int count, double side) {
    static rheo_shape parts[MOST][2];
    stand s;
    setup(&s, parts, dim, count, side);
    assert_true(compare(&s, 1000) > 20);
    for (int i = 0; i < count; ++i) shape_free(s.shape[i]);
}

static void test_scattered(void **state) {
    (void)state;
    check_picks(3, 30, 0.45);
    check_picks(2, 20, 0.45);
}

/* More of them in one place than a cell has room for. */
static void test_crowded(void **state) {
    (void)state;
    assert_true(MOST - MOST / 5 > PICKS);
    check_picks(3, MOST, 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scattered), cmocka_unit_test(test_crowded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
