/* Thin solids on the grid: closed faces without holes, shares that add up to the solid's volume. */
#include "check.h"
#include "grid/rows.h"
#include "rig.h"
#include "stage/walls/thin/thin.h"

enum { N = 16 };

typedef struct stand {
    mac_grid g;
    openings o;
    rig r;
    obstacle solid;
    thin_walls t;
} stand;

static void setup(stand *s, rheo_shape given, int dim) {
    rheo_report report = {0};
    *s = (stand){.g = {.dx = 1.0 / N}};
    s->g.box = box_make(dim, (const int[3]){N, N, dim == 3 ? N : 1});
    assert_int_equal(mac_field_make(&s->o.open, &s->g), 0);
    for (int a = 0; a < dim; ++a)
        for (size_t i = 0; i < s->g.box.size; ++i) s->o.open.value[a][i] = 1;
    rig_start(&s->r);
    rheo_solid *def = rig_add(&s->r, given, RHEO_STATIC);
    if (dim == 3 ? shape_make(&s->r.shapes[0], &def->shape, &report)
                 : shape_make_flat(&s->r.shapes[0], &def->shape, &report))
        fail_msg("%s", report.message);
    s->solid = (obstacle){.shape = s->r.shapes[0], .def = def};
    s->solid.now = placement_of_solid(def, s->solid.shape, 0, 0);
    assert_int_equal(thin_make(&s->t, &s->g, &s->solid, 1), 0);
    assert_int_equal(s->t.count, 1);
    assert_int_equal(thin_place(&s->t, &s->o, &s->g, &s->solid, 1, NULL), 0);
}

static void release(stand *s) {
    thin_free(&s->t);
    mac_field_free(&s->o.open);
    shape_free(s->r.shapes[0]);
}

/* Cells reached through open faces from the middle. */
static int flood(const stand *s, uint8_t *reached) {
    const box *b = &s->g.box;
    int count = 1, more = 1;
    memset(reached, 0, b->size);
    reached[box_at(b, N / 2, N / 2, b->dim == 3 ? N / 2 : 0)] = 1;
    while (more) {
        more = 0;
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < N; ++j)
                for (int i = 0; i < N; ++i)
                    for (int a = 0; a < b->dim; ++a) {
                        const int at[3] = {i, j, k};
                        const ptrdiff_t c = box_at(b, i, j, k), l = c - b->step[a];
                        if (at[a] == 0 || s->o.open.value[a][c] <= 0 || reached[c] == reached[l]) continue;
                        reached[c] = reached[l] = 1;
                        ++more;
                    }
        count += more;
    }
    return count;
}

static rheo_shape shell(rheo_shape parts[2], double half, double wall, double degrees) {
    parts[0] = rig_box(0.5, 0.5, 0.5, half, half, half);
    parts[1] = rig_box(0.5, 0.5, 0.5, half - wall, half - wall, half - wall);
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    s.kind = RHEO_SHAPE_DIFFERENCE;
    s.children = parts;
    s.child_count = 2;
    s.rotate_axis[0] = 1, s.rotate_axis[1] = 0.3, s.rotate_axis[2] = 0.7;
    s.rotate_degrees = degrees;
    return s;
}

/* A box with walls of a tenth of a cell, turned any way, is closed: as many cells inside as its volume. */
static void test_closed(void **state) {
    (void)state;
    static uint8_t reached[(N + 7) * (N + 16) * (N + 7) * 8];
    for (int turn = 0; turn < 8; ++turn) {
        rheo_shape parts[2];
        stand s;
        setup(&s, shell(parts, 0.27, 0.1 / N, 23.0 * turn), 3);
        assert_true(s.g.box.size <= sizeof reached);
        const double inside = flood(&s, reached), wanted = pow(0.54 * N, 3);
        print_message("turned by %d degrees: %.0f cells inside of %.0f\n", 23 * turn, inside, wanted);
        check_near(inside, wanted, 0.25 * wanted); /* whole cells: 8^3 of 8.64^3 */
        release(&s);
    }
}

/* The same in the plane, at many angles. */
static void test_closed_flat(void **state) {
    (void)state;
    static uint8_t reached[(N + 7) * (N + 16) * 8];
    for (int turn = 0; turn < 40; ++turn) {
        rheo_shape parts[2];
        stand s;
        rheo_shape turned = shell(parts, 0.27, 0.3 / N, 9.0 * turn + 0.1);
        turned.rotate_axis[0] = turned.rotate_axis[1] = 0;
        setup(&s, turned, 2);
        const double inside = flood(&s, reached), wanted = pow(0.54 * N, 2);
        check_near(inside, wanted, 0.25 * wanted);
        release(&s);
    }
}

/* A ball smaller than a cell closes no face, and takes its volume from the faces across every axis. */
static void test_small(void **state) {
    (void)state;
    const double radius = 0.45 / N, volume = 4 * M_PI / 3 * 0.45 * 0.45 * 0.45;
    for (int at = 0; at < 5; ++at) {
        stand s;
        setup(&s, rig_ball(0.5 + 0.21 * at / N, 0.5 + 0.13 * at / N, 0.5 + 0.3 * at / N, radius), 3);
        for (int a = 0; a < 3; ++a) {
            double taken = 0, most = 0;
            for (size_t i = 0; i < s.g.box.size; ++i) {
                taken += 1 - (double)s.o.open.value[a][i];
                most = larger(most, 1 - (double)s.o.open.value[a][i]);
            }
            check_near(taken, volume, 0.15 * volume);
            check_below(most, 0.5);
        }
        release(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed), cmocka_unit_test(test_closed_flat),
                                       cmocka_unit_test(test_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
