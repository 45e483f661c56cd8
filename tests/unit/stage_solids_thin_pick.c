/* The thin solids picked for a cell give the answers of all of them, to the last bit. */
#include "check.h"
#include "core/random.h"
#include "rig.h"
#include "solid/thin.h"
#include "stage/walls/thin/thin.h"
#include "stage/walls/thin/parts.h"

enum { N = 24, MOST = 100 };

/* What the solids of a stand are besides plates, some of each. */
enum { BODIES = 1, STRETCHED = 2, SHEETS = 4, VESSEL = 8 };
#define SHEET "pick_sheet.obj"

typedef struct stand {
    mac_grid g;
    rheo_shape form[MOST], part[MOST][2];
    rheo_solid def[MOST];
    shape *shape[MOST];
    obstacle solids[MOST];
    body body[MOST];
    body_state state[MOST];
    int count;
} stand;

static double between(uint64_t *drawn, double low, double high) {
    return low + (high - low) * (double)random_unit(7, (*drawn)++, 0);
}

/* Plates, turned any way, within `side` of the middle of a box of 1 m; every third has a hole. */
static rheo_shape draw_form(stand *s, int i, uint64_t *drawn, double side, int what) {
    double x[3];
    rheo_shape *part = s->part[i];
    for (int a = 0; a < 3; ++a) x[a] = 0.5 + between(drawn, -side, side);
    part[0] = rig_box(x[0], x[1], x[2], 0.2 / N, between(drawn, 1, 4) / N, 3.0 / N);
    part[1] = rig_ball(x[0], x[1], x[2], 1.0 / N);
    rheo_shape form = part[0];
    if (i % 3 == 0) {
        form.kind = RHEO_SHAPE_DIFFERENCE;
        form.children = part;
        form.child_count = 2;
    } else if (what & SHEETS && i % 3 == 1) {
        form = rig_shape(RHEO_SHAPE_MESH, x, NULL, 0);
        form.file = SHEET;
        form.thin = true;
        form.thickness = 0.1 / N;
        memcpy(form.move, x, sizeof x);
    }
    form.rotate_axis[0] = s->g.box.dim == 3 ? between(drawn, -1, 1) : 0;
    form.rotate_degrees = between(drawn, 0, 180);
    for (int a = 0; a < 3 && what & STRETCHED; ++a) form.scale[a] = exp(between(drawn, -4.5, 1.5));
    return form;
}

static void setup(stand *s, int dim, int count, double side, int what) {
    uint64_t drawn = 0;
    *s = (stand){.g = {.dx = 1.0 / N}, .count = count};
    s->g.box = box_make(dim, (const int[3]){N, N, dim == 3 ? N : 1});
    for (int i = 0; i < count; ++i) {
        rheo_report report = {0};
        rheo_solid *def = &s->def[i];
        const bool vessel = what & VESSEL && i == 1; /* one that is never a body */
        s->form[i] = vessel ? rig_box(0.5, 0.5, 0.5, 0.3, 0.3, 0.3) : draw_form(s, i, &drawn, side, what);
        *def = (rheo_solid){.shape = s->form[i], .motion = i % 2 ? RHEO_STATIC : RHEO_KEYED, .density = 500};
        def->inside_fluid = vessel;
        if (dim == 3 ? shape_make(&s->shape[i], &s->form[i], &report)
                     : shape_make_flat(&s->shape[i], &s->form[i], &report))
            fail_msg("%s", report.message);
        s->solids[i] = (obstacle){.shape = s->shape[i], .def = def, .thin = i % 5 != 0};
        s->solids[i].now = placement_of_solid(def, s->shape[i], 0, 0);
        if (!(what & BODIES) || vessel || shape_is_sheet(s->shape[i])) continue;
        def->motion = RHEO_DYNAMIC;
        assert_int_equal(body_make(&s->body[i], &s->state[i], def, s->shape[i], dim == 2, s->g.dx), 0);
        s->solids[i].body = &s->body[i];
        s->solids[i].now = body_placement(&s->body[i]);
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

static void check_picks(int dim, int count, double side, int what) {
    static stand s;
    setup(&s, dim, count, side, what);
    assert_true(compare(&s, 1000) > 20);
    for (int i = 0; i < count; ++i) shape_free(s.shape[i]);
}

static void test_scattered(void **state) {
    (void)state;
    check_picks(3, 30, 0.45, 0);
    check_picks(2, 20, 0.45, 0);
}

/* More of them in one place than a cell has room for. */
static void test_crowded(void **state) {
    (void)state;
    assert_true(MOST - MOST / 5 > PICKS);
    check_picks(3, MOST, 0.02, 0);
    check_picks(2, MOST, 0.02, 0);
    check_picks(3, MOST, 0.02, BODIES | STRETCHED);
}

/* Distances of stretched shapes are less than they are, those of bodies at least what their balls show; but
 * ways past bodies are marched by the former. */
static void test_bodies(void **state) {
    (void)state;
    check_picks(3, 30, 0.45, BODIES);
    check_picks(3, 30, 0.45, STRETCHED);
    check_picks(3, 30, 0.45, BODIES | STRETCHED);
    check_picks(2, 20, 0.45, BODIES | STRETCHED);
}

static void test_sheets(void **state) {
    (void)state;
    FILE *file = fopen(SHEET, "w");
    assert_non_null(file);
    fputs("v 0 -0.12 -0.12\nv 0 0.12 -0.12\nv 0 0.12 0.12\nv 0 -0.12 0.12\nf 1 2 3\nf 1 3 4\n", file);
    fclose(file);
    check_picks(3, 30, 0.45, SHEETS);
    check_picks(3, 30, 0.45, SHEETS | BODIES | STRETCHED);
    remove(SHEET);
}

/* A thin vessel is nearest, at a negative distance, to all that is outside of it. */
static void test_vessel(void **state) {
    (void)state;
    check_picks(3, 30, 0.45, VESSEL);
    check_picks(2, 20, 0.45, VESSEL | BODIES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scattered), cmocka_unit_test(test_crowded),
                                       cmocka_unit_test(test_bodies), cmocka_unit_test(test_sheets),
                                       cmocka_unit_test(test_vessel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
